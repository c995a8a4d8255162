package kernels

import "github.com/govyre/vyre/gpu"

// Mandelbrot counts rounds until a point leaves the circle of radius 2, at most so many, for
// every pixel of a picture of width w whose first pixel is at (x0, y0).
//
//vyre:kernel workgroup=16x16
func Mandelbrot(t gpu.Thread, w, most uint32, x0, y0, step float32, rounds []uint32) {
	px, py := t.Global().X, t.Global().Y
	cx, cy := gpu.FMA(float32(px), step, x0), gpu.FMA(float32(py), step, y0)
	var x, y float32
	var n uint32
	for n < most {
		y2 := y * y
		if gpu.FMA(x, x, y2) > 4 {
			break
		}
		x, y = gpu.FMA(x, x, cx-y2), gpu.FMA(x+x, y, cy)
		n++
	}
	rounds[py*w+px] = n
}
