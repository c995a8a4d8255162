package opt

import (
	"github.com/govyre/vyre/internal/interval"
	"github.com/govyre/vyre/ir"
)

// guards is guard widening. It gives accesses at constant distances from one index, such as x[i-1], x[i] and x[i+1], one
// check for all:
//
//	%n = load @x[%i-1]           %lo = add %i, -1
//	%m = load @x[%i]       =>    if %lo < max(len @x, 2) - 2 { the accesses, in bounds } else { the accesses, as they were }
//	%o = load @x[%i+1]
//
// Where the lowest index is below the length less the distance of the highest from it, as a number without a sign,
// all between are in bounds: nothing wraps, since the length itself is a number that the index may be. Where the
// length is less than that distance, nothing is below the difference, which then is zero.
//
// Rows between the first and the last of the accesses, and values that those after use, come from both arms; they are
// pure ops and plain accesses, in one region. Several groups share the condition. O(rows + what it writes).
func guards(w *work) {
	g := &grouping{w: w, copies: cloning{w: w}, budget: w.linked() + 1024}
	for reg := range uint32(len(w.Regions)) {
		if op := w.owner(reg); op != ir.NoRow && (w.gone[op] || reg-w.X[op] >= uint32(w.info(op).Owns)) {
			continue
		}
		g.region(reg)
	}
}

const (
	maxGrouped = 64      // rows from the first access of a group to the last
	maxSpan    = 1 << 15 // distance of the highest index from the lowest
	minSaved   = 4       // instructions that grouping has to save: a branch and where it meets again are three
	minChecks  = 3
	maxCopied  = 3 // rows that are copied for each instruction saved
)

type grouping struct {
	w      *work
	copies cloning
	groups []accessGroup
	pos    []int32 // by row: 1 + its place in the rows looked at
	rows   []ir.Row
	budget int // rows that may still be written
}

// accessGroup is accesses of one object at constant distances from one index.
type accessGroup struct {
	base     ir.Row
	object   uint32
	low      int64 // the lowest distance, and the highest
	high     int64
	accesses []ir.Row
	indices  []ir.Row // the different ones
	saved    int      // instructions that their checks take, less those of one check for all
}

// region looks for runs of rows that two arms may hold.
func (g *grouping) region(reg uint32) {
	w := g.w
	for r := w.head[reg]; r != ir.NoRow; {
		w.visits++
		next := w.next[r]
		if g.may(r) {
			if g.candidate(r) || len(g.rows) > 0 {
				g.rows = append(g.rows, r)
			}
			if len(g.rows) < maxGrouped {
				r = next
				continue
			}
		}
		if len(g.rows) > 0 {
			g.run()
			g.rows = g.rows[:0]
		}
		r = next
	}
}

// may reports whether row r may stand in two arms.
func (g *grouping) may(r ir.Row) bool {
	w := g.w
	in := w.info(r)
	return in.Vec == 0 && !in.List && (w.pure(r) || w.Op[r] == ir.OpLoad || w.Op[r] == ir.OpStore)
}

// candidate reports whether row r is an access with a check that others may share.
func (g *grouping) candidate(r ir.Row) bool {
	w := g.w
	if w.Op[r] != ir.OpLoad && w.Op[r] != ir.OpStore || w.Flags[r].InBounds() || w.objs[w.X[r]].Count() > 1 {
		return false
	}
	base, _ := w.offset(w.A(r))
	return base != ir.NoRow
}

// run groups the accesses of the rows looked at, as far as that pays.
func (g *grouping) run() {
	w := g.w
	for len(g.pos) < w.Rows() {
		g.pos = append(g.pos, 0)
	}
	g.groups = g.groups[:0]
	for i, r := range g.rows {
		g.pos[r] = int32(i) + 1
		if g.candidate(r) {
			g.add(r)
		}
	}
	g.joinNarrow()
	if first, last, ok := g.choose(); ok {
		g.write(g.rows[first:last+1], g.groups)
	}
	for _, r := range g.rows {
		g.pos[r] = 0
	}
}

