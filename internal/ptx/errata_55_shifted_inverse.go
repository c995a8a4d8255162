package ptx

import "github.com/govyre/vyre/ir"

// findShiftedInverses finds the inverted values of 64 bits that are shifted left. To one that is added to another inverted value,
// the assembler in the driver for CUDA 13.0 (sm_90a) gives a LEA.HI.X with both inversions, which is an illegal instruction. It
// does so if they are written as xor, which they are because of error 51; a difference from −1 is as short, and right. O(rows).
func (s *selector) findShiftedInverses() {
	p := s.p
	whole := func(v ir.Row) bool { t := p.Type(v); return t == ir.I64 || t == ir.U64 }
	bits := chains{next: func(v ir.Row) (ir.Row, bool, bool) {
		return p.A(v), false, (p.Op(v) == ir.OpBitcast || p.Op(v) == ir.OpCvt) && whole(v) && whole(p.A(v))
	}}
	for r := range ir.Row(p.Rows()) {
		if p.Op(r) != ir.OpShl || !whole(r) {
			continue
		}
		v := bits.from(p.A(r)).first
		if !whole(v) || p.Op(v) != ir.OpNot && (p.Op(v) != ir.OpXor || !s.allOnes(p.B(v))) {
			continue
		}
		if s.shiftedInverses == nil {
			s.shiftedInverses = make(map[ir.Row]bool)
		}
		s.shiftedInverses[v] = true
	}
}

// allOnes reports whether a row is a constant of 64 bits that are all set.
func (s *selector) allOnes(v ir.Row) bool { return s.p.Op(v) == ir.OpConst && s.p.Const(v) == 1<<64-1 }

// inverted is the inverse of v's value, of which the assembler does not know that it is one.
func (s *selector) inverted(v ir.Row) operand {
	return s.do(opSub, tS64, imm(tS64, 1<<64-1), s.value(v))
}

// not is the rule of inversion.
func (s *selector) not(r ir.Row) {
	if s.shiftedInverses[r] {
		s.set(r, s.inverted(s.p.A(r)))
		return
	}
	s.set(r, s.do(opNot, untyped(s.typeOf(r)), s.logic(r, s.p.A(r))))
}
