package session_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/faults"
	"github.com/govyre/vyre/internal/long"
	"github.com/govyre/vyre/megakernel"
)

// chains has nodes in chains of so many next to each other, so that few are reached from each.
func chains(t testing.TB, n, length int) *graph.CSR {
	t.Helper()
	offsets, targets := make([]uint32, 1, n+1), []uint32{}
	for v := range n {
		if v%length < length-1 && v+1 < n {
			targets = append(targets, uint32(v+1))
		}
		offsets = append(offsets, uint32(len(targets)))
	}
	g, err := graph.New(t.Context(), offsets, targets, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestFewResultsAreThoseOfAllWords: the class is answers of one query, whatever part of the graph they are: empty, few, more than
// are listed, all, by a search or by labels. Each is the same read as a list of words or as all of them, one after another into
// one answer.
func TestFewResultsAreThoseOfAllWords(t *testing.T) {
	n := long.Count(2000, 20000, 20000)
	for _, device := range devices() {
		for i, g := range []*graph.CSR{chains(t, n, 4), graphtest.Both(t, chains(t, n, 4)), graphtest.RandomGraph(t, 5, n, true)} {
			t.Run(fmt.Sprintf("%s/%d", device, i), func(t *testing.T) {
				t.Parallel()
				s, err := session.New(t.Context(), checked(t, device, cpu.Seeded(uint64(i))), g, session.Options{Engine: session.WavesEngine, Queries: 1, Seeds: n})
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				s.OnRun(func(r driver.Result) {
					for _, found := range r.Reports {
						t.Error(found.Text)
					}
				})
				s.ReadFew(1)
				var r session.Reached
				rng := rand.New(rand.NewPCG(uint64(i), 1))
				for _, seeds := range []int{1, 0, n / 50, 2, n / 2, 1} {
					q := session.Query{Kinds: 1}
					for range seeds {
						q.Seeds = append(q.Seeds, rng.Uint32N(uint32(n)))
					}
					levels, err := graph.Levels(t.Context(), g, q.Seeds, 1)
					if err != nil {
						t.Fatal(err)
					}
					if err := s.ReachInto(t.Context(), q, &r); err != nil {
						t.Fatal(err)
					}
					if want := slices.Collect(nodesOf(levels)); !slices.Equal(slices.Collect(r.Nodes()), want) || r.Count() != len(want) {
						t.Errorf("%d seeds: %d nodes, want %d", seeds, r.Count(), len(want))
					}
				}
			})
		}
	}
}

// TestFewResultsAreFewBytes on a large graph: the lists, and not the set.
func TestFewResultsAreFewBytes(t *testing.T) {
	const n = 1 << 16
	g := chains(t, n, 40)
	s, err := session.New(t.Context(), graphtest.OpenDevice(t, "cuda-sim"), g, session.Options{Engine: session.WavesEngine, Topology: megakernel.Cooperative, Queries: 1, Seeds: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, c := range []struct {
		fewest int
		read   uint64
	}{{n, 8 + n/8}, {1, 8 + 2*16 + 4<<10}} {
		s.ReadFew(c.fewest)
		before := s.Totals().Read
		r, err := s.Reach(t.Context(), session.Query{Seeds: []uint32{80}})
		if err != nil || r.Count() != 40 {
			t.Fatalf("%v, %d nodes", err, r.Count())
		}
		if r.Run.Read != c.read || s.Totals().Read-before != c.read {
			t.Errorf("%d bytes were read, by the totals %d, want %d", r.Run.Read, s.Totals().Read-before, c.read)
		}
	}
}

// BenchmarkFew compares the two ways to read, where 40 nodes of a large graph are reached.
func BenchmarkFew(b *testing.B) {
	dev, err := driver.Open("cpu", driver.OpenOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer dev.Close()
	for _, n := range []int{1 << 20, 1 << 23, 1 << 24} {
		s, err := session.New(b.Context(), dev, chains(b, n, 40), session.Options{Engine: session.WavesEngine, Queries: 1, Seeds: 1})
		if err != nil {
			b.Fatal(err)
		}
		for _, fewest := range []int{n, 1} {
			s.ReadFew(fewest)
			b.Run(fmt.Sprintf("%d/%d", n, fewest), func(b *testing.B) {
				var r session.Reached
				for b.Loop() {
					if err := s.ReachInto(b.Context(), session.Query{Seeds: []uint32{80}}, &r); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(r.Run.Read), "bytes/op")
			})
		}
		s.Close()
	}
}

// TestFewResultsAfterAFailure: the class is that of TestASessionAnswersRightAfterAFailure, and the calls are those of lists.
func TestFewResultsAfterAFailure(t *testing.T) {
	t.Parallel()
	g := chains(t, 1000, 2)
	make := func(ctx context.Context, dev driver.Device) (made faults.Object, err error) {
		s, err := session.New(ctx, dev, g, session.Options{Engine: session.WavesEngine, Topology: megakernel.Cooperative, Queries: 1, Seeds: 1})
		if err != nil {
			return made, err
		}
		s.ReadFew(1)
		seed := uint32(0)
		made.Close = s.Close
		made.Run = func(ctx context.Context) error {
			seed += 62
			r, err := s.Reach(ctx, session.Query{Seeds: []uint32{seed % 1000}})
			if err != nil {
				return err
			}
			if got, want := slices.Collect(r.Nodes()), []uint32{seed % 1000, seed%1000 + 1}; !slices.Equal(got, want) {
				return fmt.Errorf("%w: %v, want %v", faults.ErrWrong, got, want)
			}
			return nil
		}
		return made, nil
	}
	config := cusim.Config{Models: []cusim.Model{cusim.Tiny}}
	faults.Sweep{Config: config, Faults: faults.Sizes(40, 1500), Seed: long.Seed(t, 1), Make: make}.Run(t)
}
