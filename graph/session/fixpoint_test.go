package session_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/flow"
	"github.com/govyre/vyre/graph/internal/flows"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/megakernel"
)

// roundRobin is the fixpoint by passes over all arcs.
func roundRobin[T flow.Word, F flow.Flow[T]](g *graph.CSR, f F, start session.Start[T]) []T {
	facts := slices.Clone(start.All)
	if facts == nil {
		facts = slices.Repeat([]T{start.Others}, g.Nodes())
		given := map[uint32]bool{}
		for i, v := range start.Seeds {
			if given[v] {
				facts[v] = f.Join(facts[v], start.Values[i])
			} else {
				facts[v] = start.Values[i]
			}
			given[v] = true
		}
	}
	weights := g.Data().Weights
	filter := settled(start.Kinds)
	for changed := true; changed; {
		changed = false
		for u := range uint32(g.Nodes()) {
			targets, masks := g.Row(u)
			for k, v := range targets {
				a := flow.Arc{From: u, To: v, Mask: 1, Weight: 1}
				if masks != nil {
					a.Mask = masks[k]
				}
				if weights != nil {
					a.Weight = weights[int(g.Offsets()[u])+k]
				}
				if a.Mask&filter == 0 {
					continue
				}
				if x := f.Join(facts[v], f.Along(facts[u], a)); x != facts[v] {
					facts[v], changed = x, true
				}
			}
		}
	}
	return facts
}

