package exact

import (
	"math"

	"github.com/govyre/vyre/ir"
)

// log, log2, log10, log1p: x = 2ᵏ·m with √½ ≤ m < √2, and with f = m − 1
//
//	log x = k·ln 2 + f + tail(f)
//
// k·ln 2 + f is summed without error: near x = √½ and √2 the two cancel by half. ln 2 is
// cut into a part so short that its product with k is exact, and the rest.

type logSet struct {
	c []float64 // see logTail

	ln2Hi, ln2Lo float64
	lg2Hi, lg2Lo float64 // log10 2, likewise
	log2eLo      float64 // log2 e less its rounding to the format
	log10eLo     float64 // log10 e, likewise
	lift         float64 // makes a subnormal number normal
	liftBits     float64
	tiny         float64 // below it, log(1+x) rounds to x
	top          int64   // scale limit of log1p: 2^−top is normal
	sqrtHalf     uint64  // bits of √½
}

var logF32 = logSet{
	// (log(1+f) − f + f²/2)/f³, −0.2930 ≤ f ≤ 0.4143: error of the log below 2⁻²⁹
	c: []float64{0.333333135, -0.250001669, 0.200022236, -0.166593716, 0.142095476, -0.12549524, 0.121091381,
		-0.109165862, 0.0533605479},
	ln2Hi: 0x1.62e4p-1, ln2Lo: 1.428606765330187e-06,
	lg2Hi: 0x1.344p-2, lg2Lo: 4.605039066518657e-06,
	log2eLo: 1.925963033500011e-08, log10eLo: -1.0103049952192578e-08,
	lift: 0x1p24, liftBits: 24, tiny: 0x1p-25, top: 126, sqrtHalf: 0x3F35_04F3,
}

var logF64 = logSet{
	// (2·atanh s/s − 2)/s² in s², |s| ≤ 0.1717: error of the log below 2⁻⁵⁹
	c: []float64{0.6666666666666735, 0.3999999999940936, 0.2857142874368486, 0.22222198429125833, 0.1818357235025566,
		0.15313832156531576, 0.1479826065719501},
	ln2Hi: 0x1.62e42fefa4p-1, ln2Lo: -1.7239444525614835e-13,
	lg2Hi: 0x1.34413509f8p-2, lg2Lo: -8.532344317057107e-14,
	log2eLo: 2.0355273740931033e-17, log10eLo: 1.098319650216765e-17,
	lift: 0x1p54, liftBits: 54, tiny: 0x1p-54, top: 1022, sqrtHalf: 0x3FE6_A09E_667F_3BCD,
}

func logOf(t ir.Type) *logSet {
	if t == ir.F32 {
		return &logF32
	}
	return &logF64
}

// logSplit gives k and m of a positive normal x, k as a signed integer.
func (e *Emitter) logSplit(t ir.Type, x Ref) (k, m Ref) {
	f := formatOf(t)
	width := e.U32(f.mantissa)
	bits := e.Bitcast(f.signed, t, x)
	k = e.Shr(f.signed, e.Sub(f.signed, bits, e.Bits(f.signed, logOf(t).sqrtHalf)), width)
	return k, e.Bitcast(t, f.signed, e.Sub(f.signed, bits, e.Shl(f.signed, k, width)))
}

// logReduce gives k as a float and f, for any positive finite x.
func (e *Emitter) logReduce(t ir.Type, x Ref) (k, f Ref) {
	s := logOf(t)
	low := e.Lt(t, x, e.Float(t, formatOf(t).normal))
	x = e.Select(t, low, e.Mul(t, x, e.Float(t, s.lift)), x)
	i, m := e.logSplit(t, x)
	k = e.Cvt(t, formatOf(t).signed, i)
	k = e.Sub(t, k, e.Select(t, low, e.Float(t, s.liftBits), e.Float(t, 0)))
	return k, e.Sub(t, m, e.Float(t, 1))
}

