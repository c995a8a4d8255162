package kernels

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/prim/internal/block"
)

// Masked copies the bits of a mask from elements of a few words each. The mask is known when the kernel is specialised.
//
//vyre:kernel workgroup=256 big=x,out types=T:uint8|uint16|uint32
func Masked[T gpu.Integer](t gpu.Thread, words uint32, m0, m1, m2, m3 T, limit, n uint64, at []uint32, x, out []T) {
	all := block.Length(limit, n, at) * uint64(words)
	first := t.GlobalIndex()
	mask := m0 // a grid is a multiple of four invocations, so each has the same word of all its elements
	switch uint32(first) % words {
	case 1:
		mask = m1
	case 2:
		mask = m2
	case 3:
		mask = m3
	}
	for i := first; i < all; i += block.Threads * uint64(t.Groups().X) {
		out[i] = x[i] & mask
	}
}
