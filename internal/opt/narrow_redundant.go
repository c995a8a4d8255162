package opt

import (
	"math/bits"

	"github.com/govyre/vyre/internal/interval"
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
	if v, ok := g.at(r).Constant(); ok {
		if _, already := w.bits(r); !already {
			w.replaceAlways(r, w.constant(t, v))
			w.hit("constant")
			return true
		}
	}
	i, m := g.at(a), interval.WidthOf(t)
	if w.Op[r] == ir.OpBfe {
		if w.X[r]&0xFF != 0 {
			return false
		}
		length := interval.Width(w.X[r] >> 8)
		if t.IsSigned() && w.must(checkNarrowSign, i.SLo >= length.Min() && i.SHi <= length.Max()) || !t.IsSigned() && i.Hi <= length.Mask() {
			return w.rewrite(r, a, "wrap")
		}
		return false
	}
	b := w.B(r)
	if b == ir.NoRow || w.Type[b] != t {
		return false
	}
	j := g.at(b)
	c, constant := j.Constant()
	switch w.Op[r] {
	case ir.OpAnd:
		if constant && w.must(checkNarrow, ^i.Zeros&^c&m.Mask() == 0) {
			return w.rewrite(r, a, "wrap")
		}
	case ir.OpOr:
		if constant && c&^i.Ones == 0 {
			return w.rewrite(r, a, "or-known")
		}
	case ir.OpMin, ir.OpMax:
		var less interval.Interval
		less.Less(i, j, t.IsSigned(), true)
		if v, ok := less.Constant(); ok {
			keep := a
			if (v != 0) != (w.Op[r] == ir.OpMin) {
				keep = b
			}
			return w.rewrite(r, keep, "min-max")
		}
	case ir.OpRem:
		if !t.IsSigned() && i.Hi < j.Lo || t.IsSigned() && i.SLo >= 0 && j.SLo > i.SHi {
			return w.rewrite(r, a, "rem-small")
		}
		if constant && c != 0 && c&(c-1) == 0 && t.IsSigned() && m.Sign(c) > 0 && w.must(checkNarrowSign, i.SLo >= 0) {
			w.become(r, ir.OpAnd, 0, a, w.constant(t, c-1))
			w.hit("rem-pow2")
			return true
		}
	case ir.OpDiv:
		if constant && c != 0 && c&(c-1) == 0 && t.IsSigned() && m.Sign(c) > 0 && w.must(checkNarrowSign, i.SLo >= 0) {
			w.become(r, ir.OpShr, 0, a, w.constant(ir.U32, uint64(bits.TrailingZeros64(c))))
			w.hit("div-pow2")
			return true
		}
	}
	return false
}
