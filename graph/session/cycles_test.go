package session_test

import (
	"context"
	"slices"
	"testing"

	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/testing/long"
)

// longest returns for each node the length of the longest path to it, None on cycles and behind them: Kahn, "Topological
// sorting of large networks" (1962).
func longest(g *graph.CSR, filter uint32) []uint32 {
	levels, open := slices.Repeat([]uint32{graph.None}, g.Nodes()), make([]int, g.Nodes())
	graphtest.Allowed(g, filter, func(_, v uint32) { open[v]++ })
	var queue []uint32
	for v, n := range open {
		if n == 0 {
			levels[v], queue = 0, append(queue, uint32(v))
		}
	}
	far := make([]uint32, g.Nodes())
	next := make([][]uint32, g.Nodes())
	graphtest.Allowed(g, filter, func(u, v uint32) { next[u] = append(next[u], v) })
	for ; len(queue) > 0; queue = queue[1:] {
		u := queue[0]
		for _, v := range next[u] {
			far[v] = max(far[v], levels[u]+1)
			if open[v]--; open[v] == 0 {
				levels[v], queue = far[v], append(queue, v)
			}
		}
	}
	return levels
}

// isCycle checks that a list of nodes is one, in the order of its arcs.
func isCycle(t *testing.T, g *graph.CSR, filter uint32, list []uint32) {
	t.Helper()
	arcs := map[[2]uint32]bool{}
	graphtest.Allowed(g, filter, func(u, v uint32) { arcs[[2]uint32{u, v}] = true })
	seen := map[uint32]bool{}
	for k, v := range list {
		if next := list[(k+1)%len(list)]; !arcs[[2]uint32{v, next}] || seen[v] || v < list[0] {
			t.Errorf("%v is no cycle at %d", list, v)
		}
		seen[v] = true
	}
}

func TestTopologicalLevelsAreThoseOfKahn(t *testing.T) {
	analysed(t, func(t *testing.T, s *session.Session, g *graph.CSR) {
		for _, kinds := range filters {
			o, err := s.TopologicalLevels(t.Context(), kinds)
			if err != nil {
				t.Fatal(err)
			}
			want := longest(g, settled(kinds))
			if !slices.Equal(o.Levels(), want) {
				t.Errorf("kinds %#x: levels %v, want %v", kinds, o.Levels(), want)
			}
			stuck := 0
			for _, level := range want {
				if level == graph.None {
					stuck++
				}
			}
			if o.Stuck() != stuck || (len(o.Cycle()) > 0) != (stuck > 0) {
				t.Errorf("kinds %#x: %d stuck, want %d, cycle %v", kinds, o.Stuck(), stuck, o.Cycle())
			}
			isCycle(t, g, settled(kinds), o.Cycle())
		}
	})
}

func TestStrongComponentsAreThoseOfTarjan(t *testing.T) {
	analysed(t, func(t *testing.T, s *session.Session, g *graph.CSR) {
		for _, kinds := range filters {
			c, err := s.StrongComponents(t.Context(), kinds)
			if err != nil {
				t.Fatal(err)
			}
			if want := graphtest.Strong(g, settled(kinds)); !slices.Equal(graphtest.Must(c.Labels(t.Context(), nil)), want) {
				t.Errorf("kinds %#x: labels %v, want %v", kinds, graphtest.Must(c.Labels(t.Context(), nil)), want)
			}
		}
	})
}

