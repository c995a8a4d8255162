package kernels

import "github.com/govyre/vyre/gpu"

// Stencil is one step of diffusion on a grid of rows of length w: centre times a cell and side times the
// sum of its four neighbours, which outside the grid are zero. An invocation goes down eight rows and keeps what
// it has loaded.
//
//vyre:kernel workgroup=32x8
func Stencil(t gpu.Thread, w uint32, centre, side float32, x, y []float32) {
	col := t.Global().X
	i := t.Global().Y*8*w + col
	var up float32
	if i >= w {
		up = x[i-w]
	}
	mid := x[i]
	for range 8 {
		var down, left, right float32
		if i+w < uint32(len(x)) {
			down = x[i+w]
		}
		if col > 0 {
			left = x[i-1]
		}
		if col < w-1 {
			right = x[i+1]
		}
		y[i] = gpu.FMA(centre, mid, side*((left+right)+(up+down)))
		up, mid = mid, down
		i += w
	}
}
