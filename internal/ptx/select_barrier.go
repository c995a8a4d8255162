package ptx

import "github.com/govyre/vyre/ir"

// barrierRules covers barriers, their voting forms, fences, pauses and
// what asks for a cooperative launch.
var barrierRules = map[ir.Op]rule{
	ir.OpBarrierWarp: func(s *selector, r ir.Row) {
		s.add(inst{op: opBarWarp, src: [4]operand{s.members()}})
	},
	ir.OpBarrierWG:        func(s *selector, r ir.Row) { s.sync() },
	ir.OpBarrierAnyWG:     func(s *selector, r ir.Row) { s.set(r, s.groupVote(false, s.value(s.p.A(r)))) },
	ir.OpBarrierAllWG:     func(s *selector, r ir.Row) { s.set(r, s.groupVote(true, s.value(s.p.A(r)))) },
	ir.OpBarrierAddWG:     (*selector).groupAdd,
	ir.OpBarrierBcastWG:   (*selector).groupBroadcast,
	ir.OpBarrierGrid:      func(s *selector, r ir.Row) { s.gridBarrier(nil, nil) },
	ir.OpBarrierAnyGrid:   (*selector).gridAny,
	ir.OpBarrierAllGrid:   (*selector).gridAll,
	ir.OpBarrierAddGrid:   (*selector).gridAdd,
	ir.OpBarrierBcastGrid: (*selector).gridBroadcast,
	ir.OpBarrierFirst:     func(s *selector, r ir.Row) { s.firstBarrier(r, func(m *meeting) { s.sync(); s.arrive(m, nil, nil) }) },
	ir.OpBarrierAddFirst:  (*selector).firstAdd,
	ir.OpFence: func(s *selector, r ir.Row) {
		f := s.p.Flags(r)
		s.add(inst{op: opFence, mod: mods{order: orders[f.Order()], scope: scopes[f.Scope()]}})
	},
	ir.OpResident: func(*selector, ir.Row) {}, // the launch knows
	ir.OpPause:    func(s *selector, r ir.Row) { s.pause(s.value(s.p.A(r)), noReg) },
}

// pause lets the warp sleep for about ns nanoseconds, where the predicate p holds.
func (s *selector) pause(ns operand, p reg) {
	s.need(6, 3)
	s.guarded(inst{op: opNanosleep, t: tU32, src: [4]operand{ns}}, p)
}

// votes is what voting barriers keep in registers, the same in every thread that reads it. Cells are
// used alternately: a cell is written again only after a barrier to which everyone comes after
// reading it.
type votes struct {
	cells  ir.Type // of what sums are kept in: u64 if the program has a sum of that, else u32
	sumAt  reg     // byte offset among the hidden cells of the next group sum: 0 or 8
	sums   [2]reg  // what those cells held when they were last read
	castAt reg     // byte offset of the next broadcast: 16 or 24

	grid      meeting
	firsts    map[uint32]*meeting // of so many first groups
	gridCast  reg                 // byte offset in the block of the next grid broadcast: 16 or 24
	cellsAddr reg
}

// meeting is where groups meet in the barrier block.
type meeting struct {
	arrivals uint64 // their offset
	epoch    reg    // arrivals at which the current barrier is complete
	groups   reg    // how many meet, modulo 2³²
	votesAt  reg    // byte offset of the next vote
	votes    [2]reg // what those cells held when they were last read; the leader's only
}

// kept returns the register *x, which is set to v at the entry when it is first asked for.
func (s *selector) kept(x *reg, v uint32) reg { return s.keptAs(tU32, x, v) }

func (s *selector) keptAs(t ptype, x *reg, v uint32) reg {
	if *x == noReg {
		*x = s.newReg(t.class())
		s.atEntry(func() { s.doInto(*x, opMov, t, imm(t, uint64(v))) })
	}
	return *x
}

// cellType returns the type of what sums are kept in.
func (s *selector) cellType() ir.Type {
	v := &s.votes
	if v.cells == ir.None {
		v.cells = ir.U32
		for r := range ir.Row(s.p.Rows()) {
			if op := s.p.Op(r); (op == ir.OpBarrierAddWG || op == ir.OpBarrierAddGrid || op == ir.OpBarrierAddFirst) && s.typeOf(r) == ir.U64 {
				v.cells = ir.U64
				break
			}
		}
	}
	return v.cells
}

// sync waits for the group.
func (s *selector) sync() { s.add(inst{op: opBarSync, src: [4]operand{u32(0)}}) }

