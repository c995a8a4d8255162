package kernels

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/prim/internal/block"
)

// SortKeysFew sorts keys by comparing each with each.
//
//vyre:kernel workgroup=256 types=T:uint8|uint16|uint32|uint64
func SortKeysFew[T block.Bits](t gpu.Thread, kind uint32, down bool, from, to uint32, limit, n uint64, at []uint32, in, out []T) {
	block.SortByRank(t, kind, down, from, to, false, false, block.Length(limit, n, at), in, out, in, out)
}

// SortPairsFew4 sorts keys so, whose values have four bytes.
//
//vyre:kernel workgroup=256 types=T:uint8|uint16|uint32|uint64
func SortPairsFew4[T block.Bits](t gpu.Thread, kind uint32, down bool, from, to uint32, iota bool, limit, n uint64, at []uint32, in, out []T, values, outValues []uint32) {
	block.SortByRank(t, kind, down, from, to, true, iota, block.Length(limit, n, at), in, out, values, outValues)
}

// SortPairsFew8 sorts keys so, whose values have eight bytes.
//
//vyre:kernel workgroup=256 types=T:uint8|uint16|uint32|uint64
func SortPairsFew8[T block.Bits](t gpu.Thread, kind uint32, down bool, from, to uint32, iota bool, limit, n uint64, at []uint32, in, out []T, values, outValues []uint64) {
	block.SortByRank(t, kind, down, from, to, true, iota, block.Length(limit, n, at), in, out, values, outValues)
}
