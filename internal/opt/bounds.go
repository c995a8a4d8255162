package opt

import (
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/interval"
	"github.com/govyre/vyre/ir"
)

// bounds marks accesses whose index is proven to be in bounds, and decides comparisons, minima and maxima by ranges and
// by order. What it proves holds under the control that the access has: a row that moves out of that loses its mark.
func bounds(w *work) {
	w.ranges(func(g *ranges, r ir.Row) {
		in := w.info(r)
		switch {
		case in.Imm == ir.ImmObject && in.Attr&(ir.Reads|ir.Writes) != 0:
			if !w.Flags[r].InBounds() && g.inBounds(r) {
				w.Flags[r] |= ir.InBounds
				w.edits++
				w.marked++
				w.hit("in-bounds")
			}
		case w.Type[r] == ir.Bool && exact.Of(w.Op[r]) != nil && in.Args == 2 && w.Type[w.A(r)].IsInt():
			v, ok := g.at(r).Constant()
			if !ok {
				v, ok = g.ordered(r)
			}
			if ok {
				g.learn(r, v != 0, 1) // what follows from it may be asked for
				w.replaceAlways(r, w.constant(ir.Bool, v))
				w.hit("decided")
			}
		case (w.Op[r] == ir.OpMin || w.Op[r] == ir.OpMax) && w.Type[r].IsInt():
			if v, ok := g.chosen(r); ok && w.replace(r, v) {
				w.hit("chosen")
			}
		case w.Op[r] == ir.OpSelect:
			if v, ok := w.outsideSame(r); ok && w.replace(r, v) {
				w.hit("outside")
			}
		}
	})
}

// outsideSame returns the value of choice r that is also the other one where an index is out of bounds, since what is loaded
// there is zero: r chooses between the load and zero, or what the load is added to.
func (w *work) outsideSame(r ir.Row) (v ir.Row, ok bool) {
	c, x, y := w.A(r), w.B(r), w.C(r)
	var i, n ir.Row
	switch w.Op[c] {
	case ir.OpLt:
		i, n = w.A(c), w.B(c)
	case ir.OpLe: // it is outside
		i, n, x, y = w.B(c), w.A(c), y, x
	default:
		return 0, false
	}
	if w.isConst(y, 0) {
		return x, w.checkedBy(i, n, x)
	}
	if !w.Type[r].IsInt() {
		return 0, false
	}
	switch w.Op[x] {
	case ir.OpAdd, ir.OpOr, ir.OpXor:
		return x, w.A(x) == y && w.checkedBy(i, n, w.B(x)) || w.B(x) == y && w.checkedBy(i, n, w.A(x))
	case ir.OpSub:
		return x, w.A(x) == y && w.checkedBy(i, n, w.B(x))
	}
	return 0, false
}

// checkedBy reports whether v is a load of one element with a check, and the check is that i is less than n.
func (w *work) checkedBy(i, n, v ir.Row) bool {
	if w.Op[v] != ir.OpLoad || w.Flags[v].InBounds() || w.info(v).Vec.Lanes() > 1 || w.Type[i].IsSigned() || w.Op[n] != ir.OpLen {
		return false
	}
	index, o := w.A(v), w.X[v]
	if i != index && w.Op[i] == ir.OpCvt && w.Type[w.A(i)].Unsigned() == w.Type[i] {
		i = w.A(i)
	}
	return i == index && w.must(checkSameBuffer, w.sameLen(w.X[n], o)) && w.must(checkWhole, w.objs[o].Count() == 1)
}

// chosen returns the operand that a minimum or maximum is here.
func (g *ranges) chosen(r ir.Row) (v ir.Row, ok bool) {
	less, more := g.w.A(r), g.w.B(r)
	if !g.apart(less, more, 0) {
		if less, more = more, less; !g.apart(less, more, 0) {
			return 0, false
		}
	}
	if g.w.Op[r] == ir.OpMax {
		return more, true
	}
	return less, true
}

