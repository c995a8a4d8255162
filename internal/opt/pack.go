package opt

import (
	"encoding/binary"
	"slices"

	"github.com/govyre/vyre/ir"
)

// packArrays puts local and shared arrays that are indexed alike, as the fields of an array of structs are, into one, element by element:
//
//	%a = load @stack.x[%i]         =>   %near = min.u32 %i, 20_u32
//	%b = load @stack.y[%i]              %at = shl.u32 %near, 1_u32
//	                                    %a = load @stack.x[%at] !inb
//	                                    %next = add.u32 %at, 1_u32
//	                                    %b = load @stack.x[%next] !inb
//
// Accesses of all of them are then neighbours, one access of 8 or 16 bytes for pass vector. Arrays go together if they have
// one type and one length, and the accesses of each by an index that is not constant have the same indices in the same
// regions; stores of constants, as loops that clear an array have them, need not.
//
// Element i of array k of K is element i·K + k, which is sound if each access is made in bounds of its own array only:
// one that is not proven to be would name an element of another. A store stands under the comparison of its index. A load
// takes the lesser of the index and the length: behind the last elements stands one that nobody stores to but the entry,
// which makes it zero, and so out of bounds is zero without a choice after the load. In shared memory an access takes that
// lesser index, too, which is out of bounds of all arrays together as well: no element is there.
//
// In shared memory the lanes of a warp that name neighbours meet different banks in arrays apart, and a part of the banks
// only in one of records, unless they take whole records: 8 or 16 bytes a lane need as long as two or four accesses. So
// accesses whose indices differ between lanes have to come together, and then nothing is slower. O(rows) and a sort of stores.
func packArrays(w *work) {
	if !slices.ContainsFunc(w.objs, packable) {
		return
	}
	p := &packing{w: w, of: make(map[uint32]*packed), at: make(map[ir.Row]int)}
	p.survey()
	for _, g := range p.groups() {
		p.rewrite(g)
		w.hit("pack")
	}
}

// maxLocalBytes bounds the bytes of local arrays, as the verifier does.
const maxLocalBytes = 16 << 10

type packing struct {
	w  *work
	of map[uint32]*packed // by object
	at map[ir.Row]int     // how manieth access of a local array a row is
}

// packable reports whether an object is an array that may go into one with others.
func packable(o ir.ObjectInfo) bool { return o.Local() || o.Shared() && o.Array.Len != ir.RestLen }

// packed is what is known of an array.
type packed struct {
	object  uint32
	bundled []ir.Row // accesses that those of other arrays must go along with, in order
	others  []ir.Row
	key     []byte // says what they are
	kept    bool   // something else is done to it
}

// survey lists the accesses of arrays.
func (p *packing) survey() {
	w := p.w
	for it := w.rows(); it.step(); {
		r := it.row
		in := w.info(r)
		if dst, _ := ir.CopyObjects(w.X[r]); it.at == atRow && in.Imm == ir.ImmCopy && packable(w.objs[dst]) {
			p.array(uint32(dst)).kept = true
		}
		if it.at != atRow || in.Imm != ir.ImmObject || !packable(w.objs[w.X[r]]) {
			continue
		}
		p.at[r] = len(p.at)
		a := p.array(w.X[r])
		if w.Op[r] != ir.OpLoad && w.Op[r] != ir.OpStore {
			a.kept = true
			continue
		}
		_, constant := w.bits(w.A(r))
		if w.Op[r] == ir.OpStore && !constant && !w.objs[w.X[r]].Shared() {
			_, constant = w.bits(w.B(r))
		}
		if constant {
			a.others = append(a.others, r)
			continue
		}
		a.bundled = append(a.bundled, r)
		a.key = binary.LittleEndian.AppendUint32(a.key, w.Region[r])
		a.key = binary.LittleEndian.AppendUint32(a.key, uint32(w.A(r)))
		a.key = binary.LittleEndian.AppendUint16(a.key, uint16(w.Op[r]))
	}
}

// array returns what is known of array o.
func (p *packing) array(o uint32) *packed {
	a := p.of[o]
	if a == nil {
		a = &packed{object: o}
		p.of[o] = a
	}
	return a
}