// groupVote waits for the group and returns whether the bool is true in some invocation, or in all. A vote on a constant,
// which the result is, waits only. The others count: ptxas (11.8 and 13.0) takes the bool that bar.red.or and bar.red.and
// give for a value that it may compute once more where it is used, and a second barrier then stands in a branch that not
// all threads take. A count it keeps in a register.
func (s *selector) groupVote(all bool, v operand) operand {
	if v.kind == isImm {
		s.sync()
		return v
	}
	kind, c := isReg, cmpNE
	if all { // none is false
		kind, c = isNot, cmpEQ
	}
	return s.compare(c, tU32, s.groupCount(operand{kind: kind, reg: s.pred(v)}), u32(0))
}

// groupCount waits for the group and returns in how many invocations a predicate, or its opposite, holds.
func (s *selector) groupCount(v operand) operand {
	count := s.newReg(classR)
	s.add(inst{op: opBarCount, t: tU32, dst: r(count), src: [4]operand{u32(0), v}})
	return r(count)
}

// groupAdd waits for the group and adds up a value of its invocations. Values that are 0 or 1 are counted: that needs neither
// memory nor a second barrier.
func (s *selector) groupAdd(row ir.Row) {
	t, v := s.typeOf(row), s.p.A(row)
	if !s.isBit(v, bitDepth) || s.value(v).kind == isImm {
		s.set(row, s.groupSum(t, s.value(v)))
		return
	}
	s.set(row, s.resize(t, ir.U32, s.groupCount(s.isSet(t, v))))
}

// isSet returns whether a value of type t, which is 0 or 1, is 1.
func (s *selector) isSet(t ir.Type, v ir.Row) operand {
	if c := s.p.A(v); s.p.Op(v) == ir.OpSelect && s.value(c).kind != isImm {
		switch yes, no := s.p.B(v), s.p.C(v); {
		case s.isConst(yes, 1) && s.isConst(no, 0):
			return operand{kind: isReg, reg: s.pred(s.value(c))}
		case s.isConst(yes, 0) && s.isConst(no, 1):
			return operand{kind: isNot, reg: s.pred(s.value(c))}
		}
	}
	return s.compare(cmpNE, arith(t), s.value(v), imm(arith(t), 0))
}

// bitDepth bounds how far isBit looks.
const bitDepth = 4

// isBit reports whether an integer is seen to be 0 or 1 by what makes it.
func (s *selector) isBit(v ir.Row, depth int) bool {
	p := s.p
	if depth == 0 {
		return false
	}
	bit := func(x ir.Row) bool { return s.isConst(x, 0) || s.isConst(x, 1) || s.isBit(x, depth-1) }
	switch a, b := p.A(v), p.B(v); p.Op(v) {
	case ir.OpSelect:
		return bit(b) && bit(p.C(v))
	case ir.OpAnd:
		return bit(a) || bit(b)
	case ir.OpOr, ir.OpXor:
		return bit(a) && bit(b)
	case ir.OpMin:
		t := p.Type(v)
		return !t.IsSigned() && (bit(a) || bit(b)) || bit(a) && bit(b)
	case ir.OpRem:
		return !p.Type(v).IsSigned() && s.isConst(b, 2)
	case ir.OpShr:
		t := p.Type(v)
		return !t.IsSigned() && s.isConst(b, uint64(t.Bits()-1))
	case ir.OpCvt:
		return p.Type(a) == ir.Bool || p.Type(a).IsInt() && bit(a)
	}
	return false
}

// cells returns the address of the hidden cells.
func (s *selector) cells() reg {
	v := &s.votes
	if v.cellsAddr != noReg {
		return v.cellsAddr
	}
	s.atEntry(func() {
		if s.extern {
			base := s.do(opMov, tU32, symbolic(s.symbol("%s", externShared)))
			v.cellsAddr = s.do(opAdd, tU32, base, u32(uint32(s.p.SharedBytes())-hiddenBytes)).reg
			return
		}
		sym := s.symbol("%s", hiddenCells)
		s.vars = append(s.vars, variable{shared, sym, hiddenBytes})
		v.cellsAddr = s.do(opMov, tU32, symbolic(sym)).reg
	})
	return v.cellsAddr
}

// at is a place in memory relative to a register.
func at(base reg, off uint64) operand { return operand{kind: isAddress, reg: base, bits: off} }

// flip changes x between two offsets that differ by the bits of by.
func (s *selector) flip(x reg, by uint32) { s.doInto(x, opXor, tB32, r(x), u32(by)) }

// single reports whether a group is one warp, so that its lanes need no cells to talk.
func (s *selector) single() bool { return s.p.GroupSize() <= 32 }

// groupSum waits for the group and returns the sum of v, of type t.
//
// Each warp adds its own to a cell. Cells only grow, so nothing has to clear them between two votes: the
// sum is the difference to what the cell held when it was read before, two votes ago. A sum of 32 bits in a cell of 64
// adds to the low half alone. A carry that is lost there is lost in the reading that the next difference is taken to, too.
func (s *selector) groupSum(t ir.Type, v operand) operand {
	if s.single() {
		sum := s.warpSum(t, v)
		s.sync()
		return sum
	}
	cell := s.addToCell(t, v)
	s.sync()
	return s.readCell(t, cell)
}

