package queue_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/testing/faults"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/megakernel/queue"
)

// countTwice works on a queue that has to grow twice, and again after a run that failed, and closes what
// there is in any case.
func countTwice(ctx context.Context, dev driver.Device, g dag) (err error) {
	var buffers [3]*vyre.Buffer[uint32]
	for k, s := range [][]uint32{g.offsets, g.targets, make([]uint32, len(g.offsets)-1)} {
		if buffers[k], err = vyre.Upload(ctx, dev, s); err != nil {
			return err
		}
	}
	seen := buffers[2]
	k, err := dev.Compile(ctx, programs()["Narrow"], vyre.CompileOptions{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, k.Close()) }()
	args := []vyre.Arg{vyre.Value(uint32(0)), buffers[0].All(), buffers[1].All(), seen.All()}
	q, err := queue.New(ctx, dev, k, args, queue.Options{Most: g.most, Capacity: g.most + 1, Blocks: 1})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, q.Close()) }()
	want, items := g.paths([]uint32{0})
	run := func() error {
		if err := seen.Write(ctx, make([]uint32, len(want))); err != nil {
			return err
		}
		rec, err := q.Run(ctx, []queue.Item{item(0)})
		if err != nil {
			return err
		}
		got, err := seen.Read(ctx)
		if err != nil {
			return err
		}
		if rec.Done != items || rec.Grown == 0 || !slices.Equal(got, want) {
			return fmt.Errorf("%w: %+v, %v, want %d items, %v", faults.ErrWrong, rec, got, items, want)
		}
		return nil
	}
	return faults.Twice(ctx, run)
}

func TestAnyCallOfAQueueMayFail(t *testing.T) {
	g := draw(3, 30, 3)
	every := long.Count(13, 7, 3)
	if testing.Short() {
		every = 43
	}
	for _, eager := range []bool{false, true} {
		config := cusim.Config{Models: []cusim.Model{cusim.Tiny}, Eager: eager}
		n := faults.EachCall(t, config, every, faults.OnDevice(func(ctx context.Context, dev driver.Device) error { return countTwice(ctx, dev, g) }), 719, cu.OutOfMemory)
		if t.Logf("%d times", n); n < 10 && !testing.Short() {
			t.Errorf("only %d calls failed", n)
		}
	}
}
