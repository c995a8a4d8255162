package kernels

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/prim/internal/block"
)

// Lengths leaves the lengths of segments.
//
//vyre:kernel workgroup=256 big=offsets,out types=T:uint32|uint64
func Lengths[T gpu.Integer](t gpu.Thread, words uint32, limit, n uint64, at, offsets []uint32, out []T) {
	block.SegmentLengths(t, block.Segments{Words: words}, offsets, block.Length(limit, n, at), out)
}
