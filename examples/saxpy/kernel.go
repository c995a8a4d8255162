package main

import "github.com/govyre/vyre/gpu"

// Saxpy adds a times x to y, element by element.
//
//vyre:kernel workgroup=256
func Saxpy(t gpu.Thread, a float32, x, y []float32) {
	i := t.Global().X
	if i >= uint32(len(y)) {
		return
	}
	y[i] = a*x[i] + y[i]
}
