package opt

import (
	"fmt"
	"slices"

	"github.com/govyre/vyre/ir"
)

const (
	maxUnrolled  = 512 // rows that a loop may become
	maxGuarded   = 128 // if it is not sure how many of its rounds run
	maxOpenTests = 2   // rounds that may run or not
	maxPartial   = 8   // rounds that become one
	maxRest      = 128 // rows that the rounds left over may become
)

// unroll writes the rounds of a loop one after the other: all of them where their number is constant, as of a loop that ends
// because its counter has become a constant, and the result is short; two, four or eight where the loop is left by a counter only and loads, or its hint says so.
// What is left over of the rounds is done by the loop as it was, or written out where their number is known.
//
// Copies have rows of their own and keep their order, so sums add up in the order they did. Ops that rely on
// uniform control are copied only where the number of rounds is constant, the same for all. Inner
// loops come first. O(rows written), which the size of the program bounds.
func unroll(w *work) {
	u := &unrolling{w: w, exits: w.exits(), copies: cloning{w: w}, stale: make([]bool, len(w.Regions)), budget: 4*w.linked() + 4096, last: w.inner}
	u.arrays, u.most = w.fragmentArrays(), maxFragmentRows
	if u.arrays == nil {
		u.arrays, u.most = u.countedArrays(), maxArrayRows
	}
	u.wide = 4 * u.most
	for it := w.rows(); it.control(); {
		if it.at == atEnd && w.Op[it.row] == ir.OpLoop {
			u.loop(&it)
		}
	}
}

// innerLoops reports whether loops in the rounds of others may have got numbers of rounds that are known.
func (w *work) innerLoops() bool { return w.inner }

type unrolling struct {
	w      *work
	exits  *exits
	copies cloning
	stale  []bool // by first region of a loop: there are copies of continues that exits does not know
	budget int    // rows that may still be added to the program
	last   bool   // no other run comes for loops in what is written out

	arrays []bool // local arrays that should be registers, by object; nil without one
	most   int    // rows that a loop may become that indexes them
	wide   int    // rows that may still be added for such loops
}

// loop unrolls the loop that the walk has come to the end of.
func (u *unrolling) loop(it *walk) {
	w, l := u.w, it.row
	hint := w.Flags[l].Unroll()
	if hint == 1 || u.stale[w.X[l]] {
		return
	}
	c, ok := w.counter(u.exits, l)
	once := !ok
	if once {
		c, ok = w.stopper(u.exits, l)
	}
	if !ok {
		return
	}
	n := w.rounds(c)
	s := u.survey(c, u.far(), n.most >= manyRounds)
	u.explain(c, n, s)
	if s.rows > s.most {
		return
	}
	if u.writesOut(n, s) {
		*u.allowance(s) -= (s.rows + s.counting) * (n.most + 1)
		u.full(c, n, s)
		w.wroteOut = true
		w.inner = w.inner || s.nested
		for _, outer := range s.repeats {
			u.stale[w.X[outer]] = true
		}
		w.hit("full")
		return
	}
	if once || s.rows > maxUnrolled {
		return
	}
	if k := u.factor(c, s, hint, n); k > 1 && !u.waits(c, n) {
		if why := &w.left.loops; (*why)[w.Debug.Pos(l)] != "" {
			(*why)[w.Debug.Pos(l)] += fmt.Sprintf("; %d rounds at a time are", k)
		}
		u.budget -= s.rows * k
		u.partial(c, k, n, s, it)
		w.wroteOut = true
		w.hit("partial")
		if left := n.most % k; n.exactly() && s.rows*left <= min(maxRest, u.budget) {
			u.budget -= s.rows * (left + 1)
			u.full(c, roundCount{least: left, most: left}, s)
		}
	}
}

// explain keeps why a loop from a constant to a constant will not become straight code, for those who ask what is left.
func (u *unrolling) explain(c counter, n roundCount, s body) {
	w := u.w
	_, first := w.bits(w.start(c))
	_, last := w.bits(c.bound)
	if !first || !last {
		return
	}
	if w.left.loops == nil {
		w.left.loops = make(map[ir.Pos]string)
	}
	why := ""
	switch rows := (s.rows + s.counting) * max(n.most, 1); {
	case n.most >= manyRounds:
		why = fmt.Sprintf("it has %d rounds or more", manyRounds)
	case s.rows > s.most:
		why = fmt.Sprintf("a round has more rows than the %d that a loop may become", s.most)
	case rows > s.most:
		why = fmt.Sprintf("%d rounds of %d rows are %d, more than the %d that a loop may become", n.most, s.rows+s.counting, rows, s.most)
	case !u.writesOut(n, s):
		why = "the loops that are unrolled have made the kernel as long as it may become"
	}
	w.left.loops[w.Debug.Pos(c.loop)] = why
}

