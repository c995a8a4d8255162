package ptx

import (
	"slices"

	"github.com/govyre/vyre/ir"
)

// Loads of neighbouring fields of one record become one load of 8 or 16 bytes, where layout and buffer are aligned to
// that: the record is in bounds with all its fields or with none, and the bytes between fields may be read. The load
// stands where the first of them did: nothing between writes the buffer, orders memory, or leaves the block. Stores
// become one store where the last of them did, if they write all of its bytes and nothing between reads or writes the
// buffer elsewhere.

// recordKey is what loads of one record have in common.
type recordKey struct {
	first ir.Object
	index ir.Row
	flags ir.Flags
	store bool
}

// maxRecords bounds the records whose loads may still be joined.
const maxRecords = 32

// wideAccess is one load or store of several fields, in the order of their places; a place without a field is NoRow.
type wideAccess struct {
	rows []ir.Row
	off  int // bytes from the start of the record

	words int // of fields that lie in words, in any order, how many those are; 0 for fields that fill their places
}

// findWide notes which accesses of fields go together. One walk, O(rows), records bounded.
func (s *selector) findWide() {
	if !slices.ContainsFunc(s.objs, func(o object) bool { return o.Field != nil }) {
		return
	}
	s.wide, s.alongside = make(map[ir.Row]wideAccess), make(map[ir.Row]bool)
	s.records = make(map[ir.Row][]wideAccess)
	open := make(map[recordKey][]ir.Row)
	var order []recordKey
	flush := func(which func(recordKey) bool) {
		order = slices.DeleteFunc(order, func(k recordKey) bool {
			if !which(k) {
				return false
			}
			s.packed(open[k])
			s.together(open[k])
			s.storesTogether(open[k])
			delete(open, k)
			return true
		})
	}
	join := func(k recordKey, row ir.Row) {
		if open[k] == nil {
			if len(order) == maxRecords {
				oldest := order[0]
				flush(func(k recordKey) bool { return k == oldest })
			}
			order = append(order, k)
		}
		open[k] = append(open[k], row)
	}
	for i := range s.p.Rows() {
		row := ir.Row(i)
		in := s.p.Op(row).Info()
		switch {
		case in.Owns > 0, in.Attr&(ir.Terminator|ir.Barrier|ir.Fence|ir.Atomic) != 0:
			flush(func(recordKey) bool { return true })
			continue
		case in.Imm != ir.ImmObject || in.Attr&(ir.Reads|ir.Writes) == 0 || s.idle(row):
			continue
		}
		k := recordKey{s.objs[s.p.X(row)].First, s.p.A(row), s.p.Flags(row), in.Attr&ir.Writes != 0}
		// A store ends what else is open of its buffer, and a second one of a field what is open with the first; a load
		// ends stores.
		flush(func(o recordKey) bool {
			return o.first == k.first && (k.store && (o != k || s.has(open[o], row)) || !k.store && o.store)
		})
		if s.joins(row) {
			join(k, row)
		}
	}
	flush(func(recordKey) bool { return true })
}

// has reports whether one of the rows accesses the field that row does.
func (s *selector) has(rows []ir.Row, row ir.Row) bool {
	return slices.ContainsFunc(rows, func(r ir.Row) bool { return s.p.X(r) == s.p.X(row) })
}

// joins reports whether an access may be a part of a wider one. A load that a select narrows stays by itself.
func (s *selector) joins(row ir.Row) bool {
	o := &s.objs[s.p.X(row)]
	_, narrowed := s.wanted[row]
	op := s.p.Op(row)
	return (op == ir.OpLoad || op == ir.OpStore && !narrow(o.Type())) && o.Field != nil && o.Count() == 1 && !narrowed
}

// together forms wide accesses of those of one record, in the order of their rows: of 16 bytes first.
func (s *selector) together(rows []ir.Row) {
	for _, width := range []int{16, 8} {
		for _, lead := range rows {
			o := &s.objs[s.p.X(lead)]
			l := o.Param.Record
			size := o.Type().Size()
			at := o.Offset() - o.Offset()%width
			if s.alongside[lead] || narrow(o.Type()) || size == width || l.Stride%width != 0 || 1<<o.Param.Align < width {
				continue
			}
			w := wideAccess{off: at}
			found := 0
			for off := at; off < at+width; off += size {
				k := slices.IndexFunc(rows, func(r ir.Row) bool {
					f := s.objs[s.p.X(r)].Field
					return !s.alongside[r] && f.Offset == off && inMemory(f.Type) == inMemory(o.Type())
				})
				if k < 0 {
					w.rows = append(w.rows, ir.NoRow)
					continue
				}
				found++
				w.rows = append(w.rows, rows[k])
			}
			// What is not asked for may be loaded along where nobody writes it.
			if found < width/size && (found != 3 || o.Param.Access != ir.RO) {
				continue
			}
			first, last := ir.NoRow, ir.Row(0)
			for _, r := range w.rows {
				if r != ir.NoRow {
					s.alongside[r] = true
					first, last = min(first, r), max(last, r)
				}
			}
			if s.p.Op(lead) == ir.OpStore {
				first = last
			}
			s.wide[first] = w
		}
	}
}

// loadWide loads several fields at once.
func (s *selector) loadWide(row ir.Row, w wideAccess) {
	if w.words > 0 {
		s.loadPacked(row, w)
		return
	}
	o := &s.objs[s.p.X(row)]
	t := o.Type()
	p := s.inBounds(row, 1)
	d := make([]reg, len(w.rows))
	for i := range d {
		d[i] = s.newReg(memClass(t))
		if w.rows[i] != ir.NoRow {
			s.zero(d[i], p)
		}
	}
	at := s.access(access{obj: o.First, index: s.p.A(row), scale: uint32(o.Stride()), off: uint32(w.off)})
	s.guarded(inst{op: opLd, t: inMemory(t), mod: s.accessMods(row, true), dst: s.vec(d...), src: [4]operand{at}}, p)
	for i, r := range w.rows {
		if r != ir.NoRow {
			s.set(r, s.fromMemory(s.objs[s.p.X(r)].Type(), d[i]))
		}
	}
}

// storeWide stores several fields at once.
func (s *selector) storeWide(row ir.Row, w wideAccess) {
	o := &s.objs[s.p.X(row)]
	t := o.Type()
	p := s.inBounds(row, 1)
	v := make([]reg, len(w.rows))
	for i, r := range w.rows {
		v[i] = s.inReg(moveType(makeReg(memClass(t), 0)), s.toMemory(t, s.value(s.p.B(r))))
	}
	at := s.access(access{obj: o.First, index: s.p.A(row), scale: uint32(o.Stride()), off: uint32(w.off)})
	pt, all := s.asStored(t, v)
	s.guarded(inst{op: opSt, t: pt, mod: s.accessMods(row, false), dst: at, src: [4]operand{all}}, p)
}
