package main

import "github.com/govyre/vyre/gpu"

// Scale makes every element a times what it was, plus b.
//
//vyre:kernel workgroup=256
func Scale(t gpu.Thread, a, b float32, x []float32) {
	if i := t.Global().X; i < uint32(len(x)) {
		x[i] = a*x[i] + b
	}
}

// Multiply stores the product of x, which has h rows, and y, which has w columns, in z.
//
//vyre:kernel workgroup=16x16
func Multiply(t gpu.Thread, h, w, n uint32, x, y, z []float32) {
	row, column := t.Global().Y, t.Global().X
	if row >= h || column >= w {
		return
	}
	sum := float32(0)
	for i := range n {
		sum += x[row*n+i] * y[i*w+column]
	}
	z[row*w+column] = sum
}
