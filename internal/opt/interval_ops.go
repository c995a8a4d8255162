package opt

import "github.com/govyre/vyre/ir"

// transfer gives the interval of row r's value for those of its operands. It knows the ops that
// indices and conditions are made of; of others it says what their type says.
func (w *work) transfer(r ir.Row, of func(ir.Row) interval) interval {
	if w.computes(r) {
		var in [3]interval
		for i, v := range [3]ir.Row{w.A(r), w.B(r), w.C(r)} {
			if v != ir.NoRow {
				in[i] = of(v)
			}
		}
		return w.arithmetic(r, &in)
	}
	t := w.Type[r]
	n := widthOf(t)
	if b, ok := w.bits(r); ok {
		return n.exact(b)
	}
	switch w.Op[r] {
	case ir.OpLocal:
		return n.unsigned(0, uint64(w.Workgroup[w.X[r]])-1)
	case ir.OpLane:
		return n.unsigned(0, min(w.groupSize(), 32)-1)
	case ir.OpWarp:
		return n.unsigned(0, (w.groupSize()-1)/32)
	case ir.OpGroup:
		return n.unsigned(0, maxGroups(w.X[r])-1)
	case ir.OpGroups:
		return n.unsigned(1, maxGroups(w.X[r])) // nobody runs in a grid of none
	case ir.OpGlobal:
		return n.unsigned(0, min(maxGroups(w.X[r])*uint64(w.Workgroup[w.X[r]]), 1<<32)-1)
	case ir.OpLen:
		if most := w.maxLen(w.X[r]); most != ir.RestLen {
			return n.unsigned(w.minLen(w.X[r]), most)
		}
	case ir.OpLoad:
		if w.objs[w.X[r]].Table() {
			return w.contents(w.X[r]).loads
		}
		return n.element(w.objs[w.X[r]].Type())
	case ir.OpArg:
		if w.Region[r] == 0 {
			return n.element(w.scalar(w.X[r]))
		}
	case ir.OpBarrierBcastWG, ir.OpBarrierBcastGrid:
		return of(w.A(r))
	}
	return n.full()
}

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

// element is the interval of what memory of a type holds.
func (n width) element(t ir.Type) interval {
	if t.Value() == t || !t.Value().IsInt() {
		return n.full()
	}
	bits := widthOf(t)
	if t.IsSigned() {
		return n.signed(bits.min(), bits.max())
	}
	return n.unsigned(0, bits.mask())
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

// arithmetic is transfer for what computes, of the intervals of its operands.
func (w *work) arithmetic(r ir.Row, in *[3]interval) interval {
	t, from := w.Type[r], w.Type[w.A(r)]
	n, m, signed := widthOf(t), widthOf(from), from.IsSigned()
	a, b := in[0], in[1]
	switch w.Op[r] {
	case ir.OpAdd:
		return n.add(a, b)
	case ir.OpSub:
		return n.sub(a, b)
	case ir.OpMul:
		return n.mul(a, b)
	case ir.OpMulWide:
		return n.mul(n.convert(a, m, signed), n.convert(b, m, signed))
	case ir.OpNeg:
		return n.sub(n.exact(0), a)
	case ir.OpDiv:
		return n.div(a, b, signed)
	case ir.OpRem:
		return n.rem(a, b, signed)
	case ir.OpMin:
		return n.min2(a, b, signed)
	case ir.OpMax:
		return n.max2(a, b, signed)
	case ir.OpAnd:
		return n.and(a, b)
	case ir.OpOr:
		return n.or(a, b)
	case ir.OpXor:
		return n.xor(a, b)
	case ir.OpNot:
		return n.not(a)
	case ir.OpShl:
		return n.shl(a, b)
	case ir.OpShr:
		return n.shr(a, b, signed)
	case ir.OpPopc, ir.OpClz, ir.OpCtz:
		return n.unsigned(0, uint64(m))
	case ir.OpBfe:
		pos, length := uint64(w.X[r]&0xFF), width(w.X[r]>>8)
		if signed {
			return n.signed(length.min(), length.max())
		}
		return n.and(n.shr(a, n.exact(pos), false), n.exact(length.mask()))
	case ir.OpCvt:
		if t.IsInt() {
			return n.convert(a, m, signed)
		}
	case ir.OpSelect:
		switch c, ok := a.constant(); {
		case ok && c != 0:
			return b
		case ok:
			return in[2]
		}
		return n.join(b, in[2])
	case ir.OpLt, ir.OpLe:
		return m.less(a, b, signed, w.Op[r] == ir.OpLe)
	case ir.OpEq:
		return m.equal(a, b)
	case ir.OpNe:
		return n.not(m.equal(a, b))
	case ir.OpShuffle, ir.OpShuffleXor, ir.OpShuffleUp, ir.OpShuffleDown:
		return n.join(a, n.exact(0)) // that of another lane, or of none
	}
	return n.full()
}
