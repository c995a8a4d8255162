package ifds_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/cu"
	"github.com/govyre/vyre/driver/cuda/cusim"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/ifds"
	"github.com/govyre/vyre/internal/faults"
	"github.com/govyre/vyre/internal/long"
	"github.com/govyre/vyre/megakernel"
)

// askTwice opens a session on a simulated driver and asks it for two solutions, each again after a failure.
func askTwice(drv *cusim.Driver, g *graph.CSR, o ifds.Options, want []*ifds.Solution) error {
	return faults.OnDevice(func(ctx context.Context, dev driver.Device) error {
		s, err := ifds.NewSession(ctx, dev, g, o)
		if err != nil {
			return err
		}
		return errors.Join(faults.Twice(ctx, func() error {
			for i, w := range want {
				got, err := s.Solve(ctx, []uint32{uint32(i)})
				if err != nil {
					return err
				}
				if got.PathEdges() != w.PathEdges() || !slices.Equal(slices.Collect(got.Nodes()), slices.Collect(w.Nodes())) {
					return fmt.Errorf("%w: from %d: %v", faults.ErrWrong, i, slices.Collect(got.Nodes()))
				}
			}
			return nil
		}), s.Close())
	})(drv)
}

func TestAnyCallOfASessionMayFail(t *testing.T) {
	t.Parallel()
	g, every := randomProgram(t, rand.New(rand.NewPCG(4, 0)), true), long.Count(61, 17, 1)
	if testing.Short() && !long.Enabled() {
		every = 87
	}
	o := ifds.Options{Unbalanced: true}
	want := solveOn(t, nil, g, o, []uint32{0}, []uint32{1})
	o.Engine, o.Entries = graph.WavesEngine, true
	for _, o.Topology = range []megakernel.Topology{megakernel.Auto, megakernel.HostLoop} {
		config := cusim.Config{Models: []cusim.Model{cusim.Tiny}, Eager: o.Topology == megakernel.HostLoop}
		n := faults.EachCall(t, config, every, func(sim *cusim.Driver) error { return askTwice(sim, g, ifds.Ordered(o), want) }, 719, cu.OutOfMemory)
		if t.Logf("%v: %d times", o.Topology, n); n < 3 && !testing.Short() {
			t.Errorf("only %d calls failed", n)
		}
	}
}
