package ptx

import "github.com/govyre/vyre/ir"

// findConvertedFields finds the bytes and halves of words that become floats and that ptxas (11.8 and 13.0) puts into the
// conversion, which has variants for them, although the result is another: those that have a sign and become floats as
// unsigned words, and those of the upper half of what was loaded from fewer than 32 bits, of which it takes the lower half
// as if it had loaded the upper one. Such a field is made by prmt, which it leaves alone. An element of a vector of bytes
// is a field as well, of the word that the assembler loads for the vector.
func (s *selector) findConvertedFields() {
	p := s.p
	for r := range ir.Row(p.Rows()) {
		if p.Op(r) != ir.OpCvt || !p.Type(r).IsFloat() || !p.Type(p.A(r)).IsInt() {
			continue
		}
		l := s.integer(p.A(r))
		v, above, unsigned := l.first, l.second, l.marked
		if above == ir.NoRow {
			above = r
		}
		switch {
		case unsigned && s.loaded(v).IsSigned() && s.loaded(v).Size() < 4:
			s.convertsWhole(above)
		case p.Op(v) != ir.OpBfe || p.Type(v).Size() != 4:
		case p.Type(v).IsSigned() && unsigned, p.X(v)&0xFF >= 16 && s.isNarrow(p.A(v)):
			if width := p.X(v) >> 8 & 0xFF; (width == 8 || width == 16) && p.X(v)&0xFF%width == 0 {
				s.convertsWhole(v)
			}
		}
	}
}

// integer follows conversions from integers, and marks those to a type without a sign.
func (s *selector) integer(v ir.Row) link {
	if s.integers.next == nil {
		p := s.p
		s.integers.next = func(v ir.Row) (ir.Row, bool, bool) {
			if op := p.Op(v); op != ir.OpCvt && op != ir.OpBitcast {
				return ir.NoRow, false, false
			}
			return p.A(v), !p.Type(v).IsSigned(), p.Type(p.A(v)).IsInt()
		}
	}
	return s.integers.from(v)
}

// convertsWhole notes that row r extracts a field, or converts one that was loaded, that becomes a float as a word.
func (s *selector) convertsWhole(r ir.Row) {
	if s.asFloat == nil {
		s.asFloat = make(map[ir.Row]bool)
	}
	s.asFloat[r] = true
}

// loaded returns the type in memory of what row v loads, alone or as an element of a vector; no type if it is no load.
func (s *selector) loaded(v ir.Row) ir.Type {
	p := s.p
	if p.Op(v) == ir.OpElem {
		v = p.A(v)
	}
	switch p.Op(v) {
	case ir.OpLoad, ir.OpLoadV2, ir.OpLoadV4:
		return p.Objects()[p.X(v)].Type().Elem()
	}
	return ir.None
}

// isNarrow reports whether row v may be loaded from fewer than 32 bits.
func (s *selector) isNarrow(v ir.Row) bool {
	p := s.p
	v = s.integer(v).first
	switch p.Op(v) {
	case ir.OpArg, ir.OpRes: // a loop may be unrolled
		return true
	}
	t := s.loaded(v)
	return t != ir.None && t.Size() < 4
}

// field is the byte or half that row r extracts from a word.
func (s *selector) field(r ir.Row) operand {
	return s.extracted(s.p.A(r), s.p.X(r)&0xFF/8, s.p.X(r)>>8&0xFF/8, s.p.Type(r).IsSigned())
}

// converted is the operand of a conversion, the row r; it is extracted from itself if it is a field that was loaded.
func (s *selector) converted(r ir.Row) operand {
	v := s.p.A(r)
	if !s.asFloat[r] {
		return s.value(v)
	}
	return s.extracted(v, 0, uint32(s.loaded(v).Size()), true)
}

// extracted is a field of word v, from a byte on, as prmt makes it of a zero and the word.
func (s *selector) extracted(v ir.Row, from, bytes uint32, signed bool) operand {
	rest := uint32(0)
	if signed {
		rest = 8 | (4 + from + bytes - 1)
	}
	pick := uint32(0)
	for i := range uint32(4) {
		digit := rest
		if i < bytes {
			digit = 4 + from + i
		}
		pick |= digit << (4 * i)
	}
	return s.do(opPrmt, tB32, u32(0), s.value(v), u32(pick))
}