// waits reports whether the number of rounds of a loop will be known in a later run: where it goes by what the loop around it
// changes, and that will be written out.
func (u *unrolling) waits(c counter, n roundCount) bool {
	w, outer := u.w, u.w.loopAround(c.loop)
	if u.last || n.exactly() || outer == ir.NoRow || u.stale[w.X[outer]] || w.Flags[outer].Unroll() == 1 ||
		!w.encloses(outer, w.start(c)) && !w.encloses(outer, c.bound) {
		return false
	}
	o, ok := w.counter(u.exits, outer)
	if !ok {
		return false
	}
	rounds := w.rounds(o)
	return rounds.most < manyRounds && u.writesOut(rounds, u.survey(o, u.far(), false))
}

// loopAround is the innermost loop around a row.
//
//go:noinline
func (w *work) loopAround(r ir.Row) ir.Row {
	for reg := w.Region[r]; reg != 0; reg = w.Region[w.owner(reg)] {
		w.visits++
		if op := w.owner(reg); w.Op[op] == ir.OpLoop {
			return op
		}
	}
	return ir.NoRow
}

// writesOut reports whether a loop of so many rounds becomes straight code. Rounds of which not all are sure keep their
// tests, and are written out if they are few and short.
func (u *unrolling) writesOut(n roundCount, s body) bool {
	rows := (s.rows + s.counting) * max(n.most, 1)
	if n.most >= manyRounds || rows+s.rows > *u.allowance(s) {
		return false
	}
	if n.exactly() || n.whole {
		return rows <= s.most
	}
	return n.tests() <= maxOpenTests && rows <= maxGuarded && !s.convergent
}

// body is what a loop's body holds.
type body struct {
	most       int // rows that the loop may become
	rows       int // but for those that only count
	counting   int // those, if the first round does not make constants of them
	nested     bool
	convergent bool
	skips      bool     // a continue other than its last row
	exits      int      // to its end and to outer ops
	repeats    []ir.Row // outer loops that a continue in it goes to
	loads      int      // of what the body does not write: those of the next round need not wait for its stores
	before     bool     // an effect, or a load of what is written, stands in front of the test
	indexed    []ir.Row // accesses whose index is the counter
	views      []ir.Row // lengths of views in which the counter is an index
}

// survey looks at the body of a loop, up to so many rows, and where only bodies without loops matter up to the first loop.
func (u *unrolling) survey(c counter, most int, flat bool) body {
	w := u.w
	s := body{most: maxUnrolled}
	x := w.X[c.loop]
	seen := false
	_, constant := w.bits(w.start(c))
	var loaded, stored []uint32           // objects, of each load and of each store
	folds := map[ir.Row]bool{c.arg: true} // rows that are constant in each round, if the first is
	it := walk{w: w, row: c.loop, at: atRow}
	for it.step() && !(it.at == atEnd && it.row == c.loop) && s.rows <= most && !(flat && s.nested) {
		r := it.row
		if it.at != atRow {
			continue
		}
		in := w.info(r)
		seen = seen || r == c.test
		if s.most == maxUnrolled && u.indexes(r, c.arg) {
			s.most = u.most
		}
		if counts := w.countsOnly(r, c, folds); counts {
			folds[r] = true
			if !constant {
				s.counting++
			}
		} else if in.Attr&ir.Terminator == 0 && w.Op[r] != ir.OpArg && r != c.test {
			s.rows++
		}
		s.nested = s.nested || in.Attr&ir.Repeats != 0
		s.convergent = s.convergent || in.Attr&ir.Convergent != 0
		switch w.Op[r] {
		case ir.OpContinue:
			s.skips = s.skips || w.exitTarget(r) == c.loop && r != w.tail[x]
			if t := w.exitTarget(r); t != c.loop && !w.encloses(c.loop, t) {
				s.exits++
				s.repeats = append(s.repeats, t)
			}
		case ir.OpReturn:
			s.exits++
		case ir.OpBreak:
			if t := w.exitTarget(r); t == c.loop || !w.encloses(c.loop, t) {
				s.exits++
			}
		}
		if in.Imm == ir.ImmObject && in.Attr&(ir.Reads|ir.Writes) != 0 && w.A(r) == c.arg && len(s.indexed) < maxIndexed {
			s.indexed = append(s.indexed, r)
		}
		if n, ok := w.viewedBy(r, c); ok && len(s.views) < maxIndexed && !slices.Contains(s.views, n) {
			s.views = append(s.views, n)
		}
		switch {
		case in.Spread == ir.SpreadLoad:
			loaded = append(loaded, w.X[r])
			s.before = s.before || !seen && !w.objs[w.X[r]].ReadOnly()
		case !seen && !w.pure(r) && w.Op[r] != ir.OpArg:
			s.before = true
		}
		if in.Imm == ir.ImmObject && in.Attr&ir.Writes != 0 {
			stored = append(stored, w.X[r])
		}
	}
	for _, o := range loaded {
		if !slices.Contains(stored, o) {
			s.loads++
		}
	}
	return s
}

