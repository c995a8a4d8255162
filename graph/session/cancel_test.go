package session_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/flow"
	"github.com/govyre/vyre/graph/internal/flows"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/testing/faults"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/internal/testing/underway"
	"github.com/govyre/vyre/megakernel"
)

// question is a call of a session, whose answer is put into words, and what that is by a plain algorithm on one core.
type question struct {
	name string
	ask  func(ctx context.Context, s *session.Session) ([]uint32, error)
	want []uint32
}

// everyQuestion is all that a session can be asked, of a graph with weights. A fixpoint needs kernels or the native engine alike.
func everyQuestion(t *testing.T, g *graph.CSR) []question {
	n := uint32(g.Nodes())
	reached := func(r *session.Reached) []uint32 { return append(slices.Collect(r.Nodes()), uint32(r.Count())) }
	level := func(seeds ...uint32) []uint32 {
		levels, err := graph.Levels(t.Context(), g, seeds, graph.AllKinds)
		if err != nil {
			t.Fatal(err)
		}
		return levels
	}
	from := func(seeds ...uint32) []uint32 {
		nodes := slices.Collect(nodesOf(level(seeds...)))
		return append(nodes, uint32(len(nodes)))
	}
	into := func(v uint32) []uint32 {
		levels := graphtest.Must(graph.Levels(t.Context(), graphtest.Reversed(g, graph.AllKinds), []uint32{v}, graph.AllKinds))
		nodes := slices.Collect(nodesOf(levels))
		return append(nodes, uint32(len(nodes)))
	}
	bits := session.BitFlow{Words: 1, Gen: make([]uint64, n), Kill: make([]uint64, n), Backward: true}
	for v := range bits.Gen {
		bits.Gen[v], bits.Kill[v] = 1<<(v%64), 2<<(v%64)
	}
	in, _ := roundRobinBits(g, bits)
	narrow := func(words []uint64) (out []uint32) {
		for _, w := range words {
			out = append(out, uint32(w), uint32(w>>32))
		}
		return out
	}
	far, parents := shortest(g, session.Query{Seeds: []uint32{5}})
	program, err := flows.RoundShortestProgram()
	if err != nil {
		t.Fatal(err)
	}
	var closures sync.Map // by session; an edit that ended early is gone, or done
	return []question{
		{"reach", func(ctx context.Context, s *session.Session) ([]uint32, error) {
			r, err := s.Reach(ctx, session.Query{Seeds: []uint32{5}})
			if err != nil {
				return nil, err
			}
			return reached(r), nil
		}, from(5)},
		{"batch", func(ctx context.Context, s *session.Session) (words []uint32, err error) {
			all, err := s.Batch(ctx, []session.Query{{Seeds: []uint32{1}}, {Seeds: []uint32{n - 1, 2}}, {Seeds: []uint32{0}}})
			for _, r := range all {
				words = append(words, reached(r)...)
			}
			return words, err
		}, slices.Concat(from(1), from(n-1, 2), from(0))},
		{"levels", func(ctx context.Context, s *session.Session) ([]uint32, error) {
			return s.Levels(ctx, session.Query{Seeds: []uint32{7}})
		}, level(7)},
		{"tree", func(ctx context.Context, s *session.Session) ([]uint32, error) {
			tree, err := s.Tree(ctx, session.Query{Seeds: []uint32{3}})
			if err != nil {
				return nil, err
			}
			return tree.Parents(), nil
		}, smallest(g, level(3), graph.AllKinds)},
		{"components", func(ctx context.Context, s *session.Session) ([]uint32, error) {
			c, err := s.Components(ctx, 0)
			if err != nil {
				return nil, err
			}
			return c.Labels(ctx, nil)
		}, graphtest.Weak(g, graph.AllKinds)},
		{"topological levels", func(ctx context.Context, s *session.Session) ([]uint32, error) {
			o, err := s.TopologicalLevels(ctx, 0)
			if err != nil {
				return nil, err
			}
			return o.Levels(), nil
		}, longest(g, graph.AllKinds)},
		{"near", func(ctx context.Context, s *session.Session) (words []uint32, err error) {
			near, err := s.Near(ctx, session.Query{Seeds: []uint32{4, n - 1}}, 3)
			if err != nil {
				return nil, err
			}
			for _, v := range near.Nodes {
				words = append(words, v.Node, v.Arcs, v.Kinds)
			}
			return words, nil
		}, nearWords(g, session.Query{Seeds: []uint32{4, n - 1}}, 3)},
		{"strong components", func(ctx context.Context, s *session.Session) ([]uint32, error) {
			c, err := s.StrongComponents(ctx, 0)
			if err != nil {
				return nil, err
			}
			return c.Labels(ctx, nil)
		}, graphtest.Strong(g, graph.AllKinds)},
		{"closure", func(ctx context.Context, s *session.Session) (_ []uint32, err error) {
			arc := []flow.Arc{{From: 5, To: n - 1}, {From: n - 1, To: 7}}
			kept, ok := closures.Load(s)
			if !ok {
				if kept, err = s.Closure(ctx, session.ClosureOptions{Rows: true}); err != nil {
					return nil, err
				}
				closures.Store(s, kept)
			}
			c := kept.(*session.Closure)
			if graphtest.Must(c.Graph(t.Context())).Arcs() == g.Arcs() {
				if _, err := c.Add(ctx, arc); err != nil {
					return nil, err
				}
			}
			if _, err := c.Remove(ctx, arc); err != nil {
				return nil, err
			}
			row, err := c.Row(ctx, 5)
			if err != nil {
				return nil, err
			}
			column, err := c.Column(ctx, n-1)
			if err != nil {
				return nil, err
			}
			return append(reached(row), reached(column)...), nil
		}, slices.Concat(from(5), into(n-1))},
		{"paths", func(ctx context.Context, s *session.Session) ([]uint32, error) {
			p, err := s.Paths(ctx, session.Query{Seeds: []uint32{5}})
			if err != nil {
				return nil, err
			}
			far, err := p.Distances(ctx, nil)
			if err != nil {
				return nil, err
			}
			parents, err := p.Parents(ctx, nil)
			return append(narrow(far), parents...), err
		}, append(narrow(far), parents...)},
		{"sets", func(ctx context.Context, s *session.Session) ([]uint32, error) {
			b, err := s.BitFlow(ctx, bits)
			if err != nil {
				return nil, err
			}
			var all []uint64
			for v := range n {
				all = append(all, b.In(v)...)
			}
			return narrow(all), nil
		}, narrow(in)},
		{"dominators", func(ctx context.Context, s *session.Session) ([]uint32, error) {
			d, err := s.Dominators(ctx, []uint32{5, 0}, 0)
			if err != nil {
				return nil, err
			}
			return d.Immediate(), nil
		}, byRounds(g, []uint32{5, 0}, graph.AllKinds)},
		{"fixpoint", func(ctx context.Context, s *session.Session) (_ []uint32, err error) {
			x, err := session.NewFixpoint(ctx, s, flows.Shortest{}, program, session.FixpointOptions{})
			if err != nil {
				return nil, err
			}
			defer func() { err = errors.Join(err, x.Close()) }()
			f, err := x.Run(ctx, session.Start[uint64]{Seeds: []uint32{5}, Values: []uint64{7}, Others: math.MaxUint64})
			if err != nil {
				return nil, err
			}
			return narrow(f.Facts()), nil
		}, narrow(dijkstra(g, 5, 7))},
	}
}

