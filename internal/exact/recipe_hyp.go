package exact

import (
	"math"

	"github.com/govyre/vyre/ir"
)

// sinh, cosh, tanh. With |x| = n·ln 2 + r as for exp,
//
//	2·sinh x = (2ⁿ − 2⁻ⁿ)·cosh r + (2ⁿ + 2⁻ⁿ)·sinh r
//
// so sinh near 0, where n = 0, is a polynomial. cosh is e^|x|/2 and its reciprocal, as nothing cancels there.

type hypSet struct {
	s       []float64 // (sinh r/r − 1)/r² in r²
	c       []float64 // (cosh r − 1)/r² in r²
	max     float64   // sinh and cosh are ∞ from here on, and eˣ/4 is finite
	tiny    float64   // below it, sinh x and tanh x round to x
	tanhOne float64   // tanh rounds to 1 above
}

var hypF32 = hypSet{
	// |r| ≤ 0.3468: absolute errors of sinh r/r and cosh r below 2⁻²⁶ and 2⁻³³
	s:   []float64{0.1666654199, 0.008366717957},
	c:   []float64{0.5, 0.04166645929, 0.001393543207},
	max: 89.5, tiny: 0x1p-13, tanhOne: 10,
}

var hypF64 = hypSet{
	// |r| ≤ 0.3468: errors below 2⁻⁶¹, 2⁻⁷⁰
	s: []float64{0.16666666666666677, 0.008333333333321386, 0.00019841269886813637, 2.755724345816323e-06,
		2.5109316673861245e-08},
	c: []float64{0.5, 0.041666666666666685, 0.0013888888888873283, 2.480158734920221e-05, 2.755725181948431e-07,
		2.092177003687233e-09},
	max: 710.6, tiny: 0x1p-27, tanhOne: 19.07,
}

func hypOf(t ir.Type) *hypSet {
	if t == ir.F32 {
		return &hypF32
	}
	return &hypF64
}

// recipeSinh adds the parts in quarters, since 2ⁿ can overflow where half of it does not. minus + plus·r cancels for n = 1:
// by half at most, and its rounding and that of r then count an ulp together, before the last one.
func recipeSinh(e *Emitter, t ir.Type, x, _ Ref) Ref {
	f, k := formatOf(t), hypOf(t)
	word, r := e.expReduce(t, e.atMost(t, e.Abs(t, x), k.max))
	z := e.Mul(t, r, r)
	s := e.Mul(t, e.Mul(t, r, z), e.horner(t, z, k.s)) // sinh r − r
	c := e.Mul(t, z, e.horner(t, z, k.c))              // cosh r − 1
	up := e.pow2(t, word, -2)
	// From n = 100 on 2⁻ⁿ is nothing beside 2ⁿ; its exponent must stay normal.
	word = e.Min(f.unsigned, word, e.Bits(f.unsigned, f.magicBits+100))
	quarter := e.Bits(f.unsigned, f.one-2<<f.mantissa)
	down := e.Bitcast(t, f.unsigned, e.Sub(f.unsigned, quarter, e.atExponent(t, word)))
	plus, minus := e.Add(t, up, down), e.Sub(t, up, down)

	rest := e.Mul(t, plus, s)
	if t == ir.F64 {
		// What the rounding of minus lost. In f32 no argument needs it.
		rest = e.Fma(t, plus, s, e.Sub(t, e.Sub(t, up, minus), down))
	}
	y := e.Add(t, e.Fma(t, plus, r, minus), e.Fma(t, minus, c, rest))
	return e.keepIfSmall(t, x, k.tiny, e.Copysign(t, e.Add(t, y, y), x))
}

// recipeCosh has a quarter of e^|x|, for the same reason, and adds a sixteenth of the reciprocal. From 2⁶⁰ on that is nothing,
// and kept from overflowing.
func recipeCosh(e *Emitter, t ir.Type, x, _ Ref) Ref {
	word, r := e.expReduce(t, e.atMost(t, e.Abs(t, x), hypOf(t).max))
	y := e.Mul(t, e.horner(t, r, expOf(t).exp), e.pow2(t, word, -2))
	y = e.Fma(t, e.reciprocal(t, e.atMost(t, y, 0x1p60)), e.Float(t, 1.0/16), y)
	return e.Add(t, y, y)
}

func recipeTanh(e *Emitter, t ir.Type, x, _ Ref) Ref {
	if t == ir.F32 {
		return e.tanh32(x)
	}
	return e.tanh64(x)
}

var (
	// (tanh x/x − 1)/x² in x², |x| ≤ 0.65: relative error of tanh below 2⁻²⁷
	tanhNear32 = []float64{-0.3333326, 0.13330829, -0.053687904, 0.020469, -0.00551468}
	// e^2r, |2r| ≤ 0.3468: relative error below 2⁻²³
	tanhExp32 = []float64{1, 1.9999994, 1.9999659, 1.333412, 0.67037153, 0.2652627}
)

// tanh32 is a polynomial up to 0.65, and 1 − 2/(1 + e^2|x|) beyond, where the error of e^2|x| counts less than half.
func (e *Emitter) tanh32(x Ref) Ref {
	t := ir.F32
	ax := e.Abs(t, x)
	z := e.Mul(t, x, x)
	near := e.Fma(t, ax, e.Mul(t, z, e.horner(t, z, tanhNear32)), ax)

	v := e.atMost(t, ax, hypF32.tanhOne)
	n, word := e.nearest(t, v, 2*math.Log2E)
	r := e.Fma(t, n, e.Float(t, -math.Ln2/2), v)
	d := e.Add(t, e.timesPow2(t, e.horner(t, r, tanhExp32), word), e.Float(t, 1))
	far := e.Fma(t, e.reciprocal(t, d), e.Float(t, -2), e.Float(t, 1))
	return e.Copysign(t, e.Select(t, e.Lt(t, e.Float(t, 0.65), ax), far, near), x)
}

// tanh64 is h/(1 + h) where h is half of e^(2|x|) − 1, as hi + lo in both places.
func (e *Emitter) tanh64(x Ref) Ref {
	t, k := ir.F64, &hypF64
	one := e.Float(t, 1)
	ax := e.Abs(t, x)
	h, l := e.expm1Half(t, e.Add(t, ax, ax))
	h, l = e.fastTwoSum(t, h, l)
	d, dl := e.fastTwoSum(t, e.Max(t, one, h), e.Min(t, one, h))
	rcp := e.Div(t, one, d)
	q := e.Mul(t, h, rcp)
	rest := e.Fma(t, e.Neg(t, q), d, h)
	rest = e.Add(t, rest, e.Fma(t, e.Neg(t, q), e.Add(t, dl, l), l))
	y := e.Fma(t, rest, rcp, q)
	y = e.Select(t, e.Lt(t, e.Float(t, k.tanhOne), ax), one, y)
	return e.keepIfSmall(t, x, k.tiny, e.Copysign(t, y, x))
}
