package opt

import (
	"math/bits"
	"slices"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

// vector makes one access of two or four that lie next to each other: in one region, with no structured op
// between but short ifs, the first index a known multiple of their number, the object aligned to all of them, and no
// other access of it between that could tell. Elements past the end keep the rule of single ones, which is
// the vector op's own. One walk, O(rows), groups bounded.
//
// A load moves up to the first of its group, and a store down to the last. Accesses whose indices are one base and different
// constants are of different elements, and so they may pass each other: a load passes a store, or a store a load, at
// another distance from the same base. An if that both arms come to the end of tells nothing after it, and neither runs
// what stands after it less often. So accesses pass it unless its arms access the object themselves.
func vector(w *work) {
	v := &vectors{w: w, groups: make(map[groupKey]*group), products: make(map[product]ir.Row)}
	fits := false
	for o := range w.objs {
		fits = fits || v.fits(uint32(o), 2)
	}
	if !fits {
		return
	}
	if w.products() { // others have few vectors for each index, and keep the code that they have
		v.terms, v.bases = maxSearch, make(map[termsIn]member)
	}
	w.ranges(func(g *ranges, r ir.Row) { v.row(g, r) })
}

type vectors struct {
	w      *work
	g      *ranges
	groups map[groupKey]*group
	open   []*group // in the order in which they began
	terms  int      // sums within one another that an index is taken apart to

	products map[product]ir.Row // the first row that is that
	bases    map[termsIn]member // by what is added, in these rows: the first index of it, and the constant in that
}

// termsIn are the terms of a sum in a region.
type termsIn struct {
	terms
	region uint32
}

// product is a number of a type, x·2ᵏ, in a region.
type product struct {
	x      ir.Row
	k      uint64
	typ    ir.Type
	region uint32
}

// terms are what a sum adds, but for constants, in the order of rows.
type terms [4]ir.Row

// groupKey is what the accesses of a group have in common: their indices differ by constants.
type groupKey struct {
	object uint32
	region uint32
	base   ir.Row // NoRow for constant indices
	store  bool
	flags  ir.Flags // in bounds aside
	typ    ir.Type  // of the index
}

type group struct {
	groupKey
	members []member
	stored  []uint64 // of loads: the distances at which is stored after the first
}

const (
	maxOpen    = 32 // groups that may still grow
	maxMembers = 64 // of a group, and stores that loads of it pass
)

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
	switch {
	case v.passes(r):
		return
	case in.Owns > 0 || v.orders(r):
		v.flush(func(*group) bool { return true })
		clear(v.bases)
		return
	case in.Attr&ir.Terminator != 0:
		v.flush(func(o *group) bool { return o.region == w.Region[r] })
		return
	}
	if in.Imm != ir.ImmObject || in.Attr&(ir.Reads|ir.Writes) == 0 {
		return
	}
	key := groupKey{object: w.X[r], region: w.Region[r], store: in.Attr&ir.Writes != 0, flags: w.Flags[r] &^ ir.InBounds, typ: w.Type[w.A(r)]}
	var m member
	key.base, m = v.split(g, r)
	key.base = v.equal(key.base, key.region)
	single := w.Op[r] == ir.OpLoad || w.Op[r] == ir.OpStore
	v.flush(func(o *group) bool {
		// Loads may change places with loads. Accesses of one base name different elements, unless the constants are equal.
		return o.object == key.object && !w.must(checkBetween, !o.store && !key.store || single && o.apart(key, m.offset))
	})
	if !single {
		return
	}
	gr := v.groups[key]
	if gr != nil && (len(gr.members) == maxMembers || gr.has(m.offset) && gr.store || !w.must(checkStored, !slices.Contains(gr.stored, m.offset))) {
		v.flush(func(o *group) bool { return o == gr })
		gr = nil
	}
	if gr == nil {
		gr = &group{groupKey: key, stored: v.pending(key)}
		v.groups[key] = gr
		v.open = append(v.open, gr)
		if len(v.open) > maxOpen {
			// What is known here holds in this region, and so no group of another one is closed.
			oldest := v.open[slices.IndexFunc(v.open, func(o *group) bool { return o.region == key.region })]
			v.flush(func(o *group) bool { return o == oldest })
			if oldest == gr {
				return
			}
		}
	}
	if !gr.has(m.offset) {
		gr.members = append(gr.members, m)
	}
}

// pending returns the distances of what stores of groups that still grow store to the object of a load: these may come to stand
// behind it. They have its base, or the load had closed their groups.
func (v *vectors) pending(key groupKey) (stored []uint64) {
	for _, o := range v.open {
		if o.store && !key.store && o.object == key.object {
			for _, m := range o.members {
				stored = append(stored, m.offset)
			}
		}
	}
	return stored
}

// orders reports whether nothing passes row r.
func (v *vectors) orders(r ir.Row) bool {
	in := v.w.info(r)
	return in.Attr&(ir.Barrier|ir.Fence) != 0 || in.Attr&ir.Atomic != 0 && v.w.Flags[r].Order() != ir.Relaxed
}

// maxPassed bounds the rows in the arms of an if that accesses pass: what is loaded in front of it holds registers through it.
const maxPassed = 16

// passes reports whether row r is an if that accesses pass, but for those that its arms may meet, whose groups it closes.
func (v *vectors) passes(r ir.Row) bool {
	w := v.w
	if w.Op[r] != ir.OpIf {
		return false
	}
	n := 0
	var met []ir.Row
	for arm := w.X[r]; arm < w.X[r]+2; arm++ {
		for x := w.head[arm]; x != ir.NoRow; x = w.next[x] {
			w.visits++
			in := w.info(x)
			if n++; n > maxPassed || in.Owns > 0 || v.orders(x) || !w.must(checkPassedExit, in.Attr&ir.Terminator == 0 || w.Op[x] == ir.OpYield) {
				return false
			}
			if in.Imm == ir.ImmObject && in.Attr&(ir.Reads|ir.Writes) != 0 {
				met = append(met, x)
			}
		}
	}
	for _, x := range met {
		v.flush(func(o *group) bool {
			return o.object == w.X[x] && !w.must(checkBetween, !o.store && w.info(x).Attr&ir.Writes == 0)
		})
	}
	return true
}

// apart reports whether an access with that key, and that constant in its index, may stand between those of group g. Loads of g
// that come later must not be of what a store between stored.
func (g *group) apart(key groupKey, offset uint64) bool {
	if g.region != key.region || g.base != key.base || g.typ != key.typ {
		return false
	}
	if g.store {
		return key.store && key.flags == g.flags || !g.has(offset)
	}
	g.stored = append(g.stored, offset)
	return len(g.stored) <= maxMembers
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
		in := termsIn{t, v.w.Region[r]}
		first, known := v.bases[in]
		if !known {
			first = member{row: i, offset: c, align: align}
			v.bases[in] = first
		}
		offset := (c - first.offset) & v.w.Type[i].Mask()
		if offset != 0 {
			first.align = min(first.align, offset&-offset)
		}
		return first.row, member{row: r, offset: offset, align: max(align, first.align)}
	}
	return v.w.baseOf(g, r, i)
}

// equal is the first base in a region that is the same as base b: records are at equal multiples of their size, which pass pack
// has written for each access.
func (v *vectors) equal(b ir.Row, region uint32) ir.Row {
	w := v.w
	if b == ir.NoRow || w.Op[b] != ir.OpShl {
		return b
	}
	k, ok := w.bits(w.B(b))
	if !ok {
		return b
	}
	s := product{w.A(b), k, w.Type[b], region}
	if first, known := v.products[s]; known {
		return first
	}
	v.products[s] = b
	return b
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
