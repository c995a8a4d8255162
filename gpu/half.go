package gpu

import (
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

// Float16 is an IEEE binary16 number, two bytes in a buffer. It computes through
// methods: each widens to float32, which is exact, computes there and rounds back.
// == compares bits; use Equal for numbers.
type Float16 struct{ bits uint16 }

// ToFloat16 rounds f to the nearest Float16, ties to even; what is too large becomes infinite.
func ToFloat16(f float32) Float16 { return Float16{narrow(ir.F16, f)} }

// Float16FromBits returns the Float16 with bits b.
func Float16FromBits(b uint16) Float16 { return Float16{b} }

// Float32 returns the value of h, exactly.
func (h Float16) Float32() float32 { return widen(ir.F16, h.bits) }

// Bits returns the bits of h.
func (h Float16) Bits() uint16 { return h.bits }

// Add returns h + g.
func (h Float16) Add(g Float16) Float16 { return Float16{half(ir.OpAdd, ir.F16, h.bits, g.bits)} }

// Sub returns h − g.
func (h Float16) Sub(g Float16) Float16 { return Float16{half(ir.OpSub, ir.F16, h.bits, g.bits)} }

// Mul returns h · g.
func (h Float16) Mul(g Float16) Float16 { return Float16{half(ir.OpMul, ir.F16, h.bits, g.bits)} }

// Div returns h / g.
func (h Float16) Div(g Float16) Float16 { return Float16{half(ir.OpDiv, ir.F16, h.bits, g.bits)} }

// Neg returns −h.
func (h Float16) Neg() Float16 { return Float16{half(ir.OpNeg, ir.F16, h.bits, 0)} }

// Abs returns |h|.
func (h Float16) Abs() Float16 { return Float16{half(ir.OpAbs, ir.F16, h.bits, 0)} }

// Sqrt returns the square root of h, NaN below zero.
func (h Float16) Sqrt() Float16 { return Float16{half(ir.OpSqrt, ir.F16, h.bits, 0)} }

// Less reports whether h < g, which is false if either is NaN.
func (h Float16) Less(g Float16) bool { return compareHalf(ir.OpLt, ir.F16, h.bits, g.bits) }

// Equal reports whether h and g are the same number: −0 equals +0, NaN equals nothing.
func (h Float16) Equal(g Float16) bool { return compareHalf(ir.OpEq, ir.F16, h.bits, g.bits) }

// BFloat16 is the upper half of a float32: its exponent range with 8 bits of precision.
// It computes as Float16 does.
type BFloat16 struct{ bits uint16 }

// ToBFloat16 rounds f to the nearest BFloat16, ties to even; what is too large becomes infinite.
func ToBFloat16(f float32) BFloat16 { return BFloat16{narrow(ir.BF16, f)} }

// BFloat16FromBits returns the BFloat16 with bits b.
func BFloat16FromBits(b uint16) BFloat16 { return BFloat16{b} }

// Float32 returns the value of h, exactly.
func (h BFloat16) Float32() float32 { return widen(ir.BF16, h.bits) }

// Bits returns the bits of h.
func (h BFloat16) Bits() uint16 { return h.bits }

// Add returns h + g.
func (h BFloat16) Add(g BFloat16) BFloat16 {
	return BFloat16{half(ir.OpAdd, ir.BF16, h.bits, g.bits)}
}

// Sub returns h − g.
func (h BFloat16) Sub(g BFloat16) BFloat16 {
	return BFloat16{half(ir.OpSub, ir.BF16, h.bits, g.bits)}
}

// Mul returns h · g.
func (h BFloat16) Mul(g BFloat16) BFloat16 {
	return BFloat16{half(ir.OpMul, ir.BF16, h.bits, g.bits)}
}

// Div returns h / g.
func (h BFloat16) Div(g BFloat16) BFloat16 {
	return BFloat16{half(ir.OpDiv, ir.BF16, h.bits, g.bits)}
}

// Neg returns −h.
func (h BFloat16) Neg() BFloat16 { return BFloat16{half(ir.OpNeg, ir.BF16, h.bits, 0)} }

// Abs returns |h|.
func (h BFloat16) Abs() BFloat16 { return BFloat16{half(ir.OpAbs, ir.BF16, h.bits, 0)} }

// Sqrt returns the square root of h, NaN below zero.
func (h BFloat16) Sqrt() BFloat16 { return BFloat16{half(ir.OpSqrt, ir.BF16, h.bits, 0)} }

// Less reports whether h < g, which is false if either is NaN.
func (h BFloat16) Less(g BFloat16) bool { return compareHalf(ir.OpLt, ir.BF16, h.bits, g.bits) }

// Equal reports whether h and g are the same number: −0 equals +0, NaN equals nothing.
func (h BFloat16) Equal(g BFloat16) bool { return compareHalf(ir.OpEq, ir.BF16, h.bits, g.bits) }

func half(op ir.Op, t ir.Type, a, b uint16) uint16 {
	return uint16(exact.Eval(op, t, t, 0, uint64(a), uint64(b), 0))
}

func compareHalf(op ir.Op, t ir.Type, a, b uint16) bool {
	return exact.Eval(op, t, ir.Bool, 0, uint64(a), uint64(b), 0) != 0
}

func narrow(to ir.Type, f float32) uint16 {
	return uint16(exact.Eval(ir.OpCvt, ir.F32, to, 0, toBits(f), 0, 0))
}

func widen(from ir.Type, h uint16) float32 {
	return fromBits[float32](exact.Eval(ir.OpCvt, from, ir.F32, 0, uint64(h), 0, 0))
}
