package graph

import (
	"context"
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
// stored. A graph of a file has the one that the file states, which Verify compares. It is found once.
//
// Errors: that of the context; those of Read.
func (g *CSR) Digest(ctx context.Context) (d [32]byte, err error) {
	const work = "digest"
	if err := errOf(ctx, work); err != nil {
		return d, err
	}
	if g.file != nil && g.file.states(g) {
		return g.file.head.digest, nil
	}
	p := &polls{ctx: ctx}
	d, err = g.digest.get(ctx, func() (d [32]byte, err error) {
		err = g.Read(func() error {
			d = digestOf(p, g)
			return p.err()
		})
		return d, err
	})
	if ended := errOf(ctx, work); err != nil && ended != nil {
		err = ended
	}
	return d, err
}

// digestOf hashes what has no digest yet, until the context ends.
func digestOf(p *polls, g *CSR) [32]byte {
	m := g.mapped() != nil
	h := blake3.New(32, nil)
	h.Write([]byte("vyre graph 1"))
	h.Write(binary.LittleEndian.AppendUint64(nil, uint64(g.Nodes())))
	h.Write(binary.LittleEndian.AppendUint64(nil, uint64(g.Arcs())))
	for _, d := range [][32]byte{digestOfOffsets(p, g.starts(), m), hashed(p, bytesOf(g.targets), m), g.digestOfMasks(p, m), hashed(p, bytesOf(g.data.NodeKinds), m), hashed(p, bytesOf(g.data.Tags), m)} {
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

// hashed returns BLAKE3 of bytes, of which it leaves out some if the context ends. Those of a file that is mapped are copied
// first: goroutines of the hash read them, which know no fault.
func hashed(p *polls, b []byte, mapped bool) [32]byte {
	h := blake3.New(32, nil)
	_, _ = writeBytes(p, h, b, mapped)
	return sum(h)
}

// writeBytes writes all, copied first if they are of a file that is mapped, and returns how many were written. It ends with the
// context, and its error.
func writeBytes(p *polls, w io.Writer, b []byte, mapped bool) (n int, err error) {
	var copied []byte
	if mapped {
		copied = make([]byte, min(len(b), portionOfHash))
	}
	for n < len(b) && err == nil {
		if p.look() {
			return n, p.err()
		}
		some := b[n:min(n+mostBytes, len(b))]
		if mapped {
			some = copied[:copy(copied, some)]
		}
		var done int
		done, err = w.Write(some)
		n += done
	}
	return n, err
}

// unending looks at no context.
func unending() *polls { return &polls{ctx: context.Background()} }

// Digest32 returns BLAKE3 of words in little endian.
func Digest32(words []uint32) [32]byte { return hashed(unending(), bytesOf(words), false) }

// Digest64 returns BLAKE3 of words of 64 bits in little endian.
func Digest64(words []uint64) [32]byte { return hashed(unending(), bytesOf(words), false) }

// portionOfHash is how many bytes are put together for a hash, so that no second copy of a large array is made.
const portionOfHash = 1 << 20

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
