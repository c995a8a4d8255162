package opt

import (
	"slices"

	"github.com/govyre/vyre/ir"
)

// cloning copies rows of a loop's body, once a round. Every copy has rows of its own; a value from
// outside stays what it is.
type cloning struct {
	w    *work
	loop ir.Row
	to   []ir.Row // by row of the body: its copy in this round, or the value that stands for it
	back ir.Row   // what a continue of the loop breaks out of, NoRow if it is the last row of the body
	test ir.Row   // an if of which only one arm runs, NoRow for none
	arm  uint32   // that arm
	open bool     // either may, after what comes next and may run in vain
	sure []ir.Row // ifs of which only the first arm runs, which has no structured op
}

// start prepares for the body of a loop. What was copied before is referred to by nothing outside of its own
// body, so what stands for it does not matter any more.
func (c *cloning) start(loop ir.Row) {
	for len(c.to) < c.w.Rows() {
		c.to = append(c.to, ir.Row(len(c.to)))
	}
	c.loop, c.back, c.test, c.open = loop, ir.NoRow, ir.NoRow, false
}

// value returns what stands for v in this round.
func (c *cloning) value(v ir.Row) ir.Row {
	if int(v) < len(c.to) {
		return c.w.find(c.to[v])
	}
	return v
}

// values returns what stands for the operand list of row r.
func (c *cloning) values(r ir.Row) []uint32 {
	var list []uint32
	for _, v := range c.w.Operands(r) {
		c.w.visits++
		list = append(list, uint32(c.value(ir.Row(v))))
	}
	return list
}

// region copies the rows from row r to the end of its region to the end of region reg. It
// stops in front of a continue that ends the loop's body, and after the test if the arm that runs leaves; it
// reports whether control comes to that continue.
func (c *cloning) region(r ir.Row, reg uint32) bool {
	w := c.w
	for ; r != ir.NoRow; r = w.next[r] {
		switch {
		case w.Op[r] == ir.OpArg && w.owner(w.Region[r]) == c.loop:
			continue
		case r == c.test && c.open:
			last := c.ahead(r, reg)
			c.row(r, reg)
			for w.Op[w.next[r]] == ir.OpRes {
				r = w.next[r]
				c.row(r, reg)
			}
			if last != ir.NoRow {
				r = last
			}
		case r == c.test:
			if !c.chosen(r, reg) {
				return false
			}
			for k := range w.results(r) {
				c.to[w.result(r, k)] = c.value(ir.Row(w.Operands(w.tail[c.arm])[k]))
			}
			for w.Op[w.next[r]] == ir.OpRes {
				r = w.next[r]
			}
		case w.Op[r] == ir.OpContinue && w.exitTarget(r) == c.loop && w.owner(w.Region[r]) == c.loop && c.back == ir.NoRow:
			return true
		default:
			r = c.row(r, reg)
		}
	}
	return true
}

// maxAhead bounds the cost of what runs before it is known to be needed.
const maxAhead = 24

// ahead copies the rows after the test to region reg if loads are among them and all may run in vain. It stops behind
// the last load from which that is so, and returns that row, NoRow if there is none.
func (c *cloning) ahead(test ir.Row, reg uint32) ir.Row {
	w := c.w
	if w.results(test) > 0 {
		return ir.NoRow
	}
	last, spent := ir.NoRow, 0
	for r := w.next[test]; !w.structured(r); r = w.next[r] {
		cost, ok := w.speculative(r)
		if b := w.B(r); b != ir.NoRow && w.Op[b] == ir.OpConst {
			cost = min(cost, 4) // as many instructions as make a division by a constant
		}
		if spent += cost; !ok || spent > maxAhead {
			break
		}
		if w.info(r).Spread == ir.SpreadLoad {
			last = r
		}
	}
	if last == ir.NoRow {
		return last
	}
	for r := w.next[test]; ; r = w.next[r] {
		c.row(r, reg)
		if w.info(r).Spread == ir.SpreadLoad && !w.must(checkSpeculatedBounds, false) {
			w.Flags[c.to[r]] &^= ir.InBounds
		}
		if r == last {
			return last
		}
	}
}

// chosen copies the arm of the test that runs, and reports whether control comes to its end.
func (c *cloning) chosen(r ir.Row, reg uint32) bool {
	w := c.w
	last := w.tail[c.arm]
	for at := w.head[c.arm]; at != last; at = w.next[at] {
		at = c.row(at, reg)
	}
	if w.exitsTo(last, r) {
		return true
	}
	c.row(last, reg)
	return false
}

// only copies what the first arm of if r holds to the end of region reg, and returns the last of the results.
func (c *cloning) only(r ir.Row, reg uint32) ir.Row {
	w := c.w
	last := w.tail[w.X[r]]
	for at := w.head[w.X[r]]; at != last; at = w.next[at] {
		at = c.row(at, reg)
	}
	values := w.Operands(last)
	for k := range w.results(r) {
		c.to[w.result(r, k)] = c.value(ir.Row(values[k]))
	}
	for w.Op[w.next[r]] == ir.OpRes {
		r = w.next[r]
	}
	return r
}

// row copies row r to the end of region reg, and returns the last row that it has copied.
func (c *cloning) row(r ir.Row, reg uint32) ir.Row {
	w := c.w
	if slices.Contains(c.sure, r) {
		return c.only(r, reg)
	}
	op, x := w.Op[r], w.X[r]
	in := w.info(r)
	target := ir.NoRow
	if in.Imm == ir.ImmLabel {
		target = c.value(w.exitTarget(r))
		if op == ir.OpContinue && w.exitTarget(r) == c.loop && c.back != ir.NoRow {
			op, target = ir.OpBreak, c.back
		}
		x = uint32(target)
	}
	operand := func(v ir.Row) ir.Row {
		if v == ir.NoRow {
			return v
		}
		return c.value(v)
	}
	n := w.make(r, op, w.Type[r], x, operand(w.A(r)), operand(w.B(r)), operand(w.C(r)))
	w.Flags[n], w.level[n] = w.Flags[r], w.level[r]
	if name, ok := w.Debug.Names[r]; ok {
		w.Debug.Names[n] = name
	}
	if text, ok := w.Debug.Messages[r]; ok {
		w.Debug.Messages[n] = text
	}
	if w.Args[r] != ir.NoArgs {
		w.setList(n, c.values(r))
	}
	w.append(reg, n)
	c.to[r] = n
	if in.Owns > 0 {
		old := w.X[r]
		w.X[n] = w.region(n)
		for i := uint32(1); i < uint32(in.Owns); i++ {
			w.region(n)
		}
		for i := range uint32(in.Owns) {
			for at := w.head[old+i]; at != ir.NoRow; at = w.next[at] {
				at = c.row(at, w.X[n]+i)
			}
		}
	}
	return r
}
