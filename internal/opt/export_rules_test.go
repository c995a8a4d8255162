package opt

import (
	"slices"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

// Rule is a rule of the table, for a test that evaluates both of its sides.
type Rule struct{ r *rule }

// AllRules returns the rules of algebra and idiom.
func AllRules() (list []Rule) { return ParseRules(rules + idioms) }

// ParseRules reads rules in the form of the table.
func ParseRules(table string) (list []Rule) {
	for _, r := range parseRules(table) {
		list = append(list, Rule{r})
	}
	return list
}

// Name returns the name of the rule.
func (r Rule) Name() string { return r.r.name }

// Types returns the types of its class that all of its ops take.
func (r Rule) Types() (list []ir.Type) {
	for t := ir.Bool; t <= ir.BF16; t++ {
		if r.r.types.Has(t) && takes(r.r.left, t) && takes(r.r.right, t) {
			list = append(list, t)
		}
	}
	return list
}

// takes reports whether an op that has the class in its operands can have t there.
func takes(p *term, t ir.Type) bool {
	if p.kind != termOp {
		return true
	}
	in := p.op.Info()
	for i, a := range p.args {
		if in.In[i].Set.One() == ir.None && in.In[i].Same == 0 && a.kind != termOp && !in.In[i].Set.Has(t) {
			return false
		}
		if !takes(a, t) {
			return false
		}
	}
	return true
}

// Vars returns the types of the rule's variables if the class is t.
func (r Rule) Vars(t ir.Type) []ir.Type {
	vars := make([]ir.Type, len(r.r.vars))
	for i, name := range r.r.vars {
		vars[i] = t
		if name == "?c" || name == "?d" {
			vars[i] = ir.Bool
		}
	}
	for _, side := range []*term{r.r.left, r.r.right} {
		fixed(side, vars)
	}
	return vars
}

// fixed finds the variables whose place allows one type only.
func fixed(p *term, vars []ir.Type) {
	for i, a := range p.args {
		if one := p.op.Info().In[i].Set.One(); one != ir.None && a.kind <= termConst {
			vars[a.v] = one
		}
		fixed(a, vars)
	}
}

// Sides evaluates both sides for raw bits of the variables, by the ops' own functions, at the
// width of the types or, if tiny is not 0, at that one. ok is false if the rule's condition is.
func (r Rule) Sides(t ir.Type, tiny uint8, vars []ir.Type, bits []uint64) (left, right uint64, out ir.Type, ok bool) {
	e := evaluation{t, tiny, vars, bits}
	if r.r.when != "" {
		var c []uint64
		for _, v := range r.r.of {
			c = append(c, bits[v])
		}
		ct := vars[r.r.of[0]]
		if !conditions[r.r.when](ct, e.mask(ct), uint64(e.width(t)), c) {
			return 0, 0, 0, false
		}
	}
	if out = termType(r.r.left, func(v int) ir.Type { return vars[v] }); out == ir.None {
		out = t
	}
	return e.eval(r.r.left, out), e.eval(r.r.right, out), out, true
}

type evaluation struct {
	class ir.Type
	tiny  uint8
	vars  []ir.Type
	bits  []uint64
}

func (e *evaluation) width(t ir.Type) uint8 {
	if e.tiny != 0 && t.IsInt() {
		return e.tiny
	}
	return uint8(t.Bits())
}

func (e *evaluation) mask(t ir.Type) uint64 {
	if e.tiny != 0 && t.IsInt() {
		return 1<<e.tiny - 1
	}
	return t.Mask()
}

func (e *evaluation) eval(p *term, t ir.Type) uint64 {
	switch p.kind {
	case termVar, termConst:
		return e.bits[p.v]
	case termLit:
		return literal(p, t, e.mask(t), uint64(e.width(e.class)))
	}
	in := p.op.Info()
	var args [3]uint64
	et := exact.Types{Out: t}
	for i, a := range p.args {
		at := argType(p, i, t, func(v int) ir.Type { return e.vars[v] })
		args[i] = e.eval(a, at)
		if in.Typed == i+1 {
			et.In, et.Width = at, e.width(at)
		}
	}
	return exact.Of(p.op)(et, 0, args[0], args[1], args[2])
}

// Mutants returns the rule with one thing changed in its result: a number one off, the operands
// of an op exchanged, another op of the same form, or its condition dropped.
func (r Rule) Mutants() (list []Rule) {
	add := func(right *term, when string) {
		m := *r.r
		m.right, m.when = right, when
		list = append(list, Rule{&m})
	}
	if r.r.when != "" {
		add(r.r.right, "")
	}
	variants(r.r.right, func(t *term) { add(t, r.r.when) })
	return list
}

var neighbours = map[ir.Op]ir.Op{ir.OpAdd: ir.OpSub, ir.OpSub: ir.OpAdd, ir.OpAnd: ir.OpOr, ir.OpOr: ir.OpAnd, ir.OpShl: ir.OpShr,
	ir.OpShr: ir.OpShl, ir.OpLt: ir.OpLe, ir.OpLe: ir.OpLt, ir.OpEq: ir.OpNe, ir.OpNe: ir.OpEq, ir.OpMin: ir.OpMax, ir.OpMax: ir.OpMin,
	ir.OpNeg: ir.OpNot, ir.OpMul: ir.OpAdd, ir.OpXor: ir.OpOr, ir.OpDiv: ir.OpRem, ir.OpRem: ir.OpDiv}

// variants calls f with every term that differs from p in one place.
func variants(p *term, f func(*term)) {
	if p.kind == termLit {
		switch {
		case p.lit == litTrue:
			f(literalTerm("false"))
		case p.lit == litFalse:
			f(literalTerm("true"))
		case p.lit == litOnes, p.lit == litNumber && p.n == 0:
			f(literalTerm("1"))
		default:
			f(literalTerm("0"))
		}
	}
	if p.kind != termOp {
		return
	}
	if op, ok := neighbours[p.op]; ok {
		q := *p
		q.op = op
		f(&q)
	}
	if len(p.args) == 2 && p.op.Info().Attr&ir.Commutative == 0 && p.op.Info().In[1].Set.One() == ir.None {
		q := *p
		q.args = []*term{p.args[1], p.args[0]}
		f(&q)
	}
	for i, a := range p.args {
		variants(a, func(t *term) {
			if p.op == ir.OpAbs && t.op == ir.OpSub && t.args[0] == a.args[1] && t.args[1] == a.args[0] {
				return // |y - x| is |x - y|
			}
			q := *p
			q.args = slices.Clone(p.args)
			q.args[i] = t
			f(&q)
		})
	}
}
