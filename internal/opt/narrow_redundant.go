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
		least := w.Op[r] == ir.OpMin // as of a view from an index that is inside
		for _, keep := range [...]ir.Row{a, b} {
			if other := a ^ b ^ keep; least && w.must(checkLeast, g.atMost(keep, other)) || !least && g.atMost(other, keep) {
				return w.rewrite(r, keep, "min-max")
			}
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
		return n.byPower(r)
	case ir.OpDiv:
		if constant && c != 0 && c&(c-1) == 0 && t.IsSigned() && m.Sign(c) > 0 && w.must(checkNarrowSign, i.SLo >= 0) {
			w.become(r, ir.OpShr, 0, a, w.constant(ir.U32, uint64(bits.TrailingZeros64(c))))
			w.hit("div-pow2")
			return true
		}
		return n.byPower(r)
	}
	return false
}

// between makes one comparison of two that ask whether a number with a sign is at least 0 and below, or at most, a limit
// that is not negative: read without a sign, a negative number is above each such limit.
//
//	%a = le.i32 0_i32, %x      %b = lt.i32 %x, %n      %c = and.bool %a, %b    =>   %c = lt.u32 %x, %n
//	%a = lt.i32 %x, 0_i32      %b = le.i32 %n, %x      %c = or.bool %a, %b     =>   %c = le.u32 %n, %x
func (n *narrowing) between(r ir.Row) bool {
	w := n.w
	a, b, outside, ok := w.both(r)
	if !ok {
		return false
	}
	for _, p := range [2][2]ir.Row{{a, b}, {b, a}} {
		sign, limit := p[0], p[1]
		if !w.byOrder(sign) || !w.byOrder(limit) {
			continue
		}
		zero, x, below := w.A(sign), w.B(sign), ir.OpLe // 0 ≤ x
		most, from := w.B(limit), w.A(limit)            // x < most, x ≤ most
		if outside {                                    // x < 0; most < x, most ≤ x
			zero, x, below = x, zero, ir.OpLt
			most, from = from, most
		}
		if w.Op[sign] != below || from != x || !w.isConst(zero, 0) || !w.Type[x].IsInt() || !w.Type[x].IsSigned() ||
			!w.must(checkNarrow, n.g.at(most).SLo >= 0) {
			continue
		}
		u := w.Type[x].Unsigned()
		a, b := w.before(r, ir.OpCvt, u, 0, w.A(limit)), w.before(r, ir.OpCvt, u, 0, w.B(limit))
		w.become(r, w.Op[limit], 0, w.simplify(a), w.simplify(b))
		w.hit("between")
		return true
	}
	return false
}

// both returns the operands of a conjunction, or of a disjunction, of bools: of and, or, or a choice that means the same.
func (w *work) both(r ir.Row) (a, b ir.Row, either, ok bool) {
	switch {
	case w.Type[r] != ir.Bool:
	case w.Op[r] == ir.OpAnd, w.Op[r] == ir.OpOr:
		return w.A(r), w.B(r), w.Op[r] == ir.OpOr, true
	case w.Op[r] == ir.OpSelect && w.isConst(w.C(r), 0):
		return w.A(r), w.B(r), false, true
	case w.Op[r] == ir.OpSelect && w.isConst(w.B(r), 1):
		return w.A(r), w.C(r), true, true
	}
	return ir.NoRow, ir.NoRow, false, false
}

// byOrder reports whether row r compares by order.
func (w *work) byOrder(r ir.Row) bool { return w.Op[r] == ir.OpLt || w.Op[r] == ir.OpLe }
