package exact

import (
	"math"

	"github.com/govyre/vyre/ir"
)

// log, log2, log10, log1p: x = 2ᵏ·m with √½ ≤ m < √2, and with f = m − 1
//
//	log x = k·ln 2 + log(1+f)
//
// In f32 log(1+f) is rounded once before the sum: near x = √½ and √2 the two cancel by half, and for log2, which
// has least room, the sum is then no smaller than what was rounded. In f64, where no one can try all
// arguments, the sum is made without an error, see recipe_log64.go.

type logSet struct {
	base2, baseE, base10 logBase
	base1p               logBase // base e, for log1p

	lift     float64 // makes a subnormal number normal
	liftBits float64
	tiny     float64 // below it, log(1+x) rounds to x
	sqrtHalf uint64  // bits of √½
	split    uint64  // bits of ¾: log1p's least m
}

// logBase is what a logarithm needs to know of its base.
type logBase struct {
	c            []float64 // f32: log(1+f)/f − log e in f; of base e, (log(1+f) − f)/f². f64: see logTail
	e, eLo       float64   // log e, and what its rounding to the format lost
	twoHi, twoLo float64   // log 2, likewise; in f64 twoHi is so short that its product with k is exact
}

var logF32 = logSet{
	// −0.2930 ≤ f ≤ 0.4143: relative errors of the log below 2⁻²⁷·⁶, 2⁻²⁷·³ and 2⁻²⁷·⁷
	base2: logBase{e: math.Log2E, twoHi: 1, c: []float64{1.925963e-08, -0.72134733, 0.4808982, -0.36069867, 0.28857142,
		-0.23956735, 0.20448658, -0.19139086, 0.18708822, -0.110255755}},
	baseE: logBase{e: 1, twoHi: math.Ln2, c: []float64{-0.5, 0.3333333, -0.2500082, 0.2000124, -0.16623406, 0.14201616,
		-0.13159686, 0.12762009, -0.07635971}},
	base10: logBase{e: math.Log10E, twoHi: math.Ln2 / math.Ln10, twoLo: -1.4320989e-08, c: []float64{-1.010305e-08,
		-0.21714719, 0.14476478, -0.108580895, 0.08686869, -0.07212284, 0.06155928, -0.05756505, 0.056281485,
		-0.03327033}},
	// −0.26 ≤ f ≤ 0.51: relative error of the log below 2⁻²⁷·². f is within −¼ and ½; with the wider range the one argument
	// whose f is rounded, see recipeLog1p, has its result on the right side.
	base1p: logBase{e: 1, twoHi: math.Ln2, c: []float64{-0.5, 0.33333483, -0.25000224, 0.19989254, -0.1664005, 0.14488831,
		-0.13250996, 0.10596948, -0.04560194}},
	lift: 0x1p24, liftBits: 24, tiny: 0x1p-25, sqrtHalf: 0x3F35_04F3, split: 0x3F40_0000,
}

func logOf(t ir.Type) *logSet {
	if t == ir.F32 {
		return &logF32
	}
	return &logF64
}

// logSplit gives d, the bits of x less those of the m that goes with it, and m. least is what m is at least. d has k where
// the exponent stands, and zeros below.
func (e *Emitter) logSplit(t ir.Type, x, least Ref) (d, m Ref) {
	f := formatOf(t)
	bits := e.Bitcast(f.unsigned, t, x)
	exponents := e.Bits(f.unsigned, t.Mask()&^(1<<f.mantissa-1))
	d = e.And(f.unsigned, e.Sub(f.unsigned, bits, least), exponents)
	return d, e.Bitcast(t, f.unsigned, e.Sub(f.unsigned, bits, d))
}

// logExponent is k less offset, as a float.
func (e *Emitter) logExponent(t ir.Type, d, offset Ref) Ref {
	if t == ir.F32 {
		k := e.Cvt(t, ir.I32, e.Bitcast(ir.I32, ir.U32, d))
		return e.Fma(t, k, e.Float(t, 0x1p-23), e.Neg(t, offset))
	}
	k := e.Shr(ir.I64, e.Bitcast(ir.I64, ir.U64, d), e.U32(52))
	return e.Sub(t, e.Cvt(t, ir.I32, e.Cvt(ir.I32, ir.I64, k)), offset)
}

