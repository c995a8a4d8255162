package opt

import (
	"slices"

	"github.com/govyre/vyre/ir"
)

// irce is inductive range-check elimination. It puts a loop in front of a loop whose rounds check several accesses at
// constant distances from its counter: the rounds in which all of them are in bounds, which then need no check.
//
//	                                       %lim = max(len @x, 3) - 3
//	loop ^a (%i = 0, …) {                  loop ^b (%i = 0, …) {
//	  if %i + 4 > %n { break }               if %i + 4 > %n or %i >= %lim { break }
//	  … @x[%i] … @x[%i+3]             =>     … @x[%i] … @x[%i+3], in bounds
//	  continue (%i + 4, …)                   continue (%i + 4, …)
//	}                                      }
//	                                       loop ^a, as it was, from where that stopped
//
// Where the counter, a number without a sign, is below the limit, the sum with the greatest distance is below the length,
// and no sum wraps. The loop in front goes on where the loop itself would and that holds, so it does rounds that the
// loop would do, and what it stops at is where the loop goes on: with no round, if there is none, and with checks if an
// index is out of bounds. That is as it is with rounds of unrolled loops, which stop before the ends of what they index by
// themselves.
//
// So it is with ifs that compare such a sum with a number from outside the loop, as pass views makes of accesses to the
// elements of a record: below the limit it is less, and the loop in front has what they do then, and no if. What was proven
// under the condition is still under it. The number is as uniform as the test of the loop, so all that leave the loop together
// leave the one in front together. O(rows + what it writes).
func irce(w *work) {
	u := &unrolling{w: w, exits: w.exits(), copies: cloning{w: w}, budget: w.linked() + 1024}
	for it := w.rows(); it.control(); {
		if it.at == atEnd && w.Op[it.row] == ir.OpLoop {
			u.inside(&it)
		}
	}
}

const (
	maxEndRows = 112 // rows of a loop that is written twice
	minEnds    = 3   // checked accesses, and ifs, that pay for that
)

// reach is an object that accesses index by the counter and constants up to far, or a number that such sums are compared with.
type reach struct {
	access ir.Row // one of them, NoRow of a number
	number ir.Row
	far    uint64
}

// inside looks at the loop that the walk has come to the end of.
func (u *unrolling) inside(it *walk) {
	w, l := u.w, it.row
	c, ok := w.counter(u.exits, l)
	if !ok {
		return
	}
	t := w.Type[c.arg]
	s := u.survey(c, min(maxEndRows, u.budget), true)
	if s.nested || s.skips || s.exits > 1 || s.before || s.convergent || s.rows > min(maxEndRows, u.budget) || t.IsSigned() || !u.leavesAlone(c) {
		return
	}
	u.copies.sure = u.copies.sure[:0]
	objects, accesses := u.reaches(c)
	if len(accesses)+len(u.copies.sure) < minEnds || len(objects) > maxIndexed {
		return
	}
	u.budget -= s.rows
	u.ahead(c, objects, accesses, it)
	w.hit("irce")
}

// leavesAlone reports whether the test of a counter does nothing but leave or go on.
func (u *unrolling) leavesAlone(c counter) bool {
	w := u.w
	leave := w.X[c.test] + w.X[c.test] + 1 - c.stay
	return w.head[leave] == w.tail[leave] && w.exitsTo(w.tail[leave], c.loop) && w.head[c.stay] == w.tail[c.stay] && w.results(c.test) == 0
}

// reaches lists the accesses of a loop that are checked, at constant distances from its counter, and what they access. It
// notes the ifs that compare such a sum.
func (u *unrolling) reaches(c counter) (objects []reach, accesses []ir.Row) {
	w := u.w
	it := walk{w: w, row: c.loop, at: atRow}
	for it.step() && !(it.at == atEnd && it.row == c.loop) {
		r := it.row
		in := w.info(r)
		if n, ok := u.compared(c, r); ok && it.at == atRow {
			u.copies.sure = append(u.copies.sure, r)
			objects = within(objects, n)
			continue
		}
		if it.at != atRow || in.Imm != ir.ImmObject || in.Attr&(ir.Reads|ir.Writes) == 0 || in.Attr&ir.Atomic != 0 || in.Vec != 0 || w.Flags[r].InBounds() {
			continue
		}
		base, far := w.offset(w.A(r))
		if base != c.arg || far > maxSpan || !u.counted(r, w.Type[c.arg]) {
			continue
		}
		accesses = append(accesses, r)
		same := slices.IndexFunc(objects, func(o reach) bool { return o.access != ir.NoRow && w.X[o.access] == w.X[r] })
		if same < 0 {
			objects = append(objects, reach{r, ir.NoRow, far})
		} else {
			objects[same].far = max(objects[same].far, far)
		}
	}
	return objects, accesses
}