// viewedBy returns the length of a view, from outside the loop and as uniform as its test, that access r checks the counter against.
func (w *work) viewedBy(r ir.Row, c counter) (length ir.Row, ok bool) {
	if in := w.info(r); in.Imm != ir.ImmObject || in.Attr&(ir.Reads|ir.Writes) == 0 || in.Args == 0 {
		return 0, false
	}
	cond, _, ok := w.viewIndex(r)
	if !ok || w.Op[cond] != ir.OpLt || w.A(cond) != c.arg {
		return 0, false
	}
	return w.B(cond), !w.encloses(c.loop, w.B(cond)) && w.fits(w.A(c.test), w.B(cond))
}

// countsOnly reports whether row r depends on the counter and constants only. So does what a table has at such an index.
func (w *work) countsOnly(r ir.Row, c counter, folds map[ir.Row]bool) bool {
	if !w.pure(r) && !(w.Op[r] == ir.OpLoad && w.objs[w.X[r]].Table()) || w.info(r).Args == 0 {
		return false
	}
	yes := true
	w.each(r, func(v ir.Row) { yes = yes && (folds[v] || w.Op[v] == ir.OpConst || v == c.bound) })
	return yes
}

// full replaces loop c.loop by a block with as many rounds as there may be, and the part of one more that comes to the
// exit. A round that is not sure begins with its test; the loads that it begins with, from what nobody writes, run
// before that, so that they do not wait for the round before.
func (u *unrolling) full(c counter, n roundCount, s body) {
	w, l := u.w, c.loop
	x := w.X[l]
	first := w.head[x]
	vals := append([]uint32(nil), w.Operands(l)...)
	w.setList(l, nil)
	w.Op[l], w.Flags[l] = ir.OpBlock, 0
	// The rows of the body move to a region of their own, and go when all is copied.
	was := w.region(l)
	w.head[was], w.tail[was] = first, w.tail[x]
	for at := first; at != ir.NoRow; at = w.next[at] {
		w.Region[at] = was
		w.visits++
	}
	w.head[x], w.tail[x] = ir.NoRow, ir.NoRow
	cl := &u.copies
	cl.start(l)
	cl.test = c.test
	leave := w.X[c.test] + w.X[c.test] + 1 - c.stay
	for k := range n.most + 1 {
		cl.arm, cl.open = c.stay, !w.must(checkOpenTest, !n.open(k))
		if k == n.most {
			cl.arm = leave
		}
		at := first
		for i := 0; w.Op[at] == ir.OpArg; at = w.next[at] {
			cl.to[at] = ir.Row(vals[i])
			i++
		}
		vals = u.round(cl, first, x, s.skips && k < n.most)
	}
	w.removeFrom(first)
}

// round copies the body of the loop, whose first row is first, to the end of region reg, and returns the values that
// the next round starts with. Where a continue skips the rest, the round is a block.
func (u *unrolling) round(cl *cloning, first ir.Row, reg uint32, skips bool) []uint32 {
	w := u.w
	last := first
	for w.next[last] != ir.NoRow {
		last = w.next[last]
	}
	if !skips {
		cl.back = ir.NoRow
		if !cl.region(first, reg) || w.Op[last] != ir.OpContinue || w.exitTarget(last) != cl.loop {
			return nil
		}
		return cl.values(last)
	}
	b := w.make(cl.loop, ir.OpBlock, ir.None, 0, ir.NoRow, ir.NoRow, ir.NoRow)
	w.X[b] = w.region(b)
	w.append(reg, b)
	cl.back = b
	cl.region(first, w.X[b])
	var vals []uint32
	for at := first; w.Op[at] == ir.OpArg; at = w.next[at] {
		res := w.make(cl.loop, ir.OpRes, w.Type[at], uint32(len(vals)), ir.NoRow, ir.NoRow, ir.NoRow)
		w.level[res] = w.level[at]
		w.append(reg, res)
		vals = append(vals, uint32(res))
	}
	return vals
}
