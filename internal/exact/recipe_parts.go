package exact

import (
	"math"

	"github.com/govyre/vyre/ir"
)

// Pieces that several recipes share. In their comments u is half an ulp of 1, that is
// 2⁻²⁴ or 2⁻⁵³, and hi + lo means an unevaluated sum whose lo is at most about an ulp
// of hi.

// format is what recipes know about a float type.
type format struct {
	float, signed, unsigned ir.Type

	mantissa  uint32  // stored bits
	one       uint64  // bits of 1; also the exponent bias in its place
	minusOne  uint64  // bits of inf less 1: x is positive and finite if bits(x)−1 is below
	magic     float64 // 1.5·2^mantissa: adding it rounds to an integer, left in the low bits
	magicBits uint64
	guess     uint64  // less the bits of a number: those of its reciprocal, nearly
	cubic     int     // steps of third order from there, before one of second
	normal    float64 // smallest normal number
	inf       float64
}

var (
	formatF32 = format{ir.F32, ir.I32, ir.U32, 23, 0x3F80_0000, 0x7F7F_FFFF, 0x1.8p23, 0x4B40_0000, 0x7EF3_11C3, 1, 0x1p-126, math.Inf(1)}
	formatF64 = format{ir.F64, ir.I64, ir.U64, 52, 0x3FF0_0000_0000_0000, 0x7FEF_FFFF_FFFF_FFFF, 0x1.8p52, 0x4338_0000_0000_0000, 0x7FDE_6238_22FC_16E6, 2, 0x1p-1022, math.Inf(1)}
)

func formatOf(t ir.Type) *format {
	if t == ir.F32 {
		return &formatF32
	}
	return &formatF64
}

// horner is c[0] + c[1]·x + …
func (e *Emitter) horner(t ir.Type, x Ref, c []float64) Ref {
	p := e.Float(t, c[len(c)-1])
	for i := len(c) - 2; i >= 0; i-- {
		p = e.Fma(t, p, x, e.Float(t, c[i]))
	}
	return p
}

// fastTwoSum is a + b as a rounded sum and its exact error, if |a| ≥ |b| or a is zero
// (T. J. Dekker, "A floating-point technique for extending the available precision", 1971).
func (e *Emitter) fastTwoSum(t ir.Type, a, b Ref) (hi, lo Ref) {
	hi = e.Add(t, a, b)
	return hi, e.Add(t, e.Sub(t, a, hi), b)
}

// twoProd is a·b as a rounded product and its exact error, if that does not underflow.
func (e *Emitter) twoProd(t ir.Type, a, b Ref) (hi, lo Ref) {
	hi = e.Mul(t, a, b)
	return hi, e.Fma(t, a, b, e.Neg(t, hi))
}

// mulPair is a·(cHi + cLo) as a sum, if it does not underflow.
func (e *Emitter) mulPair(t ir.Type, a Ref, cHi, cLo float64) (hi, lo Ref) {
	hi, lo = e.twoProd(t, a, e.Float(t, cHi))
	return hi, e.Fma(t, a, e.Float(t, cLo), lo)
}

// nearest rounds x·c to the integer n. It holds for |x·c| below a quarter of the magic number; beyond, the results
// are arbitrary. word has n in its low bits, as it is the sum with the magic number: shifted to where an exponent
// stands, n is all that is left of it. n is never −0.
func (e *Emitter) nearest(t ir.Type, x Ref, c float64) (n, word Ref) {
	f := formatOf(t)
	magic := e.Float(t, f.magic)
	var m Ref
	if c == 1 {
		m = e.Add(t, x, magic)
	} else {
		m = e.Fma(t, x, e.Float(t, c), magic)
	}
	return e.Sub(t, m, magic), e.Bitcast(f.unsigned, t, m)
}

// atExponent has the low bits of word where the exponent stands.
func (e *Emitter) atExponent(t ir.Type, word Ref) Ref {
	f := formatOf(t)
	return e.Shl(f.unsigned, word, e.U32(f.mantissa))
}

// pow2 is 2^(n+i) with the n of word. n+i is in the range of normal exponents.
func (e *Emitter) pow2(t ir.Type, word Ref, i int) Ref {
	f := formatOf(t)
	one := e.Bits(f.unsigned, (f.one+uint64(i)<<f.mantissa)&t.Mask())
	return e.Bitcast(t, f.unsigned, e.Add(f.unsigned, e.atExponent(t, word), one))
}

// timesPow2 is p·2ⁿ with the n of word, if p and the product are normal: n is added to the exponent of p. A NaN is lost.
func (e *Emitter) timesPow2(t ir.Type, p, word Ref) Ref {
	u := formatOf(t).unsigned
	return e.Bitcast(t, u, e.Add(u, e.Bitcast(u, t, p), e.atExponent(t, word)))
}

// scale is p·2ⁿ for p near 1 with the n of word. Two factors reach beyond the normal exponents on either side; only the
// second product can round, so a subnormal result is rounded once. The magic number's bits are even: half of the word is
// half of n rounded down, as far as exponents see it. A NaN stays, whatever bits a device gives it and word.
func (e *Emitter) scale(t ir.Type, p, word Ref) Ref {
	u := formatOf(t).unsigned
	half := e.Shr(u, word, e.U32(1))
	rest := e.Sub(u, word, half)
	return e.Mul(t, e.Mul(t, p, e.pow2(t, half, 0)), e.pow2(t, rest, 0))
}

// within is x, but lo where it is less and hi where it is greater; a NaN stays.
func (e *Emitter) within(t ir.Type, x Ref, lo, hi float64) Ref {
	x = e.atMost(t, x, hi)
	low := e.Float(t, lo)
	if t == ir.F32 {
		return e.Maxp(t, x, low)
	}
	return e.Select(t, e.Lt(t, x, low), low, x)
}

// atMost is x, but hi where it is greater; a NaN stays. Devices have that as one instruction for f32 alone.
func (e *Emitter) atMost(t ir.Type, x Ref, hi float64) Ref {
	high := e.Float(t, hi)
	if t == ir.F32 {
		return e.Minp(t, x, high)
	}
	return e.Select(t, e.Lt(t, high, x), high, x)
}

// reciprocal is 1/d to about an ulp, for positive d away from the ends of the format. A float's bits are nearly its
// logarithm, so a difference of bits guesses a reciprocal to an eighth; a step with d·y = 1 − ε to third order leaves ε³,
// one to second order ε².
func (e *Emitter) reciprocal(t ir.Type, d Ref) Ref {
	f := formatOf(t)
	y := e.Bitcast(t, f.unsigned, e.Sub(f.unsigned, e.Bits(f.unsigned, f.guess), e.Bitcast(f.unsigned, t, d)))
	one, minus := e.Float(t, 1), e.Neg(t, d)
	for range f.cubic {
		err := e.Fma(t, minus, y, one)
		y = e.Fma(t, y, e.Fma(t, err, err, err), y)
	}
	return e.Fma(t, y, e.Fma(t, minus, y, one), y)
}

// keepIfSmall is x where |x| < limit, r elsewhere.
func (e *Emitter) keepIfSmall(t ir.Type, x Ref, limit float64, r Ref) Ref {
	return e.Select(t, e.Lt(t, e.Abs(t, x), e.Float(t, limit)), x, r)
}
