package session_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/megakernel"
)

// partsOf opens a session of a graph in so many parts.
func partsOf(t *testing.T, dev driver.Device, g *graph.CSR, parts uint64, o session.Options) *session.Session {
	t.Helper()
	o.Engine, o.Parts = session.WavesEngine, true
	o.SetPartArcs(uint64(g.Arcs()) / parts)
	s, err := session.New(t.Context(), dev, g, o)
	if err != nil {
		t.Fatal(err)
	}
	s.OnRun(func(r driver.Result) {
		for _, f := range r.Reports {
			t.Errorf("%s: %s", f.Kernel, f.Text)
		}
	})
	return s
}

// TestLanesOfPartsAnswerAsTheWholeDoes: batches of random queries, few and many of the same kinds, with lanes of 32 bits and of 64, and
// with none, by all detectors and schedules; some are only counted. Asked twice, so that what the first batch left is seen.
func TestLanesOfPartsAnswerAsTheWholeDoes(t *testing.T) {
	for _, device := range devices() {
		for seed := range long.Seeds(t, 6, 24, 400) {
			if device == "cuda-sim" && seed%6 != 2 {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", device, seed), func(t *testing.T) {
				if seed%2 == 1 {
					graphtest.WideFrom(t, 0)
				}
				r := rand.New(rand.NewPCG(seed, 47))
				g, dev := graphtest.RandomGraph(t, seed, 40+r.IntN(long.Count(60, 200, 200)), seed%3 != 0), checked(t, device, cpu.Seeded(seed))
				lanes := []int{40, 9, 64, 1, 33, 32}[seed%6]
				before := dev.Stats().Get(metric.LiveBytes)
				s := partsOf(t, dev, g, 4, session.Options{Queries: lanes, Seeds: 4, Topology: []megakernel.Topology{megakernel.Auto, megakernel.HostLoop}[seed/2%2]})
				most := 70
				if lanes == 1 && !long.Enabled() { // each query is a search
					most = 9
				}
				for range 2 {
					queries := alike(seed+uint64(r.IntN(100)), 1+r.IntN(most), g.Nodes())
					for i := range queries {
						queries[i].Count = r.IntN(4) == 0
					}
					all, err := s.Batch(t.Context(), queries)
					if err != nil {
						t.Fatal(err)
					}
					for i, a := range all {
						q := queries[i]
						if q.Count {
							levels, _ := graph.Levels(t.Context(), g, q.Seeds, kindsOf(q))
							if want := len(slices.Collect(nodesOf(levels))); a.Count() != want || a.Contains(0) {
								t.Fatalf("%+v: %d nodes, want %d, and none by name", q, a.Count(), want)
							}
							continue
						}
						matches(t, g, q, a)
					}
					if turns := s.Turns(); turns > 4+len(queries)/lanes || lanes == 1 && turns != len(queries) {
						t.Errorf("%d queries with %d lanes were %d searches", len(queries), lanes, turns)
					}
				}
				if live := dev.Stats().Get(metric.LiveBytes) - before; live > s.Bytes() {
					t.Errorf("%d bytes live, %d were compared with the budget", live, s.Bytes())
				}
				if err := s.Close(); err != nil || dev.Stats().Get(metric.LiveBytes) != before {
					t.Errorf("%v, %d bytes live, %d before", err, dev.Stats().Get(metric.LiveBytes), before)
				}
			})
		}
	}
}

// kindsOf are those that a query allows.
func kindsOf(q session.Query) uint32 {
	if q.Kinds == 0 {
		return graph.AllKinds
	}
	return q.Kinds
}

