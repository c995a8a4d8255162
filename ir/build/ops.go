package build

import (
	"fmt"
	"math"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/finding"
)

// want checks operands against the table. elem is the value type that an Elem operand must
// have, object what the op accesses.
func (b *Builder) want(op ir.Op, elem ir.Type, object string, in ...Value) bool {
	if !b.ok(in...) {
		return false
	}
	info := op.Info()
	if info == nil {
		b.fail("VY014", uint16(op))
		return false
	}
	if len(in) != info.Args {
		b.fail("VY006", op, finding.Plural(len(in), "operand"), fmt.Sprint(info.Args))
		return false
	}
	for i, v := range in {
		var other ir.Type
		if same := info.In[i].Same; same != 0 {
			other = b.Type(in[same-1])
		}
		if code, args := finding.Misfit(info, i, b.Type(v), other, elem, object); code != "" {
			b.fail(code, args...)
			return false
		}
	}
	return true
}

// Op emits an op that has no object, region or immediate: arithmetic, functions,
// subgroup ops, barriers, pauses. It returns the value, if the op has one.
func (b *Builder) Op(op ir.Op, in ...Value) Value { return b.OpImm(op, 0, in...) }

// OpImm is Op with an immediate: an axis, the Field of bfe and bfi, the lane of elem.
func (b *Builder) OpImm(op ir.Op, imm uint32, in ...Value) Value {
	if info := op.Info(); info != nil && info.List {
		return b.fail("VY006", op, "a plain list of operands", "its own method of the builder")
	}
	if !b.want(op, ir.None, "", in...) {
		return noValue
	}
	info := op.Info()
	var types [3]ir.Type
	for i, v := range in {
		types[i] = b.Type(v)
	}
	t := info.ResultType(types[:len(in)]...)
	if info.Result.Kind != ir.ResultNone && t == ir.None {
		return b.fail("VY103", op, "none", "stated by its own method of the builder")
	}
	if info.Attr&(ir.Pure|ir.Convergent) == 0 && op != ir.OpClock && op != ir.OpTimer && op != ir.OpPause {
		return b.fail("VY006", op, "a plain list of operands", "its own method of the builder")
	}
	return b.emit(op, t, imm, in...)
}

// Field packs the immediate of bfe and bfi.
func Field(pos, length uint32) uint32 { return pos | length<<8 }

// Cvt converts v to another type by the conversion table; v itself if it has that type.
func (b *Builder) Cvt(to ir.Type, v Value) Value {
	if !b.ok(v) || b.Type(v) == to {
		return v
	}
	if !b.want(ir.OpCvt, ir.None, "", v) {
		return noValue
	}
	return b.emit(ir.OpCvt, to, 0, v)
}

// Bitcast reads the bits of v as another type of the same width.
func (b *Builder) Bitcast(to ir.Type, v Value) Value {
	if !b.ok(v) || b.Type(v) == to {
		return v
	}
	if !b.want(ir.OpBitcast, ir.None, "", v) {
		return noValue
	}
	return b.emit(ir.OpBitcast, to, 0, v)
}

// Constants.

// Bool returns a bool constant.
func (b *Builder) Bool(v bool) Value {
	if v {
		return b.Const(ir.Bool, 1)
	}
	return b.Const(ir.Bool, 0)
}

// I32 returns an i32 constant.
func (b *Builder) I32(v int32) Value { return b.Const(ir.I32, uint64(uint32(v))) }

// U32 returns a u32 constant.
func (b *Builder) U32(v uint32) Value { return b.Const(ir.U32, uint64(v)) }

// I64 returns an i64 constant.
func (b *Builder) I64(v int64) Value { return b.Const(ir.I64, uint64(v)) }

// U64 returns a u64 constant.
func (b *Builder) U64(v uint64) Value { return b.Const(ir.U64, v) }

// F32 returns an f32 constant.
func (b *Builder) F32(v float32) Value { return b.Const(ir.F32, uint64(math.Float32bits(v))) }

// F64 returns an f64 constant.
func (b *Builder) F64(v float64) Value { return b.Const(ir.F64, math.Float64bits(v)) }

// Builtins. An axis is 0, 1 or 2.

// Local returns the invocation's id in its workgroup along an axis.
func (b *Builder) Local(axis uint32) Value { return b.axis(ir.OpLocal, axis) }

// Group returns the workgroup's id along an axis.
func (b *Builder) Group(axis uint32) Value { return b.axis(ir.OpGroup, axis) }

// Groups returns the number of workgroups along an axis.
func (b *Builder) Groups(axis uint32) Value { return b.axis(ir.OpGroups, axis) }

// Global returns group·size + local along an axis.
func (b *Builder) Global(axis uint32) Value { return b.axis(ir.OpGlobal, axis) }

func (b *Builder) axis(op ir.Op, axis uint32) Value {
	if axis > 2 {
		return b.fail("VY109", "axis", op, fmt.Sprint(axis), "0, 1 or 2")
	}
	return b.emit(op, ir.U32, axis)
}

// Lane returns the invocation's position in its warp.
func (b *Builder) Lane() Value { return b.emit(ir.OpLane, ir.U32, 0) }

// Warp returns the warp's number in its workgroup.
func (b *Builder) Warp() Value { return b.emit(ir.OpWarp, ir.U32, 0) }

// Clock returns some counter that does not decrease within an invocation.
func (b *Builder) Clock() Value { return b.emit(ir.OpClock, ir.U64, 0) }

