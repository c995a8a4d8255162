package opt

import (
	"github.com/govyre/vyre/internal/interval"
	"github.com/govyre/vyre/ir"
)

// ranges finds the intervals of integer and bool values by forward dataflow, and follows what conditions
// say: in an arm, and after an arm that leaves, operands of the condition have narrower intervals, and
// are below one another (see relations).
//
// A walk keeps the state of the place where it is: now holds for the values that are defined there. A loop
// starts with what its arguments begin with, and is walked again with what its continues bring, until that
// says nothing new; after three rounds growing bounds are widened, and what the last round brought
// narrows them. A round is for the outermost loop of a nest; after maxRounds everything that its
// arguments could be is taken. O(rows) rounds aside, and they are bounded. Where a round brings just what it began with, the
// one that visits takes what rows have from it, and computes what depends on edits only.
//
// The work keeps what continues bring. An analysis of the program that the last one was of, and left as it
// was but for marks of accesses, starts nests with that and walks each once.
//
// What is found holds where control comes with it. A row that moves out of an arm may not take it along.
type ranges struct {
	w      *work
	now    []interval.Interval
	slot   []int32  // by argument and result: 1 + where its merge stands, 0 before it has one
	merges []merged // few rows merge anything

	undo   []undone
	marks  []int // length of undo when each open region was entered
	rel    relations
	lens   []ir.Row // by object: a row with its length that the walk has come by, NoRow without one
	zero   zeroing
	pairs  []lasting
	search search

	nest   ir.Row   // outermost loop that the walk is in, NoRow for none
	loops  []ir.Row // those of the nest
	round  int
	change bool // an argument in the nest got more than it had
	last   bool // the round that narrows what maxRounds has widened to everything
	astray bool // an argument in the nest got something else than it had
	found  int  // the program in which every row of the nest has what the visiting round finds, -1 for none
	visit  func(*ranges, ir.Row)

	made   []uint32 // by row: the moment at which now was computed from the operands
	moment uint32   // changes with whatever may make that another interval
	edits  int      // of the program at that moment

	here  ir.Row            // that visit looks at in a nest, NoRow otherwise
	ahead interval.Interval // what compute will find for it, if nothing changes until then
	since uint32            // the moment at which that was found, 0 if it was not

	sharp [4]interval.Interval // what at has returned, in turn
	turn  int

	revision int      // of the program that this analysis, and if kept the last one, is of
	kept     bool     // back and fed are what the last analysis found
	within   []ir.Row // by first region of a structured op: nest that it was entered in
	outward  []bool   // by first region of a nest: rounds brought values to results around it, where they stay
}

// merged is what comes together in an argument of a loop or in a result.
type merged struct {
	back interval.Interval // of an argument: what continues bring
	next interval.Interval // of an argument: what they brought in this round; of a result: what exits bring
	fed  bool              // back holds something
	more bool              // next does
	down bool              // of an argument: no continue brings more than the round began with, or than the loop did
	up   bool              // nor less
}

type undone struct {
	row ir.Row
	was interval.Interval
}

const (
	quietRounds = 3
	maxRounds   = 10
	visiting    = -1 // the round after all others
)

// ranges runs the analysis and calls visit for every row at which it has come to its result,
// with the state of that place. visit may change the row, and add rows in front of it.
func (w *work) ranges(visit func(*ranges, ir.Row)) {
	if w.analysis == nil {
		w.analysis = &ranges{w: w, revision: -1}
	}
	g := w.analysis
	g.begin()
	g.visit = visit
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
			g.result(r)
		default:
			g.row(r)
		}
	}
	g.visit = nil
}

