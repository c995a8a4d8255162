package session_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/megakernel"
)

// analysed calls check with sessions of all small graphs on every device, of the random ones in every topology, and looks
// whether all memory is given back, and no more was taken than was planned.
func analysed(t *testing.T, check func(t *testing.T, s *session.Session, g *graph.CSR)) {
	for _, device := range devices() {
		for i, name := range graphtest.SmallGraphs {
			for k, topology := range checkedTopologies() {
				masked := name == "random with masks"
				if topology != megakernel.Auto && !masked || device == "cuda-sim" && (!masked || topology != megakernel.Auto && topology != megakernel.HostLoop) {
					continue // what is simulated takes a hundred times as long, and megakernel has run them all
				}
				t.Run(fmt.Sprintf("%s/%s/%v", device, name, topology), func(t *testing.T) {
					t.Parallel()
					g := graphtest.SmallGraph(t, name)
					if device == "cuda-sim" {
						g = graphtest.RandomGraph(t, 9, 40, true)
					}
					dev := checked(t, device, cpu.Seeded(uint64(i+100*k)))
					before := dev.Stats().Get(metric.LiveBytes)
					s, err := session.New(t.Context(), dev, g, session.Options{Engine: session.WavesEngine, Queries: 1, Topology: topology})
					if err != nil {
						t.Fatal(err)
					}
					s.OnRun(func(r driver.Result) {
						for _, f := range r.Reports {
							t.Errorf("%s: %s", f.Kernel, f.Text)
						}
					})
					check(t, s, g)
					if live, need := dev.Stats().Get(metric.LiveBytes)-before, s.Bytes(); live > need {
						t.Errorf("%d bytes live, %d were compared with the budget", live, need)
					}
					if err := s.Close(); err != nil || dev.Stats().Get(metric.LiveBytes) != before {
						t.Errorf("%v, %d bytes live, %d before", err, dev.Stats().Get(metric.LiveBytes), before)
					}
				})
			}
		}
	}
}

// filters are those that small graphs are asked with: all kinds, some, and none that there is.
var filters = []uint32{0, 0x5, 0x8000_0000}

// settled is the filter that an analysis has for the kinds asked for.
func settled(kinds uint32) uint32 {
	if kinds == 0 {
		return graph.AllKinds
	}
	return kinds
}

// refusedFor checks that an analysis which needs more than the budget says so before anything is allocated, and that the
// session goes on; and that it has enough in a session with exactly what it needs.
func refusedFor(t *testing.T, analyse func(s *session.Session) error) {
	t.Helper()
	refusedBy(t, graphtest.Generated(t, "road:9x7"), analyse)
}

// refusedBy is refusedFor with another graph.
func refusedBy(t *testing.T, g *graph.CSR, analyse func(s *session.Session) error) {
	t.Helper()
	dev := graphtest.OpenDevice(t, "cpu")
	opened := func(budget uint64) *session.Session {
		s, err := session.New(t.Context(), dev, g, session.Options{Engine: session.WavesEngine, Queries: 1, Topology: megakernel.Cooperative, Budget: budget})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	s := opened(0)
	if err := analyse(s); err != nil {
		t.Fatal(err)
	}
	need := s.Bytes()
	if err := analyse(opened(need)); err != nil {
		t.Errorf("just enough: %v", err)
	}
	s = opened(need - 1)
	before, planned := dev.Stats().Get(metric.AllocRequests), s.Bytes()
	err := analyse(s)
	var e *driver.Error
	if !errors.As(err, &e) || e.Kind != driver.OutOfMemory || uint64(e.Requested) != need-planned || e.Available != e.Requested-1 || e.Label == "" {
		t.Errorf("one byte too little: %v", err)
	}
	if n := dev.Stats().Get(metric.AllocRequests); n != before || s.Bytes() != planned {
		t.Error("memory was asked for before it was clear that it suffices")
	}
	r, err := s.Reach(t.Context(), session.Query{Seeds: []uint32{3}})
	if err != nil {
		t.Fatal(err)
	}
	matches(t, g, session.Query{Seeds: []uint32{3}}, r)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := analyse(s); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("a closed session: %v", err)
	}
}

