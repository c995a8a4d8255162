package session_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/megakernel"
)

// drawnWeights is a graph of a generator with weights from a range.
func drawnWeights(t *testing.T, name string, least, most uint32) *graph.CSR {
	t.Helper()
	return graphtest.Must(generate.Graph(t.Context(), name, generate.Options{Seed: 1, Weights: [2]uint32{least, most}}))
}

// TestKnownPaths compares with what others have found.
func TestKnownPaths(t *testing.T) {
	for _, c := range []struct {
		name               string
		least, most, from  uint32
		reached            int
		farthest, sum      uint64
		distances, parents string
		large              bool
	}{
		{"road:64x64", 1, 63, 0, 3830, 3292, 6736426, "970e556eddb582c0", "818bae4c604fff23", false},
		{"kron:10", 1, 63, 1008, 894, 118, 14096, "2e38de1d40ff05c9", "d1fe05b26c2b0db2", false},
		{"kron:10", 0, 3, 1008, 894, 3, 308, "d4a51928e91fb8e6", "50ced5dd07a16250", false},
		{"grid:64x64", 0, 1, 0, 4096, 6, 14115, "f79014e87b9260a6", "ea1ff048d8c4b19d", false},
		{"road:1024x1024", 1, 63, 0, 998571, 55561, 30476104260, "73e06ffa5387b0cd", "d41fc24f595aff4e", true},
	} {
		g := sync.OnceValue(func() *graph.CSR { return drawnWeights(t, c.name, c.least, c.most) })
		for _, on := range []struct {
			device string
			engine session.Engine
		}{{"cpu", session.NativeEngine}, {"cpu", session.WavesEngine}, {"cuda-sim:3", session.WavesEngine}} {
			if c.large && on.device != "cpu" {
				continue
			}
			t.Run(fmt.Sprintf("%s %d-%d/%s/%v", c.name, c.least, c.most, on.device, on.engine), func(t *testing.T) {
				if c.large {
					long.Only(t, "a graph of a million nodes")
				}
				s := graphtest.Must(session.New(t.Context(), graphtest.OpenDevice(t, on.device), g(), session.Options{Engine: on.engine, Queries: 1, Seeds: 1}))
				defer s.Close()
				p := graphtest.Must(s.Paths(t.Context(), session.Query{Seeds: []uint32{c.from}}))
				distances, sum := graphtest.Must(p.Distances(t.Context(), nil)), uint64(0)
				for _, d := range distances {
					if d != math.MaxUint64 {
						sum += d
					}
				}
				if p.Reached != c.reached || p.Farthest != c.farthest || sum != c.sum {
					t.Errorf("%d nodes, the farthest %d away, sum %d; want %d, %d, %d", p.Reached, p.Farthest, sum, c.reached, c.farthest, c.sum)
				}
				parents := graphtest.Must(p.Parents(t.Context(), nil))
				if d, q := graphtest.Short(graph.Digest64(distances)), graphtest.Short(graph.Digest32(parents)); d != c.distances || q != c.parents {
					t.Errorf("digests %s and %s, want %s and %s", d, q, c.distances, c.parents)
				}
			})
		}
	}
}

// weigh gives arcs weights.
func weigh(t *testing.T, g *graph.CSR, weight func() uint32) *graph.CSR {
	t.Helper()
	w := make([]uint32, g.Arcs())
	for i := range w {
		w[i] = weight()
	}
	return graphtest.Must(g.With(graph.Data{Weights: w}))
}

// shortest are distances and parents by the definition: rounds over all arcs until nothing changes (Bellman, "On a
// routing problem", 1958), and then for each node a look at all others.
func shortest(g *graph.CSR, q session.Query) (far []uint64, parents []uint32) {
	type arc struct {
		u, v uint32
		w    uint64
	}
	var arcs []arc
	for u := range uint32(g.Nodes()) {
		targets, masks := g.Row(u)
		for k, v := range targets {
			if mask := uint32(1); masks == nil && mask&settled(q.Kinds) != 0 || masks != nil && masks[k]&settled(q.Kinds) != 0 {
				arcs = append(arcs, arc{u, v, uint64(g.Data().Weights[g.First(u)+k])})
			}
		}
	}
	far, parents = slices.Repeat([]uint64{math.MaxUint64}, g.Nodes()), slices.Repeat([]uint32{graph.None}, g.Nodes())
	hops := slices.Repeat([]int{math.MaxInt}, g.Nodes())
	for _, v := range q.Seeds {
		far[v], hops[v] = 0, 0
	}
	for again := true; again; {
		again = false
		for _, a := range arcs {
			if far[a.u] != math.MaxUint64 && far[a.u]+a.w < far[a.v] {
				far[a.v], again = far[a.u]+a.w, true
			}
		}
	}
	for _, a := range arcs {
		if far[a.u] < far[a.v] && far[a.u]+a.w == far[a.v] {
			parents[a.v], hops[a.v] = min(parents[a.v], a.u), 0
		}
	}
	for round := 0; round < g.Nodes(); round++ {
		for _, a := range arcs {
			if a.w == 0 && far[a.u] == far[a.v] && hops[a.u] == round && hops[a.v] > round {
				parents[a.v], hops[a.v] = min(parents[a.v], a.u), round+1
			}
		}
	}
	return far, parents
}

