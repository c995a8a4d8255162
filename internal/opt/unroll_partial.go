package opt

import (
	"math/bits"

	"github.com/govyre/vyre/internal/interval"
	"github.com/govyre/vyre/ir"
)

// factor returns how many of the rounds of a loop should become one.
func (u *unrolling) factor(c counter, s body, hint int, rounds roundCount) int {
	w := u.w
	if s.nested || s.skips || s.exits > 1 || s.before || c.which != c.arg || c.op != ir.OpAdd ||
		!w.must(checkUniformTrips, !s.convergent || rounds.exactly()) {
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
	case s.rows <= 24 && rounds.least >= 8: // there surely are as many
		n = 8
	case s.rows <= 32:
		n = 4
	case s.rows <= 64:
		n = 2
	}
	for n > rounds.most {
		n /= 2
	}
	if n*s.rows > min(maxUnrolled, u.budget) {
		return 0
	}
	return n
}

// partial puts a loop of n rounds at a time in front of the loop, which goes on where that stops: when
// fewer than n rounds are sure.
func (u *unrolling) partial(c counter, n int, rounds roundCount, s body, it *walk) {
	w, l := u.w, c.loop
	m, args := u.front(l)
	w.Flags[m], w.Flags[l] = ir.Flags(0).WithUnroll(1), w.Flags[l].WithUnroll(1)
	body, cl := w.X[m], &u.copies
	indexed, views := s.indexed, s.views
	if rounds.exactly() {
		indexed, views = nil, nil // the rounds left over are those that were counted
	}
	u.sure(c, cl, n, m, args, indexed, views)
	first := w.head[w.X[l]]
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
	u.resume(l, m, args, vals)
	it.row, it.at = l, atEnd
}

// front makes a loop without rows in front of loop l, with arguments for those of l, and returns it and them. What stands
// for the arguments in copies of rows of l are those.
func (u *unrolling) front(l ir.Row) (m ir.Row, args []uint32) {
	w, cl := u.w, &u.copies
	m = w.make(l, ir.OpLoop, ir.None, 0, ir.NoRow, ir.NoRow, ir.NoRow)
	w.X[m] = w.region(m)
	w.setList(m, w.Operands(l))
	w.link(m, l)
	cl.start(l)
	for at := w.head[w.X[l]]; w.Op[at] == ir.OpArg; at = w.next[at] {
		a := w.make(at, ir.OpArg, w.Type[at], w.X[at], ir.NoRow, ir.NoRow, ir.NoRow)
		w.level[a] = w.level[at]
		w.append(w.X[m], a)
		cl.to[at] = a
		args = append(args, uint32(a))
	}
	return m, args
}

// resume ends the rounds of loop m, in front of loop l, with the values that the next one starts with, and lets l start
// with the arguments where m stops.
func (u *unrolling) resume(l, m ir.Row, args, vals []uint32) {
	w := u.w
	again := w.make(l, ir.OpContinue, ir.None, uint32(m), ir.NoRow, ir.NoRow, ir.NoRow)
	w.setList(again, vals)
	w.append(w.X[m], again)
	var rest []uint32
	for i, a := range args {
		res := w.make(l, ir.OpRes, w.Type[a], uint32(i), ir.NoRow, ir.NoRow, ir.NoRow)
		w.level[res] = w.level[a]
		w.link(res, l)
		rest = append(rest, uint32(res))
	}
	w.setList(l, rest)
}

// maxIndexed bounds the lengths that the rounds at a time stop in front of.
const maxIndexed = 4

// sure ends loop m, with arguments args, unless n rounds are sure: the counter is short of its bound by more than
// n − 1 steps. So it is if it is short of a limit that lies so far before the bound, or is no number that is less
// than any where the bound is closer to the least number than that.
//
// The limit also lies so far before the lengths of what the counter indexes, objects and views: accesses of the rounds at
// a time are in bounds, and need no check, and the rounds after see what is out of bounds.
func (u *unrolling) sure(c counter, cl *cloning, n int, m ir.Row, args []uint32, indexed, views []ir.Row) {
	w := u.w
	body := w.X[m]
	t := w.Type[c.arg]
	width := interval.WidthOf(t)
	least, most := uint64(0), t.Mask()
	if t.IsSigned() {
		least, most = width.Bits(width.Min()), width.Bits(width.Max())
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
			for _, length := range views {
				limit = w.before(m, ir.OpMin, t, 0, limit, length)
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
	u.leave(c, m, stay, args)
}

// leave ends loop m, with arguments args, in front of the rest of its body unless stay holds.
func (u *unrolling) leave(c counter, m, stay ir.Row, args []uint32) {
	w := u.w
	test := w.make(c.test, ir.OpIf, ir.None, 0, stay, ir.NoRow, ir.NoRow)
	w.append(w.X[m], test)
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
