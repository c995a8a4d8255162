package kernels

import "github.com/govyre/vyre/gpu"

// Convolve weighs the 5 × 5 pixels around each pixel of a picture. Beyond its border the nearest pixel counts. A workgroup
// has a tile of 32 × 8 pixels, and two more on each side, in shared memory.
//
//vyre:kernel workgroup=32x8
func Convolve(t gpu.Thread, width, height uint32, weights, x, y []float32) {
	tile := gpu.Shared[float32](t, 36*12)
	left, top := int32(t.Group().X*32)-2, int32(t.Group().Y*8)-2
	for k := t.LocalIndex(); k < 36*12; k += 256 {
		col := min(max(left+int32(k%36), 0), int32(width)-1)
		row := min(max(top+int32(k/36), 0), int32(height)-1)
		tile[k] = x[row*int32(width)+col]
	}
	t.Barrier()
	lx, ly := t.Local().X, t.Local().Y
	var sum float32
	for dy := range uint32(5) {
		for dx := range uint32(5) {
			sum = gpu.FMA(weights[dy*5+dx], tile[(ly+dy)*36+lx+dx], sum)
		}
	}
	if px, py := t.Global().X, t.Global().Y; px < width && py < height {
		y[py*width+px] = sum
	}
}
