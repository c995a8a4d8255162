package session_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
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

// nearWords answers by maps and whole passes over all arcs: a node, how many arcs away, and the kinds of arcs, after each other.
func nearWords(g *graph.CSR, q session.Query, arcs uint32) (words []uint32) {
	kinds := q.Kinds
	if kinds == 0 {
		kinds = graph.AllKinds
	}
	away, by := map[uint32]uint32{}, map[uint32]uint32{}
	for _, v := range q.Seeds {
		away[v] = 0
	}
	for r := uint32(0); r < arcs; r++ {
		found := len(away)
		for u := range uint32(g.Nodes()) {
			if at, ok := away[u]; !ok || at != r {
				continue
			}
			targets, masks := g.Row(u)
			for k, v := range targets {
				mask := uint32(1)
				if masks != nil {
					mask = masks[k]
				}
				if mask&kinds == 0 {
					continue
				}
				if at, ok := away[v]; !ok || at == r+1 {
					away[v], by[v] = r+1, by[v]|mask
				}
			}
		}
		if len(away) == found {
			break
		}
	}
	for r := uint32(0); r <= arcs && len(words) < 3*len(away); r++ {
		for v := range uint32(g.Nodes()) {
			if at, ok := away[v]; ok && at == r {
				words = append(words, v, r, by[v])
			}
		}
	}
	return words
}

// parallelGraph has arcs beside each other, with the same kinds and with others, loops, a hub, and nodes without any arc.
func parallelGraph(t *testing.T, seed uint64, n int, masks bool) *graph.CSR {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 8))
	offsets, targets, kinds := []uint32{0}, []uint32{}, []uint32{}
	for v := range n {
		degree := rng.IntN(5)
		if v == n/3 {
			degree = n
		}
		row := make([][2]uint32, 0, degree)
		for range degree {
			to := rng.Uint32N(uint32(n))
			if rng.IntN(6) == 0 {
				to = uint32(v)
			}
			for range 1 + rng.IntN(2) {
				row = append(row, [2]uint32{to, 1 << rng.Uint32N(5)})
			}
		}
		slices.SortFunc(row, func(a, b [2]uint32) int { return slices.Compare(a[:], b[:]) })
		for _, a := range row {
			targets, kinds = append(targets, a[0]), append(kinds, a[1])
		}
		offsets = append(offsets, uint32(len(targets)))
	}
	if !masks {
		kinds = nil
	}
	g, err := graph.New(t.Context(), offsets, targets, kinds)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestNearIsWhatAPlainSearchFinds, on every engine, one question after another: what one leaves must not be in the next.
