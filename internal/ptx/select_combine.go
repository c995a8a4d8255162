package ptx

import (
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

// combination is the op that a reduction or scan puts between two lanes.
type combination struct {
	ints, floats opcode
	redux        opcode // opNone where the hardware does not reduce by it
	op           ir.Op
}

// combinations are in the order of the opcodes.
var combinations = [...]combination{
	{opAdd, opAddRN, opReduxAdd, ir.OpAdd},
	{opMulLo, opMulRN, opNone, ir.OpMul},
	{opMin, opMin, opReduxMin, ir.OpMin},
	{opMax, opMax, opReduxMax, ir.OpMax},
	{opAnd, opNone, opReduxAnd, ir.OpAnd},
	{opOr, opNone, opReduxOr, ir.OpOr},
	{opXor, opNone, opReduxXor, ir.OpXor},
}

// combineRules covers reductions and scans.
var combineRules = func() map[ir.Op]rule {
	rules := make(map[ir.Op]rule)
	for i, c := range combinations {
		rules[ir.OpReduceAdd+ir.Op(i)] = func(s *selector, r ir.Row) { s.reduce(r, c) }
		rules[ir.OpScanAdd+ir.Op(i)] = func(s *selector, r ir.Row) { s.scan(r, c, false) }
		rules[ir.OpScanExAdd+ir.Op(i)] = func(s *selector, r ir.Row) { s.scan(r, c, true) }
	}
	return rules
}()

// code returns the opcode and the type suffix for values of type t.
func (c combination) code(t ir.Type) (opcode, ptype) {
	switch {
	case t.IsFloat():
		return c.floats, arith(t)
	case c.op == ir.OpAnd || c.op == ir.OpOr || c.op == ir.OpXor:
		return c.ints, untyped(t)
	}
	return c.ints, arith(t)
}

// identity is what lanes that do not exist contribute: it changes nothing that it meets.
func (c combination) identity(t ir.Type) operand {
	pt := arith(t)
	switch c.op {
	case ir.OpAdd:
		if t.IsFloat() { // −0: adding +0 would change a sum of −0
			return imm(pt, 1<<(t.Bits()-1))
		}
	case ir.OpMul:
		if t.IsFloat() {
			return imm(pt, exact.Eval(ir.OpCvt, ir.U32, t, 0, 1, 0, 0))
		}
		return imm(pt, 1)
	case ir.OpMin, ir.OpMax:
		switch {
		case t.IsFloat():
			return nan(t)
		case c.op == ir.OpMin:
			return imm(pt, greatest(t))
		}
		return imm(pt, least(t))
	case ir.OpAnd:
		return imm(pt, t.Mask())
	}
	return imm(pt, 0)
}

// warpSum is the sum of a u32 over the warp, in every lane.
func (s *selector) warpSum(t ir.Type, v operand) operand { return s.reduced(t, combinations[0], v) }

func (s *selector) reduce(row ir.Row, c combination) {
	t, v := s.typeOf(row), s.value(s.p.A(row))
	if t != ir.Bool {
		s.set(row, s.reduced(t, c, v))
		return
	}
	switch c.op {
	case ir.OpAnd:
		s.set(row, s.warpVote(opVoteAll, v))
	case ir.OpOr:
		s.set(row, s.warpVote(opVoteAny, v))
	default:
		s.set(row, s.odd(s.ballot(v)))
	}
}

// odd reports whether an odd number of bits is set.
func (s *selector) odd(m operand) operand {
	n := s.do(opAnd, tB32, s.do(opPopc, tB32, m), u32(1))
	return s.compare(cmpNE, tU32, n, u32(0))
}

// reduced combines v over the warp, by halves: lane l with lane l^16, then l^8 and so on. The order is
// part of the meaning for floats.
//
// In a short warp the partner may not exist, and neither may what the partner would hold by now. Lane 0 only
// ever needs lanes that do, so there it is right, with identities in place of lanes beyond the last;
// the others get it from lane 0.
func (s *selector) reduced(t ir.Type, c combination, v operand) operand {
	op, pt := c.code(t)
	v = r(s.inReg(pt, v))
	if c.redux != opNone && t.Size() == 4 && t.IsInt() && s.t.SM >= 80 {
		if op == opAdd { // sums wrap alike
			pt = tU32
		}
		v = s.do(c.redux, pt, v, s.members())
		if s.t.SM >= 90 {
			// Where it is the upper half of a pair, ptxas 11.8 and 12.4 may move it to the lower one. It moves no other.
			v = s.unknown(v)
		}
		return v
	}
	n := s.lanes()
	if n.isConst(32) {
		for d := uint32(16); d > 0; d /= 2 {
			w, _ := s.shfl(opShflXor, v, u32(d), u32(31))
			v = s.do(op, pt, v, w)
		}
		return v
	}
	last := s.lastLane()
	for d := uint32(16); d > 0; d /= 2 {
		if n.kind == isImm && d >= uint32(n.bits) {
			continue // all partners are identities
		}
		w, ok := s.shfl(opShflDown, v, u32(d), last)
		w = s.do(opSelp, pt, w, c.identity(t).as(pt), r(ok))
		v = s.do(op, pt, v, w)
	}
	return s.fromLane(v, u32(0))
}

// scan combines each lane with those below it, by doubling. exclusive leaves the lane itself out.
func (s *selector) scan(row ir.Row, c combination, exclusive bool) {
	t, v := s.typeOf(row), s.value(s.p.A(row))
	if t == ir.Bool {
		s.set(row, s.scanBool(c, v, exclusive))
		return
	}
	op, pt := c.code(t)
	acc := s.do(opMov, moveType(makeReg(pt.class(), 0)), v)
	for d := uint32(1); d < 32 && d < uint32(s.p.GroupSize()); d *= 2 {
		w, ok := s.shfl(opShflUp, acc, u32(d), u32(0))
		s.guarded(inst{op: op, t: pt, dst: acc, src: [4]operand{w, acc}}, ok)
	}
	if !exclusive {
		s.set(row, acc)
		return
	}
	none := c.identity(t)
	if c.op == ir.OpAdd {
		none.bits = 0 // +0 of floats too
	}
	w, ok := s.shfl(opShflUp, acc, u32(1), u32(0))
	s.set(row, s.do(opSelp, pt, w, none.as(pt), r(ok)))
}

// scanBool scans bools in the mask of their ballot, cut to the lanes that count.
func (s *selector) scanBool(c combination, v operand, exclusive bool) operand {
	which := lanesUpTo
	if exclusive {
		which = lanesBelow
	}
	below := s.do(opMov, tU32, spec(which))
	m := s.ballot(v)
	switch c.op {
	case ir.OpOr:
		return s.compare(cmpNE, tU32, s.do(opAnd, tB32, m, below), u32(0))
	case ir.OpXor:
		return s.odd(s.do(opAnd, tB32, m, below))
	}
	return s.compare(cmpEQ, tU32, s.do(opAnd, tB32, s.do(opNot, tB32, m), below), u32(0))
}
