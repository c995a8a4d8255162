package kernels

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/prim/internal/block"
)

// HistogramDirect counts the values of short integers.
//
//vyre:kernel workgroup=256 big=x types=T:uint8|uint16
func HistogramDirect[T ~uint8 | ~uint16](t gpu.Thread, limit, n uint64, at []uint32, bins, all uint32, x []T, counts []uint32) {
	part := gpu.Shared[uint32](t, block.HistogramWords)
	block.HistogramAll(t, block.Direct[T]{}, bins, all, x, x, block.Length(limit, n, at), counts, part)
}

// HistogramIntegers counts integers in bins of one width.
//
//vyre:kernel workgroup=256 big=x types=T:uint8|uint16|uint32|uint64|int8|int16|int32|int64
func HistogramIntegers[T gpu.Integer](t gpu.Thread, limit, n uint64, at []uint32, bins, all uint32, least, width T, x []T, counts []uint32) {
	part := gpu.Shared[uint32](t, block.HistogramWords)
	block.HistogramAll(t, block.EvenIntegers[T]{Least: least, Width: width}, bins, all, x, x, block.Length(limit, n, at), counts, part)
}

// HistogramFloats counts floats in bins of one width.
//
//vyre:kernel workgroup=256 big=x types=T:float32|float64
func HistogramFloats[T gpu.Float](t gpu.Thread, limit, n uint64, at []uint32, bins, all uint32, least, width T, x []T, counts []uint32) {
	part := gpu.Shared[uint32](t, block.HistogramWords)
	block.HistogramAll(t, block.EvenFloats[T]{Least: least, Width: width}, bins, all, x, x, block.Length(limit, n, at), counts, part)
}

// HistogramBetween counts elements between bounds.
//
//vyre:kernel workgroup=256 big=x types=T:uint8|uint16|uint32|uint64|int8|int16|int32|int64|float32|float64
func HistogramBetween[T gpu.Number](t gpu.Thread, limit, n uint64, at []uint32, bins, all uint32, bounds, x []T, counts []uint32) {
	part := gpu.Shared[uint32](t, block.HistogramWords)
	block.HistogramAll(t, block.Between[T]{}, bins, all, bounds, x, block.Length(limit, n, at), counts, part)
}
