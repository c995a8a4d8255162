package kernels

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

const (
	xxPrime1 = 0x9E3779B185EBCA87
	xxPrime2 = 0xC2B2AE3D27D4EB4F
	xxPrime3 = 0x165667B19E3779F9
	xxPrime4 = 0x85EBCA77C2B2AE63
	xxPrime5 = 0x27D4EB2F165667C5
)

func xxRound(sum, word uint64) uint64 {
	return bits.RotateLeft64(sum+word*xxPrime2, 31) * xxPrime1
}

// XXHash is xxHash64 of records of whole words, seed 0. Record r is words[starts[r]:starts[r+1]]; an invocation has one.
//
//vyre:kernel workgroup=128
func XXHash(t gpu.Thread, starts []uint32, words, hashes []uint64) {
	r := t.Global().X
	if r >= uint32(len(hashes)) {
		return
	}
	at, end := starts[r], starts[r+1]
	h, length := uint64(xxPrime5), uint64(end-at)*8
	if end-at >= 4 {
		one := uint64(xxPrime1) // a variable, so that sums wrap
		sums := [4]uint64{one + xxPrime2, xxPrime2, 0, -one}
		for ; at+4 <= end; at += 4 {
			for k := range sums {
				sums[k] = xxRound(sums[k], words[at+uint32(k)])
			}
		}
		h = bits.RotateLeft64(sums[0], 1) + bits.RotateLeft64(sums[1], 7) + bits.RotateLeft64(sums[2], 12) + bits.RotateLeft64(sums[3], 18)
		for _, s := range sums {
			h = (h^xxRound(0, s))*xxPrime1 + xxPrime4
		}
	}
	h += length
	for ; at < end; at++ {
		h = bits.RotateLeft64(h^xxRound(0, words[at]), 27)*xxPrime1 + xxPrime4
	}
	h = (h ^ h>>33) * xxPrime2
	h = (h ^ h>>29) * xxPrime3
	hashes[r] = h ^ h>>32
}
