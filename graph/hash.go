package graph

import (
	"hash"
	"io"

	"github.com/govyre/vyre/graph/internal/mix"
	"lukechampine.com/blake3"
)

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

// portionOfHash is how many bytes are put together for a hash, so that no second copy of a large array is made.
const portionOfHash = 1 << 20

func sum(h hash.Hash) (d [32]byte) {
	h.Sum(d[:0])
	return d
}

// Digest32 returns BLAKE3 of words in little endian.
func Digest32(words []uint32) [32]byte { return hashed(unending(), bytesOf(words), false) }

// Digest64 returns BLAKE3 of words of 64 bits in little endian.
func Digest64(words []uint64) [32]byte { return hashed(unending(), bytesOf(words), false) }

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