func TestComponentsAreThoseOfUnionFind(t *testing.T) {
	analysed(t, func(t *testing.T, s *session.Session, g *graph.CSR) {
		for _, kinds := range filters {
			c, err := s.Components(t.Context(), kinds)
			if err != nil {
				t.Fatal(err)
			}
			want := graphtest.Weak(g, settled(kinds))
			if !slices.Equal(graphtest.Must(c.Labels(t.Context(), nil)), want) {
				t.Errorf("kinds %#x: labels %v, want %v", kinds, graphtest.Must(c.Labels(t.Context(), nil)), want)
			}
			count, largest := graphtest.Sizes(want)
			if label, n := c.Largest(); c.Count() != count || n != largest || graphtest.Must(c.Size(t.Context(), label)) != n {
				t.Errorf("kinds %#x: %d components, the largest %d of %d, want %d, %d", kinds, c.Count(), label, n, count, largest)
			}
			sum := 0
			for label, n := range graphtest.Must(c.All(t.Context())) {
				sum += n
				if size := graphtest.Must(c.Size(t.Context(), label)); n != size {
					t.Errorf("component %d of %d nodes, or %d", label, n, size)
				}
			}
			if sum != g.Nodes() || graphtest.Must(c.Size(t.Context(), graph.None)) != 0 || c.Run.Record.Status != megakernel.Converged || c.Run.Topology == megakernel.Auto {
				t.Errorf("kinds %#x: %d nodes in all, %+v", kinds, sum, c.Run)
			}
		}
	})
}

