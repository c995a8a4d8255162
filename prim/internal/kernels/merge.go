package kernels

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/prim/internal/block"
)

// Search finds places in a sorted range, as indices of 32 bits.
//
//vyre:kernel workgroup=256 big=x,queries,out types=T:uint8|uint16|uint32|uint64
func Search[T block.Bits](t gpu.Thread, kind uint32, down, upper bool, limit, n uint64, at []uint32, limitQ, nQ uint64, atQ []uint32, x, queries []T, out []uint32) {
	block.Search(t, kind, down, upper, x, block.Length(limit, n, at), queries, block.Length(limitQ, nQ, atQ), out)
}

// SearchLong is Search with indices of 64 bits.
//
//vyre:kernel workgroup=256 big=x,queries,out types=T:uint8|uint16|uint32|uint64
func SearchLong[T block.Bits](t gpu.Thread, kind uint32, down, upper bool, limit, n uint64, at []uint32, limitQ, nQ uint64, atQ []uint32, x, queries []T, out []uint64) {
	block.Search(t, kind, down, upper, x, block.Length(limit, n, at), queries, block.Length(limitQ, nQ, atQ), out)
}

// Merge merges keys.
//
//vyre:kernel workgroup=256 big=a,b,out types=T:uint8|uint16|uint32|uint64
func Merge[T block.Bits](t gpu.Thread, kind uint32, down bool, limit, limitA, n uint64, at []uint32, limitB, nB uint64, atB []uint32, a, b, out []T) {
	s, cut := gpu.Shared[T](t, block.MergeCells), gpu.Shared[uint64](t, block.MergeCuts)
	none, places := gpu.Shared[uint32](t, 1), gpu.Shared[uint16](t, 1)
	la, lb := block.Lengths(limit, limitA, n, at, limitB, nB, atB)
	block.Merge(t, kind, down, false, false, a, la, b, lb, out, none, none, none, s, places, cut)
}

// MergePairs4 merges keys with values of four bytes.
//
//vyre:kernel workgroup=256 big=a,b,out,aV,bV,outV types=T:uint8|uint16|uint32|uint64
func MergePairs4[T block.Bits](t gpu.Thread, kind uint32, down, iota bool, limit, limitA, n uint64, at []uint32, limitB, nB uint64, atB []uint32, a, b, out []T, aV, bV, outV []uint32) {
	s, places, cut := gpu.Shared[T](t, block.MergeCells), gpu.Shared[uint16](t, block.MergeCells), gpu.Shared[uint64](t, block.MergeCuts)
	la, lb := block.Lengths(limit, limitA, n, at, limitB, nB, atB)
	block.Merge(t, kind, down, true, iota, a, la, b, lb, out, aV, bV, outV, s, places, cut)
}

// MergePairs8 merges keys with values of eight bytes.
//
//vyre:kernel workgroup=256 big=a,b,out,aV,bV,outV types=T:uint8|uint16|uint32|uint64
func MergePairs8[T block.Bits](t gpu.Thread, kind uint32, down, iota bool, limit, limitA, n uint64, at []uint32, limitB, nB uint64, atB []uint32, a, b, out []T, aV, bV, outV []uint64) {
	s, places, cut := gpu.Shared[T](t, block.MergeCells), gpu.Shared[uint16](t, block.MergeCells), gpu.Shared[uint64](t, block.MergeCuts)
	la, lb := block.Lengths(limit, limitA, n, at, limitB, nB, atB)
	block.Merge(t, kind, down, true, iota, a, la, b, lb, out, aV, bV, outV, s, places, cut)
}

// GatherTwo collects values from two ranges.
//
//vyre:kernel workgroup=256 big=a,b,indices,out types=T:uint8|uint16|block.Wide
func GatherTwo[T any](t gpu.Thread, limit, limitA, n uint64, at []uint32, limitB, nB uint64, atB []uint32, a, b []T, indices []uint32, out []T) {
	la, lb := block.Lengths(limit, limitA, n, at, limitB, nB, atB)
	block.GatherTwo(t, a, la, b, la+lb, indices, out)
}
