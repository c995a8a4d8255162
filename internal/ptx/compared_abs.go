package ptx

import "github.com/govyre/vyre/ir"

// The least integer has no magnitude: |x| of it is x itself, which is negative. The assembler (ptxas 11.8, and the
// driver's of 13.0) takes a comparison of abs with 0 for one with what is never negative, and leaves it out. So the
// magnitudes that something is compared with which may be 0 or less are made of the sign, of two instructions more.

// findComparedAbs finds those magnitudes.
func (s *selector) findComparedAbs() {
	p := s.p
	for r := range ir.Row(p.Rows()) {
		if p.Type(r) != ir.Bool {
			continue
		}
		a, b := p.A(r), p.B(r)
		if a != ir.NoRow && b != ir.NoRow {
			s.compareAbs(a, b)
			s.compareAbs(b, a)
		}
	}
}

// compareAbs notes that a is compared with b.
func (s *selector) compareAbs(a, b ir.Row) {
	p := s.p
	if p.Op(a) != ir.OpAbs || !p.Type(a).IsSigned() || p.Type(a).Size() < 4 {
		return
	}
	if p.Op(b) == ir.OpConst {
		if v := p.Const(b); v != 0 && v>>(p.Type(b).Bits()-1)&1 == 0 {
			return // above 0
		}
	}
	if s.signedAbs == nil {
		s.signedAbs = make([]bool, p.Rows())
	}
	s.signedAbs[a] = true
}

// magnitude is |a| of an integer, for the assembler any number.
func (s *selector) magnitude(t ir.Type, a operand) operand {
	pt, bits := arith(t), untyped(t)
	sign := s.do(opShr, pt, a, u32(uint32(t.Bits()-1)))
	return s.do(opSub, pt, s.do(opXor, bits, a.as(bits), sign.as(bits)).as(pt), sign)
}
