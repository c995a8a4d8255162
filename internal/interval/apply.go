package interval

import "github.com/govyre/vyre/ir"

// Apply makes z hold the results of a pure op with immediate x, of type t, for all operands in a, b and c, none of which is
// z itself. The first operand has type from. Of ops that it does not know it says what their type says.
func (z *Interval) Apply(op ir.Op, t, from ir.Type, x uint32, a, b, c *Interval) {
	n, m, signed := WidthOf(t), WidthOf(from), from.IsSigned()
	switch op {
	case ir.OpAdd:
		z.Add(n, a, b)
	case ir.OpSub:
		z.Sub(n, a, b)
	case ir.OpMul:
		z.Mul(n, a, b)
	case ir.OpMulWide:
		var l, r Interval
		l.Convert(n, a, m, signed)
		r.Convert(n, b, m, signed)
		z.Mul(n, &l, &r)
	case ir.OpNeg:
		var zero Interval
		zero.Exact(n, 0)
		z.Sub(n, &zero, a)
	case ir.OpAbs:
		z.Abs(n, a)
	case ir.OpDiv:
		z.Div(n, a, b, signed)
	case ir.OpRem:
		z.Rem(n, a, b, signed)
	case ir.OpMin:
		z.Min(n, a, b, signed)
	case ir.OpMax:
		z.Max(n, a, b, signed)
	case ir.OpAnd:
		z.And(n, a, b)
	case ir.OpOr:
		z.Or(n, a, b)
	case ir.OpXor:
		z.Xor(n, a, b)
	case ir.OpNot:
		z.Not(n, a)
	case ir.OpShl:
		z.Shl(n, a, b)
	case ir.OpShr:
		z.Shr(n, a, b, signed)
	case ir.OpPopc, ir.OpClz, ir.OpCtz:
		z.Unsigned(n, 0, uint64(m))
	case ir.OpCarry, ir.OpBorrow:
		most := b.Hi + c.Hi
		if op == ir.OpCarry {
			most += a.Hi
		}
		// With operands of at most half of all numbers nothing wraps on the way.
		small := a.Hi <= n.Mask()>>2 && b.Hi <= n.Mask()>>2 && c.Hi <= 1
		if small && (op == ir.OpCarry || most <= a.Lo) {
			most = 0
		} else {
			most = 1
		}
		z.Unsigned(n, 0, most)
	case ir.OpBfe:
		z.Field(n, a, uint64(x&0xFF), Width(x>>8), signed)
	case ir.OpCvt:
		if t.IsInt() {
			z.Convert(n, a, m, signed)
		} else {
			z.Full(n)
		}
	case ir.OpSelect:
		switch cond, ok := a.Constant(); {
		case ok && cond != 0:
			z.Set(b)
		case ok:
			z.Set(c)
		default:
			z.Join(b, c)
		}
	case ir.OpLt, ir.OpLe:
		z.Less(a, b, signed, op == ir.OpLe)
	case ir.OpEq:
		z.Equal(a, b)
	case ir.OpNe:
		z.Equal(a, b)
		z.Not(n, z)
	case ir.OpShuffle, ir.OpShuffleXor, ir.OpShuffleUp, ir.OpShuffleDown:
		var zero Interval
		zero.Exact(n, 0)
		z.Join(a, &zero) // that of another lane, or of none
	default:
		z.Full(n)
	}
}

// Field is a field of bits of a, as long as length is wide, from bit pos on.
func (z *Interval) Field(n Width, a *Interval, pos uint64, length Width, signed bool) {
	if signed {
		z.Signed(n, length.Min(), length.Max())
		return
	}
	var k Interval
	k.Exact(n, pos)
	z.Shr(n, a, &k, false)
	k.Exact(n, length.Mask())
	z.And(n, z, &k)
}

// Element holds what memory of a type holds.
func (z *Interval) Element(n Width, t ir.Type) {
	bits := WidthOf(t)
	switch {
	case t.Value() == t || !t.Value().IsInt():
		z.Full(n)
	case t.IsSigned():
		z.Signed(n, bits.Min(), bits.Max())
	default:
		z.Unsigned(n, 0, bits.Mask())
	}
}
