package kernels

import "github.com/govyre/vyre/gpu"

// Saxpy adds a·x to y, four numbers an invocation.
//
//vyre:kernel workgroup=256
func Saxpy(t gpu.Thread, a float32, x, y [][4]float32) {
	i := t.Global().X
	if i >= uint32(len(y)) {
		return
	}
	u, v := x[i], y[i]
	y[i] = [4]float32{gpu.FMA(a, u[0], v[0]), gpu.FMA(a, u[1], v[1]), gpu.FMA(a, u[2], v[2]), gpu.FMA(a, u[3], v[3])}
}
