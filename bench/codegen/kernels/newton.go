package kernels

import "github.com/govyre/vyre/gpu"

// newtonRoot looks for a root of a polynomial from x on, by Newton's method; rounds is negative if it finds none.
func newtonRoot(p [6]float32, x float32) (at float32, rounds int32) {
	for k := range int32(30) {
		value, slope := p[5], float32(0)
		for j := 4; j >= 0; j-- {
			slope = gpu.FMA(slope, x, value)
			value = gpu.FMA(value, x, p[j])
		}
		if gpu.Abs(value) < 1e-6 {
			return x, k
		}
		if slope == 0 {
			return x, -1
		}
		next := x - value/slope
		if gpu.Abs(next) > 1e6 {
			return next, -2
		}
		if next == x {
			return x, k
		}
		x = next
	}
	return x, -3
}

// Newton finds a root of each polynomial of degree five.
//
//vyre:kernel workgroup=128
func Newton(t gpu.Thread, from float32, polynomials [][6]float32, roots []float32, rounds []int32) {
	i := t.Global().X
	if i >= uint32(len(polynomials)) {
		return
	}
	at, n := newtonRoot(polynomials[i], from)
	if n < 0 {
		at = 0
	}
	roots[i], rounds[i] = at, n
}
