package ifds_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/ifds"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/testing/faults"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/megakernel"
)

// solving makes a session that is asked for solutions in turn.
func solving(g *graph.CSR, o ifds.Options, want []*ifds.Solution) faults.Maker {
	return func(ctx context.Context, dev driver.Device) (made faults.Object, err error) {
		s, err := ifds.NewSession(ctx, dev, g, o)
		if err != nil {
			return made, err
		}
		made.Close = s.Close
		made.Run = func(ctx context.Context) error {
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
		}
		return made, nil
	}
}

func TestAnyCallOfASessionMayFail(t *testing.T) {
	t.Parallel()
	g, every := randomProgram(t, rand.New(rand.NewPCG(4, 0)), true), long.Count(61, 17, 1)
	if testing.Short() && !long.Enabled() {
		every = 347
	}
	o := ifds.Options{Unbalanced: true}
	want := solveOn(t, nil, g, o, []uint32{0}, []uint32{1})
	o.Engine, o.Entries = session.WavesEngine, true
	for _, o.Topology = range []megakernel.Topology{megakernel.Auto, megakernel.HostLoop} {
		config := cusim.Config{Models: []cusim.Model{cusim.Tiny}, Eager: o.Topology == megakernel.HostLoop}
		n := faults.EachCall(t, config, every, solving(g, ifds.Ordered(o), want).Session(), 719, cu.OutOfMemory)
		if t.Logf("%v: %d times", o.Topology, n); n < 3 && !testing.Short() {
			t.Errorf("only %d calls failed", n)
		}
	}
}

// The class: an error does not say that nothing was done. A session solves again after any call failed, before or after its effect.
func TestASessionSolvesRightAfterAFailure(t *testing.T) {
	t.Parallel()
	g, first := randomProgram(t, rand.New(rand.NewPCG(4, 0)), true), long.Seed(t, 1)
	o := ifds.Options{Unbalanced: true}
	want := solveOn(t, nil, g, o, []uint32{0}, []uint32{1})
	o.Engine, o.Entries = session.WavesEngine, true
	for i, top := range []megakernel.Topology{megakernel.Auto, megakernel.HostLoop} {
		if o.Topology = top; i > 0 && !long.Enabled() {
			break
		}
		config := cusim.Config{Models: []cusim.Model{cusim.Tiny}, Eager: i == 1}
		faults.Sweep{Config: config, Faults: faults.Sizes(3, 5000), Seed: first + uint64(i), Make: solving(g, ifds.Ordered(o), want)}.Run(t)
	}
}
