package kernels

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/prim/internal/block"
)

// directed is ordered, for the programs of this file.
type directed[T gpu.Integer] struct {
	block.Integers[T]
	flip T
}

func (o directed[T]) Apply(a, b T) T { return o.Integers.Apply(a^o.flip, b^o.flip) ^ o.flip }

func (o directed[T]) Identity() T { return o.Integers.Identity() ^ o.flip }

// ReduceIntegerSegments combines the integers of segments.
//
//vyre:kernel workgroup=256 big=offsets,x,out types=T:uint8|uint16|uint32|uint64
func ReduceIntegerSegments[T gpu.Integer](t gpu.Thread, op uint32, flip, empty T, step, words uint32, limit, n uint64, at, offsets []uint32, x, out []T, list []uint32, sums []T) {
	part := gpu.Shared[T](t, block.Warps)
	o := directed[T]{block.Integers[T]{Op: op}, flip}
	block.ReduceSegments(t, o, empty, step, block.Segments{Words: words}, offsets, block.Length(limit, n, at), x, out, list, sums, part)
}