// logTail is acc + b·(log(1+f) − f), with bf = b·f. In f64 a polynomial in f would be twice
// as long as one in s², where s = f/(2+f) and log(1+f) = 2·atanh s.
func (e *Emitter) logTail(t ir.Type, f, bf Ref, b float64, acc Ref) Ref {
	c := logOf(t).c
	ff := e.Mul(t, f, f)
	halfB := e.Float(t, -b/2)
	if t == ir.F32 {
		acc = e.Fma(t, e.Mul(t, ff, bf), e.horner(t, f, c), acc)
		return e.Fma(t, ff, halfB, acc)
	}
	// 2·atanh s = 2s + s·r(s²), and 2s = f − f²/2 + s·f²/2
	acc = e.Fma(t, e.Fma(t, f, f, e.Neg(t, ff)), halfB, acc)
	s := e.Div(t, f, e.Add(t, f, e.Float(t, 2)))
	z := e.Mul(t, s, s)
	r := e.Fma(t, z, e.horner(t, z, c), e.Mul(t, ff, e.Float(t, 0.5)))
	if b != 1 {
		s = e.Mul(t, s, e.Float(t, b))
	}
	return e.Fma(t, ff, halfB, e.Fma(t, s, r, acc))
}

// logEnds puts the values outside the positive finite numbers over r = log x.
func (e *Emitter) logEnds(t ir.Type, x, r Ref) Ref {
	r = e.Select(t, e.Lt(t, x, e.Float(t, math.Inf(1))), r, x)
	r = e.Select(t, e.Lt(t, x, e.Float(t, 0)), e.Float(t, math.NaN()), r)
	return e.Select(t, e.Eq(t, x, e.Float(t, 0)), e.Float(t, math.Inf(-1)), r)
}

func recipeLog(e *Emitter, t ir.Type, x, _ Ref) Ref {
	s := logOf(t)
	k, f := e.logReduce(t, x)
	hi, lo := e.fastTwoSum(t, e.Mul(t, k, e.Float(t, s.ln2Hi)), f)
	lo = e.Fma(t, k, e.Float(t, s.ln2Lo), lo)
	return e.logEnds(t, x, e.Add(t, hi, e.logTail(t, f, f, 1, lo)))
}

func recipeLog2(e *Emitter, t ir.Type, x, _ Ref) Ref {
	k, f := e.logReduce(t, x)
	p, err := e.mulPair(t, f, math.Log2E, logOf(t).log2eLo)
	hi, lo := e.fastTwoSum(t, k, p)
	tail := e.logTail(t, f, p, math.Log2E, e.Add(t, lo, err))
	return e.logEnds(t, x, e.Add(t, hi, tail))
}

func recipeLog10(e *Emitter, t ir.Type, x, _ Ref) Ref {
	s := logOf(t)
	k, f := e.logReduce(t, x)
	p, err := e.mulPair(t, f, math.Log10E, s.log10eLo)
	hi, lo := e.fastTwoSum(t, e.Mul(t, k, e.Float(t, s.lg2Hi)), p)
	lo = e.Fma(t, k, e.Float(t, s.lg2Lo), e.Add(t, lo, err))
	return e.logEnds(t, x, e.Add(t, hi, e.logTail(t, f, p, math.Log10E, lo)))
}

// recipeLog1p takes 1 + x as a sum u + c and divides both by 2ᵏ. For k = 0 the parts add
// up to x again.
func recipeLog1p(e *Emitter, t ir.Type, x, _ Ref) Ref {
	s, fm := logOf(t), formatOf(t)
	one := e.Float(t, 1)
	u := e.Add(t, one, x)
	v := e.Sub(t, u, one)
	c := e.Add(t, e.Sub(t, one, e.Sub(t, u, v)), e.Sub(t, x, v))
	i, m := e.logSplit(t, u)
	down := e.pow2(t, e.Sub(fm.signed, e.Bits(fm.signed, 0), e.Min(fm.signed, i, e.Bits(fm.signed, uint64(s.top)))))
	g := e.Sub(t, m, one)
	f := e.Fma(t, c, down, g)
	rest := e.Fma(t, c, down, e.Sub(t, g, f))
	rest = e.Fma(t, e.Neg(t, f), rest, rest) // the slope of the log at 1 + f, nearly

	k := e.Cvt(t, fm.signed, i)
	hi, lo := e.fastTwoSum(t, e.Mul(t, k, e.Float(t, s.ln2Hi)), f)
	lo = e.Fma(t, k, e.Float(t, s.ln2Lo), e.Add(t, lo, rest))
	r := e.Add(t, hi, e.logTail(t, f, f, 1, lo))

	r = e.Select(t, e.Lt(t, x, e.Float(t, math.Inf(1))), r, x)
	r = e.Select(t, e.Lt(t, x, e.Float(t, -1)), e.Float(t, math.NaN()), r)
	r = e.Select(t, e.Eq(t, x, e.Float(t, -1)), e.Float(t, math.Inf(-1)), r)
	return e.keepIfSmall(t, x, s.tiny, r)
}
