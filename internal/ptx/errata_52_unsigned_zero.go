package ptx

import "github.com/govyre/vyre/ir"

// findUnsignedZeros finds comparisons of unsigned words with a bound that an assembler may know to be 0. No word is less than
// that; but where the word is a choice of −1 and 0, ptxas 11.8 (any target) compares as if it had a sign, and the result is
// the condition of the choice. The passes fold a literal 0. O(rows), and a trial of the program if a bound may be known.
func (s *selector) findUnsignedZeros() {
	p := s.p
	var bounds, comparisons []ir.Row
	for r := range ir.Row(p.Rows()) {
		bound := p.B(r)
		switch p.Op(r) {
		case ir.OpLe:
			bound = p.A(r)
		case ir.OpLt:
		default:
			continue
		}
		if t := p.Type(bound); !t.IsInt() || t.IsSigned() || t.Bits() > 32 || !s.mayBeKnown(bound) || p.Op(bound) == ir.OpConst && p.Const(bound) != 0 {
			continue
		}
		bounds, comparisons = append(bounds, bound), append(comparisons, r)
	}
	if len(bounds) == 0 {
		return
	}
	for i, k := range (&lowTrial{p: p}).known(bounds) {
		if k.always == 32 && k.greatest == 0 {
			if s.unsignedZeros == nil {
				s.unsignedZeros = make(map[ir.Row]bool)
			}
			s.unsignedZeros[comparisons[i]] = true
		}
	}
}

// compared returns the operands of a comparison of integers.
func (s *selector) compared(row ir.Row) (a, b operand) {
	a, b = s.value(s.p.A(row)), s.value(s.p.B(row))
	switch {
	case !s.unsignedZeros[row]:
	case s.p.Op(row) == ir.OpLt:
		b = s.unknown(b)
	default:
		a = s.unknown(a)
	}
	return a, b
}
