package megakernel_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/testing/faults"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/megakernel"
)

// searching makes a plan that searches a graph, some rounds a call.
func searching(g *graph, o megakernel.Options) faults.Maker {
	return func(ctx context.Context, d driver.Device) (_ faults.Object, err error) {
		m := &memory{dev: d}
		n := int64(g.nodes())
		for _, r := range []struct {
			to    *driver.Range
			words int64
			host  []uint32
		}{{&m.offsets, n + 1, g.offsets}, {&m.arcs, int64(len(g.arcs)), g.arcs}, {&m.queue, 2 * n, nil}, {&m.lengths, 3, nil}, {&m.seen, (n + 31) / 32, nil}} {
			b, err := d.Alloc(4*r.words, driver.AllocOptions{})
			if err != nil {
				return faults.Object{}, err
			}
			*r.to = driver.All(b)
			host := make([]byte, 4*r.words)
			for k, v := range r.host {
				binary.LittleEndian.PutUint32(host[4*k:], v)
			}
			if err := driver.Write(ctx, *r.to, host); err != nil {
				return faults.Object{}, err
			}
		}
		p, err := megakernel.New(ctx, d, reach(g, m, 0), nil, o)
		if err != nil {
			return faults.Object{}, err
		}
		want, nodes, edges := g.reached(0)
		_, levels := g.depths(0)
		var rec megakernel.Record
		on := func(ctx context.Context, next func(context.Context) (megakernel.Record, error)) (err error) {
			for rec, err = next(ctx); err == nil && rec.Status == megakernel.BudgetSpent; {
				rec, err = p.Resume(ctx)
			}
			return err
		}
		compare := func(ctx context.Context) error {
			got := make([]byte, m.seen.Len)
			if err := driver.ReadInto(ctx, m.seen, got); err != nil {
				return err
			}
			var bits []byte
			for _, v := range want {
				bits = binary.LittleEndian.AppendUint32(bits, v)
			}
			counted := rec.Items == nodes && rec.Edges == edges && (rec.Rounds == levels+1 || o.Topology == megakernel.Drained)
			if rec.Status != megakernel.Converged || !counted || !slices.Equal(got, bits) {
				return fmt.Errorf("%w: %+v, %x", faults.ErrWrong, rec, got)
			}
			return nil
		}
		return faults.Steps(func(context.Context) error { return nil }, func(ctx context.Context) error { return on(ctx, p.Run) },
			func(ctx context.Context) error { return on(ctx, p.Resume) }, compare, p.Close), nil
	}
}

// TestAnyCallOfThePlansRunsMayFail fails each call of the driver in turn, in every topology: the error names a
// call, nothing is left behind, no result is wrong, nothing hangs, and the next session works.
func TestAnyCallOfThePlansRunsMayFail(t *testing.T) {
	g := chain(12)
	every := long.Count(41, 31, 1)
	if testing.Short() {
		every = 293
	}
	for k, top := range append(slices.Clone(topologies), megakernel.Drained) {
		t.Run(top.String(), func(t *testing.T) {
			t.Parallel()
			config := cusim.Config{Models: []cusim.Model{cusim.Tiny}, Eager: k%2 == 0}
			n := faults.EachCall(t, config, every, searching(g, megakernel.Options{Topology: top, SliceRounds: 5, PollRounds: 2}).Session(), 719, cu.OutOfMemory)
			if t.Logf("%d times", n); n < 10 && !testing.Short() {
				t.Errorf("only %d calls failed", n)
			}
		})
	}
}

// The class: an error does not say that nothing was done. Calls of plans fail, before and after their effect, in the middle of runs
// that stop after some rounds and are resumed: Resume goes on with what is known, or says that nobody knows, and Run begins anew.
func TestAPlanThatFailedCountsEveryRoundOnce(t *testing.T) {
	g, first := chain(12), long.Seed(t, 1)
	for k, top := range append(slices.Clone(topologies), megakernel.Drained) {
		t.Run(top.String(), func(t *testing.T) {
			t.Parallel()
			o := megakernel.Options{Topology: top, SliceRounds: 2, PollRounds: 2, MaxRounds: 5}
			if top == megakernel.Drained {
				o.SliceRounds, o.MaxRounds = 0, 0
			}
			config := cusim.Config{Models: []cusim.Model{cusim.Tiny}, Eager: k%2 == 0}
			faults.Sweep{Config: config, Faults: faults.Sizes(2, 1700), Seed: first + uint64(k), Make: searching(g, o)}.Run(t)
		})
	}
}

// watched makes plans whose device has a timeline, until it is closed.
func watched(plan faults.Maker) faults.Maker {
	return func(ctx context.Context, d driver.Device) (faults.Object, error) {
		if _, err := driver.Timeline(d, io.Discard); err != nil && !errors.Is(err, driver.Busy) {
			return faults.Object{}, err
		}
		return plan(ctx, d)
	}
}

// TestAnyCallOfATracedPlanMayFail, and it goes on, or begins anew, as without a timeline.
func TestAnyCallOfATracedPlanMayFail(t *testing.T) {
	g, first := chain(12), long.Seed(t, 1)
	for k, top := range []megakernel.Topology{megakernel.Cooperative, megakernel.Captured, megakernel.DeviceLoop} {
		t.Run(top.String(), func(t *testing.T) {
			t.Parallel()
			config := cusim.Config{Models: []cusim.Model{cusim.Tiny}, Eager: k%2 == 0}
			faults.EachCall(t, config, long.Count(131, 31, 1), watched(searching(g, megakernel.Options{Topology: top, SliceRounds: 5, PollRounds: 2})).Session(), 719, cu.OutOfMemory)
			o := megakernel.Options{Topology: top, SliceRounds: 2, PollRounds: 2, MaxRounds: 5}
			faults.Sweep{Config: config, Faults: faults.Sizes(2, 1700), Seed: first + uint64(k), Make: watched(searching(g, o))}.Run(t)
		})
	}
}
