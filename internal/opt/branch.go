package opt

import "github.com/govyre/vyre/ir"

// branch simplifies control: an if on a constant or on what an enclosing arm implies, an if
// without effect, an if that only chooses values, exits of a block that only choose what it gives, a loop that
// never repeats, a block left only at its end. What control cannot come to any more goes.
//
// An arm becomes part of what surrounds it, and then runs in every case, only if it is pure,
// short, and loads from read-only buffers at most. One walk, and for what is moved or removed one more visit
// a row: regions are opened from the outside in, so no row moves twice.
func branch(w *work) {
	b := &branches{w: w, known: newFacts(w)}
	b.left, b.again = make([]int32, len(w.Regions)), make([]int32, len(w.Regions))
	for it := w.rows(); it.control(); { // an exit is the last row of its region
		if it.at == atRow {
			b.tally(it.row, 1)
		}
	}
	for it := w.rows(); it.step(); {
		r := it.row
		if it.at == atRow {
			b.known.apply(r)
			switch {
			case w.Op[r] == ir.OpIf && b.constant(r, &it):
				continue
			case w.Op[r] == ir.OpLoop:
				b.once(r)
			case w.info(r).Attr&ir.Traps != 0 && w.isConst(w.A(r), 0):
				w.remove(r)
				w.hit("trap-false")
			}
		}
		b.known.follow(&it)
		switch {
		case it.at == atEnd && w.info(r).Owns == 2:
			b.flatten(r)
		case it.at == atEnd:
			b.join(r)
			b.nest(r)
			b.straighten(r, &it)
		}
	}
	b.prune()
}

// branches is the state of branch.
type branches struct {
	w     *work
	known *facts
	left  []int32  // by first region of an op: exits to its end
	again []int32  // continues
	ended []ir.Row // ops that lost their last exit
}

// tally counts row r as an exit, or no longer.
func (b *branches) tally(r ir.Row, d int32) {
	w := b.w
	switch w.Op[r] {
	case ir.OpYield, ir.OpBreak:
		op := w.exitTarget(r)
		if b.left[w.X[op]] += d; b.left[w.X[op]] == 0 {
			b.ended = append(b.ended, op)
		}
	case ir.OpContinue:
		b.again[w.X[w.exitTarget(r)]] += d
	}
}

// drop removes row r and those after it in its region.
func (b *branches) drop(r ir.Row) {
	w := b.w
	for at := r; at != ir.NoRow; at = w.next[at] {
		b.discount(at)
	}
	w.removeFrom(r)
}

// discount takes the exits in row r out of the tally. Nesting bounds the recursion.
func (b *branches) discount(r ir.Row) {
	w := b.w
	w.visits++
	b.tally(r, -1)
	for i := range uint32(w.info(r).Owns) {
		for at := w.head[w.X[r]+i]; at != ir.NoRow; at = w.next[at] {
			b.discount(at)
		}
	}
}

// constant replaces an if on a constant by the arm that runs.
func (b *branches) constant(r ir.Row, it *walk) bool {
	w := b.w
	c, ok := w.bits(w.A(r))
	if !ok {
		return false
	}
	arm, other := w.X[r], w.X[r]+1
	if c == 0 {
		arm, other = other, arm
	}
	if !b.fitAll(r, w.tail[arm]) {
		return false
	}
	b.drop(w.head[other])
	it.resume(b.dissolve(r, arm))
	w.hit("if-const")
	return true
}

// fitAll reports whether the values of exit e may take the place of the results of op r.
func (b *branches) fitAll(r, e ir.Row) bool {
	w := b.w
	if w.exitsTo(e, r) {
		res := w.next[r]
		for _, v := range w.Operands(e) {
			if !w.fits(res, ir.Row(v)) {
				return false
			}
			res = w.next[res]
		}
	}
	return true
}

// exitsTo reports whether row e ends a region of op r, going to the end of r.
func (w *work) exitsTo(e, r ir.Row) bool {
	return (w.Op[e] == ir.OpYield || w.Op[e] == ir.OpBreak) && w.exitTarget(e) == r
}

// dissolve puts the rows of a region of r, which is all that runs of it, in the place of
// r. If they leave for elsewhere, what stood after r goes. It returns the first of them, or
// of what follows.
func (b *branches) dissolve(r ir.Row, reg uint32) (first ir.Row) {
	w := b.w
	first = w.head[reg]
	e := w.tail[reg]
	if w.exitsTo(e, r) {
		b.tally(e, -1)
		at := w.next[r]
		for _, v := range w.Operands(e) {
			w.replaceAlways(at, ir.Row(v))
			w.remove(at)
			at = w.next[at]
		}
		if first == e {
			first = at
		}
		w.inline(reg, r)
	} else {
		b.drop(w.next[r])
		around := w.Region[r]
		for at := first; at != ir.NoRow; {
			next := w.next[at]
			w.append(around, at)
			w.visits++
			at = next
		}
		w.head[reg], w.tail[reg] = ir.NoRow, ir.NoRow
	}
	w.remove(r)
	return first
}

// once makes a block of a loop without a second round.
func (b *branches) once(r ir.Row) {
	w := b.w
	x := w.X[r]
	if b.again[x] > 0 {
		return
	}
	inits := w.Operands(r)
	at := w.head[x]
	for _, v := range inits {
		if !w.fits(at, ir.Row(v)) {
			return
		}
		at = w.next[at]
	}
	at = w.head[x]
	for _, v := range inits {
		w.replaceAlways(at, ir.Row(v))
		w.remove(at)
		at = w.next[at]
	}
	w.setList(r, nil)
	w.Op[r], w.Flags[r] = ir.OpBlock, 0
	w.hit("loop-once")
}

