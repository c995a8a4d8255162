package kernels

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/prim/internal/block"
)

// ScanFloatTotals leaves the totals of tiles, at some level above the elements.
//
//vyre:kernel workgroup=256 big=x
func ScanFloatTotals(t gpu.Thread, op, exclusive uint32, limit, n uint64, at []uint32, level uint32, x, totals, lasts []float32) {
	cells := block.Cells[float32]{Quads: gpu.Shared[[4]float32](t, block.Quads)}
	part := gpu.Shared[float32](t, 2*block.Warps)
	n = block.Above(level, block.Length(limit, n, at))
	block.ScanTotals(t, block.Floats[float32]{Op: op}, exclusive, x, n, totals, lasts, cells, part)
}

// ScanFloatTiles leaves running combinations, given those of the totals.
//
//vyre:kernel workgroup=256 big=x,y
func ScanFloatTiles(t gpu.Thread, op, exclusive uint32, empty float32, limit, n uint64, at []uint32, level uint32, x, y, before, lasts []float32) {
	cells := block.Cells[float32]{Quads: gpu.Shared[[4]float32](t, block.Quads)}
	part := gpu.Shared[float32](t, 2*block.Warps)
	n = block.Above(level, block.Length(limit, n, at))
	block.ScanTiles(t, block.Floats[float32]{Op: op}, exclusive, empty, x, y, n, before, lasts, cells, part)
}

// ScanDoubleTotals is ScanFloatTotals of 64 bits.
//
//vyre:kernel workgroup=256 big=x
func ScanDoubleTotals(t gpu.Thread, op, exclusive uint32, limit, n uint64, at []uint32, level uint32, x, totals, lasts []float64) {
	cells := block.Cells[float64]{Pairs: gpu.Shared[[2]float64](t, block.Pairs)}
	part := gpu.Shared[float64](t, 2*block.Warps)
	n = block.Above(level, block.Length(limit, n, at))
	block.ScanTotals(t, block.Floats[float64]{Op: op}, exclusive, x, n, totals, lasts, cells, part)
}

// ScanDoubleTiles is ScanFloatTiles of 64 bits.
//
//vyre:kernel workgroup=256 big=x,y
func ScanDoubleTiles(t gpu.Thread, op, exclusive uint32, empty float64, limit, n uint64, at []uint32, level uint32, x, y, before, lasts []float64) {
	cells := block.Cells[float64]{Pairs: gpu.Shared[[2]float64](t, block.Pairs)}
	part := gpu.Shared[float64](t, 2*block.Warps)
	n = block.Above(level, block.Length(limit, n, at))
	block.ScanTiles(t, block.Floats[float64]{Op: op}, exclusive, empty, x, y, n, before, lasts, cells, part)
}
