package kernels

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/prim/internal/block"
)

// ReduceIntegers combines integers.
//
//vyre:kernel workgroup=256 big=x,sums types=T:uint8|uint16|uint32|uint64|int8|int16|int32|int64
func ReduceIntegers[T gpu.Integer](t gpu.Thread, op uint32, empty T, limit, n uint64, at []uint32, x []T, out, sums []T, counts []uint32) {
	part := gpu.Shared[T](t, block.ReduceWords)
	block.ReduceAll(t, block.Integers[T]{Op: op}, empty, x, block.Length(limit, n, at), out, sums, counts, part)
}

// ReduceFloats combines floats in the order of the tree.
//
//vyre:kernel workgroup=256 big=x,sums types=T:float32|float64
func ReduceFloats[T gpu.Float](t gpu.Thread, op uint32, empty T, limit, n uint64, at []uint32, x []T, out, sums []T, counts []uint32) {
	part := gpu.Shared[T](t, block.ReduceWords)
	block.ReduceAll(t, block.Floats[T]{Op: op}, empty, x, block.Length(limit, n, at), out, sums, counts, part)
}

// WidenUnsigned combines unsigned integers in 64 bits.
//
//vyre:kernel workgroup=256 big=x,sums types=T:uint8|uint16|uint32
func WidenUnsigned[T gpu.Integer](t gpu.Thread, op uint32, empty, limit, n uint64, at []uint32, x []T, out, sums []uint64, counts []uint32) {
	part := gpu.Shared[uint64](t, block.ReduceWords)
	block.ReduceAll(t, block.Integers[uint64]{Op: op}, empty, x, block.Length(limit, n, at), out, sums, counts, part)
}

// WidenSigned combines signed integers in 64 bits.
//
//vyre:kernel workgroup=256 big=x,sums types=T:int8|int16|int32
func WidenSigned[T gpu.Integer](t gpu.Thread, op uint32, empty int64, limit, n uint64, at []uint32, x []T, out, sums []int64, counts []uint32) {
	part := gpu.Shared[int64](t, block.ReduceWords)
	block.ReduceAll(t, block.Integers[int64]{Op: op}, empty, x, block.Length(limit, n, at), out, sums, counts, part)
}

// WidenFloats combines floats of 32 bits in 64.
//
//vyre:kernel workgroup=256 big=x,sums
func WidenFloats(t gpu.Thread, op uint32, empty float64, limit, n uint64, at []uint32, x []float32, out, sums []float64, counts []uint32) {
	part := gpu.Shared[float64](t, block.ReduceWords)
	block.ReduceAll(t, block.Floats[float64]{Op: op}, empty, x, block.Length(limit, n, at), out, sums, counts, part)
}
