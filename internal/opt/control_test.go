package opt_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
)

// tree is a term of values of type u32 that is rewritten in place of an e-graph: a constant, a parameter or an op.
type tree struct {
	op   ir.Op // 0 for a parameter
	bits uint64
	args []*tree
}

// ops is the number of ops, as in a program: a constant is none.
func (t *tree) ops() (n int) {
	for _, a := range t.args {
		n += a.ops()
	}
	return n + min(len(t.args), 1)
}

func (t *tree) equal(o *tree) bool {
	return t == o || t.op == o.op && t.bits == o.bits && slices.EqualFunc(t.args, o.args, (*tree).equal)
}

// places lists a tree and all below it.
func (t *tree) places() []*tree {
	list := []*tree{t}
	for _, a := range t.args {
		list = append(list, a.places()...)
	}
	return list
}

// match binds the variables of a pattern, operands that commute in a drawn order.
func (t *tree) match(p *rules.Term, vars []*tree, r *rand.Rand) bool {
	switch p.Kind {
	case rules.Literal:
		return t.op == ir.OpConst && t.bits == p.Bits
	case rules.Value, rules.Constant:
		if v := vars[p.Var]; v != nil {
			return v.equal(t)
		}
		vars[p.Var] = t
		return p.Kind == rules.Value || t.op == ir.OpConst
	}
	if t.op != p.Op {
		return false
	}
	args := t.args
	if p.Op.Info().Attr&ir.Commutative != 0 && r.IntN(2) == 0 {
		args = []*tree{args[1], args[0]}
	}
	for i, a := range args {
		if !a.match(p.Args[i], vars, r) {
			return false
		}
	}
	return true
}

// build makes the other side of a rule.
func build32(p *rules.Term, vars []*tree) *tree {
	switch p.Kind {
	case rules.Literal:
		return &tree{op: ir.OpConst, bits: p.Bits}
	case rules.Value, rules.Constant:
		return vars[p.Var]
	}
	t, constant := &tree{op: p.Op}, true
	for _, a := range p.Args {
		t.args = append(t.args, build32(a, vars))
		constant = constant && t.args[len(t.args)-1].op == ir.OpConst
	}
	if constant {
		var a [3]uint64
		for i, v := range t.args {
			a[i] = v.bits
		}
		return &tree{op: ir.OpConst, bits: exact.Eval(p.Op, ir.U32, ir.U32, 0, a[0], a[1], a[2])}
	}
	return t
}

// direction is a rule at u32 from one side to the other.
type direction struct {
	rule     *rules.Rule
	from, to *rules.Term
}

// walk rewrites at drawn places by drawn rules that match there, so many times, and returns the fewest ops on the way.
func (t *tree) walk(all map[ir.Op][]direction, steps int, r *rand.Rand) int {
	fewest := t.ops()
	for range steps {
		places := t.places()
		at := places[r.IntN(len(places))]
		var fits []*tree
		for _, d := range all[at.op] {
			vars := make([]*tree, len(d.rule.Vars))
			if !at.match(d.from, vars, r) {
				continue
			}
			var c []uint64
			for _, v := range d.rule.Of {
				c = append(c, vars[v].bits)
			}
			if d.rule.Holds(c...) {
				fits = append(fits, build32(d.to, vars))
			}
		}
		if len(fits) == 0 {
			continue
		}
		was := *at
		if *at = *fits[r.IntN(len(fits))]; t.ops() > 24 { // it only grew
			*at = was
		}
		fewest = min(fewest, t.ops())
	}
	return fewest
}

// TestRandomRewritingLoses: the control of e-graphs. The same rules, applied one after the other at random as often as an
// e-graph applies them to the term, leave more terms dearer.
func TestRandomRewritingLoses(t *testing.T) {
	all := make(map[ir.Op][]direction)
	add := func(r *rules.Rule, from, to *rules.Term) {
		bound := make(map[int]bool)
		var visit func(p *rules.Term, want bool) bool
		visit = func(p *rules.Term, want bool) bool {
			if p.Type != ir.U32 || want && p.Kind <= rules.Constant && !bound[p.Var] {
				return false
			}
			if p.Kind <= rules.Constant {
				bound[p.Var] = true
			}
			return !slices.ContainsFunc(p.Args, func(a *rules.Term) bool { return !visit(a, want) })
		}
		if from.Kind == rules.Apply && visit(from, false) && visit(to, true) {
			all[from.Op] = append(all[from.Op], direction{r, from, to})
		}
	}
	for _, r := range rules.Table() {
		if at := r.At(ir.U32); at != nil && (len(at.Of) == 0 || at.Vars[at.Of[0]].Const) {
			if add(at, at.Left, at.Right); at.Both {
				add(at, at.Right, at.Left)
			}
		}
	}
	rs, err := egraph.Compile(rules.Table())
	if err != nil {
		t.Fatal(err)
	}
	spelt := spellings(3)
	r := rand.New(rand.NewPCG(long.Seed(t, 0), 1))
	won, lost, steps := 0, 0, 0
	for range long.Count(60, 300, 2000) {
		k := 554 + r.IntN(len(spelt)-554) // of three ops
		g := egraph.New()
		var both func(k int) (*tree, egraph.Class)
		both = func(k int) (*tree, egraph.Class) {
			s := spelt[k]
			if s.op == 0 {
				return &tree{bits: uint64(s.a)}, g.Leaf(string(rune('x'+s.a)), ir.U32)
			}
			a, c := both(s.a)
			to, kids := &tree{op: s.op, args: []*tree{a}}, []egraph.Class{c}
			if s.op.Info().Args == 2 {
				b, d := both(s.b)
				to.args, kids = append(to.args, b), append(kids, d)
			}
			return to, g.Add(g.Head(egraph.HeadInfo{Op: s.op, Type: ir.U32}), kids...)
		}
		tree, class := both(k)
		report, err := g.Run(rs, egraph.Limits{Rows: 300, Rounds: 6, Matches: 10_000})
		if err != nil {
			t.Fatal(err)
		}
		cost := egraph.Costs{Of: func(h egraph.Head) uint64 {
			if op := g.Info(h).Op; op != 0 && op != ir.OpConst {
				return 1
			}
			return 0
		}}
		steps += report.Matches
		switch ours, control := int(g.Extract(cost, class).Cost), tree.walk(all, report.Matches, r); {
		case ours < control:
			won++
		case ours > control:
			lost++
		}
	}
	t.Logf("of %d rewritings: the e-graph has fewer ops for %d terms, and more for %d", steps, won, lost)
	if won < 5 || lost > 0 {
		t.Errorf("fewer ops for %d terms, and more for %d: want some, and none", won, lost)
	}
}
