package exact

import (
	"math"

	"github.com/govyre/vyre/ir"
)

// Float ops. Those of float32 that go through float64 are exact there and round once
// on the way back, or are proven to round twice harmlessly.

func evalFma(t Types, _ uint32, a, b, c uint64) uint64 {
	if t.In == ir.F64 {
		return rawF64(math.FMA(f64(a), f64(b), f64(c)))
	}
	return rawF32(fmaF32(f32(a), f32(b), f32(c)))
}

// fmaF32 rounds x·y + z once. The product is exact in float64. The sum there is rounded
// to odd: if inexact, cut off and its last bit set. That bit then stands for everything
// below, so rounding to float32 sees on which side of a halfway point the exact sum lies
// (S. Boldo, G. Melquiond, "Emulation of FMA and correctly rounded sums: proved
// algorithms using rounding to odd", 2008).
func fmaF32(x, y, z float32) float32 {
	p, c := float64(float64(x)*float64(y)), float64(z)
	s := float64(p + c)
	// TwoSum (Knuth): e is the exact error of s. With an infinity it is a NaN.
	d := float64(s - p)
	e := float64(float64(p-float64(s-d)) + float64(c-d))
	if e > 0 || e < 0 {
		u := math.Float64bits(s)
		// An error of the other sign means that s lies beyond the exact sum.
		u -= (u ^ math.Float64bits(e)) >> 63
		s = math.Float64frombits(u | 1)
	}
	return float32(s)
}

func evalCopysign(t Types, _ uint32, a, b, _ uint64) uint64 {
	sign := uint64(1) << 31
	if t.In == ir.F64 {
		sign = 1 << 63
	}
	return a&^sign | b&sign
}

// evalSqrt: a square root rounded to float64 and then to float32 is the correctly
// rounded one, as 53 ≥ 2·24 + 2 (S. Figueroa, "When is double rounding innocuous?", 1995).
func evalSqrt(t Types, _ uint32, a, _, _ uint64) uint64 {
	switch t.In {
	case ir.F32:
		return rawF32(float32(math.Sqrt(float64(f32(a)))))
	case ir.F64:
		return rawF64(math.Sqrt(f64(a)))
	case ir.F16:
		return rawF16(float32(math.Sqrt(float64(f16(a)))))
	}
	return rawBF16(float32(math.Sqrt(float64(bf16(a)))))
}

// evalRcp is what fast_rcp approximates.
func evalRcp(_ Types, _ uint32, a, _, _ uint64) uint64 {
	return rawF32(float32(1 / f32(a)))
}

// Rounding to an integer is exact in float64, and its result a float32 if the operand is.

func evalFloor(t Types, _ uint32, a, _, _ uint64) uint64 {
	if t.In == ir.F64 {
		return rawF64(math.Floor(f64(a)))
	}
	return rawF32(float32(math.Floor(float64(f32(a)))))
}

func evalCeil(t Types, _ uint32, a, _, _ uint64) uint64 {
	if t.In == ir.F64 {
		return rawF64(math.Ceil(f64(a)))
	}
	return rawF32(float32(math.Ceil(float64(f32(a)))))
}

func evalTrunc(t Types, _ uint32, a, _, _ uint64) uint64 {
	if t.In == ir.F64 {
		return rawF64(math.Trunc(f64(a)))
	}
	return rawF32(float32(math.Trunc(float64(f32(a)))))
}

func evalRint(t Types, _ uint32, a, _, _ uint64) uint64 {
	if t.In == ir.F64 {
		return rawF64(math.RoundToEven(f64(a)))
	}
	return rawF32(float32(math.RoundToEven(float64(f32(a)))))
}
