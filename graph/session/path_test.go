package session_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
)

// leastParents is another way to the canonical path: levels on the host, and for every node the least one above it that has
// an allowed arc to it.
func leastParents(t *testing.T, g *graph.CSR, seeds []uint32, filter uint32) (levels, parents []uint32) {
	t.Helper()
	levels, err := graph.Levels(t.Context(), g, seeds, filter)
	if err != nil {
		t.Fatal(err)
	}
	parents = slices.Repeat([]uint32{graph.None}, g.Nodes())
	for u := range g.Nodes() {
		targets, masks := g.Row(uint32(u))
		for i, v := range targets {
			allowed := masks == nil && filter&1 != 0 || masks != nil && masks[i]&filter != 0
			if allowed && levels[u] != graph.None && levels[v] == levels[u]+1 {
				parents[v] = min(parents[v], uint32(u))
			}
		}
	}
	return levels, parents
}

// checkPath looks whether a path is one: from a seed, along allowed arcs, as long as the level of its end says, and by the
// least parents.
func checkPath(g *graph.CSR, path []session.Step, levels, parents []uint32, filter uint32) error {
	end := path[len(path)-1].Node
	if levels[path[0].Node] != 0 || path[0].Mask != 0 {
		return fmt.Errorf("it starts at node %d of level %d, mask %#x", path[0].Node, levels[path[0].Node], path[0].Mask)
	}
	if uint32(len(path)-1) != levels[end] {
		return fmt.Errorf("it has %d arcs to a node of level %d", len(path)-1, levels[end])
	}
	for i, s := range path[1:] {
		u := path[i].Node
		targets, masks := g.Row(u)
		first := slices.Index(targets, s.Node)
		for k := first; masks != nil && masks[k]&filter == 0; k++ {
			first = k + 1
		}
		switch {
		case first < 0 || targets[first] != s.Node:
			return fmt.Errorf("step %d: no allowed arc from %d to %d", i+1, u, s.Node)
		case masks == nil && s.Mask != 1 || masks != nil && s.Mask != masks[first]:
			return fmt.Errorf("step %d: mask %#x is not that of the first allowed arc", i+1, s.Mask)
		case parents[s.Node] != u:
			return fmt.Errorf("step %d: to %d from %d, and %d is less", i+1, s.Node, u, parents[s.Node])
		}
	}
	return nil
}

func TestPathsAreShortestAndLeast(t *testing.T) {
	for i, name := range slices.Repeat(graphtest.SmallGraphs, 2) {
		g, engine := graphtest.SmallGraph(t, name), session.WavesEngine
		if i >= len(graphtest.SmallGraphs) {
			engine = session.NativeEngine
		}
		s, err := session.New(t.Context(), graphtest.OpenDevice(t, "cpu"), g, session.Options{Engine: engine, Queries: 1, Levels: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, kinds := range filters {
			seeds := slices.Compact([]uint32{uint32(g.Nodes() / 3), 0})
			levels, parents := leastParents(t, g, seeds, settled(kinds))
			for _, target := range []uint32{0, uint32(g.Nodes() - 1), uint32(g.Nodes() / 2)} {
				found, err := s.Path(t.Context(), session.Query{Seeds: seeds, Kinds: kinds}, []uint32{target})
				if err != nil {
					t.Fatal(err)
				}
				path := found.Steps
				short, err := s.Path(t.Context(), session.Query{Seeds: seeds, Kinds: kinds, Count: true}, []uint32{target})
				if err != nil || !slices.Equal(short.Steps, path) || short.Levels() != nil {
					t.Errorf("%s, kinds %#x, target %d: without levels %v, %v, want %v", name, kinds, target, short, err, path)
				}
				if !slices.Equal(found.Levels(), levels) {
					t.Errorf("%s, kinds %#x: other levels", name, kinds)
				}
				if (path == nil) != (levels[target] == graph.None) {
					t.Errorf("%s, kinds %#x, target %d of level %d: %v", name, kinds, target, levels[target], path)
				}
				if path == nil {
					continue
				}
				if err := checkPath(g, path, levels, parents, settled(kinds)); err != nil || path[len(path)-1].Node != target {
					t.Errorf("%s, kinds %#x, target %d: %v: %v", name, kinds, target, path, err)
				}
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPathTakesTheNearestTarget, of several the least, and none that nothing leads to.
func TestPathTakesTheNearestTarget(t *testing.T) {
	g := graphtest.Generated(t, "tree:40,3")
	s, err := session.New(t.Context(), graphtest.OpenDevice(t, "cpu"), g, session.Options{Engine: session.WavesEngine, Queries: 1, Levels: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, c := range []struct {
		seeds, targets []uint32
		want           string
	}{
		{[]uint32{0}, []uint32{30, 12, 7, 9}, "[{0 0} {2 1} {7 1}]"},
		{[]uint32{0}, []uint32{0, 1}, "[{0 0}]"},
		{[]uint32{1}, []uint32{2, 3}, "[]"},
		{[]uint32{1}, nil, "[]"},
		{nil, []uint32{2}, "[]"},
	} {
		path := graphtest.Must(s.Path(t.Context(), session.Query{Seeds: c.seeds}, c.targets))
		if fmt.Sprint(path.Steps) != c.want {
			t.Errorf("from %v to %v: %v, want %s", c.seeds, c.targets, path.Steps, c.want)
		}
	}
	if _, err := s.Path(t.Context(), session.Query{}, []uint32{40}); err == nil {
		t.Error("a target that is no node was taken")
	}
}

// TestBackwardIsForwardInTheReverse, and excluded nodes are as if they had no arcs.
func TestBackwardIsForwardInTheReverse(t *testing.T) {
	for _, name := range graphtest.SmallGraphs {
		g := graphtest.SmallGraph(t, name)
		r := graphtest.Must(g.Reverse(t.Context()))
		if again := graphtest.Must(r.Reverse(t.Context())); graphtest.Must(again.Digest(t.Context())) != graphtest.Must(g.Digest(t.Context())) || again.Arcs() != g.Arcs() {
			t.Errorf("%s: the reverse of the reverse is another graph", name)
		}
		out := []uint32{uint32(g.Nodes() / 2), uint32(g.Nodes() - 1)}
		w := graphtest.Must(g.Without(t.Context(), out))
		if err := graphtest.Check(w); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		dropped := 0
		for u := range g.Nodes() {
			targets, _ := g.Row(uint32(u))
			for _, v := range targets {
				if slices.Contains(out, uint32(u)) || slices.Contains(out, v) {
					dropped++
				}
			}
		}
		if w.Arcs() != g.Arcs()-dropped || w.Nodes() != g.Nodes() {
			t.Errorf("%s: %d arcs without %v, want %d of %d", name, w.Arcs(), out, g.Arcs()-dropped, g.Arcs())
		}
	}
}
