package native

import (
	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// exit writes a row that ends a region.
func (s *selector) exit(r ir.Row, c *flow) {
	switch op := s.p.Op(r); op {
	case ir.OpYield:
		s.yield(r, c)
	case ir.OpUnreachable:
		c.dead = true
	case ir.OpReturn:
		if s.divergent[ir.NoRow] && s.parent(r) != ir.NoRow {
			s.clear(c.mask)
		} else {
			s.jump(s.halt)
		}
		c.dead = true
	case ir.OpBreak, ir.OpContinue:
		to := s.target(r)
		if s.divergent[to] {
			s.leave(r, to, c)
		} else {
			s.leaveTogether(r, to)
		}
		c.dead = true
	}
}

func (s *selector) yield(r ir.Row, c *flow) {
	op := s.parent(r)
	if op == ir.NoRow {
		return
	}
	o := s.open[op]
	if s.divergent[op] && s.p.Region(r) == s.owned[op][1] { // the other arm has brought its values for all lanes
		s.merges(o.results, s.listed(r), c.mask)
		return
	}
	s.bringResults(r, o)
}

// leaveTogether writes a break or continue of all lanes.
func (s *selector) leaveTogether(r, to ir.Row) {
	o := s.open[to]
	if s.p.Op(r) == ir.OpBreak {
		if s.bringResults(r, o); o.to == nil {
			s.jump(o.after)
		}
		return
	}
	s.moves(o.args, s.listed(r))
	s.pollAnd(o.head)
}

// leave writes a break or continue of the active lanes, which wait at their target.
func (s *selector) leave(r, to ir.Row, c *flow) {
	o := s.open[to]
	switch {
	case s.p.Op(r) == ir.OpBreak:
		s.merges(o.results, s.listed(r), c.mask)
		if o.broke != noReg {
			s.move(o.broke, s.v3swap(amd64.VPOR, o.broke, c.mask))
		}
	case s.inPlace(to):
		s.moves(o.args, s.listed(r))
		return // the active lanes are those that go round again
	default:
		s.merges(o.next, s.listed(r), c.mask)
		s.move(o.again, s.v3swap(amd64.VPOR, o.again, c.mask))
	}
	s.clear(c.mask)
}

// fresh returns registers for a value of a type.
func (s *selector) fresh(t ir.Type) []vreg {
	if s.layout.single() && !s.borrowing {
		return s.freshSingle(t)
	}
	vs := make([]vreg, t.Lanes()*parts(t))
	for i := range vs {
		vs[i] = s.reg()
		s.vregs[vs[i]].wide = parts(t) == 2
	}
	return vs
}

// parts is how many registers a scalar of a type takes.
func parts(t ir.Type) int {
	if t.Elem().Size() == 8 {
		return 2
	}
	return 1
}

// listed returns the registers of the values in a row's list.
func (s *selector) listed(r ir.Row) []vreg {
	var vs []vreg
	for _, v := range s.p.List(r) {
		vs = append(vs, s.vals[v]...)
	}
	return vs
}

// moves copies all values at once: what is overwritten before it is read is saved.
func (s *selector) moves(to, from []vreg) {
	if s.layout.single() {
		to, from = once(to, from)
	}
	written := map[vreg]bool{}
	src := append([]vreg(nil), from...)
	for i := range to {
		if written[from[i]] && from[i] != to[i] {
			src[i] = s.reg()
			s.vregs[src[i]].general, s.vregs[src[i]].wide = s.vregs[to[i]].general, s.vregs[to[i]].wide
		}
		written[to[i]] = true
	}
	for i := range to {
		if src[i] != from[i] {
			s.move(src[i], from[i])
		}
	}
	for i := range to {
		s.move(to[i], src[i])
	}
}

// merges copies the active lanes of values into registers of which it reads none.
func (s *selector) merges(to, from []vreg, mask vreg) {
	var halves [2]vreg
	wide, part := false, 0
	for i, d := range to {
		if !s.vregs[d].wide {
			s.merge(d, mask, from[i])
			continue
		}
		if !wide {
			halves, wide = s.wideMask(mask), true
		}
		s.merge(d, halves[part], from[i])
		part ^= 1
	}
}
