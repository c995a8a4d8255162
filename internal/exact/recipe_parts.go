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

	mantissa uint32  // stored bits
	one      uint64  // bits of 1; also the exponent bias in its place
	minusOne uint64  // bits of inf less 1: x is positive and finite if bits(x)−1 is below
	magic    float64 // 1.5·2^mantissa: adding it rounds to an integer, left in the low bits
	normal   float64 // smallest normal number
	inf      float64
}

var (
	formatF32 = format{ir.F32, ir.I32, ir.U32, 23, 0x3F80_0000, 0x7F7F_FFFF, 0x1.8p23, 0x1p-126, math.Inf(1)}
	formatF64 = format{ir.F64, ir.I64, ir.U64, 52, 0x3FF0_0000_0000_0000, 0x7FEF_FFFF_FFFF_FFFF, 0x1.8p52, 0x1p-1022, math.Inf(1)}
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

// nearest rounds x·c to the integer n and gives it as a float and a signed integer. It
// holds for |x·c| below a quarter of the magic number; beyond, both are arbitrary. n is
// never −0.
func (e *Emitter) nearest(t ir.Type, x Ref, c float64) (n, i Ref) {
	f := formatOf(t)
	magic := e.Float(t, f.magic)
	m := e.Fma(t, x, e.Float(t, c), magic)
	return e.Sub(t, m, magic), e.Sub(f.signed, e.Bitcast(f.signed, t, m), e.Bitcast(f.signed, t, magic))
}

// pow2 is 2^i for a signed integer i in the range of normal exponents.
func (e *Emitter) pow2(t ir.Type, i Ref) Ref {
	f := formatOf(t)
	bits := e.Add(f.signed, e.Shl(f.signed, i, e.U32(f.mantissa)), e.Bits(f.signed, f.one))
	return e.Bitcast(t, f.signed, bits)
}

// scale is p·2^i for p near 1. Two factors reach beyond the normal exponents on either
// side; only the second product can round, so a subnormal result is rounded once.
func (e *Emitter) scale(t ir.Type, p, i Ref) Ref {
	f := formatOf(t)
	half := e.Shr(f.signed, i, e.U32(1))
	rest := e.Sub(f.signed, i, half)
	return e.Mul(t, e.Mul(t, p, e.pow2(t, half)), e.pow2(t, rest))
}

// onePlus is 1 + r + tail for |r| < 1 and a tail so small that its rounding is lost.
func (e *Emitter) onePlus(t ir.Type, r, tail Ref) Ref {
	s, err := e.fastTwoSum(t, e.Float(t, 1), r)
	return e.Add(t, s, e.Add(t, err, tail))
}

// keepIfSmall is x where |x| < limit, r elsewhere.
func (e *Emitter) keepIfSmall(t ir.Type, x Ref, limit float64, r Ref) Ref {
	return e.Select(t, e.Lt(t, e.Abs(t, x), e.Float(t, limit)), x, r)
}
