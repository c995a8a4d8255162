package ptx

import "github.com/govyre/vyre/ir"

// turned is a minimum of a float and a positive constant.
type turned struct {
	of    ir.Row
	bound uint64
}

// findClamps finds the floats that are held to at most 1 before they are held to at least 0. ptxas (11.8 and 13.0) makes
// one saturating instruction of the two, or turns them round, as if the order did not matter. It does for a NaN: the
// smaller of a NaN and 1 is 1, but saturated it is 0. So it is with at most 3, at least 0, at most 1. Among the bounds
// there may be an abs, signs that cancel out and other bounds, and each may be spelled as a comparison and a choice. So
// what is held to at most c is −max(−x, −c) there, which is not taken for the first bound.
func (s *selector) findClamps() {
	for r := range ir.Row(s.p.Rows()) {
		if t := s.p.Type(r); t != ir.F32 && t != ir.F64 {
			continue
		}
		if s.isHeldAbove(r) {
			s.turnMinima(r, false)
		} else if s.isHeldToOne(r) {
			s.turnMinima(r, true)
		}
	}
}

// turnMinima follows v back through bounds and signs. Below a bound of zero it turns each minimum with 1, or with 1 and
// what is above if v is held to 1 itself.
func (s *selector) turnMinima(v ir.Row, above bool) {
	p, below := s.p, false
	for {
		below = below || s.isHeldAbove(v)
		if x, bound, ok := s.heldBelow(v); ok && below && (bound == one(p.Type(v)) || above && bound > one(p.Type(v))) {
			if s.turnedMins == nil {
				s.turnedMins = make(map[ir.Row]turned)
			}
			s.turnedMins[v] = turned{x, bound}
		}
		if v = s.bounded(v); v == ir.NoRow {
			return
		}
	}
}

// bounded returns what float row r is but for its sign and for a constant bound, NoRow if it is nothing of the kind.
func (s *selector) bounded(r ir.Row) ir.Row {
	p, a, b := s.p, s.p.A(r), s.p.B(r)
	switch p.Op(r) {
	case ir.OpNeg, ir.OpAbs:
		return a
	case ir.OpMin, ir.OpMax, ir.OpMinp, ir.OpMaxp:
		return s.otherThan(a, b)
	case ir.OpSelect:
		if op := p.Op(a); op != ir.OpLt && op != ir.OpLe {
			return ir.NoRow
		}
		if v := s.otherThan(b, p.C(r)); v != ir.NoRow && v == s.otherThan(p.A(a), p.B(a)) {
			return v
		}
	}
	return ir.NoRow
}

// otherThan returns the one of two rows of which the other is a constant, NoRow if that is neither or both.
func (s *selector) otherThan(a, b ir.Row) ir.Row {
	known, also := s.p.Op(a) == ir.OpConst, s.p.Op(b) == ir.OpConst
	switch {
	case known == also:
		return ir.NoRow
	case known:
		return b
	}
	return a
}

// isHeldAbove reports whether float row r is the greater of something and zero, also if it is spelled as a choice.
func (s *selector) isHeldAbove(r ir.Row) bool {
	p := s.p
	switch p.Op(r) {
	case ir.OpMax, ir.OpMaxp:
		return s.isZero(p.A(r)) || s.isZero(p.B(r))
	case ir.OpSelect:
		return (s.isZero(p.B(r)) || s.isZero(p.C(r))) && s.bounded(r) != ir.NoRow
	}
	return false
}

// isHeldToOne reports whether float row r is the smaller of something and 1, whatever a NaN gives.
func (s *selector) isHeldToOne(r ir.Row) bool {
	p, bits := s.p, one(s.p.Type(r))
	switch p.Op(r) {
	case ir.OpMin, ir.OpMinp:
		return s.isConst(p.A(r), bits) || s.isConst(p.B(r), bits)
	case ir.OpSelect:
		return (s.isConst(p.B(r), bits) || s.isConst(p.C(r), bits)) && s.bounded(r) != ir.NoRow
	}
	return false
}

// heldBelow returns what float row r is the smaller of, the other being a positive constant and what a NaN gives.
func (s *selector) heldBelow(r ir.Row) (x ir.Row, bound uint64, ok bool) {
	p, c := s.p, s.p.B(r)
	switch a := p.A(r); p.Op(r) {
	case ir.OpMin:
		if p.Op(c) != ir.OpConst {
			c = a
		}
		x = s.otherThan(a, p.B(r))
	case ir.OpSelect:
		c = p.C(r)
		if x = s.bounded(r); x != p.B(r) || x != p.A(a) || p.Op(p.B(a)) != ir.OpConst || p.Const(p.B(a)) != p.Const(c) {
			return ir.NoRow, 0, false
		}
	default:
		return ir.NoRow, 0, false
	}
	if x == ir.NoRow {
		return ir.NoRow, 0, false
	}
	bound = p.Const(c)
	return x, bound, bound <= infinity(p.Type(r)) // a choice by a NaN is that NaN, and no minimum
}

func (s *selector) isConst(v ir.Row, bits uint64) bool {
	return s.p.Op(v) == ir.OpConst && s.p.Const(v) == bits
}

// turnedMinimum sets row r to the smaller of a float and a positive constant.
func (s *selector) turnedMinimum(r ir.Row, of turned) {
	t := s.typeOf(r)
	minus := s.opposite(t, s.value(of.of), s.zeroSign[of.of])
	s.set(r, s.opposite(t, s.do(opMax, arith(t), minus, imm(arith(t), of.bound|signBit(t))), s.zeroSign[of.of]))
}

// infinity is the bits of infinity in a float type: more are those of NaNs, or have a sign.
func infinity(t ir.Type) uint64 {
	switch t {
	case ir.F64:
		return 0x7FF0 << 48
	case ir.F16:
		return 0x7C00
	case ir.BF16:
		return 0x7F80
	}
	return 0x7F80_0000
}

// one is the bits of 1 in a float type.
func one(t ir.Type) uint64 {
	if t == ir.F64 {
		return 0x3FF0 << 48
	}
	return 0x3F80_0000
}
