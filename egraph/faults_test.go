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

// TestBytesOfARebuild: a rebuild on several goroutines allocates nothing by the row, and with what it needs for a while the graph
// stays within the same bound. Unions have their reasons, of 24 bytes each.
func TestBytesOfARebuild(t *testing.T) {
	const n = 230_000 // little more than fits a table of 2^18: a table is never emptier
	for _, workers := range []int{1, 2} {
		g := egraph.New()
		g.Grow(n, 7*n/4)
		f, h := g.Head(egraph.HeadInfo{Name: "f", Type: ir.U32}), g.Head(egraph.HeadInfo{Name: "g", Type: ir.U32})
		for range n {
			g.Class(ir.U32)
		}
		g.Insert(0, g.Head(egraph.HeadInfo{Name: "x", Type: ir.U32}))
		for i := egraph.Class(1); i < n; i++ { // 1.75 children a row, as in the mixed workload, and one in eight is a copy
			like := i
			if i%8 == 5 {
				like = i - 4
			}
			if kids := []egraph.Class{like - 1, like / 2}; i%4 == 0 {
				g.Insert(i, h, kids[:1]...)
			} else {
				g.Insert(i, f, kids...)
			}
		}
		_, beyond := g.Bytes()
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		unions, err := g.RebuildParallel(workers)
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		all := 0
		for _, u := range unions {
			all += u
		}
		if all < n/8-1 {
			t.Fatalf("%d unions", all)
		}
		rows := float64(beyond+int(after.TotalAlloc-before.TotalAlloc)-24*all) / n
		if t.Logf("%d workers: %.1f bytes a row, %v unions, %d allocations", workers, rows, unions, after.Mallocs-before.Mallocs); rows > 40 {
			t.Errorf("%d workers: %.1f bytes a row beyond the columns", workers, rows)
		}
		if allocs := after.Mallocs - before.Mallocs; allocs > n/20 {
			t.Errorf("%d workers: %d allocations for %d rows", workers, allocs, n)
		}
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
