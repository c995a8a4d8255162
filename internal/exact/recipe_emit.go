package exact

import (
	"math"

	"github.com/govyre/vyre/ir"
)

// The vocabulary of a recipe: one method a basic op. t is the type of the operands and,
// but for comparisons and conversions, of the result.

// Float is the constant v, rounded to t.
func (e *Emitter) Float(t ir.Type, v float64) Ref {
	if t == ir.F32 {
		return e.Bits(t, uint64(math.Float32bits(float32(v))))
	}
	return e.Bits(t, math.Float64bits(v))
}

// U32 is a constant of type u32: a shift count, mostly.
func (e *Emitter) U32(v uint32) Ref { return e.Bits(ir.U32, uint64(v)) }

// Add is a + b.
func (e *Emitter) Add(t ir.Type, a, b Ref) Ref { return e.op(ir.OpAdd, evalAdd, t, t, 0, 2, a, b, 0) }

// Sub is a − b.
func (e *Emitter) Sub(t ir.Type, a, b Ref) Ref { return e.op(ir.OpSub, evalSub, t, t, 0, 2, a, b, 0) }

// Mul is a·b.
func (e *Emitter) Mul(t ir.Type, a, b Ref) Ref { return e.op(ir.OpMul, evalMul, t, t, 0, 2, a, b, 0) }

// MulHi is the upper half of the product of two integers.
func (e *Emitter) MulHi(t ir.Type, a, b Ref) Ref {
	return e.op(ir.OpMulHi, evalMulHi, t, t, 0, 2, a, b, 0)
}

// Div is a / b.
func (e *Emitter) Div(t ir.Type, a, b Ref) Ref { return e.op(ir.OpDiv, evalDiv, t, t, 0, 2, a, b, 0) }

// Fma is a·b + c with one rounding.
func (e *Emitter) Fma(t ir.Type, a, b, c Ref) Ref {
	return e.op(ir.OpFma, evalFma, t, t, 0, 3, a, b, c)
}

// Neg is −a.
func (e *Emitter) Neg(t ir.Type, a Ref) Ref { return e.op(ir.OpNeg, evalNeg, t, t, 0, 1, a, 0, 0) }

// Abs is |a|.
func (e *Emitter) Abs(t ir.Type, a Ref) Ref { return e.op(ir.OpAbs, evalAbs, t, t, 0, 1, a, 0, 0) }

// Sqrt is the square root of a.
func (e *Emitter) Sqrt(t ir.Type, a Ref) Ref { return e.op(ir.OpSqrt, evalSqrt, t, t, 0, 1, a, 0, 0) }

// Rint is a rounded to an integer, half to even.
func (e *Emitter) Rint(t ir.Type, a Ref) Ref { return e.op(ir.OpRint, evalRint, t, t, 0, 1, a, 0, 0) }

// Copysign is the magnitude of a with the sign of b.
func (e *Emitter) Copysign(t ir.Type, a, b Ref) Ref {
	return e.op(ir.OpCopysign, evalCopysign, t, t, 0, 2, a, b, 0)
}

// And, Or, Xor work on the bits of integers, and on bools.
func (e *Emitter) And(t ir.Type, a, b Ref) Ref { return e.op(ir.OpAnd, evalAnd, t, t, 0, 2, a, b, 0) }

// Or is a | b.
func (e *Emitter) Or(t ir.Type, a, b Ref) Ref { return e.op(ir.OpOr, evalOr, t, t, 0, 2, a, b, 0) }

// Xor is a ^ b.
func (e *Emitter) Xor(t ir.Type, a, b Ref) Ref { return e.op(ir.OpXor, evalXor, t, t, 0, 2, a, b, 0) }

// Not is ^a of an integer, !a of a bool.
func (e *Emitter) Not(t ir.Type, a Ref) Ref { return e.op(ir.OpNot, evalNot, t, t, 0, 1, a, 0, 0) }

// Shl and Shr shift an integer by n, a u32; the count saturates.
func (e *Emitter) Shl(t ir.Type, a, n Ref) Ref { return e.op(ir.OpShl, evalShl, t, t, 0, 2, a, n, 0) }

// Shr copies the sign of a signed integer.
func (e *Emitter) Shr(t ir.Type, a, n Ref) Ref { return e.op(ir.OpShr, evalShr, t, t, 0, 2, a, n, 0) }

// Clz is the number of zero bits at the top, a u32.
func (e *Emitter) Clz(t ir.Type, a Ref) Ref { return e.op(ir.OpClz, evalClz, t, ir.U32, 0, 1, a, 0, 0) }

// Min is the lesser; of floats, a NaN loses.
func (e *Emitter) Min(t ir.Type, a, b Ref) Ref { return e.op(ir.OpMin, evalMin, t, t, 0, 2, a, b, 0) }

// Max is the greater; of floats, a NaN loses.
func (e *Emitter) Max(t ir.Type, a, b Ref) Ref { return e.op(ir.OpMax, evalMax, t, t, 0, 2, a, b, 0) }

// Minp is the lesser of two floats; a NaN wins.
func (e *Emitter) Minp(t ir.Type, a, b Ref) Ref {
	return e.op(ir.OpMinp, evalMinp, t, t, 0, 2, a, b, 0)
}

// Maxp is the greater of two floats; a NaN wins.
func (e *Emitter) Maxp(t ir.Type, a, b Ref) Ref {
	return e.op(ir.OpMaxp, evalMaxp, t, t, 0, 2, a, b, 0)
}

// Eq is a == b, a bool.
func (e *Emitter) Eq(t ir.Type, a, b Ref) Ref {
	return e.op(ir.OpEq, evalEq, t, ir.Bool, 0, 2, a, b, 0)
}

// Ne is a != b, a bool.
func (e *Emitter) Ne(t ir.Type, a, b Ref) Ref {
	return e.op(ir.OpNe, evalNe, t, ir.Bool, 0, 2, a, b, 0)
}

// Lt is a < b, a bool.
func (e *Emitter) Lt(t ir.Type, a, b Ref) Ref {
	return e.op(ir.OpLt, evalLt, t, ir.Bool, 0, 2, a, b, 0)
}

// Select is a where the bool c holds, b elsewhere.
func (e *Emitter) Select(t ir.Type, c, a, b Ref) Ref {
	return e.op(ir.OpSelect, evalSelect, t, t, 0, 3, c, a, b)
}

// Cvt converts a value from one type to another.
func (e *Emitter) Cvt(to, from ir.Type, a Ref) Ref {
	return e.op(ir.OpCvt, evalCvt, from, to, 0, 1, a, 0, 0)
}

// Bitcast reads the bits of a as another type of the same width.
func (e *Emitter) Bitcast(to, from ir.Type, a Ref) Ref {
	return e.op(ir.OpBitcast, evalBitcast, from, to, 0, 1, a, 0, 0)
}
