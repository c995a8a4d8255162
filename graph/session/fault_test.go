package session_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/flows"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/testing/faults"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/megakernel"
)

// onSession opens a session of a graph on a simulated driver, and closes it in any case.
func onSession(drv *cusim.Driver, g *graph.CSR, o session.Options, do func(ctx context.Context, s *session.Session) error) error {
	return faults.OnDevice(func(ctx context.Context, dev driver.Device) error {
		s, err := session.New(ctx, dev, g, o)
		if err != nil {
			return err
		}
		return errors.Join(do(ctx, s), s.Close())
	})(drv)
}

// askTwice asks a batch of queries alone and together, and for levels, again after a failure.
func askTwice(drv *cusim.Driver, g *graph.CSR, topology megakernel.Topology, sets bool) error {
	o := session.Options{Engine: session.WavesEngine, Queries: 3, Seeds: 2, Levels: true, Topology: topology}
	if sets {
		o.SetSets()
	}
	return onSession(drv, g, o, func(ctx context.Context, s *session.Session) (err error) {
		queries := []session.Query{{Seeds: []uint32{0}}, {Seeds: []uint32{5}, Kinds: 2}, {Seeds: []uint32{3, 9}}}
		want := make([][]uint32, len(queries))
		for i, q := range queries {
			kinds := q.Kinds
			if kinds == 0 {
				kinds = graph.AllKinds
			}
			if want[i], err = graph.Levels(ctx, g, q.Seeds, kinds); err != nil {
				return err
			}
		}
		run := func() error {
			answers, err := s.Batch(ctx, queries)
			if err != nil {
				return err
			}
			for i, r := range answers {
				for v, level := range want[i] {
					if r.Contains(uint32(v)) != (level != graph.None) {
						return fmt.Errorf("%w: query %d, node %d", faults.ErrWrong, i, v)
					}
				}
			}
			if levels, err := s.Levels(ctx, queries[2]); err != nil {
				return err
			} else if !slices.Equal(levels, want[2]) {
				return fmt.Errorf("%w: levels %v", faults.ErrWrong, levels)
			}
			return nil
		}
		return faults.Twice(ctx, run)
	})
}

// failing is of how many calls of the driver one fails, each in a run of its own: each of them with -exhaustive, fewer with -short.
func failing(quick, sweep int) int {
	every := long.Count(quick, sweep, 1)
	if testing.Short() && !long.Enabled() {
		every = 5*quick + 2
	}
	return every
}

func TestAnyCallOfASessionMayFail(t *testing.T) {
	t.Parallel()
	g, every := graphtest.RandomGraph(t, 6, 12, true), failing(151, 111)
	for k, topology := range []megakernel.Topology{megakernel.Auto, megakernel.HostLoop, megakernel.Auto, megakernel.HostLoop} {
		config, sets := cusim.Config{Models: []cusim.Model{cusim.Tiny}, Eager: topology == megakernel.HostLoop}, k > 1
		n := faults.EachCall(t, config, every, func(sim *cusim.Driver) error { return askTwice(sim, g, topology, sets) }, 719, cu.OutOfMemory)
		if t.Logf("%v, sets %v: %d times", topology, sets, n); n < 3 && !testing.Short() {
			t.Errorf("only %d calls failed", n)
		}
	}
}

// analyseTwice does the same with analyses of a graph that has labels.
func analyseTwice(drv *cusim.Driver, g *graph.CSR, topology megakernel.Topology) error {
	return onSession(drv, g, session.Options{Engine: session.WavesEngine, Queries: 1, Seeds: 1, Topology: topology}, func(ctx context.Context, s *session.Session) (err error) {
		want := graphtest.Weak(g, graph.AllKinds)
		run := func() error {
			c, err := s.Components(ctx, 0)
			if err != nil {
				return err
			}
			if labels, err := c.Labels(ctx, nil); err != nil {
				return err
			} else if !slices.Equal(labels, want) {
				return fmt.Errorf("%w: components %v", faults.ErrWrong, labels)
			}
			r, err := s.Reach(ctx, session.Query{Seeds: []uint32{5}})
			if err != nil {
				return err
			}
			for v, label := range want {
				if r.Contains(uint32(v)) != (label == want[5]) {
					return fmt.Errorf("%w: node %d", faults.ErrWrong, v)
				}
			}
			return nil
		}
		return faults.Twice(ctx, run)
	})
}