// straighten opens a block that is left at its end only, or not to its end at all.
func (b *branches) straighten(r ir.Row, it *walk) {
	w := b.w
	x := w.X[r]
	e := w.tail[x]
	if w.Op[r] != ir.OpBlock || b.left[x] > 1 || b.left[x] == 1 && !w.exitsTo(e, r) || !b.fitAll(r, e) {
		return
	}
	leaves, around := !w.exitsTo(e, r), w.Region[r]
	b.dissolve(r, x)
	if leaves { // the rows of the block, visited already, end the region around it
		it.row, it.at = w.tail[around], atEnd
	}
	w.hit("block-straight")
}

// maxSpeculated bounds the cost of the arms that are run in every case.
const maxSpeculated = 6

// flatten turns an if that only chooses values into selects, and removes one that does nothing.
func (b *branches) flatten(r ir.Row) {
	w := b.w
	x := w.X[r]
	b.yieldAtEnd(r)
	then, els := w.tail[x], w.tail[x+1]
	if w.Op[then] != ir.OpYield || w.Op[els] != ir.OpYield {
		return
	}
	cost := 0
	for arm := range uint32(2) {
		for at := w.head[x+arm]; at != w.tail[x+arm]; at = w.next[at] {
			w.visits++
			c, ok := w.speculative(at)
			if cost += c; !ok || cost > maxSpeculated {
				return
			}
		}
	}
	n := len(w.Operands(then))
	if n == 0 {
		// Pure rows whose values nobody sees: all of it goes.
		b.drop(w.head[x])
		b.drop(w.head[x+1])
		w.remove(r)
		w.hit("if-empty")
		return
	}
	// The values are found before anything moves: a select that is no longer uniform would have to stay an if.
	res := w.next[r]
	for k := range n {
		if v, u := w.Operands(then)[k], w.Operands(els)[k]; !w.fits(res, w.moreVarying(w.A(r), ir.Row(v), ir.Row(u))) {
			return
		}
		res = w.next[res]
	}
	for arm := range uint32(2) {
		for at := w.head[x+arm]; at != w.tail[x+arm]; {
			next := w.next[at]
			w.move(at, r)
			if w.info(at).Attr&ir.Reads != 0 && !w.must(checkSpeculatedBounds, false) {
				w.Flags[at] &^= ir.InBounds
			}
			w.visits++
			at = next
		}
	}
	at := w.next[r]
	for k := range n {
		v, u := ir.Row(w.Operands(then)[k]), ir.Row(w.Operands(els)[k])
		if v != u {
			v = w.before(r, ir.OpSelect, w.Type[v], 0, w.A(r), v, u)
		}
		w.replaceAlways(at, v)
		w.remove(at)
		at = w.next[at]
	}
	b.tally(then, -1)
	b.tally(els, -1)
	w.remove(r)
	w.hit("if-select")
}

// moreVarying returns the one of the values that has the highest level.
func (w *work) moreVarying(first ir.Row, more ...ir.Row) ir.Row {
	for _, v := range more {
		if w.level[v] > w.level[first] {
			first = v
		}
	}
	return first
}

// speculative returns what row r costs when it runs in vain, and whether it may.
func (w *work) speculative(r ir.Row) (cost int, ok bool) {
	in := w.info(r)
	if in.Spread == ir.SpreadLoad {
		if w.Flags[r].InBounds() && (w.equated || wide(w.Type[w.A(r)])) {
			return maxSpeculated, false // it would take a check, in 64 bits or that no pass simplifies any more, where the condition is the proof
		}
		return 3, w.must(checkSpeculatedLoad, w.objs[w.X[r]].ReadOnly())
	}
	if !w.pure(r) {
		return 0, false
	}
	switch w.Op[r] {
	case ir.OpDiv, ir.OpRem, ir.OpSqrt:
		return maxSpeculated, true
	}
	if in.Attr&ir.Expanded != 0 {
		return maxSpeculated + 1, true
	}
	return 1, true
}

// yieldAtEnd turns a return at the very end of the kernel into the end of its arm.
func (b *branches) yieldAtEnd(r ir.Row) {
	w := b.w
	if w.Region[r] != 0 || w.Op[w.next[r]] != ir.OpReturn {
		return
	}
	for arm := range uint32(2) {
		if e := w.tail[w.X[r]+arm]; w.Op[e] == ir.OpReturn {
			w.Op[e] = ir.OpYield
			w.edits++
			b.tally(e, 1)
			w.hit("return-at-end")
		}
	}
}

// prune removes what stands after an op that cannot complete, which may keep others from completing.
func (b *branches) prune() {
	w := b.w
	var stuck []ir.Row
	for it := w.rows(); it.control(); {
		if it.at == atEnd && b.left[w.X[it.row]] == 0 {
			stuck = append(stuck, it.row)
		}
	}
	for len(stuck) > 0 {
		r := stuck[len(stuck)-1]
		stuck = stuck[:len(stuck)-1]
		if w.gone[r] || w.Op[w.next[r]] == ir.OpUnreachable {
			continue
		}
		b.ended = nil
		b.drop(w.next[r])
		w.append(w.Region[r], w.make(r, ir.OpUnreachable, ir.None, 0, ir.NoRow, ir.NoRow, ir.NoRow))
		stuck = append(stuck, b.ended...)
		w.hit("unreachable")
	}
}
