package ptx

import (
	"math/bits"

	"github.com/govyre/vyre/ir"
)

// Loads of fields of one or two bytes become loads of the words that they lie in, up to four words at a time, and each
// field is taken out of its word. Where all of them are read, as in []struct{scale gpu.Float16; q [14]int8}, a record is
// one access instead of fifteen. As with wider fields, the record is in bounds with all of its bytes or with none.

// packed forms accesses of the narrow fields among loads of one record, of 16 bytes first. At least half of the bytes
// have to be asked for; the others may be loaded along where nobody writes them.
func (s *selector) packed(rows []ir.Row) {
	for width := 16; width >= 4; width /= 2 {
		for _, lead := range rows {
			o := &s.objs[s.p.X(lead)]
			l := o.Param.Record
			if s.p.Op(lead) != ir.OpLoad || s.alongside[lead] || !narrow(o.Type()) || l.Stride%width != 0 || 1<<o.Param.Align < width {
				continue
			}
			w := wideAccess{off: o.Offset() - o.Offset()%width, words: width / 4}
			asked := uint32(0) // bytes
			for _, r := range rows {
				f := s.objs[s.p.X(r)].Field
				if at := f.Offset - w.off; !s.alongside[r] && narrow(f.Type) && at >= 0 && at < width {
					w.rows = append(w.rows, r)
					asked |= (1<<f.Type.Size() - 1) << at
				}
			}
			n := bits.OnesCount32(asked)
			if len(w.rows) < 2 || n < width/2 || n < width && o.Param.Access != ir.RO {
				continue
			}
			first := lead
			for _, r := range w.rows {
				s.alongside[r] = true
				first = min(first, r)
			}
			s.wide[first] = w
		}
	}
}

// narrow reports whether several elements of the type lie in one word.
func narrow(t ir.Type) bool { return t.Size() < 4 }

// loadPacked loads words, and takes the fields in them out.
func (s *selector) loadPacked(row ir.Row, w wideAccess) {
	o := &s.objs[s.p.X(row)]
	p := s.inBounds(row, 1)
	d := make([]reg, w.words)
	for i := range d {
		d[i] = s.newReg(classR)
		s.zero(d[i], p)
	}
	dst := r(d[0])
	if len(d) > 1 {
		dst = s.vec(d...)
	}
	at := s.access(access{obj: o.First, index: s.p.A(row), scale: uint32(o.Stride()), off: uint32(w.off)})
	s.guarded(inst{op: opLd, t: tU32, mod: s.accessMods(row, true), dst: dst, src: [4]operand{at}}, p)
	for _, r := range w.rows {
		f := s.objs[s.p.X(r)].Field
		place := f.Offset - w.off
		s.set(r, s.unpacked(f.Type, d[place/4], uint32(place%4*8)))
	}
}

// unpacked is the value of an element that lies in a word from bit pos on.
func (s *selector) unpacked(t ir.Type, word reg, pos uint32) operand {
	switch {
	case t == ir.Bool:
		return s.compare(cmpNE, tU32, s.do(opAnd, tB32, r(word), u32(0xFF<<pos)), u32(0))
	case t.IsHalf():
		return s.halfOf(r(word), pos)
	}
	return s.do(opBfe, arith(t.Value()), r(word), u32(pos), u32(uint32(8*t.Size())))
}