// begin makes the state that of the start of the program.
func (g *ranges) begin() {
	if n := g.w.Rows(); n > len(g.now) {
		g.now, g.made = make([]interval.Interval, n+n/8), make([]uint32, n+n/8)
	} else {
		clear(g.now)
	}
	if n := g.w.Rows(); n > len(g.slot) {
		g.slot = append(g.slot, make([]int32, n+n/8-len(g.slot))...)
	}
	for i := range g.merges {
		g.merges[i].more = false
	}
	g.undo, g.marks = g.undo[:0], g.marks[:0]
	g.rel.reset(g.w.Rows())
	g.lens = g.lens[:0]
	for range g.w.objs {
		g.lens = append(g.lens, ir.NoRow)
	}
	g.nest, g.last, g.change = ir.NoRow, false, false
	g.moment, g.here = g.moment+1, ir.NoRow
	if g.kept = g.revision >= 0 && g.current(); !g.kept {
		g.pairs = g.pairs[:0]
	}
	g.revision = g.w.revision()
	g.mark()
}

// current reports whether the program is still the one with which the analysis began.
func (g *ranges) current() bool { return g.w.must(checkRevision, g.revision == g.w.revision()) }

// steady reports whether the state is a result: outside of loops, or in the last round of a nest.
func (g *ranges) steady() bool { return g.nest == ir.NoRow || g.round == visiting }

// row brings the state after row r, or into its first region.
func (g *ranges) row(r ir.Row) {
	w := g.w
	if g.steady() {
		if g.since = 0; g.nest != ir.NoRow {
			g.here = r
			if g.found == w.revision() && int(r) < len(g.made) {
				g.made[r] = g.present()
			}
		}
		g.visit(g, r)
		if g.here = ir.NoRow; w.gone[r] {
			return
		}
	}
	in := w.info(r)
	switch {
	case in.Owns > 0:
		g.enter(r)
	case w.Op[r] == ir.OpArg && w.Region[r] != 0:
	case in.Result.Kind != ir.ResultNone:
		if w.Op[r] == ir.OpLen {
			g.lens[w.X[r]] = r
		}
		if t := w.Type[r]; (t.IsInt() || t == ir.Bool) && !g.fresh(r) {
			if g.since == g.moment && g.edits == w.revision() {
				g.set(r, &g.ahead)
				g.made[r] = g.moment
			} else {
				g.compute(r)
			}
		}
	case in.Attr&ir.Terminator != 0:
		g.leave(r)
	}
}

// enter begins structured op r.
func (g *ranges) enter(r ir.Row) {
	w := g.w
	g.grow(r)
	if w.info(r).Attr&ir.Repeats != 0 {
		g.moment++
		if g.nest == ir.NoRow {
			g.enterNest(r)
		}
		if g.round == 0 {
			g.loops = append(g.loops, r)
			g.foresee(r)
		}
		if g.round != visiting {
			g.begins(r)
		}
		at := w.head[w.X[r]]
		for _, v := range w.Operands(r) {
			if t := w.Type[at]; t.IsInt() || t == ir.Bool {
				g.grow(at)
				i, m := g.of(ir.Row(v)), g.merge(at)
				now := &g.now[at]
				if m.more = false; m.fed {
					now.Join(i, &m.back)
					now.Reduced(interval.WidthOf(t), now)
				} else {
					now.Set(i)
				}
			}
			at = w.next[at]
		}
	}
	for len(g.within) <= int(w.X[r]) {
		g.within, g.outward = append(g.within, ir.NoRow), append(g.outward, false)
	}
	g.within[w.X[r]] = g.nest
	g.mark()
	if w.regions(r) == 2 {
		g.assume(w.A(r), true)
	}
}

// enterNest begins the rounds of a nest, or the one that visits if what the others would find is known.
func (g *ranges) enterNest(r ir.Row) {
	g.nest, g.round, g.loops, g.astray, g.found = r, 0, g.loops[:0], false, -1
	for len(g.within) <= int(g.w.X[r]) {
		g.within, g.outward = append(g.within, ir.NoRow), append(g.outward, false)
	}
	if g.kept && g.current() && !g.outward[g.w.X[r]] {
		g.round = visiting
		return
	}
	g.outward[g.w.X[r]] = false
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
	if w.Op[r] == ir.OpContinue && !g.steady() {
		g.goesOn(w.exitTarget(r), r)
	}
	outward := !g.steady() && g.within[w.X[w.exitTarget(r)]] != g.nest
	for _, v := range w.Operands(r) {
		if t := w.Type[to]; t.IsInt() || t == ir.Bool {
			i := g.at(ir.Row(v))
			m := g.merge(to)
			if m.more {
				m.next.Join(i, &m.next)
			} else {
				m.next.Set(i)
				m.more, m.down, m.up = true, true, true
			}
			if w.Op[r] == ir.OpContinue && !g.steady() {
				g.drift(m, ir.Row(v), to)
			}
			if outward {
				g.outward[w.X[g.nest]] = true
			}
		}
		to = w.next[to]
	}
}

