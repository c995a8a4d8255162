package ptx

import "github.com/govyre/vyre/ir"

// subgroupRules covers ops among the lanes of a warp. All lanes that exist take part, so they wait for
// each other under the mask of those.
var subgroupRules = map[ir.Op]rule{
	ir.OpBallot: func(s *selector, r ir.Row) {
		v := s.value(s.p.A(r))
		if v.isConst(0) {
			s.set(r, u32(0))
			return
		}
		s.set(r, s.ballot(v))
	},
	ir.OpAny:   func(s *selector, r ir.Row) { s.anyOrAll(r, opVoteAny) },
	ir.OpAll:   func(s *selector, r ir.Row) { s.anyOrAll(r, opVoteAll) },
	ir.OpElect: func(s *selector, r ir.Row) { s.set(r, s.compare(cmpEQ, tU32, s.lane(), u32(0))) },
	ir.OpMatch: func(s *selector, r ir.Row) {
		t := s.typeOf(s.p.A(r))
		s.set(r, s.doInto(s.newReg(classR), opMatch, untyped(t), s.value(s.p.A(r)).as(untyped(t)), s.members()))
	},
	ir.OpShuffle:     (*selector).shuffle,
	ir.OpShuffleXor:  (*selector).shuffle,
	ir.OpShuffleUp:   (*selector).shuffle,
	ir.OpShuffleDown: (*selector).shuffle,
}

// anyOrAll asks all lanes, unless they say the same: ptxas 11.8 for sm_90 crashes over the ballot of a vote on a
// constant false.
func (s *selector) anyOrAll(row ir.Row, op opcode) {
	v := s.value(s.p.A(row))
	if v.kind != isImm {
		v = s.warpVote(op, v)
	}
	s.set(row, v)
}

// lanes returns how many lanes the invocation's warp has: fewer than 32 only in the last one of a group.
func (s *selector) lanes() operand {
	n := uint32(s.p.GroupSize())
	switch {
	case n <= 32:
		return u32(n)
	case n%32 == 0:
		return u32(32)
	}
	return s.onceOf(onceLanes, 0, func() operand {
		return s.do(opMin, tU32, s.do(opSub, tU32, u32(n), s.do(opShl, tB32, s.warp(), u32(5))), u32(32))
	})
}

// members is the mask of the lanes that exist.
func (s *selector) members() operand {
	n := s.lanes()
	if n.kind == isImm {
		return u32(uint32(uint64(1)<<n.bits - 1))
	}
	return s.onceOf(onceMembers, 0, func() operand { // a shift by 32 gives 0, less 1 all ones
		return s.do(opSub, tU32, s.do(opShl, tB32, u32(1), n), u32(1))
	})
}

func (s *selector) ballot(v operand) operand {
	return s.do(opBallot, tB32, r(s.pred(v)), s.members())
}

func (s *selector) warpVote(op opcode, v operand) operand {
	return s.do(op, tPred, r(s.pred(v)), s.members())
}

// shfl moves the word x, of 32 or 64 bits, between lanes. The predicate says whether the lane that c
// allows was in range.
func (s *selector) shfl(op opcode, x, by, c operand) (v operand, ok reg) {
	if x.kind == isImm {
		x = r(s.inReg(x.t, x))
	}
	one := func(x operand) operand {
		d := s.newReg(x.reg.class())
		ok = s.newReg(classP)
		s.add(inst{op: op, t: tB32, dst: pair(d, ok), src: [4]operand{x, by, c, s.members()}})
		return r(d)
	}
	switch x.reg.class() {
	case classR, classF:
		return one(x), ok
	}
	lo, hi := s.split(x)
	return s.joined(x.reg.class(), one(lo), one(hi)), ok
}

// fromLane is the word of a lane that exists.
func (s *selector) fromLane(x, lane operand) operand {
	v, _ := s.shfl(opShflIdx, x, lane, u32(31))
	return v
}

// shuffle reads another lane; one that does not exist gives zero. The hardware wraps lane numbers, so
// those that come from values are held against the number of lanes.
func (s *selector) shuffle(row ir.Row) {
	t := s.typeOf(row)
	x, by := s.word(t, s.value(s.p.A(row))), s.value(s.p.B(row))
	op := s.p.Op(row)
	zero := imm(carrier(t), 0)
	fixed := by.kind == isImm && by.bits < 32
	if fixed && (op == ir.OpShuffleUp || op == ir.OpShuffleDown) {
		code, c := opShflUp, u32(0)
		if op == ir.OpShuffleDown {
			code, c = opShflDown, s.lastLane()
		}
		v, ok := s.shfl(code, x, by, c)
		s.set(row, s.unword(t, s.do(opSelp, carrier(t), v, zero, r(ok))))
		return
	}
	if fixed && s.lanes().isConst(32) && op == ir.OpShuffleXor {
		v, _ := s.shfl(opShflXor, x, by, u32(31))
		s.set(row, s.unword(t, v))
		return
	}
	from := by
	switch op {
	case ir.OpShuffleXor:
		from = s.do(opXor, tB32, s.lane(), by)
	case ir.OpShuffleUp:
		// A distance near 2³² might wrap round to a lane above.
		from = s.do(opSub, tU32, s.lane(), s.do(opMin, tU32, by, u32(32)))
	case ir.OpShuffleDown:
		// A distance beyond the warp might wrap round to a lane.
		from = s.do(opAdd, tU32, s.lane(), s.do(opMin, tU32, by, u32(32)))
	}
	v, _ := s.shfl(opShflIdx, x, from, u32(31))
	if s.lanes().kind == isImm && from.kind == isImm && from.bits < s.lanes().bits {
		s.set(row, s.unword(t, v))
		return
	}
	exists := s.compare(cmpLT, tU32, from, s.lanes())
	s.set(row, s.unword(t, s.do(opSelp, carrier(t), v, zero, exists)))
}

// lastLane is the number of the last lane that exists.
func (s *selector) lastLane() operand {
	n := s.lanes()
	if n.kind == isImm {
		return u32(uint32(n.bits) - 1)
	}
	return s.do(opSub, tU32, n, u32(1))
}
