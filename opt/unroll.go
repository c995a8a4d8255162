package opt

import "github.com/govyre/vyre/ir"

const (
	maxUnrolled = 512 // rows that a loop may become
	maxPartial  = 8   // rounds that become one
)

// unroll writes the rounds of a loop one behind the other: all of them where their number is constant and
// the result is short; two, four or eight where the loop is left by a counter only and has loads that do
// not wait for one another, or its hint says so. What is left over of the rounds is done by the loop as it was.
//
// Copies have rows of their own and keep their order, so sums add up in the order they did. Ops that rely on
// uniform control are copied only where the number of rounds is constant, the same for all. Inner
// loops come first. O(rows written), which the size of the program bounds.
func unroll(w *work) {
	u := &unrolling{w: w, exits: w.exits(), copies: cloning{w: w}, stale: make([]bool, len(w.Regions)), budget: 4*w.linked() + 4096}
	for it := w.rows(); it.step(); {
		if it.at == atEnd && w.Op[it.row] == ir.OpLoop {
			u.loop(&it)
		}
	}
}

type unrolling struct {
	w      *work
	exits  *exits
	copies cloning
	stale  []bool // by first region of a loop: there are copies of continues that exits does not know
	budget int    // rows that may still be added to the program
}

// loop unrolls the loop that the walk has come to the end of.
func (u *unrolling) loop(it *walk) {
	w, l := u.w, it.row
	hint := w.Flags[l].Unroll()
	if hint == 1 || u.stale[w.X[l]] {
		return
	}
	c, ok := w.counter(u.exits, l)
	if !ok {
		return
	}
	s := u.survey(c)
	if s.rows > maxUnrolled {
		return
	}
	if rounds, ok := w.rounds(c); ok && s.rows*max(rounds, 1) <= maxUnrolled && s.rows*(rounds+1) <= u.budget {
		u.budget -= s.rows * (rounds + 1)
		u.full(c, rounds, s)
		for _, outer := range s.repeats {
			u.stale[w.X[outer]] = true
		}
		w.hit("full")
		return
	}
	if n := u.factor(c, s, hint); n > 1 {
		u.budget -= s.rows * n
		u.partial(c, n, it)
		w.hit("partial")
	}
}

// rounds returns how often the test of the counter lets the loop go on, if that is a small constant.
func (w *work) rounds(c counter) (int, bool) {
	v, ok := w.bits(ir.Row(w.Operands(c.loop)[w.X[c.arg]]))
	bound, ok2 := w.bits(c.bound)
	if !ok || !ok2 {
		return 0, false
	}
	t := w.Type[c.arg]
	if c.which == c.next {
		v = (v + c.step) & t.Mask()
	}
	for n := range maxUnrolled + 1 {
		x, y := v, bound
		if c.y == c.which && c.x != c.which {
			x, y = bound, v
		}
		if ir.Eval(c.cond, t, ir.Bool, 0, x, y, 0) == 0 {
			return n, true
		}
		v = (v + c.step) & t.Mask()
	}
	return 0, false
}

// body is what a loop's body holds.
type body struct {
	rows       int // but for those that only count
	nested     bool
	convergent bool
	skips      bool     // a continue other than its last row
	exits      int      // to its end and to outer ops
	repeats    []ir.Row // outer loops that a continue in it goes to
	loads      int
	waiting    bool // a load's index comes from a load
	before     bool // an effect, or a load of what is written, stands in front of the test
}