// result takes what exits have brought to result r.
func (g *ranges) result(r ir.Row) {
	g.grow(r)
	t, now := g.w.Type[r], &g.now[r]
	if now.Full(interval.WidthOf(t)); !t.IsInt() && t != ir.Bool {
		return
	}
	if m := g.merge(r); m.more {
		m.more = false
		now.Reduced(interval.WidthOf(t), &m.next)
	}
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
				g.merge(at).more = false
			}
			it.resume(r)
			return
		}
		if g.nest == r {
			g.nest = ir.NoRow
		}
	}
	if w.regions(r) == 2 {
		x := w.X[r]
		// After an if of which one arm leaves, its condition is that of the other.
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
		if !t.IsInt() && t != ir.Bool {
			continue
		}
		m, n := g.merge(at), interval.WidthOf(t)
		if m.more {
			g.hold(m, n, r, at)
		}
		switch {
		case !m.more:
		case g.last:
			m.back.Set(&m.next)
		case !m.fed:
			m.back.Set(&m.next)
			m.fed = true
			g.astray = true
			g.change = g.change || !w.must(checkRounds, m.next.Within(&g.now[at]))
		case !w.must(checkRounds, m.next.Within(&m.back)):
			g.change = true
			switch {
			case g.round < quietRounds:
				m.back.Join(&m.back, &m.next)
			case g.round < maxRounds:
				m.back.Widen(n, &m.next)
			}
		}
	}
}

// nextRound decides how the nest goes on, and reports whether it is done.
func (g *ranges) nextRound() bool {
	switch {
	case g.round == visiting:
		return true
	case g.last:
		g.last, g.round = false, visiting // with what the narrowing round brought
	case !g.change:
		// Another round would bring the same: what this one brought narrows.
		g.arguments(func(at ir.Row) {
			if m := g.merge(at); m.more && !m.back.Same(&m.next) {
				m.back.Set(&m.next)
				g.astray = true
			}
		})
		g.round = visiting
		if !g.astray {
			g.found = g.w.revision()
		}
	case g.round >= maxRounds:
		// After the visit of a row stands what the round before knew of it, so that must hold too: one more round.
		g.arguments(func(at ir.Row) {
			m := g.merge(at)
			m.back.Full(interval.WidthOf(g.w.Type[at]))
			m.fed = true
		})
		g.last = true
	default:
		g.round++
	}
	g.change, g.astray = false, false
	return false
}

