package opt

import (
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

// counter is what makes a loop end: an argument that changes by a constant each round, in the same way, and a test
// in every round that leaves when it has come to a bound.
type counter struct {
	loop  ir.Row
	arg   ir.Row // the argument that counts
	next  ir.Row // its value in the next round: op arg, step
	op    ir.Op  // mostly add
	step  uint64 // modulo 2^W
	test  ir.Row // the if that leaves the loop
	stay  uint32 // the arm of it that goes on
	cond  ir.Op  // the loop goes on while (x cond y): lt, le, eq or ne
	x, y  ir.Row
	which ir.Row // arg or next: that of the two that is compared
	bound ir.Row // the other side, from outside the loop
}

// counts reports whether op makes the next value of a counter of the last one and a constant.
func counts(op ir.Op) bool {
	return op == ir.OpAdd || op == ir.OpShl || op == ir.OpShr || op == ir.OpMul || op == ir.OpDiv
}

// after returns what the counter is in the round after the one in which it is v.
func (w *work) after(c counter, v uint64) uint64 {
	t := w.Type[c.arg]
	return exact.Eval(c.op, t, t, 0, v, c.step, 0)
}

// counter finds what ends loop l, if it is a counter.
func (w *work) counter(e *exits, l ir.Row) (counter, bool) { return w.counterBy(e, l, w.steps) }

// stopper finds what ends loop l after one round, if that is an argument that becomes a constant. It is like a counter: its
// step leads from the first value to that constant.
func (w *work) stopper(e *exits, l ir.Row) (counter, bool) { return w.counterBy(e, l, w.stops) }

// counterBy finds what ends loop l, of the kind that is asked for.
func (w *work) counterBy(e *exits, l ir.Row, kind func(e *exits, c *counter) bool) (counter, bool) {
	body := w.X[l]
	first := e.repeat[body]
	for r := w.head[body]; r != ir.NoRow; r = w.next[r] {
		w.visits++
		if !w.structured(r) {
			continue
		}
		if first != ir.NoRow && w.encloses(r, first) {
			break // a continue in here skips the tests after it
		}
		if w.Op[r] != ir.OpIf {
			continue
		}
		for arm := range uint32(2) {
			if stay := w.X[r] + 1 - arm; w.leaves(w.tail[w.X[r]+arm], l) && w.Op[w.tail[stay]] == ir.OpYield {
				if c, ok := w.countTo(e, l, r, stay, kind); ok {
					return c, true
				}
			}
		}
	}
	return counter{}, false
}

// leaves reports whether row r ends a round of loop l for good.
func (w *work) leaves(r, l ir.Row) bool {
	switch w.Op[r] {
	case ir.OpReturn:
		return true
	case ir.OpBreak:
		return w.exitTarget(r) == l || w.encloses(w.exitTarget(r), l)
	}
	return false
}

// encloses reports whether row r stands inside structured op s. O(nesting).
func (w *work) encloses(s, r ir.Row) bool {
	for reg := w.Region[r]; reg != 0; reg = w.Region[w.owner(reg)] {
		w.visits++
		if w.owner(reg) == s {
			return true
		}
	}
	return false
}

// countTo looks at the condition of the test.
func (w *work) countTo(e *exits, l, test ir.Row, stay uint32, kind func(e *exits, c *counter) bool) (counter, bool) {
	c := counter{loop: l, test: test, stay: stay}
	cond := w.A(test)
	in := w.info(cond)
	if in.Args != 2 || w.Type[cond] != ir.Bool || !w.Type[w.A(cond)].IsInt() {
		return c, false
	}
	c.cond, c.x, c.y = w.Op[cond], w.A(cond), w.B(cond)
	if stay != w.X[test] { // goes on where the condition is false
		switch c.cond {
		case ir.OpLt:
			c.cond, c.x, c.y = ir.OpLe, c.y, c.x
		case ir.OpLe:
			c.cond, c.x, c.y = ir.OpLt, c.y, c.x
		case ir.OpEq:
			c.cond = ir.OpNe
		case ir.OpNe:
			c.cond = ir.OpEq
		}
	}
	for _, side := range [2][2]ir.Row{{c.x, c.y}, {c.y, c.x}} {
		if w.encloses(l, side[1]) {
			continue
		}
		c.which, c.bound = side[0], side[1]
		c.arg = side[0]
		if counts(w.Op[c.arg]) {
			c.arg = w.A(side[0])
		}
		if w.Op[c.arg] != ir.OpArg || w.Region[c.arg] != w.X[l] {
			continue
		}
		if kind(e, &c) {
			return c, true
		}
	}
	return c, false
}

// steps reports whether each round changes the argument in the same way, by a constant.
func (w *work) steps(e *exits, c *counter) bool {
	ok := true
	c.next = ir.NoRow
	e.repeating(c.loop, func(r ir.Row) {
		v := ir.Row(w.Operands(r)[w.X[c.arg]])
		ok = ok && (c.next == ir.NoRow || c.next == v)
		c.next = v
	})
	if !ok || c.next == ir.NoRow || !counts(w.Op[c.next]) || w.A(c.next) != c.arg || c.which != c.arg && c.which != c.next {
		return false
	}
	c.op = w.Op[c.next]
	c.step, ok = w.bits(w.B(c.next))
	return ok && (c.step != 0 || c.op != ir.OpAdd)
}

// stops reports whether the argument, a constant at first, gets one other constant from every round, at which the test leaves.
func (w *work) stops(e *exits, c *counter) bool {
	first, ok := w.bits(w.start(*c))
	bound, fixed := w.bits(c.bound)
	if !ok || !fixed || c.which != c.arg {
		return false
	}
	seen, last := false, first
	e.repeating(c.loop, func(r ir.Row) {
		v := ir.Row(w.Operands(r)[w.X[c.arg]])
		k, known := w.bits(v)
		ok = ok && known && (!seen || w.must(checkOneStop, last == k))
		seen, c.next, last = true, v, k
	})
	c.op, c.step = ir.OpAdd, (last-first)&w.Type[c.arg].Mask()
	return ok && last != first && !w.goesOn(*c, last, bound)
}

// ends reports whether loop l provably ends.
func (w *work) ends(e *exits, l ir.Row) bool {
	if e.repeat[w.X[l]] == ir.NoRow {
		return true // no second round
	}
	c, ok := w.counter(e, l)
	if !ok || c.op != ir.OpAdd {
		return false
	}
	t := w.Type[c.arg]
	up, down := c.step == 1, c.step == t.Mask()
	switch {
	case c.cond == ir.OpNe:
		return c.step&1 == 1 // an odd step comes by every value
	case c.cond == ir.OpLt && c.x == c.which && up, c.cond == ir.OpLt && c.y == c.which && down:
		// The bound itself is not below the bound, and a step of one does not jump over it.
		return true
	}
	// Otherwise the counter must get past the bound without wrapping.
	bound, ok := w.bits(c.bound)
	if w.Op[c.bound] == ir.OpLen {
		bound, ok = w.maxLen(w.X[c.bound]), w.maxLen(w.X[c.bound]) != ir.RestLen
	}
	if !ok || c.x != c.which || c.cond == ir.OpEq {
		return false
	}
	room := t.Mask() - bound
	if t.IsSigned() {
		room = t.Mask()>>1 - bound
		if bound > t.Mask()>>1 || c.step > t.Mask()>>1 {
			return false
		}
	}
	return c.step <= room
}
