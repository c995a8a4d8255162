package opt

import "github.com/govyre/vyre/ir"

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
	var is interval
	is.exact(1, bit)
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
		var both interval
		both.meet(widthOf(t), g.of(a), g.of(b))
		g.refine(a, &both, 2)
		g.refine(b, &both, 2)
		g.below(a, b, t, 0)
		g.below(b, a, t, 0)
	default:
		g.differ(a, b, t)
		g.differ(b, a, t)
	}
}

// came takes note of what follows from result c of an if, which is val: if only one of the arms gives that, control came
// through it. So do conditions joined by && and || say what each of them does.
func (g *ranges) came(c ir.Row, val uint64, depth int) {
	w := g.w
	k, op := 0, w.prev[c]
	for ; w.Op[op] == ir.OpRes; op = w.prev[op] {
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
	n := widthOf(t)
	var to interval
	if t.IsSigned() {
		least, most := g.of(a).slo, g.of(b).shi
		if most-gap < most || gap == 0 {
			to.signed(n, n.min(), max(most-gap, n.min()))
			g.refine(a, &to, 2)
		}
		to.signed(n, min(least+gap, n.max()), n.max())
		g.refine(b, &to, 2)
	} else {
		least, most := g.of(a).lo, g.of(b).hi
		if most >= uint64(gap) {
			to.unsigned(n, 0, most-uint64(gap))
			g.refine(a, &to, 2)
		}
		if least+uint64(gap) <= n.mask() {
			to.unsigned(n, least+uint64(gap), n.mask())
			g.refine(b, &to, 2)
		}
	}
	g.rel.add(g.core(a), g.core(b), uint64(gap))
	if h, c, ok := g.raised(b, t); ok && gap == 1 {
		g.rel.add(g.core(a), g.core(h), c+1)
	}
}

// raised takes max(h, min+c) - c, where min is the least number of type t, apart. It is the least number itself if
// h is no larger than that and c together, so that nothing is below it; else it is h - c.
func (g *ranges) raised(v ir.Row, t ir.Type) (h ir.Row, c uint64, ok bool) {
	w := g.w
	if w.Op[v] != ir.OpAdd || w.Op[w.A(v)] != ir.OpMax {
		return 0, 0, false
	}
	n := widthOf(t)
	least := uint64(0)
	if t.IsSigned() {
		least = uint64(n.min()) & n.mask()
	}
	down, ok := w.bits(w.B(v))
	floor, ok2 := w.bits(w.B(w.A(v)))
	c = floor - least
	return w.A(w.A(v)), c, ok && ok2 && c <= n.mask()>>1 && (c+down)&n.mask() == 0
}

// differ takes a bound that b is off a.
func (g *ranges) differ(a, b ir.Row, t ir.Type) {
	v, ok := g.of(b).constant()
	if !ok {
		return
	}
	n, x := widthOf(t), g.of(a)
	var to interval
	switch s := n.sign(v); {
	case v == x.lo && x.lo < x.hi:
		to.unsigned(n, v+1, n.mask())
	case v == x.hi && x.lo < x.hi:
		to.unsigned(n, 0, v-1)
	case s == x.slo && x.slo < x.shi:
		to.signed(n, s+1, n.max())
	case s == x.shi && x.slo < x.shi:
		to.signed(n, n.min(), s-1)
	default:
		return
	}
	g.refine(a, &to, 2)
}

// refine narrows the interval of v, and, depth permitting, that of what v was computed from.
func (g *ranges) refine(v ir.Row, i *interval, depth int) {
	w := g.w
	if _, ok := w.bits(v); ok {
		return
	}
	n := widthOf(w.Type[v])
	was := g.of(v)
	var now interval
	if now.meet(n, was, i); now.same(was) {
		return
	}
	g.undo = append(g.undo, undone{row: v})
	g.undo[len(g.undo)-1].was.set(was)
	was.set(&now)
	g.moment++
	w.visits++
	if depth == 0 {
		return
	}
	switch w.Op[v] {
	case ir.OpCvt:
		// A number that fits is the number that it came from.
		if u := w.A(v); w.Type[u].IsInt() && g.core(v) != v {
			m := widthOf(w.Type[u])
			var j interval
			if w.Type[v].IsSigned() && w.Type[u].IsSigned() {
				j.signed(m, max(now.slo, m.min()), min(now.shi, m.max()))
			} else if now.slo >= 0 || !w.Type[v].IsSigned() {
				j.unsigned(m, min(now.lo, m.mask()), min(now.hi, m.mask()))
			} else {
				j.full(m)
			}
			g.refine(u, &j, depth-1)
		}
	case ir.OpAdd:
		if c, ok := w.bits(w.B(v)); ok {
			var j interval
			j.exact(n, c)
			j.sub(n, &now, &j)
			g.refine(w.A(v), &j, depth-1)
		}
	case ir.OpSub:
		// What is subtracted is as much less than the number.
		if a, b := w.A(v), w.B(v); now.lo > 0 && w.must(checkWrap, g.atMost(b, a, maxSearch)) {
			g.rel.add(g.core(b), g.core(a), now.lo)
		}
	}
}

// core follows conversions that keep the number, under what is known here.
func (g *ranges) core(v ir.Row) ir.Row {
	w := g.w
	for w.Op[v] == ir.OpCvt && w.Type[v].IsInt() && w.Type[w.A(v)].IsInt() {
		u := w.A(v)
		to, from := w.Type[v], w.Type[u]
		i := g.of(u)
		var same bool
		switch {
		case to.IsSigned() == from.IsSigned():
			same = to.Bits() >= from.Bits()
		case to.IsSigned():
			same = to.Bits() > from.Bits() || i.hi <= uint64(widthOf(to).max())
		default:
			same = i.slo >= 0 && to.Bits() >= from.Bits()
		}
		if !same && to.Bits() < from.Bits() {
			n := widthOf(to)
			switch {
			case !from.IsSigned():
				same = i.hi <= n.mask() && (!to.IsSigned() || i.hi <= uint64(n.max()))
			case to.IsSigned():
				same = n.fits(i.slo) && n.fits(i.shi)
			default:
				same = i.slo >= 0 && uint64(i.shi) <= n.mask()
			}
		}
		if !same {
			break
		}
		v = u
	}
	return v
}

// relations are pairs of values known to be in order, as numbers, and how far apart, where the walk is.
type relations struct {
	list  []relation
	first []int32 // by row: 1 + the last relation with it on the left
	marks []int
}

// relation says a + gap <= b; where b is no row, a + gap <= the elements of object.
type relation struct {
	a, b   ir.Row
	gap    uint64
	object uint32
	before int32 // of the same a
}

func (l *relations) reset(w *work) {
	l.list, l.marks = l.list[:0], l.marks[:0]
	clear(l.first)
	if n := w.Rows() - len(l.first); n > 0 {
		l.first = append(l.first, make([]int32, n)...)
	}
}

func (l *relations) mark() { l.marks = append(l.marks, len(l.list)) }

func (l *relations) release() {
	n := len(l.marks) - 1
	for i := len(l.list) - 1; i >= l.marks[n]; i-- {
		l.first[l.list[i].a] = l.list[i].before
	}
	l.list, l.marks = l.list[:l.marks[n]], l.marks[:n]
}

func (l *relations) add(a, b ir.Row, gap uint64) { l.put(relation{a: a, b: b, gap: gap}) }

func (l *relations) put(r relation) {
	for int(r.a) >= len(l.first) {
		l.first = append(l.first, 0)
	}
	r.before = l.first[r.a]
	l.list = append(l.list, r)
	l.first[r.a] = int32(len(l.list))
}

// maxSearch bounds how far a proof is looked for.
const maxSearch = 8

// under reports whether v + gap, as numbers, is at most the length of object o in vectors of per elements, the
// last of which may not be whole. A record is a vector of the elements of an array in it.
func (g *ranges) under(v ir.Row, o uint32, gap uint64, per uint64, depth int) bool {
	w := g.w
	w.visits++
	if depth == 0 {
		return false
	}
	v = g.core(v)
	t := w.Type[v]
	n := widthOf(t)
	i := g.at(v)
	least := w.minLen(o) / per
	positive := !t.IsSigned() || i.slo >= 0
	switch {
	case t.IsSigned() && i.shi < 0 && gap <= max(least, 1), t.IsSigned() && i.shi >= 0 && gap <= least && uint64(i.shi) <= least-gap:
		return true
	case !t.IsSigned() && gap <= least && i.hi <= least-gap:
		return true
	case w.Op[v] == ir.OpLen && w.must(checkSameBuffer, w.sameLen(w.X[v], o)) && w.must(checkWhole, per <= uint64(w.objs[o].Count())):
		return gap == 0
	case per > 1 && g.parts(v) == per && w.must(checkSameBuffer, w.sameLen(w.X[w.A(v)], o)):
		return gap == 0
	}
	if int(v) < len(g.rel.first) {
		for k := g.rel.first[v]; k != 0; {
			r := &g.rel.list[k-1]
			if r.b == ir.NoRow && g.elementOf(r.object, o, gap-min(gap, r.gap), per, depth-1) ||
				r.b != ir.NoRow && g.under(r.b, o, gap-min(gap, r.gap), per, depth-1) {
				return true
			}
			k = r.before
		}
	}
	// Ops that give no more than an operand, and ops that add a constant.
	switch w.Op[v] {
	case ir.OpMin:
		return g.under(w.A(v), o, gap, per, depth-1) || g.under(w.B(v), o, gap, per, depth-1)
	case ir.OpMax:
		return g.under(w.A(v), o, gap, per, depth-1) && g.under(w.B(v), o, gap, per, depth-1)
	case ir.OpSelect:
		if c, ok := g.of(w.A(v)).constant(); ok { // which may have been found since it was computed
			if c != 0 {
				return g.under(w.B(v), o, gap, per, depth-1)
			}
			return g.under(w.C(v), o, gap, per, depth-1)
		}
		return g.under(w.B(v), o, gap, per, depth-1) && g.under(w.C(v), o, gap, per, depth-1)
	case ir.OpAnd:
		a, b := w.A(v), w.B(v)
		return positive && (g.notNegative(a) && g.under(a, o, gap, per, depth-1) || g.notNegative(b) && g.under(b, o, gap, per, depth-1))
	case ir.OpShr, ir.OpDiv, ir.OpRem:
		// A divisor of 0 gives all ones, or 0; either is no number of that kind.
		a, b := w.A(v), w.B(v)
		return g.notNegative(a) && (w.Op[v] == ir.OpShr || g.of(b).lo > 0 && g.notNegative(b)) && g.under(a, o, gap, per, depth-1)
	case ir.OpSub:
		// Without a wrap, less what is not negative.
		a, b := g.of(w.A(v)), g.of(w.B(v))
		if t.IsSigned() {
			return b.slo >= 0 && w.must(checkWrap, a.slo >= n.min()+b.shi) && g.under(w.A(v), o, gap, per, depth-1)
		}
		return w.must(checkWrap, a.lo >= b.hi) && g.under(w.A(v), o, gap-min(gap, b.lo), per, depth-1)
	case ir.OpAdd, ir.OpOr:
		return g.underSum(v, o, gap, per, depth)
	}
	return false
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

// underSum is under for a sum, or an or that is one.
func (g *ranges) underSum(v ir.Row, o uint32, gap uint64, per uint64, depth int) bool {
	w := g.w
	t := w.Type[v]
	n := widthOf(t)
	a := g.of(w.A(v))
	c, ok := w.bits(w.B(v))
	if !ok && w.Op[v] == ir.OpAdd && !t.IsSigned() {
		// A sum that wraps is less than the number.
		return g.behind(w.A(v), w.B(v), o, gap, per, depth) || g.behind(w.B(v), w.A(v), o, gap, per, depth)
	}
	if !ok || w.Op[v] == ir.OpOr && c&^a.zeros != 0 {
		return false
	}
	if up := c <= n.mask()>>1; up {
		fits := a.hi <= n.mask()-c || w.maxLen(o) <= n.mask() // what is proven says that it is no more than a length
		if t.IsSigned() {
			fits = a.shi <= n.max()-n.sign(c)
		}
		return gap+c < 1<<32 && w.must(checkWrap, fits) && g.under(w.A(v), o, gap+c, per, depth-1)
	}
	c = -c & n.mask()
	if t.IsSigned() {
		return w.must(checkWrap, a.slo >= n.min()+int64(c)) && g.under(w.A(v), o, gap-min(gap, c), per, depth-1)
	}
	return w.must(checkWrap, a.lo >= c) && g.under(w.A(v), o, gap-min(gap, c), per, depth-1)
}

// apart reports whether a + gap <= b, as numbers.
func (g *ranges) apart(a, b ir.Row, gap uint64, depth int) bool {
	w := g.w
	w.visits++
	a, b = g.core(a), g.core(b)
	if w.Type[a].IsSigned() || w.Type[b].IsSigned() {
		return false
	}
	switch least, most := g.at(b).lo, g.at(a).hi; {
	case a == b && gap == 0, gap <= least && most <= least-gap:
		return true
	case depth == 0:
		return false
	}
	switch w.Op[a] {
	case ir.OpMin:
		if g.apart(w.A(a), b, gap, depth-1) || g.apart(w.B(a), b, gap, depth-1) {
			return true
		}
	case ir.OpAdd:
		if c, ok := w.bits(w.B(a)); ok && gap+c < 1<<32 && w.must(checkWrap, g.at(w.A(a)).hi <= w.Type[a].Mask()-c) &&
			g.apart(w.A(a), b, gap+c, depth-1) {
			return true
		}
	}
	if int(a) < len(g.rel.first) {
		for k := g.rel.first[a]; k != 0; {
			r := &g.rel.list[k-1]
			if r.b != ir.NoRow && g.apart(r.b, b, gap-min(gap, r.gap), depth-1) {
				return true
			}
			k = r.before
		}
	}
	return false
}

// notNegative reports whether v is a number of 0 or more.
func (g *ranges) notNegative(v ir.Row) bool {
	return !g.w.Type[v].IsSigned() || g.at(v).slo >= 0
}
