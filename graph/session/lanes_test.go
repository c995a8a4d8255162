package session_test

import (
	"fmt"
	"math/rand/v2"
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

// alike are queries about few kinds, so that many of them run together.
func alike(seed uint64, n, nodes int) []session.Query {
	rng := rand.New(rand.NewPCG(seed, 6))
	kinds := [...]uint32{0, 0, 0, 2, 5, graph.AllKinds}
	qs := make([]session.Query, n)
	for i := range qs {
		qs[i].Kinds = kinds[rng.IntN(len(kinds))]
		for range rng.IntN(4) {
			qs[i].Seeds = append(qs[i].Seeds, rng.Uint32N(uint32(nodes)))
		}
	}
	return qs
}

// checked opens the cpu with all detectors, and other devices as they are.
func checked(t *testing.T, name string, schedule cpu.Schedule) driver.Device {
	t.Helper()
	if name != "cpu" {
		return graphtest.OpenDevice(t, name)
	}
	dev, err := cpu.Open(cpu.Options{Engine: cpu.Interp, Run: cpu.RunOptions{Schedule: schedule, Detect: cpu.Everything}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return dev
}

// TestBatchesOfAnySizeAnswerWhatSingleQueriesDo, in sessions of words of 32 bits and of 64, in one submission and in many.
func TestBatchesOfAnySizeAnswerWhatSingleQueriesDo(t *testing.T) {
	for _, device := range devices() {
		for i, c := range []struct {
			queries  int
			masks    bool
			topology megakernel.Topology
			turns    map[int]int // of batches of queries that are all about one kind
		}{
			{32, true, megakernel.Auto, map[int]int{0: 0, 1: 1, 31: 1, 32: 1, 33: 2, 64: 2, 65: 3}},
			{64, false, megakernel.Auto, map[int]int{0: 0, 1: 1, 31: 1, 32: 1, 33: 1, 64: 1, 65: 2}},
			{100, true, megakernel.Cooperative, map[int]int{32: 1, 64: 1, 65: 2}},
			{7, false, megakernel.HostLoop, map[int]int{0: 0, 1: 1, 31: 5, 33: 5}},
			{64, true, megakernel.DeviceLoop, map[int]int{1: 1, 65: 2}},
			{40, true, megakernel.Captured, map[int]int{33: 1}},
			{1, true, megakernel.Drained, map[int]int{3: 3}},
		} {
			if device == "cuda-sim" && i > 1 || i > 3 && !long.Enabled() {
				continue // what is simulated takes a hundred times as long, and megakernel has run them all
			}
			t.Run(fmt.Sprintf("%s/%d of %v", device, c.queries, c.topology), func(t *testing.T) {
				t.Parallel()
				dev := checked(t, device, cpu.Seeded(uint64(i)))
				g := graphtest.RandomGraph(t, uint64(i), long.Count(67, 200, 500), c.masks)
				s, err := session.New(t.Context(), dev, g, session.Options{Engine: session.WavesEngine, Queries: c.queries, Seeds: 4, Topology: c.topology})
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				const room = 64 << 10 // for control words
				if live, peak := dev.Stats().Get(metric.LiveBytes), s.Memory().PeakBytes; live > peak || live+room < peak {
					t.Errorf("%d bytes live, planned %d", live, peak)
				}
				s.OnRun(func(r driver.Result) {
					for _, f := range r.Reports {
						t.Errorf("%s: %s", f.Kernel, f.Text)
					}
				})
				for n, turns := range c.turns {
					if device == "cuda-sim" && n != 33 {
						continue
					}
					qs := alike(uint64(n), n, g.Nodes())
					for k := range qs {
						if n%2 == 1 { // the others have kinds of their own
							qs[k].Kinds = 0
						}
					}
					answers, err := s.Batch(t.Context(), qs)
					if err != nil || len(answers) != n {
						t.Fatalf("%d answers to %d queries, %v", len(answers), n, err)
					}
					for k, r := range answers {
						matches(t, g, qs[k], r)
					}
					if got := s.Turns(); n%2 == 1 && got != turns || got < turns || n > 8 && got > n/2 && c.queries > 1 {
						t.Errorf("%d queries were %d searches, want %d", n, got, turns)
					}
				}
			})
		}
	}
}

// TestKindsThatMakeNoDifferenceRunTogether: where all arcs have mask 1, there are two filters.
func TestKindsThatMakeNoDifferenceRunTogether(t *testing.T) {
	dev := graphtest.OpenDevice(t, "cpu")
	g := graphtest.RandomGraph(t, 1, 50, false)
	s, err := session.New(t.Context(), dev, g, session.Options{Engine: session.WavesEngine, Queries: 8})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var qs []session.Query
	for k := range uint32(8) {
		qs = append(qs, session.Query{Seeds: []uint32{k}, Kinds: k})
	}
	answers, err := s.Batch(t.Context(), qs)
	if err != nil || s.Turns() != 2 {
		t.Errorf("%d searches, %v", s.Turns(), err)
	}
	for k, r := range answers {
		matches(t, g, qs[k], r)
	}
}

// TestManyShapesOfBatches are more than are kept prepared.
func TestManyShapesOfBatches(t *testing.T) {
	t.Parallel()
	dev := graphtest.OpenDevice(t, "cpu")
	g := graphtest.RandomGraph(t, 2, 20, true)
	s, err := session.New(t.Context(), dev, g, session.Options{Engine: session.WavesEngine, Queries: 14, Seeds: 2})
	if err != nil {
		t.Fatal(err)
	}
	for alone := range 10 {
		for together := range 8 {
			var qs []session.Query
			for k := range alone {
				qs = append(qs, session.Query{Seeds: []uint32{uint32(k)}, Kinds: 1 << k})
			}
			for k := range together {
				qs = append(qs, session.Query{Seeds: []uint32{uint32(k)}, Kinds: 1 << 20})
			}
			answers, err := s.Batch(t.Context(), qs)
			if err != nil {
				t.Fatal(err)
			}
			for k, r := range answers {
				matches(t, g, qs[k], r)
			}
		}
	}
	if err := s.Close(); err != nil || dev.Stats().Get(metric.LiveBytes) != 0 {
		t.Errorf("%v, %d bytes live", err, dev.Stats().Get(metric.LiveBytes))
	}
}
