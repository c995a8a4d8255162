package exact

import (
	"math"

	"github.com/govyre/vyre/ir"
)

// sin, cos, tan: x = q·π/2 + r with an integer q and |r| ≤ π/4. Arguments below a limit
// are reduced by subtracting q times the parts of π/2 (W. J. Cody, W. Waite, "Software
// Manual for the Elementary Functions", 1980, here with fma), larger ones in recipe_reduce.go.

type trigSet struct {
	pi2Mid, pi2Lo float64   // π/2 less its rounding to the format, in two parts
	s             []float64 // (sin r/r − 1)/r² in r²
	c             []float64 // (cos r − 1 + r²/2)/r⁴ in r²
	t             []float64 // (tan r/r − 1)/r² in r²
	tiny          float64   // below it, sin x and tan x round to x

	// near limits the reduction by subtraction. Up to it, the error of q before rounding,
	// from 2/π, moves r past π/4 by less than the intervals of s, c and t allow.
	near float64
}

var trigF32 = trigSet{
	pi2Mid: -4.371138828673793e-08, pi2Lo: -1.7151245100058819e-15,
	// |r| ≤ 0.7885: errors below 2⁻²⁷·⁹, 2⁻³³, 2⁻²⁹
	s:    []float64{-0.166666552, 0.00833218638, -0.00019517589},
	c:    []float64{0.0416666456, -0.00138873013, 2.44306575e-05},
	t:    []float64{0.333333522, 0.13332577, 0.0540698655, 0.0212299395, 0.0109735923, -8.84135152e-05, 0.00446585799},
	tiny: 0x1p-13, near: 0x1p16,
}

var trigF64 = trigSet{
	pi2Mid: 6.123233995736766e-17, pi2Lo: -1.4973849048591698e-33,
	// |r| ≤ 0.7862: errors below 2⁻⁵⁷·⁹, 2⁻⁶⁴, 2⁻⁵⁹·⁸
	s: []float64{-0.16666666666666632, 0.008333333333322457, -0.00019841269829815102, 2.7557313688157876e-06,
		-2.5050756801168775e-08, 1.5896686537656698e-10},
	c: []float64{0.0416666666666666, -0.0013888888888874441, 2.4801587289636476e-05, -2.7557314387577303e-07,
		2.0875727081890406e-09, -1.1359804060155547e-11},
	t: []float64{0.3333333333333338, 0.13333333333325342, 0.053968253972903134, 0.021869488399321894,
		0.00886323792216781, 0.003592100887050536, 0.0014560454586608727, 0.0005888653318095363,
		0.00024374711740995692, 8.357310294999261e-05, 6.718710895510918e-05, -2.55766219557932e-05,
		4.8575997616579896e-05, -2.4237726496242124e-05, 9.789465231726718e-06},
	tiny: 0x1p-27, near: 0x1p20,
}

func trigOf(t ir.Type) *trigSet {
	if t == ir.F32 {
		return &trigF32
	}
	return &trigF64
}

func recipeSin(e *Emitter, t ir.Type, x, _ Ref) Ref {
	ax := e.Abs(t, x)
	return e.If(t, e.Lt(t, ax, e.Float(t, trigOf(t).near)), func() Ref {
		q, r, lo := e.reduceNear(t, x, t == ir.F64)
		y := e.sinQuadrant(t, q, r, lo)
		return e.Select(t, e.Lt(t, ax, e.Float(t, trigOf(t).tiny)), x, y)
	}, func() Ref {
		q, r, lo := e.reduceFar(t, x)
		return e.orNaN(t, x, e.sinQuadrant(t, q, r, lo))
	})
}

// recipeCos is the sine a quadrant further.
func recipeCos(e *Emitter, t ir.Type, x, _ Ref) Ref {
	u := t.Unsigned()
	return e.If(t, e.Lt(t, e.Abs(t, x), e.Float(t, trigOf(t).near)), func() Ref {
		q, r, lo := e.reduceNear(t, x, t == ir.F64)
		return e.sinQuadrant(t, e.Add(u, q, e.Bits(u, 1)), r, lo)
	}, func() Ref {
		q, r, lo := e.reduceFar(t, x)
		return e.orNaN(t, x, e.sinQuadrant(t, e.Add(u, q, e.Bits(u, 1)), r, lo))
	})
}

