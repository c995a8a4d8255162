package session_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/testing/faults"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/megakernel"
)

// TestSearchesSideBySide asks sessions of several sets from more goroutines than there are sets, and analyses beside them.
func TestSearchesSideBySide(t *testing.T) {
	for _, c := range []struct {
		name   string
		g      *graph.CSR
		device string
		o      session.Options
	}{
		{"waves", graphtest.RandomGraph(t, 5, 60, true), "cpu", session.Options{Engine: session.WavesEngine}},
		{"labels", graphtest.Both(t, graphtest.RandomGraph(t, 5, 60, true)), "cpu", session.Options{Engine: session.WavesEngine}},
		{"host loop", graphtest.RandomGraph(t, 6, 60, false), "cpu", session.Options{Engine: session.WavesEngine, Topology: megakernel.HostLoop}},
		{"native", graphtest.RandomGraph(t, 7, 60, true), "cpu", session.Options{Engine: session.NativeEngine}},
		{"parts", graphtest.RandomGraph(t, 8, 60, true), "cpu", inParts(40)},
		{"simulated", graphtest.RandomGraph(t, 9, 20, true), "cuda-sim", session.Options{Engine: session.WavesEngine, Topology: megakernel.HostLoop}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dev, turns := graphtest.OpenDevice(t, c.device), long.Count(6, 40, 200)
			if c.device != "cpu" {
				turns = 1
			}
			before := dev.Stats().Get(metric.LiveBytes)
			c.o.Parallel, c.o.Queries, c.o.Levels = 3, 3, true
			s, err := session.New(t.Context(), dev, c.g, c.o)
			if err != nil {
				t.Fatal(err)
			}
			var all sync.WaitGroup
			for k := range 5 {
				all.Go(func() { searchBesideOthers(t, s, c.g, uint64(k), turns) })
			}
			all.Go(func() {
				w, err := s.Components(t.Context(), 2)
				if err != nil || !slices.Equal(graphtest.Must(w.Labels(t.Context(), nil)), graphtest.Weak(c.g, 2)) {
					t.Errorf("%v, %v", w, err)
				}
			})
			all.Wait()
			if live := dev.Stats().Get(metric.LiveBytes) - before; live > s.Bytes() {
				t.Errorf("%d bytes live, %d were compared with the budget", live, s.Bytes())
			}
			for range 2 {
				if err := s.Close(); err != nil || dev.Stats().Get(metric.LiveBytes) != before {
					t.Errorf("%v, %d bytes live, %d before", err, dev.Stats().Get(metric.LiveBytes), before)
				}
			}
			for range 4 {
				if _, err := s.Reach(t.Context(), session.Query{}); err == nil || !strings.Contains(err.Error(), "closed") {
					t.Errorf("a closed session: %v", err)
				}
			}
		})
	}
}

func searchBesideOthers(t *testing.T, s *session.Session, g *graph.CSR, seed uint64, turns int) {
	queries := randomQueries(seed, 4, g.Nodes())
	for range turns {
		answers, err := s.Batch(t.Context(), queries)
		if err != nil {
			t.Error(err)
			return
		}
		for i, r := range answers {
			matches(t, g, queries[i], r)
		}
		r, err := s.Reach(t.Context(), queries[0])
		if err != nil {
			t.Error(err)
			return
		}
		matches(t, g, queries[0], r)
		levels, err := s.Levels(t.Context(), queries[1])
		want, failed := graph.Levels(t.Context(), g, queries[1].Seeds, settled(queries[1].Kinds))
		if err = errors.Join(err, failed); err != nil || !slices.Equal(levels, want) {
			t.Errorf("levels %v, %v, want %v", levels, err, want)
		}
	}
}