// compared returns the number from outside the loop that row r, an if, does what it does below, and how far from the counter the
// sum that it compares is.
func (u *unrolling) compared(c counter, r ir.Row) (n reach, ok bool) {
	w := u.w
	if w.Op[r] != ir.OpIf || r == c.test || w.Op[w.A(r)] != ir.OpLt || !w.straight(w.X[r]) {
		return n, false
	}
	sum, bound := w.A(w.A(r)), w.B(w.A(r))
	base, far := w.offset(sum)
	_, constant := w.bits(bound)
	return reach{ir.NoRow, bound, far}, base == c.arg && far <= maxSpan && (constant || !w.encloses(c.loop, bound)) && w.fits(w.A(c.test), bound)
}

// straight reports whether region reg has no structured op, and control comes to its end.
func (w *work) straight(reg uint32) bool {
	for r := w.head[reg]; r != w.tail[reg]; r = w.next[r] {
		w.visits++
		if w.structured(r) {
			return false
		}
	}
	return w.Op[w.tail[reg]] == ir.OpYield
}

// within adds a number to those that sums are compared with.
func within(objects []reach, n reach) []reach {
	same := slices.IndexFunc(objects, func(o reach) bool { return o.access == ir.NoRow && o.number == n.number })
	if same < 0 {
		return append(objects, n)
	}
	objects[same].far = max(objects[same].far, n.far)
	return objects
}

// counted reports whether the elements of what access r goes to are counted by a number of type t.
func (u *unrolling) counted(r ir.Row, t ir.Type) bool {
	w := u.w
	o := w.objs[w.X[r]]
	if o.Param == nil {
		return w.minLen(w.X[r]) > 0
	}
	return o.Count() == 1 && (o.Param.MaxLen >= 1<<32) == (t.Size() == 8)
}

// ahead writes the loop in front.
func (u *unrolling) ahead(c counter, objects []reach, accesses []ir.Row, it *walk) {
	w, l := u.w, c.loop
	t := w.Type[c.arg]
	m, args := u.front(l)
	body, cl := w.X[m], &u.copies
	limit := ir.NoRow
	for _, o := range objects {
		n, far := o.number, o.far
		if n == ir.NoRow {
			n = w.lengthOf(o.access, t, m)
		}
		if w.must(checkIRCE, false) {
			far = 0
		}
		n = w.before(m, ir.OpMax, t, 0, n, w.constant(t, far))
		n = w.before(m, ir.OpAdd, t, 0, n, w.constant(t, -far&t.Mask()))
		if limit != ir.NoRow {
			n = w.before(m, ir.OpMin, t, 0, limit, n)
		}
		limit = n
	}
	row := func(op ir.Op, t ir.Type, a, b ir.Row) ir.Row {
		r := w.make(c.test, op, t, 0, a, b, ir.NoRow)
		w.append(body, r)
		return r
	}
	arg := cl.value(c.arg)
	var stay ir.Row
	if c.which == c.arg && c.cond == ir.OpLt && c.x == c.arg {
		stay = row(ir.OpLt, ir.Bool, arg, w.before(m, ir.OpMin, t, 0, c.bound, limit))
	} else {
		which := arg
		if c.which == c.next {
			which = row(c.op, t, arg, w.B(c.next))
		}
		x, y := which, c.bound
		if c.y == c.which {
			x, y = c.bound, which
		}
		stay = row(c.cond, ir.Bool, x, y)
		stay = row(ir.OpAnd, ir.Bool, stay, row(ir.OpLt, ir.Bool, arg, limit))
	}
	u.leave(c, m, stay, args)
	cl.test, cl.arm = c.test, c.stay
	copies := ir.Row(w.Rows())
	vals := u.round(cl, w.head[w.X[l]], body, false)
	for _, r := range accesses {
		if w.must(checkNoRound, cl.to[r] >= copies) {
			w.Flags[cl.to[r]] |= ir.InBounds
		}
	}
	u.resume(l, m, args, vals)
	it.row, it.at = l, atEnd
}

// lengthOf is the elements of what access r goes to, as a number of type t, in front of loop m.
func (w *work) lengthOf(r ir.Row, t ir.Type, m ir.Row) ir.Row {
	if n := w.minLen(w.X[r]); n > 0 {
		return w.constant(t, n)
	}
	return w.before(m, ir.OpLen, t, uint32(w.objs[w.X[r]].First))
}