func (u *unrolling) survey(c counter) body {
	w := u.w
	var s body
	x := w.X[c.loop]
	seen := false
	folds := map[ir.Row]bool{c.arg: true} // rows that are constant in each round, if the first is
	var from map[ir.Row]bool              // rows that depend on a load
	depends := func(r ir.Row) (yes bool) {
		w.each(r, func(v ir.Row) { yes = yes || from[v] })
		return yes
	}
	it := walk{w: w, row: c.loop, at: atRow}
	for it.step() && !(it.at == atEnd && it.row == c.loop) && s.rows <= maxUnrolled {
		r := it.row
		if it.at != atRow {
			continue
		}
		in := w.info(r)
		seen = seen || r == c.test
		if counts := w.countsOnly(r, c, folds); counts {
			folds[r] = true
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
		switch {
		case in.Spread == ir.SpreadLoad:
			s.loads++
			if depends(r) {
				s.waiting = true
			}
			if from == nil {
				from = make(map[ir.Row]bool)
			}
			from[r] = true
			p := w.objs[w.X[r]].Param
			s.before = s.before || !seen && (p == nil || p.Access != ir.RO)
		case from != nil && in.Result.Kind != ir.ResultNone && depends(r):
			from[r] = true
		case !seen && !w.pure(r) && w.Op[r] != ir.OpArg:
			s.before = true
		}
	}
	return s
}

// countsOnly reports whether row r depends on the counter and constants only.
func (w *work) countsOnly(r ir.Row, c counter, folds map[ir.Row]bool) bool {
	if !w.pure(r) || w.info(r).Args == 0 {
		return false
	}
	yes := true
	w.each(r, func(v ir.Row) { yes = yes && (folds[v] || w.Op[v] == ir.OpConst || v == c.bound) })
	return yes
}

// full replaces loop c.loop by a block with so many rounds, and the part of one more that
// comes to the exit.
func (u *unrolling) full(c counter, rounds int, s body) {
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
	for k := range rounds + 1 {
		cl.arm = c.stay
		if k == rounds {
			cl.arm = leave
		}
		at := first
		for i := 0; w.Op[at] == ir.OpArg; at = w.next[at] {
			cl.to[at] = ir.Row(vals[i])
			i++
		}
		vals = u.round(cl, first, x, s.skips && k < rounds)
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

// factor returns how many rounds should become one.
func (u *unrolling) factor(c counter, s body, hint int) int {
	w := u.w
	if s.nested || s.skips || s.exits > 1 || s.before || c.which != c.arg ||
		!w.must(checkUniformTrips, !s.convergent) {
		return 0
	}
	t := w.Type[c.arg]
	up := c.which == c.x && c.step < 1<<16
	down := c.which == c.y && -c.step&t.Mask() < 1<<16
	leave := w.X[c.test] + w.X[c.test] + 1 - c.stay
	if c.cond != ir.OpLt && c.cond != ir.OpLe || !up && !down || w.head[leave] != w.tail[leave] || !w.exitsTo(w.tail[leave], c.loop) ||
		w.head[c.stay] != w.tail[c.stay] || w.results(c.test) > 0 {
		return 0
	}
	n := 0
	switch {
	case hint > 1:
		for n = 2; 2*n <= min(hint, maxPartial); n *= 2 {
		}
	case s.loads == 0 || s.waiting:
	case s.rows <= 16:
		n = 4
	case s.rows <= 40:
		n = 2
	}
	if n*s.rows > min(maxUnrolled, u.budget) {
		return 0
	}
	return n
}

// partial puts a loop of n rounds at a time in front of the loop, which goes on where that stops: when
// fewer than n rounds are sure.
func (u *unrolling) partial(c counter, n int, it *walk) {
	w, l := u.w, c.loop
	x := w.X[l]
	m := w.make(l, ir.OpLoop, ir.None, 0, ir.NoRow, ir.NoRow, ir.NoRow)
	w.X[m] = w.region(m)
	w.setList(m, w.Operands(l))
	w.link(m, l)
	w.Flags[m], w.Flags[l] = ir.Flags(0).WithUnroll(1), w.Flags[l].WithUnroll(1)
	body := w.X[m]
	cl := &u.copies
	cl.start(l)
	var args []uint32
	for at := w.head[x]; w.Op[at] == ir.OpArg; at = w.next[at] {
		a := w.make(at, ir.OpArg, w.Type[at], w.X[at], ir.NoRow, ir.NoRow, ir.NoRow)
		w.level[a] = w.level[at]
		w.append(body, a)
		cl.to[at] = a
		args = append(args, uint32(a))
	}
	u.sure(c, cl, n, m, args)
	first := w.head[x]
	cl.test, cl.arm = c.test, c.stay
	var vals []uint32
	for range n {
		for i, v := range vals {
			at := first
			for range i {
				at = w.next[at]
			}
			cl.to[at] = ir.Row(v)
		}
		vals = u.round(cl, first, body, false)
	}
	again := w.make(l, ir.OpContinue, ir.None, uint32(m), ir.NoRow, ir.NoRow, ir.NoRow)
	w.setList(again, vals)
	w.append(body, again)
	var rest []uint32
	for i, a := range args {
		res := w.make(l, ir.OpRes, w.Type[a], uint32(i), ir.NoRow, ir.NoRow, ir.NoRow)
		w.level[res] = w.level[a]
		w.link(res, l)
		rest = append(rest, uint32(res))
	}
	w.setList(l, rest)
	it.row, it.at = l, atEnd
}

// sure ends loop m, with arguments args, unless n rounds are sure: the counter is short of its bound, and by more
// than n − 1 steps. The difference is read as unsigned, which it is, since it does not change sign.
func (u *unrolling) sure(c counter, cl *cloning, n int, m ir.Row, args []uint32) {
	w := u.w
	body := w.X[m]
	t := w.Type[c.arg]
	put := func(op ir.Op, t ir.Type, in ...ir.Row) ir.Row {
		o := [3]ir.Row{ir.NoRow, ir.NoRow, ir.NoRow}
		copy(o[:], in)
		r := w.make(c.test, op, t, 0, o[0], o[1], o[2])
		w.append(body, r)
		return r
	}
	step, hi, lo := c.step, c.bound, cl.value(c.arg)
	if c.which != c.x {
		step, hi, lo = -c.step&t.Mask(), lo, c.bound
	}
	short := put(c.cond, ir.Bool, cl.value(c.x), cl.value(c.y))
	far := put(ir.OpSub, t, hi, lo)
	unsigned := t.Unsigned()
	if t != unsigned {
		far = put(ir.OpCvt, unsigned, far)
	}
	more := put(c.cond, ir.Bool, w.constant(unsigned, step*uint64(n-1)), far)
	if w.must(checkSureRounds, false) {
		more = short
	}
	stay := put(ir.OpAnd, ir.Bool, short, more)
	test := put(ir.OpIf, ir.None, stay)
	w.X[test] = w.region(test)
	w.region(test)
	w.append(w.X[test], w.make(c.test, ir.OpYield, ir.None, 0, ir.NoRow, ir.NoRow, ir.NoRow))
	leave := w.make(c.test, ir.OpBreak, ir.None, uint32(m), ir.NoRow, ir.NoRow, ir.NoRow)
	w.setList(leave, args)
	w.append(w.X[test]+1, leave)
}