func TestAnyCallOfAnAnalysisMayFail(t *testing.T) {
	t.Parallel()
	g, every := graphtest.Both(t, graphtest.RandomGraph(t, 6, 12, false)), failing(151, 83)
	config := cusim.Config{Models: []cusim.Model{cusim.Tiny}}
	n := faults.EachCall(t, config, every, func(sim *cusim.Driver) error { return analyseTwice(sim, g, megakernel.Auto) }, 719, cu.OutOfMemory)
	if t.Logf("%d times", n); n < 3 && !testing.Short() {
		t.Errorf("only %d calls failed", n)
	}
}

// pursueTwice does the same with strong components, topological levels, a tree, a fixpoint and sets of bits.
func pursueTwice(drv *cusim.Driver, g *graph.CSR) error {
	return onSession(drv, g, session.Options{Engine: session.WavesEngine, Queries: 1, Seeds: 1, Levels: true}, func(ctx context.Context, s *session.Session) (err error) {
		levels, err := graph.Levels(ctx, g, []uint32{5}, graph.AllKinds)
		if err != nil {
			return err
		}
		bits := session.BitFlow{Words: 1, Gen: make([]uint64, g.Nodes()), Kill: make([]uint64, g.Nodes()), Backward: true}
		for v := range bits.Gen {
			bits.Gen[v], bits.Kill[v] = 1<<v, 2<<v
		}
		in, _ := roundRobinBits(g, bits)
		start := session.Start[uint64]{Seeds: []uint32{5}, Values: []uint64{7}, Others: math.MaxUint64}
		q := session.Query{Seeds: []uint32{5}}
		far, parents := shortest(g, q)
		checks := []func() (right bool, err error){
			func() (bool, error) {
				p, err := s.Paths(ctx, q)
				if err != nil {
					return false, err
				}
				found, err := p.Parents(ctx, nil)
				if err != nil {
					return false, err
				}
				away, err := p.Distances(ctx, nil)
				return err == nil && slices.Equal(away, far) && slices.Equal(found, parents), err
			},
			func() (bool, error) {
				c, err := s.StrongComponents(ctx, 0)
				if err != nil {
					return false, err
				}
				labels, err := c.Labels(ctx, nil)
				return err == nil && slices.Equal(labels, graphtest.Strong(g, graph.AllKinds)), err
			},
			func() (bool, error) {
				o, err := s.TopologicalLevels(ctx, 0)
				return err == nil && slices.Equal(o.Levels(), longest(g, graph.AllKinds)), err
			},
			func() (bool, error) {
				tree, err := s.Tree(ctx, session.Query{Seeds: []uint32{5}})
				return err == nil && slices.Equal(tree.Parents(), smallest(g, levels, graph.AllKinds)), err
			},
			func() (bool, error) {
				b, err := s.BitFlow(ctx, bits)
				right := err == nil
				for v := uint32(0); right && int(v) < g.Nodes(); v++ {
					right = b.In(v)[0] == in[v]
				}
				return right, err
			},
			func() (_ bool, err error) {
				p, err := flows.RoundShortestProgram()
				if err != nil {
					return false, err
				}
				x, err := session.NewFixpoint(ctx, s, flows.Shortest{}, p, session.FixpointOptions{})
				if err != nil {
					return false, err
				}
				defer func() { err = errors.Join(err, x.Close()) }()
				f, err := x.Run(ctx, start)
				return err == nil && slices.Equal(f.Facts(), dijkstra(g, 5, 7)), err
			},
		}
		for i, check := range checks {
			for again := range 3 { // the third time only if the second one failed: after a failure, it is right or fails again
				right, e := check()
				if e == nil && !right {
					return fmt.Errorf("%w: analysis %d, time %d", faults.ErrWrong, i, again)
				}
				if err = errors.Join(err, e); e == nil && again > 0 {
					break
				}
			}
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%w: it took too long: %w", faults.ErrWrong, errors.Join(err, ctx.Err()))
		}
		return err
	})
}

func TestAnyCallOfOtherAnalysesMayFail(t *testing.T) {
	t.Parallel()
	g, every := weighted(t, graphtest.RandomGraph(t, 6, 12, true)), failing(499, 151)
	config := cusim.Config{Models: []cusim.Model{cusim.Tiny}}
	n := faults.EachCall(t, config, every, func(sim *cusim.Driver) error { return pursueTwice(sim, g) }, 719, cu.OutOfMemory)
	if t.Logf("%d times", n); n < 3 && !testing.Short() {
		t.Errorf("only %d calls failed", n)
	}
}