// groups returns the arrays that go together, four or two at a time.
func (p *packing) groups() [][]*packed {
	w := p.w
	bytes := uint64(0)
	for _, o := range w.objs {
		if o.Array != nil && o.Local() {
			bytes = o.Array.AddBytes(bytes)
		}
	}
	alike := make(map[string][]*packed)
	var order []string
	for o := range uint32(len(w.objs)) {
		a := p.of[o]
		if a == nil || a.kept || len(a.bundled) == 0 {
			continue
		}
		t := w.objs[o].Array.Type
		at := []byte{byte(t), byte(w.objs[o].Array.Kind())}
		key := string(binary.LittleEndian.AppendUint64(at, w.minLen(o))) + string(a.key)
		if alike[key] == nil {
			order = append(order, key)
		}
		alike[key] = append(alike[key], a)
	}
	var all [][]*packed
	for _, key := range order {
		list := alike[key]
		size := w.objs[list[0].object].Type().Size()
		shared := w.objs[list[0].object].Shared()
		for _, k := range [2]int{4, 2} {
			for len(list) >= k && k*size <= 16 && (shared || bytes+uint64(k*size) <= maxLocalBytes) {
				g := list[:k]
				list = list[k:]
				if shared && !p.whole(g) {
					continue
				}
				all = append(all, g)
				if !shared {
					bytes += uint64(k * size)
				}
			}
		}
	}
	return all
}

// whole reports whether accesses of shared arrays at indices that differ between lanes are such that pass vector makes one of
// those at an index.
func (p *packing) whole(g []*packed) bool {
	w := p.w
	rows := make([]ir.Row, len(g))
	for i, r := range g[0].bundled {
		for k, a := range g {
			rows[k] = a.bundled[i]
		}
		first, last := p.ends(rows)
		if w.level[w.A(r)] > ir.LevelWarp && !p.together(g, rows, first, last) {
			return false
		}
	}
	return true
}

// rewrite makes one array of a group.
func (p *packing) rewrite(g []*packed) {
	w := p.w
	n := w.minLen(g[0].object)
	outside := false
	for i := range g[0].bundled {
		rows := make([]ir.Row, len(g))
		for k, a := range g {
			rows[k] = a.bundled[i]
			outside = outside || w.Op[rows[k]] == ir.OpLoad && !w.Flags[rows[k]].InBounds() && w.objs[a.object].Local()
		}
		p.bundle(g, rows, n)
	}
	for k, a := range g {
		for _, r := range a.others {
			p.single(g, r, k, n)
		}
	}
	to := g[0].object
	if outside {
		first := w.head[0]
		for w.Op[first] == ir.OpArg {
			first = w.next[first]
		}
		for k := range g {
			last := w.constant(ir.U32, n*uint64(len(g))+uint64(k))
			s := w.before(first, ir.OpStore, ir.None, to, last, w.constant(w.objs[to].Type().Value(), 0))
			w.Flags[s] = ir.InBounds
		}
		n++
	}
	w.objs[to].Array.Len = n * uint64(len(g))
	for _, a := range g[1:] {
		w.objs[a.object].Array.Len = 1
	}
	p.order(to)
}

// bundle rewrites accesses of all arrays at one index, row k of array k.
func (p *packing) bundle(g []*packed, rows []ir.Row, n uint64) {
	w := p.w
	first, last := p.ends(rows)
	i, o := w.A(rows[0]), g[0].object
	inBounds := true
	for _, r := range rows {
		inBounds = inBounds && w.Flags[r].InBounds()
	}
	if shared := w.objs[o].Shared(); inBounds || shared || w.Op[first] == ir.OpLoad {
		at, more := p.start(i, o, first, len(g), n, inBounds)
		for k, r := range rows {
			p.move(r, o, p.element(at, more+uint64(k), r))
			if shared && !inBounds {
				w.Flags[r] &^= ir.InBounds
			}
		}
		return
	}
	if !p.together(g, rows, first, last) {
		for k, r := range rows {
			p.guarded([]ir.Row{r}, k, g, r, n)
		}
		return
	}
	p.guarded(rows, 0, g, last, n)
}

// ends returns which of the rows of one region come first and last.
func (p *packing) ends(rows []ir.Row) (first, last ir.Row) {
	first, last = rows[0], rows[0]
	for _, r := range rows {
		if p.at[r] < p.at[first] {
			first = r
		}
		if p.at[r] > p.at[last] {
			last = r
		}
	}
	return first, last
}

// maxApart bounds the rows between stores that are done together.
const maxApart = 64

// together reports whether the first of some stores may be done where the last one is: between them stand pure rows, and
// accesses of other objects.
func (p *packing) together(g []*packed, rows []ir.Row, first, last ir.Row) bool {
	w := p.w
	left := maxApart
	for at := first; at != last; at = w.next[at] {
		w.visits++
		if left--; left == 0 {
			return false
		}
		in := w.info(at)
		plain := w.Op[at] == ir.OpLoad || w.Op[at] == ir.OpStore
		ours := in.Imm == ir.ImmObject && slices.ContainsFunc(g, func(a *packed) bool { return a.object == w.X[at] })
		if !slices.Contains(rows, at) && !w.pure(at) && !w.must(checkPackBetween, plain && !ours) {
			return false
		}
	}
	return true
}

