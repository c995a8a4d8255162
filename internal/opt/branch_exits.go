package opt

import "github.com/govyre/vyre/ir"

const (
	maxVain      = 20 // cost of the rows that run in vain to get rid of exits
	maxVainLoads = 2
)

// join makes selects of the exits that choose what block or loop r goes on with: breaks of the block, continues of the
// loop, as inlined functions with several returns have them. From the last of them on up all rows run in every
// case, as long as they may and cost little; the last exit takes the values of the first of the others whose
// conditions hold.
//
// Rows that run in vain compute what no select chooses: what was computed from values in an arm is chosen only where
// that arm would have run. O(rows that it looks at), which are those of regions that go, and maxVain others.
func (b *branches) join(r ir.Row) {
	w := b.w
	j := joining{b: b, op: r, kind: ir.OpBreak}
	count := b.left[w.X[r]]
	if w.Op[r] == ir.OpLoop {
		j.kind, count = ir.OpContinue, b.again[w.X[r]]
	}
	if count < 2 {
		return
	}
	reg := w.X[r]
	last := w.tail[reg]
	if !j.leaves(last) && w.Op[last] != ir.OpUnreachable {
		return
	}
	first := ir.NoRow
	for at := w.prev[last]; at != ir.NoRow; at = w.prev[at] {
		before := j.exits
		if !j.vain(at) {
			break
		}
		if j.exits > before {
			first = at
		}
	}
	if first == ir.NoRow || !j.fits(first) {
		return
	}
	j.straighten(first, last)
	w.hit("exits-select")
}

// joining is the state of join.
type joining struct {
	b     *branches
	op    ir.Row
	kind  ir.Op // of the exits
	cost  int
	loads int
	exits int
	list  []condExit // in program order
}

// condExit is an exit that is taken where a condition holds.
type condExit struct {
	cond   ir.Row
	values []uint32
}

// path is where control goes through arms of ifs: cond is what the innermost asks for.
type path struct {
	up   *path
	cond ir.Row
	is   bool
	all  ir.Row // the row that says whether all of them hold, NoRow if nobody has asked
}

// leaves reports whether row e is an exit to be joined.
func (j *joining) leaves(e ir.Row) bool {
	w := j.b.w
	return w.Op[e] == j.kind && w.exitTarget(e) == j.op
}

// vain adds up what row r costs if it runs in every case, and reports whether it may.
func (j *joining) vain(r ir.Row) bool {
	w := j.b.w
	w.visits++
	switch op := w.Op[r]; {
	case op == ir.OpRes: // counted with its if
		return w.Op[j.ifOf(r)] == ir.OpIf
	case op == ir.OpYield, op == ir.OpUnreachable:
		return true
	case j.leaves(r):
		j.exits++
		j.cost += len(w.Operands(r))
		return j.cost <= maxVain
	case op == ir.OpIf:
		j.cost += w.results(r)
		for arm := range uint32(2) {
			for at := w.head[w.X[r]+arm]; at != ir.NoRow; at = w.next[at] {
				if !j.vain(at) {
					return false
				}
			}
		}
		return j.cost <= maxVain
	}
	c, ok := w.speculative(r)
	if c >= maxSpeculated {
		c *= 2 // a division or root: many instructions, of which the assembler makes branches
	}
	if w.info(r).Spread == ir.SpreadLoad {
		j.loads++
	}
	j.cost += c
	return ok && j.cost <= maxVain && j.loads <= maxVainLoads
}

// ifOf returns the op that res row r stands after.
func (j *joining) ifOf(r ir.Row) ir.Row {
	w := j.b.w
	for w.Op[r] == ir.OpRes {
		r = w.prev[r]
	}
	return r
}

// fits reports whether the values that the selects will have are as uniform as those that they take the place of.
func (j *joining) fits(first ir.Row) bool {
	w := j.b.w
	most := first // the condition or value of an exit that varies most
	for at := first; at != ir.NoRow; at = w.next[at] {
		if !j.survey(at, &most) {
			return false
		}
	}
	to := w.next[j.op]
	if j.kind == ir.OpContinue {
		to = w.head[w.X[j.op]]
	}
	for ; to != ir.NoRow && w.info(to).Spread == ir.SpreadMerge; to = w.next[to] {
		if !w.fits(to, most) {
			return false
		}
	}
	return true
}

