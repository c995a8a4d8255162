package session_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/flows"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/testing/long"
)

// hubs is a graph with many nodes of many arcs each, and one that has an arc to every node.
func hubs(t *testing.T, hubs, arcs, nodes uint32) *graph.CSR {
	t.Helper()
	var b graph.Block
	for u := range hubs {
		for k := range arcs {
			b.From, b.To = append(b.From, u*(nodes/hubs)), append(b.To, (u*7+k*(nodes/arcs))%nodes)
		}
	}
	for v := range nodes {
		b.From, b.To = append(b.From, 1), append(b.To, v)
	}
	g, _, err := graph.FromBlocks(t.Context(), int64(nodes), []graph.Block{b}, graph.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestShapesThatBreakThings: every question to graphs that are extreme in something, by both engines, against one core.
func TestShapesThatBreakThings(t *testing.T) {
	dev := graphtest.OpenDevice(t, "cpu")
	all := func(n int) (list []uint32) {
		for v := range uint32(n) {
			list = append(list, v)
		}
		return list
	}
	for _, c := range []struct {
		name  string
		g     *graph.CSR
		seeds []uint32
		kinds uint32
	}{
		{"many hubs", hubs(t, uint32(long.Count(256, 2048, 2048)), 64, 8192), []uint32{4}, 0},
		{"a node with an arc to all of 20,000", hubs(t, 1, 1, 20_000), []uint32{1}, 0},
		{"as deep as it has nodes", graphtest.Generated(t, fmt.Sprintf("chain:%d", long.Count(1000, 3000, 3000))), []uint32{0}, 0},
		{"one node", graphtest.Generated(t, "chain:1"), []uint32{0}, 0},
		{"31 nodes", graphtest.Generated(t, "complete:31"), []uint32{30}, 0},
		{"33 nodes", graphtest.Generated(t, "chain:33"), []uint32{31}, 0},
		{"no arcs", graphtest.SmallGraph(t, "no arcs"), []uint32{7, 7}, 0},
		{"only loops", graphtest.SmallGraph(t, "self loops"), []uint32{2}, 0},
		{"every arc twice", twice(t, graphtest.Generated(t, "grid:9x7")), []uint32{5}, 0},
		{"no seeds", graphtest.Generated(t, "grid:9x7"), nil, 0},
		{"all nodes seeds", graphtest.Generated(t, "grid:9x7"), all(63), 0},
		{"a filter that nothing matches", graphtest.Generated(t, "skew:512"), []uint32{1}, 1 << 30},
	} {
		for _, engine := range []session.Engine{session.NativeEngine, session.WavesEngine} {
			t.Run(fmt.Sprintf("%s/%v", c.name, engine), func(t *testing.T) { shaped(t, dev, c.g, c.seeds, c.kinds, engine) })
		}
	}
}

// twice has every arc of a graph twice.
func twice(t *testing.T, g *graph.CSR) *graph.CSR {
	t.Helper()
	var more [][3]uint32
	for u := range uint32(g.Nodes()) {
		targets, _ := g.Row(u)
		for _, v := range targets {
			more = append(more, [3]uint32{u, v, 1})
		}
	}
	return changed(t, g, g.Nodes(), sameArcs, more...)
}

// shaped asks a session everything about a graph.
func shaped(t *testing.T, dev driver.Device, g *graph.CSR, seeds []uint32, kinds uint32, engine session.Engine) {
	s, err := session.New(t.Context(), dev, g, session.Options{Engine: engine, Levels: true, Queries: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	q := session.Query{Seeds: seeds, Kinds: kinds}
	batch, err := s.Batch(t.Context(), []session.Query{q, {}, q})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Reach(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	for _, answer := range []*session.Reached{r, batch[0], batch[2]} {
		matches(t, g, q, answer)
	}
	matches(t, g, session.Query{}, batch[1])
	want, err := graph.Levels(t.Context(), g, seeds, settled(kinds))
	if err != nil {
		t.Fatal(err)
	}
	tree, err := s.Tree(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(tree.Levels(), want) || !slices.Equal(tree.Parents(), smallest(g, want, settled(kinds))) {
		t.Error("levels or parents differ from those of one core")
	}
	for _, c := range []struct {
		what string
		ask  func(ctx context.Context, kinds uint32) (*session.Components, error)
		want []uint32
	}{{"weak", s.Components, graphtest.Weak(g, settled(kinds))}, {"strong", s.StrongComponents, graphtest.Strong(g, settled(kinds))}} {
		if found, err := c.ask(t.Context(), kinds); err != nil || !slices.Equal(graphtest.Must(found.Labels(t.Context(), nil)), c.want) {
			t.Errorf("%s components, %v: they differ from those of one core", c.what, err)
		}
	}
	o, err := s.TopologicalLevels(t.Context(), kinds)
	if err != nil || !slices.Equal(o.Levels(), longest(g, settled(kinds))) {
		t.Errorf("topological levels, %v: they differ from those of one core", err)
	}
}

// TestWeightsThatOverflow: sums of weights stop at the greatest number, as the method says that they do, in both engines.
func TestWeightsThatOverflow(t *testing.T) {
	g := graphtest.Generated(t, "grid:5x4")
	weights := slices.Repeat([]uint32{math.MaxUint32}, g.Arcs())
	g, err := g.With(graph.Data{Weights: weights})
	if err != nil {
		t.Fatal(err)
	}
	p, err := flows.RoundShortestProgram()
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range []session.Engine{session.NativeEngine, session.WavesEngine} {
		s, err := session.New(t.Context(), graphtest.OpenDevice(t, "cpu"), g, session.Options{Engine: engine, Queries: 1})
		if err != nil {
			t.Fatal(err)
		}
		x, err := session.NewFixpoint(t.Context(), s, flows.Shortest{}, p, session.FixpointOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, first := range []uint64{0, math.MaxUint64 - 3*math.MaxUint32, math.MaxUint64 - 1, math.MaxUint64} {
			f, err := x.Run(t.Context(), session.Start[uint64]{Seeds: []uint32{7}, Values: []uint64{first}, Others: math.MaxUint64})
			if err != nil || !f.Settled() || !slices.Equal(f.Facts(), dijkstra(g, 7, first)) {
				t.Errorf("%v, from %d: %v, settled %v, %v; want %v", engine, first, err, f.Settled(), f.Facts(), dijkstra(g, 7, first))
			}
		}
		if err := errors.Join(x.Close(), s.Close()); err != nil {
			t.Error(err)
		}
	}
}
