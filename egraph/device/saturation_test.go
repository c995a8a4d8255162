package device_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/egraph/device"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/internal/testing/egraphs"
	"github.com/govyre/vyre/internal/testing/faults"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/megakernel"
)

// parsed parses rules.
func parsed(t testing.TB, text string) []*rules.Rule {
	t.Helper()
	list, err := rules.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// sum adds n leaves, one after the other.
func sum(g *egraph.Graph, n int) egraph.Class {
	add := g.Head(egraph.HeadInfo{Op: ir.OpAdd, Type: ir.U32})
	c := g.Leaf("x0", ir.U32)
	for i := 1; i < n; i++ {
		c = g.Add(add, c, g.Leaf(fmt.Sprint("x", i), ir.U32))
	}
	return c
}

const assoc = "add-assoc int (add (add ?x ?y) ?z) <=> (add ?x (add ?y ?z))"

func saturated(t testing.TB, s *device.Saturation) device.Outcome {
	t.Helper()
	r, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r[0]
}

// power is b to the n.
func power(b, n int) int {
	p := 1
	for range n {
		p *= b
	}
	return p
}

// TestSumsOnDevices has the known answers: of a commutative head the table keeps half of the rows.
func TestSumsOnDevices(t *testing.T) {
	device.Narrow(t, 16)
	for _, name := range devices() {
		dev := open(t, name)
		for n := 2; n <= long.Count(5, 8, 8); n++ {
			g := egraph.New()
			c := sum(g, n)
			rows := (power(3, n)-power(2, n+1)+1)/2 + n
			s, err := device.OpenSaturation(t.Context(), dev, parsed(t, assoc), egraph.Limits{Rows: 2 * rows}, egraph.Costs{},
				[]*egraph.Graph{g}, []egraph.Class{c})
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if r := saturated(t, s); r.Rows != rows || r.Classes != power(2,
					n)-1 || r.Stopped != "" || len(r.Terms.Nodes) != 2*n-1 {
					t.Errorf("%s, %d leaves: %d rows, %d classes after %d rounds, %v, %v; want %d, %d", name, n, r.Rows, r.Classes,
						r.Rounds, r.Stopped, r.Terms, rows, power(2, n)-1)
				}
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// drawn is a graph of random terms of a type, with the roots of some.
func drawn(r *rand.Rand, t ir.Type, terms int) (g *egraph.Graph, classes []egraph.Class) {
	g = egraph.New()
	for _, name := range []string{"x", "y", "z"} {
		classes = append(classes, g.Leaf(name, t))
	}
	one := []uint64{1, 1, 2, 5}
	switch t {
	case ir.F32:
		one = []uint64{0x3F800000, 0x40000000, 0x80000000}
	case ir.Bool:
		one = []uint64{1}
	}
	classes = append(classes, g.Const(t, 0), g.Const(t, one[r.IntN(len(one))]))
	c := g.Leaf("c", ir.Bool)
	ops := []ir.Op{ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpNot}
	switch {
	case t == ir.F32:
		ops = []ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpDiv, ir.OpNeg, ir.OpFma, ir.OpMin}
	case t.IsInt():
		ops = append(ops, ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpDiv, ir.OpNeg, ir.OpShl, ir.OpMax)
	}
	count := g.Const(ir.U32, 1)
	for range terms {
		op := ops[r.IntN(len(ops))]
		pick := func() egraph.Class { return classes[r.IntN(len(classes))] }
		kids := []egraph.Class{pick(), pick(), pick()}[:op.Info().Args]
		if op == ir.OpShl {
			kids[1] = count
		}
		h := egraph.HeadInfo{Op: op, Type: t}
		if r.IntN(5) == 0 {
			h, kids = egraph.HeadInfo{Op: ir.OpSelect, Type: t}, []egraph.Class{c, pick(), pick()}
		}
		if t != ir.Bool && r.IntN(9) == 0 {
			c = g.Add(g.Head(egraph.HeadInfo{Op: ir.OpLt, Type: ir.Bool}), pick(), pick())
		}
		classes = append(classes, g.Add(g.Head(h), kids...))
	}
	return g, classes
}

// compared is what a comparison with a plain saturation came to.
type compared struct{ saturated, moves, terms int }

// add compares a drawn graph under drawn rules with a plain saturation: rows and classes after each round, why it
// ended, and the cheapest terms.
func (n *compared) add(t *testing.T, dev vyre.Device, seed uint64) error {
	t.Helper()
	var all, some []*rules.Rule
	for _, r := range rules.Table() {
		if r.Cond != "within" && r.Cond != "below" {
			all = append(all, r)
		}
	}
	r := rand.New(rand.NewPCG(seed, 9))
	for range 12 {
		some = append(some, all[r.IntN(len(all))])
	}
	typ := []ir.Type{ir.U32, ir.I32, ir.F32, ir.I64, ir.Bool}[seed%5]
	g, classes := drawn(r, typ, 9)
	limits := egraph.Limits{Rows: 60 + r.IntN(60), Rounds: 1 + r.IntN(5)}
	by := egraph.Costs{Of: func(h egraph.Head) uint64 { return uint64(g.Info(h).Op) * 7 % 4 }}
	s, err := device.OpenSaturation(t.Context(), dev, some, limits, by, []*egraph.Graph{g}, classes)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	defer s.Close()
	ended, err := s.Run(t.Context())
	p := &plainly{Plain: egraphs.Plain{Graph: g}}
	log, stopped := p.run(some, limits)
	if p.clash {
		t.Fatalf("seed %d: a false rule in the table? %v", seed, err)
	}
	if err != nil {
		return err
	}
	out := ended[0]
	if got := s.Log(); !slices.Equal(got, log) || out.Stopped != stopped {
		return fmt.Errorf("%v: rows and classes %v, %v, want %v, %v", typ, got, out.Stopped, log, stopped)
	}
	n.moves += s.Moves()
	if stopped == "" {
		n.saturated++
	}
	price := func(h egraph.HeadInfo, kids int) uint64 {
		if kids == 0 {
			return uint64(h.Op) * 7 % 4
		}
		return max(1, uint64(h.Op)*7%4)
	}
	for i, got := range strings.Split(out.Terms.String(), ", ") {
		if want := p.extract(s, price, classes[i]); got != want {
			return fmt.Errorf("class %d is %s, want %s", classes[i], got, want)
		}
		n.terms++
	}
	return nil
}

func TestRandomGraphsAndRules(t *testing.T) {
	dev, n := open(t, "cpu"), compared{}
	for seed := range uint64(long.Count(20, 60, 400)) {
		if err := n.add(t, dev, seed); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	if n.saturated < 5 || n.terms < 100 {
		t.Errorf("%+v: the test does not reach what it is for", n)
	}
}

// TestSaturationIsThatOfTheHost compares random graphs that both engines saturate: which classes are equal, rows and
// classes, and cheapest terms. The host may know more of integers, by their facts.
func TestSaturationIsThatOfTheHost(t *testing.T) {
	all := rules.Table()
	dev := open(t, "cpu")
	graphs, unions, more := 0, 0, 0
	for seed := range uint64(long.Count(24, 80, 400)) {
		begin := func() (r *rand.Rand, typ ir.Type, g *egraph.Graph, classes []egraph.Class) {
			r, typ = rand.New(rand.NewPCG(seed, 21)), []ir.Type{ir.F32, ir.U32, ir.Bool, ir.I64}[seed%4]
			g, classes = drawn(r, typ, 14)
			return r, typ, g, classes
		}
		r, typ, g, classes := begin()
		var some []*rules.Rule
		for len(some) < 40 {
			if one := all[r.IntN(len(all))]; one.At(typ) != nil {
				some = append(some, one)
			}
		}
		rs, err := egraph.Compile(some)
		if err != nil {
			t.Fatal(err)
		}
		report, err := g.Run(rs, egraph.Limits{Rows: 200, Rounds: 60})
		if err != nil || report.Stopped != "" {
			continue
		}
		_, _, same, _ := begin()
		s := opening(t, dev, same, some, egraph.Limits{Rows: 300}, classes...)
		out := saturated(t, s)
		if out.Stopped != "" {
			t.Errorf("seed %d: %s", seed, out.Stopped)
			continue
		}
		graphs++
		unions += report.Unions
		roots, differs := out.Terms.Roots, 0
		for i, c := range classes {
			for k, d := range classes[:i] {
				switch one := roots[i] == roots[k]; {
				case one && g.Find(c) != g.Find(d):
					t.Errorf("seed %d, %v: classes %d and %d are equal on the device alone", seed, typ, c, d)
				case !one && g.Find(c) == g.Find(d):
					differs++
				}
			}
		}
		if out.Rows != g.Rows() || out.Classes != g.Classes() || differs > 0 {
			if more++; typ == ir.F32 {
				t.Errorf("seed %d: %d rows, %d classes, on the host %d and %d", seed, out.Rows, out.Classes, g.Rows(), g.Classes())
			}
			continue
		}
		p := &plainly{Plain: egraphs.Plain{Graph: g}}
		p.Look()
		for i, got := range strings.Split(out.Terms.String(), ", ") {
			if want := p.extract(s, func(_ egraph.HeadInfo, kids int) uint64 { return uint64(min(kids, 1)) },
				classes[i]); got != want {
				t.Errorf("seed %d: class %d is %s, on the host %s", seed, classes[i], got, want)
			}
		}
	}
	if t.Logf("%d graphs, %d unions, %d of which the host knows more", graphs, unions,
		more); graphs < 10 || unions < 30 || more > graphs/3 {
		t.Errorf("%d graphs with %d unions, %d of them other ones: the test does not reach what it is for", graphs, unions,
			more)
	}
}

// TestGoalsOfManyGraphs: with the whole table, each graph ends in the round in which its two classes become equal.
func TestGoalsOfManyGraphs(t *testing.T) {
	list := rules.Table()
	rs, err := egraph.Compile(list)
	if err != nil {
		t.Fatal(err)
	}
	const pairs = `
0 int (neg (neg ?x)) => ?x
1 int (and ?x (or ?x ?y)) => ?x
2 int (and ?x ?y) => (or ?x ?y)
3 int (sub ?x (sub ?x ?y)) => ?y
4 int (add ?x ?y) => (add ?y ?x)
5 int (xor (not ?x) (not ?y)) => (xor ?x ?y)`
	limits := egraph.Limits{Rows: 90, Rounds: 3, Goal: [2]egraph.Class{0, 1}}
	var graphs []*egraph.Graph
	var want []bool
	for _, r := range parsed(t, strings.ReplaceAll(pairs, "\n", "\npair-")[1:]) {
		add := func() *egraph.Graph {
			g, at := egraph.New(), r.At(ir.U32)
			var build func(p *rules.Term) egraph.Class
			build = func(p *rules.Term) egraph.Class {
				if p.Kind == rules.Value {
					return g.Leaf(at.Vars[p.Var].Name, p.Type)
				}
				var kids []egraph.Class
				for _, a := range p.Args {
					kids = append(kids, build(a))
				}
				return g.Add(g.Head(egraph.HeadInfo{Op: p.Op, Type: p.Type}), kids...)
			}
			sides := [2]egraph.Class{g.Class(ir.U32), g.Class(ir.U32)}
			for i, p := range []*rules.Term{at.Left, at.Right} {
				if err := g.Union(sides[i], build(p), "side"); err != nil {
					t.Fatal(err)
				}
			}
			return g
		}
		report, err := add().Run(rs, limits)
		if err != nil {
			t.Fatal(err)
		}
		graphs, want = append(graphs, add()), append(want, report.Stopped == "goal")
	}
	s, err := device.OpenSaturation(t.Context(), open(t, "cpu"), list, limits, egraph.Costs{}, graphs)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for range 2 {
		all, err := s.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for n, out := range all {
			if (out.Stopped == "goal") != want[n] || want[n] == (n == 2) || n == 4 && out.Rounds != 0 {
				t.Errorf("pair %d: %q after %d rounds, on the host %v", n, out.Stopped, out.Rounds, want[n])
			}
		}
	}
	limits.Goal[1] = 999
	if _, err := device.OpenSaturation(t.Context(), open(t, "cpu"), list, limits, egraph.Costs{}, graphs); err == nil ||
		!strings.Contains(err.Error(), "class 999 is not there") {
		t.Errorf("a goal that is not there: %v", err)
	}
}

// opening is OpenSaturation of a graph for a test.
func opening(t *testing.T, dev vyre.Device, g *egraph.Graph, list []*rules.Rule, limits egraph.Limits,
	classes ...egraph.Class) *device.Saturation {
	t.Helper()
	s, err := device.OpenSaturation(t.Context(), dev, list, limits, egraph.Costs{}, []*egraph.Graph{g}, classes)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestATableIsMadeAnewOnDevices, when half of it is used, as often as needed, and the answers stay.
func TestATableIsMadeAnewOnDevices(t *testing.T) {
	device.Narrow(t, 2)
	for _, name := range devices() {
		dev := open(t, name)
		n := long.Count(5, 7, 7)
		g := egraph.New()
		c := sum(g, n)
		rows := (power(3, n)-power(2, n+1)+1)/2 + n
		s := opening(t, dev, g, parsed(t, assoc+"\nsub-split int (neg (neg ?x)) => ?x"), egraph.Limits{Rows: rows + 20}, c)
		if r := saturated(t, s); r.Rows != rows || r.Classes != power(2, n)-1 || len(r.Terms.Nodes) != 2*n-1 {
			t.Errorf("%s: %d rows, %d classes, %v", name, r.Rows, r.Classes, r.Terms)
		}
		if s.Moves() == 0 {
			t.Errorf("%s: half of the table was never used", name)
		}
	}
}

// TestATableThatBecomesFullIsAnError, with the bytes, and other saturations go on.
func TestATableThatBecomesFullIsAnError(t *testing.T) {
	dev := open(t, "cpu")
	g := egraph.New()
	c := sum(g, 7)
	device.Narrow(t, 1)
	s := opening(t, dev, g, parsed(t, assoc), egraph.Limits{Rows: 250}, c)
	for range 2 {
		_, err := s.Run(t.Context())
		var e *driver.Error
		if !errors.As(err, &e) || e.Kind != driver.OutOfMemory || e.Requested <= e.Available || !strings.Contains(e.Msg,
			"table of 256 slots") {
			t.Errorf("%v", err)
		}
	}
}

// TestLimitsOfASaturation depend on rows and rounds alone.
func TestLimitsOfASaturation(t *testing.T) {
	dev := open(t, "cpu")
	grow := parsed(t, "grow int (neg ?x) => (neg (not ?x))")
	for _, v := range []struct {
		limits egraph.Limits
		want   string
		rounds int
	}{
		{egraph.Limits{Rows: 40}, "limit of rows", 0}, {egraph.Limits{Rows: 999, Rounds: 3}, "limit of rounds", 3},
		{egraph.Limits{Rows: 1, Rounds: 9}, "limit of rows", 0}, {egraph.Limits{Rounds: 2}, "limit of rounds", 2},
	} {
		g := egraph.New()
		c := g.Add(g.Head(egraph.HeadInfo{Op: ir.OpNeg, Type: ir.I32}), g.Leaf("x", ir.I32))
		r := saturated(t, opening(t, dev, g, grow, v.limits, c))
		if r.Stopped != v.want || v.rounds > 0 && r.Rounds != v.rounds || r.Terms.String() != "(neg x)" {
			t.Errorf("%+v: %v after %d rounds with %d rows, %v", v.limits, r.Stopped, r.Rounds, r.Rows, r.Terms)
		}
	}
	g := egraph.New()
	x := g.Leaf("x", ir.U32)
	own := saturated(t, opening(t, dev, g, parsed(t, "own int (neg ?x) => (neg ?x)"), egraph.Limits{Rows: 9}, x))
	if own.Stopped != "" || own.Rounds != 1 || own.Rows != 1 {
		t.Errorf("without anything to match: %+v", own)
	}
	empty := saturated(t, opening(t, dev, egraph.New(), grow, egraph.Limits{Rows: 9}))
	if empty.Stopped != "" || empty.Rows != 0 || empty.Classes != 0 || empty.Terms != nil {
		t.Errorf("an empty graph: %+v", empty)
	}
}

// TestARuleThatMakesItsOwnLeftSide ends, and a cycle has no term unless a row leads out of it.
func TestARuleThatMakesItsOwnLeftSide(t *testing.T) {
	dev := open(t, "cpu")
	g := egraph.New()
	x := g.Leaf("x", ir.U32)
	neg := g.Head(egraph.HeadInfo{Op: ir.OpNeg, Type: ir.U32})
	n := g.Add(neg, x)
	cycle := g.Class(ir.U32)
	g.Insert(cycle, neg, cycle)
	r := saturated(t, opening(t, dev, g, parsed(t, "own int (neg ?x) => ?x"), egraph.Limits{Rows: 9}, n))
	if r.Classes != 2 || r.Rows != 3 || r.Terms.String() != "x" {
		t.Errorf("%+v", r)
	}
	s := opening(t, dev, g, nil, egraph.Limits{Rows: 9}, n, cycle)
	if _, err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "class 2 has no term") {
		t.Errorf("a cycle without a way out: %v", err)
	}
}

// TestClassesWithoutRowsStayApart: they match variables, and have a term once a rule gives them one, in each run.
func TestClassesWithoutRowsStayApart(t *testing.T) {
	device.Narrow(t, 2)
	for _, name := range devices() {
		g := egraph.New()
		neg := g.Head(egraph.HeadInfo{Op: ir.OpNeg, Type: ir.U32})
		x, y := g.Class(ir.U32), g.Class(ir.U32)
		twice := func(c egraph.Class) egraph.Class { return g.Add(neg, g.Add(neg, c)) }
		if err := g.Union(twice(y), g.Leaf("w", ir.U32), "given"); err != nil {
			t.Fatal(err)
		}
		list, dev := parsed(t, "neg-neg int (neg (neg ?x)) => ?x"), open(t, name)
		last := twice(x)
		s := opening(t, dev, g, list, egraph.Limits{Rows: 20}, y)
		for range 2 {
			if r := saturated(t, s); r.Rows != 5 || r.Classes != 4 || r.Terms.String() != "w" {
				t.Errorf("%s: %d rows, %d classes, %v", name, r.Rows, r.Classes, r.Terms)
			}
		}
		_, err := opening(t, dev, g, list, egraph.Limits{Rows: 20}, last).Run(t.Context())
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("class %d has no term", last)) {
			t.Errorf("%s: the term of a class without rows: %v", name, err)
		}
	}
}

// TestFalseRulesAreNamed when they make two constants equal, and the graph is not changed.
func TestFalseRulesAreNamed(t *testing.T) {
	dev := open(t, "cpu")
	for _, text := range []string{"false int (add ?x 0) => (add ?x 1)",
		"good int (add ?x 0) => ?x\nfalse int (add ?x #a) => (sub #a 1)"} {
		g := egraph.New()
		c := g.Add(g.Head(egraph.HeadInfo{Op: ir.OpAdd, Type: ir.U32}), g.Const(ir.U32, 5), g.Const(ir.U32, 0))
		s := opening(t, dev, g, parsed(t, text), egraph.Limits{Rows: 100}, c)
		for range 2 {
			_, err := s.Run(t.Context())
			var e *egraph.Error
			if !errors.As(err, &e) || !strings.Contains(e.Rule+e.Text, "false") {
				t.Errorf("%s: %v", text, err)
			}
		}
		if g.Rows() != 3 || g.Check() != nil {
			t.Errorf("the graph has %d rows, %v", g.Rows(), g.Check())
		}
	}
}

// TestSaturationsThatCannotBeAreRefused, with what is wrong.
func TestSaturationsThatCannotBeAreRefused(t *testing.T) {
	dev := open(t, "cpu")
	neg := parsed(t, "neg-neg int (neg (neg ?x)) => ?x")
	loose := *neg[0]
	loose.Right = &rules.Term{Kind: rules.Value, Var: 1}
	loose.Vars = append(slices.Clone(loose.Vars), rules.Variable{Name: "?y"})
	good := func(g *egraph.Graph) { sum(g, 3) }
	for _, v := range []struct {
		make   func(g *egraph.Graph)
		list   []*rules.Rule
		limits egraph.Limits
		class  egraph.Class
		want   string
	}{
		{make: good, list: []*rules.Rule{&loose}, want: "rule neg-neg: the left side has no ?y"},
		{make: good, list: neg, limits: egraph.Limits{Matches: 5}, want: "a limit of 5 matches"},
		{make: good, list: neg, limits: egraph.Limits{Rows: -1}, want: "limits of -1 rows"},
		{make: good, list: neg, limits: egraph.Limits{Rows: 1 << 30}, want: "limits of 1073741824 rows"},
		{make: good, list: neg, class: 99, want: "class 99 is not there"},
		{make: func(g *egraph.Graph) { g.Add(77) }, list: neg, want: "no head 77"},
		{make: func(g *egraph.Graph) { g.Add(g.Head(egraph.HeadInfo{Op: ir.OpNeg, Type: ir.U32}), 9) }, list: neg,
			want: "is class 9 of 0"},
		{make: func(g *egraph.Graph) {
			x := g.Leaf("x", ir.U32)
			g.Add(g.Head(egraph.HeadInfo{Name: "f", Type: ir.U32}), x, x, x, x)
		}, list: neg, want: "has 4 children, at most 3"},
		{make: func(g *egraph.Graph) { g.Leaf("x", ir.F16) }, list: neg, want: "f16"},
	} {
		g := egraph.New()
		v.make(g)
		var classes []egraph.Class
		if v.class != 0 {
			classes = append(classes, v.class)
		}
		s, err := device.OpenSaturation(t.Context(), dev, v.list, v.limits, egraph.Costs{}, []*egraph.Graph{g}, classes)
		if err == nil || !strings.Contains(err.Error(), v.want) || s != nil {
			t.Errorf("%v, want %q", err, v.want)
		}
	}
	if _, err := device.OpenSaturation(t.Context(), nil, nil, egraph.Limits{}, egraph.Costs{},
		[]*egraph.Graph{egraph.New()}); !errors.Is(err, driver.InvalidArgument) {
		t.Errorf("no device: %v", err)
	}
	s := opening(t, dev, egraph.New(), neg, egraph.Limits{})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(t.Context()); !errors.Is(err, driver.InvalidArgument) || !strings.Contains(err.Error(), "closed") {
		t.Errorf("closed: %v", err)
	}
}

// TestASaturationThatDoesNotFitSaysSoToTheByte.
func TestASaturationThatDoesNotFitSaysSoToTheByte(t *testing.T) {
	g := egraph.New()
	sum(g, 4)
	whole := open(t, "cpu")
	before := whole.Stats().Get(metric.LiveBytes)
	s := opening(t, whole, g, parsed(t, assoc), egraph.Limits{Rows: 100})
	bytes := whole.Stats().Get(metric.LiveBytes) - before - megakernel.RecordBytes - 8
	if s.Close() != nil {
		t.Fatal("not closed")
	}
	dev, err := driver.Open("cpu", driver.OpenOptions{MemoryLimit: int64(bytes) - 1})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	_, err = device.OpenSaturation(t.Context(), dev, parsed(t, assoc), egraph.Limits{Rows: 100}, egraph.Costs{},
		[]*egraph.Graph{g})
	var e *driver.Error
	if !errors.As(err, &e) || e.Kind != driver.OutOfMemory || e.Requested != int64(bytes) {
		t.Errorf("%v, want %d bytes requested", err, bytes)
	}
}

// TestOneUploadOneLaunchOneReadSaturatesOnDevices, and a second run allocates nothing on a device.
func TestOneUploadOneLaunchOneReadSaturatesOnDevices(t *testing.T) {
	for _, name := range devices() {
		dev := open(t, name)
		g := egraph.New()
		c := sum(g, 4)
		s := opening(t, dev, g, parsed(t, assoc), egraph.Limits{Rows: 100}, c)
		for range 2 {
			before := *dev.Stats()
			saturated(t, s)
			did := dev.Stats().Sub(&before)
			if n := did.Get(metric.LaunchesPlain) + did.Get(metric.LaunchesGraph); n != 1 || did.Get(metric.Uploads) != 1 || did.Get(metric.Reads) != 1 || did.Get(metric.AllocRequests) != 0 {
				t.Errorf("%s: %d launches, %d uploads, %d reads, %d allocations", name, n, did.Get(metric.Uploads),
					did.Get(metric.Reads), did.Get(metric.AllocRequests))
			}
		}
	}
}

// TestNoScheduleOfASaturationShowsARace, and all come to the same.
func TestNoScheduleOfASaturationShowsARace(t *testing.T) {
	device.Narrow(t, 2)
	schedules := []cpu.Schedule{cpu.Reversed, cpu.Seeded(5), cpu.Seeded(6), cpu.Forward, cpu.Seeded(7)}
	list := parsed(t, assoc+`
mul-pow2  int  (mul ?x #a) => (shl ?x (ctz #a)) when pow2 #a
add-const int  (add (add ?x #a) #b) => (add ?x (add #a #b))
select-same any (select ?c ?x ?x) => ?x
add-self  int  (add ?x ?x) <=> (shl ?x 1)`)
	moves := 0
	for _, typ := range []ir.Type{ir.U32, ir.I64} {
		var want string
		for _, schedule := range schedules[:long.Count(2, 5, 5)] {
			dev, err := cpu.Open(cpu.Options{Engine: cpu.Interp, Run: cpu.RunOptions{Schedule: schedule,
				Detect: cpu.Everything}})
			if err != nil {
				t.Fatal(err)
			}
			g, classes := drawn(rand.New(rand.NewPCG(3, 3)), typ, 12)
			classes = append(classes, sum(g, 5))
			s := opening(t, dev, g, list, egraph.Limits{Rows: 128}, classes...)
			r := saturated(t, s)
			for _, found := range s.Found() {
				t.Errorf("%s: %s", found.Kernel, found.Text)
			}
			got := fmt.Sprint(r.Rows, r.Classes, r.Rounds, r.Stopped, s.Log(), r.Terms)
			if want == "" {
				want = got
			}
			if moves += s.Moves(); got != want {
				t.Errorf("another schedule comes to %s, not %s", got, want)
			}
			if err := errors.Join(s.Close(), dev.Close()); err != nil {
				t.Error(err)
			}
		}
	}
	if moves == 0 {
		t.Error("no table was made anew")
	}
}

// TestManyGraphsAtOnceOnDevices: each comes to what it comes to alone, stops by its own limits, and knows nothing of
// the constants of others. One with a false rule is an error that names it, and the others have their outcomes.
func TestManyGraphsAtOnceOnDevices(t *testing.T) {
	device.Narrow(t, 16)
	list := parsed(t, assoc+`
add-const int (add (add ?x #a) #b) => (add ?x (add #a #b))
mul-pow2  int (mul ?x #a) => (shl ?x (ctz #a)) when pow2 #a
neg-split int (neg ?x) <=> (add (not ?x) 1)
sub-split int (sub ?x ?y) <=> (add ?x (neg ?y))
false     int (brev ?x) => 1`)
	limits := egraph.Limits{Rows: 60, Rounds: 7}
	number := func(g *egraph.Graph, v uint64) {
		g.Add(g.Head(egraph.HeadInfo{Op: ir.OpBrev, Type: ir.U32}), g.Const(ir.U32, v))
	}
	var graphs []*egraph.Graph
	var classes [][]egraph.Class
	var alone []device.Outcome
	stops := map[string]int{}
	bad, dev := 2, open(t, "cpu")
	for n := range long.Count(5, 30, 100) {
		g, some := drawn(rand.New(rand.NewPCG(uint64(n), 5)), []ir.Type{ir.U32, ir.I64}[n%2], 1+n%9)
		if n%3 == 0 {
			some = append(some, sum(g, 3+n%2))
		}
		s := opening(t, dev, g, list, limits, some...)
		graphs, classes, alone = append(graphs, g), append(classes, some), append(alone, saturated(t, s))
		stops[alone[n].Stopped]++
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if stops[""] == 0 || len(stops) < 2 {
		t.Errorf("all graphs end alike: %v", stops)
	}
	number(graphs[bad], 12)
	for _, name := range devices() {
		s, err := device.OpenSaturation(t.Context(), open(t, name), list, limits, egraph.Costs{}, graphs, classes...)
		if err != nil {
			t.Fatal(err)
		}
		all, err := s.Run(t.Context())
		var e *egraph.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), fmt.Sprintf("graph %d: ", bad)) || e.Rule != "false" {
			t.Errorf("%s: %v", name, err)
		}
		for n := range all {
			got, want := &all[n], &alone[n]
			if n != bad && (got.Rows != want.Rows || got.Classes != want.Classes || got.Rounds != want.Rounds ||
				got.Stopped != want.Stopped || got.Terms.String() != want.Terms.String()) {
				t.Errorf("%s, graph %d: %+v, alone %+v", name, n, got, want)
			}
		}
		if err := s.Close(); err != nil || len(all) != len(graphs) {
			t.Errorf("%d outcomes, %v", len(all), err)
		}
	}
}

// saturations makes a saturation whose runs have the known answer.
func saturations(ctx context.Context, dev driver.Device) (made faults.Object, err error) {
	g := egraph.New()
	c := sum(g, 3)
	list, err := rules.Parse(assoc)
	if err != nil {
		return made, err
	}
	s, err := device.OpenSaturation(ctx, dev, list, egraph.Limits{Rows: 30}, egraph.Costs{}, []*egraph.Graph{g},
		[]egraph.Class{c})
	if err != nil {
		return made, err
	}
	made.Close = s.Close
	made.Run = func(ctx context.Context) error {
		r, err := s.Run(ctx)
		if err == nil && (r[0].Rows != 9 || r[0].Classes != 7 || r[0].Terms.String() != "(add x0 (add x1 x2))") {
			err = fmt.Errorf("%w: %+v", faults.ErrWrong, r)
		}
		return err
	}
	return made, nil
}

// TestAnyCallOfASaturationMayFail, in one launch and in a loop of the host: the error names it, nothing is left, and
// the saturation is right afterwards.
func TestAnyCallOfASaturationMayFail(t *testing.T) {
	device.Narrow(t, 4) // most of the time is that of empty slots
	for _, lacks := range [][]cu.Group{nil, {cu.Coop}} {
		config := cusim.Config{Models: []cusim.Model{cusim.Tiny}, Lacks: lacks}
		if n := faults.EachCall(t, config, long.Count(97+200*len(lacks), 11, 1), faults.Maker(saturations).Session(), 719,
			cu.OutOfMemory); n < 1 {
			t.Errorf("lacking %v, only %d calls failed", lacks, n)
		}
		n := faults.Sweep{Config: config, Make: saturations, Faults: faults.Sizes(3, 300), Seed: long.Seed(t, 1)}.Run(t)
		if n.Errors == 0 {
			t.Errorf("lacking %v, no call failed: %v", lacks, n)
		}
	}
}