// addToCell adds the group's sum of v, of type t, to the next cell and returns its address.
func (s *selector) addToCell(t ir.Type, v operand) reg {
	vs := &s.votes
	cells := s.cells()
	if vs.sumAt == noReg {
		ct := arith(s.cellType())
		s.kept(&vs.sumAt, 0)
		s.keptAs(ct, &vs.sums[0], 0)
		s.keptAs(ct, &vs.sums[1], 0)
		leads := s.leads()
		s.atEntry(func() {
			for off := uint64(0); off < 16; off += 8 {
				s.guarded(inst{op: opSt, t: ct, mod: mods{space: shared}, dst: at(cells, off), src: [4]operand{imm(ct, 0)}}, leads.reg)
			}
			s.sync()
		})
	}
	sum := s.warpSum(t, v)
	cell := s.do(opAdd, tU32, r(cells), r(vs.sumAt))
	first := s.compare(cmpEQ, tU32, s.lane(), u32(0))
	add := inst{op: opRed, t: tU32, mod: mods{order: relaxed, scope: scopeCTA, space: shared, rmw: rmwAdd},
		dst: at(cell.reg, 0), src: [4]operand{sum}}
	if t == ir.U32 {
		s.guarded(add, first.reg)
		return cell.reg
	}
	// The hardware adds no 64 bits in shared memory. Each warp adds a low half, learns what carry that made, and adds
	// it with the high half: after all of them the carries are those of the sum.
	lo, hi := s.split(sum)
	old := s.newReg(classR)
	s.zero(old, first.reg)
	low := add
	low.op, low.dst, low.src = opAtom, r(old), [4]operand{at(cell.reg, 0), lo}
	s.guarded(low, first.reg)
	carries := s.compare(cmpLT, tU32, s.do(opAdd, tU32, r(old), lo), lo)
	add.dst, add.src[0] = at(cell.reg, 4), s.do(opAdd, tU32, s.do(opSelp, tU32, u32(1), u32(0), carries), hi)
	s.guarded(add, first.reg)
	return cell.reg
}

// readCell returns what was added to a cell since it was read before, as a value of type t, and turns to the other cell.
func (s *selector) readCell(t ir.Type, cell reg) operand {
	vs := &s.votes
	ct := arith(s.cellType())
	d := s.newReg(ct.class())
	s.add(inst{op: opLd, t: ct, mod: mods{space: shared}, dst: r(d), src: [4]operand{at(cell, 0)}})
	sum := s.growth(r(d), vs.sumAt, 0, &vs.sums)
	s.flip(vs.sumAt, 8)
	return s.resize(t, s.cellType(), sum)
}

// growth returns now less the previous reading of the cell that which names, which becomes now. zero
// is the value of which that means the first cell.
func (s *selector) growth(now operand, which reg, zero uint32, prev *[2]reg) operand {
	t := arith(s.cellType())
	first := s.compare(cmpEQ, tU32, r(which), u32(zero))
	diff := s.do(opSub, t, now, s.do(opSelp, t, r(prev[0]), r(prev[1]), first))
	s.doInto(prev[0], opSelp, t, now, r(prev[0]), first)
	s.doInto(prev[1], opSelp, t, r(prev[1]), now, first)
	return diff
}

// groupBroadcast waits for the group and gives all the value of its invocation 0.
func (s *selector) groupBroadcast(row ir.Row) {
	t := s.typeOf(row)
	v := s.word(t, s.value(s.p.A(row)))
	if s.single() {
		v = s.fromLane(v, u32(0))
		s.sync()
		s.set(row, s.unword(t, v))
		return
	}
	cell := s.castCell()
	s.guarded(inst{op: opSt, t: carrier(t), mod: mods{space: shared}, dst: at(cell, 0), src: [4]operand{v}}, s.leads().reg)
	s.sync()
	s.set(row, s.readCast(t, cell))
}

// carrier is the type suffix of the word in which a value of type t travels between invocations.
func carrier(t ir.Type) ptype {
	if t.Size() < 4 {
		return tB32
	}
	return bitsOf(t)
}

// castCell returns the address of the next broadcast's cell.
func (s *selector) castCell() reg {
	return s.do(opAdd, tU32, r(s.cells()), r(s.kept(&s.votes.castAt, 16))).reg
}

// readCast returns the value of type t that a cell holds, and turns to the other cell.
func (s *selector) readCast(t ir.Type, cell reg) operand {
	w := carrier(t)
	d := s.newReg(w.class())
	s.add(inst{op: opLd, t: w, mod: mods{space: shared}, dst: r(d), src: [4]operand{at(cell, 0)}})
	s.flip(s.votes.castAt, 8)
	return s.unword(t, r(d))
}
