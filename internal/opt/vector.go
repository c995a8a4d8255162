package opt

import (
	"math/bits"
	"slices"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

// vector makes one access of two or four that lie next to each other: in one region, with no structured op
// between, the first index a known multiple of their number, the object aligned to all of them, and no
// other access of it between that could tell. Elements past the end keep the rule of single ones, which is
// the vector op's own. One walk, O(rows), groups bounded.
func vector(w *work) {
	v := &vectors{w: w, groups: make(map[groupKey]*group)}
	fits := false
	for o := range w.objs {
		fits = fits || v.fits(uint32(o), 2)
	}
	if !fits {
		return
	}
	if w.products() { // others have few vectors for each index, and keep the code that they have
		v.terms, v.bases = maxSearch, make(map[terms]member)
	}
	w.ranges(func(g *ranges, r ir.Row) { v.row(g, r) })
}

type vectors struct {
	w      *work
	g      *ranges
	groups map[groupKey]*group
	open   []*group // in the order in which they began
	terms  int      // sums within one another that an index is taken apart to

	bases map[terms]member // by what is added, in these rows: the first index of it, and the constant in that
}

// terms are what a sum adds, but for constants, in the order of rows.
type terms [4]ir.Row

// groupKey is what the accesses of a group have in common: their indices differ by constants.
type groupKey struct {
	object uint32
	base   ir.Row // NoRow for constant indices
	store  bool
	flags  ir.Flags // in bounds aside
	typ    ir.Type  // of the index
}

type group struct {
	groupKey
	members []member
}

// maxOpen bounds the groups that may still grow.
const maxOpen = 32

type member struct {
	row    ir.Row
	offset uint64 // from the base, modulo the width of the index
	align  uint64 // a power of two that divides the index
}

// row takes note of row r.
func (v *vectors) row(g *ranges, r ir.Row) {
	w := v.w
	v.g = g
	in := w.info(r)
	if in.Owns > 0 || in.Attr&(ir.Terminator|ir.Barrier|ir.Fence) != 0 || in.Attr&ir.Atomic != 0 && w.Flags[r].Order() != ir.Relaxed {
		v.flush(func(*group) bool { return true })
		clear(v.bases)
		return
	}
	if in.Imm != ir.ImmObject || in.Attr&(ir.Reads|ir.Writes) == 0 {
		return
	}
	key := groupKey{object: w.X[r], store: in.Attr&ir.Writes != 0, flags: w.Flags[r] &^ ir.InBounds, typ: w.Type[w.A(r)]}
	var m member
	key.base, m = v.split(g, r)
	single := w.Op[r] == ir.OpLoad || w.Op[r] == ir.OpStore
	v.flush(func(o *group) bool {
		// Loads may change places with loads. Stores of one group name different elements.
		return o.object == key.object && !w.must(checkBetween, !o.store && !key.store || single && o.groupKey == key)
	})
	if !single {
		return
	}
	gr := v.groups[key]
	if gr != nil && (len(gr.members) == 64 || gr.store && gr.has(m.offset)) {
		v.flush(func(o *group) bool { return o == gr })
		gr = nil
	}
	if gr == nil {
		gr = &group{groupKey: key}
		v.groups[key] = gr
		v.open = append(v.open, gr)
		if len(v.open) > maxOpen {
			oldest := v.open[0]
			v.flush(func(o *group) bool { return o == oldest })
		}
	}
	if !gr.has(m.offset) {
		gr.members = append(gr.members, m)
	}
}

func (g *group) has(offset uint64) bool {
	for _, m := range g.members {
		if m.offset == offset {
			return true
		}
	}
	return false
}

// split writes the index of access r as a base and a constant.
func (v *vectors) split(g *ranges, r ir.Row) (base ir.Row, m member) {
	i := v.w.A(r)
	if t, c, ok := v.sum(i); ok {
		align := g.at(i).Multiple()
		first, known := v.bases[t]
		if !known {
			first = member{row: i, offset: c, align: align}
			v.bases[t] = first
		}
		offset := (c - first.offset) & v.w.Type[i].Mask()
		if offset != 0 {
			first.align = min(first.align, offset&-offset)
		}
		return first.row, member{row: r, offset: offset, align: max(align, first.align)}
	}
	return v.w.baseOf(g, r, i)
}

// sum takes an index of a kernel with products apart: these have sums of several terms and a constant, in any order.
func (v *vectors) sum(i ir.Row) (t terms, c uint64, ok bool) {
	w := v.w
	if v.bases == nil || w.Op[i] == ir.OpConst {
		return t, 0, false
	}
	t = terms{ir.NoRow, ir.NoRow, ir.NoRow, ir.NoRow}
	var near [4 * len(t)]ir.Row
	near[0] = i
	n, found := 1, 0
	for k := 0; k < n; k++ {
		w.visits++
		u := near[k]
		switch b, constant := w.bits(u); {
		case constant:
			c += b
		case w.Op[u] == ir.OpAdd && n+2 <= len(near):
			near[n], near[n+1] = w.A(u), w.B(u)
			n += 2
		case found == len(t):
			return t, 0, false
		default:
			t[found] = u
			found++
		}
	}
	slices.Sort(t[:])
	return t, c & w.Type[i].Mask(), true
}

// baseOf is split for an index that row r may have.
func (w *work) baseOf(g *ranges, r, i ir.Row) (base ir.Row, m member) {
	m = member{row: r, align: g.at(i).Multiple()}
	if b, ok := w.bits(i); ok {
		m.offset = b
		return ir.NoRow, m
	}
	if c, ok := w.bits(w.B(i)); ok {
		switch w.Op[i] {
		case ir.OpAdd:
			m.offset = c
			return w.A(i), m
		case ir.OpOr:
			if c&^g.of(w.A(i)).Zeros == 0 {
				m.offset = c
				return w.A(i), m
			}
		}
	}
	return i, m
}

// flush closes the groups that f picks, and makes vectors of them.
func (v *vectors) flush(f func(*group) bool) {
	kept := v.open[:0]
	for _, g := range v.open {
		v.w.visits++
		if !f(g) {
			kept = append(kept, g)
			continue
		}
		delete(v.groups, g.groupKey)
		v.form(g)
	}
	v.open = kept
}

// form makes vectors of the members of a group, as long ones as can be.
func (v *vectors) form(g *group) {
	w := v.w
	mask := g.typ.Mask()
	used := make([]bool, len(g.members))
	for _, lanes := range [2]uint64{4, 2} {
		if !v.fits(g.object, lanes) {
			continue
		}
		for i, first := range g.members {
			if used[i] || !w.must(checkAligned, first.align >= lanes) {
				continue
			}
			at := []int{i}
			for k := uint64(1); k < lanes; k++ {
				for j, m := range g.members {
					w.visits++
					if !used[j] && m.offset == (first.offset+k)&mask {
						at = append(at, j)
						break
					}
				}
			}
			if len(at) != int(lanes) || !v.combine(g, at) {
				continue
			}
			for _, j := range at {
				used[j] = true
			}
		}
	}
}

// fits reports whether the object may be accessed by so many elements at a time.
func (v *vectors) fits(object uint32, lanes uint64) bool {
	o := v.w.objs[object]
	elem := o.Type()
	if o.Field != nil || elem == ir.Bool || !(elem.Value() | vecOf(lanes)).Valid() {
		return false
	}
	size := uint64(elem.Size()) * lanes
	if o.Param != nil {
		return v.w.must(checkAligned, uint64(1)<<o.Param.Align >= size)
	}
	return size <= 16
}

func vecOf(lanes uint64) ir.Type {
	if lanes == 2 {
		return ir.V2
	}
	return ir.V4
}

// combine makes one access of the members at those places, in order of their elements.
func (v *vectors) combine(g *group, at []int) bool {
	w := v.w
	rows := make([]ir.Row, len(at))
	flags := g.flags | ir.InBounds
	level := w.level[g.members[at[0]].row]
	for i, j := range at {
		rows[i] = g.members[j].row
		if !w.Flags[rows[i]].InBounds() {
			flags &^= ir.InBounds
		}
		level = max(level, w.level[rows[i]])
	}
	// Members are in program order, so their places tell where the first and the last stand.
	first, last := rows[0], rows[0]
	lo, hi := at[0], at[0]
	for i, j := range at {
		if !g.store && w.convergent && w.level[rows[i]] < level {
			return false
		}
		if j < lo {
			first, lo = rows[i], j
		}
		if j > hi {
			last, hi = rows[i], j
		}
	}
	vec := vecOf(uint64(len(at)))
	if g.store {
		list := make([]uint32, len(rows))
		for i, r := range rows {
			list[i] = uint32(w.B(r))
		}
		val := w.make(last, ir.OpVec, w.Type[list[0]]|vec, 0, ir.NoRow, ir.NoRow, ir.NoRow)
		w.setList(val, list)
		w.level[val] = w.levelOf(val)
		w.link(val, last)
		op := ir.OpStoreV4
		if vec == ir.V2 {
			op = ir.OpStoreV2
		}
		s := w.before(last, op, ir.None, g.object, v.index(g, at, last), val)
		w.Flags[s] = flags
		for _, r := range rows {
			w.remove(r)
		}
		w.hit("store")
		return true
	}
	op := ir.OpLoadV4
	if vec == ir.V2 {
		op = ir.OpLoadV2
	}
	l := w.before(first, op, w.Type[first]|vec, g.object, v.index(g, at, first))
	w.Flags[l], w.level[l] = flags, level
	for i, r := range rows {
		w.replaceAlways(r, w.before(r, ir.OpElem, w.Type[r], uint32(i), l))
	}
	w.hit("load")
	return true
}

// index gives the index of the vector, in front of row r.
func (v *vectors) index(g *group, at []int, r ir.Row) ir.Row {
	w := v.w
	shift := bits.TrailingZeros(uint(len(at)))
	offset := g.members[at[0]].offset
	if g.base == ir.NoRow {
		return w.constant(g.typ, exact.Eval(ir.OpShr, g.typ, g.typ, 0, offset, uint64(shift), 0))
	}
	i, mask := g.base, g.typ.Mask()
	if k, ok := w.bits(w.B(i)); ok && w.Op[i] == ir.OpShl && k >= uint64(shift) && k < 64 && !g.typ.IsSigned() {
		// Where x·2ᵏ + offset is that number, it is divided term by term.
		x := w.A(i)
		if v.g.at(x).Hi <= mask>>k && v.g.at(i).Hi <= mask-offset {
			j := w.before(r, ir.OpShl, g.typ, 0, x, w.constant(ir.U32, k-uint64(shift)))
			return w.before(r, ir.OpAdd, g.typ, 0, j, w.constant(g.typ, offset>>shift))
		}
	}
	if least := v.g.at(i); offset != 0 && least.Multiple() >= uint64(len(at)) && offset&uint64(len(at)-1) == 0 && offset <= mask>>1 && least.Hi <= mask>>1-offset {
		// So it is where both terms are multiples.
		i = v.divided(r, i, uint64(shift), v.terms)
		return w.before(r, ir.OpAdd, g.typ, 0, i, w.constant(g.typ, offset>>shift))
	}
	if offset != 0 {
		i = w.before(r, ir.OpAdd, g.typ, 0, i, w.constant(g.typ, offset))
	} else if v.terms > 0 {
		return v.divided(r, i, uint64(shift), v.terms)
	}
	return w.before(r, ir.OpShr, g.typ, 0, i, w.constant(ir.U32, uint64(shift)))
}

// divided is x over 1<<shift, where x is a multiple of that: term by term if nothing wraps, for so many terms within one another.
// The assembler then sees which places are at constant distances.
func (v *vectors) divided(r, x ir.Row, shift uint64, depth int) ir.Row {
	w, t := v.w, v.w.Type[x]
	a, b := w.A(x), w.B(x)
	most := func(u ir.Row) uint64 { return v.g.at(u).Hi }
	term := func(u ir.Row) bool { return v.g.at(u).Multiple()>>shift > 0 }
	switch op := w.Op[x]; {
	case op == ir.OpConst:
		c, _ := w.bits(x)
		return w.constant(t, c>>shift)
	case depth == 0 || t.IsSigned():
	case op == ir.OpAdd && term(a) && term(b) && w.must(checkTerms, most(a) <= t.Mask()-most(b)):
		return w.before(r, ir.OpAdd, t, 0, v.divided(r, a, shift, depth-1), v.divided(r, b, shift, depth-1))
	case op == ir.OpShl:
		if k, ok := w.bits(b); ok && k >= shift && k < uint64(t.Bits()) && w.must(checkTerms, most(a) <= t.Mask()>>k) {
			if k == shift {
				return a
			}
			return w.before(r, ir.OpShl, t, 0, a, w.constant(ir.U32, k-shift))
		}
	}
	return w.before(r, ir.OpShr, t, 0, x, w.constant(ir.U32, shift))
}