// add puts access r into its group.
func (g *grouping) add(r ir.Row) {
	w := g.w
	base, bits := w.offset(w.A(r))
	c := interval.WidthOf(w.Type[w.A(r)]).Sign(bits)
	if c > maxSpan || c < -maxSpan {
		base, c = w.A(r), 0
	}
	for i := range g.groups {
		w.visits++
		if a := &g.groups[i]; a.base == base && a.object == w.X[r] {
			a.put(w, r, c)
			return
		}
	}
	g.begin().start(w, r, base, c)
}

// begin adds a group, with the lists of one from runs before.
func (g *grouping) begin() *accessGroup {
	n := len(g.groups)
	if n < cap(g.groups) {
		g.groups = g.groups[:n+1]
	} else {
		g.groups = append(g.groups, accessGroup{})
	}
	return &g.groups[n]
}

// start makes a the group of access r, at distance c from a base.
func (a *accessGroup) start(w *work, r, base ir.Row, c int64) {
	*a = accessGroup{base: base, object: w.X[r], low: c, high: c, accesses: a.accesses[:0], indices: a.indices[:0]}
	a.put(w, r, c)
}

// distance is how far the index of access r is from the base.
func (a *accessGroup) distance(w *work, r ir.Row) int64 {
	base, bits := w.offset(w.A(r))
	if base != a.base {
		return 0 // it is the base itself, or what that was made of
	}
	return interval.WidthOf(w.Type[w.A(r)]).Sign(bits)
}

func (a *accessGroup) put(w *work, r ir.Row, c int64) {
	a.low, a.high = min(a.low, c), max(a.high, c)
	a.accesses = append(a.accesses, r)
	for _, i := range a.indices {
		if i == w.A(r) {
			return
		}
	}
	a.indices = append(a.indices, w.A(r))
	// A comparison and the sum that is compared, or the zero that stands for what is not loaded; twice that in 64 bits.
	a.saved += w.Type[w.A(r)].Size() / 2
}

// joinNarrow puts accesses by an index of 32 bits to those by sums of that index in 64.
func (g *grouping) joinNarrow() {
	w := g.w
	for i := range g.groups {
		a := &g.groups[i]
		if w.Op[a.base] != ir.OpCvt || !wide(w.Type[a.base]) || !g.narrow(a.base) {
			continue
		}
		for j := range g.groups {
			w.visits++
			if b := &g.groups[j]; b.base == w.A(a.base) && b.object == a.object && b.low == 0 && b.high == 0 && len(b.accesses) > 0 {
				for _, r := range b.accesses {
					a.put(w, r, 0)
				}
				b.accesses, b.saved = nil, 0
			}
		}
	}
}

// narrow reports whether v is a conversion of 32 bits that keeps the number.
func (g *grouping) narrow(v ir.Row) bool {
	w := g.w
	from := w.Type[w.A(v)]
	return from == ir.U32 || from == ir.I32 && w.Type[v] == ir.I64
}

// choose leaves the groups that get a check, and returns which of the rows are first and last that they need; false
// if it does not pay.
func (g *grouping) choose() (first, last int, ok bool) {
	w := g.w
	all, n := g.groups, 0 // those that are dropped stay behind the others, with their lists
	for i := range all {
		if a := &all[i]; a.saved-2 > 0 && !g.vectors(a) && g.comparable(a) {
			a.saved -= 2
			all[n], all[i] = all[i], all[n]
			n++
		}
	}
	kept := all[:n]
	for changed := true; changed; {
		changed, first, last = false, len(g.rows), 0
		for _, a := range kept {
			for _, r := range a.accesses {
				w.visits++
				first, last = min(first, int(g.pos[r])-1), max(last, int(g.pos[r])-1)
			}
		}
		for i := 0; i < len(kept); i++ {
			w.visits++
			if p := int(g.pos[g.tested(&kept[i])]); p > first { // it is computed between
				dropped := kept[i]
				copy(kept[i:], kept[i+1:])
				kept[len(kept)-1] = dropped
				kept = kept[:len(kept)-1]
				changed = true
				i--
			}
		}
	}
	g.groups = kept
	saved, checks := 0, 0
	for _, a := range kept {
		saved, checks = saved+a.saved, checks+len(a.indices)
	}
	rows := last - first + 1
	return first, last, saved >= minSaved && checks >= minChecks && rows <= min(maxCopied*saved, g.budget/2)
}

