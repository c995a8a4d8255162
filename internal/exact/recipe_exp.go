package exact

import (
	"math"

	"github.com/govyre/vyre/ir"
)

// exp, exp2: x = n·ln 2 + r, or x = n + r, with an integer n, so that eˣ = 2ⁿ·eʳ (P. T. P. Tang, "Table-driven
// implementation of the exponential function in IEEE floating-point arithmetic", 1989, without the table). Of eʳ = 1 + r·q
// the last step is one fma, and |r| is so small that the errors of r and q count a fifth of an ulp each.
//
// expm1 keeps r as hi + lo, since eʳ − 1 has to be right too.

type expSet struct {
	ln2Lo    float64   // ln 2 less its rounding to the format
	exp      []float64 // eʳ
	exp2     []float64 // 2ʳ
	q        []float64 // (eʳ − 1 − r)/r²
	tiny     float64   // below it, eˣ − 1 rounds to x
	min, max float64   // eˣ rounds to 0 at min and below, to ∞ at max and above
	min2     float64   // the same for 2ˣ
	max2     float64
	minusOne float64 // eˣ − 1 rounds to −1 from here down
}

var expF32 = expSet{
	ln2Lo: -1.904654299957768e-09,
	// |r| ≤ 0.3468: relative error below 2⁻²⁸·²
	exp: []float64{1, 1, 0.4999999404, 0.1666652113, 0.04166826606, 0.008368674666, 0.001382061047},
	// |r| ≤ 0.5002: relative error below 2⁻²⁸·³
	exp2: []float64{1, 0.6931471825, 0.2402264774, 0.05550359562, 0.009618500248, 0.00133909937, 0.0001532922615},
	// |r| ≤ 0.3468: error of eʳ below 2⁻³¹
	q:    []float64{0.5, 0.166666478, 0.0416664816, 0.00833785441, 0.00139332726, 0.000173450579},
	tiny: 0x1p-25, min: -104, max: 89, min2: -151, max2: 129, minusOne: -18,
}

var expF64 = expSet{
	ln2Lo: 2.3190468138462996e-17,
	// |r| ≤ 0.3468: relative error below 2⁻⁵⁷·⁹
	exp: []float64{1, 1, 0.5000000000000011, 0.16666666666666458, 0.04166666666652833, 0.008333333333474026,
		0.0013888888943889193, 0.00019841269540133238, 2.480149293129536e-05, 2.755756251753244e-06,
		2.7630291871743013e-07, 2.5006299977397034e-08},
	// |r| ≤ 0.5002: relative error below 2⁻⁵⁷·⁷
	exp2: []float64{1, 0.6931471805599453, 0.2402265069591011, 0.05550410866482182, 0.0096181291076009,
		0.0013333558146524536, 0.0001540353044969261, 1.5252733651745826e-05, 1.321543856960366e-06,
		1.0178153749692291e-07, 7.073272756030838e-09, 4.439684363176928e-10},
	// |r| ≤ 0.3468: error of eʳ below 2⁻⁶³·⁵
	q: []float64{0.5, 0.16666666666666688, 0.041666666666666824, 0.008333333333313892, 0.0013888888888778344,
		0.00019841269903365214, 2.4801587557076704e-05, 2.7557228694632508e-06, 2.7557070961863406e-07,
		2.5113926091300353e-08, 2.09762934409369e-09},
	tiny: 0x1p-54, min: -746, max: 710, min2: -1076, max2: 1025, minusOne: -38,
}

func expOf(t ir.Type) *expSet {
	if t == ir.F32 {
		return &expF32
	}
	return &expF64
}

// expFirst gives n, also as a word, see nearest, and x − n·ln 2 with ln 2 rounded. That is exact: it is a multiple of the
// last place of x or ln 2 and no longer than the format.
func (e *Emitter) expFirst(t ir.Type, x Ref) (n, word, first Ref) {
	n, word = e.nearest(t, x, math.Log2E)
	return n, word, e.Fma(t, n, e.Float(t, -math.Ln2), x)
}

// expReduce gives n as a word and r.
func (e *Emitter) expReduce(t ir.Type, x Ref) (word, r Ref) {
	n, word, first := e.expFirst(t, x)
	return word, e.Fma(t, n, e.Float(t, -expOf(t).ln2Lo), first)
}

// expReducePair gives n as a word and r as hi + lo.
func (e *Emitter) expReducePair(t ir.Type, x Ref) (word, hi, lo Ref) {
	n, word, first := e.expFirst(t, x)
	ln2Lo := e.Float(t, -expOf(t).ln2Lo)
	hi = e.Fma(t, n, ln2Lo, first)
	return word, hi, e.Fma(t, n, ln2Lo, e.Sub(t, first, hi))
}

func recipeExp(e *Emitter, t ir.Type, x, _ Ref) Ref {
	k := expOf(t)
	word, r := e.expReduce(t, e.within(t, x, k.min, k.max))
	return e.scale(t, e.horner(t, r, k.exp), word)
}

func recipeExp2(e *Emitter, t ir.Type, x, _ Ref) Ref {
	k := expOf(t)
	x = e.within(t, x, k.min2, k.max2)
	n, word := e.nearest(t, x, 1)
	return e.scale(t, e.horner(t, e.Sub(t, x, n), k.exp2), word)
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
	word, hi, lo := e.expReducePair(t, x)
	tail := e.Fma(t, e.Mul(t, hi, hi), e.horner(t, hi, expOf(t).q), lo)
	half := e.Float(t, 0.5)
	s := e.pow2(t, word, -1)
	a := e.Sub(t, s, half)
	lost := e.Sub(t, e.Sub(t, s, a), half)
	h, l = e.fastTwoSum(t, a, e.Mul(t, s, hi))
	return h, e.Fma(t, s, tail, e.Add(t, l, lost))
}
