package kernels

import "github.com/govyre/vyre/gpu"

// Cubic is a polynomial over the distance from a knot.
type Cubic struct{ A, B, C, D float64 }

func (p Cubic) at(x float64) (value, slope float64) {
	return p.A + x*(p.B+x*(p.C+x*p.D)), p.B + x*(2*p.C+x*(3*p.D))
}

// Sample is the value of a curve and its slope.
type Sample struct{ Value, Slope float64 }

// Spline evaluates a curve between knots in any distance from each other. Piece k begins at knots[k]. Before the first
// knot and behind the last the curve is flat.
//
//vyre:kernel workgroup=128
func Spline(t gpu.Thread, knots []float64, pieces []Cubic, x []float64, samples []Sample) {
	i := t.Global().X
	if i >= uint32(len(x)) {
		return
	}
	k := firstAbove(knots, x[i])
	switch {
	case k == 0:
		samples[i] = Sample{Value: pieces[0].A}
		return
	case k == len(knots):
		last, _ := pieces[len(pieces)-1].at(knots[len(knots)-1] - knots[len(knots)-2])
		samples[i] = Sample{Value: last}
		return
	}
	value, slope := pieces[k-1].at(x[i] - knots[k-1])
	samples[i] = Sample{value, slope}
}

// firstAbove is the index of the first of sorted values that is above v.
func firstAbove[T gpu.Number](sorted []T, v T) int {
	lo, hi := 0, len(sorted)
	for lo < hi {
		if mid := (lo + hi) / 2; sorted[mid] > v {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}
