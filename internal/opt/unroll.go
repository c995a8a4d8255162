package opt

import (
	"math/bits"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

const (
	maxUnrolled = 512 // rows that a loop may become
	maxPartial  = 8   // rounds that become one
	maxRest     = 128 // rows that the rounds left over may become
)

// unroll writes the rounds of a loop one after the other: all of them where their number is constant and
// the result is short; two, four or eight where the loop is left by a counter only and loads, or its hint says so.
// What is left over of the rounds is done by the loop as it was, or written out where their number is known.
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

// innerLoops reports whether loops in the rounds of others may have got numbers of rounds that are known.
func (w *work) innerLoops() bool { return w.inner }

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
	rounds, known := w.rounds(c)
	if known && s.rows*max(rounds, 1) <= maxUnrolled && s.rows*(rounds+1) <= u.budget {
		u.budget -= s.rows * (rounds + 1)
		u.full(c, rounds, s)
		w.inner = w.inner || s.nested
		for _, outer := range s.repeats {
			u.stale[w.X[outer]] = true
		}
		w.hit("full")
		return
	}
	if !known {
		rounds = -1
	}
	if n := u.factor(c, s, hint, rounds); n > 1 {
		u.budget -= s.rows * n
		exact := u.partial(c, n, rounds, s, it)
		w.hit("partial")
		if left := rounds % n; exact && s.rows*left <= min(maxRest, u.budget) {
			u.budget -= s.rows * (left + 1)
			u.full(c, left, s)
		}
	}
}

// maxCounted bounds the rounds that are counted one by one.
const maxCounted = 1 << 12

// rounds returns how often the test of the counter lets the loop go on, if that is a constant and not large.
func (w *work) rounds(c counter) (int, bool) {
	v, ok := w.bits(w.start(c))
	bound, ok2 := w.bits(c.bound)
	if !ok || !ok2 {
		return 0, false
	}
	t := w.Type[c.arg]
	if c.which == c.next {
		v = w.after(c, v)
	}
	for n := range maxCounted {
		w.visits++
		x, y := v, bound
		if c.y == c.which && c.x != c.which {
			x, y = bound, v
		}
		if exact.Eval(c.cond, t, ir.Bool, 0, x, y, 0) == 0 {
			return n, true
		}
		v = w.after(c, v)
	}
	return 0, false
}

// start is what the counter begins with.
func (w *work) start(c counter) ir.Row { return ir.Row(w.Operands(c.loop)[w.X[c.arg]]) }

// body is what a loop's body holds.
type body struct {
	rows       int // but for those that only count
	nested     bool
	convergent bool
	skips      bool     // a continue other than its last row
	exits      int      // to its end and to outer ops
	repeats    []ir.Row // outer loops that a continue in it goes to
	loads      int
	before     bool     // an effect, or a load of what is written, stands in front of the test
	indexed    []ir.Row // accesses whose index is the counter
}

