package kernels

import (
	"math"

	"github.com/govyre/vyre/gpu"
)

// BlackScholes prices European options, calls and puts (Black and Scholes, "The Pricing of Options and Corporate
// Liabilities", 1973).
//
//vyre:kernel workgroup=256
func BlackScholes(t gpu.Thread, rate, volatility float32, spot, strike, years, call, put []float32) {
	i := t.Global().X
	if i >= uint32(len(call)) {
		return
	}
	s, k, y := spot[i], strike[i], years[i]
	deviation := volatility * gpu.Sqrt(y)
	d1 := (gpu.Log(s/k) + (rate+volatility*volatility/2)*y) / deviation
	n1, n2 := normal(d1), normal(d1-deviation)
	paid := k * gpu.Exp(-rate*y)
	call[i] = s*n1 - paid*n2
	put[i] = paid*(1-n2) - s*(1-n1)
}

// normal is the distribution function of the normal distribution.
func normal(x float32) float32 { return 0.5 + 0.5*gpu.Erf(x*(math.Sqrt2/2)) }
