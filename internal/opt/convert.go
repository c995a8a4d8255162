package opt

import "github.com/govyre/vyre/ir"

// convert applies one of the rules that are about types rather than about a term, and reports
// whether one applied to row r.
func (w *work) convert(r ir.Row) bool {
	switch w.Op[r] {
	case ir.OpCvt:
		return w.convertTwice(r) || w.convertAround(r)
	case ir.OpBitcast:
		return w.bitcastTwice(r)
	case ir.OpEq, ir.OpNe:
		return w.compareBool(r) || w.compareSign(r)
	case ir.OpSelect:
		return w.chooseSign(r)
	case ir.OpElem:
		if v := w.A(r); w.Op[v] == ir.OpVec {
			return w.rewrite(r, ir.Row(w.Operands(v)[w.X[r]]), "elem-vec")
		}
	case ir.OpVec:
		list := w.Operands(r)
		v := w.A(ir.Row(list[0]))
		for k, e := range list {
			if w.Op[e] != ir.OpElem || w.X[e] != uint32(k) || w.A(ir.Row(e)) != v {
				return false
			}
		}
		return w.Type[v] == w.Type[r] && w.rewrite(r, v, "vec-elem")
	}
	return false
}

// rewrite replaces r by v under the name of a rule.
func (w *work) rewrite(r, v ir.Row, rule string) bool {
	if !w.replace(r, v) {
		return false
	}
	w.hit(rule)
	return true
}

// convertTwice makes one conversion of two, if the first loses nothing that the second keeps.
func (w *work) convertTwice(r ir.Row) bool {
	inner := w.A(r)
	if w.Op[inner] != ir.OpCvt {
		return false
	}
	v := w.A(inner)
	from, mid, to := w.Type[v], w.Type[inner], w.Type[r]
	var ok bool
	switch {
	case to.IsInt() && mid.IsInt() && from.IsInt():
		// Where the middle is at least as wide as the end, the end sees the low bits of what from
		// extends to. Where it is narrower, extending it again is another extension.
		ok = to.Bits() <= mid.Bits() || w.Op[v] == ir.OpCarry || w.Op[v] == ir.OpBorrow // which are 0 or 1
	case from == ir.Bool:
		ok = to.IsInt() && mid.IsInt()
	case to == from && mid == ir.F64:
		ok = to == ir.F32 || to == ir.I32 || to == ir.U32 // each is exact in f64
	case to == from && mid == ir.F32:
		ok = to.IsHalf()
	}
	if !w.must(checkConversion, ok) || to != from && !ir.CanConvert(to, from) {
		return false
	}
	if to == from {
		return w.rewrite(r, v, "cvt-cvt")
	}
	w.become(r, ir.OpCvt, 0, v)
	w.hit("cvt-cvt")
	return true
}

// convertAround drops conversions between the signed and the unsigned type of one width around an op
// that does the same to both.
func (w *work) convertAround(r ir.Row) bool {
	v := w.A(r)
	t := w.Type[r]
	if !t.IsInt() || !w.must(checkIntegers, w.Type[v].IsInt()) || w.uses[v] != 1 || w.Type[v] == t || w.Type[v].Unsigned() != t.Unsigned() {
		return false
	}
	switch w.Op[v] {
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpNot, ir.OpNeg:
	default:
		return false
	}
	var args []ir.Row
	for _, a := range [2]ir.Row{w.A(v), w.B(v)} {
		if a == ir.NoRow {
			break
		}
		if b, ok := w.bits(a); ok {
			a = w.constant(t, b)
		} else if w.Op[a] == ir.OpCvt && w.Type[w.A(a)] == t {
			a = w.A(a)
		} else {
			return false
		}
		args = append(args, a)
	}
	w.become(r, w.Op[v], 0, args...)
	w.hit("cvt-around")
	return true
}

// bitcastTwice undoes a reinterpretation. Through a half type the upper bits of a u32 are lost.
func (w *work) bitcastTwice(r ir.Row) bool {
	inner := w.A(r)
	if w.Op[inner] != ir.OpBitcast {
		return false
	}
	v := w.A(inner)
	return w.Type[v] == w.Type[r] && !w.Type[inner].IsHalf() && w.rewrite(r, v, "bitcast-bitcast")
}

// compareBool compares a bool made an integer with 0 or 1.
func (w *work) compareBool(r ir.Row) bool {
	a := w.A(r)
	bits, ok := w.bits(w.B(r))
	if !ok || bits > 1 || w.Op[a] != ir.OpCvt || !w.Type[a].IsInt() || w.Type[w.A(a)] != ir.Bool {
		return false
	}
	if (w.Op[r] == ir.OpEq) == (bits == 1) {
		return w.rewrite(r, w.A(a), "compare-bool")
	}
	w.become(r, ir.OpNot, 0, w.A(a))
	w.hit("compare-bool")
	return true
}