// partsAnswer is how many of them a graph in parts can be asked.
const partsAnswer = 7

// endings are sessions whose calls end early. The simulated device is that of four multiprocessors, on which nothing takes long.
var endings = []struct {
	name, device string
	symmetric    bool
	parts        uint64
	o            session.Options
}{
	{"native", "cpu", false, 0, session.Options{}},
	{"kernels on the host", "cpu", false, 0, session.Options{Topology: megakernel.Captured, Parallel: 2}},
	{"the host's loop on the host", "cpu", false, 0, session.Options{Topology: megakernel.HostLoop}},
	{"drained", "cuda-sim:3", false, 0, session.Options{}},
	{"host's loop", "cuda-sim:3", false, 0, session.Options{Topology: megakernel.HostLoop}},
	{"back to back", "cuda-sim:3", false, 0, session.Options{Topology: megakernel.BackToBack}},
	{"device's loop", "cuda-sim:3", false, 0, session.Options{Topology: megakernel.DeviceLoop}},
	{"cooperative", "cuda-sim:3", false, 0, session.Options{Topology: megakernel.Cooperative, Parallel: 2}},
	{"labels", "cuda-sim:3", true, 0, session.Options{}},
	{"parts on the host", "cpu", false, 30, session.Options{Engine: session.WavesEngine, Parts: true}},
	{"parts", "cuda-sim:3", false, 30, session.Options{Parts: true}},
}

