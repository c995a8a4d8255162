package exact

import (
	"math"

	"github.com/govyre/vyre/ir"
)

// pow: 2^(y·log2 |x|). The logarithm and the product are kept as hi + lo, since y can be
// large: the exponent has to be right to a fraction of an ulp of 1 although it may be
// as large as the format's greatest exponent. Both formats use the same steps; in f32 they
// are cheaper on most devices than half as many in f64.

type powSet struct {
	third  float64   // 1/3 less its rounding to the format
	c      []float64 // (atanh s/s − 1 − s²/3)/s⁴ in s²
	twoEHi float64   // 2·log2 e
	twoELo float64
	max    float64 // 2ᵛ is ∞ above
	min    float64 // 2ᵛ is 0 below
}

var powF32 = powSet{
	third: -9.934107758624577e-09,
	// |s| ≤ 0.1717: error of the log below 2⁻³⁶·⁷
	c:      []float64{0.200000763, 0.142735451, 0.117098227},
	twoEHi: 2 * math.Log2E, twoELo: 3.851926067000022e-08,
	max: 129, min: -151,
}

var powF64 = powSet{
	third: 1.850371707708594e-17,
	// |s| ≤ 0.1717: error of the log below 2⁻⁷³
	c: []float64{0.1999999999999999, 0.14285714285721926, 0.11111111108892642, 0.09090909422345016,
		0.07692279186658561, 0.06668133427619347, 0.058378645200013804, 0.0599110532065345},
	twoEHi: 2 * math.Log2E, twoELo: 4.0710547481862066e-17,
	max: 1025, min: -1076,
}

func powOf(t ir.Type) *powSet {
	if t == ir.F32 {
		return &powF32
	}
	return &powF64
}

func recipePow(e *Emitter, t ir.Type, x, y Ref) Ref {
	f := formatOf(t)
	bits := e.Bitcast(f.unsigned, t, x)
	plain := e.Lt(f.unsigned, e.Sub(f.unsigned, bits, e.Bits(f.unsigned, 1)), e.Bits(f.unsigned, f.minusOne))
	ax := e.Abs(t, x)
	p := e.powPositive(t, ax, y)
	// 1 to any power, be it infinite or a NaN.
	p = e.Select(t, e.Eq(t, ax, e.Float(t, 1)), e.Float(t, 1), p)
	return e.If(t, plain, func() Ref { return p }, func() Ref { return e.powRest(t, x, y, p) })
}

// powRest is for x that is not positive and finite; p is |x|^y if x is finite.
func (e *Emitter) powRest(t ir.Type, x, y, p Ref) Ref {
	signed := formatOf(t).signed
	zero, inf, nan := e.Float(t, 0), e.Float(t, math.Inf(1)), e.Float(t, math.NaN())
	ax := e.Abs(t, x)

	// |x| = 0 and |x| = ∞: the result is one of the two, whichever the sign of y says.
	isZero, isInf := e.Eq(t, ax, zero), e.Eq(t, ax, inf)
	down := e.Lt(t, y, zero)
	p = e.Select(t, isZero, e.Select(t, down, inf, zero), p)
	p = e.Select(t, isInf, e.Select(t, down, zero, inf), p)

	// An odd y keeps the sign; another that is no integer leaves no real result. All
	// large numbers and the infinities are even integers here.
	half := e.Mul(t, y, e.Float(t, 0.5))
	whole := e.Eq(t, e.Rint(t, y), y)
	odd := e.And(ir.Bool, whole, e.Ne(t, e.Rint(t, half), half))
	negative := e.Lt(signed, e.Bitcast(signed, t, x), e.Bits(signed, 0))
	p = e.Select(t, e.And(ir.Bool, negative, odd), e.Neg(t, p), p)
	noReal := e.And(ir.Bool, e.Not(ir.Bool, whole), e.And(ir.Bool, e.Lt(t, x, zero), e.Not(ir.Bool, isInf)))
	p = e.Select(t, noReal, nan, p)

	// A NaN goes through, but not past an exponent of 0.
	p = e.Select(t, e.Ne(t, x, x), x, p)
	p = e.Select(t, e.Ne(t, y, y), y, p)
	return e.Select(t, e.Eq(t, y, zero), e.Float(t, 1), p)
}

// powPositive is x^y for positive finite x other than 1.
func (e *Emitter) powPositive(t ir.Type, x, y Ref) Ref {
	k := powOf(t)
	hi, lo := e.log2Pair(t, x)
	v, err := e.twoProd(t, hi, y)
	err = e.Fma(t, lo, y, err)
	n, word := e.nearest(t, v, 1)
	// err can be as large as an ulp of the greatest exponent.
	r := e.Add(t, e.Sub(t, v, n), err)
	return e.clip(t, v, k.min, k.max, e.scale(t, e.horner(t, r, expOf(t).exp2), word))
}

// clip is r, but 0 where v < min and ∞ where v > max.
func (e *Emitter) clip(t ir.Type, v Ref, min, max float64, r Ref) Ref {
	r = e.Select(t, e.Lt(t, v, e.Float(t, min)), e.Float(t, 0), r)
	return e.Select(t, e.Lt(t, e.Float(t, max), v), e.Float(t, math.Inf(1)), r)
}

// log2Pair is log2 x with an error near u²: k + 2/ln 2 · atanh s, s = (m−1)/(m+1).
func (e *Emitter) log2Pair(t ir.Type, x Ref) (hi, lo Ref) {
	c := powOf(t)
	k, f := e.logReduce(t, x)

	// s = f/(2+f). The denominator has one bit too many.
	two := e.Float(t, 2)
	d := e.Add(t, two, f)
	dLo := e.Sub(t, f, e.Sub(t, d, two))
	rcp := e.reciprocal(t, d)
	s := e.Mul(t, f, rcp)
	rest := e.Fma(t, e.Neg(t, s), d, f)
	rest = e.Fma(t, e.Neg(t, s), dLo, rest)
	sLo := e.Mul(t, rest, rcp)

	// z = s²
	z, zLo := e.twoProd(t, s, s)
	zLo = e.Fma(t, e.Add(t, s, s), sLo, zLo)
	// a = 1/3 + z·c(z)
	a, aLo := e.fastTwoSum(t, e.Float(t, 1.0/3), e.Mul(t, z, e.horner(t, z, c.c)))
	aLo = e.Add(t, aLo, e.Float(t, c.third))
	// s + s·(z·a)
	b, bLo := e.twoProd(t, z, a)
	bLo = e.Fma(t, z, aLo, e.Fma(t, zLo, a, bLo))
	g, gLo := e.twoProd(t, s, b)
	gLo = e.Fma(t, s, bLo, e.Fma(t, sLo, b, gLo))
	l, lLo := e.fastTwoSum(t, s, g)
	lLo = e.Add(t, lLo, e.Add(t, sLo, gLo))
	// k + 2·log2 e · l
	twoE := e.Float(t, c.twoEHi)
	p, pLo := e.twoProd(t, l, twoE)
	pLo = e.Fma(t, lLo, twoE, e.Fma(t, l, e.Float(t, c.twoELo), pLo))
	hi, lo = e.fastTwoSum(t, k, p)
	return hi, e.Add(t, lo, pLo)
}
