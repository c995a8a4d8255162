package native

import (
	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// Decisions of one invocation. Where an if goes by a bool that the op in front of it results in, as of a function that reports
// whether it has found something, each exit of that op goes to the arm that its own bool chooses: by the comparison that it is, or
// without one if it is a constant. The bool is made only where others read it.

// decision is an if behind an op.
type decision struct {
	result int // of the op, which the if goes by
	arms   [2]amd64.Label
	next   int  // the arm that the code of the op falls into
	only   bool // the if alone reads that result
}

// decide looks for an if behind op r, in the same region, with only results between. So control reaches it only from the exits
// of r, and all values that its arms read exist already.
func (s *selector) decide(r ir.Row, o *structured) {
	first, at := s.results(r)
	if !s.layout.single() || first == at || int(at) >= s.p.Rows() || s.p.Op(at) != ir.OpIf || s.p.Region(at) != s.p.Region(r) {
		return
	}
	cond := s.p.A(at)
	if cond < first || cond >= at {
		return
	}
	d := &decision{result: int(cond - first), arms: [2]amd64.Label{s.asm.NewLabel(), s.asm.NewLabel()}, only: s.used[cond] == 1}
	if loop := s.loopAround(at); loop != ir.NoRow && s.movesOut(s.owned[at][0], loop) {
		d.next = 1
	}
	o.to, s.open[at] = d, &structured{from: d}
}

// bringResults writes what an exit brings to the end of an op. It goes on to an arm of the if that is behind, if there is one.
func (s *selector) bringResults(r ir.Row, o *structured) {
	d := o.to
	if d == nil {
		s.moves(o.results, s.listed(r))
		return
	}
	first, _ := s.results(s.exited(r))
	var to, from []vreg
	for i, v := range s.p.List(r) {
		if i != d.result || !d.only {
			to, from = append(to, s.vals[int(first)+i]...), append(from, s.vals[v]...)
		}
	}
	s.moves(to, from)
	cond := ir.Row(s.p.List(r)[d.result])
	if s.p.Op(cond) == ir.OpConst {
		s.jump(d.arms[1-s.p.Const(cond)&1])
		return
	}
	s.jumpAs(cond, d.next != 0, d.arms[1-d.next], maxWalk)
	s.jump(d.arms[d.next])
}

// exited is the op to whose end a yield or a break goes.
func (s *selector) exited(r ir.Row) ir.Row {
	if s.p.Op(r) == ir.OpYield {
		return s.parent(r)
	}
	return s.target(r)
}

// handedOn returns the registers that result v of op r is handed on to by the exit that ends the region around it, if that alone
// reads it: there it is written right away, which spares a copy for each op around, and waiting for it where it is in memory.
// An exit of the same op that is taken before, instead, writes all results, and nothing reads them until one is taken.
func (s *selector) handedOn(r, v ir.Row) []vreg {
	p := s.p
	last := p.Regions()[p.Region(r)].End - 1
	if op := p.Op(last); !s.layout.single() || s.used[v] != 1 || op != ir.OpYield && op != ir.OpBreak {
		return nil
	}
	to, list := s.exited(last), p.List(last)
	if to == ir.NoRow || len(list) > 2*maxWalk {
		return nil
	}
	first := s.end(to)
	for i, of := range list {
		if ir.Row(of) == v {
			return s.vals[int(first)+i]
		}
	}
	return nil
}