// arguments calls f with the arguments of all loops in the nest that have intervals.
func (g *ranges) arguments(f func(at ir.Row)) {
	w := g.w
	for _, l := range g.loops {
		for at := w.head[w.X[l]]; at != ir.NoRow && w.Op[at] == ir.OpArg; at = w.next[at] {
			w.visits++
			if t := w.Type[at]; t.IsInt() || t == ir.Bool {
				f(at)
			}
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
		g.now[g.undo[i].row].Set(&g.undo[i].was)
		g.moment++
	}
	g.undo = g.undo[:g.marks[n]]
	g.marks = g.marks[:n]
	g.rel.release()
}

// grow makes room for row r, which a visit may have added.
func (g *ranges) grow(r ir.Row) {
	if int(r) >= len(g.now) {
		g.extend(int(r) + 1)
	}
}

// extend makes room for n rows.
func (g *ranges) extend(n int) {
	n += n/8 - len(g.now)
	g.now, g.made = append(g.now, make([]interval.Interval, n)...), append(g.made, make([]uint32, n)...)
}

// merge returns what comes together in argument or result r. It is right until the next one is asked for.
func (g *ranges) merge(r ir.Row) *merged {
	if n := int(r) + 1 - len(g.slot); n > 0 {
		g.slot = append(g.slot, make([]int32, n+n/8)...)
	}
	if g.slot[r] == 0 {
		g.merges = append(g.merges, merged{})
		g.slot[r] = int32(len(g.merges))
	}
	return &g.merges[g.slot[r]-1]
}

func (g *ranges) set(r ir.Row, i *interval.Interval) {
	g.grow(r)
	g.now[r].Set(i)
	g.made[r] = 0
}

// of returns the interval that v has here, to be read until it changes. A row that a visit added is looked at now, and a
// constant when it is first asked for.
func (g *ranges) of(v ir.Row) *interval.Interval {
	if t := g.w.Type[v]; !t.IsInt() && t != ir.Bool {
		return &nothing
	}
	if int(v) >= len(g.now) || g.now[v].Hi == 0 && g.now[v].Same(&nothing) {
		// It is computed by what is known here, which may be more than holds where v is: so it ends with the region.
		if g.w.Op[v] != ir.OpConst && !g.w.must(checkAsked, false) {
			g.undo = append(g.undo, undone{row: v})
		}
		g.compute(v)
	}
	return &g.now[v]
}

// compute takes the interval of v from those of its operands.
func (g *ranges) compute(v ir.Row) {
	var i interval.Interval
	g.transfer(v, &i)
	g.set(v, &i)
	g.made[v] = g.present()
}

// present returns the moment, which is another one after an edit.
func (g *ranges) present() uint32 {
	if revision := g.w.revision(); revision != g.edits {
		g.edits = revision
		g.moment++
	}
	return g.moment
}

// transfer makes out the interval of row v's value by those of its operands.
func (g *ranges) transfer(v ir.Row, out *interval.Interval) {
	w := g.w
	if !w.computes(v) {
		w.transfer(v, out, g.of)
		return
	}
	// A pointer to a local interval must not be a result of what calls this again, for then Go puts it on the heap.
	var room [3]interval.Interval
	of := [3]*interval.Interval{&nothing, &nothing, &nothing}
	for k, u := range [3]ir.Row{w.A(v), w.B(v), w.C(v)} {
		if u == ir.NoRow {
			continue
		}
		if of[k] = g.of(u); g.sharpened(u, &room[k]) {
			of[k] = &room[k]
		}
	}
	w.arithmetic(v, out, of[0], of[1], of[2])
}

// sharpened makes out the interval of an operand that is a conversion by what is known here about the number that it was.
func (g *ranges) sharpened(v ir.Row, out *interval.Interval) bool {
	w := g.w
	if w.Op[v] != ir.OpCvt || !w.Type[v].IsInt() || !w.Type[w.A(v)].IsInt() {
		return false
	}
	w.arithmetic(v, out, g.of(w.A(v)), &nothing, &nothing)
	out.Meet(interval.WidthOf(w.Type[v]), g.of(v), out)
	return true
}

// fresh reports whether the interval of v was computed and neither the program nor what is known has changed since.
func (g *ranges) fresh(v ir.Row) bool {
	return int(v) < len(g.made) && g.made[v] == g.moment && g.edits == g.w.revision()
}

// at is of, sharpened by what is known here about the operands of v, which may be more than was where v stands. What it
// returns is to be read before it is called len(g.sharp) times more.
func (g *ranges) at(v ir.Row) *interval.Interval {
	i := g.of(v)
	w := g.w
	t := w.Type[v]
	if !t.IsInt() && t != ir.Bool || w.info(v).Args == 0 || !w.pure(v) {
		return i
	}
	g.turn = (g.turn + 1) % len(g.sharp)
	out := &g.sharp[g.turn]
	if g.fresh(v) {
		out.Reduced(interval.WidthOf(t), i)
		return out
	}
	g.transfer(v, out)
	if v == g.here {
		g.ahead.Set(out)
		g.since = g.present()
	}
	out.Meet(interval.WidthOf(t), g.of(v), out)
	return out
}