// TestLanesStepDownToTheByte: from a budget on a batch is one search of 64 queries; with a byte less two of 32, and with less again one
// for each query. What is reported as taken is within the budget, and the answers are the same.
func TestLanesStepDownToTheByte(t *testing.T) {
	t.Parallel()
	g, dev := graphtest.RandomGraph(t, 8, 3000, true), graphtest.OpenDevice(t, "cpu")
	queries := make([]session.Query, 64)
	for i := range queries {
		queries[i].Seeds = []uint32{uint32(7 * i)}
	}
	open := func(budget uint64) *session.Session {
		o := session.Options{Engine: session.WavesEngine, Parts: true, Queries: 64, Seeds: 2, Budget: budget, Topology: megakernel.HostLoop}
		o.SetPartArcs(1 << 20) // it fits, and is in parts all the same
		s, err := session.New(t.Context(), dev, g, o)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	lanes := func(budget uint64) int {
		s := open(budget)
		defer s.Close()
		return s.PartLanes()
	}
	// from returns the least budget with so many lanes.
	from := func(want int, low, high uint64) uint64 {
		for low+1 < high {
			if middle := (low + high) / 2; lanes(middle) >= want {
				high = middle
			} else {
				low = middle
			}
		}
		return high
	}
	least := uint64(200_000)
	at32 := from(32, least, 1<<20)
	at64 := from(64, at32, 1<<20)
	for _, c := range []struct {
		budget uint64
		turns  int
	}{{at64, 1}, {at64 - 1, 2}, {at32, 2}, {at32 - 1, 64}} {
		s := open(c.budget)
		all, err := s.Batch(t.Context(), queries)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range all {
			matches(t, g, queries[i], r)
		}
		if s.Turns() != c.turns || s.Bytes() > c.budget || dev.Stats().Get(metric.LiveBytes) > s.Bytes() {
			t.Errorf("a budget of %d: %d searches, want %d; %d bytes counted, %d live", c.budget, s.Turns(), c.turns, s.Bytes(), dev.Stats().Get(metric.LiveBytes))
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestBatchesAreSmallerBeforeAGraphIsInParts: a session that may be in parts stays whole, to the byte, as long as that is possible with
// 32 queries at a time, or with one, and answers say so; one that may not is refused as before.
func TestBatchesAreSmallerBeforeAGraphIsInParts(t *testing.T) {
	t.Parallel()
	g, dev := graphtest.Generated(t, "uniform:9"), graphtest.OpenDevice(t, "cpu")
	queries := make([]session.Query, 64)
	for i := range queries {
		queries[i].Seeds = []uint32{uint32(7 * i)}
	}
	o := session.Options{Engine: session.WavesEngine, Seeds: 2, Topology: megakernel.HostLoop}
	bytes := func(queries int) uint64 {
		o := o
		o.Queries = queries
		return graphtest.Must(session.DeviceBytes(t.Context(), g, o))
	}
	o.Queries = 64
	for _, c := range []struct {
		budget uint64
		turns  int
		says   string
	}{{bytes(64), 1, ""}, {bytes(64) - 1, 2, "memory for 32 queries"}, {bytes(32), 2, "memory for 32 queries"}, {bytes(32) - 1, 64, "memory for 1 queries"}, {bytes(1), 64, "memory for 1 queries"}} {
		o.Budget, o.Parts = c.budget, false
		whole, err := session.New(t.Context(), dev, g, o)
		if (err == nil) != (c.says == "") {
			t.Errorf("%d bytes, and no parts: %v", c.budget, err)
		}
		if err == nil {
			whole.Close()
		}
		o.Parts = true
		s, err := session.New(t.Context(), dev, g, o)
		if err != nil {
			t.Fatal(err)
		}
		all, err := s.Batch(t.Context(), queries)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range all {
			matches(t, g, queries[i], r)
			if _, why := r.Algorithm(); !strings.Contains(why, c.says) || r.Run.Parts != 0 {
				t.Fatalf("%d bytes: in %d parts, %q, want that it says %q", c.budget, r.Run.Parts, why, c.says)
			}
		}
		if s.Turns() != c.turns || s.Bytes() > c.budget {
			t.Errorf("%d bytes: %d searches, want %d; %d bytes counted", c.budget, s.Turns(), c.turns, s.Bytes())
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	o.Budget = bytes(1) - 1
	if s, err := session.New(t.Context(), dev, g, o); err == nil {
		if s.Parts() == 0 {
			t.Error("it is whole with a byte less than that takes")
		}
		s.Close()
	}
}
