package ptx

import "github.com/govyre/vyre/ir"

// findZeroSigns finds the floats of which abs and neg are done on bits: those that may be a constant zero, because a
// choice or a merge has one among its values, or because they are the smaller or greater of a zero and a number that has
// a sign, and what minima, maxima and changes of sign make of them. ptxas (11.8 and 13.0) takes a number without a minus
// sign for one that may not be −0, and one that is never greater than zero for one that may not be +0. It leaves out an
// abs, or a neg of an abs, for which that makes a difference, and loses the sign of a zero that is negated again and
// again. On bits it reasons rightly. Twice through the program, for what goes round loops: O(rows).
func (s *selector) findZeroSigns() {
	p := s.p
	sided := make([]bool, p.Rows())
	zero := func(v ir.Row) bool {
		return s.zeroSign[v] || s.isZero(v) || s.negativeZero(v)
	}
	mark := func(r ir.Row) {
		if s.zeroSign == nil {
			s.zeroSign = make(map[ir.Row]bool)
		}
		s.zeroSign[r] = true
	}
	for range 2 {
		for r := range ir.Row(p.Rows()) {
			a, b := p.A(r), p.B(r)
			sided[r] = p.Type(r).IsFloat() && s.isSided(r, sided)
			switch p.Op(r) {
			case ir.OpLoop, ir.OpContinue, ir.OpBreak, ir.OpYield:
				to := targetOf(p, r)
				for i, v := range p.List(r) {
					if p.Type(ir.Row(v)).IsFloat() && zero(ir.Row(v)) {
						mark(to + ir.Row(i))
					}
				}
			case ir.OpSelect:
				if p.Type(r).IsFloat() && (zero(b) || zero(p.C(r))) {
					mark(r)
				}
			case ir.OpMin, ir.OpMax, ir.OpMinp, ir.OpMaxp:
				bounded := p.Type(r).IsFloat() && (s.isZero(a) && sided[b] || s.isZero(b) && sided[a])
				if bounded || s.zeroSign[a] || s.zeroSign[b] || s.negativeZero(a) || s.negativeZero(b) {
					mark(r)
				}
			case ir.OpNeg, ir.OpAbs:
				if s.zeroSign[a] {
					mark(r)
				}
			}
		}
	}
}

// isSided reports whether the assembler may know that a float is never less, or never greater, than zero.
func (s *selector) isSided(r ir.Row, sided []bool) bool {
	p := s.p
	a, b := p.A(r), p.B(r)
	switch p.Op(r) {
	case ir.OpLoad, ir.OpArg, ir.OpRes, ir.OpBitcast:
		return false
	case ir.OpNeg:
		return sided[a]
	case ir.OpSelect:
		return sided[b] && sided[p.C(r)]
	case ir.OpAdd, ir.OpSub, ir.OpDiv:
		return sided[a] && sided[b]
	case ir.OpMul:
		return a == b || sided[a] && sided[b]
	case ir.OpFma:
		return (a == b || sided[a] && sided[b]) && sided[p.C(r)]
	case ir.OpMin, ir.OpMax, ir.OpMinp, ir.OpMaxp:
		return sided[a] || sided[b]
	}
	return true
}

// isZero reports whether a row is a float constant that is zero, of either sign.
func (s *selector) isZero(v ir.Row) bool {
	return s.p.Type(v).IsFloat() && s.p.Op(v) == ir.OpConst && s.p.Const(v)&^signBit(s.p.Type(v)) == 0
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
