package block_test

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/prim/block"
)

// rectified adds a bias to each column, and makes negative sums zero.
type rectified struct{ scale float32 }

func (r rectified) Apply(row, col uint32, sum float32, bias []float32) gpu.BFloat16 {
	return gpu.ToBFloat16(max(sum*r.scale+bias[col], 0) + float32(row))
}

// Layer multiplies rows of x by the columns of w, which lie in memory one after another.
//
//vyre:kernel workgroup=256
func Layer(t gpu.Thread, rows, cols, depth uint32, scale float32, x, w []gpu.Float16, bias []float32, y []gpu.BFloat16) {
	as, bs := gpu.Shared[gpu.Float16](t, block.MatMulBytes/2), gpu.Shared[gpu.Float16](t, block.MatMulBytes/2)
	ofX, ofW := gpu.Shape{Rows: rows, Cols: depth, Stride: depth}, gpu.Shape{Rows: depth, Cols: cols, Stride: depth, Transposed: true}
	block.MatMul[gpu.Float16, float32](t, rectified{scale}, x, ofX, w, ofW, y, cols+1, bias, as, bs)
}
