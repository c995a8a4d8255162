package kernels

import "github.com/govyre/vyre/gpu"

// Transpose writes the transpose of the n × n matrix x to y, in tiles of 32 × 32. Rows of a tile are 33
// apart so that its columns lie in different banks.
//
//vyre:kernel workgroup=32x8
func Transpose(t gpu.Thread, n uint32, x, y []float32) {
	tile := gpu.Shared[float32](t, 32*33)
	lx, ly := t.Local().X, t.Local().Y
	at := (t.Group().Y*32+ly)*n + t.Group().X*32 + lx
	for k := uint32(0); k < 32; k += 8 {
		tile[(ly+k)*33+lx] = x[at+k*n]
	}
	t.Barrier()
	at = (t.Group().X*32+ly)*n + t.Group().Y*32 + lx
	for k := uint32(0); k < 32; k += 8 {
		y[at+k*n] = tile[lx*33+ly+k]
	}
}
