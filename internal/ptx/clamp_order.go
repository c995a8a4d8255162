package ptx

import "github.com/govyre/vyre/ir"

// findClamps finds the floats that are held to at most 1 before they are held to at least 0. ptxas (11.8 and 13.0) makes
// one saturating instruction of the two, or turns them round, as if the order did not matter. It does for a NaN: the
// smaller of a NaN and 1 is 1, but saturated it is 0. Between the two there may be an abs, signs that cancel out and
// other bounds, and either may be spelled as a comparison and a choice. So what is held to at most 1 is −max(−x, −1)
// there, which is not taken for the first half.
func (s *selector) findClamps() {
	for r := range ir.Row(s.p.Rows()) {
		if v := s.heldAbove(r); v != ir.NoRow {
			s.turnMinima(v)
		}
	}
}

// turnMinima follows v back through bounds and signs, and turns each minimum of it and 1.
func (s *selector) turnMinima(v ir.Row) {
	p := s.p
	for {
		op := p.Op(v)
		if x := s.heldBelow(v); x != ir.NoRow {
			if s.turnedMins == nil {
				s.turnedMins = make(map[ir.Row]ir.Row)
			}
			s.turnedMins[v] = x
			v = x
			continue
		}
		switch {
		case op == ir.OpNeg, op == ir.OpAbs:
			v = p.A(v)
		case (op == ir.OpMin || op == ir.OpMax) && p.Op(p.B(v)) == ir.OpConst:
			v = p.A(v)
		case (op == ir.OpMin || op == ir.OpMax) && p.Op(p.A(v)) == ir.OpConst:
			v = p.B(v)
		default:
			return
		}
	}
}

// heldAbove returns what float row r is the greater of, the other being 0, also if it is spelled as a choice; NoRow if it
// is nothing of the kind.
func (s *selector) heldAbove(r ir.Row) ir.Row {
	p, a, b, c := s.p, s.p.A(r), s.p.B(r), s.p.C(r)
	if t := p.Type(r); t != ir.F32 && t != ir.F64 {
		return ir.NoRow
	}
	switch p.Op(r) {
	case ir.OpMax:
		return s.otherThan(0, a, b)
	case ir.OpSelect:
		if op := p.Op(a); op != ir.OpLt && op != ir.OpLe {
			return ir.NoRow
		}
		if v := s.otherThan(0, b, c); v != ir.NoRow && v == s.otherThan(0, p.A(a), p.B(a)) {
			return v
		}
	}
	return ir.NoRow
}

// heldBelow returns what float row r is the smaller of, the other being 1 and what a NaN gives; NoRow if it is not.
func (s *selector) heldBelow(r ir.Row) ir.Row {
	p, a, b := s.p, s.p.A(r), s.p.B(r)
	bits := one(p.Type(r))
	switch op := p.Op(r); {
	case op == ir.OpMin:
		return s.otherThan(bits, a, b)
	case op == ir.OpSelect && (p.Op(a) == ir.OpLt || p.Op(a) == ir.OpLe):
		if p.A(a) == b && s.isConst(p.B(a), bits) && s.isConst(p.C(r), bits) {
			return b
		}
	}
	return ir.NoRow
}

// otherThan returns the one of two rows of which the other is a constant, NoRow if neither is.
func (s *selector) otherThan(bits uint64, a, b ir.Row) ir.Row {
	switch {
	case s.isConst(b, bits):
		return a
	case s.isConst(a, bits):
		return b
	}
	return ir.NoRow
}

func (s *selector) isConst(v ir.Row, bits uint64) bool {
	return s.p.Op(v) == ir.OpConst && s.p.Const(v) == bits
}

// turnedMinimum sets row r to the smaller of x and 1.
func (s *selector) turnedMinimum(r, x ir.Row) {
	t := s.typeOf(r)
	minus := s.opposite(t, s.value(x), s.zeroSign[x])
	s.set(r, s.opposite(t, s.do(opMax, arith(t), minus, imm(arith(t), one(t)|signBit(t))), s.zeroSign[x]))
}

// one is the bits of 1 in a float type.
func one(t ir.Type) uint64 {
	if t == ir.F64 {
		return 0x3FF0 << 48
	}
	return 0x3F80_0000
}
