package opt

import (
	"math/bits"
	"slices"

	"github.com/govyre/vyre/ir"
)

// Powers of two that are no constants, such as the distance that a transform doubles in each round. A division by one is a
// shift, and its remainder the low bits. The other bits of a power of two are 0, and stay so when it is shifted; what is
// shifted out leaves zero, so ranges have to show that it is not that. Of numbers with a sign, ranges show that the divisor is
// above zero and the dividend not below; those are not shifted to the right, which might move copies of the sign in.

// findPowers finds arguments of loops that begin as a constant power of two and are shifted, or multiplied by such a one, in
// each round. O(rows).
func (n *narrowing) findPowers() {
	w := n.w
	e := w.exits()
	for it := w.rows(); it.control(); {
		if it.at != atRow || w.Op[it.row] != ir.OpLoop {
			continue
		}
		l := it.row
		for a := w.head[w.X[l]]; a != ir.NoRow && w.Op[a] == ir.OpArg; a = w.next[a] {
			k := w.X[a]
			yes := w.Type[a].IsInt() && w.powerConst(ir.Row(w.Operands(l)[k]))
			e.repeating(l, func(c ir.Row) { yes = yes && w.shifts(ir.Row(w.Operands(c)[k]), a) })
			if yes {
				n.powers = append(n.powers, a)
			}
		}
	}
}

// powerConst reports whether v is a constant power of two.
func (w *work) powerConst(v ir.Row) bool {
	c, ok := w.bits(v)
	return ok && bits.OnesCount64(c) == 1
}

// shifts reports whether v is argument a, moved by some bits.
func (w *work) shifts(v, a ir.Row) bool {
	switch w.Op[v] {
	case ir.OpShl:
		return w.A(v) == a
	case ir.OpShr:
		return w.A(v) == a && !w.Type[a].IsSigned()
	case ir.OpMul:
		return w.A(v) == a && w.powerConst(w.B(v))
	}
	return v == a
}

// isPower reports whether v is a power of two, or zero; or the least number of its type.
func (n *narrowing) isPower(v ir.Row) bool {
	w := n.w
	return slices.Contains(n.powers, v) || w.Op[v] == ir.OpShl && w.powerConst(w.A(v))
}

// byPower replaces row r, a division or remainder, if the divisor is a power of two.
func (n *narrowing) byPower(r ir.Row) bool {
	w := n.w
	a, b, t := w.A(r), w.B(r), w.Type[r]
	if i, j := n.g.at(a), n.g.at(b); !n.isPower(b) || !w.must(checkPower, j.Lo > 0 && (!t.IsSigned() || j.SLo > 0 && i.SLo >= 0)) {
		return false
	}
	if w.Op[r] == ir.OpDiv {
		w.become(r, ir.OpShr, 0, a, w.before(r, ir.OpCtz, ir.U32, 0, b))
	} else {
		w.become(r, ir.OpAnd, 0, a, w.before(r, ir.OpSub, t, 0, b, w.constant(t, 1)))
	}
	w.hit("by-power")
	return true
}