// checkPaths asks for all paths, and compares with the definition.
func checkPaths(t *testing.T, s *session.Session, g *graph.CSR, q session.Query) {
	t.Helper()
	ctx := context.Background()
	p, err := s.Paths(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	far, parents := shortest(g, q)
	reached, farthest := 0, uint64(0)
	for _, d := range far {
		if d != math.MaxUint64 {
			reached, farthest = reached+1, max(farthest, d)
		}
	}
	if p.Reached != reached || p.Farthest != farthest {
		t.Errorf("%v: %d nodes, the farthest at %d, want %d and %d", q, p.Reached, p.Farthest, reached, farthest)
	}
	if got := graphtest.Must(p.Distance(ctx, uint32(g.Nodes()-1))); got != far[g.Nodes()-1] {
		t.Errorf("%v: distance %d of the last node, want %d", q, got, far[g.Nodes()-1])
	}
	if got := graphtest.Must(p.Distances(ctx, make([]uint64, 3))); !slices.Equal(got, far) {
		t.Errorf("%v: distances %v, want %v", q, got, far)
	}
	if got := graphtest.Must(p.Parents(ctx, nil)); !slices.Equal(got, parents) {
		t.Errorf("%v: parents %v, want %v", q, got, parents)
	}
	for v := range uint32(g.Nodes()) {
		steps, sums, err := p.To(ctx, v)
		if err != nil || (len(steps) > 0) != (far[v] != math.MaxUint64) || len(steps) != len(sums) {
			t.Fatalf("%v: path to %d: %v, %v, %v", q, v, steps, sums, err)
		}
		for i, step := range steps {
			if sums[i] != far[step.Node] || i > 0 && steps[i-1].Node != parents[step.Node] || i == 0 && !slices.Contains(q.Seeds, step.Node) ||
				i == len(steps)-1 && step.Node != v || i > 0 && step.Mask&settled(q.Kinds) == 0 {
				t.Errorf("%v: path to %d: %v, %v", q, v, steps, sums)
			}
		}
	}
}

// weights are drawn in ways that differ: many zeros, few, some that need 64 bits, all the same.
var drawnWeightsOf = []func(rng *rand.Rand) uint32{
	func(rng *rand.Rand) uint32 { return rng.Uint32N(3) / 2 },
	func(rng *rand.Rand) uint32 { return rng.Uint32N(1000) },
	func(rng *rand.Rand) uint32 { return rng.Uint32() >> rng.Uint32N(32) },
	func(*rand.Rand) uint32 { return math.MaxUint32 },
	func(*rand.Rand) uint32 { return 0 },
}

// TestPathsOfManyGraphs in a random order of threads, with all that the interpreter can find, by every engine and
// topology.
func TestPathsOfManyGraphs(t *testing.T) {
	for seed := range long.Seeds(t, 20, 200, 2000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		g := graphtest.RandomGraph(t, seed, 1+int(seed*37%130), seed%2 == 0)
		draw := drawnWeightsOf[seed%5]
		g = weigh(t, g, func() uint32 { return draw(rng) })
		device, o := "cpu", session.Options{Engine: session.WavesEngine, Queries: 1, Seeds: 3, Topology: everyTopology[seed/2%uint64(len(everyTopology))]}
		if seed%7 == 6 {
			device = "cuda-sim:3"
		}
		if seed%7 == 5 {
			o.Engine, o.Topology = session.NativeEngine, megakernel.Auto
		}
		dev := checked(t, device, cpu.Seeded(seed))
		s, err := session.New(t.Context(), dev, g, o)
		if err != nil {
			t.Fatal(err)
		}
		s.OnRun(func(r driver.Result) {
			for _, f := range r.Reports {
				t.Errorf("seed %d: %s: %s", seed, f.Kernel, f.Text)
			}
		})
		for _, q := range []session.Query{{Seeds: graphtest.SomeNodes(rng, g, 3)}, {Seeds: []uint32{0}, Kinds: 0x5}, {}, {Seeds: []uint32{0, 0}, Kinds: 2}} {
			checkPaths(t, s, g, q)
		}
		if t.Failed() {
			t.Fatalf("seed %d, %s, %v, %v", seed, device, o.Engine, o.Topology)
		}
		s.Close()
		dev.Close()
	}
}

// TestRelationsOfPaths: weights 1 are levels; other weights in a part that nothing leads to change nothing, though
// distances get 64 bits; the way back in the reversed graph is as long.
func TestRelationsOfPaths(t *testing.T) {
	dev := graphtest.OpenDevice(t, "cpu")
	g := weigh(t, graphtest.Generated(t, "skew:512"), func() uint32 { return 1 })
	for _, e := range []session.Engine{session.NativeEngine, session.WavesEngine} {
		s := asking(t, dev, g, e)
		q := session.Query{Seeds: []uint32{3, 500}}
		far, levels := graphtest.Must(graphtest.Must(s.Paths(t.Context(), q)).Distances(t.Context(), nil)), graphtest.Must(s.Levels(t.Context(), q))
		for v, d := range far {
			if d != uint64(levels[v]) && (d != math.MaxUint64 || levels[v] != graph.None) {
				t.Errorf("%v: node %d at distance %d, level %d", e, v, d, levels[v])
			}
		}
		road := drawnWeights(t, "road:32x32", 0, 9)
		alone := asking(t, dev, road, e)
		u, v := uint32(0), uint32(0)
		for v = 900; graphtest.Must(graphtest.Must(alone.Paths(t.Context(), session.Query{Seeds: []uint32{u}})).Distance(t.Context(), v)) == math.MaxUint64; {
			v++
		}
		there := graphtest.Must(graphtest.Must(alone.Paths(t.Context(), session.Query{Seeds: []uint32{u}})).Distance(t.Context(), v))
		back := asking(t, dev, graphtest.Must(road.Reverse(t.Context())), e)
		if again := graphtest.Must(graphtest.Must(back.Paths(t.Context(), session.Query{Seeds: []uint32{v}})).Distance(t.Context(), u)); again != there {
			t.Errorf("%v: %d from %d to %d, %d back", e, there, u, v, again)
		}
		weights := slices.Clone(road.Data().Weights)
		d := road.Data()
		d.Weights = weights
		unreached := false
		distances := graphtest.Must(graphtest.Must(alone.Paths(t.Context(), session.Query{Seeds: []uint32{u}})).Distances(t.Context(), nil))
		for x := range uint32(road.Nodes()) {
			if targets, _ := road.Row(x); distances[x] == math.MaxUint64 && len(targets) > 0 {
				weights[road.First(x)], unreached = math.MaxUint32, true
			}
		}
		wide := asking(t, dev, graphtest.Must(road.With(d)), e)
		p := graphtest.Must(wide.Paths(t.Context(), session.Query{Seeds: []uint32{u}}))
		if !unreached || !slices.Equal(graphtest.Must(p.Distances(t.Context(), nil)), distances) {
			t.Errorf("%v: distances of 64 bits differ, or nothing was changed: %v", e, unreached)
		}
	}
}

// TestPathsStayRight: what one asks for after another question is the answer to his own.
func TestPathsStayRight(t *testing.T) {
	g := drawnWeights(t, "grid:9x8", 0, 5)
	for _, device := range []string{"cpu", "cuda-sim:3"} {
		s := graphtest.Must(session.New(t.Context(), graphtest.OpenDevice(t, device), g, session.Options{Engine: session.WavesEngine, Levels: true, Queries: 1, Seeds: 1}))
		defer s.Close()
		first, other := session.Query{Seeds: []uint32{0}}, session.Query{Seeds: []uint32{50}}
		p := graphtest.Must(s.Paths(t.Context(), first))
		graphtest.Must(graphtest.Must(s.Paths(t.Context(), other)).Parents(t.Context(), nil))
		far, parents := shortest(g, first)
		if !slices.Equal(graphtest.Must(p.Parents(t.Context(), nil)), parents) || !slices.Equal(graphtest.Must(p.Distances(t.Context(), nil)), far) {
			t.Errorf("%s: not the answer to the first question", device)
		}
		graphtest.Must(s.Levels(t.Context(), other))
		if !slices.Equal(graphtest.Must(p.Parents(t.Context(), nil)), parents) {
			t.Errorf("%s: not the answer to the first question after levels", device)
		}
	}
}

func TestPathsAreRefused(t *testing.T) {
	g, dev := drawnWeights(t, "road:9x7", 1, 5), graphtest.OpenDevice(t, "cpu")
	for _, e := range []session.Engine{session.NativeEngine, session.WavesEngine} {
		s := asking(t, dev, g, e)
		p := graphtest.Must(s.Paths(t.Context(), session.Query{Seeds: []uint32{1}}))
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		plain := asking(t, dev, graphtest.Generated(t, "road:9x7"), e)
		for what, ask := range map[string]func() error{
			"the graph has no weights": func() error { _, err := plain.Paths(t.Context(), session.Query{Seeds: []uint32{1}}); return err },
			"node 63":                  func() error { _, err := s.Paths(t.Context(), session.Query{Seeds: []uint32{63}}); return err },
			"node 64":                  func() error { _, err := p.Distance(t.Context(), 64); return err },
			"node 65":                  func() error { _, _, err := p.To(t.Context(), 65); return err },
			"context canceled":         func() error { _, err := s.Paths(ended, session.Query{Seeds: []uint32{1}}); return err },
		} {
			var e *driver.Error
			if err := ask(); !errors.As(err, &e) || !strings.Contains(err.Error(), what) {
				t.Errorf("%v, want %s", err, what)
			}
		}
		checkPaths(t, s.Session, g, session.Query{Seeds: []uint32{1}})
		s.Close()
		if _, err := p.Parents(t.Context(), nil); !errors.Is(err, driver.Closed) {
			t.Errorf("of a closed session: %v", err)
		}
	}
	refusedBy(t, g, func(s *session.Session) error {
		_, err := s.Paths(t.Context(), session.Query{Seeds: []uint32{1}})
		return err
	})
}
