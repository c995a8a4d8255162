package kernels

import "github.com/govyre/vyre/gpu"

// moments are how many values there are, their mean, and the sum of the squares of how far they are from it.
type moments struct{ n, mean, squares float64 }

// with has one value more (Welford, "Note on a Method for Calculating Corrected Sums of Squares and Products", 1962).
func (a moments) with(v float64) moments {
	a.n++
	d := v - a.mean
	a.mean += d / a.n
	a.squares = gpu.FMA(d, v-a.mean, a.squares)
	return a
}

// merged has the values of both (Chan, Golub, LeVeque, "Algorithms for Computing the Sample Variance", 1983).
func (a moments) merged(b moments) moments {
	if b.n == 0 {
		return a
	}
	n := a.n + b.n
	d, share := b.mean-a.mean, b.n/n
	return moments{n, gpu.FMA(d, share, a.mean), gpu.FMA(d*d, a.n*share, a.squares+b.squares)}
}

// Spread is the mean of some values, and their variance.
type Spread struct{ Mean, Variance float64 }

// Moments computes mean and variance of segments; segment s is values[starts[s]:starts[s+1]], and both are zero if it
// is empty. A workgroup has a segment.
//
//vyre:kernel workgroup=128
func Moments(t gpu.Thread, starts []uint32, values []float64, spreads []Spread) {
	parts := gpu.Shared[moments](t, 128)
	l, s := t.Local().X, t.Group().X
	segment := values[starts[s]:starts[s+1]]
	var mine moments
	for i := l; i < uint32(len(segment)); i += 128 {
		mine = mine.with(segment[i])
	}
	parts[l] = mine
	t.Barrier()
	for half := uint32(64); half > 0; half /= 2 {
		if l < half {
			parts[l] = parts[l].merged(parts[l+half])
		}
		t.Barrier()
	}
	if l == 0 {
		all := parts[0]
		out := Spread{Mean: all.mean}
		if all.n > 0 {
			out.Variance = all.squares / all.n
		}
		spreads[s] = out
	}
}
