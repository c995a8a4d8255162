package graph_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/internal/long"
	"github.com/govyre/vyre/megakernel"
)

// randomGraph has n nodes with up to three arcs each, and a hub; with masks of five kinds, or without any.
func randomGraph(t *testing.T, seed uint64, n int, masks bool) *graph.CSR {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 77))
	offsets, targets, kinds := []uint32{0}, []uint32{}, []uint32{}
	for v := range n {
		degree := rng.IntN(4)
		if v == n/2 {
			degree = min(n, 100)
		}
		row := make([]uint32, degree)
		for k := range row {
			row[k] = rng.Uint32N(uint32(n))
		}
		slices.Sort(row)
		row = slices.Compact(row)
		for range row {
			kinds = append(kinds, 1+rng.Uint32N(31))
		}
		targets = append(targets, row...)
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

// alike are queries about few kinds, so that many of them run together.
func alike(seed uint64, n, nodes int) []graph.Query {
	rng := rand.New(rand.NewPCG(seed, 6))
	kinds := [...]uint32{0, 0, 0, 2, 5, graph.AllKinds}
	qs := make([]graph.Query, n)
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
		return openDevice(t, name)
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
				g := randomGraph(t, uint64(i), long.Count(67, 200, 500), c.masks)
				s, err := graph.NewSession(t.Context(), dev, g, graph.SessionOptions{Engine: graph.WavesEngine, Queries: c.queries, Seeds: 4, Topology: c.topology})
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				const room = 64 << 10 // for control words
				if live, peak := dev.Stats().Get(driver.LiveBytes), s.Memory().PeakBytes; live > peak || live+room < peak {
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
	dev := openDevice(t, "cpu")
	g := randomGraph(t, 1, 50, false)
	s, err := graph.NewSession(t.Context(), dev, g, graph.SessionOptions{Engine: graph.WavesEngine, Queries: 8})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var qs []graph.Query
	for k := range uint32(8) {
		qs = append(qs, graph.Query{Seeds: []uint32{k}, Kinds: k})
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
	dev := openDevice(t, "cpu")
	g := randomGraph(t, 2, 20, true)
	s, err := graph.NewSession(t.Context(), dev, g, graph.SessionOptions{Engine: graph.WavesEngine, Queries: 14, Seeds: 2})
	if err != nil {
		t.Fatal(err)
	}
	for alone := range 10 {
		for together := range 8 {
			var qs []graph.Query
			for k := range alone {
				qs = append(qs, graph.Query{Seeds: []uint32{uint32(k)}, Kinds: 1 << k})
			}
			for k := range together {
				qs = append(qs, graph.Query{Seeds: []uint32{uint32(k)}, Kinds: 1 << 20})
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
	if err := s.Close(); err != nil || dev.Stats().Get(driver.LiveBytes) != 0 {
		t.Errorf("%v, %d bytes live", err, dev.Stats().Get(driver.LiveBytes))
	}
}
