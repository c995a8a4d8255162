package exact

import (
	"math"

	"github.com/govyre/vyre/ir"
)

// asin, acos, atan, atan2: odd polynomials on the part of the range next to 0, and the
// usual identities for the rest. π/2 is used as hi + lo.

type arcSet struct {
	pi2Lo float64   // π/2 less its rounding to the format
	asin  []float64 // (asin y/y − 1)/y² in y²
	atan  []float64 // (atan y/y − 1)/y² in y²
}

var arcF32 = arcSet{
	pi2Lo: -4.371138828673793e-08,
	// |y| ≤ 0.5001: error below 2⁻³¹·⁶
	asin: []float64{0.166666597, 0.0750052109, 0.0445136316, 0.0318361223, 0.014328789, 0.0376739055},
	// |y| ≤ 1: error below 2⁻²⁸, and the sixth such that atan 1 rounds to π/4
	atan: []float64{-0.333332986, 0.199985296, -0.142640144, 0.109508611, -0.0839921162, 0.0578790754, -0.0310939215,
		0.0108665917, -0.00178224093},
}

var arcF64 = arcSet{
	pi2Lo: 6.123233995736766e-17,
	// |y| ≤ 0.5001: error below 2⁻⁵⁹·⁸
	asin: []float64{0.16666666666666763, 0.07499999999970118, 0.044642857175271625, 0.030381942675849375,
		0.022372215892164638, 0.01735159571758968, 0.013981016187257085, 0.01139731063225426, 0.010789229913345388,
		0.00367250679763664, 0.021789911896986685, -0.021115737437086078, 0.032701580612071034},
	// |y| ≤ 1: error below 2⁻⁵⁹·⁵
	atan: []float64{-0.33333333333333287, 0.19999999999990614, -0.14285714285044665, 0.1111111108665708,
		-0.09090908550677965, 0.07692299749688482, -0.06666584023220387, 0.05881717919252059, -0.05259441675184013,
		0.047449533807822096, -0.042864647089044285, 0.03821163837755032, -0.032788084024913434, 0.02615520101260143,
		-0.018617887555253527, 0.011320630668312858, -0.005614211722951275, 0.0021524052851625863,
		-0.0005931457515632296, 0.000103919962231493, -8.658453785898603e-06},
}

func arcOf(t ir.Type) *arcSet {
	if t == ir.F32 {
		return &arcF32
	}
	return &arcF64
}

// asinParts gives y and p with asin y = y + p, for y = x up to ½, and beyond for
// y = √((1−|x|)/2), of which asin |x| = π/2 − 2·asin y.
func (e *Emitter) asinParts(t ir.Type, x Ref) (big, y, p Ref) {
	half := e.Float(t, 0.5)
	ax := e.Abs(t, x)
	big = e.Lt(t, half, ax)
	z := e.Select(t, big, e.Mul(t, half, e.Sub(t, e.Float(t, 1), ax)), e.Mul(t, x, x))
	y = e.Select(t, big, e.Sqrt(t, z), x)
	return big, y, e.Mul(t, e.Mul(t, y, z), e.horner(t, z, arcOf(t).asin))
}

func recipeAsin(e *Emitter, t ir.Type, x, _ Ref) Ref {
	big, y, p := e.asinParts(t, x)
	near0 := e.Add(t, y, p)
	// π/2 − 2·y − 2·p, with half of the low part of π/2 taken off p
	minus2 := e.Float(t, -2)
	hi, err := e.fastTwoSum(t, e.Float(t, math.Pi/2), e.Mul(t, minus2, y))
	p = e.Sub(t, p, e.Float(t, arcOf(t).pi2Lo/2))
	near1 := e.Add(t, hi, e.Fma(t, minus2, p, err))
	return e.Select(t, big, e.Copysign(t, near1, x), near0)
}

func recipeAcos(e *Emitter, t ir.Type, x, _ Ref) Ref {
	big, y, p := e.asinParts(t, x)
	near1 := e.Add(t, y, p)
	rest := e.Sub(t, e.Float(t, math.Pi/2), e.Add(t, y, e.Sub(t, p, e.Float(t, arcOf(t).pi2Lo))))
	half := e.Select(t, e.Lt(t, x, e.Float(t, 0)), rest, near1)
	return e.Select(t, big, e.Add(t, half, half), rest)
}

// atanParts gives p with atan y = y + p, |y| ≤ 1.
func (e *Emitter) atanParts(t ir.Type, y Ref) Ref {
	z := e.Mul(t, y, y)
	return e.Mul(t, e.Mul(t, y, z), e.horner(t, z, arcOf(t).atan))
}

func recipeAtan(e *Emitter, t ir.Type, x, _ Ref) Ref {
	one := e.Float(t, 1)
	ax := e.Abs(t, x)
	big := e.Lt(t, one, ax)
	y := e.Select(t, big, e.Div(t, one, ax), ax)
	p := e.atanParts(t, y)
	rest := e.Sub(t, e.Float(t, math.Pi/2), e.Add(t, y, e.Sub(t, p, e.Float(t, arcOf(t).pi2Lo))))
	return e.Copysign(t, e.Select(t, big, rest, e.Add(t, y, p)), x)
}

// recipeAtan2 has the quotient of the lesser by the greater magnitude, turned into the
// octant that the comparison and the signs name. Both infinite counts as a quotient of
// 1, both zero as 0.
func recipeAtan2(e *Emitter, t ir.Type, y, x Ref) Ref {
	k, bits := arcOf(t), formatOf(t).signed
	zero := e.Float(t, 0)
	ax, ay := e.Abs(t, x), e.Abs(t, y)
	steep := e.Lt(t, ax, ay)
	num := e.Select(t, steep, ax, ay)
	den := e.Select(t, steep, ay, ax)
	q := e.Select(t, e.Eq(t, num, den), e.Float(t, 1), e.Div(t, num, den))
	q = e.Select(t, e.Eq(t, den, zero), num, q) // num is 0 then, or a NaN
	p := e.atanParts(t, q)

	// base ± (q + p): base is 0, π/2 or π; the sign is − if one of steep and x < 0 holds.
	sign := e.Lt(bits, e.Bitcast(bits, t, x), e.Bits(bits, 0))
	turn := e.Ne(ir.Bool, steep, sign)
	hi := e.Select(t, steep, e.Float(t, math.Pi/2), e.Select(t, sign, e.Float(t, math.Pi), zero))
	lo := e.Select(t, steep, e.Float(t, k.pi2Lo), e.Select(t, sign, e.Float(t, 2*k.pi2Lo), zero))
	q = e.Select(t, turn, e.Neg(t, q), q)
	p = e.Select(t, turn, e.Neg(t, p), p)
	hi, err := e.fastTwoSum(t, hi, q)
	r := e.Add(t, hi, e.Add(t, err, e.Add(t, p, lo)))
	return e.Copysign(t, r, y)
}
