package native

import (
	"math/bits"
	"slices"

	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// Whole vectors. Where lanes part only at bounds, which an index that rises by one a lane is compared with, nearly all vectors go
// through with all lanes together. So such a program is there twice. The first copy has no masks: at each bound it asks whether
// the first and the last lane are on the same side, and branches for all. Where they are not, it puts what lives into the
// vector's frame, and the vector goes on at the same place of the second copy, which has masks as any divergent program has.

// maxWholeRows bounds the programs that are there twice.
const maxWholeRows = 2000

// bound is a comparison of a consecutive index with what is the same in all lanes.
type bound struct {
	index, limit ir.Row
	orEqual      bool // what equals the limit is within
	within       bool // what the comparison is within
}

// parting is an op where a whole vector may have to go over to the copy with masks.
type parting struct {
	bound
	live    []ir.Row     // rows that the rest of the program reads, or that the comparison does
	left    [][]vreg     // by row of these: where the first copy leaves it
	arrives amd64.Label  // where the second copy takes it from there
	masked  amd64.Label  // where the second copy goes on
	vals    [][]vreg     // by row of live: the registers of the second copy
	cond    vreg         // there: of the comparison
	masks   []parentMask // there: of the ops around
}

// parentMask is a mask of the second copy, and whether all lanes are in it or none when a whole vector arrives.
type parentMask struct {
	mask vreg
	all  bool
}

// findPartings finds where whole vectors part; none if the program is not to be there twice.
func (s *selector) findPartings() []*parting {
	if !s.layout.alone && !waitsForGroup(s.p) || s.p.GroupSize()%lanes != 0 || len(s.divergent) == 0 || s.p.Rows() > maxWholeRows {
		return nil
	}
	out, some := make([]*parting, s.p.Rows()), false
	for r := range ir.Row(s.p.Rows()) {
		if s.p.Op(r) != ir.OpIf || !s.divergent[r] {
			continue
		}
		b, ok := s.bound(s.p.A(r))
		if !ok && s.value[s.p.A(r)] != uniform {
			return nil
		}
		if ok {
			out[r], some = &parting{bound: b, arrives: s.asm.NewLabel(), masked: s.asm.NewLabel()}, true
		}
	}
	if !some {
		return nil
	}
	last := s.lastReads()
	for at, p := range out {
		if p == nil {
			continue
		}
		r, cond := ir.Row(at), s.p.A(ir.Row(at))
		for v := range r {
			if reads := last[v] >= r && (v != cond || last[v] > r); reads || v == p.index || v == p.limit {
				p.live = append(p.live, v)
			}
		}
	}
	return out
}

// waitsForGroup reports whether vectors wait for each other only at barriers of the group that bring nothing: each goes on from
// there in the copy that it was in.
func waitsForGroup(p *ir.Program) bool {
	if p.Traits().Resident {
		return false
	}
	for r := range ir.Row(p.Rows()) {
		in := p.Op(r).Info()
		if meets(p, r) || in.Attr&ir.Barrier != 0 && (in.Level != ir.LevelGroup || p.Type(r) != ir.None) {
			return false
		}
	}
	return true
}

// partingAt is the parting at a row, nil if there is none.
func (s *selector) partingAt(r ir.Row) *parting {
	if s.partings == nil {
		return nil
	}
	return s.partings[r]
}

// bound says which bound a row asks for, false if none.
func (s *selector) bound(r ir.Row) (bound, bool) {
	op, x, y := s.p.Op(r), s.p.A(r), s.p.B(r)
	if op != ir.OpLt && op != ir.OpLe || s.p.Type(x) != ir.U32 {
		return bound{}, false
	}
	switch {
	case s.value[x] == consecutive && s.value[y] == uniform:
		return bound{x, y, op == ir.OpLe, true}, true
	case s.value[x] == uniform && s.value[y] == consecutive: // what is not within
		return bound{y, x, op == ir.OpLt, false}, true
	}
	return bound{}, false
}

// lastReads finds the last row that reads each row: the end of a loop that reads what stands before it.
func (s *selector) lastReads() []ir.Row {
	p := s.p
	last := make([]ir.Row, p.Rows())
	read := func(v, by ir.Row) {
		for op := s.parent(by); op != ir.NoRow && op > v; op = s.parent(op) {
			if p.Op(op) == ir.OpLoop {
				by = max(by, s.end(op))
			}
		}
		last[v] = max(last[v], by)
	}
	for r := ir.Row(p.Rows()) - 1; ; r-- {
		operands := [...]ir.Row{p.A(r), p.B(r), p.C(r)}
		for _, v := range operands {
			if v != ir.NoRow {
				read(v, r)
			}
		}
		for _, v := range p.List(r) {
			read(ir.Row(v), r)
		}
		if op := p.Op(r); op == ir.OpAdd || op == ir.OpCvt { // an access takes its index from before these
			last[p.A(r)] = max(last[p.A(r)], last[r])
		}
		if r == 0 {
			return last
		}
	}
}

// wholeProgram writes both copies.
func (s *selector) wholeProgram(masked func()) {
	divergent := s.shapes
	together := *s.shapes
	together.divergent = nil
	s.shapes = &together
	s.region(0, &flow{mask: noReg, end: s.halt})
	s.jump(s.halt)
	s.shapes = divergent

	first := s.ins
	s.ins, s.vals, s.joined, s.seldom = nil, make([][]vreg, s.p.Rows()), map[ir.Row]bool{}, true
	masked()
	second := s.ins
	s.ins = first
	for r, p := range s.partings {
		if p != nil && p.vals != nil {
			s.arrive(ir.Row(r), p)
		}
	}
	s.ins = append(s.ins, second...)
	s.seldom = false
}

// part writes an if that lanes of a whole vector may leave each other at.
func (s *selector) part(r ir.Row, p *parting, c *flow, o *structured) {
	arms := s.owned[r]
	if !p.within {
		arms = []uint32{arms[1], arms[0]}
	}
	inside := s.asm.NewLabel()
	index, limit := s.vals[p.index][0], s.vals[p.limit][0]
	mixed := s.asm.NewLabel()
	s.add(ins{form: formWithin, d: noReg, a: index, b: limit, c: noReg, label: inside, imm: p.below()})
	s.add(ins{form: formBeyond, d: noReg, a: index, b: limit, c: noReg, label: mixed, imm: p.below()})
	in, out := &flow{mask: noReg, end: c.end}, &flow{mask: noReg, end: c.end}
	s.region(arms[1], out)
	if !out.dead {
		s.jump(o.after)
	}
	s.bind(mixed)
	s.depart(p)
	s.bind(inside)
	known := len(s.inside)
	s.inside = append(s.inside, p.bound)
	s.region(arms[0], in)
	s.bind(o.after)
	if !out.dead { // else all that follows comes from inside
		s.inside = s.inside[:known]
	}
	c.dead = in.dead && out.dead
}

// asked reports whether the index of an access is within a bound that is the length of its object, in all lanes.
func (s *selector) asked(a *access) bool {
	if a.shape != consecutive || !a.inRow() || a.offset != 0 || a.fields || a.o.Count() != 1 {
		return false
	}
	for _, b := range s.inside {
		if b.index == a.from && !b.orEqual && s.lengthOf(b.limit, a) {
			return true
		}
	}
	return false
}

// lengthOf reports whether a row is how often what an access moves is in its object.
func (s *selector) lengthOf(r ir.Row, a *access) bool {
	n := bits.TrailingZeros(uint(a.vec))
	if a.vec != 1<<n {
		return false
	}
	if n > 0 {
		if by := s.p.B(r); s.p.Op(r) != ir.OpShr || s.p.Op(by) != ir.OpConst || s.p.Const(by) != uint64(n) {
			return false
		}
		r = s.p.A(r)
	}
	for n := 0; n < maxWalk && s.p.Op(r) == ir.OpCvt && s.p.Type(r).IsInt() && s.p.Type(r).Size() >= 4; n++ { // lengths have 31 bits
		r = s.p.A(r)
	}
	return s.p.Op(r) == ir.OpLen && s.p.X(r) == a.object
}

// below is the condition of what is within.
func (b bound) below() uint8 {
	if b.orEqual {
		return uint8(amd64.BE)
	}
	return uint8(amd64.B)
}

// depart leaves in the vector's frame what lives.
func (s *selector) depart(p *parting) {
	s.seldom = true
	p.left = make([][]vreg, len(p.live))
	for i, v := range p.live {
		p.left[i] = each(s.vals[v], func(_ int, from vreg) vreg {
			if s.vregs[from].home != homeless {
				return from
			}
			to := s.reg()
			s.vregs[to].slot, s.vregs[to].wide = true, s.vregs[from].wide
			s.move(to, from)
			return to
		})
	}
	s.jump(p.arrives)
	s.seldom = false
}

// rejoin notes where the copy with masks goes on with a vector that arrives at an if.
func (s *selector) rejoin(r ir.Row) {
	p := s.partingAt(r)
	if p == nil || !s.seldom {
		return
	}
	p.cond, p.masks = s.vals[s.p.A(r)][0], slices.Clone(s.masks)
	p.vals = make([][]vreg, len(p.live))
	for i, v := range p.live {
		p.vals[i] = s.vals[v]
		for _, d := range p.vals[i] {
			delete(s.halves, d) // a whole vector brings the mask alone
		}
	}
	for _, m := range p.masks {
		delete(s.halves, m.mask)
	}
	s.bind(p.masked)
}

// arrive takes over what a whole vector has left.
func (s *selector) arrive(r ir.Row, p *parting) {
	s.bind(p.arrives)
	for i, v := range p.live {
		for k, d := range p.vals[i] {
			if s.vregs[d].home == homeless {
				s.move(d, p.left[i][k])
			}
		}
		s.vals[v] = p.vals[i]
	}
	for _, m := range p.masks {
		if m.all {
			s.move(m.mask, s.ones())
		} else {
			s.clear(m.mask)
		}
	}
	cond := s.p.A(r)
	s.move(p.cond, s.rule(cond)(s, cond)[0])
	s.jump(p.masked)
}

// within jumps if the lanes of all vectors in step are within a bound: the last of them is, in 64 bits.
func (e *emitter) within(in *ins) {
	if e.inReg(in.a) {
		e.VLow(4, amd64.AX, e.reg(in.a, scratch0))
	} else {
		e.Load(4, amd64.AX, e.place(in.a).RM())
	}
	if e.inReg(in.b) {
		e.VLow(4, boundLimit, e.reg(in.b, scratch0))
	} else {
		e.Load(4, boundLimit, e.place(in.b).RM())
	}
	e.Lea(amd64.CX, amd64.At(amd64.AX, int32(lanes*e.f.layout.step-1)))
	e.Alu(amd64.CMP, 8, amd64.CX, boundLimit.RM())
	e.Jcc(amd64.Cond(in.imm), in.label)
	e.forgetAll()
}

// boundLimit has the limit of a bound between its two questions.
const boundLimit = amd64.R8

// beyond jumps unless none of those lanes is within the bound: the first is not, and no index wraps.
func (e *emitter) beyond(in *ins) {
	e.Alu(amd64.CMP, 4, amd64.AX, boundLimit.RM())
	e.Jcc(amd64.Cond(in.imm), in.label)
	e.ShiftImm(5, 8, amd64.CX, 32)
	e.Jcc(amd64.NE, in.label)
}
