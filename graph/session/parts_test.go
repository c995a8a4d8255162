package session_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/graph/internal/flows"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/testing/faults"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/megakernel"
)

// askParts asks a session of a graph in parts for sets, levels and components, and compares them with the oracles.
func askParts(t *testing.T, s *session.Session, g *graph.CSR, queries []session.Query) (streamed uint64) {
	t.Helper()
	all, err := s.Batch(t.Context(), queries)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range all {
		matches(t, g, queries[i], r)
		if r.Run.Parts < 2 || r.Run.Engine != session.WavesEngine {
			t.Errorf("query %d was answered by %v in %d parts", i, r.Run.Engine, r.Run.Parts)
		}
		streamed += r.Run.Streamed
	}
	kinds := kindsOf(queries[0])
	want, err := graph.Levels(t.Context(), g, queries[0].Seeds, kinds)
	if err != nil {
		t.Fatal(err)
	}
	if levels, err := s.Levels(t.Context(), queries[0]); err != nil || !slices.Equal(levels, want) {
		t.Errorf("levels are %v, want %v; %v", levels, want, err)
	}
	tree, err := s.Tree(t.Context(), queries[0])
	if err != nil {
		t.Fatal(err)
	}
	if parents := smallest(g, want, kinds); !slices.Equal(tree.Parents(), parents) || !slices.Equal(tree.Levels(), want) {
		t.Errorf("parents are %v at %v, want %v at %v", tree.Parents(), tree.Levels(), parents, want)
	}
	order, err := s.TopologicalLevels(t.Context(), queries[0].Kinds)
	if err != nil {
		t.Fatal(err)
	}
	if longest := longest(g, kinds); !slices.Equal(order.Levels(), longest) {
		t.Errorf("topological levels are %v, want %v", order.Levels(), longest)
	}
	c, err := s.Components(t.Context(), queries[0].Kinds)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(graphtest.Must(c.Labels(t.Context(), nil)), graphtest.Weak(g, kinds)) {
		t.Errorf("components are %v, want %v", graphtest.Must(c.Labels(t.Context(), nil)), graphtest.Weak(g, kinds))
	}
	return streamed
}

// TestPartsAnswerAsTheWholeDoes: graphs cut into parts of few arcs, with offsets of either width, by all detectors and schedules,
// with every part on the device, or two of them at a time.
func TestPartsAnswerAsTheWholeDoes(t *testing.T) {
	for _, device := range devices() {
		for seed := range long.Seeds(t, 4, 12, 400) {
			if device == "cuda-sim" && seed%4 != 1 {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", device, seed), func(t *testing.T) {
				if seed%2 == 1 {
					graphtest.WideFrom(t, 0)
				}
				r := rand.New(rand.NewPCG(seed, 46))
				g := graphtest.RandomGraph(t, seed, 200, seed%3 != 0)
				queries := make([]session.Query, 2)
				for i := range queries {
					queries[i] = session.Query{Seeds: graphtest.SomeNodes(r, g, 3), Kinds: []uint32{0, 1, 6}[r.IntN(3)]}
				}
				dev := checked(t, device, cpu.Seeded(seed))
				before := dev.Stats().Get(metric.LiveBytes)
				o := session.Options{Engine: session.WavesEngine, Levels: true, Parts: true, Topology: []megakernel.Topology{megakernel.Auto, megakernel.HostLoop}[seed/2%2]}
				o.SetPartArcs(uint64(g.Arcs()) / 4)
				s, err := session.New(t.Context(), dev, g, o)
				if err != nil {
					t.Fatal(err)
				}
				s.OnRun(func(r driver.Result) {
					for _, f := range r.Reports {
						t.Errorf("%s: %s", f.Kernel, f.Text)
					}
				})
				askParts(t, s, g, queries)
				all := s.Bytes()
				if live := dev.Stats().Get(metric.LiveBytes) - before; live > all {
					t.Errorf("%d bytes live, %d were compared with the budget", live, all)
				}
				if err := s.Close(); err != nil || dev.Stats().Get(metric.LiveBytes) != before {
					t.Errorf("%v, %d bytes live, %d before", err, dev.Stats().Get(metric.LiveBytes), before)
				}
			})
		}
	}
}

