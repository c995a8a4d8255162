package ptx

import (
	"slices"

	"github.com/govyre/vyre/ir"
)

// Loads of neighbouring fields of one record become one load of 8 or 16 bytes, where layout and buffer are aligned to
// that: the record is in bounds with all its fields or with none, and the bytes between fields may be read. The load
// stands where the first of them did: nothing between writes the buffer, orders memory, or leaves the block.

// recordKey is what loads of one record have in common.
type recordKey struct {
	first ir.Object
	index ir.Row
	flags ir.Flags
}

// maxRecords bounds the records whose loads may still be joined.
const maxRecords = 32

// wideLoad is one load of several fields, in the order of their places; a place without a field is NoRow.
type wideLoad struct {
	rows []ir.Row
	off  int // bytes from the start of the record
}

// findWide notes which loads of fields go together. One walk, O(rows), records bounded.
func (s *selector) findWide() {
	if !slices.ContainsFunc(s.objs, func(o object) bool { return o.Field != nil }) {
		return
	}
	s.wide, s.alongside = make(map[ir.Row]wideLoad), make(map[ir.Row]bool)
	open := make(map[recordKey][]ir.Row)
	var order []recordKey
	flush := func(which func(recordKey) bool) {
		order = slices.DeleteFunc(order, func(k recordKey) bool {
			if !which(k) {
				return false
			}
			s.together(open[k])
			delete(open, k)
			return true
		})
	}
	all := func(recordKey) bool { return true }
	for i := range s.p.Rows() {
		row := ir.Row(i)
		in := s.p.Op(row).Info()
		switch {
		case in.Owns > 0, in.Attr&(ir.Terminator|ir.Barrier|ir.Fence|ir.Atomic) != 0:
			flush(all)
		case in.Imm == ir.ImmObject && in.Attr&ir.Writes != 0:
			first := s.objs[s.p.X(row)].First
			flush(func(k recordKey) bool { return k.first == first })
		case s.p.Op(row) == ir.OpLoad && s.joins(row):
			k := recordKey{s.objs[s.p.X(row)].First, s.p.A(row), s.p.Flags(row)}
			if open[k] == nil {
				if len(order) == maxRecords {
					oldest := order[0]
					flush(func(k recordKey) bool { return k == oldest })
				}
				order = append(order, k)
			}
			open[k] = append(open[k], row)
		}
	}
	flush(all)
}

// joins reports whether a load may be a part of a wider one. One that a select narrows stays by itself.
func (s *selector) joins(row ir.Row) bool {
	o := &s.objs[s.p.X(row)]
	_, narrowed := s.wanted[row]
	return o.Field != nil && o.Count() == 1 && o.Type().Size() >= 4 && !narrowed && !s.idle(row)
}

// together forms wide loads of the loads of one record, in the order of their rows: of 16 bytes first.
func (s *selector) together(rows []ir.Row) {
	for _, width := range []int{16, 8} {
		for _, lead := range rows {
			o := &s.objs[s.p.X(lead)]
			l := o.Param.Record
			size := o.Type().Size()
			at := o.Offset() - o.Offset()%width
			if s.alongside[lead] || size == width || l.Stride%width != 0 || 1<<o.Param.Align < width {
				continue
			}
			w := wideLoad{off: at}
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
			if found == width/size || found == 3 && o.Param.Access == ir.RO {
				first := ir.NoRow
				for _, r := range w.rows {
					if r != ir.NoRow {
						s.alongside[r] = true
						first = min(first, r)
					}
				}
				s.wide[first] = w
			}
		}
	}
}

// loadWide loads several fields at once.
func (s *selector) loadWide(row ir.Row, w wideLoad) {
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
