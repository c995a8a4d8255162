package gonum_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	theirs "gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/encoding"
	"gonum.org/v1/gonum/graph/encoding/dot"
	"gonum.org/v1/gonum/graph/flow"
	"gonum.org/v1/gonum/graph/multi"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
	"gonum.org/v1/gonum/graph/traverse"

	"github.com/govyre/vyre/driver"
	_ "github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/producers/gonum"
)

// drawn adds random edges between nodes whose ids are far from one another.
func drawn(r *rand.Rand, nodes, edges int, add func(u, v theirs.Node)) {
	id := func() theirs.Node { return simple.Node(1000 * (r.Int64N(int64(nodes)) - 3)) }
	for range edges {
		if u, v := id(), id(); u != v {
			add(u, v)
		}
	}
}

func open(t *testing.T, g *gonum.Graph) *session.Session {
	t.Helper()
	dev, err := driver.Open("cpu", driver.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := session.New(t.Context(), dev, g.CSR, session.Options{Levels: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestAnswersAreGonums: levels, strong components and dominators of random directed graphs, by gonum and by a session.
func TestAnswersAreGonums(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		g := simple.NewDirectedGraph()
		drawn(r, 40, 20+r.IntN(120), func(u, v theirs.Node) { g.SetEdge(g.NewEdge(u, v)) })
		rows, err := gonum.FromGraph(t.Context(), g, gonum.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if rows.Nodes() != g.Nodes().Len() || rows.Arcs() != g.Edges().Len() {
			t.Fatalf("seed %d: %d nodes and %d arcs, want %d and %d", seed, rows.Nodes(), rows.Arcs(), g.Nodes().Len(), g.Edges().Len())
		}
		s := open(t, rows)
		sameLevels(t, rows, s, g)

		strong, err := s.StrongComponents(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		labels := make([]uint32, rows.Nodes())
		for _, component := range topo.TarjanSCC(g) {
			list := make([]uint32, 0, len(component))
			for _, n := range component {
				v, _ := rows.Node(n.ID())
				list = append(list, v)
			}
			for _, v := range list {
				labels[v] = slices.Min(list)
			}
		}
		if got, err := strong.Labels(t.Context(), nil); err != nil || !slices.Equal(got, labels) {
			t.Errorf("seed %d: strong components %v, %v, want %v", seed, got, err, labels)
		}

		dominators, err := s.Dominators(t.Context(), []uint32{0}, 0)
		if err != nil {
			t.Fatal(err)
		}
		tree := flow.Dominators(g.Node(rows.ID(0)), g)
		for v, got := range dominators.Immediate() {
			want := uint32(graph.None)
			switch n := tree.DominatorOf(rows.ID(uint32(v))); {
			case v == 0:
				want = 0
			case n != nil:
				at, _ := rows.Node(n.ID())
				want = at
			}
			if got != want {
				t.Errorf("seed %d: the dominator of %d is %d, want %d", seed, v, got, want)
			}
		}
	}
}

// sameLevels compares levels from the first node with a search by gonum.
func sameLevels(t *testing.T, rows *gonum.Graph, s *session.Session, g traverse.Graph) {
	t.Helper()
	got, err := s.Levels(t.Context(), session.Query{Seeds: []uint32{0}})
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Repeat([]uint32{graph.None}, rows.Nodes())
	search := traverse.BreadthFirst{}
	search.Walk(g, simple.Node(rows.ID(0)), func(n theirs.Node, depth int) bool {
		v, ok := rows.Node(n.ID())
		if !ok {
			t.Errorf("node %d is none of the rows", n.ID())
		}
		want[v] = uint32(depth)
		return false
	})
	if !slices.Equal(got, want) {
		t.Errorf("levels %v, want %v", got, want)
	}
}

// TestUndirectedEdgesAreTwoArcs: so that what gonum has as an undirected graph is symmetric.
func TestUndirectedEdgesAreTwoArcs(t *testing.T) {
	g := simple.NewUndirectedGraph()
	drawn(rand.New(rand.NewPCG(1, 2)), 30, 40, func(u, v theirs.Node) { g.SetEdge(g.NewEdge(u, v)) })
	rows, err := gonum.FromGraph(t.Context(), g, gonum.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !must(rows.Symmetric(t.Context())) || rows.Arcs() != 2*g.Edges().Len() {
		t.Errorf("symmetric: %v, %d arcs of %d edges", must(rows.Symmetric(t.Context())), rows.Arcs(), g.Edges().Len())
	}
	s := open(t, rows)
	sameLevels(t, rows, s, g)
	weak, err := s.Components(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if want := len(topo.ConnectedComponents(g)); weak.Count() != want {
		t.Errorf("%d components, want %d", weak.Count(), want)
	}
}

// kindLine is a line with a kind.
type kindLine struct {
	multi.WeightedLine
	kind uint32
}

// TestLinesKeepKindsAndWeights: each line of a multigraph is an arc, a loop one, too.
func TestLinesKeepKindsAndWeights(t *testing.T) {
	g := multi.NewWeightedDirectedGraph()
	line := func(u, v, id int64, weight float64, kind uint32) {
		g.SetWeightedLine(kindLine{multi.WeightedLine{F: simple.Node(u), T: simple.Node(v), UID: id, W: weight}, kind})
	}
	line(7, 9, 1, 40, graph.KindCall)
	line(7, 9, 2, math.MaxUint32, graph.KindAssign)
	line(9, 9, 3, 0, graph.KindPhi)
	o := gonum.Options{Weights: true, Kinds: func(e gonum.Ends) uint32 { return e.(kindLine).kind }}
	rows, err := gonum.FromMultigraph(t.Context(), g, o)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := rows.Targets(), []uint32{1, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("targets %v, want %v", got, want)
	}
	if got, want := rows.Masks(), []uint32{graph.KindAssign, graph.KindCall, graph.KindPhi}; !slices.Equal(got, want) {
		t.Errorf("masks %v, want %v", got, want)
	}
	if got, want := rows.Data().Weights, []uint32{math.MaxUint32, 40, 0}; !slices.Equal(got, want) {
		t.Errorf("weights %v, want %v", got, want)
	}
	if rows.Name(0) != "7" || rows.Name(1) != "9" {
		t.Errorf("names %q and %q", rows.Name(0), rows.Name(1))
	}
	if rows, err = gonum.FromMultigraph(t.Context(), g, gonum.Options{}); err != nil || rows.Masks() != nil || rows.Data().Weights != nil || rows.Arcs() != 3 {
		t.Errorf("%v; without options %d arcs, masks %v, weights %v", err, rows.Arcs(), rows.Masks(), rows.Data().Weights)
	}
}

// TestEqualGraphsHaveEqualDigests, whatever order their maps are walked in.
func TestEqualGraphsHaveEqualDigests(t *testing.T) {
	digest := func() [32]byte {
		g := simple.NewWeightedUndirectedGraph(0, math.Inf(1))
		drawn(rand.New(rand.NewPCG(5, 5)), 50, 200, func(u, v theirs.Node) { g.SetWeightedEdge(g.NewWeightedEdge(u, v, 3)) })
		rows, err := gonum.FromGraph(t.Context(), g, gonum.Options{Weights: true})
		if err != nil {
			t.Fatal(err)
		}
		return must(rows.Digest(t.Context()))
	}
	first := digest()
	for range 5 {
		if digest() != first {
			t.Fatal("digests differ")
		}
	}
}

// dotNode is a node that gonum reads from DOT.
type dotNode struct {
	theirs.Node
	id string
}

func (n *dotNode) SetDOTID(id string) { n.id = id }
func (n *dotNode) DOTID() string      { return n.id }

type dotGraph struct{ *simple.DirectedGraph }

func (g dotGraph) NewNode() theirs.Node { return &dotNode{Node: g.DirectedGraph.NewNode()} }

var _ encoding.Builder = dotGraph{}

// TestNamesComeFromDOT: a file that gonum reads is searched by its names.
func TestNamesComeFromDOT(t *testing.T) {
	g := dotGraph{simple.NewDirectedGraph()}
	if err := dot.Unmarshal([]byte(`digraph { main -> parse -> "os/exec"; main -> log }`), g); err != nil {
		t.Fatal(err)
	}
	rows, err := gonum.FromGraph(t.Context(), g, gonum.Options{})
	if err != nil {
		t.Fatal(err)
	}
	node := map[string]uint32{}
	for v := range uint32(rows.Nodes()) {
		node[rows.Name(v)] = v
	}
	path, err := open(t, rows).Path(context.Background(), session.Query{Seeds: []uint32{node["main"]}}, []uint32{node["os/exec"]})
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, step := range path.Steps {
		said = append(said, rows.Name(step.Node))
	}
	if got, want := strings.Join(said, " "), "main parse os/exec"; got != want {
		t.Errorf("path %q, want %q", got, want)
	}
}

// listless has an edge to a node that it does not list; twice lists one twice.
type listless struct{ *simple.DirectedGraph }

func (g listless) Nodes() theirs.Nodes { return &some{nodes: []int64{1}} }

type twice struct{ *simple.DirectedGraph }

func (g twice) Nodes() theirs.Nodes { return &some{nodes: []int64{1, 2, 1}} }

type some struct {
	nodes []int64
	at    int
}

func (s *some) Next() bool        { s.at++; return s.at <= len(s.nodes) }
func (s *some) Len() int          { return len(s.nodes) - s.at }
func (s *some) Reset()            { s.at = 0 }
func (s *some) Node() theirs.Node { return simple.Node(s.nodes[s.at-1]) }

// TestRefusals: what rows cannot say is an error with the edge in it.
func TestRefusals(t *testing.T) {
	directed := simple.NewDirectedGraph()
	directed.SetEdge(directed.NewEdge(simple.Node(1), simple.Node(2)))
	weighted := func(w float64) theirs.Graph {
		g := simple.NewWeightedDirectedGraph(0, math.Inf(1))
		g.SetWeightedEdge(g.NewWeightedEdge(simple.Node(1), simple.Node(2), w))
		return g
	}
	for name, c := range map[string]struct {
		g    theirs.Graph
		o    gonum.Options
		want string
	}{
		"no weights":    {directed, gonum.Options{Weights: true}, "weights are asked for, and a *simple.DirectedGraph has none"},
		"no kind":       {directed, gonum.Options{Kinds: func(gonum.Ends) uint32 { return 0 }}, "from node 1 to 2 has no kind"},
		"negative":      {weighted(-1), gonum.Options{Weights: true}, "from node 1 to 2 has weight -1"},
		"a half":        {weighted(0.5), gonum.Options{Weights: true}, "has weight 0.5"},
		"too large":     {weighted(1 << 32), gonum.Options{Weights: true}, "has weight 4.294967296e+09"},
		"not a number":  {weighted(math.NaN()), gonum.Options{Weights: true}, "has weight NaN"},
		"without end":   {weighted(math.Inf(1)), gonum.Options{Weights: true}, "has weight +Inf"},
		"unlisted node": {listless{directed}, gonum.Options{}, "an edge from node 1 to 2, and the graph does not list 2"},
		"listed twice":  {twice{directed}, gonum.Options{}, "the graph lists node 1 twice"},
	} {
		if _, err := gonum.FromGraph(t.Context(), c.g, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	if _, err := gonum.FromMultigraph(t.Context(), multi.NewDirectedGraph(), gonum.Options{Weights: true}); err == nil || !strings.Contains(err.Error(), "has none") {
		t.Errorf("a multigraph without weights: %v", err)
	}
}

// TestEmptyGraph: a graph without nodes is one.
func TestEmptyGraph(t *testing.T) {
	for _, g := range []theirs.Graph{simple.NewDirectedGraph(), simple.NewUndirectedGraph()} {
		rows, err := gonum.FromGraph(t.Context(), g, gonum.Options{})
		if err != nil || rows.Nodes() != 0 || rows.Arcs() != 0 {
			t.Fatalf("%v, %d nodes", err, rows.Nodes())
		}
		if _, ok := rows.Node(0); ok {
			t.Error("node 0 is there")
		}
	}
}

// must is a result that has no error here.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
