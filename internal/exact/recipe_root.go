package exact

import (
	"math"

	"github.com/govyre/vyre/ir"
)

// rsqrt, cbrt, hypot.

func recipeRsqrt(e *Emitter, t ir.Type, x, _ Ref) Ref {
	return e.Div(t, e.Float(t, 1), e.Sqrt(t, x))
}

type rootSet struct {
	third uint64 // a word of 01 pairs, plus 1: multiplying by it divides by 3 in the upper half
	guess uint64 // bits of the first guess less a third of the bits of x

	cbrtLow, cbrtUp, cbrtDown           float64 // below cbrtLow, x·cbrtUp; the root, ·cbrtDown
	hypotHigh, hypotDown, hypotDownBack float64 // above hypotHigh, ·hypotDown
	hypotLow, hypotUp, hypotUpBack      float64 // below hypotLow, ·hypotUp
}

var rootF32 = rootSet{
	third: 0x5555_5556, guess: 0x54A2_DAAA,
	cbrtLow: 0x1p-60, cbrtUp: 0x1p48, cbrtDown: 0x1p-16,
	hypotHigh: 0x1p62, hypotDown: 0x1p-70, hypotDownBack: 0x1p70,
	hypotLow: 0x1p-50, hypotUp: 0x1p100, hypotUpBack: 0x1p-100,
}

var rootF64 = rootSet{
	third: 0x5555_5555_5555_5556, guess: 0x553F_0600_0000_0000,
	cbrtLow: 0x1p-700, cbrtUp: 0x1p300, cbrtDown: 0x1p-100,
	hypotHigh: 0x1p510, hypotDown: 0x1p-600, hypotDownBack: 0x1p600,
	hypotLow: 0x1p-450, hypotUp: 0x1p700, hypotUpBack: 0x1p-700,
}

func rootOf(t ir.Type) *rootSet {
	if t == ir.F32 {
		return &rootF32
	}
	return &rootF64
}

// recipeCbrt looks for z = x^(−1/3), which needs no division, and has the root as x·z².
// Dividing the bits of x by −3 divides its logarithm, nearly: W. Kahan, K. C. Ng,
// "Cube root", 1986, for the positive third. The guess has 1 − x·z³ within 0.12; each
// step (A. S. Householder's third-order iteration) raises it to the fourth power.
func recipeCbrt(e *Emitter, t ir.Type, x, _ Ref) Ref {
	k, u := rootOf(t), t.Unsigned()
	ax := e.Abs(t, x)
	low := e.Lt(t, ax, e.Float(t, k.cbrtLow))
	v := e.Select(t, low, e.Mul(t, ax, e.Float(t, k.cbrtUp)), ax)
	thirds := e.MulHi(u, e.Bitcast(u, t, v), e.Bits(u, k.third))
	z := e.Bitcast(t, u, e.Sub(u, e.Bits(u, k.guess), thirds))
	for range 2 {
		// z·(1−d)^(−1/3) for d = 1 − v·z³
		d := e.Fma(t, e.Neg(t, e.Mul(t, v, z)), e.Mul(t, z, z), e.Float(t, 1))
		s := e.Fma(t, d, e.Fma(t, d, e.Float(t, 14.0/81), e.Float(t, 2.0/9)), e.Float(t, 1.0/3))
		z = e.Fma(t, e.Mul(t, z, d), s, z)
	}
	zz := e.Mul(t, z, z)
	y := e.Mul(t, v, zz)
	// A Newton step with the exact remainder of y³.
	yy, yyLo := e.twoProd(t, y, y)
	rest := e.Fma(t, e.Neg(t, yy), y, v)
	rest = e.Fma(t, e.Neg(t, yyLo), y, rest)
	y = e.Fma(t, rest, e.Mul(t, zz, e.Float(t, 1.0/3)), y)
	y = e.Mul(t, y, e.Select(t, low, e.Float(t, k.cbrtDown), e.Float(t, 1)))
	y = e.Select(t, e.Lt(t, ax, e.Float(t, math.Inf(1))), y, ax)
	return e.Copysign(t, y, x)
}

// recipeHypot is √(a²+b²) with the sum rounded once, in a range where nothing in it
// overflows, and what underflows does not count.
func recipeHypot(e *Emitter, t ir.Type, x, y Ref) Ref {
	k := rootOf(t)
	inf := e.Float(t, math.Inf(1))
	ax, ay := e.Abs(t, x), e.Abs(t, y)
	// Not min and max: they would lose a NaN.
	less := e.Lt(t, ax, ay)
	a, b := e.Select(t, less, ay, ax), e.Select(t, less, ax, ay)

	high, low := e.Lt(t, e.Float(t, k.hypotHigh), a), e.Lt(t, a, e.Float(t, k.hypotLow))
	one := e.Float(t, 1)
	in := e.Select(t, high, e.Float(t, k.hypotDown), e.Select(t, low, e.Float(t, k.hypotUp), one))
	back := e.Select(t, high, e.Float(t, k.hypotDownBack), e.Select(t, low, e.Float(t, k.hypotUpBack), one))
	sa, sb := e.Mul(t, a, in), e.Mul(t, b, in)

	aa, aaLo := e.twoProd(t, sa, sa)
	bb, bbLo := e.twoProd(t, sb, sb)
	s, err := e.fastTwoSum(t, aa, bb)
	s = e.Add(t, s, e.Add(t, err, e.Add(t, aaLo, bbLo)))
	r := e.Mul(t, e.Sqrt(t, s), back)

	r = e.Select(t, e.Eq(t, ax, inf), inf, r)
	return e.Select(t, e.Eq(t, ay, inf), inf, r)
}