// TestACallThatEndedEarlyLeavesNothing lets contexts end at looks that are drawn, and some time after them, and asks again: every
// answer is the full one.
func TestACallThatEndedEarlyLeavesNothing(t *testing.T) {
	t.Parallel()
	seed := long.Seed(t, 11)
	for i, c := range endings {
		t.Run(c.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, uint64(i)))
			g := weighted(t, graphtest.RandomGraph(t, 6, 50, true))
			if c.symmetric {
				g = weighted(t, graphtest.Both(t, graphtest.RandomGraph(t, 6, 40, false)))
			}
			dev := graphtest.OpenDevice(t, c.device)
			if c.o.Levels, c.o.Queries = true, 3; c.parts > 0 {
				g = weighted(t, graphtest.RandomGraph(t, 6, 100, true))
				c.o.SetPartArcs(c.parts)
				c.o.Budget = 1
				var over *driver.Error
				if _, err := session.New(t.Context(), dev, g, c.o); !errors.As(err, &over) {
					t.Fatal(err)
				}
				c.o.Budget = uint64(over.Requested) // of which two parts are there at a time
			}
			s := openSession(t, dev, g, c.o)
			if c.parts > 0 && s.Parts() < 3 {
				t.Fatalf("%d parts", s.Parts())
			}
			all := everyQuestion(t, g)
			if c.parts > 0 {
				all = all[:partsAnswer]
			}
			looks, ended, calls := make([]int, len(all)), 0, long.Count(6, 300, 2000)
			if c.device != "cpu" { // where all is simulated
				calls = long.Count(6, 200, 2000)
			}
			if c.parts > 0 || testing.Short() {
				calls = (calls + 2) / 3
			}
			answer := func(ctx context.Context, k int) bool {
				got, err := all[k].ask(ctx, s)
				switch {
				case err != nil && (ctx.Err() == nil || !errors.Is(err, driver.Canceled) || !errors.Is(err, context.Canceled)):
					t.Fatalf("%s: %v", all[k].name, err)
				case err == nil && !slices.Equal(got, all[k].want):
					t.Fatalf("%s:\n%v, want\n%v", all[k].name, got, all[k].want)
				}
				return err == nil
			}
			for k := range all { // those that are drawn may all come too late
				ctx, cancel := underway.At(1, 0)
				if !answer(ctx, k) {
					ended++
				}
				cancel()
			}
			for range calls {
				for range 1 + rng.IntN(3) {
					k := rng.IntN(len(all))
					most := looks[k]
					if most == 0 {
						most = 40 // the first call prepares
					}
					n, later := 1+rng.IntN(most), time.Duration(rng.IntN(3))*time.Duration(rng.IntN(1500))*time.Microsecond
					ctx, cancel := underway.At(n, later)
					if !answer(ctx, k) {
						ended++
					}
					cancel()
				}
				k := rng.IntN(len(all))
				counting, cancel := underway.Counting()
				answer(counting, k)
				cancel()
				looks[k] = counting.Times()
			}
			if t.Logf("%d calls ended early", ended); ended == 0 {
				t.Error("no context ended in time")
			}
		})
	}
}

// TestASessionThatIsNotOpenedLeavesNothing lets the context of NewSession end at looks that are drawn.
func TestASessionThatIsNotOpenedLeavesNothing(t *testing.T) {
	t.Parallel()
	rng, g := rand.New(rand.NewPCG(long.Seed(t, 3), 1)), graphtest.RandomGraph(t, 6, 40, true)
	for _, o := range []session.Options{{Levels: true, Queries: 2}, {Parallel: 2, Topology: megakernel.HostLoop}, inParts(30)} {
		sim, failed, most := cusim.New(cusim.Config{Models: []cusim.Model{cusim.Tiny}}), 0, 0
		open := func(within *underway.Looked) (err error) {
			return faults.OnDevice(func(_ context.Context, dev driver.Device) error {
				s, err := session.New(within, dev, g, o)
				most = within.Times()
				if err != nil {
					return err
				}
				return s.Close()
			})(sim)
		}
		counting, cancel := underway.Counting()
		if err := open(counting); err != nil {
			t.Fatal(err)
		}
		cancel()
		for range long.Count(8, 100, 1000) {
			ctx, cancel := underway.At(1+rng.IntN(most), 0)
			if err := open(ctx); errors.Is(err, driver.Canceled) && errors.Is(err, context.Canceled) {
				failed++
			} else if err != nil {
				t.Fatal(err)
			}
			cancel()
			if left := sim.Left(); left != "" {
				t.Fatalf("left behind: %s", left)
			}
		}
		if failed == 0 {
			t.Error(fmt.Sprint("no context ended in time: ", o))
		}
	}
}
