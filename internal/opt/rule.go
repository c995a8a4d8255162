package opt

import (
	"slices"
	"strconv"
	"sync"

	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/ir"
)

// rule is a rule of the table, with the parts of its pattern that most rows differ from.
type rule struct {
	*rules.Rule
	left   *rules.Term
	makes  int         // ops of the result below its root: as many of the pattern must be of no other use
	ops    [2]ir.Op    // of the first two operands of the pattern, 0 for any
	swaps  bool        // in any order
	second *rules.Term // the second operand of the pattern if that is a literal, which few rows have
}

// ruleTables are the rules of two passes by the op of their pattern.
type ruleTables struct{ algebra, idiom []*rulesOf }

// numOps bounds the ops.
const numOps = 1 << 10

// tables reads the lines of the table that go down: those with <=> are for e-graphs.
var tables = sync.OnceValue(func() *ruleTables {
	t := &ruleTables{make([]*rulesOf, numOps), make([]*rulesOf, numOps)}
	for _, r := range rules.Table() {
		if r.Both {
			continue
		}
		of := &t.algebra[r.Left.Op]
		if r.Idiom {
			of = &t.idiom[r.Left.Op]
		}
		if *of == nil {
			*of = new(rulesOf)
		}
		(*of).rules = append((*of).rules, prepare(r)...)
	}
	return t
})

// rulesOf are the rules whose pattern has one op at its root, in the order of the table, and lists of those that operands of
// certain ops leave. Few rules come further than the ops of the operands.
type rulesOf struct {
	rules []*rule
	once  sync.Once
	known [numOps]uint8 // a number for each op that operands of patterns have, 0 for others
	ops   int
	lists [][]candidate // by the numbers of both operands
}

// candidate is a rule that a row may match, with its operands as they are or swapped.
type candidate struct {
	*rule
	straight, swapped bool
}

// like are the rules that a row may match whose operands have these ops, 0 for an operand that it does not have.
func (o *rulesOf) like(x, y ir.Op) []candidate {
	o.once.Do(o.index)
	return o.lists[int(o.known[x])*o.ops+int(o.known[y])]
}

func (o *rulesOf) index() {
	ops := []ir.Op{0}
	for _, ru := range o.rules {
		for _, op := range ru.ops {
			if !slices.Contains(ops, op) {
				o.known[op] = uint8(len(ops))
				ops = append(ops, op)
			}
		}
	}
	o.ops = len(ops)
	for _, x := range ops {
		for _, y := range ops {
			var list []candidate
			for _, ru := range o.rules {
				if straight, swapped := ru.resembles(x, y); straight || swapped {
					list = append(list, candidate{ru, straight, swapped})
				}
			}
			o.lists = append(o.lists, list)
		}
	}
}

// resembles reports whether operands of these ops may be those of the pattern, as they are or swapped.
func (ru *rule) resembles(x, y ir.Op) (straight, swapped bool) {
	a, b := ru.ops[0], ru.ops[1]
	return (a == 0 || a == x) && (b == 0 || b == y), ru.swaps && (a == 0 || a == y) && (b == 0 || b == x)
}

// prepare returns a rule once for each order in which operands below the root of its pattern can be bound. Matching does not
// go back to an operand that it has bound, and it tries both orders of the root's.
func prepare(r *rules.Rule) (list []*rule) {
	if len(r.Vars) > len(binding{}) {
		panic("BUG: opt: rule " + r.Name + " has too many variables")
	}
	shapes := make(map[string]bool)
	for _, left := range orders(r.Left, false) {
		if text := shapeOf(left, make(map[int]int)); shapes[text] {
			continue
		} else {
			shapes[text] = true
		}
		p := &rule{Rule: r, left: left, makes: made(r.Right) - 1, swaps: len(left.Args) == 2 && commutes(left.Op)}
		for i, a := range left.Args[:min(2, len(left.Args))] {
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
		list = append(list, p)
	}
	return list
}

func commutes(op ir.Op) bool { return op.Info().Attr&ir.Commutative != 0 }

// orders are the patterns that differ from p in the order of two values that commute.
func orders(p *rules.Term, inner bool) (list []*rules.Term) {
	list = []*rules.Term{p}
	if p.Kind != rules.Apply {
		return list
	}
	for i, a := range p.Args {
		more := orders(a, true)[1:]
		for _, q := range slices.Clone(list) {
			for _, m := range more {
				c := *q
				c.Args = slices.Clone(q.Args)
				c.Args[i] = m
				list = append(list, &c)
			}
		}
	}
	if inner && len(p.Args) == 2 && commutes(p.Op) && p.Args[0].Kind == rules.Value && p.Args[1].Kind == rules.Value {
		c := *p
		c.Args = []*rules.Term{p.Args[1], p.Args[0]}
		list = append(list, &c)
	}
	return list
}

// shapeOf writes a pattern with variables numbered as they come: patterns of one shape match the same rows.
func shapeOf(p *rules.Term, vars map[int]int) string {
	switch p.Kind {
	case rules.Literal:
		return p.String()
	case rules.Value, rules.Constant:
		if _, ok := vars[p.Var]; !ok {
			vars[p.Var] = len(vars)
		}
		return p.String()[:1] + strconv.Itoa(vars[p.Var])
	}
	text := "(" + p.Op.Info().Name
	for _, a := range p.Args {
		text += " " + shapeOf(a, vars)
	}
	return text + ")"
}

// made is the number of ops that a term makes. Those of constants are computed.
func made(p *rules.Term) (n int) {
	constant := true
	for _, a := range p.Args {
		n += made(a)
		constant = constant && (a.Kind == rules.Constant || a.Kind == rules.Literal || a.Kind == rules.Apply && made(a) == 0)
	}
	if constant || p.Kind != rules.Apply {
		return n
	}
	return n + 1
}