// vectors reports whether pass vector makes few accesses of a group, which have few checks: they are all from an index on that
// is a multiple. Some of them may be outside of the rows
// that are looked at.
func (g *grouping) vectors(a *accessGroup) bool {
	w := g.w
	if w.Op[a.base] != ir.OpShl || !(&vectors{w: w}).fits(a.object, 4) {
		return false
	}
	low := a.low
	for r, n := w.prev[g.rows[0]], 0; r != ir.NoRow && n < maxGrouped/4 && low&3 != 0; r, n = w.prev[r], n+1 {
		w.visits++
		if w.Op[r] != w.Op[a.accesses[0]] || w.X[r] != a.object {
			continue
		}
		if base, c := w.offset(w.A(r)); base == a.base && int64(c) == low-1 {
			low--
		}
	}
	k, ok := w.bits(w.B(a.base))
	return ok && k >= 2 && low&3 == 0 && int64(len(a.indices)) == a.high-a.low+1
}

// comparable reports whether one comparison can say that all of a group is in bounds, and widens the group where that
// is made in 32 bits instead of 64: with 0 between its bounds, a sum that wraps is beyond every length.
func (g *grouping) comparable(a *accessGroup) bool {
	w := g.w
	t, most := w.Type[a.base], w.maxLen(a.object)
	if w.objs[a.object].Array != nil {
		most = min(most, 1<<31) // no array is larger
	}
	if t.Size() == 4 {
		largest := uint64(1) << 32
		if t.IsSigned() {
			largest = 1 << 31
		}
		if !w.must(checkGuardsSign, most <= largest) || w.objs[a.object].LenType() != ir.U32 {
			return false
		}
	} else if g.tested(a) != a.base && !w.must(checkGuardsWraps, false) {
		a.low, a.high = min(a.low, 0), max(a.high, 0)
	}
	n := w.minLen(a.object)
	return n == 0 || n > uint64(a.high-a.low)
}

// tested is the index from which the condition is computed: the base, or what that was made of in 32 bits.
func (g *grouping) tested(a *accessGroup) ir.Row {
	w := g.w
	if w.Op[a.base] == ir.OpCvt && wide(w.Type[a.base]) && g.narrow(a.base) && w.must(checkGuardsSign, w.maxLen(a.object) <= 1<<31) {
		return w.A(a.base)
	}
	return a.base
}

// write puts two arms in the place of rows: one in which the groups are in bounds, and one as they were.
func (g *grouping) write(rows []ir.Row, groups []accessGroup) {
	w := g.w
	top := g.tested(&groups[0])
	for i := range groups {
		top = w.moreVarying(top, g.tested(&groups[i]))
	}
	results := g.results(rows)
	for _, v := range results {
		if !w.fits(v, top) {
			return
		}
	}
	g.budget -= 2 * len(rows)
	at := rows[0]
	cond := ir.NoRow
	for i := range groups {
		c := g.condition(&groups[i], at)
		if cond != ir.NoRow {
			c = w.before(at, ir.OpAnd, ir.Bool, 0, cond, c)
		}
		cond = c
	}
	branch := w.before(at, ir.OpIf, ir.None, uint32(len(w.Regions)), cond)
	then, els := w.region(branch), w.region(branch)
	var sums []ir.Row // the indices that stand in front of rows
	g.arm(branch, then, rows, results)
	for i := range groups {
		a := &groups[i]
		base := g.tested(a)
		for _, r := range a.accesses {
			if i := w.A(r); g.pos[i] == 0 {
				sums = append(sums, i)
			}
			access := g.copies.to[r]
			w.Flags[access] |= ir.InBounds
			w.set(&w.Code.A[access], g.sum(base, a.distance(w, r), access))
		}
		w.hit("guards")
	}
	g.arm(branch, els, rows, results)
	for i := range groups {
		for _, r := range groups[i].accesses {
			if base, c := w.offset(w.A(r)); c != 0 && base == groups[i].base {
				access := g.copies.to[r]
				w.set(&w.Code.A[access], g.sum(g.copies.value(base), groups[i].distance(w, r), access))
			}
		}
	}
	made := make([]ir.Row, len(results))
	for k, v := range results {
		made[k] = w.before(at, ir.OpRes, w.Type[v], uint32(k))
		w.level[made[k]] = max(w.level[top], w.level[v])
	}
	for k, v := range results {
		w.replace(v, made[k])
	}
	for _, r := range rows {
		if !w.gone[r] {
			w.remove(r)
		}
	}
	for _, i := range sums {
		if !w.gone[i] && w.uses[i] == 0 && w.Op[i] == ir.OpAdd {
			w.remove(i)
		}
	}
}

