package kernels

import "github.com/govyre/vyre/gpu"

// SpMV multiplies a sparse matrix in compressed rows by x. A warp has a row: it sums every 32nd
// product in a lane, then over the lanes.
//
//vyre:kernel workgroup=256
func SpMV(t gpu.Thread, rows, cols []uint32, values, x, y []float32) {
	row := t.Group().X*8 + t.Warp()
	end := rows[row+1]
	var s float32
	for j := rows[row] + t.Lane(); j < end; j += 32 {
		s = gpu.FMA(values[j], x[cols[j]], s)
	}
	s = warpSum(t, s)
	if t.Lane() == 0 {
		y[row] = s
	}
}
