package ir

import (
	"fmt"
	"math"
)

// want checks operands against the table. elem is the value type that an Elem operand must
// have, object what the op accesses.
func (b *Builder) want(op Op, elem Type, object string, in ...Value) bool {
	if !b.ok(in...) {
		return false
	}
	info := op.Info()
	if info == nil {
		b.fail("VY014", uint16(op))
		return false
	}
	if len(in) != info.Args {
		b.fail("VY006", op, plural(len(in), "operand"), fmt.Sprint(info.Args))
		return false
	}
	for i, v := range in {
		var other Type
		if same := info.In[i].Same; same != 0 {
			other = b.Type(in[same-1])
		}
		if code, args := info.misfit(i, b.Type(v), other, elem, object); code != "" {
			b.fail(code, args...)
			return false
		}
	}
	return true
}

// Op emits an op that has no object, region or immediate: arithmetic, functions,
// subgroup ops, barriers. It returns the value, if the op has one.
func (b *Builder) Op(op Op, in ...Value) Value { return b.OpImm(op, 0, in...) }

// OpImm is Op with an immediate: an axis, the Field of bfe and bfi, the lane of elem.
func (b *Builder) OpImm(op Op, imm uint32, in ...Value) Value {
	if info := op.Info(); info != nil && info.List {
		return b.fail("VY006", op, "a plain list of operands", "its own method of the builder")
	}
	if !b.want(op, None, "", in...) {
		return noValue
	}
	info := op.Info()
	var types [3]Type
	for i, v := range in {
		types[i] = b.Type(v)
	}
	t := info.ResultType(types[:len(in)]...)
	if info.Result.Kind != ResultNone && t == None {
		return b.fail("VY103", op, "none", "stated by its own method of the builder")
	}
	if info.Attr&(Pure|Convergent) == 0 && op != OpClock {
		return b.fail("VY006", op, "a plain list of operands", "its own method of the builder")
	}
	return b.emit(op, t, imm, in...)
}

// Field packs the immediate of bfe and bfi.
func Field(pos, length uint32) uint32 { return pos | length<<8 }

// Cvt converts v to another type by the conversion table; v itself if it has that type.
func (b *Builder) Cvt(to Type, v Value) Value {
	if !b.ok(v) || b.Type(v) == to {
		return v
	}
	if !b.want(OpCvt, None, "", v) {
		return noValue
	}
	return b.emit(OpCvt, to, 0, v)
}

// Bitcast reads the bits of v as another type of the same width.
func (b *Builder) Bitcast(to Type, v Value) Value {
	if !b.ok(v) || b.Type(v) == to {
		return v
	}
	if !b.want(OpBitcast, None, "", v) {
		return noValue
	}
	return b.emit(OpBitcast, to, 0, v)
}

// Constants.

// Bool returns a bool constant.
func (b *Builder) Bool(v bool) Value {
	if v {
		return b.Const(Bool, 1)
	}
	return b.Const(Bool, 0)
}

// I32 returns an i32 constant.
func (b *Builder) I32(v int32) Value { return b.Const(I32, uint64(uint32(v))) }

// U32 returns a u32 constant.
func (b *Builder) U32(v uint32) Value { return b.Const(U32, uint64(v)) }

// I64 returns an i64 constant.
func (b *Builder) I64(v int64) Value { return b.Const(I64, uint64(v)) }

// U64 returns a u64 constant.
func (b *Builder) U64(v uint64) Value { return b.Const(U64, v) }

// F32 returns an f32 constant.
func (b *Builder) F32(v float32) Value { return b.Const(F32, uint64(math.Float32bits(v))) }

// F64 returns an f64 constant.
func (b *Builder) F64(v float64) Value { return b.Const(F64, math.Float64bits(v)) }

// Builtins. An axis is 0, 1 or 2.

// Local returns the invocation's id in its workgroup along an axis.
func (b *Builder) Local(axis uint32) Value { return b.axis(OpLocal, axis) }

// Group returns the workgroup's id along an axis.
func (b *Builder) Group(axis uint32) Value { return b.axis(OpGroup, axis) }

// Groups returns the number of workgroups along an axis.
func (b *Builder) Groups(axis uint32) Value { return b.axis(OpGroups, axis) }

// Global returns group·size + local along an axis.
func (b *Builder) Global(axis uint32) Value { return b.axis(OpGlobal, axis) }

func (b *Builder) axis(op Op, axis uint32) Value {
	if axis > 2 {
		return b.fail("VY109", "axis", op, fmt.Sprint(axis), "0, 1 or 2")
	}
	return b.emit(op, U32, axis)
}

// Lane returns the invocation's position in its warp.
func (b *Builder) Lane() Value { return b.emit(OpLane, U32, 0) }

// Warp returns the warp's number in its workgroup.
func (b *Builder) Warp() Value { return b.emit(OpWarp, U32, 0) }

// Clock returns some counter that does not decrease within an invocation.
func (b *Builder) Clock() Value { return b.emit(OpClock, U64, 0) }