// lineOfCycles has cycles of two nodes, each behind the one before it.
func lineOfCycles(t *testing.T, n int) *graph.CSR {
	t.Helper()
	offsets, targets := []uint32{0}, []uint32{}
	for v := range uint32(2 * n) {
		if v%2 == 0 {
			targets = append(targets, v+1)
		} else {
			targets = append(targets, v-1)
			if v+1 < uint32(2*n) {
				targets = append(targets, v+1)
			}
		}
		offsets = append(offsets, uint32(len(targets)))
	}
	g, err := graph.New(t.Context(), offsets, targets, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestCyclesOfManyGraphs in a random order of threads, with all that the interpreter can find; one opened for levels, which
// has the graph the other way round already.
func TestCyclesOfManyGraphs(t *testing.T) {
	for seed := range long.Seeds(t, 4, 50, 2000) {
		g := graphtest.RandomGraph(t, seed, 1+int(seed*37%130), seed%2 == 0)
		if seed%90 == 0 {
			g = lineOfCycles(t, 6)
		}
		dev := checked(t, "cpu", cpu.Seeded(seed))
		s, err := session.New(t.Context(), dev, g, session.Options{Engine: session.WavesEngine, Queries: 1, Levels: seed%3 == 0})
		if err != nil {
			t.Fatal(err)
		}
		for _, kinds := range []uint32{0, 2} {
			c, err := s.StrongComponents(t.Context(), kinds)
			if err != nil {
				t.Fatal(err)
			}
			if want := graphtest.Strong(g, settled(kinds)); !slices.Equal(graphtest.Must(c.Labels(t.Context(), nil)), want) {
				t.Errorf("seed %d, kinds %#x: labels %v, want %v", seed, kinds, graphtest.Must(c.Labels(t.Context(), nil)), want)
			}
			o, err := s.TopologicalLevels(t.Context(), kinds)
			if err != nil {
				t.Fatal(err)
			}
			if want := longest(g, settled(kinds)); !slices.Equal(o.Levels(), want) {
				t.Errorf("seed %d, kinds %#x: levels %v, want %v", seed, kinds, o.Levels(), want)
			}
			isCycle(t, g, settled(kinds), o.Cycle())
		}
		s.Close()
		dev.Close()
	}
}

func TestCyclesAreRefused(t *testing.T) {
	refusedFor(t, func(s *session.Session) error { _, err := s.TopologicalLevels(t.Context(), 0); return err })
}

// TestStrongComponentsOfSkew compares with what others have counted.
func TestStrongComponentsOfSkew(t *testing.T) {
	g, err := generate.Graph(context.Background(), "skew:4096", generate.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	s, err := session.New(t.Context(), graphtest.OpenDevice(t, "cpu"), g, session.Options{Engine: session.WavesEngine, Queries: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c, err := s.StrongComponents(t.Context(), generate.SkewKinds)
	if err != nil {
		t.Fatal(err)
	}
	if _, n := c.Largest(); c.Count() != 3873 || n != 221 {
		t.Errorf("%d components, the largest of %d nodes, want 3873 and 221", c.Count(), n)
	}
	w, err := s.Components(t.Context(), generate.SkewKinds)
	if err != nil {
		t.Fatal(err)
	}
	if _, n := w.Largest(); w.Count() != 137 || n != 3922 {
		t.Errorf("%d weak components, the largest of %d nodes, want 137 and 3922", w.Count(), n)
	}
}

// inward is a chain whose nodes are numbered from both ends, for which keys that are ids take a phase for each component.
func inward(t *testing.T, n uint32) *graph.CSR {
	var b graph.Block
	id := func(at uint32) uint32 { return min(2*at, 2*(n-1-at)+1) }
	for at := range n - 1 {
		b.From, b.To = append(b.From, id(at)), append(b.To, id(at+1))
	}
	g, _, err := graph.FromBlocks(t.Context(), int64(n), []graph.Block{b}, graph.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestPhasesOfStrongComponents: what each part of the loop finds does not depend on the order of threads.
func TestPhasesOfStrongComponents(t *testing.T) {
	made := func(name string) func() *graph.CSR {
		return func() *graph.CSR {
			return graphtest.Must(generate.Graph(t.Context(), name, generate.Options{Seed: 1, Directed: true}))
		}
	}
	for _, c := range []struct {
		name                 string
		g                    func() *graph.CSR
		trims                []uint32
		giant, phases, count uint32
		first                []uint32 // nodes of the first phases
	}{
		{"inward 2,000", func() *graph.CSR { return inward(t, 2000) }, []uint32{2, 2, 2}, 0, 14, 2000, nil},
		{"ladder:100x16", made("ladder:100x16"), []uint32{32, 32, 32}, 0, 2, 1600, []uint32{16, 1488}},
		{"kron:10", made("kron:10"), nil, 0, 0, 310, nil},
		{"kron:20", made("kron:20"), []uint32{600998, 984, 5}, 446589, 0, 601988, nil},
		{"skew:1048576", made("skew:1048576"), []uint32{0, 0, 0}, 1048576, 0, 1, nil},
		{"ladder:65536x16", made("ladder:65536x16"), []uint32{32, 32, 32}, 0, 2, 1048576, []uint32{16, 1048464}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.giant > 1<<16 {
				long.OnlyExhaustive(t, "a graph of a million nodes and more arcs")
			} else if c.count > 1<<16 {
				long.Only(t, "a graph of a million nodes")
			}
			s := graphtest.Must(session.New(t.Context(), graphtest.OpenDevice(t, "cpu"), c.g(), session.Options{Engine: session.WavesEngine, Queries: 1}))
			defer s.Close()
			found := graphtest.Must(s.StrongComponents(t.Context(), 0))
			told, phases, err := s.StrongPhases(t.Context())
			if err != nil || found.Count() != int(c.count) {
				t.Errorf("%d components, want %d; %v", found.Count(), c.count, err)
			}
			t.Logf("%v, %d phases", told, phases)
			if c.trims != nil && !slices.Equal(told[:3], c.trims) || told[3] != c.giant || c.trims != nil && phases != c.phases || !slices.Equal(told[4:4+len(c.first)], c.first) {
				t.Errorf("%v in %d phases; want trims %v, giant %d, %d phases that begin with %v", told, phases, c.trims, c.giant, c.phases, c.first)
			}
		})
	}
}
