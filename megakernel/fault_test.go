package megakernel_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/cu"
	"github.com/govyre/vyre/driver/cuda/cusim"
	"github.com/govyre/vyre/internal/faults"
	"github.com/govyre/vyre/internal/long"
	"github.com/govyre/vyre/megakernel"
)

// searchTwice makes a plan, runs it twice, and again after a run that failed, and closes what there is in any case.
func searchTwice(ctx context.Context, d driver.Device, g *graph, top megakernel.Topology) (err error) {
	m := &memory{dev: d}
	n := int64(g.nodes())
	for _, r := range []struct {
		to    *driver.Range
		words int64
		host  []uint32
	}{{&m.offsets, n + 1, g.offsets}, {&m.arcs, int64(len(g.arcs)), g.arcs}, {&m.queue, 2 * n, nil}, {&m.lengths, 3, nil}, {&m.seen, (n + 31) / 32, nil}} {
		b, err := d.Alloc(4*r.words, driver.AllocOptions{})
		if err != nil {
			return err
		}
		*r.to = driver.All(b)
		host := make([]byte, 4*r.words)
		for k, v := range r.host {
			binary.LittleEndian.PutUint32(host[4*k:], v)
		}
		if err := driver.Write(ctx, *r.to, host); err != nil {
			return err
		}
	}
	p, err := megakernel.New(ctx, d, reach(g, m, 0), nil, megakernel.Options{Topology: top, SliceRounds: 5, PollRounds: 2})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	run := func() error {
		rec, err := p.Run(ctx)
		if err != nil {
			return err
		}
		got := make([]byte, m.seen.Len)
		if err := driver.ReadInto(ctx, m.seen, got); err != nil {
			return err
		}
		var bits []byte
		want, nodes, _ := g.reached(0)
		for _, v := range want {
			bits = binary.LittleEndian.AppendUint32(bits, v)
		}
		if rec.Status != megakernel.Converged || rec.Items < nodes || !slices.Equal(got, bits) {
			return fmt.Errorf("%w: %+v, %x", faults.ErrWrong, rec, got)
		}
		return nil
	}
	return faults.Twice(ctx, run)
}

// TestAnyCallOfThePlansRunsMayFail fails each call of the driver in turn, in every topology: the error names a
// call, nothing is left behind, no result is wrong, nothing hangs, and the next session works.
func TestAnyCallOfThePlansRunsMayFail(t *testing.T) {
	g := chain(12)
	every := long.Count(41, 31, 1)
	if testing.Short() {
		every = 97
	}
	for k, top := range append(slices.Clone(topologies), megakernel.Drained) {
		t.Run(top.String(), func(t *testing.T) {
			t.Parallel()
			config := cusim.Config{Models: []cusim.Model{cusim.Tiny}, Eager: k%2 == 0}
			n := faults.EachCall(t, config, every, faults.OnDevice(func(ctx context.Context, dev driver.Device) error { return searchTwice(ctx, dev, g, top) }), 719, cu.OutOfMemory)
			if t.Logf("%d times", n); n < 10 && !testing.Short() {
				t.Errorf("only %d calls failed", n)
			}
		})
	}
}
