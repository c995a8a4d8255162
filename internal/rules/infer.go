package rules

import (
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

// instance is the rule at a type, its numbers as wide as f says; nil if the types do not fit together.
func (r *Rule) instance(t ir.Type, f form) *Rule {
	in := inference{vars: make([]ir.Type, len(r.Vars))}
	for i, v := range r.Vars {
		switch {
		case i == r.Typed:
			in.vars[i] = t
		case isBool(v.Name):
			in.vars[i] = ir.Bool
		}
	}
	root := ir.None
	if r.Typed < 0 {
		root = t
	}
	// A variable gets its type from a place that has one. Each time around one more does, until none is left without.
	for range len(r.Vars) + 1 {
		root = in.walk(r.Right, in.walk(r.Left, root))
	}
	for i, v := range in.vars {
		if v == ir.None {
			in.vars[i] = t
		}
	}
	if root == ir.None {
		root = in.walk(r.Left, root)
	}
	if root == ir.None {
		root = t
	}
	at := *r
	at.Type, at.form, at.at = t, f, nil
	at.Types = ir.Set(t)
	at.Vars = make([]Variable, len(r.Vars))
	for i, v := range r.Vars {
		at.Vars[i] = Variable{v.Name, v.Const, in.vars[i]}
	}
	var ok, ok2 bool
	at.Left, ok = in.typed(r.Left, root, &at)
	at.Right, ok2 = in.typed(r.Right, root, &at)
	if !ok || !ok2 || r.cond != nil && r.cond.real != isReal(in.vars[r.Of[0]]) {
		return nil
	}
	return &at
}

// isBool reports whether a variable of that name is a bool whatever the class.
func isBool(name string) bool { return name == "?c" || name == "?d" }

// inference finds the types of variables; None for those that it does not know yet.
type inference struct{ vars []ir.Type }

// walk notes what a term whose place asks for type want, or for none, tells about variables, and returns its type if that
// is known.
func (in *inference) walk(p *Term, want ir.Type) ir.Type {
	switch p.Kind {
	case Value, Constant:
		if in.vars[p.Var] == ir.None {
			in.vars[p.Var] = want
		}
		return in.vars[p.Var]
	case Literal:
		return want
	}
	info := p.Op.Info()
	carried := ir.None
	if info.Result.Kind == ir.ResultSame {
		carried = want
	}
	for range 2 { // a later operand can tell the type of an earlier one
		for i, a := range p.Args {
			if one := info.In[i].Set.One(); one != ir.None {
				in.walk(a, one)
			} else {
				carried = in.walk(a, carried)
			}
		}
	}
	return resultOf(info, carried)
}

// resultOf is the type of an op whose operands of no fixed type are of type carried, None if that is not known.
func resultOf(info *ir.Info, carried ir.Type) ir.Type {
	if info.Result.Kind == ir.ResultFixed {
		return info.Result.Type
	}
	if carried == ir.None {
		return ir.None
	}
	return info.ResultType(carried, carried, carried)
}

// typed returns a term with its types, and whether they fit.
func (in *inference) typed(p *Term, want ir.Type, r *Rule) (*Term, bool) {
	q := *p
	q.Type = want
	switch p.Kind {
	case Value, Constant:
		q.Type = in.vars[p.Var]
		return &q, q.Type == want
	case Literal:
		q.Bits = p.value(want, r.form.mask(want), r.form.width(r.Type))
		if r.form.small && isReal(want) && p.lit == litNumber {
			q.Bits = toSmall(p.n)
		}
		return &q, p.fits(want)
	}
	info := p.Op.Info()
	carried := ir.None
	if info.Result.Kind == ir.ResultSame {
		carried = want
	}
	for i, a := range p.Args {
		if carried == ir.None && info.In[i].Set.One() == ir.None {
			carried = in.walk(a, ir.None)
		}
	}
	if resultOf(info, carried) != want {
		return &q, false
	}
	q.Args = make([]*Term, len(p.Args))
	for i, a := range p.Args {
		at := info.In[i].Set.One()
		if at == ir.None {
			at = carried
		}
		if s := info.In[i].Set; s != 0 && !s.Has(at) {
			return &q, false
		}
		var ok bool
		if q.Args[i], ok = in.typed(a, at, r); !ok {
			return &q, false
		}
	}
	return &q, true
}

// fits reports whether a literal can be of type t.
func (t *Term) fits(typ ir.Type) bool {
	switch {
	case t.lit == litTrue || t.lit == litFalse:
		return typ == ir.Bool
	case t.lit != litNumber:
		return typ.IsInt()
	}
	return isReal(typ) || typ.IsInt() && t.n == float64(int64(t.n))
}

// usable reports whether a rule may have op: its result depends on its operands alone, exactly, and they tell its type.
func usable(op ir.Op) bool {
	info := op.Info()
	switch info.Result.Kind {
	case ir.ResultFixed, ir.ResultSame, ir.ResultUnsigned, ir.ResultWide:
	default:
		return false
	}
	return exact.Of(op) != nil && info.Attr&ir.Pure != 0 && info.Attr&ir.Approximate == 0 && info.Imm == ir.ImmNone && info.Args > 0
}
