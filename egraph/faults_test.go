package egraph_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/ir"
)

// noticed reports whether the checks of this package see a mistake in closing a graph.
func noticed(v *vector, fault func(*egraph.Graph), workers int) bool {
	g := v.graph()
	fault(g)
	var unions []int
	var err error
	if workers == 0 {
		err = g.Rebuild()
	} else {
		unions, err = g.RebuildParallel(workers)
	}
	right := v.graph()
	if right.Rebuild() != nil {
		return false
	}
	return err != nil || g.Check() != nil || g.Digest() != right.Digest() || g.Rows() != right.Rows() ||
		workers > 0 && !slices.Equal(unions, v.unions)
}

// TestFaultsAreNoticed puts in mistakes. For each there is a vector with which one of the two ways of closing goes wrong.
func TestFaultsAreNoticed(t *testing.T) {
	for name, fault := range egraph.Faults {
		var by []string
		for i := range vectors[:len(vectors)-2] {
			for workers := range 2 {
				if v := &vectors[i]; noticed(v, fault, workers) {
					by = append(by, fmt.Sprint(v.name, workers))
				}
			}
		}
		if len(by) == 0 {
			t.Errorf("%s: no vector notices", name)
		}
	}
	for i := range vectors[:len(vectors)-2] {
		for workers := range 2 {
			if v := &vectors[i]; noticed(v, func(*egraph.Graph) {}, workers) {
				t.Errorf("vector %s, %d workers: a mistake is noticed that is not there", v.name, workers)
			}
		}
	}
}

// TestFaultOfStamps has a rule that can match only because a row came into another class.
func TestFaultOfStamps(t *testing.T) {
	found := func(setup func(*egraph.Graph)) bool {
		g := egraph.New()
		setup(g)
		x := g.Leaf("x", ir.U32)
		outer := op(g, ir.OpNeg, ir.U32, op(g, ir.OpAbsDiff, ir.U32, x, x))
		op(g, ir.OpNot, ir.U32, x)
		// In the first round neither (neg (not x)) is there, nor does the class of (absdiff x x) change its name later.
		rs := compile(t, "join int (absdiff ?x ?x) => (not ?x)\nfind int (neg (not ?x)) => ?x")
		if _, err := g.Run(rs, egraph.Limits{}); err != nil {
			t.Fatal(err)
		}
		return g.Find(outer) == g.Find(x)
	}
	if !found(func(*egraph.Graph) {}) {
		t.Error("the rule did not match")
	}
	if found(egraph.StampFault) {
		t.Error("the rule matches though moved rows count as old")
	}
}

func TestNoAllocationPerRow(t *testing.T) {
	g := egraph.New()
	f := g.Head(egraph.HeadInfo{Name: "f", Type: ir.U32})
	x := g.Leaf("x", ir.U32)
	kids := []egraph.Class{x, x}
	n := 0
	g.Grow(200_000, 400_000)
	if allocs := testing.AllocsPerRun(100, func() {
		for range 1000 {
			kids[0], kids[1] = egraph.Class(n), x
			g.Add(f, kids...)
			n++
		}
	}); allocs != 0 {
		t.Errorf("%v allocations for 1,000 rows", allocs)
	}
	if g.Rows() != n+1 {
		t.Errorf("%d rows, want %d: the test adds what is there", g.Rows(), n+1)
	}
}

func TestBytesPerRow(t *testing.T) {
	const n = 230_000 // little more than fits a table of 2^18: a table is never emptier
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	g := egraph.New()
	g.Grow(n, 7*n/4)
	f, h := g.Head(egraph.HeadInfo{Name: "f", Type: ir.U32}), g.Head(egraph.HeadInfo{Name: "g", Type: ir.U32})
	last := g.Leaf("x", ir.U32)
	for i := range n - 1 { // 1.75 children a row, as in the mixed workload
		if kids := []egraph.Class{last, 0}; i%4 == 0 {
			last = g.Add(h, kids[:1]...)
		} else {
			last = g.Add(f, kids...)
		}
	}
	columns, beyond := g.Bytes()
	if perRow := float64(beyond) / n; perRow > 40 {
		t.Errorf("%.1f bytes a row beyond the columns", perRow)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if all := int(after.HeapAlloc) - int(before.HeapAlloc); all > columns+beyond+1<<16 {
		t.Errorf("the graph takes %d bytes, of which %d are accounted for", all, columns+beyond)
	}
	runtime.KeepAlive(g)
}
