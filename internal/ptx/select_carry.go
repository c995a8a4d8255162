package ptx

import (
	"github.com/govyre/vyre/internal/carry"
	"github.com/govyre/vyre/ir"
)

// Chains of carries. PTX has one carry flag. The stages after this one move, guard and drop no instruction with it (opInfo), and
// put none in between. Products are instructions of their own: with mad.lo.cc.u64 and madc.hi.cc.u64 ptxas (11.8, sm_90) needs 228
// instructions for a product of 256 by 256 bits, and 204 without.

// carries is the stage that finds chains.
func (f *function) carries() { f.chains = carry.Find(f.p) }

// inChain reports whether row r is written with a link of a chain.
func (s *selector) inChain(r ir.Row) bool {
	if s.chains == nil || len(s.chains.Links) == 0 {
		return false
	}
	if s.chained == nil {
		s.chained = s.chains.Schedule(s.p, s.link)
	}
	switch {
	case s.p.Op(r).Info().Owns > 0:
		s.closeChains()
	case len(s.cuts) > 0 && s.chains.Of(r) >= 0:
		s.finish() // it may ask for what these give
	}
	return s.chained.Take(r)
}

func (s *selector) closeChains() {
	if s.chained != nil {
		s.chained.Close()
	}
}

// forms are the instructions of a link by whether it takes the flag and whether it leaves it.
var forms = [2][2][2]opcode{{{opAdd, opAddCC}, {opAddC, opAddCCC}}, {{opSub, opSubCC}, {opSubC, opSubCCC}}}

// link writes a link. It reports whether its carry is in the flag.
func (s *selector) link(l carry.Step) bool {
	row := s.row
	defer func() { s.row = row }()
	if s.row = l.Sum; l.Sum == ir.NoRow {
		s.row = l.Carry
	}
	t := arith(l.Type)
	x, y, in := s.term(l.X, t), s.term(l.Y, t), s.term(l.In, t)
	if l.Sum != ir.NoRow {
		x = s.lowHidden(l.Sum, x)
		if s.lateMinuends[l.Sum] {
			x = s.unknown(x)
		}
	}
	if !l.Flag && !in.isConst(0) {
		if !l.Leaves || !carry.Bit(s.p, l.In) {
			s.unlinked(l.Link, t, x, y, in)
			return false
		}
		s.flagOf(l.Link, in)
		l.Flag = true
	}
	sum := s.linked(l, t, x, y)
	if l.Sum != ir.NoRow {
		s.set(l.Sum, sum)
	}
	if l.Number {
		s.set(l.Carry, s.flagNumber(l.Link))
	}
	return l.Leaves
}

// linked adds or subtracts the terms of a link.
func (s *selector) linked(l carry.Step, t ptype, x, y operand) operand {
	if t == tU64 && l.Leaves && l.Sum != ir.NoRow && !s.asksForHigh(l.Sum) {
		return s.linkWords(l.Minus, l.Flag, x, y)
	}
	if x.kind == isImm && y.kind == isImm { // the assembler takes one constant
		x = r(s.inReg(t, x))
	}
	return s.do(forms[bit(l.Minus)][bit(l.Flag)][bit(l.Leaves)], t, x, y)
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (s *selector) term(x carry.Term, t ptype) operand {
	if x.Row == ir.NoRow {
		return imm(t, x.Bits)
	}
	return s.value(x.Row)
}

// flagOf makes the flag of a number that is 0 or 1.
func (s *selector) flagOf(l *carry.Link, in operand) {
	switch {
	case in.kind == isImm:
		in = s.do(opMov, tU32, u32(1))
	case l.Type == ir.U64:
		in = s.convert(opCvt, tU32, tU64, in)
	}
	if l.Minus {
		s.do(opSubCC, tU32, u32(0), in)
	} else {
		s.do(opAddCC, tU32, in, u32(0xFFFF_FFFF))
	}
}

// flagNumber makes a number of the flag.
func (s *selector) flagNumber(l *carry.Link) operand {
	n := s.do(forms[bit(l.Minus)][1][0], tU32, u32(0), u32(0))
	if l.Minus {
		n = s.do(opAnd, tB32, n, u32(1))
	}
	if l.Type == ir.U64 {
		return s.convert(opCvt, tU64, tU32, n)
	}
	return n
}

// unlinked writes a link without the flag: its carry in may be any number, or none is asked for.
func (s *selector) unlinked(l *carry.Link, t ptype, x, y, in operand) {
	op := forms[bit(l.Minus)][0][0]
	sum := x
	for _, v := range [...]operand{y, in} {
		if !v.isConst(0) {
			sum = s.do(op, t, sum, v)
		}
	}
	if l.Sum != ir.NoRow {
		s.set(l.Sum, sum)
	}
	if l.Carry != ir.NoRow {
		s.set(l.Carry, s.topCarry(l.Minus, l.Type, x, y, sum))
	}
}

// topCarry is the carry of a sum, or the borrow of a difference, by the top bits.
func (s *selector) topCarry(minus bool, typ ir.Type, x, y, sum operand) operand {
	t := untyped(typ)
	x, y, sum = x.as(t), y.as(t), sum.as(t)
	do := func(op opcode, src ...operand) operand { return s.do(op, t, src...) }
	var top operand
	if minus {
		top = do(opOr, do(opAnd, do(opNot, x), y), do(opAnd, do(opNot, do(opXor, x, y)), sum))
	} else {
		top = do(opOr, do(opAnd, x, y), do(opAnd, do(opOr, x, y), do(opNot, sum)))
	}
	return s.do(opShr, arith(typ), top, u32(uint32(typ.Bits()-1)))
}

// carryAlone is the rule of a carry where no chains were looked for.
func carryAlone(minus bool) rule {
	return func(s *selector, row ir.Row) {
		t := arith(s.typeOf(row))
		x, y := s.value(s.p.A(row)), s.value(s.p.B(row))
		op := forms[bit(minus)][0][0]
		s.set(row, s.topCarry(minus, s.typeOf(row), x, y, s.do(op, t, s.do(op, t, x, y), s.value(s.p.C(row)))))
	}
}