// ordered decides a comparison of numbers without a sign by what is known of their order.
func (g *ranges) ordered(r ir.Row) (v uint64, ok bool) {
	w := g.w
	a, b := w.A(r), w.B(r)
	if w.Type[a].IsSigned() {
		return 0, false
	}
	switch w.Op[r] {
	case ir.OpEq:
		return 0, g.apart(a, b, 1) || g.apart(b, a, 1)
	case ir.OpNe:
		return 1, g.apart(a, b, 1) || g.apart(b, a, 1)
	case ir.OpLt:
		return 1, g.apart(a, b, 1) || w.checks && g.checked(a, b)
	case ir.OpLe:
		return 1, g.apart(a, b, 0)
	}
	return 0, false
}

// checked reports whether a is less than b, the length of an object, as an index of that is which needs no check. Only
// checks of memcheck ask: what else compares an index with a length is found by the accesses behind.
func (g *ranges) checked(a, b ir.Row) bool {
	w := g.w
	a, b = g.core(a), g.core(b)
	return w.Op[b] == ir.OpLen && w.must(checkNegative, g.notNegative(a)) && g.under(a, w.X[b], 1, uint64(w.objs[w.X[b]].Count()))
}

// inBounds reports whether the index of access r names an element, for all elements that
// it touches.
func (g *ranges) inBounds(r ir.Row) bool {
	w := g.w
	i, o := w.A(r), w.X[r]
	if !w.must(checkNegative, g.notNegative(i)) {
		return false
	}
	n := uint64(w.info(r).Vec.Lanes())
	if n > 1 && g.at(i).Hi <= 1<<40 && n*g.at(i).Hi+n-1 < w.minLen(o) {
		return true // the last element is n·i + n − 1, as a number
	}
	return g.under(i, o, 1, n) || n == 1 && g.underScaled(i, o)
}

// underScaled is inBounds for an index m·x + k with a constant m, as of arrays in records and of a loop over parts of m
// elements: it is less than m·(x + k/m + 1), which is no more than the elements if what is in the brackets is at most
// the number of whole parts.
func (g *ranges) underScaled(i ir.Row, o uint32) bool {
	w := g.w
	i = g.core(i)
	product, k := i, uint64(0)
	m := g.factor(product)
	if op := w.Op[i]; op == ir.OpAdd || op == ir.OpOr { // an or is at most the sum
		product, k = w.A(i), g.at(w.B(i)).Hi
		if m = g.factor(product); m == 0 {
			product, k = w.B(i), g.at(w.A(i)).Hi
			m = g.factor(product)
		}
	}
	if m < 2 {
		return false
	}
	product = g.core(product)
	x, most := w.A(product), min(largest(w.Type[product]), largest(w.Type[i]))
	if !g.notNegative(x) || !w.must(checkWrap, k <= most && g.at(x).Hi <= (most-k)/m) {
		return false
	}
	return g.under(x, o, 1+k/m, m)
}

// factor returns m if v is a product with that constant, else 0.
func (g *ranges) factor(v ir.Row) uint64 {
	w := g.w
	v = g.core(v)
	switch k, ok := w.bits(w.B(v)); {
	case ok && (w.Op[v] == ir.OpMul || w.Op[v] == ir.OpMulWide) && k <= largest(w.Type[w.A(v)]):
		return k
	case ok && w.Op[v] == ir.OpShl && k < 16:
		return 1 << k
	}
	return 0
}

// parts returns m if v is a length divided by that constant, else 0.
func (g *ranges) parts(v ir.Row) uint64 {
	w := g.w
	if op := w.Op[v]; op != ir.OpShr && op != ir.OpDiv || w.Op[w.A(v)] != ir.OpLen {
		return 0
	}
	switch k, ok := w.bits(w.B(v)); {
	case ok && w.Op[v] == ir.OpDiv:
		return k
	case ok && k < 16:
		return 1 << k
	}
	return 0
}

// notNegative reports whether v is a number of 0 or more.
func (g *ranges) notNegative(v ir.Row) bool {
	return !g.w.Type[v].IsSigned() || g.at(v).SLo >= 0
}

// largest is the largest number of an integer type.
func largest(t ir.Type) uint64 {
	if t.IsSigned() {
		return uint64(interval.WidthOf(t).Max())
	}
	return t.Mask()
}
