package opt

import "github.com/govyre/vyre/ir"

// compareSign makes a comparison with 0 of one of the highest bit of a number, shifted down:
//
//	%b = shr.u64 %x, 63_u32        =>   %s = cvt.i64.u64 %x
//	%c = ne.u64 %b, 0_u64               %c = lt.i64 %s, 0_i64
//
// The bit is 1 where the number, read with a sign, is negative, so a comparison of the bit with 0 or 1 asks for that. A
// conversion between keeps the bit, as all integers have more than one. Of 64 bits only the upper half is compared.
func (w *work) compareSign(r ir.Row) bool {
	bit, ok := w.bits(w.B(r))
	v := w.A(r)
	if !ok || bit > 1 {
		return false
	}
	if w.Op[v] == ir.OpCvt && w.Type[v].IsInt() {
		v = w.A(v)
	}
	t := w.Type[v]
	if w.Op[v] != ir.OpShr || t.IsSigned() {
		return false
	}
	if k, ok := w.bits(w.B(v)); !ok || !w.must(checkHighest, k == uint64(t.Bits())-1) {
		return false
	}
	x := w.signed(w.A(v), r)
	zero := w.constant(w.Type[x], 0)
	if (w.Op[r] == ir.OpNe) == (bit == 0) {
		w.become(r, ir.OpLt, 0, x, zero)
	} else {
		w.become(r, ir.OpLe, 0, zero, x)
	}
	w.hit("compare-sign")
	return true
}

// signed is x read with a sign, in front of row r.
func (w *work) signed(x, r ir.Row) ir.Row {
	t := ir.I32
	if w.Type[x].Size() == 8 {
		t = ir.I64
	}
	if w.Type[x] == t {
		return x
	}
	return w.simplify(w.before(r, ir.OpCvt, t, 0, x))
}

// chooseSign makes a shift of a choice of −1 and 0 by the sign of a number, if nothing else needs the comparison: all bits
// of what is shifted down by all bits but one are the sign. Fewer bits of it are those of a shorter −1 or 0.
func (w *work) chooseSign(r ir.Row) bool {
	c, t := w.A(r), w.Type[r]
	if w.Op[c] != ir.OpLt || w.uses[c] != 1 || !w.isConst(w.C(r), 0) || !t.IsInt() || !w.isConst(w.B(r), t.Mask()) {
		return false
	}
	x := w.A(c)
	from := w.Type[x]
	if !from.IsInt() || !from.IsSigned() || !w.isConst(w.B(c), 0) || t.Bits() > from.Bits() {
		return false
	}
	count := w.constant(ir.U32, uint64(from.Bits())-1)
	if t == from {
		w.become(r, ir.OpShr, 0, x, count)
	} else {
		w.become(r, ir.OpCvt, 0, w.before(r, ir.OpShr, from, 0, x, count))
	}
	w.hit("choose-sign")
	return true
}