// fixed runs an analysis from some seeds, and from facts of all nodes, and compares with passes over all arcs.
func fixed[T flow.Word, F flow.Flow[T]](t *testing.T, s *session.Session, g *graph.CSR, f F, program func() (*ir.Program, error), others T, seeds bool) {
	t.Helper()
	p, err := program()
	if err != nil {
		t.Fatal(err)
	}
	x, err := session.NewFixpoint(t.Context(), s, f, p, session.FixpointOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	rng := rand.New(rand.NewPCG(uint64(g.Nodes()), uint64(g.Arcs())))
	starts := []session.Start[T]{{All: make([]T, g.Nodes()), Kinds: 3}}
	for v := range starts[0].All {
		if starts[0].All[v] = others; rng.IntN(3) == 0 {
			starts[0].All[v] = T(rng.Uint64() >> 9)
		}
	}
	if seeds {
		for _, kinds := range filters {
			start := session.Start[T]{Others: others, Kinds: kinds}
			for range min(rng.IntN(4), g.Nodes()/2) {
				v := rng.Uint32N(uint32(g.Nodes()))
				start.Seeds, start.Values = append(start.Seeds, v, v), append(start.Values, T(rng.Uint64()>>50), T(rng.Uint64()>>50))
			}
			starts = append(starts, start)
		}
	}
	for _, start := range starts {
		got, err := x.Run(t.Context(), start)
		if err != nil {
			t.Fatal(err)
		}
		if want := roundRobin(g, f, start); !slices.Equal(got.Facts(), want) || !got.Settled() {
			t.Errorf("%T of %+v: %v, want %v; %+v", f, start, got.Facts(), want, got.Run.Record)
		}
	}
}

// weighted gives arcs random weights, of which sums overflow.
func weighted(t *testing.T, g *graph.CSR) *graph.CSR {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	w := make([]uint32, g.Arcs())
	for i := range w {
		w[i] = rng.Uint32() >> (rng.Uint32() % 32)
	}
	g, err := g.With(graph.Data{Weights: w})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestFixpointsAreThoseOfPassesOverAllArcs(t *testing.T) {
	analysed(t, func(t *testing.T, s *session.Session, g *graph.CSR) {
		fixed(t, s, g, flows.Shortest{}, flows.RoundShortestProgram, math.MaxUint64, true)
		fixed(t, s, g, flows.Stays{}, flows.RoundStaysProgram, math.MaxUint32, false)
		if strings.Contains(t.Name(), "cpu/random_with_masks") {
			fixed(t, s, g, flows.Comes{}, flows.RoundComesProgram, 0, false)
			fixed(t, s, g, flows.Widest{}, flows.RoundWidestProgram, 0, true)
		}
	})
}

// TestShortestPathsAreThoseOfDijkstra, with sums that do not fit 64 bits.
func TestShortestPathsAreThoseOfDijkstra(t *testing.T) {
	dev := graphtest.OpenDevice(t, "cpu")
	p, err := flows.RoundShortestProgram()
	if err != nil {
		t.Fatal(err)
	}
	for seed := range long.Seeds(t, 4, 25, 1000) {
		g := weighted(t, graphtest.RandomGraph(t, seed, 1+int(seed*41%120), seed%2 == 0))
		s, err := session.New(t.Context(), dev, g, session.Options{Engine: session.WavesEngine, Queries: 1})
		if err != nil {
			t.Fatal(err)
		}
		x, err := session.NewFixpoint(t.Context(), s, flows.Shortest{}, p, session.FixpointOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, first := range []uint64{0, math.MaxUint64 - 1000} {
			got, err := x.Run(t.Context(), session.Start[uint64]{Seeds: []uint32{0}, Values: []uint64{first}, Others: math.MaxUint64})
			if err != nil {
				t.Fatal(err)
			}
			if want := dijkstra(g, 0, first); !slices.Equal(got.Facts(), want) {
				t.Errorf("seed %d from %d: %v, want %v", seed, first, got.Facts(), want)
			}
		}
		s.Close()
	}
}

// dijkstra takes the nearest open node again and again, without a heap.
func dijkstra(g *graph.CSR, from uint32, first uint64) []uint64 {
	far := slices.Repeat([]uint64{math.MaxUint64}, g.Nodes())
	far[from] = first
	done := make([]bool, g.Nodes())
	for {
		u := -1
		for v := range far {
			if !done[v] && far[v] != math.MaxUint64 && (u < 0 || far[v] < far[u]) {
				u = v
			}
		}
		if u < 0 {
			return far
		}
		done[u] = true
		targets, _ := g.Row(uint32(u))
		for k, v := range targets {
			w := uint64(g.Data().Weights[int(g.Offsets()[u])+k])
			if math.MaxUint64-far[u] >= w {
				far[v] = min(far[v], far[u]+w)
			}
		}
	}
}

// TestAFixpointMayNotEnd: then it says so, and the next one is right.
func TestAFixpointMayNotEnd(t *testing.T) {
	for _, topology := range []megakernel.Topology{megakernel.Auto, megakernel.HostLoop} {
		dev := graphtest.OpenDevice(t, "cpu")
		s, err := session.New(t.Context(), dev, graphtest.Generated(t, "complete:9"), session.Options{Engine: session.WavesEngine, Queries: 1, Topology: topology})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		p, err := flows.RoundFallsProgram()
		if err != nil {
			t.Fatal(err)
		}
		x, err := session.NewFixpoint(t.Context(), s, flows.Falls{}, p, session.FixpointOptions{Label: "falls", Rounds: 20})
		if err != nil {
			t.Fatal(err)
		}
		for _, first := range []uint64{1 << 40, 15, 1 << 50} {
			f, err := x.Run(t.Context(), session.Start[uint64]{Seeds: []uint32{3}, Values: []uint64{first}, Others: math.MaxUint64})
			if err != nil {
				t.Fatal(err)
			}
			if f.Settled() != (first == 15) || first == 15 && slices.Max(f.Facts()) != 0 || first != 15 && f.Run.Record.Rounds != 20 {
				t.Errorf("from %d: %v, %+v", first, f.Facts(), f.Run.Record)
			}
		}
		r, err := s.Components(context.Background(), 0)
		if err != nil || r.Count() != 1 {
			t.Errorf("%v, %v", r, err)
		}
	}
}

func TestFixpointsAreRefused(t *testing.T) {
	p, err := flows.RoundWidestProgram()
	if err != nil {
		t.Fatal(err)
	}
	refusedFor(t, func(s *session.Session) error {
		_, err := session.NewFixpoint(context.Background(), s, flows.Widest{}, p, session.FixpointOptions{})
		return err
	})
	dev := graphtest.OpenDevice(t, "cpu")
	s, err := session.New(t.Context(), dev, weighted(t, graphtest.Generated(t, "chain:50")), session.Options{Engine: session.WavesEngine, Queries: 1, Seeds: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	before := dev.Stats().Get(metric.LiveBytes)
	x, err := session.NewFixpoint(t.Context(), s, flows.Widest{}, p, session.FixpointOptions{Label: "widest"})
	if err != nil {
		t.Fatal(err)
	}
	for want, start := range map[string]session.Start[uint32]{
		"widest: 2 seeds and 1 facts":                                {Seeds: []uint32{1, 2}, Values: []uint32{1}},
		"widest: seed 1 is node 50, the graph has 50":                {Seeds: []uint32{1, 50}, Values: []uint32{1, 1}},
		"widest has 3 different seeds, the session was opened for 2": {Seeds: []uint32{1, 2, 3}, Values: []uint32{1, 1, 1}},
		"facts of 3 nodes and 0 seeds, the graph has 50 nodes":       {All: make([]uint32, 3)},
		"facts of 50 nodes and 1 seeds, the graph has 50 nodes":      {All: make([]uint32, 50), Seeds: []uint32{1}},
	} {
		if _, err := x.Run(t.Context(), start); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if f, err := x.Run(t.Context(), session.Start[uint32]{}); err != nil || slices.Max(f.Facts()) != 0 {
		t.Errorf("no seeds: %v, %v", f, err)
	}
	if _, err := session.NewFixpoint(t.Context(), s, flows.Shortest{}, p, session.FixpointOptions{}); err == nil {
		t.Error("a program for 32 bits runs a fixpoint of 64")
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	weights := uint64(4 * 49)
	if live := dev.Stats().Get(metric.LiveBytes) - before; live > weights+256 {
		t.Errorf("%d bytes live after the fixpoint was closed, the weights have %d", live, weights)
	}
	if _, err := x.Run(t.Context(), session.Start[uint32]{}); err == nil || !strings.Contains(err.Error(), "the fixpoint is closed") {
		t.Errorf("%v", err)
	}
}
