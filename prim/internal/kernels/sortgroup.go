package kernels

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/prim/internal/block"
)

// SortKeysGroup sorts few keys.
//
//vyre:kernel workgroup=512 types=T:uint8|uint16|uint32|uint64
func SortKeysGroup[T block.Bits](t gpu.Thread, kind uint32, down bool, from, to uint32, back bool, limit, n uint64, at []uint32, in, out []T) {
	s := gpu.Shared[uint32](t, block.SortShared)
	block.SortGroup(t, kind, down, from, to, false, false, back, block.Length(limit, n, at), in, out, s, s, s)
}

// SortPairsGroup4 sorts few keys, whose values have four bytes.
//
//vyre:kernel workgroup=512 types=T:uint8|uint16|uint32|uint64
func SortPairsGroup4[T block.Bits](t gpu.Thread, kind uint32, down bool, from, to uint32, iota, back bool, limit, n uint64, at []uint32, in, out []T, values, outValues []uint32) {
	s := gpu.Shared[uint32](t, block.SortShared)
	block.SortGroup(t, kind, down, from, to, true, iota, back, block.Length(limit, n, at), in, out, values, outValues, s)
}

// SortPairsGroup8 sorts few keys, whose values have eight bytes.
//
//vyre:kernel workgroup=512 types=T:uint8|uint16|uint32|uint64
func SortPairsGroup8[T block.Bits](t gpu.Thread, kind uint32, down bool, from, to uint32, iota, back bool, limit, n uint64, at []uint32, in, out []T, values, outValues []uint64) {
	s := gpu.Shared[uint32](t, block.SortShared)
	block.SortGroup(t, kind, down, from, to, true, iota, back, block.Length(limit, n, at), in, out, values, outValues, s)
}
