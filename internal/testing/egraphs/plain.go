package egraphs

import (
	"slices"

	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/ir"
)

// Plain matches terms of rules with the classes of a graph by looking at every row. It shares nothing with an engine
// but the columns, and is as of the last Look.
type Plain struct {
	*egraph.Graph
	Columns egraph.Columns
	Of      map[egraph.Class][]uint32 // live rows by root
}

// Look reads the rows anew.
func (p *Plain) Look() {
	p.Columns, p.Of = p.Graph.Columns(), map[egraph.Class][]uint32{}
	for row, class := range p.Columns.Class {
		if p.Columns.Dead[row/64]>>(row%64)&1 == 0 {
			root := p.Find(class)
			p.Of[root] = append(p.Of[root], uint32(row))
		}
	}
}

// Kids are the children of a row.
func (p *Plain) Kids(row uint32) []egraph.Class {
	return p.Columns.Kids[p.Columns.First[row]:][:p.Columns.Len[row]]
}

// Op is the head of a row.
func (p *Plain) Op(row uint32) egraph.HeadInfo { return p.Info(p.Columns.Head[row]) }

// Constant is that of a class.
func (p *Plain) Constant(class egraph.Class) (bits uint64, ok bool) {
	for _, row := range p.Of[class] {
		if h := p.Op(row); h.Op == ir.OpConst {
			return h.Bits, true
		}
	}
	return 0, false
}

// Matches calls do for each class that matches the left side of a rule at a type, and each way to do so: with the
// classes of its variables.
func (p *Plain) Matches(r *rules.Rule, left *rules.Term, do func(class egraph.Class, bind []egraph.Class)) {
	unbound := slices.Repeat([]egraph.Class{egraph.None}, len(r.Vars))
	for c, class := range p.Columns.Parent {
		if egraph.Class(c) == class {
			p.match(left, class, unbound, func(bind []egraph.Class) { do(class, bind) })
		}
	}
}

func (p *Plain) match(t *rules.Term, class egraph.Class, bind []egraph.Class, do func([]egraph.Class)) {
	bits, known := p.Constant(class)
	switch t.Kind {
	case rules.Literal:
		if known && bits == t.Bits && p.Type(class) == t.Type {
			do(bind)
		}
	case rules.Value, rules.Constant:
		if !known && t.Kind == rules.Constant || p.Type(class) != t.Type {
			return
		}
		if was := bind[t.Var]; was == egraph.None || was == class {
			bind = slices.Clone(bind)
			bind[t.Var] = class
			do(bind)
		}
	default:
		for _, row := range p.Of[class] {
			if h := p.Op(row); h.Op != t.Op || h.Type != t.Type {
				continue
			}
			kids := p.Kids(row)
			p.matchAll(t.Args, kids, bind, do)
			if len(kids) == 2 && t.Op.Info().Attr&ir.Commutative != 0 {
				p.matchAll(t.Args, []egraph.Class{kids[1], kids[0]}, bind, do)
			}
		}
	}
}

func (p *Plain) matchAll(args []*rules.Term, kids []egraph.Class, bind []egraph.Class, do func([]egraph.Class)) {
	if len(args) == 0 {
		do(bind)
		return
	}
	p.match(args[0], kids[0], bind, func(bind []egraph.Class) { p.matchAll(args[1:], kids[1:], bind, do) })
}

// Holds asks the condition of a rule. Of a variable without a constant it asks about all bits that may be set.
func (p *Plain) Holds(r *rules.Rule, bind []egraph.Class) bool {
	var c []uint64
	for _, v := range r.Of {
		bits, ok := p.Constant(bind[v])
		if !ok {
			f, _ := p.Facts(bind[v])
			bits = ^f.Zeros
		}
		c = append(c, bits)
	}
	return r.Holds(c...)
}
