package kernels

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/prim/internal/block"
)

// inOrder is ordered, for the programs of this file.
type inOrder[T gpu.Integer] struct {
	block.Integers[T]
	flip T
}

func (o inOrder[T]) Apply(a, b T) T { return o.Integers.Apply(a^o.flip, b^o.flip) ^ o.flip }

func (o inOrder[T]) Identity() T { return o.Integers.Identity() ^ o.flip }

// ScanIntegerSegments leaves running combinations of the integers of segments.
//
//vyre:kernel workgroup=256 big=offsets,x,y types=T:uint8|uint16|uint32|uint64
func ScanIntegerSegments[T gpu.Integer](t gpu.Thread, op, exclusive uint32, flip, empty T, step, words uint32, limit, n uint64, at, offsets []uint32, x, y []T, list []uint32, sums, scanned, lasts []T) {
	o := inOrder[T]{block.Integers[T]{Op: op}, flip}
	block.ScanSegments(t, o, exclusive, empty, step, block.Segments{Words: words}, offsets, block.Length(limit, n, at), x, y, list, sums, scanned, lasts)
}
