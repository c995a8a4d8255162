package ir

import "math"

// The vocabulary of a recipe: one method a basic op. t is the type of the operands and,
// but for comparisons and conversions, of the result.

// Float is the constant v, rounded to t.
func (e *Emitter) Float(t Type, v float64) Ref {
	if t == F32 {
		return e.Bits(t, uint64(math.Float32bits(float32(v))))
	}
	return e.Bits(t, math.Float64bits(v))
}

// U32 is a constant of type u32: a shift count, mostly.
func (e *Emitter) U32(v uint32) Ref { return e.Bits(U32, uint64(v)) }

// Add is a + b.
func (e *Emitter) Add(t Type, a, b Ref) Ref { return e.op(OpAdd, evalAdd, t, t, 0, 2, a, b, 0) }

// Sub is a − b.
func (e *Emitter) Sub(t Type, a, b Ref) Ref { return e.op(OpSub, evalSub, t, t, 0, 2, a, b, 0) }

// Mul is a·b.
func (e *Emitter) Mul(t Type, a, b Ref) Ref { return e.op(OpMul, evalMul, t, t, 0, 2, a, b, 0) }

// MulHi is the upper half of the product of two integers.
func (e *Emitter) MulHi(t Type, a, b Ref) Ref { return e.op(OpMulHi, evalMulHi, t, t, 0, 2, a, b, 0) }

// Div is a / b.
func (e *Emitter) Div(t Type, a, b Ref) Ref { return e.op(OpDiv, evalDiv, t, t, 0, 2, a, b, 0) }

// Fma is a·b + c with one rounding.
func (e *Emitter) Fma(t Type, a, b, c Ref) Ref { return e.op(OpFma, evalFma, t, t, 0, 3, a, b, c) }

// Neg is −a.
func (e *Emitter) Neg(t Type, a Ref) Ref { return e.op(OpNeg, evalNeg, t, t, 0, 1, a, 0, 0) }

// Abs is |a|.
func (e *Emitter) Abs(t Type, a Ref) Ref { return e.op(OpAbs, evalAbs, t, t, 0, 1, a, 0, 0) }

// Sqrt is the square root of a.
func (e *Emitter) Sqrt(t Type, a Ref) Ref { return e.op(OpSqrt, evalSqrt, t, t, 0, 1, a, 0, 0) }

// Rint is a rounded to an integer, half to even.
func (e *Emitter) Rint(t Type, a Ref) Ref { return e.op(OpRint, evalRint, t, t, 0, 1, a, 0, 0) }

// Copysign is the magnitude of a with the sign of b.
func (e *Emitter) Copysign(t Type, a, b Ref) Ref {
	return e.op(OpCopysign, evalCopysign, t, t, 0, 2, a, b, 0)
}

// And, Or, Xor work on the bits of integers, and on bools.
func (e *Emitter) And(t Type, a, b Ref) Ref { return e.op(OpAnd, evalAnd, t, t, 0, 2, a, b, 0) }

// Or is a | b.
func (e *Emitter) Or(t Type, a, b Ref) Ref { return e.op(OpOr, evalOr, t, t, 0, 2, a, b, 0) }

// Xor is a ^ b.
func (e *Emitter) Xor(t Type, a, b Ref) Ref { return e.op(OpXor, evalXor, t, t, 0, 2, a, b, 0) }

// Not is ^a of an integer, !a of a bool.
func (e *Emitter) Not(t Type, a Ref) Ref { return e.op(OpNot, evalNot, t, t, 0, 1, a, 0, 0) }

// Shl and Shr shift an integer by n, a u32; the count saturates.
func (e *Emitter) Shl(t Type, a, n Ref) Ref { return e.op(OpShl, evalShl, t, t, 0, 2, a, n, 0) }

// Shr copies the sign of a signed integer.
func (e *Emitter) Shr(t Type, a, n Ref) Ref { return e.op(OpShr, evalShr, t, t, 0, 2, a, n, 0) }

// Clz is the number of zero bits at the top, a u32.
func (e *Emitter) Clz(t Type, a Ref) Ref { return e.op(OpClz, evalClz, t, U32, 0, 1, a, 0, 0) }

// Min is the lesser; of floats, a NaN loses.
func (e *Emitter) Min(t Type, a, b Ref) Ref { return e.op(OpMin, evalMin, t, t, 0, 2, a, b, 0) }

// Max is the greater; of floats, a NaN loses.
func (e *Emitter) Max(t Type, a, b Ref) Ref { return e.op(OpMax, evalMax, t, t, 0, 2, a, b, 0) }

// Eq is a == b, a bool.
func (e *Emitter) Eq(t Type, a, b Ref) Ref { return e.op(OpEq, evalEq, t, Bool, 0, 2, a, b, 0) }

// Ne is a != b, a bool.
func (e *Emitter) Ne(t Type, a, b Ref) Ref { return e.op(OpNe, evalNe, t, Bool, 0, 2, a, b, 0) }

// Lt is a < b, a bool.
func (e *Emitter) Lt(t Type, a, b Ref) Ref { return e.op(OpLt, evalLt, t, Bool, 0, 2, a, b, 0) }

// Select is a where the bool c holds, b elsewhere.
func (e *Emitter) Select(t Type, c, a, b Ref) Ref {
	return e.op(OpSelect, evalSelect, t, t, 0, 3, c, a, b)
}

// Cvt converts a value from one type to another.
func (e *Emitter) Cvt(to, from Type, a Ref) Ref { return e.op(OpCvt, evalCvt, from, to, 0, 1, a, 0, 0) }

// Bitcast reads the bits of a as another type of the same width.
func (e *Emitter) Bitcast(to, from Type, a Ref) Ref {
	return e.op(OpBitcast, evalBitcast, from, to, 0, 1, a, 0, 0)
}
