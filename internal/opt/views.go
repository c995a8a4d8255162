package opt

import (
	"slices"

	"github.com/govyre/vyre/ir"
)

// A view x[lo:hi] of an object is an offset and a length, which slicing has clamped:
//
//	%n   = len @x
//	%off = min.u64 %lo, %n
//	%len = sub.u64 %n, %off        or the least of that and something, or max(min(%hi, %n), %off) less %off
//
// An access at %i of it has the index %off + %i where %i < %len, and else one that no object has. Of the three
// conditions on the way (below the length of the view, that nothing wraps, below the length of the object) the first
// says the others: %i < %len and %len <= %n - %off, so as numbers %off + %i < %n.
//
// Pass bounds proves that where control has passed the first condition, by a guard of the kernel or because it holds for
// every number that %i may be. What is left has it alone, after pass views:
//
//	%c = lt.u64 %i, %len
//	%j = add.u64 %off, %i
//	%k = select.u64 %c, %j, ~0     =>   %v = if %c -> (u32) {
//	%v = load @x[%k]                      %e = load @x[%j] !inb
//	                                      yield %e
//	                                    } else { yield 0 }

// views puts accesses of views under the comparison with the length of the view, and takes constants out of their
// indices. It comes after all that makes choices of ifs, which would take an access out of the condition that proves it.
// O(rows × depth).
func views(w *work) {
	v := &viewing{w: w, near: &vectors{w: w}, starts: make(map[place]ir.Row)}
	w.visits += len(w.memory)
	if !slices.ContainsFunc(w.memory, func(r ir.Row) bool { return !w.gone[r] && v.candidate(r) }) {
		return
	}
	w.ranges(func(g *ranges, r ir.Row) {
		v.pass(r)
		if cond, i, ok := w.viewIndex(r); ok {
			g.mark()
			g.assume(cond, true)
			if g.under(i, w.X[r], 1, 1) {
				v.add(g, viewed{access: r, cond: cond, index: v.apart(g, r, i)}, i)
			}
			g.release()
		} else if v.candidate(r) {
			w.set(&w.Code.A[r], v.apart(g, r, w.chosen(w.A(r))))
		}
	})
	for _, n := range v.all {
		v.guard(n)
	}
}

// viewed is an access of a view, and what its index is where cond holds, and it names an element. It is also a constant
// away from a base.
type viewed struct {
	access, cond, index ir.Row
	member
	done bool // it is under its condition
}

type viewing struct {
	w      *work
	near   *vectors
	open   []*viewedNear // that more may come to
	all    []*viewedNear
	starts map[place]ir.Row // by a place without its constant: where that is
}

// candidate reports whether there may be something to do for row r.
func (v *viewing) candidate(r ir.Row) bool {
	w := v.w
	if in := w.info(r); in.Imm != ir.ImmObject || in.Attr&(ir.Reads|ir.Writes) == 0 || in.Args == 0 {
		return false
	}
	_, i, ok := w.viewIndex(r)
	if !ok {
		i = w.chosen(w.A(r))
	}
	_, _, apart := w.placeOf(i)
	return ok || apart && (w.Type[i] == ir.U64 || w.Flags[r].InBounds())
}

// chosen follows selections of which it is known what they choose.
func (w *work) chosen(v ir.Row) ir.Row {
	for n := 0; n < maxSearch && w.Op[v] == ir.OpSelect; n++ {
		c, ok := w.bits(w.A(v))
		switch {
		case !ok:
			return v
		case c != 0:
			v = w.B(v)
		default:
			v = w.C(v)
		}
	}
	return v
}

// place is the index %off + cvt(%i - %less + more) of a view in 64 bits; less is NoRow where nothing is subtracted. In 32
// bits it is %off + (%i + more).
type place struct {
	off, i, less ir.Row
	more         uint64
}

// placeOf takes an index apart, if something is added or subtracted before it is converted, and returns what is.
func (w *work) placeOf(v ir.Row) (p place, converted ir.Row, ok bool) {
	switch {
	case w.Op[v] != ir.OpAdd:
		return p, 0, false
	case w.Type[v] == ir.U32:
		for _, o := range [2][2]ir.Row{{w.A(v), w.B(v)}, {w.B(v), w.A(v)}} {
			if _, constant := w.bits(o[0]); constant || w.Op[o[1]] != ir.OpAdd {
				continue
			}
			if i, more := w.offset(o[1]); i != ir.NoRow && more != 0 {
				return place{off: o[0], i: i, less: ir.NoRow, more: more}, o[1], true
			}
		}
		return p, 0, false
	case w.Type[v] != ir.U64:
		return p, 0, false
	}
	for _, o := range [2][2]ir.Row{{w.A(v), w.B(v)}, {w.B(v), w.A(v)}} {
		if _, constant := w.bits(o[0]); constant || w.Op[o[1]] != ir.OpCvt || w.Type[w.A(o[1])] != ir.U32 {
			continue
		}
		p = place{off: o[0], less: ir.NoRow}
		if p.i, p.more = w.offset(w.A(o[1])); p.i != ir.NoRow && w.Op[p.i] == ir.OpSub {
			var more uint64
			p.less = w.B(p.i)
			p.i, more = w.offset(w.A(p.i))
			p.more = (p.more + more) & ir.U32.Mask()
		}
		if p.i != ir.NoRow && (p.more != 0 || p.less != ir.NoRow) {
			return p, w.A(o[1]), true
		}
	}
	return p, 0, false
}

