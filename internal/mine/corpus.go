package mine

import (
	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/ir"
)

// Saved is what a rule does for programs.
type Saved struct{ Ops, Matches, Programs int }

// Add counts the places in a program where a rule's pattern matches, and the ops that it saves there. Ops of the pattern
// that have another use stay, so places where as many are made count nothing.
func (s *Saved) Add(r *rules.Rule, p *ir.Program) {
	uses := usesOf(p)
	before := s.Matches
	for row := range ir.Row(p.Rows()) {
		if p.Op(row) != r.Left.Op {
			continue
		}
		for t := ir.Bool; t <= ir.BF16; t++ {
			at := r.At(t)
			if at == nil || at.Left.Type != p.Type(row) {
				continue
			}
			m := place{p: p, rule: at, uses: uses}
			if saves := 0; m.args(at.Left, row, func() bool { saves = m.gone - made(at.Right); return saves > 0 && m.holds() }) {
				s.Matches++
				s.Ops += saves
				break
			}
		}
	}
	if s.Matches > before {
		s.Programs++
	}
}

func usesOf(p *ir.Program) []int {
	uses := make([]int, p.Rows())
	for row := range ir.Row(p.Rows()) {
		for _, v := range [3]ir.Row{p.A(row), p.B(row), p.C(row)} {
			if v != ir.NoRow {
				uses[v]++
			}
		}
		for _, v := range p.List(row) {
			uses[v]++
		}
	}
	return uses
}

// made is how many ops a result makes. Those of constants are computed.
func made(t *rules.Term) (n int) {
	if t.Kind != rules.Apply {
		return 0
	}
	constant := true
	for _, a := range t.Args {
		n += made(a)
		constant = constant && (a.Kind == rules.Constant || a.Kind == rules.Literal || a.Kind == rules.Apply && made(a) == 0)
	}
	if constant {
		return n
	}
	return n + 1
}

// place matches a pattern with rows of a program.
type place struct {
	p     *ir.Program
	rule  *rules.Rule
	uses  []int
	bound [6]ir.Row // 1 + the row of a variable
	gone  int       // ops that nothing needs then
}

func (m *place) holds() bool {
	bits := make([]uint64, len(m.rule.Of))
	for i, v := range m.rule.Of {
		row := m.bound[v] - 1
		if m.p.Op(row) != ir.OpConst {
			return false
		}
		bits[i] = m.p.Const(row)
	}
	return m.rule.Holds(bits...)
}

func (m *place) args(p *rules.Term, row ir.Row, rest func() bool) bool {
	kids := [3]ir.Row{m.p.A(row), m.p.B(row), m.p.C(row)}
	var each func(i int) bool
	each = func(i int) bool {
		if i == len(p.Args) {
			return rest()
		}
		return m.term(p.Args[i], kids[i], func() bool { return each(i + 1) })
	}
	m.gone++
	was := m.bound
	if each(0) {
		return true
	}
	m.bound = was
	if p.Op.Info().Attr&ir.Commutative != 0 {
		kids[0], kids[1] = kids[1], kids[0]
		if each(0) {
			return true
		}
		m.bound = was
	}
	m.gone--
	return false
}

func (m *place) term(p *rules.Term, row ir.Row, rest func() bool) bool {
	if m.p.Type(row) != p.Type {
		return false
	}
	switch p.Kind {
	case rules.Literal:
		return m.p.Op(row) == ir.OpConst && m.p.Const(row) == p.Bits && rest()
	case rules.Apply:
		if m.p.Op(row) != p.Op {
			return false
		}
		if m.uses[row] > 1 {
			m.gone--
		}
		ok := m.args(p, row, rest)
		if m.uses[row] > 1 && !ok {
			m.gone++
		}
		return ok
	case rules.Constant:
		if m.p.Op(row) != ir.OpConst {
			return false
		}
	}
	switch was := m.bound[p.Var]; {
	case was == row+1:
		return rest()
	case was != 0:
		return false
	}
	m.bound[p.Var] = row + 1
	if rest() {
		return true
	}
	m.bound[p.Var] = 0
	return false
}