// TestComponentsOfManyGraphs in a random order of threads, with all that the interpreter can find.
func TestComponentsOfManyGraphs(t *testing.T) {
	for seed := range long.Seeds(t, 5, 30, 3000) {
		g := graphtest.RandomGraph(t, seed, 1+int(seed*37%150), seed%2 == 0)
		if seed%3 == 0 {
			g = graphtest.Both(t, g)
		}
		dev := checked(t, "cpu", cpu.Seeded(seed))
		s, err := session.New(t.Context(), dev, g, session.Options{Engine: session.WavesEngine, Queries: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, kinds := range []uint32{0, 2} {
			c, err := s.Components(t.Context(), kinds)
			if err != nil {
				t.Fatal(err)
			}
			if want := graphtest.Weak(g, settled(kinds)); !slices.Equal(graphtest.Must(c.Labels(t.Context(), nil)), want) {
				t.Errorf("seed %d, kinds %#x: labels %v, want %v", seed, kinds, graphtest.Must(c.Labels(t.Context(), nil)), want)
			}
		}
		s.Close()
		dev.Close()
	}
}

// TestComponentsOfKnownGraphs compares with what others have counted.
func TestComponentsOfKnownGraphs(t *testing.T) {
	dev := graphtest.OpenDevice(t, "cpu")
	for _, want := range graphtest.Known {
		if want.Long && !long.Enabled() {
			continue
		}
		if want.Nodes > 1<<21 {
			continue // the interpreter takes minutes
		}
		g, err := generate.Graph(context.Background(), want.Name, generate.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		s, err := session.New(t.Context(), dev, g, session.Options{Engine: session.WavesEngine, Queries: 1})
		if err != nil {
			t.Fatal(err)
		}
		c, err := s.Components(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, n := c.Largest(); c.Count() != want.Weak || n != want.Largest {
			t.Errorf("%s: %d components, the largest of %d nodes, want %d and %d", want.Name, c.Count(), n, want.Weak, want.Largest)
		}
		t.Logf("%s: %d arcs of %d looked at for what is left", want.Name, c.Run.Record.Edges, g.Arcs())
		s.Close()
	}
}

func TestComponentsAreRefused(t *testing.T) {
	refusedFor(t, func(s *session.Session) error { _, err := s.Components(t.Context(), 0); return err })
}

// TestLabelsAnswerWhatASearchDoes, where they are possible, and the answer says so.
func TestLabelsAnswerWhatASearchDoes(t *testing.T) {
	for _, device := range devices() {
		for i, g := range []*graph.CSR{graphtest.Generated(t, "road:9x4"), graphtest.Both(t, graphtest.RandomGraph(t, 3, 33, true)), graphtest.SmallGraph(t, "no arcs"), graphtest.Generated(t, "chain:33")} {
			for _, o := range []session.Options{{Queries: 3}, {Queries: 1}, {Queries: 3, Topology: megakernel.HostLoop}} {
				o.Engine = session.WavesEngine
				if (device == "cuda-sim" || o.Topology != megakernel.Auto) && i != 1 || device == "cuda-sim" && (o.Queries == 1 || o.Topology != megakernel.Auto) {
					continue // what is simulated takes a hundred times as long
				}
				if o.Queries == 1 && i > 1 {
					continue
				}
				t.Run(fmt.Sprintf("%s/%d/%d %v", device, i, o.Queries, o.Topology), func(t *testing.T) {
					t.Parallel()
					dev := checked(t, device, cpu.Seeded(uint64(i)))
					s, err := session.New(t.Context(), dev, g, o)
					if err != nil {
						t.Fatal(err)
					}
					defer s.Close()
					s.OnRun(func(r driver.Result) {
						for _, f := range r.Reports {
							t.Errorf("%s: %s", f.Kernel, f.Text)
						}
					})
					kinds := func(k ...uint32) (qs []session.Query) {
						for i, k := range k {
							qs = append(qs, session.Query{Seeds: []uint32{uint32(7*i) % uint32(g.Nodes()), 0}, Kinds: k})
						}
						return append(qs, session.Query{Kinds: k[0]})
					}
					batches := []struct {
						qs       []session.Query
						searched int // of them, because there are labels for two kinds
					}{{kinds(0, 2, 0, 2), 0}, {kinds(4, 8, 2), 1}, {kinds(0), 0}, {kinds(4, 8), 0}, {kinds(2, 1, 8, 1), 1}}
					if device == "cuda-sim" || o.Topology != megakernel.Auto {
						batches = batches[:2]
					}
					if device == "cuda-sim" {
						batches[0].qs, batches = batches[0].qs[:2], batches[:1]
					}
					for _, batch := range batches {
						answers, err := s.Batch(t.Context(), batch.qs)
						if err != nil {
							t.Fatal(err)
						}
						searched := 0
						for i, r := range answers {
							matches(t, g, batch.qs[i], r)
							how, why := r.Algorithm()
							want := ""
							switch {
							case !graphtest.Must(g.Symmetric(t.Context())):
								want = "search: the graph is not symmetric"
							case o.Topology != megakernel.Auto:
								want = "search: a topology was asked for"
							case how == session.Search:
								want = "search: labels are kept for 2 kinds of arcs"
								searched++
							default:
								want = "labels: the graph is symmetric"
							}
							if got := how.String() + ": " + why; !strings.HasPrefix(got, want) {
								t.Errorf("%q, want %q", got, want)
							}
						}
						if g.Masks() != nil && o.Topology == megakernel.Auto && searched != batch.searched {
							t.Errorf("%+v: %d searched, want %d", batch.qs, searched, batch.searched)
						}
					}
					c, err := s.Components(t.Context(), 2)
					if err != nil || !slices.Equal(graphtest.Must(c.Labels(t.Context(), nil)), graphtest.Weak(g, 2)) {
						t.Errorf("components %v, %v", c, err)
					}
				})
			}
		}
	}
}

// TestLabelsNeedMemory: without it queries are searched, and say so; with it a later query allocates nothing, and uploads
// its seeds.
func TestLabelsNeedMemory(t *testing.T) {
	dev := graphtest.OpenDevice(t, "cpu")
	g := graphtest.Generated(t, "road:9x7")
	q := session.Query{Seeds: []uint32{5}}
	for _, enough := range []bool{true, false} {
		o := session.Options{Engine: session.WavesEngine}
		s, err := session.New(t.Context(), dev, g, o)
		if err != nil {
			t.Fatal(err)
		}
		o.Budget = s.Bytes() + 9000
		if !enough {
			o.Budget -= 4000
		}
		s.Close()
		if s, err = session.New(t.Context(), dev, g, o); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			r, err := s.Reach(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			matches(t, g, q, r)
			how, why := r.Algorithm()
			if how != session.Labels && enough || !enough && !strings.Contains(why, "labels needs") {
				t.Errorf("%v, %s", how, why)
			}
		}
		before := dev.Stats()
		if _, err := s.Reach(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		run := dev.Stats().Sub(before)
		if n, up := run.Get(metric.AllocRequests), run.Get(metric.UploadBytes); n != 0 || up != s.Memory().RefreshBytes/32+session.TurnBytes {
			t.Errorf("%d allocations, %d bytes uploaded", n, up)
		}
		if s.Bytes() > o.Budget {
			t.Errorf("%d bytes of %d", s.Bytes(), o.Budget)
		}
		s.Close()
	}
}

// TestSymmetricGraphs says which generators make them, and finds what breaks it.
func TestSymmetricGraphs(t *testing.T) {
	symmetric := []string{"kron:5", "uniform:5", "grid:9x7", "road:9x7", "complete:9", "chain:1", "self loops", "no arcs"}
	for _, name := range graphtest.SmallGraphs {
		g := graphtest.SmallGraph(t, name)
		if got, want, exact := graphtest.Must(g.Symmetric(t.Context())), slices.Contains(symmetric, name), graphtest.Must(graphtest.Must(g.Reverse(t.Context())).Digest(t.Context())) == graphtest.Must(g.Digest(t.Context())); got != want || got != exact {
			t.Errorf("%s: %v, by its reverse %v", name, got, exact)
		}
	}
	for _, c := range []struct {
		offsets, targets, masks []uint32
		want                    bool
	}{
		{[]uint32{0, 2, 4}, []uint32{1, 1, 0, 0}, nil, true},
		{[]uint32{0, 2, 3}, []uint32{1, 1, 0}, nil, false},
		{[]uint32{0, 1, 3}, []uint32{1, 0, 0}, nil, false},
		{[]uint32{0, 2, 4}, []uint32{1, 1, 0, 0}, []uint32{2, 3, 2, 3}, true},
		{[]uint32{0, 2, 4}, []uint32{1, 1, 0, 0}, []uint32{2, 3, 2, 4}, false},
		{[]uint32{0, 1, 2, 3}, []uint32{1, 2, 0}, nil, false},
	} {
		g, err := graph.New(t.Context(), c.offsets, c.targets, c.masks)
		if err != nil {
			t.Fatal(err)
		}
		if got := graphtest.Must(g.Symmetric(t.Context())); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	if !graphtest.Must(new(graph.CSR).Symmetric(t.Context())) {
		t.Error("nothing is not symmetric")
	}
}

// TestComponentsStayRight: two numbers come back, and who asks for labels after other questions gets those of his own.
func TestComponentsStayRight(t *testing.T) {
	for i, name := range []string{"road:9x7", "skew:64", "uniform:6"} { // few arcs, some and many
		for _, device := range []string{"cpu", "cuda-sim:3"} {
			g := graphtest.Generated(t, name)
			dev := graphtest.OpenDevice(t, device)
			s := graphtest.Must(session.New(t.Context(), dev, g, session.Options{Engine: session.WavesEngine, Queries: 1, Topology: checkedTopologies()[i]}))
			for _, c := range []struct {
				ask  func(context.Context, uint32) (*session.Components, error)
				want []uint32
			}{{s.Components, graphtest.Weak(g, 1)}, {s.StrongComponents, graphtest.Strong(g, 1)}} {
				found := graphtest.Must(c.ask(t.Context(), 1))
				graphtest.Must(s.Reach(t.Context(), session.Query{Seeds: []uint32{3}}))
				for range 2 { // the second time other labels are there
					if labels := graphtest.Must(found.Labels(t.Context(), make([]uint32, 0, g.Nodes()))); !slices.Equal(labels, c.want) {
						t.Errorf("%s on %s: labels %v, want %v", name, device, labels, c.want)
					}
					graphtest.Must(c.ask(t.Context(), 0xFFFF_FFFE))
				}
				count, largest := graphtest.Sizes(c.want)
				if _, n := found.Largest(); found.Count() != count || n != largest || found.Run.Read > 24 {
					t.Errorf("%s on %s: %d components, the largest of %d nodes, %d bytes read; want %d and %d, and at most 24 bytes", name, device, found.Count(), n, found.Run.Read, count, largest)
				}
				components, nodes, last := 0, 0, math.MaxInt
				for n, k := range graphtest.Must(found.Sizes(t.Context())) {
					components, nodes = components+k, nodes+n*k
					if n >= last {
						t.Errorf("%s: %d nodes after %d", name, n, last)
					}
					last = n
				}
				if components != count || nodes != g.Nodes() {
					t.Errorf("%s: sizes are of %d components with %d nodes, want %d and %d", name, components, nodes, count, g.Nodes())
				}
			}
			s.Close()
			dev.Close()
		}
	}
}
