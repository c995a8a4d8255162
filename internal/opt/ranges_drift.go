package opt

import (
	"github.com/govyre/vyre/internal/interval"
	"github.com/govyre/vyre/ir"
)

// maxDrift is how many ops may lie between an argument of a loop and what a continue brings for it.
const maxDrift = 4

// drift takes note of whether value v, which a continue brings for argument arg of a loop, may be more or less than both the
// argument in this round and all that the loop begins with.
func (g *ranges) drift(m *merged, v, arg ir.Row) {
	w := g.w
	l := w.owner(w.Region[arg])
	t := w.Type[arg]
	if !t.IsInt() {
		return
	}
	first, i := *g.of(ir.Row(w.Operands(l)[w.X[arg]])), *g.at(v)
	above, below := i.Hi > first.Hi, i.Lo < first.Lo
	if t.IsSigned() {
		above, below = i.SHi > first.SHi, i.SLo < first.SLo
	}
	m.down = m.down && (!above || g.moves(v, arg, false, maxDrift))
	m.up = m.up && (!below || g.moves(v, arg, true, maxDrift))
}

// hold bounds what continues of loop r bring for argument arg by what the loop begins with. If each brings at most what the
// argument was in the round that it ends, or a number that the loop may begin with, no round has more than that: so it is
// with a stack that an inner loop only takes from, whatever the loop around it puts there.
func (g *ranges) hold(m *merged, n interval.Width, r, arg ir.Row) {
	if !m.down && !m.up || !g.w.Type[arg].IsInt() {
		return
	}
	first := g.of(ir.Row(g.w.Operands(r)[g.w.X[arg]]))
	var i interval.Interval
	if g.w.Type[arg].IsSigned() {
		lo, hi := n.Min(), n.Max()
		if m.up {
			lo = first.SLo
		}
		if m.down {
			hi = first.SHi
		}
		i.Signed(n, lo, hi)
	} else {
		lo, hi := uint64(0), n.Mask()
		if m.up {
			lo = first.Lo
		}
		if m.down {
			hi = first.Hi
		}
		i.Unsigned(n, lo, hi)
	}
	m.next.Meet(n, &m.next, &i)
}

// moves reports whether v is, as a number, at most a; or at least a, if up.
func (g *ranges) moves(v, a ir.Row, up bool, depth int) bool {
	w := g.w
	w.visits++
	if g.equal(v, a) {
		return true
	}
	t := w.Type[v]
	if depth == 0 || t != w.Type[a] {
		return false
	}
	x, y := w.A(v), w.B(v)
	some := func(p, q ir.Row) bool { return g.moves(p, a, up, depth-1) || g.moves(q, a, up, depth-1) }
	both := func(p, q ir.Row) bool { return g.moves(p, a, up, depth-1) && g.moves(q, a, up, depth-1) }
	switch w.Op[v] {
	case ir.OpAdd:
		return g.adds(x, y, t, up) && g.moves(x, a, up, depth-1) || g.adds(y, x, t, up) && g.moves(y, a, up, depth-1)
	case ir.OpSub:
		return g.takes(x, y, t, up) && g.moves(x, a, up, depth-1)
	case ir.OpAnd:
		return !up && !t.IsSigned() && some(x, y)
	case ir.OpOr:
		return up && !t.IsSigned() && some(x, y)
	case ir.OpShr:
		return !up && (!t.IsSigned() || g.at(x).SLo >= 0) && g.moves(x, a, up, depth-1)
	case ir.OpMin, ir.OpMax:
		if up == (w.Op[v] == ir.OpMax) {
			return some(x, y)
		}
		return both(x, y)
	case ir.OpSelect:
		return g.choice(w.A(v), w.B(v), w.C(v), a, up, depth)
	case ir.OpRes:
		k, op := 0, w.prev[v]
		for ; w.Op[op] == ir.OpRes && k < maxAsked; op = w.prev[op] {
			k++
		}
		if w.Op[op] != ir.OpIf {
			return false
		}
		then, els := w.tail[w.X[op]], w.tail[w.X[op]+1]
		switch {
		case w.Op[then] == ir.OpYield && w.Op[els] == ir.OpYield:
			return g.choice(w.A(op), ir.Row(w.Operands(then)[k]), ir.Row(w.Operands(els)[k]), a, up, depth)
		case w.Op[then] == ir.OpYield:
			return g.moves(ir.Row(w.Operands(then)[k]), a, up, depth-1)
		case w.Op[els] == ir.OpYield:
			return g.moves(ir.Row(w.Operands(els)[k]), a, up, depth-1)
		}
	}
	return false
}

// choice is moves for what is x where c holds, and y elsewhere.
func (g *ranges) choice(c, x, y, a ir.Row, up bool, depth int) bool {
	for _, arm := range [...]struct {
		v  ir.Row
		is bool
	}{{x, true}, {y, false}} {
		g.mark()
		g.assume(c, arm.is)
		ok := g.moves(arm.v, a, up, depth-1)
		g.release()
		if !ok {
			return false
		}
	}
	return true
}

// adds reports whether x + y is at most x, or at least x if up, and does not wrap.
func (g *ranges) adds(x, y ir.Row, t ir.Type, up bool) bool {
	n, i, by := interval.WidthOf(t), *g.at(x), *g.at(y)
	switch signed := t.IsSigned(); {
	case signed && up:
		return by.SLo >= 0 && g.w.must(checkDrift, by.SHi <= n.Max()-max(i.SHi, 0))
	case signed:
		return by.SHi <= 0 && g.w.must(checkDrift, by.SLo >= n.Min()-min(i.SLo, 0))
	case up:
		return by.Hi <= n.Mask()-i.Hi
	}
	return by.SHi <= 0 && g.w.must(checkDrift, i.Lo >= n.Bits(-by.SLo))
}

// takes reports whether x - y is at most x, or at least x if up, and does not wrap.
func (g *ranges) takes(x, y ir.Row, t ir.Type, up bool) bool {
	n, i, by := interval.WidthOf(t), *g.at(x), *g.at(y)
	switch signed := t.IsSigned(); {
	case signed && up:
		return by.SHi <= 0 && i.SHi <= n.Max()+by.SLo
	case signed:
		return by.SLo >= 0 && i.SLo >= n.Min()+by.SHi
	}
	return !up && g.w.must(checkDrift, i.Lo >= by.Hi || g.atMost(y, x))
}
