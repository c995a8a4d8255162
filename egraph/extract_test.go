package egraph_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/ir"
)

func TestExtractSharesParts(t *testing.T) {
	// Alone, (neg x) is cheaper than (sub (mul x y) z) + … would be; with the product there already, the sum is free.
	g := egraph.New()
	x, y := g.Leaf("x", ir.U32), g.Leaf("y", ir.U32)
	product := op(g, ir.OpMul, ir.U32, x, y)
	other := op(g, ir.OpNot, ir.U32, op(g, ir.OpNot, ir.U32, x))
	over := op(g, ir.OpNot, ir.U32, product)
	union(t, g, op(g, ir.OpNeg, ir.U32, other), over)
	root := op(g, ir.OpAdd, ir.U32, g.Find(over), product)
	if err := g.Rebuild(); err != nil {
		t.Fatal(err)
	}
	cost := func(h egraph.Head) uint64 {
		if g.Info(h).Op == ir.OpMul {
			return 4
		}
		return 1
	}
	// (neg (not (not x))) costs 3 as a tree, (not (mul x y)) 5; but the product is there.
	best := g.Extract(egraph.Costs{Of: cost}, root)
	if got := best.String(); got != "(add (mul x y) (not (mul x y)))" && got != "(add (not (mul x y)) (mul x y))" {
		t.Errorf("extracted %s", got)
	}
	if best.Cost != 1+1+4+2 { // the leaves cost 1 here
		t.Errorf("%s costs %d", best, best.Cost)
	}
	alone := g.Extract(egraph.Costs{Of: cost}, over)
	if got := alone.String(); got != "(neg (not (not x)))" {
		t.Errorf("alone: %s", got)
	}
	both := g.Extract(egraph.Costs{Of: cost}, over, product)
	if got := both.String(); got != "(not (mul x y)), (mul x y)" || len(both.Roots) != 2 {
		t.Errorf("both: %s", got)
	}
}

func TestExtractTakesWhatIsAllowed(t *testing.T) {
	g := egraph.New()
	x, y := g.Leaf("x", ir.U32), g.Leaf("y", ir.U32)
	long := op(g, ir.OpNot, ir.U32, op(g, ir.OpNeg, ir.U32, x))
	union(t, g, long, y)
	if err := g.Rebuild(); err != nil {
		t.Fatal(err)
	}
	if best := g.Extract(egraph.Costs{}, long); best.String() != "y" {
		t.Errorf("extracted %s", best)
	}
	here := egraph.Costs{Allow: func(h egraph.Head) bool { return g.Info(h).Name != "y" }}
	if best := g.Extract(here, long); best.String() != "(not (neg x))" {
		t.Errorf("without y: %s", best)
	}
	nothing := egraph.Costs{Allow: func(egraph.Head) bool { return false }}
	if best := g.Extract(nothing, long); best.String() != "(not (neg x))" {
		t.Errorf("with nothing allowed the term that came in must stay: %s", best)
	}
}

func TestExtractOfTies(t *testing.T) {
	g := egraph.New()
	x := g.Leaf("x", ir.U32)
	a, b := op(g, ir.OpNot, ir.U32, x), op(g, ir.OpNeg, ir.U32, x)
	top := op(g, ir.OpPopc, ir.U32, b)
	union(t, g, a, b)
	if err := g.Rebuild(); err != nil {
		t.Fatal(err)
	}
	if best := g.Extract(egraph.Costs{}, top); best.String() != "(popc (neg x))" {
		t.Errorf("a term that is as cheap as any changed to %s", best)
	}
}

// TestExtractOfCycles has classes with terms that have themselves in them, and classes without any term.
func TestExtractOfCycles(t *testing.T) {
	g := egraph.New()
	x := g.Leaf("x", ir.U32)
	n := op(g, ir.OpNot, ir.U32, x)
	union(t, g, n, x)
	loop, void := g.Class(ir.U32), g.Class(ir.U32)
	g.Insert(loop, g.Head(egraph.HeadInfo{Op: ir.OpNot, Type: ir.U32}), loop)
	if err := g.Rebuild(); err != nil {
		t.Fatal(err)
	}
	free := egraph.Costs{Of: func(egraph.Head) uint64 { return 0 }}
	if best := g.Extract(free, n); best.String() != "x" {
		t.Errorf("extracted %s", best)
	}
	for _, c := range []egraph.Class{loop, void} {
		if best := g.Extract(free, c); best != nil {
			t.Errorf("class %d has the term %s", c, best)
		}
	}
	if g.Term(loop) != nil || g.Term(99) != nil {
		t.Error("a term of a class that has none")
	}
}

