package kernels

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/prim/internal/block"
)

// SortSegments sorts all segments but long ones.
//
//vyre:kernel workgroup=512 big=in,out,offsets,offsets64 types=T:uint8|uint16|uint32|uint64
func SortSegments[T block.Bits](t gpu.Thread, kind uint32, down, wide bool, limit, n uint64, at []uint32, offsets []uint32, offsets64 []uint64, elements uint64, in, out []T, long, total []uint64) {
	s := gpu.Shared[uint32](t, block.SortShared)
	block.SortSegments(t, kind, down, wide, block.Length(limit, n, at), offsets, offsets64, elements, in, out, long, total, s)
}

// CollectLong collects the elements of long segments.
//
//vyre:kernel workgroup=256 big=in,keys,of types=T:uint8|uint16|uint32|uint64
func CollectLong[T block.Bits](t gpu.Thread, in []T, long, total []uint64, keys []T, of []uint32, n []uint64) {
	block.CollectLong(t, in, long, total, keys, of, n)
}

// PlaceLong puts them to their places.
//
//vyre:kernel workgroup=256 big=keys,indices,out types=T:uint8|uint16|uint32|uint64
func PlaceLong[T block.Bits](t gpu.Thread, keys []T, long, total []uint64, indices []uint32, out []T) {
	block.PlaceLong(t, keys, long, total, indices, out)
}