// TestWhatDoesNotFitIsInParts: a device with 1 MiB searches a graph whose arcs take more, and a session says what would do, to the
// byte. What not even parts have room for is refused before anything is allocated.
func TestWhatDoesNotFitIsInParts(t *testing.T) {
	t.Parallel()
	const mib = 1
	dev, err := cuda.Open(cuda.Options{Driver: cusim.New(cusim.Config{Models: []cusim.Model{cusim.Tiny}}), OpenOptions: driver.OpenOptions{MemoryLimit: mib << 20}})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	g := graphtest.Generated(t, "uniform:13") // 262,144 arcs of 4 bytes
	o := session.Options{Queries: 1, Seeds: 1, Levels: true}
	requests, live := dev.Stats().Get(metric.AllocRequests), dev.Stats().Get(metric.LiveBytes)
	_, err = session.New(t.Context(), dev, g, o)
	var over *driver.Error
	if !errors.As(err, &over) || over.Kind != driver.OutOfMemory || !strings.Contains(over.Fix, "at a time, it needs") || dev.Stats().Get(metric.AllocRequests) != requests {
		t.Fatalf("got %v, want what would do, and no allocation", err)
	}
	o.Parts = true
	s, err := session.New(t.Context(), dev, g, o)
	if err != nil {
		t.Fatal(err)
	}
	if streamed := askParts(t, s, g, []session.Query{{Seeds: []uint32{7}}}); streamed < 4*uint64(g.Arcs()) {
		t.Errorf("%d bytes of parts came to the device, the graph has %d arcs", streamed, g.Arcs())
	}
	if s.Bytes() > mib<<20 || dev.Stats().Get(metric.LiveBytes)-live > s.Bytes() {
		t.Errorf("%d bytes live, %d were counted", dev.Stats().Get(metric.LiveBytes)-live, s.Bytes())
	}
	if err := s.Close(); err != nil || dev.Stats().Get(metric.LiveBytes) != live {
		t.Errorf("%v, %d bytes live, %d before", err, dev.Stats().Get(metric.LiveBytes), live)
	}
	o.Budget = 100_000
	requests = dev.Stats().Get(metric.AllocRequests)
	if _, err = session.New(t.Context(), dev, g, o); !errors.As(err, &over) || over.Kind != driver.OutOfMemory || dev.Stats().Get(metric.AllocRequests) != requests {
		t.Fatalf("got %v, want that not even parts fit, and no allocation", err)
	}
	for _, less := range []uint64{1, 0} { // what the error says holds
		o.Budget = uint64(over.Requested) - less
		s, err := session.New(t.Context(), dev, g, o)
		if (err == nil) != (less == 0) {
			t.Errorf("with %d bytes: %v", o.Budget, err)
		}
		if err == nil {
			err = s.Close()
		}
		if less == 0 && err != nil {
			t.Error(err)
		}
	}
}

// TestWhatHasNoPartsSaysWhatItTakes: a question that is refused since the graph is in parts says how many bytes it needs, and a
// session with that budget answers it.
func TestWhatHasNoPartsSaysWhatItTakes(t *testing.T) {
	t.Parallel()
	program, err := flows.RoundShortestProgram()
	if err != nil {
		t.Fatal(err)
	}
	for _, levels := range []bool{false, true} {
		arcs, err := generate.Graph(context.Background(), "uniform:12", generate.Options{Seed: 1, Directed: true})
		if err != nil {
			t.Fatal(err)
		}
		g, dev := weighted(t, arcs), graphtest.OpenDevice(t, "cpu")
		o := session.Options{Engine: session.WavesEngine, Parts: true, Queries: 1, Seeds: 1, Levels: levels, Budget: 1, Topology: megakernel.HostLoop}
		var over *driver.Error
		if _, err := session.New(t.Context(), dev, g, o); !errors.As(err, &over) {
			t.Fatal(err)
		}
		open := func(budget uint64) *session.Session {
			o := o
			o.Budget = budget
			s, err := session.New(t.Context(), dev, g, o)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			return s
		}
		s := open(uint64(over.Requested))
		if s.Parts() < 2 {
			t.Fatalf("%d parts", s.Parts())
		}
		words := make([]uint64, g.Nodes())
		for what, ask := range map[string]func(s *session.Session) error{
			"strong components": func(s *session.Session) error { _, err := s.StrongComponents(t.Context(), 0); return err },
			"dominators":        func(s *session.Session) error { _, err := s.Dominators(t.Context(), []uint32{3}, 0); return err },
			"flow of bits": func(s *session.Session) error {
				_, err := s.BitFlow(t.Context(), session.BitFlow{Words: 1, Gen: words, Kill: words, Backward: true})
				return err
			},
			"shortest paths": func(s *session.Session) error {
				_, err := s.Paths(t.Context(), session.Query{Seeds: []uint32{3}})
				return err
			},
			"fixpoint": func(s *session.Session) error {
				x, err := session.NewFixpoint(t.Context(), s, flows.Shortest{}, program, session.FixpointOptions{})
				if err == nil {
					_, err = x.Run(t.Context(), session.Start[uint64]{})
				}
				return err
			},
			"trial": func(s *session.Session) error {
				return s.Trial(t.Context(), session.Query{Seeds: []uint32{7}}, &megakernel.History{})
			},
		} {
			var e *driver.Error
			if err := ask(s); !errors.As(err, &e) || e.Kind != driver.OutOfMemory || !strings.Contains(e.Msg, what+" needs all of the graph") {
				t.Fatalf("%s: %v, want that it is in parts", what, err)
			}
			if err := ask(open(uint64(e.Requested))); err != nil {
				t.Errorf("%s with %d bytes: %v", what, e.Requested, err)
			}
			var less *driver.Error
			if err := ask(open(uint64(e.Requested) - 1)); what != "dominators" && (!errors.As(err, &less) || less.Kind != driver.OutOfMemory) { // whose sets can do with less
				t.Errorf("%s with a byte less than %d: %v", what, e.Requested, err)
			}
		}
	}
}

