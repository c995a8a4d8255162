package opt

import (
	"math/bits"

	"github.com/govyre/vyre/ir"
)

// redundant replaces row r, a pure op on integers, by one of its operands, a constant, or a cheaper op,
// where ranges show that to be the same. It reports whether it did.
func (n *narrowing) redundant(r ir.Row) bool {
	w, g := n.w, n.g
	t := w.Type[r]
	a := w.A(r)
	if !t.IsInt() || w.Type[a] != t {
		return false
	}
	if v, ok := g.at(r).constant(); ok {
		if _, already := w.bits(r); !already {
			w.replaceAlways(r, w.constant(t, v))
			w.hit("constant")
			return true
		}
	}
	i, m := g.at(a), widthOf(t)
	if w.Op[r] == ir.OpBfe {
		if w.X[r]&0xFF != 0 {
			return false
		}
		length := width(w.X[r] >> 8)
		if t.IsSigned() && w.must(checkNarrowSign, i.slo >= length.min() && i.shi <= length.max()) || !t.IsSigned() && i.hi <= length.mask() {
			return w.rewrite(r, a, "wrap")
		}
		return false
	}
	b := w.B(r)
	if b == ir.NoRow || w.Type[b] != t {
		return false
	}
	j := g.at(b)
	c, constant := j.constant()
	switch w.Op[r] {
	case ir.OpAnd:
		if constant && w.must(checkNarrow, ^i.zeros&^c&m.mask() == 0) {
			return w.rewrite(r, a, "wrap")
		}
	case ir.OpOr:
		if constant && c&^i.ones == 0 {
			return w.rewrite(r, a, "or-known")
		}
	case ir.OpMin, ir.OpMax:
		var less interval
		less.less(i, j, t.IsSigned(), true)
		if v, ok := less.constant(); ok {
			keep := a
			if (v != 0) != (w.Op[r] == ir.OpMin) {
				keep = b
			}
			return w.rewrite(r, keep, "min-max")
		}
	case ir.OpRem:
		if !t.IsSigned() && i.hi < j.lo || t.IsSigned() && i.slo >= 0 && j.slo > i.shi {
			return w.rewrite(r, a, "rem-small")
		}
		if constant && c != 0 && c&(c-1) == 0 && t.IsSigned() && m.sign(c) > 0 && w.must(checkNarrowSign, i.slo >= 0) {
			w.become(r, ir.OpAnd, 0, a, w.constant(t, c-1))
			w.hit("rem-pow2")
			return true
		}
	case ir.OpDiv:
		if constant && c != 0 && c&(c-1) == 0 && t.IsSigned() && m.sign(c) > 0 && w.must(checkNarrowSign, i.slo >= 0) {
			w.become(r, ir.OpShr, 0, a, w.constant(ir.U32, uint64(bits.TrailingZeros64(c))))
			w.hit("div-pow2")
			return true
		}
	}
	return false
}
