package kernels

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/prim/internal/block"
)

// Arg finds the place of the least or the greatest element.
//
//vyre:kernel workgroup=256 big=x types=T:uint8|uint16|uint32|uint64
func Arg[T block.Bits](t gpu.Thread, greatest bool, kind uint32, empty T, limit, n uint64, at []uint32, x, out []T, index, keys, indices []uint64, count []uint32) {
	best, where := gpu.Shared[uint64](t, block.Warps), gpu.Shared[uint64](t, block.Warps)
	block.ArgAll(t, greatest, kind, empty, x, block.Length(limit, n, at), out, index, keys, indices, count, best, where)
}