// apart writes the index of access r, if nothing in it wraps, as (%off - cvt %less + cvt %i) + more: the constant then
// stands in the instruction, and accesses at several distances share one address. The sum in parentheses stands where its
// operands do, so that they share it whatever arms they are in; it may wrap, and is right again with what is added. In 32
// bits, where all wraps at the same number, that needs no condition.
func (v *viewing) apart(g *ranges, r, index ir.Row) ir.Row {
	w := v.w
	p, converted, ok := w.placeOf(index)
	t := w.Type[index]
	if !ok || t == ir.U64 && !w.must(checkViewDistance, g.at(p.i).Hi <= ir.U32.Mask()-p.more) {
		return index
	}
	if p.less != ir.NoRow && !w.must(checkViewDifference, g.differs(converted, p.less)) {
		return index
	}
	key := place{p.off, p.i, p.less, 0}
	start, ok := v.starts[key]
	if !ok {
		at := r
		for w.Region[at] != w.Region[p.off] && w.Region[at] != w.Region[p.i] && (p.less == ir.NoRow || w.Region[at] != w.Region[p.less]) {
			w.visits++
			at = w.owner(w.Region[at])
		}
		start = p.off
		if p.less != ir.NoRow {
			start = w.before(at, ir.OpSub, ir.U64, 0, start, w.before(at, ir.OpCvt, ir.U64, 0, p.less))
		}
		i := p.i
		if t == ir.U64 {
			i = w.before(at, ir.OpCvt, ir.U64, 0, i)
		}
		start = w.before(at, ir.OpAdd, t, 0, start, i)
		v.starts[key] = start
	}
	w.hit("view-distance")
	if p.more == 0 {
		return start
	}
	return w.before(r, ir.OpAdd, t, 0, start, w.constant(t, p.more))
}

// differs reports whether d of 32 bits, something less what is subtracted, is that number: if it wraps, it is at least 1<<32 less what is
// subtracted.
func (g *ranges) differs(d, less ir.Row) bool {
	w := g.w
	return g.of(d).Hi <= ir.U32.Mask()-g.of(less).Hi || w.Op[d] == ir.OpSub && g.atMost(less, w.A(d))
}

// viewIndex takes the index of access r apart, if it is one of a view: i where cond holds, and else one that the object
// does not have.
func (w *work) viewIndex(r ir.Row) (cond, i ir.Row, ok bool) {
	if w.Op[r] != ir.OpLoad && !w.plainStore(r) || w.info(r).Vec != 0 || w.Flags[r].InBounds() {
		return 0, 0, false
	}
	x := w.A(r)
	if w.Op[x] != ir.OpSelect || w.Type[x].IsSigned() {
		return 0, 0, false
	}
	t := w.Type[x]
	most := w.maxLen(w.X[r])
	return w.A(x), w.B(x), w.isConst(w.C(x), t.Mask()) && w.must(checkViewOutside, most <= t.Mask())
}

// guard puts accesses of views, in one region and under one condition, under that in front of row at.
func (w *work) guard(at ir.Row, all ...viewed) {
	r := all[0].access
	op := w.Op[r]
	for _, v := range all {
		if !w.fits(v.access, v.cond) && op == ir.OpLoad {
			return
		}
	}
	branch := w.before(at, ir.OpIf, ir.None, uint32(len(w.Regions)), all[0].cond)
	then, els := w.region(branch), w.region(branch)
	var some, none []uint32
	for _, v := range all {
		a := w.make(at, op, w.Type[v.access], w.X[v.access], v.index, w.B(v.access), ir.NoRow)
		w.Flags[a], w.level[a] = w.Flags[v.access]|ir.InBounds, w.level[v.access]
		w.append(then, a)
		if op == ir.OpLoad {
			some, none = append(some, uint32(a)), append(none, uint32(w.constant(w.Type[v.access], 0)))
		}
	}
	for _, arm := range [2]struct {
		reg    uint32
		values []uint32
	}{{then, some}, {els, none}} {
		yield := w.make(at, ir.OpYield, ir.None, 0, ir.NoRow, ir.NoRow, ir.NoRow)
		w.setList(yield, arm.values)
		w.append(arm.reg, yield)
	}
	results := make([]ir.Row, len(some))
	for k := range results {
		r := all[k].access
		results[k] = w.before(at, ir.OpRes, w.Type[r], uint32(k))
		w.level[results[k]] = w.level[r]
	}
	for k, v := range all {
		if op == ir.OpLoad {
			w.replaceAlways(v.access, results[k])
		} else {
			w.remove(v.access)
		}
	}
	w.hit("views")
}