// TestSearchesDoNotWait: each of three searches is at its end only when all of them have run, so that none may wait for another.
func TestSearchesDoNotWait(t *testing.T) {
	g := graphtest.Generated(t, "road:9x7")
	s, err := session.New(t.Context(), graphtest.OpenDevice(t, "cpu"), g, session.Options{Engine: session.WavesEngine, Topology: megakernel.Cooperative, Queries: 1, Parallel: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var met, all sync.WaitGroup
	met.Add(3)
	s.OnRun(func(driver.Result) {
		met.Done()
		met.Wait()
	})
	for k := range uint32(3) {
		all.Go(func() {
			q := session.Query{Seeds: []uint32{11 * k}}
			r, err := s.Reach(t.Context(), q)
			if err != nil {
				t.Error(err)
				return
			}
			matches(t, g, q, r)
		})
	}
	all.Wait()
	if got := s.Totals(); got.Runs != 3 || got.Bytes != s.Bytes() {
		t.Errorf("%+v of three searches, %d bytes", got, s.Bytes())
	}
}

// TestSetsAreCounted: each set takes as much as a session without the graph, which is clear before anything is allocated.
func TestSetsAreCounted(t *testing.T) {
	dev, g := graphtest.OpenDevice(t, "cpu"), graphtest.Generated(t, "icfg:4,8,3")
	o := session.Options{Engine: session.WavesEngine, Topology: megakernel.Cooperative, Queries: 2, Levels: true}
	need := make([]uint64, 4)
	for n := 1; n < 4; n++ {
		o.Parallel, o.Budget = n, 0
		need[n] = graphtest.Must(session.DeviceBytes(t.Context(), g, o))
		o.Budget = need[n]
		s, err := session.New(t.Context(), dev, g, o)
		if err != nil {
			t.Fatal(err)
		}
		if s.Bytes() != need[n] {
			t.Errorf("%d sets take %d bytes, planned were %d", n, s.Bytes(), need[n])
		}
		s.Close()
		o.Budget--
		before := dev.Stats().Get(metric.AllocRequests)
		_, err = session.New(t.Context(), dev, g, o)
		var e *driver.Error
		if !errors.As(err, &e) || e.Kind != driver.OutOfMemory || uint64(e.Requested) != need[n] || dev.Stats().Get(metric.AllocRequests) != before {
			t.Errorf("%d sets, one byte too little: %v", n, err)
		}
	}
	if need[3]-need[2] != need[2]-need[1] || need[2] <= need[1] {
		t.Errorf("sets need %d", need[1:])
	}
	if _, err := session.New(t.Context(), dev, g, session.Options{Parallel: -1}); err == nil || !strings.Contains(err.Error(), "-1 in parallel") {
		t.Error(err)
	}
}

// askSetsTwice asks each set of a session on a simulated device, again after a failure.
func askSetsTwice(drv *cusim.Driver, g *graph.CSR) error {
	return onSession(drv, g, session.Options{Engine: session.WavesEngine, Queries: 1, Seeds: 1, Parallel: 2}, func(ctx context.Context, s *session.Session) (err error) {
		return faults.Twice(ctx, func() error {
			for _, seed := range []uint32{5, 3} { // sets take turns
				want, err := graph.Levels(ctx, g, []uint32{seed}, graph.AllKinds)
				if err != nil {
					return err
				}
				r, err := s.Reach(ctx, session.Query{Seeds: []uint32{seed}})
				if err != nil {
					return err
				}
				for v, level := range want {
					if r.Contains(uint32(v)) != (level != graph.None) {
						return fmt.Errorf("%w: node %d from %d", faults.ErrWrong, v, seed)
					}
				}
			}
			return nil
		})
	})
}

func TestAnyCallOfSetsMayFail(t *testing.T) {
	t.Parallel()
	g, every := graphtest.RandomGraph(t, 6, 12, true), failing(127, 71)
	n := faults.EachCall(t, cusim.Config{Models: []cusim.Model{cusim.Tiny}}, every, func(sim *cusim.Driver) error { return askSetsTwice(sim, g) }, 719, cu.OutOfMemory)
	if t.Logf("%d times", n); n < 3 && !testing.Short() {
		t.Errorf("only %d calls failed", n)
	}
}

// inParts are options of a session that searches a graph in parts of so many arcs.
func inParts(arcs uint64) session.Options {
	o := session.Options{Engine: session.WavesEngine, Parts: true}
	o.SetPartArcs(arcs)
	return o
}
