package native

import (
	"slices"

	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// Control of one invocation. An arm that leaves the loop around it, on all ways through it, stands behind the loop: what goes round
// falls through, and registers go to what goes round.

// branchOut writes an if of which one arm leaves the loop around it; false if it is none.
func (s *selector) branchOut(r ir.Row, c *flow, o *structured) bool {
	loop := s.loopAround(r)
	if loop == ir.NoRow {
		return false
	}
	for k, id := range s.owned[r] {
		if !s.movesOut(id, loop) {
			continue
		}
		out := s.asm.NewLabel()
		switch {
		case o.from != nil:
			out = o.from.arms[k]
			s.bind(o.from.arms[1-k])
		case k == 0:
			s.jumpAs(s.p.A(r), true, out, maxWalk)
		default:
			s.jumpUnless(s.p.A(r), out)
		}
		row, around := s.current, s.open[loop]
		around.behind = append(around.behind, func() {
			s.current = row
			s.bind(out)
			s.region(id, &flow{mask: noReg, end: c.end})
		})
		s.learn(s.p.A(r), k == 1) // which holds for all that follows
		stays := &flow{mask: noReg, end: c.end}
		s.region(s.owned[r][1-k], stays)
		s.bind(o.after)
		c.dead = stays.dead
		return true
	}
	return false
}

// limitOf returns what a condition compares, without a sign: that one number is below another, or, of not, that it is not.
func (s *selector) limitOf(cond ir.Row) (below, limit ir.Row, not, ok bool) {
	p := s.p
	if t := typedOperand(p, cond); !s.layout.single() || !t.IsInt() || t.IsSigned() {
		return
	}
	switch below, limit = p.A(cond), p.B(cond); p.Op(cond) {
	case ir.OpLt:
	case ir.OpLe:
		below, limit, not = limit, below, true
	default:
		return
	}
	if x := p.A(below); p.Op(below) == ir.OpCvt && p.Type(x) == ir.U32 { // with zeros above
		below = x
	}
	return below, limit, not, true
}

// learn notes what a condition says, where it is so or where it is not: that an index is below something, if it does.
func (s *selector) learn(cond ir.Row, holds bool) {
	if below, limit, not, ok := s.limitOf(cond); ok && holds != not {
		s.inside = append(s.inside, bound{index: below, limit: limit, within: true})
	}
}

// known reports whether a condition is known to be so, or not to be.
func (s *selector) known(cond ir.Row) (holds, known bool) {
	below, limit, not, ok := s.limitOf(cond)
	return !not, ok && slices.Contains(s.inside, bound{index: below, limit: limit, within: true})
}

// within reports whether an access of one invocation is known to be inside.
func (a *access) within() bool {
	if a.s.p.Flags(a.r).InBounds() {
		return true
	}
	for i := range a.s.inside {
		if b := &a.s.inside[i]; b.index == a.from && a.o.Count() == 1 && a.o.MaxLen() <= shortObject && a.s.lengthOf(b.limit, a) {
			return true
		}
	}
	return false
}

// loopAround is the innermost loop around a row.
func (s *selector) loopAround(r ir.Row) ir.Row {
	op := s.parent(r)
	for op != ir.NoRow && s.p.Op(op) != ir.OpLoop {
		op = s.parent(op)
	}
	return op
}

// movesOut reports whether an arm stands behind the loop around it.
func (s *selector) movesOut(id uint32, loop ir.Row) bool {
	return !s.staying[id] && s.leavesLoop(id, loop)
}

// leavesLoop reports whether a region ends by leaving a loop that is around it.
func (s *selector) leavesLoop(id uint32, loop ir.Row) bool {
	last := s.p.Regions()[id].End - 1
	switch s.p.Op(last) {
	case ir.OpReturn:
		return true
	case ir.OpBreak, ir.OpContinue:
		to := s.target(last)
		if to == loop {
			return s.p.Op(last) == ir.OpBreak
		}
		for op := s.parent(loop); op != ir.NoRow; op = s.parent(op) {
			if op == to {
				return true
			}
		}
	}
	return false
}

// findStaying finds the regions in which an exit leads back into the innermost loop around them. Such a region is part of what
// goes round, even if it ends by leaving the loop: registers that live around the loop have to live in it.
func (s *selector) findStaying() map[uint32]bool {
	out := map[uint32]bool{}
	for r := range ir.Row(s.p.Rows()) {
		op := s.p.Op(r)
		if op != ir.OpBreak && op != ir.OpContinue {
			continue
		}
		to := s.target(r)
		if op == ir.OpBreak && (s.p.Op(to) == ir.OpLoop || s.loopAround(to) == ir.NoRow) {
			continue
		}
		first := s.p.Region(r)
		for around := s.parent(r); around != to; around = s.parent(around) {
			if s.p.Op(around) == ir.OpLoop { // the exit leaves it, and so do the regions in it
				first = s.p.Region(around)
			}
		}
		for id := first; s.p.Regions()[id].Op != to; id = s.p.Region(s.p.Regions()[id].Op) {
			out[id] = true
		}
	}
	return out
}

// aside writes an arm out of line that stands behind a guarded load of one invocation, and brings constants where there is nothing to
// load. What loads then needs no jump. It reports whether there is one behind the instruction under way, a jump.
func (e *emitter) aside() bool {
	ins, first := e.f.ins, e.at+1
	if !e.f.layout.single() || ins[e.at].form != formJump || e.at == 0 || ins[e.at-1].access == nil || ins[e.at-1].access.result == nil {
		return false
	}
	end := first
	for end < len(ins) && ins[end].form == formBind && ins[end].label != ins[e.at].label {
		end++
	}
	for end < len(ins) && ins[end].form == formMove && e.f.vregs[ins[end].d].general && e.f.vregs[ins[end].a].fixed {
		end++
	}
	if end == len(ins) || ins[end].form != formBind || ins[end].label != ins[e.at].label {
		return false
	}
	back := ins[e.at].label
	e.later(func() {
		for e.at = first; e.at < end; e.at++ {
			e.one(&ins[e.at])
		}
		e.Jmp(back)
	})
	e.at = end - 1
	return true
}

// writeBehind writes the arms that leave a loop.
func (s *selector) writeBehind(o *structured) {
	row := s.current
	for i := 0; i < len(o.behind); i++ { // which may have such arms in them
		o.behind[i]()
	}
	s.current = row
}

// jumpAs jumps if a bool is as when says. What is made of comparisons, of at most so many, is several jumps.
func (s *selector) jumpAs(cond ir.Row, when bool, l amd64.Label, most int) {
	op, bools := s.p.Op(cond), s.p.Type(cond) == ir.Bool && most > 0
	if c, ok := s.compares(cond); ok {
		if !when {
			c ^= 1
		}
		s.add(ins{form: formCompare, size: s.size(cond), imm: uint8(c), d: noReg, a: s.operand(cond, 0), b: s.operand(cond, 1), c: noReg, label: l})
		return
	}
	switch a, b, and, first, ok := s.both(cond); {
	case bools && op == ir.OpNot:
		s.jumpAs(s.p.A(cond), !when, l, most-1)
	case bools && ok && (s.jumps(a) || s.jumps(b)):
		if and != when {
			s.jumpAs(a, when == first, l, most/2)
			s.jumpAs(b, when, l, most/2)
			return
		}
		skip := s.asm.NewLabel()
		s.jumpAs(a, when != first, skip, most/2)
		s.jumpAs(b, when, l, most/2)
		s.bind(skip)
	default:
		s.jumpIf(amd64.E^amd64.Cond(bitOf(when)), s.vals[cond][0], l, amongOnce)
	}
}

// both returns the bools that one is made of: it is so if both are, or, without and, if either is. The first one counts as it is,
// or, without as, the other way round. A choice between a bool and a constant is one of these.
func (s *selector) both(cond ir.Row) (a, b ir.Row, and, as, ok bool) {
	p := s.p
	a, b = p.A(cond), p.B(cond)
	switch p.Op(cond) {
	case ir.OpAnd, ir.OpOr:
		return a, b, p.Op(cond) == ir.OpAnd, true, true
	case ir.OpSelect:
		c := p.C(cond)
		if p.Op(c) == ir.OpConst { // a ? b : false, and !a || b
			return a, b, p.Const(c) == 0, p.Const(c) == 0, true
		}
		if p.Op(b) == ir.OpConst { // !a && c, and a || c
			return a, c, p.Const(b) == 0, p.Const(b) != 0, true
		}
	}
	return a, b, false, false, false
}

// jumps reports whether a bool need not be made to jump by it.
func (s *selector) jumps(cond ir.Row) bool {
	_, ok := s.compares(cond)
	return ok
}
