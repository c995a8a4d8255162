package kernels

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/prim/internal/block"
)

// ScanFloatSegments leaves running combinations of the floats of segments.
//
//vyre:kernel workgroup=256 big=offsets,x,y types=T:float32|float64
func ScanFloatSegments[T gpu.Float](t gpu.Thread, op, exclusive uint32, empty T, step, words uint32, limit, n uint64, at, offsets []uint32, x, y []T, list []uint32, sums, scanned, lasts []T) {
	block.ScanSegments(t, block.Floats[T]{Op: op}, exclusive, empty, step, block.Segments{Words: words}, offsets, block.Length(limit, n, at), x, y, list, sums, scanned, lasts)
}
