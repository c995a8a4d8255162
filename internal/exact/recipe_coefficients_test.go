package exact_test

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/testing/long"
)

// TestCoefficients makes the polynomials of the recipes again, prints those that differ from the tables, and holds their
// errors to what the tables' comments say.
func TestCoefficients(t *testing.T) {
	long.Only(t, "takes a minute")
	single := func(v float64) float64 { return float64(float32(v)) }
	double := func(v float64) float64 { return v }
	for i, c := range []struct {
		name   string
		table  []float64
		round  func(float64) float64
		given  int     // leading coefficients that are chosen, as 1 + r + … begins with two
		bits   float64 // the error is below 2^−bits
		lo, hi float64
		g, w   func(x *big.Float) *big.Float
	}{
		{"expF32.exp", exact.ExpF32, single, 2, 28.2, -0.3468, 0.3468, refExp, overExp},
		{"expF32.exp2", exact.Exp2F32, single, 2, 28.3, -0.5002, 0.5002, refExp2, overExp2},
		{"expF64.exp", exact.ExpF64, double, 2, 57.9, -0.3468, 0.3468, refExp, overExp},
		{"expF64.exp2", exact.Exp2F64, double, 2, 57.7, -0.5002, 0.5002, refExp2, overExp2},
		{"tanhExp32", exact.TanhExpF32, single, 1, 23.3, -0.1734, 0.1734, refExp2r, overExp2r},
		{"logF32.baseE", exact.LogF32, single, 1, 27.3, math.Sqrt2/2 - 1, math.Sqrt2 - 1, logTail, overLogTail},
		{"logF32.base1p", exact.Log1pF32, single, 1, 27.2, -0.26, 0.51, logTail, overLogTail},
		{"logF32.base2", exact.Log2F32, single, 1, 27.6, math.Sqrt2/2 - 1, math.Sqrt2 - 1, logLess(math.Log2E), overLog(math.Ln2)},
		{"logF32.base10", exact.Log10F32, single, 1, 27.7, math.Sqrt2/2 - 1, math.Sqrt2 - 1, logLess(math.Log10E), overLog(math.Ln10)},
		{"logC64", exact.LogF64, double, 0, 59.4, 0, 0.1717 * 0.1717, atanhTail, overAtanhTail},
		{"log1pC64", exact.Log1pF64, double, 0, 62.6, 0, 0.2001 * 0.2001, atanhTail, overAtanhTail},
		{"erfF32.near", exact.ErfNearF32, single, 0, 29.3, 0, 1, erfNear, overErf},
		{"erfF32.far", exact.ErfFarF32, single, 0, 26.2, -0.501, 2.45, erfcRoot(2), overErfcRoot(2)},
		{"erfF64.far", exact.ErfFarF64, double, 0, 58.2, -0.501, 4.45, erfcRoot(4), overErfcRoot(4)},
		{"tanhNear32", exact.TanhNearF32, single, 0, 27.1, 0, 0.65 * 0.65, tanhNear, overTanh},
	} {
		if !long.Turn(i, 0) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := newMinimax(c.lo, c.hi, c.g, c.w)
			got, worst := m.coefficients(len(c.table)-1, rounded(c.table[:c.given], c.round), c.round)
			if bits := -math.Log2(worst); bits < c.bits {
				t.Errorf("an error of 2^−%.2f, above 2^−%v", bits, c.bits)
			}
			if want := rounded(c.table, c.round); !slices.Equal(got, want) {
				var s strings.Builder
				for _, v := range got {
					if c.round(0.1) == 0.1 {
						fmt.Fprintf(&s, "%v, ", v)
					} else {
						fmt.Fprintf(&s, "%v, ", float32(v))
					}
				}
				t.Errorf("the coefficients are (error 2^−%.2f)\n%s", -math.Log2(worst), s.String())
			}
		})
	}
}

func rounded(c []float64, round func(float64) float64) []float64 {
	r := make([]float64, len(c))
	for i, v := range c {
		r[i] = round(v)
	}
	return r
}

func refExp2r(x *big.Float) *big.Float { return refExp(ldexp(x, 1)) }

// Weights that turn an error into a relative one of the function.

func over(f func(x *big.Float) *big.Float) func(x *big.Float) *big.Float {
	return func(x *big.Float) *big.Float { return quo(bigOf(1), f(x)) }
}

var overExp, overExp2, overExp2r = over(refExp), over(refExp2), over(refExp2r)

// logTail is (log(1+x) − x)/x².
func logTail(x *big.Float) *big.Float { return quo(sub(refLog1p(x), x), mul(x, x)) }

func overLogTail(x *big.Float) *big.Float { return quo(mul(x, x), refLog1p(x)) }

// logLess is log(1+x)/x of a base, less the logarithm of e as it is rounded to float32; e is that logarithm.
func logLess(e float64) func(x *big.Float) *big.Float {
	scale := quo(bigOf(1), refLn2)
	if e == math.Log10E {
		scale = quo(bigOf(1), refLn10)
	}
	return func(x *big.Float) *big.Float {
		return sub(quo(mul(refLog1p(x), scale), x), bigOf(float64(float32(e))))
	}
}

// overLog turns an error of logLess into a relative one of the logarithm; b is the natural logarithm of its base.
func overLog(b float64) func(x *big.Float) *big.Float {
	return func(x *big.Float) *big.Float { return mul(bigOf(b), quo(x, refLog1p(x))) }
}

// atanhTail is (2·atanh s/s − 2)/s² for s² = x.
func atanhTail(x *big.Float) *big.Float {
	s := root(x)
	return quo(sub(quo(twoAtanh(s), s), bigOf(2)), x)
}

func overAtanhTail(x *big.Float) *big.Float { s := root(x); return quo(mul(x, s), twoAtanh(s)) }

func twoAtanh(s *big.Float) *big.Float {
	return refLog1p(quo(ldexp(s, 1), sub(bigOf(1), s)))
}

// erfNear is erf s/s − 1 for s² = x.
func erfNear(x *big.Float) *big.Float { s := root(x); return sub(quo(refErf(s), s), bigOf(1)) }

func overErf(x *big.Float) *big.Float { s := root(x); return quo(s, refErf(s)) }

// erfcRoot is the n-th root of erfc(3/2 + v), n being 2 or 4.
func erfcRoot(n int) func(v *big.Float) *big.Float {
	return func(v *big.Float) *big.Float {
		q := sub(bigOf(1), refErf(add(v, bigOf(1.5))))
		for k := n; k > 1; k /= 2 {
			q = root(q)
		}
		return q
	}
}

// overErfcRoot turns an error of the root into one of erf.
func overErfcRoot(n int) func(v *big.Float) *big.Float {
	q := erfcRoot(n)
	return func(v *big.Float) *big.Float {
		w := bigOf(float64(n))
		for range n - 1 {
			w = mul(w, q(v))
		}
		return w
	}
}

// tanhNear is (tanh s/s − 1)/s² for s² = x.
func tanhNear(x *big.Float) *big.Float {
	s := root(x)
	return quo(sub(quo(refTanh(s), s), bigOf(1)), x)
}

func overTanh(x *big.Float) *big.Float { s := root(x); return quo(mul(x, s), refTanh(s)) }
