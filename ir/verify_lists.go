package ir

import "fmt"

// lists checks that what is passed agrees with what is taken: a loop and its continues with
// the arguments, yields and breaks with the results.
func (s *structure) lists() {
	c := s.c
	s.open = nil
	for r, op := range c.Op {
		row := Row(r)
		s.visits++
		switch op {
		case OpLoop:
			s.pass(row, row, s.taken(row))
		case OpContinue:
			if to := Row(c.X[r]); s.encloses(to, row, Repeats) {
				s.pass(row, to, s.taken(to))
			}
		case OpBreak:
			if to := Row(c.X[r]); s.encloses(to, row, 0) {
				s.pass(row, to, s.res(to))
			}
		case OpYield:
			if owner := c.Regions[c.Region[r]].Op; owner != NoRow && table[c.Op[owner]].Owns == 2 {
				s.pass(row, owner, s.res(owner))
			}
		}
	}
}

// span is a run of arg or res rows.
type span struct {
	what string
	at   Row
	n    int
}

// taken returns the arguments of a loop.
func (s *structure) taken(loop Row) span {
	x := s.c.X[loop]
	return span{"argument", s.c.Regions[x].First, s.args[x]}
}

// res returns the results of a structured op.
func (s *structure) res(op Row) span {
	c := s.c
	last := c.X[op] + uint32(table[c.Op[op]].Owns) - 1
	return span{"result", c.Regions[last].End, s.results[c.X[op]]}
}

// encloses reports whether to is a labelled op around r, with the given attributes.
func (s *structure) encloses(to, r Row, attr Attr) bool {
	c := s.c
	return to < r && table[c.Op[to]].Owns == 1 && table[c.Op[to]].Attr&attr == attr && r < c.Regions[c.X[to]].End
}

// pass compares the list of row r with the arguments or results of op.
func (s *structure) pass(r, op Row, takes span) {
	c := s.c
	if int64(c.Args[r]) >= int64(len(c.Extra)) && c.Args[r] != NoArgs || s.tooLong(r) {
		return // reported with the operands
	}
	list := c.List(r)
	if len(list) != takes.n {
		s.mismatch(r, op, plural(len(list), "value"), plural(takes.n, takes.what))
		return
	}
	for i, v := range list {
		s.visits++
		if int64(v) >= int64(c.Rows()) {
			continue
		}
		have, want := c.Type[v], c.Type[takes.at+Row(i)]
		if have != want && have.IsValue() && want.IsValue() {
			s.mismatch(r, op, fmt.Sprintf("%s of type %s", s.value(Row(v)), have), fmt.Sprintf("%s %d of type %s", takes.what, i, want))
		}
	}
}

// tooLong reports whether the list of r runs past the end of Extra, or past the limit.
func (s *structure) tooLong(r Row) bool {
	c := s.c
	if c.Args[r] == NoArgs {
		return false
	}
	n := int64(c.Extra[c.Args[r]])
	return n > maxList || n > int64(len(c.Extra))-int64(c.Args[r])-1
}

func (s *structure) mismatch(r, op Row, passed, taken string) {
	s.faulty[s.c.Region[r]] = true
	d := s.add("VY010", r, s.c.Op[r].String(), passed, s.label(op), taken)
	if op != r {
		s.note(d, op, "%s stands here", s.label(op))
	}
}
