package ifds_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/ifds"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/internal/testing/underway"
	"github.com/govyre/vyre/megakernel"
)

// TestACallThatEndedEarlyLeavesNothing lets contexts end at looks that are drawn, and some time after them, and asks again: every
// solution is the full one.
func TestACallThatEndedEarlyLeavesNothing(t *testing.T) {
	t.Parallel()
	seed := long.Seed(t, 5)
	for i, c := range []struct {
		name, device string
		o            ifds.Options
	}{
		{"native", "cpu", ifds.Options{Entries: true}},
		{"captured", "cpu", ifds.Options{Engine: session.WavesEngine, Topology: megakernel.Captured}},
		{"host's loop", "cpu", ifds.Options{Engine: session.WavesEngine, Topology: megakernel.HostLoop, Entries: true}},
		{"cooperative", "cuda-sim:3", ifds.Options{Entries: true}},
		{"device's loop", "cuda-sim:3", ifds.Options{Topology: megakernel.DeviceLoop}},
		{"host's loop", "cuda-sim:3", ifds.Options{Topology: megakernel.HostLoop}},
	} {
		t.Run(c.name+" on "+c.device, func(t *testing.T) {
			rng, g := rand.New(rand.NewPCG(seed, uint64(i))), exploded(t, 8, 16, 4, 1)
			if c.device != "cpu" {
				g = exploded(t, 4, 8, 2, 1)
			}
			s, err := ifds.NewSession(t.Context(), openDevice(t, c.device), g, c.o)
			if err != nil {
				t.Fatal(err)
			}
			want := make([]*ifds.Solution, 4)
			seedsOf := func(k int) []uint32 { return []uint32{uint32(k * g.Nodes() / len(want))} }
			for k := range want {
				if want[k], err = ifds.Solve(t.Context(), g, seedsOf(k), ifds.Options{Entries: true}); err != nil {
					t.Fatal(err)
				}
			}
			answer := func(ctx context.Context) bool {
				k := rng.IntN(len(want))
				got, err := s.Solve(ctx, seedsOf(k))
				if err != nil {
					if ctx.Err() == nil || !errors.Is(err, driver.Canceled) || !errors.Is(err, context.Canceled) {
						t.Fatal(err)
					}
					return false
				}
				if got.PathEdges() != want[k].PathEdges() || !slices.Equal(slices.Collect(got.Nodes()), slices.Collect(want[k].Nodes())) {
					t.Fatalf("from %v: %v, want %v", seedsOf(k), slices.Collect(got.Nodes()), slices.Collect(want[k].Nodes()))
				}
				for v := range uint32(g.Nodes()) {
					a, free := got.Entries(v)
					if b, also := want[k].Entries(v); c.o.Entries && (!slices.Equal(a, b) || free != also) {
						t.Fatalf("from %v, node %d: entries %v, want %v", seedsOf(k), v, a, b)
					}
				}
				return true
			}
			ended, looks, calls := 0, 10, long.Count(20, 300, 2000)
			if c.device != "cpu" { // where all is simulated
				calls = long.Count(15, 100, 1000)
			}
			for range calls {
				for range 1 + rng.IntN(3) {
					ctx, cancel := underway.At(1+rng.IntN(looks), time.Duration(rng.IntN(3))*time.Duration(rng.IntN(1500))*time.Microsecond)
					if !answer(ctx) {
						ended++
					}
					cancel()
				}
				counting, cancel := underway.Counting()
				answer(counting)
				cancel()
				looks = counting.Times()
			}
			if t.Logf("%d calls ended early", ended); ended == 0 {
				t.Error("no context ended in time")
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