// logReduce gives k as a float and f, for any positive finite x.
func (e *Emitter) logReduce(t ir.Type, x Ref) (k, f Ref) {
	s, fm := logOf(t), formatOf(t)
	low := e.Lt(t, x, e.Float(t, fm.normal))
	x = e.Select(t, low, e.Mul(t, x, e.Float(t, s.lift)), x)
	d, m := e.logSplit(t, x, e.Bits(fm.unsigned, s.sqrtHalf))
	k = e.logExponent(t, d, e.Select(t, low, e.Float(t, s.liftBits), e.Float(t, 0)))
	return k, e.Sub(t, m, e.Float(t, 1))
}

// logSum is k·log 2 + log(1+f) in a base.
func (e *Emitter) logSum(t ir.Type, k, f Ref, b *logBase) Ref {
	if t == ir.F64 {
		return e.logSum64(k, f, b)
	}
	p := e.horner(t, f, b.c)
	if b.e == 1 {
		p = e.Fma(t, e.Mul(t, f, f), p, f)
		return e.Fma(t, k, e.Float(t, b.twoHi), p)
	}
	p = e.Mul(t, f, p)
	if b.twoLo != 0 {
		p = e.Fma(t, k, e.Float(t, b.twoLo), p)
	}
	p = e.Fma(t, f, e.Float(t, b.e), p)
	if b.twoHi == 1 {
		return e.Add(t, k, p)
	}
	return e.Fma(t, k, e.Float(t, b.twoHi), p)
}

// logEnds puts the values outside the positive finite numbers over r = log x. x·∞ + ∞ is ∞ for ∞ and a NaN for a NaN
// and for anything less than 0.
func (e *Emitter) logEnds(t ir.Type, x, r Ref) Ref {
	u, inf := formatOf(t).unsigned, e.Float(t, math.Inf(1))
	finite := e.Lt(u, e.Bitcast(u, t, x), e.Bitcast(u, t, inf))
	r = e.Select(t, finite, r, e.Fma(t, x, inf, inf))
	return e.Select(t, e.Eq(t, x, e.Float(t, 0)), e.Float(t, math.Inf(-1)), r)
}

func (e *Emitter) logOfBase(t ir.Type, x Ref, b *logBase) Ref {
	k, f := e.logReduce(t, x)
	return e.logEnds(t, x, e.logSum(t, k, f, b))
}

func recipeLog(e *Emitter, t ir.Type, x, _ Ref) Ref   { return e.logOfBase(t, x, &logOf(t).baseE) }
func recipeLog2(e *Emitter, t ir.Type, x, _ Ref) Ref  { return e.logOfBase(t, x, &logOf(t).base2) }
func recipeLog10(e *Emitter, t ir.Type, x, _ Ref) Ref { return e.logOfBase(t, x, &logOf(t).base10) }

// recipeLog1p takes k from 1 + x, but f as (x·2⁻ᵏ) + (2⁻ᵏ − 1), which has no error: with m from ¾ to 1½ the two are of
// opposite sign and neither is more than twice the other, unless k is 0 or so great that 2⁻ᵏ does not count. One argument
// in each format is an exception: the greatest below ½ gets k = 1, as 1 + x rounds to 1½.
func recipeLog1p(e *Emitter, t ir.Type, x, _ Ref) Ref {
	s, fm := logOf(t), formatOf(t)
	u := fm.unsigned
	above := e.Add(t, x, e.Float(t, 1))
	d, _ := e.logSplit(t, above, e.Bits(u, s.split))
	down := func(v Ref) Ref { return e.Bitcast(t, u, e.Sub(u, e.Bitcast(u, t, v), d)) }
	f := e.Add(t, down(x), e.Fma(t, down(e.Float(t, 4)), e.Float(t, 0.25), e.Float(t, -1)))
	r := e.logSum(t, e.logExponent(t, d, e.Float(t, 0)), f, &s.base1p)
	return e.keepIfSmall(t, x, s.tiny, e.logEnds(t, above, r))
}
