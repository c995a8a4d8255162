package carry

import (
	"slices"

	"github.com/govyre/vyre/ir"
)

// Schedule writes chains for a target with one carry flag. The links of a chain that are at hand are written one after the other,
// and nothing else in between; so any number of chains may be under way in the program. A chain is written with its last link,
// before a row that asks for a value of it, and at the end of its basic block.
//
// It is sound: a link is written after all that it adds, since that stands in front of its first row, or is of a chain that was
// opened before, which is written before; and before all that asks for it, since that is told to Take, or comes after Close.
type Schedule struct {
	*Chains
	p     *ir.Program
	write func(Step) bool
	links []state
	open  []*chain // the first opened first
}

// Step is a link that is to be written.
type Step struct {
	*Link
	Flag   bool // In is the flag
	Leaves bool // its carry is used
	Next   bool // the next link that is written takes it, from the flag
	Number bool // something else asks for it as a number
}

type state struct {
	in   *chain
	done bool
}

// chain has links that follow each other and are not yet written.
type chain struct{ links []int32 }

// Schedule returns one that has write write links, which reports whether the carry is in the flag then.
func (c *Chains) Schedule(p *ir.Program, write func(Step) bool) *Schedule {
	return &Schedule{Chains: c, p: p, write: write, links: make([]state, len(c.Links))}
}

// Take reports whether row r is a part of a link, and then is written with it. Of all else it writes first what r asks for.
func (s *Schedule) Take(r ir.Row) bool {
	n := s.Of(r)
	if n < 0 {
		if s.inside(r) {
			return true
		}
		if len(s.open) > 0 {
			s.writeFor(r)
		}
		return false
	}
	l, at := &s.Links[n], &s.links[n]
	if at.done || at.in != nil || s.Uses[r] == 0 {
		return true
	}
	var to *chain
	takes := func() {
		if to = s.chainOf(l.In.Row); to != nil && s.Links[to.links[len(to.links)-1]].Next != n {
			to = nil
		}
	}
	takes()
	for _, v := range [...]ir.Row{l.X.Row, l.Y.Row, l.In.Row} {
		in := s.chainOf(v)
		if in == nil || to == nil || in == to && v == l.In.Row && v != l.X.Row && v != l.Y.Row {
			continue
		}
		number := s.p.Op(v) == ir.OpCarry || s.p.Op(v) == ir.OpBorrow // which a chain has at its end
		if in == to && number || slices.Index(s.open, in) > slices.Index(s.open, to) {
			s.writeChain(in)
			takes()
		}
	}
	if to == nil {
		to = &chain{}
		s.open = append(s.open, to)
	}
	to.links = append(to.links, n)
	at.in = to
	if l.Next < 0 {
		s.writeChain(to)
	}
	return true
}

// inside reports whether row r is a part of the sum of a link and of nothing else; that asks for what it is made of.
func (s *Schedule) inside(r ir.Row) bool { return s.inner[r] && s.Uses[r] == 1 && s.Of(r) < 0 }

// chainOf returns the chain that has the value of v and is not yet written, nil if there is none.
func (s *Schedule) chainOf(v ir.Row) *chain {
	if n := s.Of(v); n >= 0 {
		return s.links[n].in
	}
	return nil
}

// writeFor writes the chains that have operands of row r.
func (s *Schedule) writeFor(r ir.Row) {
	for _, v := range [...]ir.Row{s.p.A(r), s.p.B(r), s.p.C(r)} {
		if in := s.chainOf(v); in != nil {
			s.writeChain(in)
		}
	}
	for _, v := range s.p.List(r) {
		if in := s.chainOf(ir.Row(v)); in != nil {
			s.writeChain(in)
		}
	}
}

// Close writes what is open.
func (s *Schedule) Close() {
	for len(s.open) > 0 {
		s.writeChain(s.open[0])
	}
}

// writeChain writes a chain, after those whose values it adds.
func (s *Schedule) writeChain(c *chain) {
	i := slices.Index(s.open, c)
	s.open = slices.Delete(s.open, i, i+1)
	for _, n := range c.links {
		s.links[n] = state{done: true}
	}
	for _, n := range c.links {
		for _, v := range [...]ir.Row{s.Links[n].X.Row, s.Links[n].Y.Row, s.Links[n].In.Row} {
			if in := s.chainOf(v); in != nil {
				s.writeChain(in)
			}
		}
	}
	flag := false
	for k, n := range c.links {
		l := &s.Links[n]
		step := Step{Link: l, Flag: flag, Next: k+1 < len(c.links)}
		if l.Carry != ir.NoRow {
			asked := s.Uses[l.Carry]
			if step.Leaves = asked > 0; step.Next {
				asked -= s.flagged(&s.Links[c.links[k+1]])
			}
			step.Number = asked > 0
		}
		flag = s.write(step)
	}
}

// flagged returns how often a link asks for the carry that it takes.
func (s *Schedule) flagged(l *Link) (n uint32) {
	if l.Carry != ir.NoRow && s.Uses[l.Carry] > 0 {
		n++
	}
	if l.Sum == ir.NoRow || s.Uses[l.Sum] == 0 {
		return n
	}
	of := func(r ir.Row) bool { return s.p.A(r) == l.In.Row || s.p.B(r) == l.In.Row }
	if of(l.Sum) {
		return n + 1
	}
	for _, v := range [...]ir.Row{s.p.A(l.Sum), s.p.B(l.Sum)} {
		if v != ir.NoRow && s.inside(v) && of(v) {
			return n + 1
		}
	}
	return n
}
