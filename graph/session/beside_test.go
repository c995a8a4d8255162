package session_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/megakernel"
)

// hostTime is what the line of a session says that a query takes on the host.
func hostTime(t *testing.T, s *session.Session) float64 {
	t.Helper()
	found := regexp.MustCompile(`\|host=(\d+)\|`).FindStringSubmatch(s.Explain())
	if found == nil {
		t.Fatal(s.Explain())
	}
	ns, err := strconv.ParseFloat(found[1], 64)
	if err != nil || ns == 0 {
		t.Fatalf("%v: %s", err, s.Explain())
	}
	return ns
}

// slow are costs of a device that takes so long for anything.
func slow(ns float64) *plan.Costs {
	return &plan.Costs{LaunchRead: ns, CoopRead: ns}
}

// TestCostsSayWhereSearchesRun, with costs that a test made up.
func TestCostsSayWhereSearchesRun(t *testing.T) {
	sim, cpu := graphtest.OpenDevice(t, "cuda-sim"), graphtest.OpenDevice(t, "cpu")
	g := graphtest.RandomGraph(t, 3, 40, true)
	for _, c := range []struct {
		name string
		dev  driver.Device
		g    *graph.CSR
		o    session.Options
		want session.Engine
		line string
	}{
		{"a slow device", sim, g, session.Options{Costs: slow(1e9)}, session.NativeEngine, "|source=costs|reason=fastest"},
		{"a fast one", sim, g, session.Options{Costs: slow(1)}, session.WavesEngine, "engine=waves|queries=0|"},
		{"no costs", sim, g, session.Options{}, session.WavesEngine, "engine-v1|engine=waves|queries=0|host=0|device=0|source=default|reason=uncalibrated"},
		{"no runs, and no costs", sim, g, session.Options{Expected: new(megakernel.History)}, session.WavesEngine, "|source=default|reason=uncalibrated"},
		{"kernels are asked for", sim, g, session.Options{Engine: session.WavesEngine, Costs: slow(1e9)}, session.WavesEngine, "|source=default|reason=asked"},
		{"a topology is", sim, g, session.Options{Topology: megakernel.HostLoop, Costs: slow(1e9)}, session.WavesEngine, "|source=default|reason=asked"},
		{"the host's cores are", sim, g, session.Options{Engine: session.NativeEngine, Costs: slow(1)}, session.NativeEngine, "engine-v1|engine=native|queries=0|host=0|device=0|source=default|reason=asked"},
		{"a graph too large to say", sim, graphtest.Generated(t, "chain:70000"), session.Options{Queries: 1, Costs: slow(1e9)}, session.WavesEngine, "|source=default|reason=size"},
		{"rounds that were observed", sim, g, session.Options{Costs: slow(1), Expected: &megakernel.History{Workload: plan.Workload{Rounds: 1e9, GroupNS: 1, DrainNS: 1e9, Runs: 1}}}, session.NativeEngine, "|source=costs|reason=fastest"},
		{"rounds of searches where labels answer", sim, graphtest.Both(t, g), session.Options{Costs: slow(1), Expected: &megakernel.History{Workload: plan.Workload{Rounds: 1e9, GroupNS: 1, DrainNS: 1e9, Runs: 1}}}, session.WavesEngine, "|device=1|source=costs|reason=fastest"},
		{"the host's own device", cpu, g, session.Options{Costs: slow(1)}, session.NativeEngine, "engine-v1|engine=native|queries=0|host=0|device=0|source=default|reason=device"},
	} {
		s := openSession(t, c.dev, c.g, c.o)
		line, rest, _ := strings.Cut(s.Explain(), "\n")
		if s.Engine() != c.want || !strings.Contains(line, c.line) || !strings.Contains(line, "engine="+c.want.String()) {
			t.Errorf("%s: %v, want %v: %s", c.name, s.Engine(), c.want, line)
		}
		if kernels := c.dev == sim && c.o.Engine != session.NativeEngine; strings.Contains(rest, "topology ") != kernels {
			t.Errorf("%s: of the plan it says %q", c.name, rest)
		}
		q := session.Query{Seeds: []uint32{uint32(c.g.Nodes() - 1)}} // of which there is little to search in a chain
		r, err := s.Reach(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		matches(t, c.g, q, r)
		if _, why := r.Algorithm(); r.Run.Engine != c.want || c.want == session.NativeEngine && strings.Contains(line, "costs") && why != line {
			t.Errorf("%s: answered by %v, for %q", c.name, r.Run.Engine, why)
		}
	}
}

// TestBothEnginesOfASession answer alike, whichever it is, one after the other; and what the host's cores answer leaves no
// trace on the device.
func TestBothEnginesOfASession(t *testing.T) {
	dev := graphtest.OpenDevice(t, "cuda-sim")
	for seed := range uint64(long.Count(1, 3, 3)) {
		g := graphtest.RandomGraph(t, seed, 40, seed != 1)
		if seed == 2 {
			g = graphtest.Both(t, g)
		}
		host := hostTime(t, openSession(t, dev, g, session.Options{Costs: slow(1e9)}))
		of := openSession(t, dev, g, session.Options{Engine: session.WavesEngine, Queries: 4, Levels: true})
		s := openSession(t, dev, g, session.Options{Queries: 4, Levels: true, Costs: slow(2.5 * host)})
		if !strings.Contains(s.Explain(), "|queries=2|") {
			t.Fatal(s.Explain())
		}
		qs := randomQueries(seed, 4, g.Nodes())
		for _, n := range []int{1, 3, 2, 4, 0, 1} { // to and fro
			before := dev.Stats()
			all, err := s.Batch(t.Context(), qs[:n])
			if err != nil {
				t.Fatal(err)
			}
			if quiet := *before == *dev.Stats(); quiet != (n <= 2) {
				t.Errorf("%d queries: the device counted nothing: %v", n, quiet)
			}
			want, err := of.Batch(t.Context(), qs[:n])
			if err != nil {
				t.Fatal(err)
			}
			for i := range all {
				if all[i].Count() != want[i].Count() || !slices.Equal(slices.Collect(all[i].Nodes()), slices.Collect(want[i].Nodes())) {
					t.Errorf("seed %d: query %d of %d differs", seed, i, n)
				}
				if native := all[i].Run.Engine == session.NativeEngine; native != (n <= 2) {
					t.Errorf("%d queries: answered by %v", n, all[i].Run.Engine)
				}
			}
		}
		slower := openSession(t, dev, g, session.Options{Levels: true, Costs: slow(1.5 * host)}) // a tree counts as two queries
		for _, c := range []struct {
			s    *session.Session
			want session.Engine
		}{{s, session.NativeEngine}, {slower, session.WavesEngine}} {
			levels, err := c.s.Levels(t.Context(), qs[1])
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.s.Tree(t.Context(), qs[1])
			if err != nil {
				t.Fatal(err)
			}
			want, err := of.Tree(t.Context(), qs[1])
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(levels, want.Levels()) || !slices.Equal(got.Levels(), want.Levels()) || !slices.Equal(got.Parents(), want.Parents()) || got.Run.Record.Rounds != want.Run.Record.Rounds {
				t.Errorf("seed %d, %v: another tree, of %d rounds for %d", seed, c.want, got.Run.Record.Rounds, want.Run.Record.Rounds)
			}
			if got.Run.Engine != c.want {
				t.Errorf("the tree is of %v, want %v", got.Run.Engine, c.want)
			}
		}
		c, err := s.Components(t.Context(), 0)
		if err != nil || c.Run.Engine != session.WavesEngine {
			t.Errorf("components by %v, %v", c.Run.Engine, err)
		}
	}
}

// TestATrialSaysWhereSearchesRun, whatever costs predict: the host's cores if the worst of their runs took less time than the
// best of the way that the device would take.
func TestATrialSaysWhereSearchesRun(t *testing.T) {
	dev := graphtest.OpenDevice(t, "cuda-sim")
	g := graphtest.Generated(t, "chain:5")
	q := session.Query{Seeds: []uint32{0}}
	h := new(megakernel.History)
	// Its times are made up below, so it may be one of device cpu, where it is short: the programs are the same.
	if err := openSession(t, graphtest.OpenDevice(t, "cpu"), g, session.Options{Engine: session.WavesEngine, Queries: 1}).Trial(t.Context(), q, h); err != nil {
		t.Fatal(err)
	}
	took := func(native, drained uint64) {
		for k := range h.Ways {
			w := &h.Ways[k]
			for i := range w.Times {
				w.Times[i] = 1e9
				switch w.Name {
				case "native":
					w.Times[i] = native - uint64(i)
				case "drained":
					w.Times[i] = drained + uint64(i)
				}
			}
		}
	}
	for _, c := range []struct {
		name            string
		native, drained uint64
		change          func()
		want            string
	}{
		{"the host is faster", 1000, 2500, nil, "engine-v1|engine=native|queries=2|host=999|device=2500|source=evidence|reason=fastest"},
		{"the device is", 1000, 900, nil, "engine-v1|engine=waves|queries=0|host=999|device=900|source=evidence|reason=fastest"},
		{"too few runs of the host", 1000, 2500, func() {
			k := slices.IndexFunc(h.Ways, func(w plan.Way) bool { return w.Name == "native" })
			h.Ways[k].Times = h.Ways[k].Times[1:]
		}, "engine-v1|engine=waves|queries=0|"},
		{"of other programs", 1000, 2500, func() { h.Programs[0] ^= 1 }, "engine-v1|engine=waves|queries=0|"},
	} {
		took(c.native, c.drained)
		if c.change != nil {
			c.change()
		}
		s := openSession(t, dev, g, session.Options{Queries: 1, Expected: h, Costs: slow(1)})
		h.DrainNS = 0
		if line, _, _ := strings.Cut(s.Explain(), "\n"); !strings.HasPrefix(line, c.want) {
			t.Errorf("%s: %s\nwant %s", c.name, s.Explain(), c.want)
		}
		r, err := s.Reach(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		matches(t, g, q, r)
	}
}

// TestSearchesAreBoundedBySize: more nodes or arcs never take less, and what was not measured is not known.
func TestSearchesAreBoundedBySize(t *testing.T) {
	for _, c := range []struct {
		nodes, arcs int
		known       bool
	}{{1, 0, true}, {1024, 8192, true}, {1024, 8193, true}, {1 << 16, 8 << 16, true}, {1<<16 + 1, 0, false}, {1, 8<<16 + 1, false}} {
		ns, known := session.HostSearch(c.nodes, c.arcs)
		if known != c.known || known && !(ns > 0) {
			t.Errorf("%d nodes and %d arcs: %v ns, %v", c.nodes, c.arcs, ns, known)
		}
		if more, also := session.HostSearch(c.nodes+1, c.arcs); also && c.nodes < 1024 && more < ns {
			t.Errorf("a node more than %d takes %v instead of %v", c.nodes, more, ns)
		}
	}
}