// sum is base and c more, as an index for row at. Each arm has its own: for the one in bounds it becomes an offset of the
// address, and is computed for the comparisons of the other alone.
func (g *grouping) sum(base ir.Row, c int64, at ir.Row) ir.Row {
	w := g.w
	t := w.Type[base]
	if c == 0 {
		return base
	}
	return w.before(at, ir.OpAdd, t, 0, base, w.constant(t, uint64(c)&t.Mask()))
}

// results lists the values among rows that others use.
func (g *grouping) results(rows []ir.Row) []ir.Row {
	w := g.w
	from := g.pos[rows[0]]
	inside := make([]int32, len(rows))
	for _, r := range rows {
		w.each(r, func(v ir.Row) {
			if int(v) < len(g.pos) && g.pos[v] >= from && int(g.pos[v]-from) < len(rows) {
				inside[g.pos[v]-from]++
			}
		})
	}
	var out []ir.Row
	for i, r := range rows {
		if w.uses[r] > inside[i] {
			out = append(out, r)
		}
	}
	return out
}

// arm copies rows into a region of branch.
func (g *grouping) arm(branch ir.Row, reg uint32, rows, results []ir.Row) {
	w := g.w
	cl := &g.copies
	cl.start(ir.NoRow)
	for _, r := range rows {
		cl.row(r, reg)
	}
	var values []uint32
	for _, v := range results {
		values = append(values, uint32(cl.value(v)))
	}
	yield := w.make(branch, ir.OpYield, ir.None, 0, ir.NoRow, ir.NoRow, ir.NoRow)
	w.setList(yield, values)
	w.append(reg, yield)
}

// condition is the check for a group, by rows in front of row at; what does not change in a loop stands in front of that.
func (g *grouping) condition(a *accessGroup, at ir.Row) ir.Row {
	w := g.w
	t := ir.U32
	low := g.tested(a)
	if wide(w.Type[low]) {
		t = ir.U64
	}
	if w.Type[low] != t {
		low = w.before(at, ir.OpCvt, t, 0, low)
	}
	if a.low != 0 {
		low = w.before(at, ir.OpAdd, t, 0, low, w.constant(t, uint64(a.low)&t.Mask()))
	}
	obj, span := w.objs[a.object], uint64(a.high-a.low)
	if n := w.minLen(a.object); n > 0 {
		return w.before(at, ir.OpLt, ir.Bool, 0, low, w.constant(t, n-span))
	}
	outer := at
	for r := at; w.Region[r] != 0; {
		if r = w.owner(w.Region[r]); w.info(r).Attr&ir.Repeats != 0 {
			outer = r
		}
	}
	limit := w.before(outer, ir.OpLen, obj.LenType(), uint32(obj.First))
	if obj.LenType() != t {
		limit = w.before(outer, ir.OpCvt, t, 0, limit)
	}
	if span > 0 && !w.must(checkGuardsSpan, false) {
		limit = w.before(outer, ir.OpMax, t, 0, limit, w.constant(t, span))
		limit = w.before(outer, ir.OpAdd, t, 0, limit, w.constant(t, -span&t.Mask()))
	}
	return w.before(at, ir.OpLt, ir.Bool, 0, low, limit)
}
