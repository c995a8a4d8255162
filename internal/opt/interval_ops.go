package opt

import "github.com/govyre/vyre/ir"

// transfer makes out the interval of row r's value, by those of its operands. It knows the ops that
// indices and conditions are made of; of others it says what their type says.
func (w *work) transfer(r ir.Row, out *interval, of func(ir.Row) *interval) {
	if w.computes(r) {
		in := [3]*interval{&nothing, &nothing, &nothing}
		for i, v := range [3]ir.Row{w.A(r), w.B(r), w.C(r)} {
			if v != ir.NoRow {
				in[i] = of(v)
			}
		}
		w.arithmetic(r, out, in[0], in[1], in[2])
		return
	}
	n := widthOf(w.Type[r])
	if b, ok := w.bits(r); ok {
		out.exact(n, b)
		return
	}
	switch w.Op[r] {
	case ir.OpLocal:
		out.unsigned(n, 0, uint64(w.Workgroup[w.X[r]])-1)
		return
	case ir.OpLane:
		out.unsigned(n, 0, min(w.groupSize(), 32)-1)
		return
	case ir.OpWarp:
		out.unsigned(n, 0, (w.groupSize()-1)/32)
		return
	case ir.OpGroup:
		out.unsigned(n, 0, maxGroups(w.X[r])-1)
		return
	case ir.OpGroups:
		out.unsigned(n, 1, maxGroups(w.X[r])) // nobody runs in a grid of none
		return
	case ir.OpGlobal:
		out.unsigned(n, 0, min(maxGroups(w.X[r])*uint64(w.Workgroup[w.X[r]]), 1<<32)-1)
		return
	case ir.OpLen:
		if most := w.maxLen(w.X[r]); most != ir.RestLen {
			out.unsigned(n, w.minLen(w.X[r]), most)
			return
		}
	case ir.OpLoad:
		if w.objs[w.X[r]].Table() {
			out.set(&w.contents(w.X[r]).loads)
		} else {
			out.element(n, w.objs[w.X[r]].Type())
		}
		return
	case ir.OpArg:
		if w.Region[r] == 0 {
			out.element(n, w.scalar(w.X[r]))
			return
		}
	case ir.OpBarrierBcastWG, ir.OpBarrierBcastGrid:
		out.set(of(w.A(r)))
		return
	}
	out.full(n)
}

// nothing is what stands for the interval of what has none.
var nothing interval

// maxGroups is the largest group count along an axis that a launch may have.
func maxGroups(axis uint32) uint64 {
	if axis == 0 {
		return 1<<31 - 1
	}
	return 65535
}

// scalar is the type of the k-th scalar parameter.
func (w *work) scalar(k uint32) ir.Type {
	for i := range w.Params {
		if w.Params[i].IsBuffer() {
			continue
		}
		if k == 0 {
			return w.Params[i].Type
		}
		k--
	}
	panic("BUG: opt: no such scalar parameter")
}

// element holds what memory of a type holds.
func (z *interval) element(n width, t ir.Type) {
	bits := widthOf(t)
	switch {
	case t.Value() == t || !t.Value().IsInt():
		z.full(n)
	case t.IsSigned():
		z.signed(n, bits.min(), bits.max())
	default:
		z.unsigned(n, 0, bits.mask())
	}
}

// computes reports whether row r is a pure op of operands that have intervals.
func (w *work) computes(r ir.Row) bool {
	in := w.info(r)
	if in.Args == 0 || in.Attr&ir.Pure == 0 {
		return false
	}
	from := w.Type[w.A(r)]
	return from.IsInt() || from == ir.Bool || w.Op[r] == ir.OpSelect
}

// arithmetic is transfer for what computes. Those of its operands are none of what it writes.
func (w *work) arithmetic(r ir.Row, out, a, b, c *interval) {
	t, from := w.Type[r], w.Type[w.A(r)]
	n, m, signed := widthOf(t), widthOf(from), from.IsSigned()
	switch w.Op[r] {
	case ir.OpAdd:
		out.add(n, a, b)
	case ir.OpSub:
		out.sub(n, a, b)
	case ir.OpMul:
		out.mul(n, a, b)
	case ir.OpMulWide:
		var x, y interval
		x.convert(n, a, m, signed)
		y.convert(n, b, m, signed)
		out.mul(n, &x, &y)
	case ir.OpNeg:
		var zero interval
		zero.exact(n, 0)
		out.sub(n, &zero, a)
	case ir.OpAbs:
		out.abs(n, a)
	case ir.OpDiv:
		out.div(n, a, b, signed)
	case ir.OpRem:
		out.rem(n, a, b, signed)
	case ir.OpMin:
		out.min(n, a, b, signed)
	case ir.OpMax:
		out.max(n, a, b, signed)
	case ir.OpAnd:
		out.and(n, a, b)
	case ir.OpOr:
		out.or(n, a, b)
	case ir.OpXor:
		out.xor(n, a, b)
	case ir.OpNot:
		out.not(n, a)
	case ir.OpShl:
		out.shl(n, a, b)
	case ir.OpShr:
		out.shr(n, a, b, signed)
	case ir.OpPopc, ir.OpClz, ir.OpCtz:
		out.unsigned(n, 0, uint64(m))
	case ir.OpBfe:
		out.field(n, a, uint64(w.X[r]&0xFF), width(w.X[r]>>8), signed)
	case ir.OpCvt:
		if t.IsInt() {
			out.convert(n, a, m, signed)
		} else {
			out.full(n)
		}
	case ir.OpSelect:
		switch cond, ok := a.constant(); {
		case ok && cond != 0:
			out.set(b)
		case ok:
			out.set(c)
		default:
			out.join(b, c)
		}
	case ir.OpLt, ir.OpLe:
		out.less(a, b, signed, w.Op[r] == ir.OpLe)
	case ir.OpEq:
		out.equal(a, b)
	case ir.OpNe:
		out.equal(a, b)
		out.not(n, out)
	case ir.OpShuffle, ir.OpShuffleXor, ir.OpShuffleUp, ir.OpShuffleDown:
		var zero interval
		zero.exact(n, 0)
		out.join(a, &zero) // that of another lane, or of none
	default:
		out.full(n)
	}
}

// field is a field of bits of a, as long as length is wide, from bit pos on.
func (out *interval) field(n width, a *interval, pos uint64, length width, signed bool) {
	if signed {
		out.signed(n, length.min(), length.max())
		return
	}
	var k interval
	k.exact(n, pos)
	out.shr(n, a, &k, false)
	k.exact(n, length.mask())
	out.and(n, out, &k)
}
