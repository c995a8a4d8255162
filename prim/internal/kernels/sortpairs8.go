package kernels

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/prim/internal/block"
)

// SortPairs8 is a pass over keys whose values have eight bytes.
//
//vyre:kernel workgroup=512 big=in,other,out,inV,otherV,outV,state,state64 types=T:uint8|uint16|uint32|uint64
func SortPairs8[T block.Bits](t gpu.Thread, kind uint32, down, swap, iota, wide bool, items, shift, width, pass uint32, limit, n uint64, at []uint32,
	in, other, out []T, inV, otherV, outV []uint64, counts []uint64, plan, tickets, state []uint32, state64 []uint64) {
	s, base := gpu.Shared[uint32](t, block.SortShared), gpu.Shared[uint64](t, 256)
	d := block.Digit{Kind: kind, Down: down, Shift: shift, Bits: width}
	block.SortPass(t, d, pass, items, swap, true, iota, wide, block.Length(limit, n, at), in, other, out, inV, otherV, outV, counts, plan, tickets, state, state64, s, base)
}
