package native

import (
	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// Votes: ballot, any, all, match.

// vote writes what all lanes of a warp learn of a predicate.
func (s *selector) vote(r ir.Row) {
	op := s.p.Op(r)
	m := s.meet(r, s.vals[s.p.A(r)])
	none := uint64(0)
	if op == ir.OpAll {
		none = 1
	}
	var votes [warpVectors]vreg
	for k := range votes {
		votes[k] = m.filled(k, 0, ir.Bool, none)[0]
	}
	var out vreg
	switch op {
	case ir.OpBallot:
		out = s.ballot(votes)
	case ir.OpAny:
		out = s.anyLane(s.together(amd64.VPOR, votes))
	default:
		out = s.not(s.anyLane(s.not(s.together(amd64.VPAND, votes))))
	}
	m.part([][]vreg{{out}})
}

func (s *selector) together(op amd64.Op, v [warpVectors]vreg) vreg {
	return s.v3swap(op, s.v3swap(op, v[0], v[1]), s.v3swap(op, v[2], v[3]))
}

// ballot has a bit for each lane of a warp whose mask is set, in all lanes.
func (s *selector) ballot(votes [warpVectors]vreg) vreg {
	return s.word(votes[:], func(e *emitter) { e.joinMasks(func(k int) amd64.Y { return e.reg(votes[k], scratch0) }) })
}

// anyLane is all lanes if one is set, else none.
func (s *selector) anyLane(v vreg) vreg {
	return s.word([]vreg{v}, func(e *emitter) {
		e.VMask(amd64.AX, e.reg(v, scratch0))
		e.AluImm(amd64.CMP, 4, amd64.AX.RM(), 0)
		e.SetNE(amd64.AX)
		e.Neg(4, amd64.AX)
	})
}

// word is a word, which write leaves in AX, in all lanes.
func (s *selector) word(uses []vreg, write func(e *emitter)) vreg {
	d := s.reg()
	s.macro(amongNone, uses, []vreg{d}, func(e *emitter) {
		write(e)
		y := e.dst(d)
		e.VSetLow(4, y, amd64.AX)
		e.V2(amd64.VPBROADCASTD, y, y.RM())
		e.put(d, y)
	})
	return d
}

// joinMasks leaves in AX a bit for each lane of a warp; CX is lost.
func (e *emitter) joinMasks(of func(k int) amd64.Y) {
	e.VMask(amd64.AX, of(warpVectors-1))
	for k := warpVectors - 2; k >= 0; k-- {
		e.ShiftImm(4, 4, amd64.AX, lanes)
		e.VMask(amd64.CX, of(k))
		e.Alu(amd64.OR, 4, amd64.AX, amd64.CX.RM())
	}
}

// match writes which lanes have the same bits. It takes the first lane that has no answer, and gives that to all which
// have what it has: a round for each value that occurs.
func (s *selector) match(r ir.Row) {
	t := s.p.Type(s.p.A(r))
	m := s.meet(r, s.vals[s.p.A(r)])
	short := s.p.GroupSize()%(lanes*warpVectors) != 0
	var exist [warpVectors]vreg
	var uses []vreg
	if short {
		for k := range exist {
			exist[k] = s.existing(k)
		}
		uses = exist[:]
	}
	const left, all, lane, frame = amd64.R9, amd64.R10, amd64.R8, amd64.DX
	m.partWith(uses, func(e *emitter) {
		if short {
			e.joinMasks(func(k int) amd64.Y { return e.reg(exist[k], scratch0) })
		} else {
			e.Imm32(amd64.AX, 1<<32-1)
		}
		e.Load(4, all, amd64.AX.RM())
		e.Load(4, left, amd64.AX.RM())
		again := e.NewLabel()
		e.Bind(again)
		e.LowestBit(lane, left.RM())
		e.Load(4, frame, lane.RM())
		e.ShiftImm(5, 4, frame, laneBits)
		e.MulImm(8, frame, frame.RM(), m.stride())
		e.Alu(amd64.ADD, 8, frame, vectorFrame.RM())
		e.AluImm(amd64.AND, 4, lane.RM(), lanes-1)
		broadcast := []amd64.Op{amd64.VPBROADCASTD, amd64.VPBROADCASTQ}[parts(t)-1]
		e.V2(broadcast, scratch0, amd64.Mem{Base: frame, Index: lane, Scale: uint8(t.Size()), Disp: vectorArgs}.RM())
		e.joinMasks(func(k int) amd64.Y { return m.same(e, k, t) })
		if short {
			e.Alu(amd64.AND, 4, amd64.AX, all.RM())
		}
		e.VSetLow(4, scratch2, amd64.AX)
		e.V2(amd64.VPBROADCASTD, scratch2, scratch2.RM())
		for k := range warpVectors {
			e.VMaskStore(4, m.result(k, 0), m.same(e, k, t), scratch2)
		}
		e.AluImm(amd64.XOR, 4, amd64.AX.RM(), -1)
		e.Alu(amd64.AND, 4, left, amd64.AX.RM())
		e.Jcc(amd64.NE, again)
	})
}

// same is the mask of the lanes of the k-th vector that have what scratch0 has in all lanes. It is in scratch1.
func (m *meeting) same(e *emitter, k int, t ir.Type) amd64.Y {
	if parts(t) == 1 {
		e.V3(amd64.VPCMPEQD, scratch1, scratch0, m.operand(k, 0, 0).RM())
		return scratch1
	}
	for part := range amd64.Y(2) { // nothing else has these while vectors meet
		e.V3(amd64.VPCMPEQQ, part, scratch0, m.operand(k, 0, int(part)).RM())
	}
	e.V3Imm(amd64.VSHUFPS, scratch1, 0, amd64.Y(1).RM(), 0x88)
	e.V2Imm(amd64.VPERMQ, scratch1, scratch1.RM(), 0xD8)
	return scratch1
}
