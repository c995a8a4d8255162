package opt

import "github.com/govyre/vyre/ir"

// ranges finds the intervals of integer and bool values by forward dataflow, and follows what conditions
// say: in an arm, and behind an arm that leaves, operands of the condition have narrower intervals, and
// are below one another (see relations).
//
// A walk keeps the state of the place where it is: now holds for the values that are defined there. A loop
// starts with what its arguments begin with, and is walked again with what its continues bring, until that
// says nothing new; after three rounds growing bounds are widened, and at last one round
// narrows them. A round is for the outermost loop of a nest; after maxRounds everything that its
// arguments could be is taken. O(rows) rounds aside, and they are bounded.
//
// What is found holds where control comes with it. A row that moves out of an arm may not take it along.
type ranges struct {
	w    *work
	now  []interval
	back []interval // by argument of a loop: what continues bring
	fed  []bool     // by argument, result: some exit brings something
	next []interval // by argument: what they brought in this round; by result: what exits bring
	more []bool     // by argument, of next

	undo  []undone
	marks []int // length of undo when each open region was entered
	rel   relations

	nest   ir.Row // outermost loop that the walk is in, NoRow for none
	round  int
	change bool // an argument in the nest got more than it had
	last   bool // the round that narrows, and after it the one that visits
	visit  func(ir.Row)
}

type undone struct {
	row ir.Row
	was interval
}

const (
	quietRounds = 3
	maxRounds   = 10
)

// ranges runs the analysis and calls visit for every row at which it has come to its result,
// with the state of that place. visit may change the row, and add rows in front of it.
func (w *work) ranges(visit func(*ranges, ir.Row)) {
	n := w.Rows()
	g := &ranges{w: w, now: make([]interval, n), back: make([]interval, n), fed: make([]bool, n), next: make([]interval, n),
		more: make([]bool, n), nest: ir.NoRow}
	g.visit = func(r ir.Row) { visit(g, r) }
	g.rel.init(w)
	g.mark()
	for it := w.rows(); it.step(); {
		r := it.row
		switch {
		case it.at == atElse:
			g.release()
			g.mark()
			g.assume(w.A(r), false)
		case it.at == atEnd:
			g.end(&it)
		case w.Op[r] == ir.OpRes:
			g.now[r] = g.result(r)
		default:
			g.row(r)
		}
	}
}

// steady reports whether the state is a result: outside of loops, or in the last round of a nest.
func (g *ranges) steady() bool { return g.nest == ir.NoRow || g.round < 0 }

// row brings the state behind row r, or into its first region.
func (g *ranges) row(r ir.Row) {
	w := g.w
	if g.steady() {
		g.visit(r)
		if w.gone[r] {
			return
		}
	}
	in := w.info(r)
	switch {
	case in.Owns > 0:
		g.enter(r)
	case w.Op[r] == ir.OpArg && w.Region[r] != 0:
	case in.Result.Kind != ir.ResultNone:
		if t := w.Type[r]; t.IsInt() || t == ir.Bool {
			g.set(r, w.transfer(r, g.of))
		}
	case in.Attr&ir.Terminator != 0:
		g.leave(r)
	}
}

// enter begins structured op r.
func (g *ranges) enter(r ir.Row) {
	w := g.w
	if w.info(r).Attr&ir.Repeats != 0 {
		if g.nest == ir.NoRow {
			g.nest, g.round = r, 0
		}
		at := w.head[w.X[r]]
		for _, v := range w.Operands(r) {
			if t := w.Type[at]; t.IsInt() || t == ir.Bool {
				g.grow(at)
				i := g.of(ir.Row(v))
				if g.fed[at] {
					n := widthOf(t)
					i = n.tidy(n.join(i, g.back[at]))
				}
				g.now[at], g.more[at] = i, false
			}
			at = w.next[at]
		}
	}
	g.mark()
	if w.info(r).Owns == 2 {
		g.assume(w.A(r), true)
	}
}

// leave takes the values of exit r to where they go.
func (g *ranges) leave(r ir.Row) {
	w := g.w
	var to ir.Row
	switch w.Op[r] {
	case ir.OpYield, ir.OpBreak:
		to = w.next[w.exitTarget(r)]
	case ir.OpContinue:
		to = w.head[w.X[w.exitTarget(r)]]
	default:
		return
	}
	for _, v := range w.Operands(r) {
		if t := w.Type[to]; t.IsInt() || t == ir.Bool {
			g.grow(to)
			i := g.at(ir.Row(v))
			if g.more[to] {
				i = widthOf(t).join(i, g.next[to])
			}
			g.next[to], g.more[to] = i, true
		}
		to = w.next[to]
	}
}

// result takes what exits have brought to result r.
func (g *ranges) result(r ir.Row) interval {
	g.grow(r)
	t := g.w.Type[r]
	if !t.IsInt() && t != ir.Bool || !g.more[r] {
		return widthOf(t).full()
	}
	g.more[r] = false
	return widthOf(t).tidy(g.next[r])
}

