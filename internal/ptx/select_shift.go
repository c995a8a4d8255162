package ptx

import "github.com/govyre/vyre/ir"

// shiftRules covers shifts. The hardware's clamp their count, as the ops do.
var shiftRules = map[ir.Op]rule{
	ir.OpShl: func(s *selector, r ir.Row) {
		t, n := untyped(s.typeOf(r)), s.value(s.p.B(r))
		switch {
		case n.kind == isImm && n.bits >= 64 && is64(s.typeOf(r)):
			s.set(r, imm(t, 0))
			return
		case s.farShift[r]:
			n = s.unknown(n)
		}
		a := s.lowHidden(r, s.value(s.p.A(r))).as(t)
		if n.isConst(31) && t == tB64 {
			// Where two branches shift a parameter so, ptxas (11.8 and the driver for CUDA 13.0) takes 2³¹ for a factor of 32
			// bits with a sign.
			lo, hi := s.split(a)
			s.set(r, s.joined(classRD, s.do(opShl, tB32, lo, n), s.do(opShfL, tB32, lo, hi, n)))
			return
		}
		s.set(r, s.do(opShl, t, a, n))
	},
	ir.OpShr: func(s *selector, r ir.Row) {
		a, n := s.shifted(r), s.value(s.p.B(r))
		if s.halved[r] {
			s.set(r, s.shrHalved(s.typeOf(r), a, uint32(n.bits)))
			return
		}
		if s.ofNegative[r] {
			a = s.unknown(a.as(tB32))
		}
		s.set(r, s.do(opShr, arith(s.typeOf(r)), a, n))
	},
}

// findFarShifts finds the left shifts of 64 bits by a count that the assembler may know, and that is 31, or 64 or more. Of a
// product by a constant, ptxas (11.8 and the driver for CUDA 13.0) leaves the latter out, as if the count were 0. What
// is known of it has to be the number: a range does not do. Counts that are written come to zero as a whole. O(rows),
// and a trial of the program if some count is made of constants.
func (s *selector) findFarShifts() {
	p := s.p
	var shifts, counts []ir.Row
	for r := range ir.Row(p.Rows()) {
		if p.Op(r) != ir.OpShl || !is64(p.Type(r)) || p.Op(p.B(r)) == ir.OpConst {
			continue
		}
		if s.mayBeKnown(p.B(r)) {
			shifts, counts = append(shifts, r), append(counts, p.B(r))
		}
	}
	if len(shifts) == 0 {
		return
	}
	for i, count := range (&lowTrial{p: p}).known(counts) {
		if count.greatest != 31 && count.greatest < 64 {
			continue
		}
		if s.farShift == nil {
			s.farShift = make(map[ir.Row]bool)
		}
		s.farShift[shifts[i]] = true
	}
}

// findHalved finds the 64-bit right shifts that are made of halves, because of what they are added to or
// subtracted from, or what is from them. The assembler takes x<<n + x>>(64−n) for a rotation, which it is for a logical
// shift only, and takes the differences for one, too: ptxas 11.8 does, and the driver for CUDA 13.0. It looks at shl.b64 and
// shr alone.
func (s *selector) findHalved() {
	p := s.p
	whole := func(t ir.Type) bool { return t == ir.I64 || t == ir.U64 }
	// A value may be another one's bits, or that with the other sign, which a magnitude has as well. To subtract the
	// inverse is to add the value and 1, and is written so.
	bits := chains{next: func(v ir.Row) (ir.Row, bool, bool) {
		op := p.Op(v)
		turned := op == ir.OpNeg || op == ir.OpAbs || op == ir.OpNot
		return p.A(v), turned, whole(p.Type(v)) && (turned || op == ir.OpCvt || op == ir.OpBitcast) && whole(p.Type(p.A(v)))
	}}
	by := func(v ir.Row, op ir.Op) (at ir.Row, n uint64, negated bool) {
		l := bits.from(v)
		v, negated = l.first, l.marked
		if p.Op(v) != op || !whole(p.Type(v)) || p.Op(p.B(v)) != ir.OpConst {
			return ir.NoRow, 0, false
		}
		return v, p.Const(p.B(v)), negated
	}
	for r := range ir.Row(p.Rows()) {
		if op := p.Op(r); op != ir.OpAdd && op != ir.OpSub || !whole(p.Type(r)) {
			continue
		}
		for _, v := range [...][2]ir.Row{{p.A(r), p.B(r)}, {p.B(r), p.A(r)}} {
			shl, left, minus := by(v[0], ir.OpShl)
			shr, right, less := by(v[1], ir.OpShr)
			if shl == ir.NoRow || shr == ir.NoRow || left == 0 || left > 63 || left+right != 64 {
				continue
			}
			if p.Op(r) == ir.OpAdd && !minus && !less && !p.Type(shr).IsSigned() {
				continue // it is one
			}
			if s.halved == nil {
				s.halved = make(map[ir.Row]bool)
			}
			s.halved[shr] = true
		}
	}
}

// shrHalved shifts a 64-bit value right by n, 1 to 63, one half at a time.
func (s *selector) shrHalved(t ir.Type, a operand, n uint32) operand {
	lo, hi := s.split(a.as(tB64))
	pt, fill := tU32, u32(0)
	if t.IsSigned() {
		pt, fill = tS32, s.do(opShr, tS32, hi, u32(31))
	}
	switch {
	case n < 32:
		return s.joined(classRD, s.do(opShfR, tB32, lo, hi, u32(n)), s.do(opShr, pt, hi, u32(n)))
	case n == 32:
		return s.joined(classRD, hi, fill)
	}
	return s.joined(classRD, s.do(opShr, pt, hi, u32(n-32)), fill)
}