// guarded puts stores, of array k and those after it, under the comparison of their index, in front of row at.
func (p *packing) guarded(rows []ir.Row, k int, g []*packed, at ir.Row, n uint64) {
	w := p.w
	i, o := w.A(rows[0]), g[k].object
	branch := w.before(at, ir.OpIf, ir.None, uint32(len(w.Regions)), w.inside(i, o, at))
	then, els := w.region(branch), w.region(branch)
	for _, reg := range [2]uint32{then, els} {
		yield := w.make(at, ir.OpYield, ir.None, 0, ir.NoRow, ir.NoRow, ir.NoRow)
		w.setList(yield, nil)
		w.append(reg, yield)
	}
	to := g[0].object
	if !w.must(checkPackStore, false) {
		at = w.tail[then]
	}
	start, more := p.start(i, o, at, len(g), n, true)
	for j, r := range rows {
		s := w.before(at, ir.OpStore, ir.None, to, p.element(start, more+uint64(k+j), at), w.B(r))
		w.Flags[s] = w.Flags[r] | ir.InBounds
	}
	for _, r := range rows {
		w.remove(r)
	}
}

// single rewrites an access of array k whose index is constant, or that stores a constant.
func (p *packing) single(g []*packed, r ir.Row, k int, n uint64) {
	w := p.w
	c, constant := w.bits(w.A(r))
	switch {
	case constant && c < n:
		p.move(r, g[0].object, w.constant(ir.U32, c*uint64(len(g))+uint64(k)))
	case constant && w.Op[r] == ir.OpLoad:
		w.replaceAlways(r, w.constant(w.Type[r], 0))
	case constant:
		w.remove(r)
	case w.Flags[r].InBounds():
		start, more := p.start(w.A(r), g[0].object, r, len(g), n, true)
		p.move(r, g[0].object, p.element(start, more+uint64(k), r))
	default:
		p.guarded([]ir.Row{r}, k, g, r, n)
	}
}

// start is where the elements at index i begin, a row and a constant, by rows in front of row at: behind the last ones if the
// index is not in bounds. Constants stand behind the product, where it is exact modulo 2³²: so records beside each other are
// neighbours, too.
func (p *packing) start(i ir.Row, o uint32, at ir.Row, k int, n uint64, inBounds bool) (row ir.Row, more uint64) {
	w := p.w
	if !inBounds {
		to := ir.U32
		if w.Type[i].Size() == 8 {
			to = ir.U64
		}
		if w.Type[i] != to {
			i = w.before(at, ir.OpCvt, to, 0, i)
		}
		if !w.must(checkPackPast, false) {
			i = w.before(at, ir.OpMin, to, 0, i, w.constant(to, n))
		}
	}
	if w.Type[i] != ir.U32 {
		i = w.before(at, ir.OpCvt, ir.U32, 0, i)
	}
	shift := uint64(1)
	if k == 4 {
		shift = 2
	}
	if base, c := w.offset(i); base != ir.NoRow {
		i, more = base, c<<shift
	}
	return w.before(at, ir.OpShl, ir.U32, 0, i, w.constant(ir.U32, shift)), more
}

// element is the index of an element at some distance from a start, in front of row at.
func (p *packing) element(start ir.Row, k uint64, at ir.Row) ir.Row {
	k &= ir.U32.Mask()
	if k == 0 {
		return start
	}
	return p.w.before(at, ir.OpAdd, ir.U32, 0, start, p.w.constant(ir.U32, k))
}

// move makes r an access of element i of object o.
func (p *packing) move(r ir.Row, o uint32, i ir.Row) {
	w := p.w
	w.X[r] = o
	w.set(&w.Code.A[r], i)
	w.Flags[r] |= ir.InBounds
}

// order sorts stores in a row at constant indices, as those that clear the arrays one after the other.
func (p *packing) order(o uint32) {
	w := p.w
	var run []ir.Row
	index := func(r ir.Row) uint64 { c, _ := w.bits(w.A(r)); return c }
	for it := w.rows(); it.step(); {
		r := it.row
		if it.at == atRow && w.Op[r] == ir.OpStore && w.X[r] == o {
			if _, constant := w.bits(w.A(r)); constant {
				run = append(run, r)
				if next := w.next[r]; w.Op[next] == ir.OpStore && w.X[next] == o {
					continue
				}
			}
		}
		if len(run) > 1 {
			end := w.next[run[len(run)-1]]
			byIndex := func(a, b ir.Row) int {
				return int(int64(index(a)) - int64(index(b)))
			}
			if !slices.IsSortedFunc(run, byIndex) {
				slices.SortStableFunc(run, byIndex)
				for _, s := range run {
					w.move(s, end)
				}
				it.row = run[len(run)-1]
			}
		}
		run = run[:0]
	}
}
