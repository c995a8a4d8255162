package egraph_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/internal/testing/egraphs"
	"github.com/govyre/vyre/ir"
)

// vector is an e-graph with its closure.
type vector struct {
	name    string
	graph   func() *egraph.Graph
	unions  []int // recorded, and each round's
	roots   []egraph.Class
	classes int
	live    int
	digest  uint64
}

// drawn is a row of a small e-graph: class, head and children.
type drawn struct {
	class egraph.Class
	head  string
	kids  []egraph.Class
}

func small(classes int, rows []drawn, pending ...[2]egraph.Class) func() *egraph.Graph {
	return func() *egraph.Graph {
		g := egraph.New()
		for range classes {
			g.Class(ir.U32)
		}
		for _, r := range rows {
			g.Insert(r.class, g.Head(egraph.HeadInfo{Name: r.head, Type: ir.U32}), r.kids...)
		}
		for _, p := range pending {
			if err := g.Union(p[0], p[1], "given"); err != nil {
				panic(err)
			}
		}
		return g
	}
}

func kids(list ...egraph.Class) []egraph.Class { return list }

func ladder() *egraph.Graph {
	var pending [][2]egraph.Class
	for e := range egraph.Class(1024) {
		pending = append(pending, [2]egraph.Class{e + 1, e}, [2]egraph.Class{e, e + 1})
		if e%7 == 0 {
			pending = append(pending, [2]egraph.Class{e, e})
		}
	}
	return small(1025, nil, pending...)()
}

var vectors = []vector{
	{name: "A", graph: small(5, []drawn{{0, "lit", nil}, {1, "lit", nil}, {2, "add", kids(0, 1)}, {3, "add", kids(0, 1)},
		{4, "add", kids(1, 0)}, {2, "add", kids(0, 1)}}), unions: []int{0, 2, 1, 0}, roots: kids(0, 0, 2, 2, 2), live: 2},
	{name: "B", graph: func() *egraph.Graph { return egraphs.Chain(18) }, unions: []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 0},
		roots: kids(0, 0, 2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5, 6, 7, 8, 9), live: 10},
	{name: "C", graph: small(6, []drawn{{0, "lit", nil}, {1, "lit", nil}, {2, "add", kids(0, 1)}, {3, "add", kids(0, 1)},
		{4, "add", kids(1, 0)}, {5, "mul", kids(0, 1)}}), unions: []int{0, 2, 1, 0}, roots: kids(0, 0, 2, 2, 2, 5), live: 3},
	{name: "D", graph: small(4, []drawn{{0, "p", nil}, {1, "q", nil}, {2, "add", kids(0, 1)}, {3, "add", kids(1, 0)}}),
		unions: []int{0, 0}, roots: kids(0, 1, 2, 3), live: 4},
	{name: "E", graph: small(2, []drawn{{0, "f", kids(0)}, {1, "f", kids(1)}}), unions: []int{0, 0}, roots: kids(0, 1), live: 2},
	{name: "E'", graph: small(2, []drawn{{0, "f", kids(0)}, {1, "f", kids(1)}}, [2]egraph.Class{0, 1}),
		unions: []int{1, 0}, roots: kids(0, 0), live: 1},
	{name: "F", graph: ladder, unions: []int{1024, 0}, roots: make([]egraph.Class, 1025)},
	{name: "G", graph: small(7, []drawn{{0, "a", nil}, {1, "b", nil}, {2, "c", nil}, {3, "f", kids(0)}, {4, "f", kids(1)},
		{5, "g", kids(3, 2)}, {6, "g", kids(4, 2)}}, [2]egraph.Class{0, 1}), unions: []int{1, 1, 1, 0},
		roots: kids(0, 0, 2, 3, 3, 5, 5), live: 5},
	mixed(64, []int{0, 12, 0}, 52, 52, 0x63814436495ef514),
	mixed(1_000, []int{10, 122, 1, 0}, 867, 877, 0x4dec9ad3ec99a4a5),
	mixed(100_000, []int{1_000, 12_414, 320, 5, 0}, 86_261, 87_261, 0x0875ddd31906a391),
}

func mixed(n int, unions []int, classes, live int, digest uint64) vector {
	return vector{name: fmt.Sprint("W1 ", n), graph: func() *egraph.Graph { return egraphs.Mixed(n) },
		unions: unions, classes: classes, live: live, digest: digest}
}

func (v *vector) check(t *testing.T, g *egraph.Graph) {
	t.Helper()
	if err := g.Check(); err != nil {
		t.Fatal(err)
	}
	if g.Rows() != v.live {
		t.Errorf("%d live rows, want %d", g.Rows(), v.live)
	}
	if v.roots != nil && !slices.Equal(g.Columns().Parent, v.roots) {
		t.Errorf("roots %v, want %v", g.Columns().Parent, v.roots)
	}
	if v.roots == nil && (g.Classes() != v.classes || g.Digest() != v.digest) {
		t.Errorf("%d classes with digest %016x, want %d with %016x", g.Classes(), g.Digest(), v.classes, v.digest)
	}
}

func TestVectors(t *testing.T) {
	for _, v := range vectors {
		t.Run(v.name, func(t *testing.T) {
			host := v.graph()
			if err := host.Rebuild(); err != nil {
				t.Fatal(err)
			}
			v.check(t, host)
			var proofs [][2]egraph.Class
			for i, workers := range []int{1, 3, 1, 3} {
				g := v.graph()
				if i > 1 {
					g.Walk()
				}
				unions, err := g.RebuildParallel(workers)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(unions, v.unions) {
					t.Errorf("%d workers: unions %v, want %v", workers, unions, v.unions)
				}
				v.check(t, g)
				same(t, g, host)
				if i%2 == 0 {
					proofs = g.Unions()
				} else if !slices.Equal(g.Unions(), proofs) {
					t.Errorf("%d workers: other reasons than one worker has", workers)
				}
			}
		})
	}
}

// same compares all columns of two closed graphs.
func same(t *testing.T, a, b *egraph.Graph) {
	t.Helper()
	x, y := a.Columns(), b.Columns()
	if !slices.Equal(x.Class, y.Class) || !slices.Equal(x.Head, y.Head) || !slices.Equal(x.Kids, y.Kids) ||
		!slices.Equal(x.Parent, y.Parent) || !slices.Equal(x.Dead, y.Dead) {
		t.Errorf("columns differ:\n%v\n%v", x, y)
	}
}
