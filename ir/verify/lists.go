package verify

import (
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/finding"
	"github.com/govyre/vyre/ir/internal/limits"
)

// lists checks that what is passed agrees with what is taken: a loop and its continues with
// the arguments, yields and breaks with the results.
func (s *structure) lists() {
	c := s.Code
	s.open = nil
	for r, op := range c.Op {
		row := ir.Row(r)
		s.visits++
		switch op {
		case ir.OpLoop:
			s.pass(row, row, s.taken(row))
		case ir.OpContinue:
			if to := ir.Row(c.X[r]); s.encloses(to, row, ir.Repeats) {
				s.pass(row, to, s.taken(to))
			}
		case ir.OpBreak:
			if to := ir.Row(c.X[r]); s.encloses(to, row, 0) {
				s.pass(row, to, s.res(to))
			}
		case ir.OpYield:
			if owner := c.Regions[c.Region[r]].Op; owner != ir.NoRow && c.Op[owner].Info().Owns == 2 {
				s.pass(row, owner, s.res(owner))
			}
		}
	}
}

// span is a run of arg or res rows.
type span struct {
	what string
	at   ir.Row
	n    int
}

// taken returns the arguments of a loop.
func (s *structure) taken(loop ir.Row) span {
	x := s.Code.X[loop]
	return span{"argument", s.Code.Regions[x].First, s.args[x]}
}

// res returns the results of a structured op.
func (s *structure) res(op ir.Row) span {
	c := s.Code
	last := c.X[op] + uint32(c.Op[op].Info().Owns) - 1
	return span{"result", c.Regions[last].End, s.results[c.X[op]]}
}

// encloses reports whether to is a labelled op around r, with the given attributes.
func (s *structure) encloses(to, r ir.Row, attr ir.Attr) bool {
	c := s.Code
	return to < r && c.Op[to].Info().Owns == 1 && c.Op[to].Info().Attr&attr == attr && r < c.Regions[c.X[to]].End
}

// pass compares the list of row r with the arguments or results of op.
func (s *structure) pass(r, op ir.Row, takes span) {
	c := s.Code
	if int64(c.Args[r]) >= int64(len(c.Extra)) && c.Args[r] != ir.NoArgs || s.tooLong(r) {
		return // reported with the operands
	}
	list := c.List(r)
	if len(list) != takes.n {
		s.mismatch(r, op, finding.Plural(len(list), "value"), finding.Plural(takes.n, takes.what))
		return
	}
	for i, v := range list {
		s.visits++
		if int64(v) >= int64(c.Rows()) {
			continue
		}
		have, want := c.Type[v], c.Type[takes.at+ir.Row(i)]
		if have != want && have.IsValue() && want.IsValue() {
			s.mismatch(r, op, fmt.Sprintf("%s of type %s", s.Value(ir.Row(v)), have), fmt.Sprintf("%s %d of type %s", takes.what, i, want))
		}
	}
}

// tooLong reports whether the list of r runs past the end of Extra, or past the limit.
func (s *structure) tooLong(r ir.Row) bool {
	c := s.Code
	if c.Args[r] == ir.NoArgs {
		return false
	}
	n := int64(c.Extra[c.Args[r]])
	return n > limits.List || n > int64(len(c.Extra))-int64(c.Args[r])-1
}

func (s *structure) mismatch(r, op ir.Row, passed, taken string) {
	s.faulty[s.Code.Region[r]] = true
	d := s.Add("VY010", r, s.Code.Op[r].String(), passed, s.Label(op), taken)
	if op != r {
		s.Note(d, op, "%s stands here", s.Label(op))
	}
}