// end closes structured op r; a nest of loops may have to be walked again.
func (g *ranges) end(it *walk) {
	w, r := g.w, it.row
	g.release()
	if w.info(r).Attr&ir.Repeats != 0 {
		if !g.steady() {
			g.feed(r)
		}
		if g.nest == r && !g.nextRound() {
			for at := w.next[r]; at != ir.NoRow && w.Op[at] == ir.OpRes; at = w.next[at] {
				g.grow(at)
				g.more[at] = false
			}
			it.resume(r)
			return
		}
		if g.nest == r {
			g.nest = ir.NoRow
		}
	}
	if w.info(r).Owns == 2 {
		x := w.X[r]
		// Behind an if of which one arm leaves, its condition is that of the other.
		if then, els := w.Op[w.tail[x]] == ir.OpYield, w.Op[w.tail[x+1]] == ir.OpYield; then != els {
			g.assume(w.A(r), then)
		}
	}
}

// feed adds what the continues of loop r brought to what its arguments may hold.
func (g *ranges) feed(r ir.Row) {
	w := g.w
	for at := w.head[w.X[r]]; at != ir.NoRow && w.Op[at] == ir.OpArg; at = w.next[at] {
		g.w.visits++
		t := w.Type[at]
		if !t.IsInt() && t != ir.Bool || !g.more[at] {
			continue
		}
		n := widthOf(t)
		switch {
		case g.last:
			g.back[at] = g.next[at]
		case !g.fed[at]:
			g.back[at], g.fed[at], g.change = g.next[at], true, true
		case !w.must(checkRounds, g.next[at].within(g.back[at])):
			g.change = true
			switch {
			case g.round < quietRounds:
				g.back[at] = n.join(g.back[at], g.next[at])
			case g.round < maxRounds:
				g.back[at] = n.widen(g.back[at], g.next[at])
			}
		}
	}
}

// nextRound decides how the nest goes on, and reports whether it is done.
func (g *ranges) nextRound() bool {
	switch {
	case g.round < 0:
		g.last = false
		return true
	case g.last:
		g.round = -1 // with what the narrowing round brought
	case !g.change:
		g.last = true
	case g.round >= maxRounds:
		// Behind the visit of a row stands what the round before knew of it, so that must hold too: one more round.
		g.surrender()
		g.last = true
	default:
		g.round++
	}
	g.change = false
	return false
}

// surrender takes everything for the arguments of all loops in the nest.
func (g *ranges) surrender() {
	w := g.w
	it := walk{w: w, row: g.nest, at: atRow}
	for ok := true; ok && !(it.at == atEnd && it.row == g.nest); ok = it.step() {
		if it.at != atRow || w.Op[it.row] != ir.OpArg {
			continue
		}
		if t := w.Type[it.row]; t.IsInt() || t == ir.Bool {
			g.grow(it.row)
			g.back[it.row], g.fed[it.row] = widthOf(t).full(), true
		}
	}
}

// mark opens a region, release takes back what was learned in it.
func (g *ranges) mark() {
	g.marks = append(g.marks, len(g.undo))
	g.rel.mark()
}

func (g *ranges) release() {
	n := len(g.marks) - 1
	if g.w.must(checkScope, false) {
		g.marks = g.marks[:n]
		return
	}
	for i := len(g.undo) - 1; i >= g.marks[n]; i-- {
		g.now[g.undo[i].row] = g.undo[i].was
	}
	g.undo = g.undo[:g.marks[n]]
	g.marks = g.marks[:n]
	g.rel.release()
}

// grow makes room for row r, which a visit may have added.
func (g *ranges) grow(r ir.Row) {
	for int(r) >= len(g.now) {
		g.now, g.back, g.next = append(g.now, interval{}), append(g.back, interval{}), append(g.next, interval{})
		g.fed, g.more = append(g.fed, false), append(g.more, false)
	}
}

func (g *ranges) set(r ir.Row, i interval) {
	g.grow(r)
	g.now[r] = i
}

// of returns the interval that v has here. A row that a visit added is looked at now.
func (g *ranges) of(v ir.Row) interval {
	w := g.w
	t := w.Type[v]
	if !t.IsInt() && t != ir.Bool {
		return interval{}
	}
	if b, ok := w.bits(v); ok {
		return widthOf(t).exact(b)
	}
	if int(v) >= len(g.now) || g.now[v] == (interval{}) {
		g.set(v, w.transfer(v, g.of))
	}
	return g.now[v]
}

// at is of, sharpened by what is known here about the operands of v, which may be more than was where v stands.
func (g *ranges) at(v ir.Row) interval {
	i := g.of(v)
	w := g.w
	if t := w.Type[v]; w.pure(v) && w.info(v).Args > 0 && (t.IsInt() || t == ir.Bool) {
		return widthOf(t).meet(i, w.transfer(v, g.of))
	}
	return i
}
