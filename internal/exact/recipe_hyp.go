package exact

import (
	"math"

	"github.com/govyre/vyre/ir"
)

// sinh, cosh, tanh. With |x| = n·ln 2 + r as for exp,
//
//	2·cosh x = (2ⁿ + 2⁻ⁿ)·cosh r + (2ⁿ − 2⁻ⁿ)·sinh r
//	2·sinh x = (2ⁿ − 2⁻ⁿ)·cosh r + (2ⁿ + 2⁻ⁿ)·sinh r
//
// so neither needs a division, and sinh near 0, where n = 0, is a polynomial.

type hypSet struct {
	s       []float64 // (sinh r/r − 1)/r² in r²
	c       []float64 // (cosh r − 1)/r² in r²
	max     float64   // sinh and cosh are ∞ above; 2ⁿ/4 is finite below
	tiny    float64   // below it, sinh x and tanh x round to x
	tanhOne float64   // tanh rounds to 1 above
}

var hypF32 = hypSet{
	// |r| ≤ 0.3468: errors below 2⁻³⁴, 2⁻³³
	s:   []float64{0.166666672, 0.00833317544, 0.000199740971},
	c:   []float64{0.5, 0.0416664593, 0.00139354263},
	max: 89.5, tiny: 0x1p-13, tanhOne: 9.02,
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

func recipeSinh(e *Emitter, t ir.Type, x, _ Ref) Ref {
	plus, minus, r, s, c := e.hypParts(t, x)
	y := e.hypSum(t, minus, plus, r, s, c)
	y = e.hypEnd(t, x, y)
	return e.keepIfSmall(t, x, hypOf(t).tiny, e.Copysign(t, y, x))
}

func recipeCosh(e *Emitter, t ir.Type, x, _ Ref) Ref {
	plus, minus, r, s, c := e.hypParts(t, x)
	return e.hypEnd(t, x, e.hypSum(t, plus, minus, r, s, c))
}

// hypParts gives (2ⁿ ± 2⁻ⁿ)/4, since 2ⁿ can overflow where half of it does not, and
// sinh |r| as r + s, cosh r as 1 + c.
func (e *Emitter) hypParts(t ir.Type, x Ref) (plus, minus, r, s, c Ref) {
	i, k := formatOf(t).signed, hypOf(t)
	n, r, lo := e.expReduce(t, e.Abs(t, x))
	z := e.Mul(t, r, r)
	s = e.Fma(t, e.Mul(t, r, z), e.horner(t, z, k.s), lo)
	c = e.Mul(t, z, e.horner(t, z, k.c))
	up := e.pow2(t, e.Sub(i, n, e.Bits(i, 2)))
	// 2⁻ⁿ/4. From n = 100 on it is nothing beside 2ⁿ; its exponent must stay normal.
	down := e.pow2(t, e.Sub(i, e.Bits(i, i.Mask()-1 /* −2 */), e.Min(i, n, e.Bits(i, 100))))
	return e.Add(t, up, down), e.Sub(t, up, down), r, s, c
}

// hypSum is 2·(a·(1 + c) + b·(r + s)); a + b·r cancels for n = 1 and keeps its error.
func (e *Emitter) hypSum(t ir.Type, a, b, r, s, c Ref) Ref {
	hi := e.Fma(t, b, r, a)
	lo := e.Fma(t, b, r, e.Sub(t, a, hi))
	y := e.Add(t, hi, e.Fma(t, a, c, e.Fma(t, b, s, lo)))
	return e.Add(t, y, y)
}

func (e *Emitter) hypEnd(t ir.Type, x, y Ref) Ref {
	over := e.Lt(t, e.Float(t, hypOf(t).max), e.Abs(t, x))
	return e.Select(t, over, e.Float(t, math.Inf(1)), y)
}

// recipeTanh is h/(1 + h) where h is half of e^(2|x|) − 1, as hi + lo in both places.
func recipeTanh(e *Emitter, t ir.Type, x, _ Ref) Ref {
	k := hypOf(t)
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