func (u *unrolling) survey(c counter) body {
	w := u.w
	var s body
	x := w.X[c.loop]
	seen := false
	folds := map[ir.Row]bool{c.arg: true} // rows that are constant in each round, if the first is
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
		if in.Imm == ir.ImmObject && in.Attr&(ir.Reads|ir.Writes) != 0 && w.A(r) == c.arg && len(s.indexed) < maxIndexed {
			s.indexed = append(s.indexed, r)
		}
		switch {
		case in.Spread == ir.SpreadLoad:
			s.loads++
			s.before = s.before || !seen && !w.objs[w.X[r]].ReadOnly()
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

// factor returns how many rounds should become one. rounds is their number, negative if that is not known.
func (u *unrolling) factor(c counter, s body, hint, rounds int) int {
	w := u.w
	if s.nested || s.skips || s.exits > 1 || s.before || c.which != c.arg || c.op != ir.OpAdd ||
		!w.must(checkUniformTrips, !s.convergent || rounds >= 0) {
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
	case s.loads == 0:
	case s.rows <= 24 && rounds >= 0: // there surely are as many
		n = 8
	case s.rows <= 32:
		n = 4
	case s.rows <= 64:
		n = 2
	}
	for rounds >= 0 && n > rounds {
		n /= 2
	}
	if n*s.rows > min(maxUnrolled, u.budget) {
		return 0
	}
	return n
}

// partial puts a loop of n rounds at a time in front of the loop, which goes on where that stops: when
// fewer than n rounds are sure. It reports whether fewer than n rounds are left of those that were known.
func (u *unrolling) partial(c counter, n, rounds int, s body, it *walk) bool {
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
	indexed := s.indexed
	if rounds >= 0 {
		indexed = nil // the rounds left over are those that were counted
	}
	u.sure(c, cl, n, m, args, indexed)
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
	return rounds >= 0
}

// maxIndexed bounds the lengths that the rounds at a time stop in front of.
const maxIndexed = 4

// sure ends loop m, with arguments args, unless n rounds are sure: the counter is short of its bound by more than
// n − 1 steps. So it is if it is short of a limit that lies so far before the bound, or is no number that is less
// than any where the bound is closer to the least number than that.
//
// The limit also lies so far before the lengths of what the counter indexes: accesses of the rounds at a time are in
// bounds, and need no check, and the rounds after see what is out of bounds.
func (u *unrolling) sure(c counter, cl *cloning, n int, m ir.Row, args []uint32, indexed []ir.Row) {
	w := u.w
	body := w.X[m]
	t := w.Type[c.arg]
	width := widthOf(t)
	least, most := uint64(0), t.Mask()
	if t.IsSigned() {
		least, most = width.bits(width.min()), width.bits(width.max())
	}
	up := c.which == c.x
	step := c.step
	if !up {
		step = -c.step & t.Mask()
	}
	// The last of the rounds is so far on.
	far := step * uint64(n-1)
	if w.must(checkSureRounds, false) {
		far = 1
	}
	if c.cond == ir.OpLe {
		far-- // at most the bound: less than one more
	}
	limit, arg := c.bound, cl.value(c.arg)
	put := func(op ir.Op, v ir.Row, k uint64) {
		limit = w.before(m, op, t, 0, v, w.constant(t, k))
	}
	cond := [2]ir.Row{arg, ir.NoRow}
	if up {
		if !t.IsSigned() && c.cond == ir.OpLt {
			for _, r := range indexed {
				limit = u.within(m, limit, r)
			}
		}
		put(ir.OpMax, limit, least+far)
		put(ir.OpAdd, limit, -far)
		cond[1] = limit
	} else {
		put(ir.OpMin, limit, most-far)
		put(ir.OpAdd, limit, far)
		cond = [2]ir.Row{limit, arg}
	}
	stay := w.make(c.test, ir.OpLt, ir.Bool, 0, cond[0], cond[1], ir.NoRow)
	w.append(body, stay)
	test := w.make(c.test, ir.OpIf, ir.None, 0, stay, ir.NoRow, ir.NoRow)
	w.append(body, test)
	w.X[test] = w.region(test)
	w.region(test)
	w.append(w.X[test], w.make(c.test, ir.OpYield, ir.None, 0, ir.NoRow, ir.NoRow, ir.NoRow))
	leave := w.make(c.test, ir.OpBreak, ir.None, uint32(m), ir.NoRow, ir.NoRow, ir.NoRow)
	w.setList(leave, args)
	w.append(w.X[test]+1, leave)
}

// within returns the lesser of a limit and the length of what access r goes to, in the elements or vectors that its
// index counts. It stands in front of loop m.
func (u *unrolling) within(m, limit, r ir.Row) ir.Row {
	w := u.w
	t := w.Type[limit]
	o := w.objs[w.X[r]]
	if w.Flags[r].InBounds() {
		return limit
	}
	log := uint64(bits.TrailingZeros(uint(max(w.info(r).Vec.Lanes(), 1))))
	if o.Param == nil {
		if n := w.minLen(w.X[r]) >> log; n > 0 && n <= t.Mask() {
			return w.before(m, ir.OpMin, t, 0, limit, w.constant(t, n))
		}
		return limit
	}
	if big := o.Param.MaxLen >= 1<<32; big != (t.Size() == 8) {
		return limit
	}
	length := w.before(m, ir.OpLen, t, uint32(o.First))
	if log > 0 {
		length = w.before(m, ir.OpShr, t, 0, length, w.constant(ir.U32, log))
	}
	return w.before(m, ir.OpMin, t, 0, limit, length)
}