// cheapest is the cost of the cheapest terms of roots, by trying every choice of rows.
func cheapest(g *egraph.Graph, roots ...egraph.Class) uint64 {
	c := g.Columns()
	rows := make(map[egraph.Class][]uint32)
	for row, class := range c.Class {
		rows[c.Parent[class]] = append(rows[c.Parent[class]], uint32(row))
	}
	best := uint64(math.MaxUint64)
	chosen := make(map[egraph.Class]uint32)
	var order []egraph.Class // that need a row
	var try func(at int, cost uint64)
	try = func(at int, cost uint64) {
		if cost >= best {
			return
		}
		if at == len(order) {
			if acyclic(c, chosen, order) {
				best = cost
			}
			return
		}
		class := order[at]
		for _, row := range rows[class] {
			chosen[class] = row
			n, kids := len(order), c.Kids[c.First[row]:c.First[row]+c.Len[row]]
			for _, k := range kids {
				found := false
				for _, o := range order {
					found = found || o == k
				}
				if !found {
					order = append(order, k)
				}
			}
			add := uint64(0)
			if len(kids) > 0 {
				add = 1
			}
			try(at+1, cost+add)
			order = order[:n]
		}
		delete(chosen, class)
	}
	for _, r := range roots {
		order = append(order, g.Find(r))
	}
	try(0, 0)
	return best
}

func acyclic(c egraph.Columns, chosen map[egraph.Class]uint32, order []egraph.Class) bool {
	state := make(map[egraph.Class]int)
	var visit func(egraph.Class) bool
	visit = func(k egraph.Class) bool {
		if state[k] != 0 {
			return state[k] == 2
		}
		state[k] = 1
		row := chosen[k]
		for _, kid := range c.Kids[c.First[row] : c.First[row]+c.Len[row]] {
			if !visit(kid) {
				return false
			}
		}
		state[k] = 2
		return true
	}
	for _, k := range order {
		if !visit(k) {
			return false
		}
	}
	return true
}

// TestExtractAgainstAllChoices compares with the cheapest of all: never below it, rarely above, never above what came in.
func TestExtractAgainstAllChoices(t *testing.T) {
	above, total := 0, 0
	for seed := range uint64(60) {
		g := egraph.New()
		r := rand.New(rand.NewPCG(seed, 3))
		var all []egraph.Class
		for _, name := range []string{"x", "y", "z"} {
			all = append(all, g.Leaf(name, ir.U32))
		}
		for range 9 {
			o := []ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul}[r.IntN(3)]
			all = append(all, op(g, o, ir.U32, all[r.IntN(len(all))], all[r.IntN(len(all))]))
		}
		for range 4 {
			union(t, g, all[3+r.IntN(len(all)-3)], all[3+r.IntN(len(all)-3)])
		}
		if err := g.Rebuild(); err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			best, want := g.Extract(egraph.Costs{}, c), cheapest(g, c)
			total++
			if best.Cost < want || best.Cost > g.Term(c).Cost {
				t.Fatalf("seed %d: %s costs %d, the cheapest %d, %s %d", seed, best, best.Cost, want, g.Term(c), g.Term(c).Cost)
			}
			if best.Cost > want {
				above++
			}
		}
	}
	if above*20 > total {
		t.Errorf("%d of %d terms are dearer than they have to be", above, total)
	}
}

// TestDoubledTerms has terms whose trees have 2ⁿ nodes: nothing may take as long.
func TestDoubledTerms(t *testing.T) {
	g := egraph.New()
	x := g.Leaf("x", ir.U32)
	g.Assume(x, egraph.Facts{Hi: 7, SHi: 7, Zeros: ^uint64(7)})
	c, small := x, x
	for i := range 100 {
		if c = op(g, ir.OpMul, ir.U32, c, c); i < 40 {
			small = c
		}
	}
	if _, err := g.Run(table(), egraph.Limits{Rounds: 2, Rows: 3000}); err != nil {
		t.Fatal(err)
	}
	if best := g.Extract(egraph.Costs{}, small); best.Cost > 40 || len(best.String()) > 2000 {
		t.Errorf("40 products cost %d: %s", best.Cost, best)
	}
	best := g.Extract(egraph.Costs{}, c)
	if best.Cost != 100 {
		t.Errorf("100 products cost %d", best.Cost)
	}
	proof, err := g.Explain(c, best)
	if err == nil {
		err = proof.Check()
	}
	if err != nil && !strings.Contains(err.Error(), "has more than 65536 steps") {
		t.Error(err)
	}
}
