package opt

import (
	"github.com/govyre/vyre/internal/interval"
	"github.com/govyre/vyre/ir"
)

// assume takes note that condition c is val, here and to the end of the innermost open region.
func (g *ranges) assume(c ir.Row, val bool) { g.learn(c, val, 4) }

func (g *ranges) learn(c ir.Row, val bool, depth int) {
	w := g.w
	w.visits++
	if _, ok := w.bits(c); ok || depth == 0 {
		return
	}
	bit := uint64(0)
	if val {
		bit = 1
	}
	var is interval.Interval
	is.Exact(1, bit)
	g.refine(c, &is, 0)
	op := w.Op[c]
	g.prove(c, val)
	switch op {
	case ir.OpNot:
		g.learn(w.A(c), !val, depth-1)
		return
	case ir.OpAnd, ir.OpOr:
		if val == (op == ir.OpAnd) {
			g.learn(w.A(c), val, depth-1)
			g.learn(w.B(c), val, depth-1)
		}
		return
	case ir.OpRes:
		g.came(c, bit, depth)
		return
	case ir.OpLt, ir.OpLe, ir.OpEq, ir.OpNe:
	default:
		return
	}
	a, b := w.A(c), w.B(c)
	t := w.Type[a]
	if !t.IsInt() {
		return
	}
	switch {
	case op == ir.OpLt && val:
		g.below(a, b, t, 1)
	case op == ir.OpLt:
		g.below(b, a, t, 0)
	case op == ir.OpLe && val:
		g.below(a, b, t, 0)
	case op == ir.OpLe:
		g.below(b, a, t, 1)
	case val == (op == ir.OpEq):
		var both interval.Interval
		both.Meet(interval.WidthOf(t), g.of(a), g.of(b))
		g.refine(a, &both, 2)
		g.refine(b, &both, 2)
		g.rel.join(g.core(a), g.core(b), w.Rows())
	default:
		g.differ(a, b, t)
		g.differ(b, a, t)
	}
}

// came takes note of what follows from result c of an if, which is val: if only one of the arms gives that, control
// came through it. So do conditions joined by && and || say what each of them does.
func (g *ranges) came(c ir.Row, val uint64, depth int) {
	w := g.w
	k, op := 0, w.prev[c]
	for ; w.Op[op] == ir.OpRes && k < maxAsked; op = w.prev[op] {
		k++
		w.visits++
	}
	if w.Op[op] != ir.OpIf {
		return
	}
	taken, v := -1, ir.NoRow
	for arm := range 2 {
		e := w.tail[w.X[op]+uint32(arm)]
		if w.Op[e] != ir.OpYield {
			continue
		}
		of := ir.Row(w.Operands(e)[k])
		if b, ok := w.bits(of); ok && w.must(checkCame, b != val) {
			continue
		}
		if taken >= 0 {
			return
		}
		taken, v = arm, of
	}
	if taken >= 0 {
		g.learn(w.A(op), taken == 0, depth-1)
		g.learn(v, val != 0, depth-1)
	}
}

// below takes note that a + gap <= b, as numbers of type t; gap is 0 or 1.
func (g *ranges) below(a, b ir.Row, t ir.Type, gap int64) {
	n := interval.WidthOf(t)
	var to interval.Interval
	if t.IsSigned() {
		least, most := g.of(a).SLo, g.of(b).SHi
		if most-gap < most || gap == 0 {
			to.Signed(n, n.Min(), max(most-gap, n.Min()))
			g.refine(a, &to, 2)
		}
		to.Signed(n, min(least+gap, n.Max()), n.Max())
		g.refine(b, &to, 2)
	} else {
		least, most := g.of(a).Lo, g.of(b).Hi
		if most >= uint64(gap) {
			to.Unsigned(n, 0, most-uint64(gap))
			g.refine(a, &to, 2)
		}
		if least+uint64(gap) <= n.Mask() {
			to.Unsigned(n, least+uint64(gap), n.Mask())
			g.refine(b, &to, 2)
		}
	}
	g.rel.add(g.core(a), g.core(b), uint64(gap))
	if x, c, ok := g.lifted(a, t); ok {
		g.rel.add(g.core(x), g.core(b), uint64(gap)+c)
	} else if c > 0 { // what comes later may say that it does not wrap
		g.rel.put(relation{a: g.core(x), b: g.core(b), gap: uint64(gap) + c, sum: a + 1})
	}
	if h, c, ok := g.raised(b, t); ok && gap == 1 {
		g.rel.add(g.core(a), g.core(h), c+1)
	}
}

// lifted takes a sum of x and a constant above zero apart, if it does not wrap: what is so far above the sum is farther
// above x.
func (g *ranges) lifted(v ir.Row, t ir.Type) (x ir.Row, c uint64, ok bool) {
	w := g.w
	if w.Op[v] != ir.OpAdd {
		return 0, 0, false
	}
	x = w.A(v)
	if c, ok = w.bits(w.B(v)); !ok || c == 0 || c >= 1<<31 {
		return 0, 0, false
	}
	if t.IsSigned() {
		return x, c, w.must(checkWrap, g.of(x).SHi <= interval.WidthOf(t).Max()-int64(c))
	}
	return x, c, w.must(checkWrap, g.of(x).Hi <= t.Mask()-c)
}

