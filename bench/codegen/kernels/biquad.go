package kernels

import "github.com/govyre/vyre/gpu"

// Biquad filters so many channels with one section of second order, transposed direct form II. The samples that all
// channels have at one time stand beside one another. An invocation has a channel.
//
//vyre:kernel workgroup=128
func Biquad(t gpu.Thread, channels uint32, b0, b1, b2, a1, a2 float32, x, y []float32) {
	channel := t.Global().X
	if channel >= channels {
		return
	}
	var s1, s2 float32
	for i := channel; i < uint32(len(x)); i += channels {
		in := x[i]
		out := gpu.FMA(b0, in, s1)
		s1 = gpu.FMA(-a1, out, gpu.FMA(b1, in, s2))
		s2 = gpu.FMA(-a2, out, b2*in)
		y[i] = out
	}
}