// Len returns the element count of an object: u32, or u64 where it can be 2³² or more.
func (b *Builder) Len(o Object) Value {
	if _, ok := b.elem(o); !ok {
		return noValue
	}
	t := U32
	if ob := b.objs[o]; !ob.array && b.params[ob.index].MaxLen >= 1<<32 {
		t = U64
	}
	return b.emit(OpLen, t, uint32(o))
}

// Add returns x + y.
func (b *Builder) Add(x, y Value) Value { return b.Op(OpAdd, x, y) }

// Sub returns x − y.
func (b *Builder) Sub(x, y Value) Value { return b.Op(OpSub, x, y) }

// Mul returns x · y.
func (b *Builder) Mul(x, y Value) Value { return b.Op(OpMul, x, y) }

// Div returns x / y; total on integers.
func (b *Builder) Div(x, y Value) Value { return b.Op(OpDiv, x, y) }

// Rem returns x mod y, with the sign of x.
func (b *Builder) Rem(x, y Value) Value { return b.Op(OpRem, x, y) }

// Min returns the smaller; of floats, a NaN loses.
func (b *Builder) Min(x, y Value) Value { return b.Op(OpMin, x, y) }

// Max returns the larger; of floats, a NaN loses.
func (b *Builder) Max(x, y Value) Value { return b.Op(OpMax, x, y) }

// Neg returns −x.
func (b *Builder) Neg(x Value) Value { return b.Op(OpNeg, x) }

// Abs returns |x| of a signed integer or a float.
func (b *Builder) Abs(x Value) Value { return b.Op(OpAbs, x) }

// Fma returns x·y + z with one rounding.
func (b *Builder) Fma(x, y, z Value) Value { return b.Op(OpFma, x, y, z) }

// Sqrt returns the correctly rounded square root.
func (b *Builder) Sqrt(x Value) Value { return b.Op(OpSqrt, x) }

// Exp returns e to the x, to within 1 ulp.
func (b *Builder) Exp(x Value) Value { return b.Op(OpExp, x) }

// And returns the bitwise and; of bools, the logical one with both sides evaluated.
func (b *Builder) And(x, y Value) Value { return b.Op(OpAnd, x, y) }

// Or returns the bitwise or; of bools, the logical one with both sides evaluated.
func (b *Builder) Or(x, y Value) Value { return b.Op(OpOr, x, y) }

// Xor returns the bitwise exclusive or.
func (b *Builder) Xor(x, y Value) Value { return b.Op(OpXor, x, y) }

// Not returns the complement.
func (b *Builder) Not(x Value) Value { return b.Op(OpNot, x) }

// Shl shifts left by a u32 count, which saturates.
func (b *Builder) Shl(x, n Value) Value { return b.Op(OpShl, x, n) }

// Shr shifts right by a u32 count, which saturates; arithmetic on signed types.
func (b *Builder) Shr(x, n Value) Value { return b.Op(OpShr, x, n) }

// Eq compares for equality.
func (b *Builder) Eq(x, y Value) Value { return b.Op(OpEq, x, y) }

// Ne compares for inequality.
func (b *Builder) Ne(x, y Value) Value { return b.Op(OpNe, x, y) }

// Lt returns x < y.
func (b *Builder) Lt(x, y Value) Value { return b.Op(OpLt, x, y) }

// Le returns x ≤ y.
func (b *Builder) Le(x, y Value) Value { return b.Op(OpLe, x, y) }

// Gt returns y < x.
func (b *Builder) Gt(x, y Value) Value { return b.Op(OpLt, y, x) }

// Ge returns y ≤ x.
func (b *Builder) Ge(x, y Value) Value { return b.Op(OpLe, y, x) }

// Select returns x where c holds, else y; both are evaluated.
func (b *Builder) Select(c, x, y Value) Value { return b.Op(OpSelect, c, x, y) }

// CanonNaN turns every NaN into the quiet one with sign and payload 0.
func (b *Builder) CanonNaN(x Value) Value {
	var quiet Value
	switch b.Type(x) {
	case F32:
		quiet = b.Const(F32, 0x7FC0_0000)
	case F64:
		quiet = b.Const(F64, 0x7FF8_0000_0000_0000)
	case F16:
		quiet = b.Const(F16, 0x7E00)
	case BF16:
		quiet = b.Const(BF16, 0x7FC0)
	default:
		return b.fail("VY101", "the operand", "CanonNaN", b.Type(x), setF|setH)
	}
	return b.Select(b.Eq(x, x), x, quiet)
}

// FastExp returns an approximation of e to the x: fast_exp2(x·log₂e).
func (b *Builder) FastExp(x Value) Value {
	return b.Op(OpFastExp2, b.Mul(x, b.F32(math.Log2E)))
}

// FastLog returns an approximation of the natural logarithm: fast_log2(x)·ln 2.
func (b *Builder) FastLog(x Value) Value {
	return b.Mul(b.Op(OpFastLog2, x), b.F32(math.Ln2))
}

// FastPow returns an approximation of x to the y: fast_exp2(y·fast_log2(x)).
func (b *Builder) FastPow(x, y Value) Value {
	return b.Op(OpFastExp2, b.Mul(y, b.Op(OpFastLog2, x)))
}
