package graph_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/driver/cuda/cu"
	"github.com/govyre/vyre/driver/cuda/cusim"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/internal/faults"
	"github.com/govyre/vyre/internal/long"
	"github.com/govyre/vyre/megakernel"
)

// askTwice opens a device and a session, asks a batch of queries alone and together, and for levels, again after a failure,
// and closes what there is in any case.
func askTwice(drv *cusim.Driver, g *graph.CSR, topology megakernel.Topology) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	d, err := cuda.Open(cuda.Options{Driver: drv, OpenOptions: driver.OpenOptions{CloseTimeout: time.Second}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	s, err := graph.NewSession(ctx, d, g, graph.SessionOptions{Engine: graph.WavesEngine, Queries: 3, Seeds: 2, Levels: true, Topology: topology})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	queries := []graph.Query{{Seeds: []uint32{0}}, {Seeds: []uint32{5}, Kinds: 2}, {Seeds: []uint32{3, 9}}}
	want := make([][]uint32, len(queries))
	for i, q := range queries {
		kinds := q.Kinds
		if kinds == 0 {
			kinds = graph.AllKinds
		}
		if want[i], err = graph.Levels(g, q.Seeds, kinds); err != nil {
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
	for range 2 {
		if e := run(); e != nil { // going on after a failure gives the right result, or an error again
			err = errors.Join(err, e, run())
		}
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%w: it took too long: %w", faults.ErrWrong, errors.Join(err, ctx.Err()))
	}
	return err
}

func TestAnyCallOfASessionMayFail(t *testing.T) {
	t.Parallel()
	g := randomGraph(t, 6, 12, true)
	every := 151
	switch {
	case long.Enabled():
		every = 29
	case testing.Short():
		every = 307
	}
	for _, topology := range []megakernel.Topology{megakernel.Auto, megakernel.HostLoop} {
		config := cusim.Config{Models: []cusim.Model{cusim.Tiny}, Eager: topology == megakernel.HostLoop}
		n := faults.EachCall(t, config, every, func(sim *cusim.Driver) error { return askTwice(sim, g, topology) }, 719, cu.OutOfMemory)
		if t.Logf("%v: %d times", topology, n); n < 3 && !testing.Short() {
			t.Errorf("only %d calls failed", n)
		}
	}
}

// analyseTwice does the same with analyses of a graph that has labels.
func analyseTwice(drv *cusim.Driver, g *graph.CSR, topology megakernel.Topology) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	d, err := cuda.Open(cuda.Options{Driver: drv, OpenOptions: driver.OpenOptions{CloseTimeout: time.Second}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	s, err := graph.NewSession(ctx, d, g, graph.SessionOptions{Engine: graph.WavesEngine, Queries: 1, Seeds: 1, Topology: topology})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	want := weak(g, graph.AllKinds)
	run := func() error {
		if c, err := s.Components(ctx, 0); err != nil {
			return err
		} else if !slices.Equal(c.Labels(), want) {
			return fmt.Errorf("%w: components %v", faults.ErrWrong, c.Labels())
		}
		r, err := s.Reach(ctx, graph.Query{Seeds: []uint32{5}})
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
	for range 2 {
		if e := run(); e != nil {
			err = errors.Join(err, e, run())
		}
	}
	return err
}

func TestAnyCallOfAnAnalysisMayFail(t *testing.T) {
	t.Parallel()
	g, every := both(t, randomGraph(t, 6, 12, false)), 151
	if long.Enabled() {
		every = 29
	}
	config := cusim.Config{Models: []cusim.Model{cusim.Tiny}}
	n := faults.EachCall(t, config, every, func(sim *cusim.Driver) error { return analyseTwice(sim, g, megakernel.Auto) }, 719, cu.OutOfMemory)
	if t.Logf("%d times", n); n < 3 {
		t.Errorf("only %d calls failed", n)
	}
}
