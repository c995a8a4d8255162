package egraph_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/ir"
)

func compile(t *testing.T, text string) *egraph.Rules {
	t.Helper()
	list, err := rules.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	rs, err := egraph.Compile(list)
	if err != nil {
		t.Fatal(err)
	}
	return rs
}

func union(t *testing.T, g *egraph.Graph, a, b egraph.Class) {
	t.Helper()
	if err := g.Union(a, b, "given"); err != nil {
		t.Fatal(err)
	}
}

func TestLimits(t *testing.T) {
	grow := compile(t, "grow int (neg ?x) => (add (neg (add ?x 1)) 1)")
	for _, c := range []struct {
		limits egraph.Limits
		want   string
	}{
		{egraph.Limits{Rows: 50, Rounds: 1000}, "limit of rows"},
		{egraph.Limits{Rounds: 7}, "limit of rounds"},
		{egraph.Limits{Matches: 9, Rounds: 1000}, "limit of matches"},
		{egraph.Limits{}, "limit of rounds"},
	} {
		g := egraph.New()
		x := g.Leaf("x", ir.U32)
		c1 := op(g, ir.OpNeg, ir.U32, x)
		rep, err := g.Run(grow, c.limits)
		if err != nil || rep.Stopped != c.want {
			t.Errorf("%+v: stopped by the %s, want %s; %v", c.limits, rep.Stopped, c.want, err)
		}
		if c.limits.Matches > 0 && rep.Matches > c.limits.Matches || c.limits.Rounds > 0 && rep.Rounds > c.limits.Rounds {
			t.Errorf("%+v: %+v", c.limits, rep)
		}
		if err := g.Check(); err != nil {
			t.Error(err)
		}
		replay(t, g)
		// The graph goes on as if nothing had been.
		if rep, err := g.Run(compile(t, "neg-neg int (neg (neg ?x)) => ?x"), egraph.Limits{}); err != nil || rep.Stopped != "" {
			t.Errorf("%+v after %+v: %+v, %v", c.limits, c1, rep, err)
		}
	}
}

func TestRuleThatMakesItsOwnLeft(t *testing.T) {
	g := egraph.New()
	c := op(g, ir.OpNeg, ir.U32, g.Leaf("x", ir.U32))
	rep, err := g.Run(compile(t, "twice int (neg ?x) => (neg (neg (neg ?x)))\nneg-neg int (neg (neg ?x)) => ?x"), egraph.Limits{})
	if err != nil || rep.Stopped != "" {
		t.Errorf("%+v, %v", rep, err)
	}
	if err := g.Check(); err != nil || g.Classes() != 2 {
		t.Errorf("%d classes, %v", g.Classes(), err)
	}
	if best := g.Extract(egraph.Costs{}, c); best.Cost != 1 {
		t.Errorf("extracted %s", best)
	}
	replay(t, g)
}

// TestFalseRule has rules that are not true: the one that made two constants equal is named, through congruence too.
func TestFalseRule(t *testing.T) {
	for _, c := range []struct {
		text string
		make func(*egraph.Graph)
	}{
		{"swap", func(g *egraph.Graph) { op(g, ir.OpSub, ir.U32, g.Const(ir.U32, 7), g.Const(ir.U32, 4)) }},
		{"swap", func(g *egraph.Graph) {
			x, y := g.Leaf("x", ir.U32), g.Leaf("y", ir.U32)
			d := op(g, ir.OpSub, ir.U32, op(g, ir.OpSub, ir.U32, x, y), op(g, ir.OpSub, ir.U32, y, x))
			_ = g.Union(d, g.Const(ir.U32, 6), "measured")
			_ = op(g, ir.OpNeg, ir.U32, op(g, ir.OpSub, ir.U32, x, x))
		}},
		{"Insert", func(g *egraph.Graph) {
			c := g.Class(ir.U32)
			for bits := range uint64(2) {
				g.Insert(c, g.Head(egraph.HeadInfo{Op: ir.OpConst, Type: ir.U32, Bits: bits}))
			}
		}},
		{"measured", func(g *egraph.Graph) { _ = g.Union(g.Const(ir.U32, 1), g.Const(ir.U32, 2), "measured") }},
	} {
		g := egraph.New()
		c.make(g)
		_, err := g.Run(compile(t, "sub-self int (sub ?x ?x) => 0\nswap int (sub ?x ?y) => (sub ?y ?x)"), egraph.Limits{})
		var wrong *egraph.Error
		if !errors.As(err, &wrong) {
			t.Fatalf("no error but %v", err)
		}
		if !strings.Contains(err.Error(), c.text) {
			t.Errorf("the error does not name %q: %v", c.text, err)
		}
		for _, part := range []string{wrong.Text, wrong.Rule} {
			if part == "" || !strings.Contains(err.Error(), part) {
				t.Errorf("%q is not in %v", part, err)
			}
		}
		if err := g.Rebuild(); err != nil {
			t.Errorf("the same mistake is reported again: %v", err)
		}
	}
}

func TestRunsAreTheSame(t *testing.T) {
	var first egraph.Report
	var columns egraph.Columns
	for i := range 3 {
		g := egraph.New()
		sum(g, ir.OpAdd, 6)
		drawTerms(g, rand.New(rand.NewPCG(1, 2)), ir.U32, 16)
		rep, err := g.Run(table(), egraph.Limits{Rows: 3000})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first, columns = rep, g.Columns()
		}
		if rep != first || !slices.Equal(g.Columns().Kids, columns.Kids) || !slices.Equal(g.Columns().Parent, columns.Parent) {
			t.Fatalf("run %d: %+v, the first was %+v", i, rep, first)
		}
	}
	if first.Bans() == 0 {
		t.Error("no rule was banned: the test does not reach what it is for")
	}
}

