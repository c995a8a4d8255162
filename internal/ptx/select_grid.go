package ptx

import "github.com/govyre/vyre/ir"

// Offsets in a launch's barrier block.
const (
	blockArrivals = 0
	blockVotes    = 8  // two of 4 bytes
	blockCasts    = 16 // two of 8 bytes
	blockWide     = 32 // two of 8 bytes, for votes if there are sums of u64
)

// gridBarrier waits for the grid. before runs in the group's leader before it arrives, after when all
// have arrived; each may be nil.
//
// Arrivals only grow, and every thread keeps the number at which the current barrier is complete itself: no
// reset, no limit on barriers, and nothing about the grid in the code. The difference is signed, so it
// holds when the count wraps.
func (s *selector) gridBarrier(before, after func(block reg)) {
	s.sync()
	s.arrive(before, after)
}

// arrive is the barrier without its first half, the group's own.
func (s *selector) arrive(before, after func(block reg)) {
	v := &s.votes
	block := s.hiddenPointer(s.hidden.grid)
	if v.groups == noReg {
		n := s.groups(0)
		s.atEntry(func() {
			for axis := uint32(1); axis < 3; axis++ {
				n = s.do(opMulLo, tU32, n, s.groups(axis))
			}
		})
		v.groups = n.reg
	}
	epoch := s.kept(&v.epoch, 0)
	s.doInto(epoch, opAdd, tU32, r(epoch), r(v.groups))
	done, open, wait := s.newLabel(), s.newLabel(), s.newLabel()
	s.add(inst{op: opBra, dst: label(done), guard: s.leads().reg, sense: false})
	if before != nil {
		before(block)
	}
	old := s.newReg(classR)
	s.add(inst{op: opAtom, t: tU32, mod: mods{order: acqRel, scope: scopeGPU, space: global, rmw: rmwAdd},
		dst: r(old), src: [4]operand{at(block, blockArrivals), u32(1)}})
	last := s.compare(cmpEQ, tU32, s.do(opAdd, tU32, r(old), u32(1)), r(epoch))
	s.add(inst{op: opBra, dst: label(open), guard: last.reg, sense: true})
	pause := s.do(opMov, tU32, u32(8))
	s.label(wait)
	now := s.newReg(classR)
	s.add(inst{op: opLd, t: tU32, mod: mods{order: acquire, scope: scopeGPU, space: global}, dst: r(now), src: [4]operand{at(block, blockArrivals)}})
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

// vote adds the group's vote in its leader, of type t, to a cell of the block, waits for the grid and returns what
// all added. The vote is counted before the group's arrival, which releases it.
func (s *selector) vote(t ir.Type, group func() operand) operand {
	v := &s.votes
	ct, cells := s.cellType(), uint32(blockVotes)
	if ct == ir.U64 {
		cells = blockWide
	}
	gridAt := s.kept(&v.gridAt, cells)
	s.keptAs(arith(ct), &v.grid[0], 0)
	s.keptAs(arith(ct), &v.grid[1], 0)
	cast := s.castCell()
	var cell reg
	s.arrive(func(block reg) {
		offset := s.convert(opCvt, tU64, tU32, r(gridAt))
		cell = s.do(opAdd, tU64, r(block), offset).reg
		s.add(inst{op: opRed, t: arith(t), mod: mods{order: relaxed, scope: scopeGPU, space: global, rmw: rmwAdd},
			dst: at(cell, 0), src: [4]operand{group()}})
	}, func(reg) {
		now := s.newReg(arith(ct).class())
		s.add(inst{op: opLd, t: arith(ct), mod: mods{order: relaxed, scope: scopeGPU, space: global}, dst: r(now), src: [4]operand{at(cell, 0)}})
		sum := s.resize(t, ct, s.growth(r(now), gridAt, cells, &v.grid))
		s.add(inst{op: opSt, t: bitsOf(t), mod: mods{space: shared}, dst: at(cast, 0), src: [4]operand{sum}})
	})
	s.flip(gridAt, cells^(cells+uint32(ct.Size())))
	return s.readCast(t, cast)
}

func (s *selector) gridAny(row ir.Row) {
	p := s.groupVote(false, s.value(s.p.A(row)))
	sum := s.vote(ir.U32, func() operand { return s.word(ir.Bool, p) })
	s.set(row, s.compare(cmpNE, tU32, sum, u32(0)))
}

func (s *selector) gridAll(row ir.Row) {
	p := s.groupVote(true, s.value(s.p.A(row)))
	sum := s.vote(ir.U32, func() operand { return s.word(ir.Bool, p) })
	s.set(row, s.compare(cmpEQ, tU32, sum, r(s.votes.groups)))
}

func (s *selector) gridAdd(row ir.Row) {
	t := s.typeOf(row)
	sum := s.groupSum(t, s.value(s.p.A(row)))
	s.set(row, s.vote(t, func() operand { return sum }))
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
	s.arrive(func(block reg) {
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
