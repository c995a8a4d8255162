package kernels

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/prim/block"
)

// ScanFloatTotals leaves the totals of tiles, at some level above the elements.
//
//vyre:kernel workgroup=256 big=x types=T:float32|float64
func ScanFloatTotals[T gpu.Float](t gpu.Thread, op, exclusive uint32, limit, n uint64, at []uint32, level uint32, x, totals, lasts []T) {
	cells := gpu.Shared[[4]T](t, block.Quads)
	part := gpu.Shared[T](t, 2*block.Warps)
	n = block.Above(level, block.Length(limit, n, at))
	block.ScanTotals(t, block.Floats[T]{Op: op}, exclusive, x, n, totals, lasts, cells, part)
}

// ScanFloatTiles leaves running combinations, given those of the totals.
//
//vyre:kernel workgroup=256 big=x,y types=T:float32|float64
func ScanFloatTiles[T gpu.Float](t gpu.Thread, op, exclusive uint32, empty T, limit, n uint64, at []uint32, level uint32, x, y, before, lasts []T) {
	cells := gpu.Shared[[4]T](t, block.Quads)
	part := gpu.Shared[T](t, 2*block.Warps)
	n = block.Above(level, block.Length(limit, n, at))
	block.ScanTiles(t, block.Floats[T]{Op: op}, exclusive, empty, x, y, n, before, lasts, cells, part)
}