// TestOrdersOfGraphsInParts: topological levels and trees of graphs without cycles, which have many levels.
func TestOrdersOfGraphsInParts(t *testing.T) {
	for i, name := range []string{"ladder:40x3", "tree:200,3", "chain:100", "random"} {
		t.Run(name, func(t *testing.T) {
			g := graphtest.RandomGraph(t, 5, 300, true)
			if name != "random" {
				g = graphtest.Generated(t, name)
			} else {
				g = upward(t, g)
			}
			s := partsOf(t, checked(t, "cpu", cpu.Seeded(uint64(i))), g, 5, session.Options{Levels: true, Queries: 3})
			defer s.Close()
			askParts(t, s, g, []session.Query{{Seeds: []uint32{2, 0}}, {Seeds: []uint32{1}}})
		})
	}
}

// upward are the arcs that lead to a greater node.
func upward(t *testing.T, g *graph.CSR) *graph.CSR {
	t.Helper()
	var b graph.Block
	for u := range uint32(g.Nodes()) {
		targets, masks := g.Row(u)
		for k, v := range targets {
			if u < v {
				b.From, b.To, b.Masks = append(b.From, u), append(b.To, v), append(b.Masks, masks[k])
			}
		}
	}
	up, _, err := graph.FromBlocks(t.Context(), int64(g.Nodes()), []graph.Block{b}, graph.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return up
}

// searchPartsTwice asks a graph in parts, again after a failure.
func searchPartsTwice(drv *cusim.Driver, g *graph.CSR) error {
	o := session.Options{Engine: session.WavesEngine, Queries: 2, Levels: true, Parts: true, Topology: megakernel.HostLoop}
	o.SetPartArcs(uint64(g.Arcs()) / 3)
	return onSession(drv, g, o, func(ctx context.Context, s *session.Session) error {
		q := session.Query{Seeds: []uint32{5}}
		want, err := graph.Levels(ctx, g, q.Seeds, graph.AllKinds)
		if err != nil {
			return err
		}
		return faults.Twice(ctx, func() error {
			for _, together := range []int{1, 2} {
				all, err := s.Batch(ctx, slices.Repeat([]session.Query{q}, together))
				if err != nil {
					return err
				}
				for _, r := range all {
					if !slices.Equal(slices.Collect(r.Nodes()), slices.Collect(nodesOf(want))) {
						return fmt.Errorf("%w: reached %v", faults.ErrWrong, slices.Collect(r.Nodes()))
					}
				}
			}
			if levels, err := s.Levels(ctx, q); err != nil {
				return err
			} else if !slices.Equal(levels, want) {
				return fmt.Errorf("%w: levels %v", faults.ErrWrong, levels)
			}
			if tree, err := s.Tree(ctx, q); err != nil {
				return err
			} else if !slices.Equal(tree.Parents(), smallest(g, want, graph.AllKinds)) {
				return fmt.Errorf("%w: parents %v", faults.ErrWrong, tree.Parents())
			}
			if o, err := s.TopologicalLevels(ctx, 0); err != nil {
				return err
			} else if !slices.Equal(o.Levels(), longest(g, graph.AllKinds)) {
				return fmt.Errorf("%w: topological levels %v", faults.ErrWrong, o.Levels())
			}
			c, err := s.Components(ctx, 0)
			if err != nil {
				return err
			}
			labels, err := c.Labels(ctx, nil)
			if err == nil && !slices.Equal(labels, graphtest.Weak(g, graph.AllKinds)) {
				err = fmt.Errorf("%w: components %v", faults.ErrWrong, labels)
			}
			return err
		})
	})
}

// nodesOf are those that have a level.
func nodesOf(levels []uint32) func(yield func(uint32) bool) {
	return func(yield func(uint32) bool) {
		for v, l := range levels {
			if l != graph.None && !yield(uint32(v)) {
				return
			}
		}
	}
}

func TestAnyCallOfASearchInPartsMayFail(t *testing.T) {
	t.Parallel()
	g, every := graphtest.RandomGraph(t, 6, 80, true), failing(1499, 151)
	n := faults.EachCall(t, cusim.Config{Models: []cusim.Model{cusim.Tiny}}, every, func(sim *cusim.Driver) error { return searchPartsTwice(sim, g) }, 719, cu.OutOfMemory)
	if t.Logf("%d times", n); n < 3 && !testing.Short() {
		t.Errorf("only %d calls failed", n)
	}
}
