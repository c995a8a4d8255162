package ptx

import "github.com/govyre/vyre/ir"

// findConvertedFields finds the bytes and halves of words that become floats and that ptxas (11.8 and 13.0) puts into the
// conversion, which has variants for them, although the result is another: those that have a sign and become floats as
// unsigned words, and those of the upper half of what was loaded from fewer than 32 bits, of which it takes the lower half
// as if it had loaded the upper one. Such a field is made by prmt, which it leaves alone.
func (s *selector) findConvertedFields() {
	p := s.p
	for r := range ir.Row(p.Rows()) {
		if p.Op(r) != ir.OpCvt || !p.Type(r).IsFloat() || !p.Type(p.A(r)).IsInt() {
			continue
		}
		v, unsigned := p.A(r), false
		for (p.Op(v) == ir.OpCvt || p.Op(v) == ir.OpBitcast) && p.Type(p.A(v)).IsInt() {
			unsigned = unsigned || !p.Type(v).IsSigned()
			v = p.A(v)
		}
		if p.Op(v) != ir.OpBfe || p.Type(v).Size() != 4 {
			continue
		}
		from, width := p.X(v)&0xFF, p.X(v)>>8&0xFF
		if width != 8 && width != 16 || from%width != 0 {
			continue
		}
		if p.Type(v).IsSigned() && unsigned || from >= 16 && s.isNarrow(p.A(v)) {
			if s.asFloat == nil {
				s.asFloat = make(map[ir.Row]bool)
			}
			s.asFloat[v] = true
		}
	}
}

// isNarrow reports whether row v may be loaded from fewer than 32 bits.
func (s *selector) isNarrow(v ir.Row) bool {
	p := s.p
	for (p.Op(v) == ir.OpCvt || p.Op(v) == ir.OpBitcast) && p.Type(p.A(v)).IsInt() {
		v = p.A(v)
	}
	switch p.Op(v) {
	case ir.OpLoad:
		return p.Objects()[p.X(v)].Type().Size() < 4
	case ir.OpArg, ir.OpRes, ir.OpElem: // a loop may be unrolled, a record may be loaded in parts
		return true
	}
	return false
}

// field is the byte or half that row r extracts from a word.
func (s *selector) field(r ir.Row) operand {
	at, sign := 4+s.p.X(r)&0xFF/8, uint32(0) // bytes of the second operand, and of the first, which is zero
	bytes := s.p.X(r) >> 8 & 0xFF / 8
	if s.p.Type(r).IsSigned() {
		sign = 8 | (at + bytes - 1)
	}
	pick := uint32(0)
	for i := range uint32(4) {
		digit := sign
		if i < bytes {
			digit = at + i
		}
		pick |= digit << (4 * i)
	}
	return s.do(opPrmt, tB32, u32(0), s.value(s.p.A(r)), u32(pick))
}
