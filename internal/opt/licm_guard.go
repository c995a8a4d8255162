package opt

import "github.com/govyre/vyre/ir"

// guardable reports whether load r may stand under the test in front of the loop that it stands in, which has so many
// around it: its index does not come from under that test itself, and what it gives is no less uniform than it was.
func (h *hoisting) guardable(r ir.Row, to int) bool {
	w, c := h.w, h.loops[to].counter
	t := w.Type[r]
	if !t.IsInt() && !t.IsFloat() && t != ir.Bool {
		return false
	}
	if h.follows(w.A(r)) {
		return false
	}
	return w.fits(r, w.moreVarying(r, w.start(c), c.bound))
}

// No walk here goes along operands: what a row depends on was noted when the walk of licm came to it. Those of licm.go remember
// (reach) or move each row that they pass (bring), and are bounded by that.

// follows reports whether v depends on what stands under a test in front of a loop, so that it cannot lead to more there.
func (h *hoisting) follows(v ir.Row) bool { return int(v) < len(h.late) && h.late[v] }

// guard puts load r in front of its loop, under the first test of that loop's counter: it runs where it ran in the first
// round, from where nothing has changed what it reads, and so keeps its proof of bounds. Where it does not run
// nobody sees its value.
func (h *hoisting) guard(r ir.Row, to int) {
	w := h.w
	t := w.Type[r]
	g := h.test(to)
	x := w.X[g]
	v := w.make(r, w.Op[r], t, w.X[r], w.A(r), ir.NoRow, ir.NoRow)
	w.Flags[v], w.level[v] = w.Flags[r], w.level[r]
	w.link(v, w.tail[x])
	n := w.results(g)
	for arm, value := range [2]ir.Row{v, w.constant(t, 0)} {
		e := w.tail[x+uint32(arm)]
		w.setList(e, append(append([]uint32(nil), w.Operands(e)...), uint32(value)))
	}
	res := w.make(r, ir.OpRes, t, uint32(n), ir.NoRow, ir.NoRow, ir.NoRow)
	w.level[res] = w.level[w.moreVarying(r, w.A(g))]
	w.link(res, w.result(g, n))
	for len(h.late) < w.Rows() {
		h.late, h.reached = append(h.late, false), append(h.reached, 0)
	}
	h.late[res] = true
	h.loops[to].hoisted++
	w.replaceAlways(r, res)
}

// test returns the test in front of the loop with so many around it.
func (h *hoisting) test(to int) ir.Row {
	w, l := h.w, &h.loops[to]
	if l.guard != ir.NoRow {
		return l.guard
	}
	c := l.counter
	x, y := c.x, c.y
	if x == c.which {
		x = w.start(c)
	} else {
		y = w.start(c)
	}
	cond := w.before(l.row, c.cond, ir.Bool, 0, x, y)
	l.guard = w.before(l.row, ir.OpIf, ir.None, 0, cond)
	w.X[l.guard] = w.region(l.guard)
	w.region(l.guard)
	for arm := range uint32(2) {
		w.append(w.X[l.guard]+arm, w.make(l.guard, ir.OpYield, ir.None, 0, ir.NoRow, ir.NoRow, ir.NoRow))
	}
	return l.guard
}
