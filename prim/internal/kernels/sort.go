package kernels

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/prim/internal/block"
)

// SortHistogram counts digits and plans passes.
//
//vyre:kernel workgroup=512 big=in types=T:uint8|uint16|uint32|uint64
func SortHistogram[T block.Bits](t gpu.Thread, kind uint32, down bool, from, to uint32, swap bool, limit, n uint64, at []uint32, in []T, counts []uint64, done, plan []uint32) {
	s := gpu.Shared[uint32](t, 256*block.MaxPasses)
	block.SortHistogram(t, kind, down, from, to, swap, block.Length(limit, n, at), in, counts, done, plan, s)
}

// SortKeys is a pass over keys.
//
//vyre:kernel workgroup=512 big=in,other,out,state,state64 types=T:uint8|uint16|uint32|uint64
func SortKeys[T block.Bits](t gpu.Thread, kind uint32, down, swap, wide bool, items, shift, width, pass uint32, limit, n uint64, at []uint32,
	in, other, out []T, counts []uint64, plan, tickets, state []uint32, state64 []uint64) {
	s, base := gpu.Shared[uint32](t, block.SortShared), gpu.Shared[uint64](t, 256)
	d := block.Digit{Kind: kind, Down: down, Shift: shift, Bits: width}
	block.SortPass(t, d, pass, items, swap, false, false, wide, block.Length(limit, n, at), in, other, out, s, s, s, counts, plan, tickets, state, state64, s, base)
}
