package kernels

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/prim/internal/block"
)

// ReduceFloatSegments combines the floats of segments.
//
//vyre:kernel workgroup=256 big=offsets,x,out types=T:float32|float64
func ReduceFloatSegments[T gpu.Float](t gpu.Thread, op uint32, empty T, step, words uint32, limit, n uint64, at, offsets []uint32, x, out []T, list []uint32, sums []T) {
	part := gpu.Shared[T](t, block.Warps)
	block.ReduceSegments(t, block.Floats[T]{Op: op}, empty, step, block.Segments{Words: words}, offsets, block.Length(limit, n, at), x, out, list, sums, part)
}