func recipeTan(e *Emitter, t ir.Type, x, _ Ref) Ref {
	ax := e.Abs(t, x)
	return e.If(t, e.Lt(t, ax, e.Float(t, trigOf(t).near)), func() Ref {
		q, r, lo := e.reduceNear(t, x, true)
		y := e.tanQuadrant(t, q, r, lo)
		return e.Select(t, e.Lt(t, ax, e.Float(t, trigOf(t).tiny)), x, y)
	}, func() Ref {
		q, r, lo := e.reduceFar(t, x)
		return e.orNaN(t, x, e.tanQuadrant(t, q, r, lo))
	})
}

// orNaN is y for finite x.
func (e *Emitter) orNaN(t ir.Type, x, y Ref) Ref {
	finite := e.Lt(t, e.Abs(t, x), e.Float(t, math.Inf(1)))
	return e.Select(t, finite, y, e.Float(t, math.NaN()))
}

// reduceNear gives q, an unsigned integer right in its low bits, and r. x − q·π/2 is exact
// with the leading part of π/2. Without lo the second step rounds to half an ulp of
// r, and the third moves that only where much has cancelled; that is enough for sin and
// cos in f32, and half as long.
func (e *Emitter) reduceNear(t ir.Type, x Ref, withLo bool) (q, r, lo Ref) {
	f, k := formatOf(t), trigOf(t)
	magic := e.Float(t, f.magic)
	m := e.Fma(t, x, e.Float(t, 2/math.Pi), magic)
	n := e.Sub(t, m, magic)
	q = e.Bitcast(f.unsigned, t, m)
	r = e.Fma(t, n, e.Float(t, -math.Pi/2), x)
	if !withLo {
		r = e.Fma(t, n, e.Float(t, -k.pi2Mid), r)
		return q, e.Fma(t, n, e.Float(t, -k.pi2Lo), r), e.Float(t, 0)
	}
	// r − n·pi2Mid is exact if the two cancel, and fastTwoSum catches the error if they
	// do not.
	w, err := e.twoProd(t, n, e.Float(t, -k.pi2Mid))
	hi, lo := e.fastTwoSum(t, r, w)
	lo = e.Fma(t, n, e.Float(t, -k.pi2Lo), e.Add(t, lo, err))
	hi, lo = e.fastTwoSum(t, hi, lo)
	return q, hi, lo
}

// sinQuadrant is the sine of q·π/2 + r + lo. In f32 it leaves lo out, at a cost of half an ulp.
func (e *Emitter) sinQuadrant(t ir.Type, q, r, lo Ref) Ref {
	k, u := trigOf(t), t.Unsigned()
	z := e.Mul(t, r, r)
	sin := e.horner(t, z, k.s)
	cos := e.Fma(t, z, e.horner(t, z, k.c), e.Float(t, -0.5))
	rz := e.Mul(t, r, z)
	if t == ir.F32 {
		sin = e.Fma(t, rz, sin, r)
		cos = e.Fma(t, z, cos, e.Float(t, 1))
	} else {
		sin = e.Add(t, r, e.Fma(t, rz, sin, lo))
		cos = e.Add(t, e.Float(t, 1), e.Fma(t, z, cos, e.Neg(t, e.Mul(t, r, lo))))
	}
	y := e.Select(t, e.bit(u, q, 1), cos, sin)
	return e.Select(t, e.bit(u, q, 2), e.Neg(t, y), y)
}

// bit tells whether a has a bit of mask.
func (e *Emitter) bit(u ir.Type, a Ref, mask uint64) Ref {
	return e.Ne(u, e.And(u, a, e.Bits(u, mask)), e.Bits(u, 0))
}

// tanQuadrant is tan r, or −1/tan r in odd quadrants; there tan r is kept as hi + lo.
func (e *Emitter) tanQuadrant(t ir.Type, q, r, rLo Ref) Ref {
	z := e.Mul(t, r, r)
	p := e.Fma(t, e.Mul(t, r, z), e.horner(t, z, trigOf(t).t), rLo)
	hi, lo := e.fastTwoSum(t, r, p)
	// One Newton step for c = −1/(hi + lo): c·(1 + (1 + c·hi) + c·lo).
	c := e.Div(t, e.Float(t, -1), hi)
	err := e.Fma(t, c, lo, e.Fma(t, c, hi, e.Float(t, 1)))
	cot := e.Fma(t, c, err, c)
	return e.Select(t, e.bit(t.Unsigned(), q, 1), cot, hi)
}
