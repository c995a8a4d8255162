package native

import (
	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// What the lanes of a warp do together. A warp is four vectors: each leaves its operands in its frame and stops, and the
// one that comes last computes what all four get. It does so in the place of the first one, which then goes on; the
// others follow it, as vectors always do. Go has no part in it.

// warpVectors is how many vectors a whole warp has.
const warpVectors = 32 / lanes

// meets reports whether the vectors of a warp have to meet at a row.
func meets(p *ir.Program, r ir.Row) bool {
	in := p.Op(r).Info()
	if in.Attr&ir.Convergent == 0 || in.Level != ir.LevelWarp || p.Op(r) == ir.OpElect {
		return false
	}
	n, constant := fixedLane(p, r)
	return !constant || n < 32 && (p.Op(r) != ir.OpShuffleXor || n >= lanes)
}

// warp writes a row of warp level.
func (s *selector) warp(r ir.Row) {
	switch op := s.p.Op(r); op {
	case ir.OpBarrierWarp:
		if s.layout.vectors > 1 {
			s.meet(r).part(nil)
		}
	case ir.OpElect:
		s.vals[r] = []vreg{s.v3swap(amd64.VPCMPEQD, s.fromTable(ir.OpLane, 0), s.constant(0))}
	case ir.OpShuffle, ir.OpShuffleXor, ir.OpShuffleUp, ir.OpShuffleDown:
		if !s.joined[r] {
			s.shuffle(r)
		}
	case ir.OpBallot, ir.OpAny, ir.OpAll:
		s.vote(r)
	case ir.OpMatch:
		s.match(r)
	default:
		s.combine(r)
	}
}

// meeting is where the vectors of a warp meet. From where they do to where they part, code runs in the frame of the first
// one, and no machine register has anything.
type meeting struct {
	s      *selector
	r      ir.Row
	resume amd64.Label
	args   int32 // where each vector's frame has its operands
}

// meet writes where each vector leaves its operands, and stops unless it is the last.
func (s *selector) meet(r ir.Row, operands ...[]vreg) *meeting {
	return s.meetAt(r, vectorArgs, operands...)
}

// meetAt is meet with operands in another place of the vector's frame.
func (s *selector) meetAt(r ir.Row, args int32, operands ...[]vreg) *meeting {
	m := &meeting{s: s, r: r, resume: s.asm.NewLabel(), args: args}
	var uses []vreg
	for _, o := range operands {
		uses = append(uses, o...)
	}
	s.macro(amongNone, uses, nil, func(e *emitter) {
		for i, o := range operands {
			for k, v := range o {
				e.VStore(m.operand(0, i, k), e.reg(v, scratch0))
			}
		}
		e.save(atWarp, r, m.resume)
		const first, number, left = amd64.DX, amd64.AX, amd64.CX
		e.Load(8, number, vectorNumber.RM())
		e.AluImm(amd64.AND, 4, number.RM(), 32*(warpVectors-1))
		e.MulImm(8, amd64.CX, number.RM(), m.stride()/32)
		e.Load(8, first, vectorFrame.RM())
		e.Alu(amd64.SUB, 8, first, amd64.CX.RM())
		e.AluImm(amd64.SUB, 4, amd64.At(first, vectorLeft).RM(), 1)
		e.Jcc(amd64.NE, e.next)
		e.Load(4, left, amd64.At(first, vectorTeam).RM())
		e.Store(4, amd64.At(first, vectorLeft), left)
		e.Load(8, vectorFrame, first.RM())
		e.Alu(amd64.SUB, 8, vectorNumber, number.RM())
	})
	s.stopping()
	return m
}

// part writes where the vectors go on, each with its part of the result; one part is for all of them.
func (m *meeting) part(results [][]vreg) {
	var uses []vreg
	for _, vs := range results {
		uses = append(uses, vs...)
	}
	m.partWith(uses, func(e *emitter) {
		for j, vs := range results {
			m.leave(e, vs, j, len(results), m.result)
		}
	})
}

// leave puts the j-th of n parts of a result into the frames of the vectors that it is for.
func (m *meeting) leave(e *emitter, vs []vreg, j, n int, to func(k, part int) amd64.Mem) {
	for i, v := range vs {
		y := e.reg(v, scratch0)
		for k := j; k < warpVectors; k += n {
			e.VStore(to(k, i), y)
		}
	}
}

// partWith is part, with code that leaves the result in the frames of the vectors.
func (m *meeting) partWith(uses []vreg, leave func(e *emitter)) {
	s := m.s
	var d []vreg
	if t := s.p.Type(m.r); t != ir.None {
		d = s.fresh(t)
		s.vals[m.r] = d
	}
	s.macro(amongNone, uses, d, func(e *emitter) {
		leave(e)
		m.goOn(e)
		for i, v := range d {
			m.take(e, v, m.result(0, i))
		}
	})
}

// goOn is where all vectors of the warp go on.
func (m *meeting) goOn(e *emitter) {
	for k := range warpVectors {
		e.StoreImm(4, m.at(k, vectorStatus), int32(running))
	}
	e.restore(m.resume)
}

// take brings what stands in the vector's frame into a register.
func (m *meeting) take(e *emitter, d vreg, from amd64.Mem) {
	y := e.dst(d)
	e.VLoad(y, from)
	e.put(d, y)
}

// stride is from the frame of a vector to that of the next.
func (m *meeting) stride() int32 { return m.s.layout.stride() }

// at is a place in the frame of the k-th vector of the warp.
func (m *meeting) at(k int, off int32) amd64.Mem {
	return amd64.At(vectorFrame, int32(k)*m.stride()+off)
}

// operand is register part of operand i of the k-th vector.
func (m *meeting) operand(k, i, part int) amd64.Mem {
	return m.at(k, m.args+64*int32(i)+32*int32(part))
}

func (m *meeting) result(k, part int) amd64.Mem { return m.at(k, vectorResult+32*int32(part)) }

// load brings operand i of the k-th vector into registers.
func (m *meeting) load(k, i int, t ir.Type) []vreg {
	s := m.s
	d := s.fresh(t)
	for part, v := range d {
		s.macro(amongNone, nil, []vreg{v}, func(e *emitter) { m.take(e, v, m.operand(k, i, part)) })
	}
	return d
}

// filled is load, with none in the lanes that do not exist.
func (m *meeting) filled(k, i int, t ir.Type, none uint64) []vreg {
	return m.s.fill(m.load(k, i, t), k, t, none)
}

// fill puts none where lanes of the k-th vector from here on do not exist.
func (s *selector) fill(v []vreg, k int, t ir.Type, none uint64) []vreg {
	if s.p.GroupSize()%(lanes*warpVectors) == 0 {
		return v
	}
	exist := s.existing(k)
	if parts(t) == 1 {
		return []vreg{s.blend(exist, v[0], s.literal(t, none))}
	}
	m := s.wideMask(exist)
	return []vreg{s.blend64(m[0], v[0], s.literal(t, none)), s.blend64(m[1], v[1], s.literal(t, none))}
}

// existing is the mask of the lanes that there are of the k-th vector from here on.
func (s *selector) existing(k int) vreg {
	all := s.fromTable(ir.OpConst, 0)
	if k == 0 {
		return all
	}
	d := s.reg()
	s.macro(amongNone, nil, []vreg{d}, func(e *emitter) {
		y, m := e.dst(d), e.place(all)
		m.Disp += 32 * int32(k)
		e.VLoad(y, m)
		e.put(d, y)
	})
	return d
}
