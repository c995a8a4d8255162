package graph

import (
	"encoding/binary"
	"hash"
	"io"
	"slices"

	"lukechampine.com/blake3"

	"github.com/govyre/vyre/graph/internal/mix"
)

// Digest returns what identifies the graph: BLAKE3 of "vyre graph 1", the numbers of nodes and arcs, and the digests of
// offsets, of targets, of masks, of node kinds and of tags, which are of nothing where there are none. Numbers are little
// endian, offsets have 64 bits and all others 32, and masks that are all 1 count: the same graph has one digest however it is
// stored. A graph of a file has the one that the file states, which Verify compares. It is all zeros of a graph whose file is
// closed or changed, for which Verify returns an error.
func (g *CSR) Digest() [32]byte {
	g.hashed.Lock()
	defer g.hashed.Unlock()
	if g.sum != ([32]byte{}) {
		return g.sum
	}
	if g.file != nil && g.file.states(g) {
		g.sum = g.file.head.digest
	} else if err := g.Read(func() error {
		g.sum = g.digestOf()
		return nil
	}); err != nil {
		g.sum = [32]byte{}
	}
	return g.sum
}

// digestOf hashes what has no digest yet.
func (g *CSR) digestOf() [32]byte {
	m := g.mapped() != nil
	h := blake3.New(32, nil)
	h.Write([]byte("vyre graph 1"))
	h.Write(binary.LittleEndian.AppendUint64(nil, uint64(g.Nodes())))
	h.Write(binary.LittleEndian.AppendUint64(nil, uint64(g.Arcs())))
	for _, d := range [][32]byte{digestOfOffsets(g.starts(), m), hashed(bytesOf(g.targets), m), g.digestOfMasks(m), hashed(bytesOf(g.data.NodeKinds), m), hashed(bytesOf(g.data.Tags), m)} {
		h.Write(d[:])
	}
	return sum(h)
}

func (g *CSR) digestOfMasks(mapped bool) [32]byte {
	if masks := g.kinds(); masks != nil {
		return hashed(bytesOf(masks), mapped)
	}
	h := blake3.New(32, nil)
	ones := bytesOf(slices.Repeat([]uint32{1}, min(len(g.targets), portionOfHash/4)))
	for left := 4 * len(g.targets); left > 0; left -= len(ones) {
		h.Write(ones[:min(left, len(ones))])
	}
	return sum(h)
}

// hashed returns BLAKE3 of bytes. Those of a file that is mapped are copied first: goroutines of the hash read them, which know
// no fault.
func hashed(b []byte, mapped bool) [32]byte {
	h := blake3.New(32, nil)
	writeBytes(h, b, mapped)
	return sum(h)
}

// writeBytes writes all, copied first if they are of a file that is mapped, and returns how many were written.
func writeBytes(w io.Writer, b []byte, mapped bool) (n int, err error) {
	if !mapped {
		return w.Write(b)
	}
	copied := make([]byte, min(len(b), portionOfHash))
	for n < len(b) && err == nil {
		var some int
		some, err = w.Write(copied[:copy(copied, b[n:])])
		n += some
	}
	return n, err
}

// Digest32 returns BLAKE3 of words in little endian.
func Digest32(words []uint32) [32]byte { return hashed(bytesOf(words), false) }

// Digest64 returns BLAKE3 of words of 64 bits in little endian.
func Digest64(words []uint64) [32]byte { return hashed(bytesOf(words), false) }

// portionOfHash is how many bytes are put together for a hash, so that no second copy of a large array is made.
const portionOfHash = 1 << 20

// digestOfOffsets hashes offsets as words of 64 bits.
func digestOfOffsets(o offsets, mapped bool) [32]byte {
	if o.wide != nil {
		return hashed(bytesOf(o.wide), mapped)
	}
	h := blake3.New(32, nil)
	buf := make([]byte, 0, min(8*len(o.narrow), portionOfHash))
	for _, v := range o.narrow {
		if buf = binary.LittleEndian.AppendUint64(buf, uint64(v)); len(buf) == portionOfHash {
			h.Write(buf)
			buf = buf[:0]
		}
	}
	h.Write(buf)
	return sum(h)
}

func sum(h hash.Hash) (d [32]byte) {
	h.Sum(d[:0])
	return d
}

// Fold sums a set in two words, so that a device can do it in any order: word k is the sum over all i of
// mix64(mix.Mix64(k + G·(i+1)) ⊕ words[i]), modulo 2⁶⁴. It tells apart what differs by accident, not by intent.
func Fold(words []uint64) [2]uint64 {
	var d [2]uint64
	for i, w := range words {
		for k := range d {
			d[k] += mix.Mix64(mix.Mix64(uint64(k)+mix.Golden*(uint64(i)+1)) ^ w)
		}
	}
	return d
}
