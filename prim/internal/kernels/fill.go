package kernels

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/prim/internal/block"
)

// Words draws words, or numbers below a bound.
//
//vyre:kernel workgroup=256 big=out
func Words(t gpu.Thread, below bool, limit, n uint64, at []uint32, seed, stream, from uint64, bound uint32, out []uint32) {
	block.DrawWords(t, block.Source{Seed: seed, Stream: stream, From: from}, below, bound, block.Length(limit, n, at), out)
}

// Longs draws pairs of words, or numbers of 64 bits below a bound.
//
//vyre:kernel workgroup=256 big=out
func Longs(t gpu.Thread, below bool, limit, n uint64, at []uint32, seed, stream, from, bound uint64, out []uint64) {
	block.DrawLongs(t, block.Source{Seed: seed, Stream: stream, From: from}, below, bound, block.Length(limit, n, at), out)
}

// Floats draws uniform numbers of 32 bits, or normal ones.
//
//vyre:kernel workgroup=256 big=out
func Floats(t gpu.Thread, normal bool, limit, n uint64, at []uint32, seed, stream, from uint64, out []float32) {
	block.DrawFloats(t, block.Source{Seed: seed, Stream: stream, From: from}, normal, block.Length(limit, n, at), out)
}

// Doubles draws uniform numbers of 64 bits, or normal ones.
//
//vyre:kernel workgroup=256 big=out
func Doubles(t gpu.Thread, normal bool, limit, n uint64, at []uint32, seed, stream, from uint64, out []float64) {
	block.DrawDoubles(t, block.Source{Seed: seed, Stream: stream, From: from}, normal, block.Length(limit, n, at), out)
}

// Iota counts.
//
//vyre:kernel workgroup=256 big=out types=T:uint8|uint16|uint32|uint64|float32|float64
func Iota[T gpu.Number](t gpu.Thread, limit, n uint64, at []uint32, start, step T, out []T) {
	block.Iota(t, start, step, block.Length(limit, n, at), out)
}

// Gather collects elements by indices of 32 bits.
//
//vyre:kernel workgroup=256 big=x,indices,out types=T:uint8|uint16|uint32|uint64|block.Wide
func Gather[T any](t gpu.Thread, limit, n uint64, at []uint32, x []T, indices []uint32, out []T) {
	block.Gather(t, x, indices, block.Length(limit, n, at), out)
}

// GatherLong is Gather for indices of 64 bits.
//
//vyre:kernel workgroup=256 big=x,indices,out types=T:uint8|uint16|uint32|uint64|block.Wide
func GatherLong[T any](t gpu.Thread, limit, n uint64, at []uint32, x []T, indices []uint64, out []T) {
	block.Gather(t, x, indices, block.Length(limit, n, at), out)
}

// Scatter distributes elements by indices of 32 bits.
//
//vyre:kernel workgroup=256 big=x,indices,out types=T:uint8|uint16|uint32|uint64|block.Wide
func Scatter[T any](t gpu.Thread, limit, n uint64, at []uint32, x []T, indices []uint32, out []T) {
	block.Scatter(t, x, indices, block.Length(limit, n, at), out)
}

// ScatterLong is Scatter for indices of 64 bits.
//
//vyre:kernel workgroup=256 big=x,indices,out types=T:uint8|uint16|uint32|uint64|block.Wide
func ScatterLong[T any](t gpu.Thread, limit, n uint64, at []uint32, x []T, indices []uint64, out []T) {
	block.Scatter(t, x, indices, block.Length(limit, n, at), out)
}
