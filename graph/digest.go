package graph

import (
	"encoding/binary"
	"slices"

	"lukechampine.com/blake3"
)

// digestOf hashes what has no digest yet, until the context ends.
func digestOf(p *polls, g *CSR) [32]byte {
	m := g.mapped() != nil
	h := blake3.New(32, nil)
	h.Write([]byte("vyre graph 1"))
	h.Write(binary.LittleEndian.AppendUint64(nil, uint64(g.Nodes())))
	h.Write(binary.LittleEndian.AppendUint64(nil, uint64(g.Arcs())))
	section := func(kind uint32, words []uint32) [32]byte {
		if g.file != nil && g.file.states(g) {
			if known := g.file.found.hashes.Load(); known != nil && len(words) > 0 {
				return (*known)[kind]
			}
		}
		return hashed(p, bytesOf(words), m)
	}
	for _, d := range [][32]byte{digestOfOffsets(p, g.starts(), m), section(targetsSection, g.targets), g.digestOfMasks(p, m),
		section(nodeKindsSection, g.data.NodeKinds), section(tagsSection, g.data.Tags)} {
		h.Write(d[:])
	}
	return sum(h)
}

func (g *arrays) digestOfMasks(p *polls, mapped bool) [32]byte {
	if masks := g.kinds(); masks != nil {
		return hashed(p, bytesOf(masks), mapped)
	}
	h := blake3.New(32, nil)
	ones := bytesOf(slices.Repeat([]uint32{1}, min(len(g.targets), portionOfHash/4)))
	for left := 4 * len(g.targets); left > 0 && !p.look(); left -= len(ones) {
		h.Write(ones[:min(left, len(ones))])
	}
	return sum(h)
}

// digestOfOffsets hashes offsets as words of 64 bits.
func digestOfOffsets(p *polls, o offsets, mapped bool) [32]byte {
	if o.wide != nil {
		return hashed(p, bytesOf(o.wide), mapped)
	}
	h := blake3.New(32, nil)
	buf := make([]byte, 0, min(8*len(o.narrow), portionOfHash))
	for _, v := range o.narrow {
		if buf = binary.LittleEndian.AppendUint64(buf, uint64(v)); len(buf) == portionOfHash {
			if p.look() {
				break
			}
			h.Write(buf)
			buf = buf[:0]
		}
	}
	h.Write(buf)
	return sum(h)
}
