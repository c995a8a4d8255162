package exact

import (
	"math"

	"github.com/govyre/vyre/ir"
)

// exp, exp2, expm1: x = n·ln 2 + r with an integer n and |r| ≤ ln 2 / 2, so that
// eˣ = 2ⁿ·eʳ (P. T. P. Tang, "Table-driven implementation of the exponential function in
// IEEE floating-point arithmetic", 1989, without the table). r is kept as hi + lo; the
// sum 1 + r is compensated, which leaves little more than the last rounding.

type expSet struct {
	ln2Lo    float64   // ln 2 less its rounding to the format
	q        []float64 // (eʳ − 1 − r)/r²
	q2       []float64 // (2ʳ − 1 − r·ln 2)/r²
	tiny     float64   // below it, eˣ − 1 rounds to x
	min, max float64   // eˣ is 0 below min, ∞ above max
	min2     float64   // the same for 2ˣ
	max2     float64
	minusOne float64 // eˣ − 1 rounds to −1 from here down
}

var expF32 = expSet{
	ln2Lo: -1.904654299957768e-09,
	// |r| ≤ 0.3468: error of eʳ below 2⁻³¹, as eʳ − 1 has to be right too
	q: []float64{0.5, 0.166666478, 0.0416664816, 0.00833785441, 0.00139332726, 0.000173450579},
	// |r| ≤ 0.5002: error of 2ʳ below 2⁻²⁸·²
	q2:   []float64{0.240226477, 0.0555036142, 0.00961848348, 0.00133906573, 0.000153387591},
	tiny: 0x1p-25, min: -104, max: 89, min2: -151, max2: 129, minusOne: -18,
}

var expF64 = expSet{
	ln2Lo: 2.3190468138462996e-17,
	// |r| ≤ 0.3468: error of eʳ below 2⁻⁶³·⁵
	q: []float64{0.5, 0.16666666666666688, 0.041666666666666824, 0.008333333333313892, 0.0013888888888778344,
		0.00019841269903365214, 2.4801587557076704e-05, 2.7557228694632508e-06, 2.7557070961863406e-07,
		2.5113926091300353e-08, 2.09762934409369e-09},
	// |r| ≤ 0.5002: error of 2ʳ below 2⁻⁶³·²
	q2: []float64{0.24022650695910072, 0.055504108664821646, 0.00961812910762787, 0.001333355814639929,
		0.0001540353039457022, 1.525273384962946e-05, 1.3215485804713273e-06, 1.0178053494199304e-07,
		7.055273510138644e-09, 4.4563742591996063e-10, 2.5209431051496427e-11},
	tiny: 0x1p-54, min: -746, max: 710, min2: -1076, max2: 1025, minusOne: -38,
}

func expOf(t ir.Type) *expSet {
	if t == ir.F32 {
		return &expF32
	}
	return &expF64
}

// expReduce gives n as a signed integer, and r = hi + lo. hi − n·ln 2 is exact in the
// first step: it is a multiple of the last place of x or ln 2 and no longer than the format.
func (e *Emitter) expReduce(t ir.Type, x Ref) (n, hi, lo Ref) {
	f, n := e.nearest(t, x, math.Log2E)
	r := e.Fma(t, f, e.Float(t, -math.Ln2), x)
	ln2Lo := e.Float(t, -expOf(t).ln2Lo)
	hi = e.Fma(t, f, ln2Lo, r)
	lo = e.Fma(t, f, ln2Lo, e.Sub(t, r, hi))
	return n, hi, lo
}

// expTail is what 1 + hi lacks to e^(hi+lo).
func (e *Emitter) expTail(t ir.Type, hi, lo Ref) Ref {
	return e.Fma(t, e.Mul(t, hi, hi), e.horner(t, hi, expOf(t).q), lo)
}

// clip is r, but 0 where x < min and ∞ where x > max.
func (e *Emitter) clip(t ir.Type, x Ref, min, max float64, r Ref) Ref {
	r = e.Select(t, e.Lt(t, x, e.Float(t, min)), e.Float(t, 0), r)
	return e.Select(t, e.Lt(t, e.Float(t, max), x), e.Float(t, math.Inf(1)), r)
}

func recipeExp(e *Emitter, t ir.Type, x, _ Ref) Ref {
	k := expOf(t)
	n, hi, lo := e.expReduce(t, x)
	p := e.onePlus(t, hi, e.expTail(t, hi, lo))
	return e.clip(t, x, k.min, k.max, e.scale(t, p, n))
}

func recipeExp2(e *Emitter, t ir.Type, x, _ Ref) Ref {
	k := expOf(t)
	f, n := e.nearest(t, x, 1)
	p := e.exp2Near0(t, e.Sub(t, x, f), e.Float(t, 0))
	return e.clip(t, x, k.min2, k.max2, e.scale(t, p, n))
}

// exp2Near0 is 2^(hi+lo) for |hi| ≤ ½.
func (e *Emitter) exp2Near0(t ir.Type, hi, lo Ref) Ref {
	k := expOf(t)
	ln2 := e.Float(t, math.Ln2)
	r, err := e.mulPair(t, hi, math.Ln2, k.ln2Lo)
	err = e.Fma(t, lo, ln2, err)
	return e.onePlus(t, r, e.Fma(t, e.Mul(t, hi, hi), e.horner(t, hi, k.q2), err))
}

func recipeExpm1(e *Emitter, t ir.Type, x, _ Ref) Ref {
	k := expOf(t)
	low := e.Float(t, k.minusOne)
	h, l := e.expm1Half(t, e.Select(t, e.Lt(t, x, low), low, x))
	r := e.Add(t, h, l)
	r = e.Add(t, r, r)
	r = e.Select(t, e.Lt(t, e.Float(t, k.max), x), e.Float(t, math.Inf(1)), r)
	return e.keepIfSmall(t, x, k.tiny, r)
}

// expm1Half is half of eˣ − 1 as a sum, as 2ⁿ alone can overflow where eˣ − 1 does not. With
// s = 2ⁿ⁻¹ it is (s − ½) + s·hi + s·tail; the large parts cancel, so they are added
// without error.
func (e *Emitter) expm1Half(t ir.Type, x Ref) (h, l Ref) {
	f := formatOf(t)
	n, hi, lo := e.expReduce(t, x)
	tail := e.expTail(t, hi, lo)
	half := e.Float(t, 0.5)
	s := e.pow2(t, e.Sub(f.signed, n, e.Bits(f.signed, 1)))
	a := e.Sub(t, s, half)
	lost := e.Sub(t, e.Sub(t, s, a), half)
	h, l = e.fastTwoSum(t, a, e.Mul(t, s, hi))
	return h, e.Fma(t, s, tail, e.Add(t, l, lost))
}
