package device_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/egraph/device"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/testing/egraphs"
	"github.com/govyre/vyre/internal/testing/faults"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/megakernel"
)

// calls makes a session of a chain whose calls unite its links one by one: whatever failed before, the result is the closure of all
// unions that were given.
func calls(how megakernel.Topology) faults.Maker {
	return func(ctx context.Context, dev driver.Device) (made faults.Object, err error) {
		g := egraphs.Chain(14)
		im, err := device.Build(g)
		if err != nil {
			return made, err
		}
		s, err := device.Open(ctx, dev, im)
		if err != nil {
			return made, err
		}
		next := 0
		made.Close = s.Close
		made.Run = func(ctx context.Context) error {
			union := [2]uint32{uint32(2 + next%6), uint32(3 + next%6)}
			next++
			if err := g.Union(egraph.Class(union[0]), egraph.Class(union[1]), "given"); err != nil {
				return err
			}
			r, err := s.Canonicalise(ctx, [][2]uint32{union}, device.Options{Topology: how, MaxRounds: 2})
			if err == nil {
				r, err = s.Canonicalise(ctx, nil, device.Options{Topology: how})
			}
			if err != nil {
				return err
			}
			want := closeByHand(g)
			if err := want.compare(&r); err != nil {
				return fmt.Errorf("%w: %w", faults.ErrWrong, err)
			}
			return nil
		}
		return made, nil
	}
}

// TestAnyCallOfTheDriverMayFail: the error names it, nothing is left, and the session is right afterwards.
func TestAnyCallOfTheDriverMayFail(t *testing.T) {
	for _, how := range []megakernel.Topology{megakernel.Cooperative, megakernel.HostLoop} {
		config := cusim.Config{Models: []cusim.Model{cusim.Tiny}, Eager: how == megakernel.HostLoop}
		n := faults.EachCall(t, config, long.Count(251, 11, 1), calls(how).Session(), 719, cu.OutOfMemory)
		if t.Logf("%v: %d times", how, n); n < 1 {
			t.Errorf("only %d calls failed", n)
		}
	}
}

// TestASessionIsRightAfterAFailure lets calls fail in the middle of the work, before and after their effect.
func TestASessionIsRightAfterAFailure(t *testing.T) {
	n := faults.Sweep{Config: cusim.Config{Models: []cusim.Model{cusim.Tiny}}, Make: calls(megakernel.Cooperative), Faults: faults.Sizes(4, 1000), Seed: long.Seed(t, 1)}.Run(t)
	if n.Errors == 0 {
		t.Errorf("no call failed: %v", n)
	}
}