func TestMistakes(t *testing.T) {
	g := egraph.New()
	x, f := g.Leaf("x", ir.U32), g.Leaf("f", ir.F32)
	add := g.Head(egraph.HeadInfo{Op: ir.OpAdd, Type: ir.U32})
	for _, c := range []struct {
		do   func()
		want string
	}{
		{func() { g.Add(add, x) }, "add takes 2 children, not 1"},
		{func() { g.Add(add, x, f) }, "child 1 of add is f32"},
		{func() { g.Add(add, f, f) }, "add of these children is f32, its head says u32"},
		{func() { g.Add(add, x, 77) }, "child 1 of a row of add is class 77 of 2"},
		{func() { g.Add(add, x, egraph.None) }, "child 1 of a row of add is class 4294967295 of 2"},
		{func() { g.Add(99, x) }, "no head 99, only 3"},
		{func() { g.Insert(9, add, x, x) }, "a row of add for class 9 of 2"},
		{func() { g.Insert(f, add, x, x) }, "a row of add, which is u32, for class 1, which is f32"},
		{func() { g.Assume(f, egraph.Facts{}) }, "facts about class 1, which is not an integer or a bool"},
	} {
		c.do()
		err := g.Rebuild()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the error is %v, want %s", err, c.want)
		}
		if err := errors.Join(g.Rebuild(), g.Check()); err != nil {
			t.Errorf("after %s: %v", c.want, err)
		}
	}
	if err := g.Union(x, 55, "x"); err == nil || !strings.Contains(err.Error(), "classes 0 and 55 of 2") {
		t.Error(err)
	}
	err := g.Union(x, f, "wish")
	if err == nil || !strings.Contains(err.Error(), "wish merged x and f in class 0: u32 and f32 are of two types") {
		t.Error(err)
	}
	if c := op(g, ir.OpAdd, ir.U32, x, x); c != 2 || g.Rebuild() != nil || g.Rows() != 3 {
		t.Errorf("after mistakes add(x, x) is class %d of %d rows", c, g.Rows())
	}
	if _, err := g.Explain(x, g.Term(f)); err == nil || !strings.Contains(err.Error(), "class 0, x, is not known to equal f") {
		t.Error(err)
	}
	if _, err := g.Explain(55, g.Term(f)); err == nil {
		t.Error("a proof about a class that is not there")
	}
	if _, err := g.Explain(x, nil); err == nil {
		t.Error("a proof about no term")
	}
}

func TestCompileRefuses(t *testing.T) {
	list, err := rules.Parse("add-zero int (add ?x 0) => ?x")
	if err != nil {
		t.Fatal(err)
	}
	bad := rules.Rule{Name: "wild", Left: list[0].Left, Right: &rules.Term{Kind: rules.Value, Var: 5}, Vars: list[0].Vars}
	if _, err := egraph.Compile([]*rules.Rule{list[0], &bad}); err == nil || !strings.Contains(err.Error(), "rule wild: the left side has no variable 5") {
		t.Errorf("no error about the rule, but %v", err)
	}
}

func TestFalsifiedProof(t *testing.T) {
	g := egraph.New()
	x, y := g.Leaf("x", ir.U32), g.Leaf("y", ir.U32)
	a := op(g, ir.OpAdd, ir.U32, op(g, ir.OpSub, ir.U32, x, y), y)
	if _, err := g.Run(table(), egraph.Limits{Rounds: 3}); err != nil {
		t.Fatal(err)
	}
	proof, err := g.Explain(a, g.Extract(egraph.Costs{}, a))
	if err != nil || proof.Check() != nil {
		t.Fatal(err, proof.Check())
	}
	for i := range 8 {
		proof, _ := g.Explain(a, g.Extract(egraph.Costs{}, a))
		if proof.Falsify(i) && proof.Check() == nil {
			t.Errorf("mistake %d passes:\n%s", i, proof)
		}
	}
}

// TestARunEndsAtItsGoal, at once if that is reached, and in the round that reaches it.
func TestARunEndsAtItsGoal(t *testing.T) {
	rs := compile(t, "grow int (neg ?x) => (neg (not ?x))\nnot-not int (not (not ?x)) => ?x")
	g := egraph.New()
	x := g.Leaf("x", ir.U32)
	op := func(op ir.Op, c egraph.Class) egraph.Class {
		return g.Add(g.Head(egraph.HeadInfo{Op: op, Type: ir.U32}), c)
	}
	n := op(ir.OpNeg, x)
	far := op(ir.OpNeg, op(ir.OpNot, op(ir.OpNot, op(ir.OpNot, x))))
	for _, want := range []egraph.Report{{Rounds: 1, Stopped: "goal"}, {Rounds: 0, Stopped: "goal"}} {
		rep, err := g.Run(rs, egraph.Limits{Rounds: 9, Goal: [2]egraph.Class{n, far}})
		if err != nil || rep.Rounds != want.Rounds || rep.Stopped != want.Stopped {
			t.Errorf("%+v, %v, want %+v", rep, err, want)
		}
	}
	if _, err := g.Run(rs, egraph.Limits{Goal: [2]egraph.Class{n, 99}}); err == nil {
		t.Error("a goal that is not there")
	}
	if rep, err := g.Run(rs, egraph.Limits{Rounds: 3, Goal: [2]egraph.Class{n, n}}); err != nil || rep.Stopped == "goal" {
		t.Errorf("without a goal: %+v, %v", rep, err)
	}
}
