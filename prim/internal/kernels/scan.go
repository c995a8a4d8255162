package kernels

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/prim/internal/block"
)

// ordered is an operator on integers whose minimum and maximum go by the order that flip makes: the sign bit, for the bits
// of signed integers, or nothing.
type ordered[T gpu.Integer] struct {
	block.Integers[T]
	flip T
}

func (o ordered[T]) Apply(a, b T) T { return o.Integers.Apply(a^o.flip, b^o.flip) ^ o.flip }

func (o ordered[T]) Identity() T { return o.Integers.Identity() ^ o.flip }

// ScanIntegers leaves running combinations of integers, whose bits are those of a T.
//
//vyre:kernel workgroup=256 big=x,y types=T:uint8|uint16|uint32
func ScanIntegers[T gpu.Integer](t gpu.Thread, op, exclusive uint32, flip T, limit, n uint64, at []uint32, x, y []T, state []uint64) {
	cells := block.Cells[T]{Quads: gpu.Shared[[4]T](t, block.ScanQuads)}
	part := gpu.Shared[T](t, block.Warps)
	block.ScanAll(t, ordered[T]{block.Integers[T]{Op: op}, flip}, exclusive, x, y, block.Length(limit, n, at), state, cells, part)
}

// ScanLongs is ScanIntegers of 64 bits.
//
//vyre:kernel workgroup=256 big=x,y
func ScanLongs(t gpu.Thread, op, exclusive uint32, flip uint64, limit, n uint64, at []uint32, x, y []uint64, state []uint64) {
	cells := block.Cells[uint64]{Pairs: gpu.Shared[[2]uint64](t, block.ScanPairs)}
	part := gpu.Shared[uint64](t, block.Warps)
	block.ScanAll(t, ordered[uint64]{block.Integers[uint64]{Op: op}, flip}, exclusive, x, y, block.Length(limit, n, at), state, cells, part)
}