func TestNearIsWhatAPlainSearchFinds(t *testing.T) {
	for _, device := range devices() {
		for i, c := range []struct {
			masks bool
			o     session.Options
			parts uint64
		}{
			{true, session.Options{Engine: session.WavesEngine}, 0},
			{false, session.Options{Engine: session.WavesEngine, Topology: megakernel.HostLoop}, 0},
			{true, session.Options{Engine: session.WavesEngine, Topology: megakernel.Cooperative, Levels: true}, 0},
			{true, session.Options{Engine: session.NativeEngine}, 0},
			{false, session.Options{Engine: session.NativeEngine}, 0},
			{true, session.Options{Engine: session.WavesEngine, Parts: true}, 40},
		} {
			t.Run(fmt.Sprintf("%s/%d", device, i), func(t *testing.T) {
				t.Parallel()
				g := parallelGraph(t, uint64(i), long.Count(70, 600, 600), c.masks)
				if c.parts > 0 {
					c.o.SetPartArcs(c.parts)
				}
				dev := checked(t, device, cpu.Seeded(uint64(i)))
				s, err := session.New(t.Context(), dev, g, c.o)
				if err != nil {
					t.Fatal(err)
				}
				s.OnRun(func(r driver.Result) {
					for _, found := range r.Reports {
						t.Error(found.Text)
					}
				})
				for k, q := range randomQueries(uint64(i), long.Count(8, 40, 40), g.Nodes()) {
					arcs := []uint32{2, 0, 1, 3, math.MaxUint32}[k%5]
					near, err := s.Near(t.Context(), q, arcs)
					if err != nil {
						t.Fatal(err)
					}
					var words []uint32
					for _, v := range near.Nodes {
						words = append(words, v.Node, v.Arcs, v.Kinds)
					}
					if want := nearWords(g, q, arcs); !slices.Equal(words, want) {
						t.Errorf("%+v, %d arcs: %v, want %v", q, arcs, words, want)
					}
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
				if live := dev.Stats().Get(metric.LiveBytes); live != 0 {
					t.Errorf("%d bytes live", live)
				}
			})
		}
	}
}

// TestNearSideBySide asks a session from many goroutines.
func TestNearSideBySide(t *testing.T) {
	g := parallelGraph(t, 9, 200, true)
	for _, engine := range []session.Engine{session.NativeEngine, session.WavesEngine} {
		s, err := session.New(t.Context(), graphtest.OpenDevice(t, "cpu"), g, session.Options{Engine: engine, Parallel: 3})
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for i := range uint32(12) {
			all.Go(func() {
				q := session.Query{Seeds: []uint32{i, 199 - i}}
				near, err := s.Near(t.Context(), q, 2)
				if err != nil {
					t.Error(err)
					return
				}
				var words []uint32
				for _, v := range near.Nodes {
					words = append(words, v.Node, v.Arcs, v.Kinds)
				}
				if want := nearWords(g, q, 2); !slices.Equal(words, want) {
					t.Errorf("%v from %v: %v, want %v", engine, q.Seeds, words, want)
				}
			})
		}
		all.Wait()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if _, err := s.Near(t.Context(), session.Query{}, 1); !errors.Is(err, driver.Closed) {
			t.Errorf("after Close: %v", err)
		}
	}
}

// TestNearReadsWhatIsNear: a question moves bytes for the nodes that are near, and not for those of the graph.
func TestNearReadsWhatIsNear(t *testing.T) {
	g := graphtest.Generated(t, "grid:200x100")
	dev := graphtest.OpenDevice(t, "cuda-sim")
	s, err := session.New(t.Context(), dev, g, session.Options{Engine: session.WavesEngine, Topology: megakernel.Cooperative, Queries: 1, Seeds: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, c := range []struct{ arcs, nodes, read uint32 }{{2, 13, 16 + 4<<10}, {20, 841, 16 + 12*841}} {
		near, err := s.Near(t.Context(), session.Query{Seeds: []uint32{50*200 + 100}}, c.arcs)
		if err != nil {
			t.Fatal(err)
		}
		if r := near.Run; uint32(len(near.Nodes)) != c.nodes || r.Read != uint64(c.read) || r.Uploaded != 4+16 || r.Record.Rounds != c.arcs+1 {
			t.Errorf("%d arcs: %d nodes, %d bytes read and %d uploaded, %d rounds", c.arcs, len(near.Nodes), r.Read, r.Uploaded, r.Record.Rounds)
		}
	}
}

// BenchmarkNear compares questions about what is two arcs away with the levels and the set of all that is reached.
func BenchmarkNear(b *testing.B) {
	dev, err := driver.Open("cpu", driver.OpenOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer dev.Close()
	for _, name := range []string{"road:1024x1024", "skew:1048576"} {
		g, err := generate.Graph(b.Context(), name, generate.Options{Seed: 1})
		if err != nil {
			b.Fatal(err)
		}
		for _, engine := range []session.Engine{session.NativeEngine, session.WavesEngine} {
			s, err := session.New(b.Context(), dev, g, session.Options{Engine: engine, Levels: true, Queries: 1, Seeds: 1})
			if err != nil {
				b.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(3, 4))
			for _, c := range []struct {
				name string
				ask  func(q session.Query) (int, error)
			}{
				{"near", func(q session.Query) (int, error) {
					near, err := s.Near(b.Context(), q, 2)
					return len(near.Nodes), err
				}},
				{"levels", func(q session.Query) (int, error) {
					levels, err := s.Levels(b.Context(), q)
					return len(levels), err
				}},
				{"reach", func(q session.Query) (int, error) {
					r, err := s.Reach(b.Context(), q)
					return r.Count(), err
				}},
			} {
				b.Run(fmt.Sprintf("%s/%v/%s", name, engine, c.name), func(b *testing.B) {
					nodes := 0
					for b.Loop() {
						n, err := c.ask(session.Query{Seeds: []uint32{rng.Uint32N(uint32(g.Nodes()))}})
						if err != nil {
							b.Fatal(err)
						}
						nodes += n
					}
					b.ReportMetric(float64(nodes)/float64(b.N), "nodes/op")
				})
			}
			s.Close()
		}
	}
}
