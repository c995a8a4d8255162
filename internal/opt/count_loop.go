package opt

import "github.com/govyre/vyre/ir"

// countingLoops replaces the two loops that count the ones of a number x: one takes away its lowest one in each
// round (x &= x−1) and adds 1, the other its lowest bit (x >>= 1) and adds that. Both end when x is 0 and do nothing
// else, so what they leave is known: x is 0, and the number of ones has been added.
func (w *work) countingLoops() {
	var e *exits
	for it := w.rows(); it.control(); {
		if it.at != atRow || w.Op[it.row] != ir.OpLoop {
			continue
		}
		if e == nil {
			e = w.exits()
		}
		if w.countingLoop(e, it.row) {
			w.hit("count-loop")
		}
	}
}

// countingLoop replaces loop l if it is one of them.
func (w *work) countingLoop(e *exits, l ir.Row) bool {
	body := w.X[l]
	again := w.tail[body]
	if w.Op[again] != ir.OpContinue || w.exitTarget(again) != l || e.repeat[body] != again || e.nextOfSameKind[again] != ir.NoRow {
		return false
	}
	test := ir.NoRow
	for r := w.head[body]; r != again; r = w.next[r] {
		w.visits++
		switch {
		case w.Op[r] == ir.OpIf && test == ir.NoRow:
			test = r
		case w.Op[r] != ir.OpArg && !w.pure(r):
			return false
		}
	}
	if test == ir.NoRow {
		return false
	}
	x, leave, ok := w.untilZero(l, test)
	if !ok || e.leave[body] != leave || e.nextOfSameKind[leave] != ir.NoRow {
		return false
	}
	next := w.Operands(again)
	lowest := w.takesLowest(x, ir.Row(next[w.X[x]]))
	if !lowest && !w.takesLast(x, ir.Row(next[w.X[x]])) {
		return false
	}
	start := ir.Row(w.Operands(l)[w.X[x]])
	// What it leaves after, by result.
	vals := make([]ir.Row, 0, 2)
	counts := make([]bool, 0, 2)
	for k, v := range w.Operands(leave) {
		v := ir.Row(v)
		out, count := v, false
		switch {
		case w.Op[v] == ir.OpArg && w.Region[v] == body:
			n := ir.Row(next[w.X[v]])
			out = ir.Row(w.Operands(l)[w.X[v]])
			switch {
			case v == x:
				out = w.constant(w.Type[x], 0)
			case n == v:
			case lowest && w.Op[n] == ir.OpAdd && w.A(n) == v && w.isConst(w.B(n), 1), !lowest && w.addsLast(n, v, x):
				count = true
			default:
				return false
			}
		case w.Op[v] != ir.OpConst && w.encloses(l, v):
			return false
		}
		if res := w.result(l, k); !w.fits(res, out) || count && !w.fits(res, start) {
			return false
		}
		vals, counts = append(vals, out), append(counts, count)
	}
	ones := ir.NoRow
	at := w.next[l]
	for k, v := range vals {
		if counts[k] {
			if ones == ir.NoRow {
				ones = w.before(l, ir.OpPopc, ir.U32, 0, start)
			}
			c, t := ones, w.Type[v]
			if t != ir.U32 {
				c = w.before(l, ir.OpCvt, t, 0, c)
			}
			v = w.before(l, ir.OpAdd, t, 0, v, c)
		}
		w.replaceAlways(at, v)
		w.remove(at)
		at = w.next[at]
	}
	w.remove(l)
	return true
}

// untilZero returns the argument of loop l whose being 0 makes the test leave the loop, and the row that leaves.
func (w *work) untilZero(l, test ir.Row) (x, leave ir.Row, ok bool) {
	c := w.A(test)
	x = w.A(c)
	arm := w.X[test] // that which runs where x is 0
	switch w.Op[c] {
	case ir.OpEq:
	case ir.OpNe:
		arm++
	default:
		return
	}
	stay := w.X[test] + w.X[test] + 1 - arm
	leave = w.tail[arm]
	ok = w.isConst(w.B(c), 0) && w.Op[x] == ir.OpArg && w.Region[x] == w.X[l] && w.results(test) == 0 &&
		w.Op[leave] == ir.OpBreak && w.exitTarget(leave) == l && w.head[arm] == leave &&
		w.Op[w.tail[stay]] == ir.OpYield && w.head[stay] == w.tail[stay]
	return x, leave, ok
}

// takesLowest reports whether next is x without its lowest one.
func (w *work) takesLowest(x, next ir.Row) bool {
	if w.Op[next] != ir.OpAnd {
		return false
	}
	a, b := w.A(next), w.B(next)
	if a != x {
		a, b = b, a
	}
	return a == x && w.Op[b] == ir.OpAdd && w.A(b) == x && w.isConst(w.B(b), w.Type[x].Mask())
}

// takesLast reports whether next is x without its last bit. A negative number never comes to 0 that way.
func (w *work) takesLast(x, next ir.Row) bool {
	return w.Op[next] == ir.OpShr && w.A(next) == x && w.isConst(w.B(next), 1) && w.must(checkShiftedOut, !w.Type[x].IsSigned())
}

// addsLast reports whether n is v plus the last bit of x.
func (w *work) addsLast(n, v, x ir.Row) bool {
	rest, maybe := w.sum(n, nil, nil)
	if len(rest) != 0 || len(maybe) != 2 {
		return false
	}
	if maybe[0].value != v {
		maybe[0], maybe[1] = maybe[1], maybe[0]
	}
	b, ok := w.bitsOf(maybe[1])
	return ok && maybe[0].value == v && b.mask == 1 && len(b.sources) == 1 && b.sources[0] == x
}