// Len returns the element count of an object: u32, or u64 where it can be 2³² or more.
func (b *Builder) Len(o ir.Object) Value {
	if _, ok := b.elem(o); !ok {
		return noValue
	}
	return b.emit(ir.OpLen, b.lenType(o), uint32(o))
}

// lenType is the type of the length of an object that was declared.
func (b *Builder) lenType(o ir.Object) ir.Type {
	if ob := b.objs[o]; !ob.array && b.params[ob.index].MaxLen >= 1<<32 {
		return ir.U64
	}
	return ir.U32
}

// Add returns x + y.
func (b *Builder) Add(x, y Value) Value { return b.Op(ir.OpAdd, x, y) }

// Sub returns x − y.
func (b *Builder) Sub(x, y Value) Value { return b.Op(ir.OpSub, x, y) }

// Mul returns x · y.
func (b *Builder) Mul(x, y Value) Value { return b.Op(ir.OpMul, x, y) }

// Div returns x / y; total on integers.
func (b *Builder) Div(x, y Value) Value { return b.Op(ir.OpDiv, x, y) }

// Rem returns x mod y, with the sign of x.
func (b *Builder) Rem(x, y Value) Value { return b.Op(ir.OpRem, x, y) }

// Min returns the smaller; of floats, a NaN loses.
func (b *Builder) Min(x, y Value) Value { return b.Op(ir.OpMin, x, y) }

// Max returns the larger; of floats, a NaN loses.
func (b *Builder) Max(x, y Value) Value { return b.Op(ir.OpMax, x, y) }

// Neg returns −x.
func (b *Builder) Neg(x Value) Value { return b.Op(ir.OpNeg, x) }

// Abs returns |x| of a signed integer or a float.
func (b *Builder) Abs(x Value) Value { return b.Op(ir.OpAbs, x) }

// Fma returns x·y + z with one rounding.
func (b *Builder) Fma(x, y, z Value) Value { return b.Op(ir.OpFma, x, y, z) }

// Sqrt returns the correctly rounded square root.
func (b *Builder) Sqrt(x Value) Value { return b.Op(ir.OpSqrt, x) }

// Exp returns e to the x, to within 1 ulp.
func (b *Builder) Exp(x Value) Value { return b.Op(ir.OpExp, x) }

// And returns the bitwise and; of bools, the logical one with both sides evaluated.
func (b *Builder) And(x, y Value) Value { return b.Op(ir.OpAnd, x, y) }

// Or returns the bitwise or; of bools, the logical one with both sides evaluated.
func (b *Builder) Or(x, y Value) Value { return b.Op(ir.OpOr, x, y) }

// Xor returns the bitwise exclusive or.
func (b *Builder) Xor(x, y Value) Value { return b.Op(ir.OpXor, x, y) }

// Not returns the complement.
func (b *Builder) Not(x Value) Value { return b.Op(ir.OpNot, x) }

// Shl shifts left by a u32 count, which saturates.
func (b *Builder) Shl(x, n Value) Value { return b.Op(ir.OpShl, x, n) }

// Shr shifts right by a u32 count, which saturates; arithmetic on signed types.
func (b *Builder) Shr(x, n Value) Value { return b.Op(ir.OpShr, x, n) }

// Eq compares for equality.
func (b *Builder) Eq(x, y Value) Value { return b.Op(ir.OpEq, x, y) }

// Ne compares for inequality.
func (b *Builder) Ne(x, y Value) Value { return b.Op(ir.OpNe, x, y) }

// Lt returns x < y.
func (b *Builder) Lt(x, y Value) Value { return b.Op(ir.OpLt, x, y) }

// Le returns x ≤ y.
func (b *Builder) Le(x, y Value) Value { return b.Op(ir.OpLe, x, y) }

// Gt returns y < x.
func (b *Builder) Gt(x, y Value) Value { return b.Op(ir.OpLt, y, x) }

// Ge returns y ≤ x.
func (b *Builder) Ge(x, y Value) Value { return b.Op(ir.OpLe, y, x) }

// Select returns x where c holds, else y; both are evaluated.
func (b *Builder) Select(c, x, y Value) Value { return b.Op(ir.OpSelect, c, x, y) }

// CanonNaN turns every NaN into the quiet one with sign and payload 0.
func (b *Builder) CanonNaN(x Value) Value {
	var quiet Value
	switch b.Type(x) {
	case ir.F32:
		quiet = b.Const(ir.F32, 0x7FC0_0000)
	case ir.F64:
		quiet = b.Const(ir.F64, 0x7FF8_0000_0000_0000)
	case ir.F16:
		quiet = b.Const(ir.F16, 0x7E00)
	case ir.BF16:
		quiet = b.Const(ir.BF16, 0x7FC0)
	default:
		return b.fail("VY101", "the operand", "CanonNaN", b.Type(x), ir.Set(ir.F32, ir.F64, ir.F16, ir.BF16))
	}
	return b.Select(b.Eq(x, x), x, quiet)
}

// FastExp returns an approximation of e to the x: fast_exp2(x·log₂e).
func (b *Builder) FastExp(x Value) Value {
	return b.Op(ir.OpFastExp2, b.Mul(x, b.F32(math.Log2E)))
}

// FastLog returns an approximation of the natural logarithm: fast_log2(x)·ln 2.
func (b *Builder) FastLog(x Value) Value {
	return b.Mul(b.Op(ir.OpFastLog2, x), b.F32(math.Ln2))
}

// FastPow returns an approximation of x to the y: fast_exp2(y·fast_log2(x)).
func (b *Builder) FastPow(x, y Value) Value {
	return b.Op(ir.OpFastExp2, b.Mul(y, b.Op(ir.OpFastLog2, x)))
}
