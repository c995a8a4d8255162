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
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/testing/faults"
	"github.com/govyre/vyre/internal/testing/long"
)

// beside puts graphs into one, as procedures without arcs between them.
func beside(t *testing.T, graphs ...*graph.CSR) *graph.CSR {
	t.Helper()
	offsets, targets, masks := []uint32{0}, []uint32{}, []uint32{}
	for _, g := range graphs {
		base := uint32(len(offsets) - 1)
		for u := range uint32(g.Nodes()) {
			row, kinds := g.Row(u)
			for k, v := range row {
				mask := uint32(1)
				if kinds != nil {
					mask = kinds[k]
				}
				targets, masks = append(targets, base+v), append(masks, mask)
			}
			offsets = append(offsets, uint32(len(targets)))
		}
	}
	g, err := graph.New(t.Context(), offsets, targets, masks)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// someProcedures are graphs of sizes on either side of what a lane, a warp and a set's word hold, in one.
func someProcedures(t *testing.T, r *rand.Rand, sizes ...int) *graph.CSR {
	t.Helper()
	var list []*graph.CSR
	for _, n := range sizes {
		list = append(list, graphtest.RandomGraph(t, r.Uint64(), n, r.IntN(2) == 0))
	}
	return beside(t, list...)
}

// someRoots are nodes, some of them twice; of a procedure one, several or none.
func someRoots(r *rand.Rand, g *graph.CSR, n int) []uint32 {
	roots := make([]uint32, n)
	for k := range roots {
		roots[k] = r.Uint32N(uint32(g.Nodes()))
	}
	return append(roots, roots[:n/2]...)
}

// checkDominators compares those of a session with those of another algorithm, and counts the procedures.
func checkDominators(t *testing.T, s *session.Session, g *graph.CSR, roots []uint32, kinds uint32) session.DominatorShares {
	t.Helper()
	d, err := s.Dominators(t.Context(), roots, kinds)
	if err != nil {
		t.Fatal(err)
	}
	if want := byRounds(g, roots, settled(kinds)); !slices.Equal(d.Immediate(), want) {
		t.Errorf("from %v, kinds %#x: %v, want %v", roots, kinds, d.Immediate(), want)
	}
	want := session.DominatorShares{}
	labels := graphtest.Weak(g, settled(kinds))
	size := make([]int, g.Nodes())
	for _, label := range labels {
		size[label]++
	}
	asked := map[uint32]bool{}
	for _, v := range roots {
		asked[labels[v]] = true
	}
	for label := range asked {
		switch n := size[label]; {
		case n == 1:
			want.Alone++
		case n <= 32:
			want.Warp++
		case n <= 4096:
			want.Group++
		default:
			want.Host++
		}
	}
	if d.Shares != want || d.Run.Engine != session.WavesEngine {
		t.Errorf("from %v, kinds %#x: %+v by %v, want %+v", roots, kinds, d.Shares, d.Run.Engine, want)
	}
	return d.Shares
}

func TestDominatorsOnDevicesAreThoseOfTheHost(t *testing.T) {
	analysed(t, func(t *testing.T, s *session.Session, g *graph.CSR) {
		r := rand.New(rand.NewPCG(uint64(g.Nodes()), uint64(g.Arcs())))
		for _, kinds := range filters {
			for _, n := range []int{0, 1, 3, 12} {
				checkDominators(t, s, g, someRoots(r, g, n), kinds)
			}
		}
	})
}

// TestDominatorsOfManyProcedures in a random order of threads, with all that the interpreter can find.
func TestDominatorsOfManyProcedures(t *testing.T) {
	for seed := range long.Seeds(t, 6, 60, 3000) {
		r := rand.New(rand.NewPCG(seed, 41))
		g := someProcedures(t, r, 1, 2, 1+r.IntN(31), 31, 32, 33, 64, 65, 34+r.IntN(100), 1)
		if seed%4 == 0 {
			g = graphtest.Both(t, g)
		}
		dev := checked(t, "cpu", cpu.Seeded(seed))
		s, err := session.New(t.Context(), dev, g, session.Options{Engine: session.WavesEngine, Queries: 1, Levels: seed%3 == 0})
		if err != nil {
			t.Fatal(err)
		}
		s.OnRun(func(r driver.Result) {
			for _, f := range r.Reports {
				t.Errorf("%s: %s", f.Kernel, f.Text)
			}
		})
		for _, kinds := range []uint32{0, 0, 3, 8} {
			checkDominators(t, s, g, someRoots(r, g, 1+r.IntN(40)), kinds)
		}
		s.Close()
		dev.Close()
	}
}

// TestLargeDominators: sets of several words a lane, procedures in turns where memory for sets is short, and one too large for
// the device.
func TestLargeDominators(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 42))
	g := beside(t, graphtest.Generated(t, "chain:4097"), graphtest.Generated(t, "ladder:341x12"), graphtest.Generated(t, "tree:1500,2"), graphtest.Generated(t, "icfg:1,700,1"), someProcedures(t, r, 1030, 400, 60, 20, 1), graphtest.Generated(t, "chain:4096"))
	dev := graphtest.OpenDevice(t, "cpu")
	roots := append(someRoots(r, g, 50), 0, 4097, uint32(g.Nodes())-4096)
	need, shares, all := uint64(0), session.DominatorShares{}, uint64(0)
	for _, tight := range []bool{false, true} {
		o := session.Options{Engine: session.WavesEngine, Queries: 1, Budget: need}
		s, err := session.New(t.Context(), dev, g, o)
		if err != nil {
			t.Fatal(err)
		}
		before := dev.Stats()
		got := checkDominators(t, s, g, roots, 0)
		launches := dev.Stats().Sub(before).Get(metric.LaunchesPlain)
		if tight && (got != shares || s.Bytes() > need || launches <= all) {
			t.Errorf("%+v with %d of %d bytes and %d launches, %+v with all and %d", got, s.Bytes(), need, launches, shares, all)
		}
		shares, need, all = got, s.Bytes()-uint64(g.Nodes())*300, launches
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if shares.Host != 1 || shares.Group < 5 {
		t.Errorf("%+v", shares)
	}
}

// dominateTwice asks a session on a simulated device, again after a failure.
func dominateTwice(drv *cusim.Driver, g *graph.CSR, roots []uint32) error {
	return onSession(drv, g, session.Options{Engine: session.WavesEngine, Queries: 1, Seeds: 1}, func(ctx context.Context, s *session.Session) (err error) {
		want := byRounds(g, roots, graph.AllKinds)
		return faults.Twice(ctx, func() error {
			d, err := s.Dominators(ctx, roots, 0)
			if err == nil && !slices.Equal(d.Immediate(), want) {
				err = fmt.Errorf("%w: %v", faults.ErrWrong, d.Immediate())
			}
			return err
		})
	})
}

func TestAnyCallOfDominatorsMayFail(t *testing.T) {
	t.Parallel()
	g, every := beside(t, graphtest.RandomGraph(t, 6, 12, true), graphtest.Generated(t, "chain:34")), failing(151, 83)
	config := cusim.Config{Models: []cusim.Model{cusim.Tiny}}
	n := faults.EachCall(t, config, every, func(sim *cusim.Driver) error { return dominateTwice(sim, g, []uint32{5, 12}) }, 719, cu.OutOfMemory)
	if t.Logf("%d times", n); n < 3 && !testing.Short() {
		t.Errorf("only %d calls failed", n)
	}
}
