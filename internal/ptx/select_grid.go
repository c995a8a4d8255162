package ptx

import "github.com/govyre/vyre/ir"

// Offsets in a launch's barrier block.
const (
	blockArrivals = 0
	blockVotes    = 8  // two of 4 bytes
	blockCasts    = 16 // two of 8 bytes
	blockWide     = 32 // two of 8 bytes, for votes if there are sums of u64
	blockFirsts   = 64 // of first groups, firstBytes for each number of groups that there is: arrivals at 0, two votes
	firstVotes    = 8  // of 8 bytes
	firstBytes    = 32
)

// FirstArrivals is where the barrier block counts arrivals at barriers of the i-th number of p.FirstGroups.
func FirstArrivals(i int) int { return blockFirsts + firstBytes*i }

// gridBarrier waits for the grid. before runs in the group's leader before it arrives, after when all
// have arrived; each may be nil.
func (s *selector) gridBarrier(before, after func(block reg)) {
	s.sync()
	s.arrive(&s.votes.grid, before, after)
}

// total is the number of groups, modulo 2³².
func (s *selector) total() operand {
	return s.onceOf(onceTotal, 0, func() operand {
		n := s.groups(0)
		for axis := uint32(1); axis < 3; axis++ {
			n = s.do(opMulLo, tU32, n, s.groups(axis))
		}
		return n
	})
}

// arrive is a barrier without its first half, the group's own.
//
// Arrivals only grow, and every thread keeps the number at which the current barrier is complete itself: no
// reset, no limit on barriers, and nothing about the grid in the code. The difference is signed, so it
// holds when the count wraps.
func (s *selector) arrive(m *meeting, before, after func(block reg)) {
	block := s.hiddenPointer(s.hidden.grid)
	if m.groups == noReg {
		m.groups = s.total().reg
	}
	epoch := s.kept(&m.epoch, 0)
	s.doInto(epoch, opAdd, tU32, r(epoch), r(m.groups))
	done, open, wait := s.newLabel(), s.newLabel(), s.newLabel()
	s.add(inst{op: opBra, dst: label(done), guard: s.leads().reg, sense: false})
	if before != nil {
		before(block)
	}
	old := s.newReg(classR)
	s.add(inst{op: opAtom, t: tU32, mod: mods{order: acqRel, scope: scopeGPU, space: global, rmw: rmwAdd},
		dst: r(old), src: [4]operand{at(block, m.arrivals), u32(1)}})
	last := s.compare(cmpEQ, tU32, s.do(opAdd, tU32, r(old), u32(1)), r(epoch))
	s.add(inst{op: opBra, dst: label(open), guard: last.reg, sense: true})
	pause := s.do(opMov, tU32, u32(8))
	s.label(wait)
	now := s.newReg(classR)
	s.add(inst{op: opLd, t: tU32, mod: mods{order: acquire, scope: scopeGPU, space: global}, dst: r(now), src: [4]operand{at(block, m.arrivals)}})
	missing := s.compare(cmpLT, tS32, s.do(opSub, tS32, r(now), r(epoch)), imm(tS32, 0))
	s.pause(pause, missing.reg)
	s.doInto(pause.reg, opMin, tU32, s.do(opAdd, tU32, pause, pause), u32(64)) // ns
	s.add(inst{op: opBra, dst: label(wait), guard: missing.reg, sense: true})
	s.label(open)
	if after != nil {
		after(block)
	}
	s.label(done)
	s.sync()
}

// gridVote is vote among all groups.
func (s *selector) gridVote(t ir.Type, group func() operand) operand {
	cells := uint32(blockVotes)
	if s.cellType() == ir.U64 {
		cells = blockWide
	}
	return s.vote(t, &s.votes.grid, cells, cells+uint32(s.cellType().Size()), group)
}

// vote adds the group's vote in its leader, of type t, to one of two cells of the block, waits for those that meet and
// returns what all added. The vote is counted before the group's arrival, which releases it.
func (s *selector) vote(t ir.Type, m *meeting, cells, other uint32, group func() operand) operand {
	ct := s.cellType()
	votesAt := s.kept(&m.votesAt, cells)
	s.keptAs(arith(ct), &m.votes[0], 0)
	s.keptAs(arith(ct), &m.votes[1], 0)
	cast := s.castCell()
	var cell reg
	s.arrive(m, func(block reg) {
		offset := s.convert(opCvt, tU64, tU32, r(votesAt))
		cell = s.do(opAdd, tU64, r(block), offset).reg
		s.add(inst{op: opRed, t: arith(t), mod: mods{order: relaxed, scope: scopeGPU, space: global, rmw: rmwAdd},
			dst: at(cell, 0), src: [4]operand{group()}})
	}, func(reg) {
		now := s.newReg(arith(ct).class())
		s.add(inst{op: opLd, t: arith(ct), mod: mods{order: relaxed, scope: scopeGPU, space: global}, dst: r(now), src: [4]operand{at(cell, 0)}})
		sum := s.resize(t, ct, s.growth(r(now), votesAt, cells, &m.votes))
		s.add(inst{op: opSt, t: bitsOf(t), mod: mods{space: shared}, dst: at(cast, 0), src: [4]operand{sum}})
	})
	s.flip(votesAt, cells^other)
	return s.readCast(t, cast)
}

func (s *selector) gridAny(row ir.Row) {
	p := s.groupVote(false, s.value(s.p.A(row)))
	sum := s.gridVote(ir.U32, func() operand { return s.word(ir.Bool, p) })
	s.set(row, s.compare(cmpNE, tU32, sum, u32(0)))
}

func (s *selector) gridAll(row ir.Row) {
	p := s.groupVote(true, s.value(s.p.A(row)))
	sum := s.gridVote(ir.U32, func() operand { return s.word(ir.Bool, p) })
	s.set(row, s.compare(cmpEQ, tU32, sum, r(s.votes.grid.groups)))
}

func (s *selector) gridAdd(row ir.Row) {
	t := s.typeOf(row)
	sum := s.groupSum(t, s.value(s.p.A(row)))
	s.set(row, s.gridVote(t, func() operand { return sum }))
}

// gridBroadcast gives all the value of invocation 0 of group 0.
func (s *selector) gridBroadcast(row ir.Row) {
	t := s.typeOf(row)
	w := carrier(t)
	v := s.word(t, s.value(s.p.A(row)))
	s.sync()
	gridCast := s.kept(&s.votes.gridCast, blockCasts)
	cast := s.castCell()
	var cell reg
	s.arrive(&s.votes.grid, func(block reg) {
		cell = s.do(opAdd, tU64, r(block), s.convert(opCvt, tU64, tU32, r(gridCast))).reg
		ids := s.do(opOr, tB32, s.do(opOr, tB32, s.groupID(0), s.groupID(1)), s.groupID(2))
		s.guarded(inst{op: opSt, t: w, mod: mods{order: relaxed, scope: scopeGPU, space: global}, dst: at(cell, 0), src: [4]operand{v}},
			s.compare(cmpEQ, tU32, ids, u32(0)).reg)
	}, func(reg) {
		d := s.newReg(w.class())
		s.add(inst{op: opLd, t: w, mod: mods{order: relaxed, scope: scopeGPU, space: global}, dst: r(d), src: [4]operand{at(cell, 0)}})
		s.add(inst{op: opSt, t: w, mod: mods{space: shared}, dst: at(cast, 0), src: [4]operand{r(d)}})
	})
	s.flip(gridCast, blockCasts^(blockCasts+8))
	s.set(row, s.readCast(t, cast))
}