// holds reports whether what a relation says is known here.
func (g *ranges) holds(r *relation) bool {
	if r.sum == 0 {
		return true
	}
	_, _, ok := g.lifted(r.sum-1, g.w.Type[r.sum-1])
	return ok
}

// raised takes max(h, min+c) - c, where min is the least number of type t, apart. It is the least number itself if
// h is no larger than that and c together, so that nothing is below it; else it is h - c.
func (g *ranges) raised(v ir.Row, t ir.Type) (h ir.Row, c uint64, ok bool) {
	w := g.w
	if w.Op[v] != ir.OpAdd || w.Op[w.A(v)] != ir.OpMax {
		return 0, 0, false
	}
	n := interval.WidthOf(t)
	least := uint64(0)
	if t.IsSigned() {
		least = uint64(n.Min()) & n.Mask()
	}
	down, ok := w.bits(w.B(v))
	floor, ok2 := w.bits(w.B(w.A(v)))
	c = floor - least
	return w.A(w.A(v)), c, ok && ok2 && c <= n.Mask()>>1 && (c+down)&n.Mask() == 0
}

// differ takes a bound that b is off a.
func (g *ranges) differ(a, b ir.Row, t ir.Type) {
	v, ok := g.of(b).Constant()
	if !ok {
		return
	}
	n, x := interval.WidthOf(t), g.of(a)
	var to interval.Interval
	switch s := n.Sign(v); {
	case v == x.Lo && x.Lo < x.Hi:
		to.Unsigned(n, v+1, n.Mask())
	case v == x.Hi && x.Lo < x.Hi:
		to.Unsigned(n, 0, v-1)
	case s == x.SLo && x.SLo < x.SHi:
		to.Signed(n, s+1, n.Max())
	case s == x.SHi && x.SLo < x.SHi:
		to.Signed(n, n.Min(), s-1)
	default:
		return
	}
	g.refine(a, &to, 2)
}

// refine narrows the interval of v, and, depth permitting, that of what v was computed from.
func (g *ranges) refine(v ir.Row, i *interval.Interval, depth int) {
	w := g.w
	if _, ok := w.bits(v); ok {
		return
	}
	n := interval.WidthOf(w.Type[v])
	was := g.of(v)
	var now interval.Interval
	if now.Meet(n, was, i); now.Same(was) {
		return
	}
	g.undo = append(g.undo, undone{row: v})
	g.undo[len(g.undo)-1].was.Set(was)
	was.Set(&now)
	g.moment++
	w.visits++
	if depth == 0 {
		return
	}
	switch w.Op[v] {
	case ir.OpCvt:
		// A number that fits is the number that it came from.
		if u := w.A(v); w.Type[u].IsInt() && g.core(v) != v {
			m := interval.WidthOf(w.Type[u])
			var j interval.Interval
			if w.Type[v].IsSigned() && w.Type[u].IsSigned() {
				j.Signed(m, max(now.SLo, m.Min()), min(now.SHi, m.Max()))
			} else if now.SLo >= 0 || !w.Type[v].IsSigned() {
				j.Unsigned(m, min(now.Lo, m.Mask()), min(now.Hi, m.Mask()))
			} else {
				j.Full(m)
			}
			g.refine(u, &j, depth-1)
		}
	case ir.OpAdd:
		if c, ok := w.bits(w.B(v)); ok {
			var j interval.Interval
			j.Exact(n, c)
			j.Sub(n, &now, &j)
			g.refine(w.A(v), &j, depth-1)
		}
	case ir.OpSub:
		// What is subtracted is as much less than the number.
		if a, b := w.A(v), w.B(v); now.Lo > 0 && w.must(checkWrap, g.atMost(b, a)) {
			g.rel.add(g.core(b), g.core(a), now.Lo)
		}
	}
}

// core follows conversions that keep the number, under what is known here, up to maxSearch of them.
func (g *ranges) core(v ir.Row) ir.Row {
	w := g.w
	for n := 0; n < maxSearch && w.Op[v] == ir.OpCvt && w.Type[v].IsInt() && w.Type[w.A(v)].IsInt(); n++ {
		u := w.A(v)
		to, from := w.Type[v], w.Type[u]
		i := g.of(u)
		var same bool
		switch {
		case to.IsSigned() == from.IsSigned():
			same = to.Bits() >= from.Bits()
		case to.IsSigned():
			same = to.Bits() > from.Bits() || i.Hi <= uint64(interval.WidthOf(to).Max())
		default:
			same = i.SLo >= 0 && to.Bits() >= from.Bits()
		}
		if !same && to.Bits() < from.Bits() {
			n := interval.WidthOf(to)
			switch {
			case !from.IsSigned():
				same = i.Hi <= n.Mask() && (!to.IsSigned() || i.Hi <= uint64(n.Max()))
			case to.IsSigned():
				same = n.Fits(i.SLo) && n.Fits(i.SHi)
			default:
				same = i.SLo >= 0 && uint64(i.SHi) <= n.Mask()
			}
		}
		if !same {
			break
		}
		v = u
	}
	return v
}
