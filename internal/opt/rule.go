package opt

import (
	"sync"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/rules"
)

// rule is a rule of the table, with the parts of its pattern that most rows differ from.
type rule struct {
	*rules.Rule
	ops    [2]ir.Op    // of the first two operands of the pattern, 0 for any
	swaps  bool        // in any order
	second *rules.Term // the second operand of the pattern if that is a literal, which few rows have
}

// ruleTables are the rules of two passes by the op of their pattern, each list in the order of the table.
type ruleTables struct{ algebra, idiom [][]*rule }

// tables reads the lines of the table that go down: those with <=> are for e-graphs.
var tables = sync.OnceValue(func() *ruleTables {
	const ops = 1 << 10
	t := &ruleTables{make([][]*rule, ops), make([][]*rule, ops)}
	for _, r := range rules.Table() {
		byOp := t.algebra
		if r.Idiom {
			byOp = t.idiom
		}
		if !r.Both {
			byOp[r.Left.Op] = append(byOp[r.Left.Op], prepare(r))
		}
	}
	return t
})

func prepare(r *rules.Rule) *rule {
	if len(r.Vars) > len(binding{}) {
		panic("BUG: opt: rule " + r.Name + " has too many variables")
	}
	p := &rule{Rule: r, swaps: len(r.Left.Args) == 2 && r.Left.Op.Info().Attr&ir.Commutative != 0}
	for i, a := range r.Left.Args[:min(2, len(r.Left.Args))] {
		switch a.Kind {
		case rules.Apply:
			p.ops[i] = a.Op
		case rules.Constant, rules.Literal:
			p.ops[i] = ir.OpConst
		}
		if i == 1 && a.Kind == rules.Literal {
			p.second = a
		}
	}
	return p
}

// at is the rule at type t. Only a test that turns off the check of classes asks for a type that is not of the class: it
// gets the rule at one that is.
func (ru *rule) at(t ir.Type) *rules.Rule {
	if at := ru.At(t); at != nil {
		return at
	}
	for u := ir.Bool; ; u++ {
		if at := ru.At(u); at != nil {
			return at
		}
	}
}
