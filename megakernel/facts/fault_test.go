package facts_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/faults"
	"github.com/govyre/vyre/internal/long"
	"github.com/govyre/vyre/megakernel"
	"github.com/govyre/vyre/megakernel/facts"
)

// expanding makes a resident graph that is expanded from other nodes each time.
func expanding(s source, o facts.Options) faults.Maker {
	return func(ctx context.Context, d driver.Device) (made faults.Object, err error) {
		r, err := facts.Load(ctx, d, s.nodes, s.edges, s.payload, o)
		if err != nil {
			return made, err
		}
		made.Close = r.Close
		times := 0
		made.Run = func(ctx context.Context) error {
			times++
			active := []uint64{id(times % len(s.nodes)), id((times + 7) % len(s.nodes))}
			want, peak := s.run(active, o)
			got, err := r.Run(ctx, active)
			if err != nil {
				return err
			}
			if !slices.Equal(got.Nodes, want) || got.Peak != uint64(peak) && !o.Visited {
				return fmt.Errorf("%w: from %v: %v, peak %d, want %v, peak %d", faults.ErrWrong, active, got.Nodes, got.Peak, want, peak)
			}
			return nil
		}
		return made, nil
	}
}

// The class: an error does not say that nothing was done. A resident graph is expanded again after a call failed, before or after its
// effect.
func TestAGraphIsExpandedRightAfterAFailure(t *testing.T) {
	s, first := random(1, 70, 200), long.Seed(t, 1)
	for i, o := range []facts.Options{{Waves: 3}, {Visited: true}, {Waves: 2, Run: megakernel.Options{Topology: megakernel.HostLoop}}} {
		config := cusim.Config{Models: []cusim.Model{cusim.Tiny}, Eager: i == 1}
		faults.Sweep{Config: config, Faults: faults.Sizes(4, 3400), Seed: first + uint64(i), Make: expanding(s, o)}.Run(t)
	}
}
