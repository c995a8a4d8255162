package ptx

import (
	"slices"

	"github.com/govyre/vyre/ir"
)

// firstBarrier waits for as many of the first groups as row says. wait is what they do; the others skip it. All threads
// of a group skip it or none does.
func (s *selector) firstBarrier(row ir.Row, wait func(m *meeting)) {
	k := s.p.X(row)
	if k == 0 {
		return
	}
	done := s.newLabel()
	among := s.compare(cmpLT, tU32, s.groupPlace(), u32(k))
	s.add(inst{op: opBra, dst: label(done), guard: among.reg, sense: false, mod: mods{uni: true}})
	wait(s.first(k))
	s.label(done)
}

// first is where the first k groups meet.
func (s *selector) first(k uint32) *meeting {
	v := &s.votes
	if m := v.firsts[k]; m != nil {
		return m
	}
	m := &meeting{arrivals: uint64(FirstArrivals(slices.Index(s.p.FirstGroups(), k)))}
	all := s.total()
	s.atEntry(func() { m.groups = s.do(opMin, tU32, all, u32(k)).reg })
	if v.firsts == nil {
		v.firsts = make(map[uint32]*meeting)
	}
	v.firsts[k] = m
	return m
}

// groupPlace is the group's number in the grid, x fastest.
func (s *selector) groupPlace() operand {
	return s.onceOf(oncePlace, 0, func() operand {
		n := s.do(opMadLo, tU32, s.groupID(2), s.groups(1), s.groupID(1))
		return s.do(opMadLo, tU32, n, s.groups(0), s.groupID(0))
	})
}

// firstAdd gives the first groups the sum of what they bring, and the others 0.
func (s *selector) firstAdd(row ir.Row) {
	t := s.typeOf(row)
	v := s.value(s.p.A(row))
	sum := s.newReg(arith(t).class())
	s.doInto(sum, opMov, arith(t), imm(arith(t), 0))
	s.firstBarrier(row, func(m *meeting) {
		group := s.groupSum(t, v)
		votes := uint32(m.arrivals) + firstVotes
		all := s.vote(t, m, votes, votes+8, func() operand { return group })
		s.doInto(sum, opMov, arith(t), all)
	})
	s.set(row, r(sum))
}
