package ptx

import "github.com/govyre/vyre/ir"

// findZeroSigns finds the floats of which abs and neg are done on bits: those that may be a constant zero, because a
// choice or a merge has one among its values, and what minima, maxima and changes of sign make of them. ptxas (11.8 and
// 13.0) takes a number without a minus sign for one that may not be −0, leaves out an abs for which that makes a
// difference, and loses the sign of a zero that is negated again and again. On bits it reasons rightly. Twice through the
// program, for what goes round loops: O(rows).
func (s *selector) findZeroSigns() {
	p := s.p
	zero := func(v ir.Row) bool {
		return s.zeroSign[v] || p.Op(v) == ir.OpConst && p.Const(v)&^signBit(p.Type(v)) == 0 || s.negativeZero(v)
	}
	mark := func(r ir.Row) {
		if s.zeroSign == nil {
			s.zeroSign = make(map[ir.Row]bool)
		}
		s.zeroSign[r] = true
	}
	for range 2 {
		for r := range ir.Row(p.Rows()) {
			switch p.Op(r) {
			case ir.OpLoop, ir.OpContinue, ir.OpBreak, ir.OpYield:
				to := targetOf(p, r)
				for i, v := range p.List(r) {
					if p.Type(ir.Row(v)).IsFloat() && zero(ir.Row(v)) {
						mark(to + ir.Row(i))
					}
				}
			case ir.OpSelect:
				if p.Type(r).IsFloat() && (zero(p.B(r)) || zero(p.C(r))) {
					mark(r)
				}
			case ir.OpMin, ir.OpMax:
				if s.zeroSign[p.A(r)] || s.zeroSign[p.B(r)] || s.negativeZero(p.A(r)) || s.negativeZero(p.B(r)) {
					mark(r)
				}
			case ir.OpNeg, ir.OpAbs:
				if s.zeroSign[p.A(r)] {
					mark(r)
				}
			}
		}
	}
}

func signBit(t ir.Type) uint64 { return 1 << (t.Bits() - 1) }

// negativeZero reports whether a row is the float constant −0, also as the negation of 0 that nobody has folded.
func (s *selector) negativeZero(r ir.Row) bool {
	t, p := s.p.Type(r), s.p
	switch {
	case !t.IsFloat():
		return false
	case p.Op(r) == ir.OpConst:
		return p.Const(r) == signBit(t)
	}
	return p.Op(r) == ir.OpNeg && p.Op(p.A(r)) == ir.OpConst && p.Const(p.A(r)) == 0
}
