package kernels

import (
	"math"

	"github.com/govyre/vyre/gpu"
)

// Softmax makes weights that sum to 1 of each row of n numbers. A warp has a row.
//
//vyre:kernel workgroup=256
func Softmax(t gpu.Thread, n uint32, x, y []float32) {
	row := t.Group().X*8 + t.Warp()
	in, out := x[row*n:(row+1)*n], y[row*n:(row+1)*n]
	most := float32(math.Inf(-1))
	for i := t.Lane(); i < n; i += 32 {
		most = max(most, in[i])
	}
	most = gpu.ReduceMax(t, most)
	var sum float32
	for i := t.Lane(); i < n; i += 32 {
		sum += gpu.Exp(in[i] - most)
	}
	scale := 1 / gpu.ReduceAdd(t, sum)
	for i := t.Lane(); i < n; i += 32 {
		out[i] = scale * gpu.Exp(in[i]-most)
	}
}