// survey adds the conditions and exits of row r to the most varying value, and reports whether the results of ifs may
// become selects.
func (j *joining) survey(r ir.Row, most *ir.Row) bool {
	w := j.b.w
	w.visits++
	if j.leaves(r) {
		for _, v := range w.Operands(r) {
			*most = w.moreVarying(*most, ir.Row(v))
		}
	}
	if w.Op[r] != ir.OpIf {
		return true
	}
	*most = w.moreVarying(*most, w.A(r))
	x := w.X[r]
	k := 0
	for res := w.next[r]; res != ir.NoRow && w.Op[res] == ir.OpRes; res = w.next[res] {
		varies := w.A(r)
		for arm := range uint32(2) {
			if e := w.tail[x+arm]; w.Op[e] == ir.OpYield {
				varies = w.moreVarying(varies, ir.Row(w.Operands(e)[k]))
			}
		}
		if !w.fits(res, varies) {
			return false
		}
		k++
	}
	for arm := range uint32(2) {
		for at := w.head[x+arm]; at != ir.NoRow; at = w.next[at] {
			if !j.survey(at, most) {
				return false
			}
		}
	}
	return true
}

// straighten makes straight code of the rows from first to last, which end the region.
func (j *joining) straighten(first, last ir.Row) {
	w := j.b.w
	for at := first; at != last; {
		next := w.next[at]
		for next != last && w.Op[next] == ir.OpRes {
			next = w.next[next]
		}
		j.row(at, at, nil)
		at = next
	}
	if w.Op[last] == ir.OpUnreachable { // one of the exits is taken, the last if none of the others is
		n := len(j.list) - 1
		e := w.make(last, j.kind, ir.None, uint32(j.op), ir.NoRow, ir.NoRow, ir.NoRow)
		w.setList(e, j.list[n].values)
		w.link(e, last)
		w.remove(last)
		j.b.tally(e, 1)
		j.list, last = j.list[:n], e
	}
	values := append([]uint32(nil), w.Operands(last)...)
	for i := len(j.list) - 1; i >= 0; i-- {
		for k, v := range j.list[i].values {
			if u := w.find(ir.Row(v)); u != w.find(ir.Row(values[k])) {
				values[k] = uint32(w.before(last, ir.OpSelect, w.Type[u], 0, j.list[i].cond, u, w.find(ir.Row(values[k]))))
			}
		}
	}
	w.setList(last, values)
}

// holds returns the condition that control comes along p, in front of row at.
func (j *joining) holds(p *path, at ir.Row) ir.Row {
	w := j.b.w
	if p.all != ir.NoRow {
		return p.all
	}
	p.all = p.cond
	if !p.is {
		p.all = w.before(at, ir.OpNot, ir.Bool, 0, p.all)
	}
	if !w.must(checkPath, p.up == nil) {
		p.all = w.before(at, ir.OpAnd, ir.Bool, 0, j.holds(p.up, at), p.all)
	}
	return p.all
}

// row moves row r, which control comes to along p, to before row at, or what it is made of.
func (j *joining) row(r, at ir.Row, p *path) {
	w := j.b.w
	w.visits++
	switch {
	case j.leaves(r):
		j.b.tally(r, -1)
		j.list = append(j.list, condExit{j.holds(p, at), append([]uint32(nil), w.Operands(r)...)})
		w.remove(r)
	case w.Op[r] == ir.OpIf:
		j.open(r, at, p)
	case w.Op[r] == ir.OpRes, w.Op[r] == ir.OpYield, w.Op[r] == ir.OpUnreachable: // open takes care of them
	default:
		if r != at {
			w.move(r, at)
		}
		if w.info(r).Attr&ir.Reads != 0 && !w.must(checkSpeculatedBounds, false) {
			w.Flags[r] &^= ir.InBounds
		}
	}
}

// open does so with if r: its results become selects, or what the only arm yields that comes to its end.
func (j *joining) open(r, at ir.Row, p *path) {
	w := j.b.w
	x, c := w.X[r], w.A(r)
	var yields [2]ir.Row
	for arm := range uint32(2) {
		yields[arm] = ir.NoRow
		inside := &path{up: p, cond: c, is: arm == 0, all: ir.NoRow}
		for v := w.head[x+arm]; v != ir.NoRow; {
			next := w.next[v]
			if w.Op[v] == ir.OpYield {
				yields[arm] = v
			}
			j.row(v, at, inside)
			v = next
		}
	}
	for res := w.next[r]; w.Op[res] == ir.OpRes; {
		next, k := w.next[res], int(w.X[res])
		var v ir.Row
		switch then, els := yields[0], yields[1]; {
		case then == ir.NoRow && els == ir.NoRow:
			v = w.constant(w.Type[res], 0)
		case then == ir.NoRow:
			v = ir.Row(w.Operands(els)[k])
		case els == ir.NoRow:
			v = ir.Row(w.Operands(then)[k])
		default:
			v = ir.Row(w.Operands(then)[k])
			if u := ir.Row(w.Operands(els)[k]); u != v {
				v = w.before(at, ir.OpSelect, w.Type[v], 0, c, v, u)
			}
		}
		w.replaceAlways(res, v)
		w.remove(res)
		res = next
	}
	for _, e := range yields {
		if e != ir.NoRow {
			j.b.tally(e, -1)
		}
	}
	w.remove(r)
}
