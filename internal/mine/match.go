package mine

import (
	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/ir"
)

// steps reports whether a known rule makes a term of the bank cheaper in one step at its root.
func (s *search) steps(t *term) bool {
	cost := s.b.cost(t)
	for _, r := range s.down[t.op] {
		m := matching{b: s.b, rule: r}
		if r.Left.Type == t.typ && m.args(r.Left, t, func() bool { return m.cost() < cost }) {
			return true
		}
	}
	return false
}

// matching matches a pattern with a term. Equal values are one representative, so a variable that comes twice is one id.
type matching struct {
	b     *Bank
	rule  *rules.Rule
	bound [6]uint32 // 1 + the term of a variable
}

// args matches the operands of a term with those of a pattern, in both orders if they commute, and then does the rest.
func (m *matching) args(p *rules.Term, t *term, rest func() bool) bool {
	was := m.bound
	kids := t.kids
	var each func(i int) bool
	each = func(i int) bool {
		if i == len(p.Args) {
			return rest()
		}
		return m.term(p.Args[i], kids[i], func() bool { return each(i + 1) })
	}
	if each(0) {
		return true
	}
	m.bound = was
	if p.Op.Info().Attr&ir.Commutative == 0 || kids[0] == kids[1] {
		return false
	}
	kids[0], kids[1] = kids[1], kids[0]
	if each(0) {
		return true
	}
	m.bound = was
	return false
}

func (m *matching) term(p *rules.Term, id uint32, rest func() bool) bool {
	t := &m.b.terms[id]
	if t.typ != p.Type {
		return false
	}
	switch p.Kind {
	case rules.Literal:
		return t.op == 0 && t.literal() && t.bits == p.Bits && rest()
	case rules.Apply:
		return t.op == p.Op && m.args(p, t, rest)
	case rules.Constant:
		if !t.constant {
			return false
		}
	}
	switch was := m.bound[p.Var]; {
	case was == id+1:
		return rest()
	case was != 0:
		return false
	}
	m.bound[p.Var] = id + 1
	if rest() {
		return true
	}
	m.bound[p.Var] = 0
	return false
}

// cost is that of the rule's result, whose ops count even where the bank has a term like them.
func (m *matching) cost() (n uint64) {
	seen := make(map[uint32]bool)
	var bank func(id uint32)
	bank = func(id uint32) {
		t := &m.b.terms[id]
		if seen[id] || t.op == 0 || t.constant {
			return
		}
		seen[id] = true
		n += opCost(t.op, t.typ, m.b.terms[t.kids[max(t.op.Info().Typed, 1)-1]].typ)
		for _, k := range t.kids[:t.args()] {
			bank(k)
		}
	}
	var walk func(p *rules.Term) (constant bool)
	walk = func(p *rules.Term) bool {
		switch p.Kind {
		case rules.Literal:
			return true
		case rules.Value, rules.Constant:
			bank(m.bound[p.Var] - 1)
			return m.b.terms[m.bound[p.Var]-1].constant
		}
		constant := true
		for _, a := range p.Args {
			constant = walk(a) && constant
		}
		if !constant {
			n += opCost(p.Op, p.Type, p.Args[max(p.Op.Info().Typed, 1)-1].Type)
		}
		return constant
	}
	walk(m.rule.Right)
	return n
}
