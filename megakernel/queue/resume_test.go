package queue_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/testing/faults"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/kernel"
	"github.com/govyre/vyre/megakernel/queue"
)

// A call fails while the ring grows, or when a launch has started, or when a helper is closed: Resume did items twice, or lost
// some, and returned no error.
func TestResumeAfterACallThatFailedWhileTheRingGrew(t *testing.T) {
	program, err := kernel.Program(halving, "Halve")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		call    string
		o       queue.Options
		numbers []uint32
	}{
		{"cuEventSynchronize", queue.Options{Most: 2, Blocks: 1}, []uint32{24, 3}},
		{"cuStreamWriteValue32_v2", queue.Options{Most: 2, Capacity: 4, Blocks: 1}, []uint32{22, 3}},
		{"cuCtxSetCurrent", queue.Options{Most: 2, LaunchItems: 5, Blocks: 2}, []uint32{3, 3}},
	} {
		sim := cusim.New(cusim.Config{Models: []cusim.Model{cusim.Tiny}})
		d, err := cuda.Open(cuda.Options{Driver: sim, OpenOptions: driver.OpenOptions{CacheDir: driver.CacheOff}})
		if err != nil {
			t.Fatal(err)
		}
		q := halves(t, d, program, c.o, c.numbers)
		failed := 0
		for nth := 1; nth <= 60 && !t.Failed(); nth++ {
			before := sim.Count(c.call)
			sim.Fail(cusim.Rule{Call: c.call, Nth: nth, Result: cu.OutOfMemory})
			switch err := q.Run(t.Context()); {
			case errors.Is(err, faults.ErrWrong):
				t.Errorf("%s %d: %v", c.call, nth, err)
			case err != nil:
				failed++
				if err := q.Resume(t.Context()); err != nil {
					t.Errorf("%s %d: %v, and Resume: %v", c.call, nth, errors.Unwrap(err), err)
				}
			case sim.Count(c.call)-before < nth:
				nth = 1000
			}
			sim.Heal()
		}
		if failed < 5 {
			t.Errorf("%s: only %d calls failed", c.call, failed)
		}
		if err := errors.Join(q.Close(), d.Close()); err != nil && c.call != "cuCtxSetCurrent" {
			t.Error(err)
		}
	}
}

// halves makes an object that halves numbers. What fails before the queue has items, and behind it, is done again.
func halves(t *testing.T, dev vyre.Device, program *ir.Program, o queue.Options, numbers []uint32) faults.Object {
	k, err := dev.Compile(t.Context(), program, vyre.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ones, err := vyre.Upload(t.Context(), dev, []uint32{0})
	if err != nil {
		t.Fatal(err)
	}
	q, err := queue.New(t.Context(), dev, k, []vyre.Arg{ones.All()}, o)
	if err != nil {
		t.Fatal(err)
	}
	var items []queue.Item
	want := uint32(0)
	for _, n := range numbers {
		items = append(items, queue.Item{Args: [3]uint32{n}})
		want += n
	}
	set := func(ctx context.Context) error { return ones.Write(ctx, []uint32{0}) }
	run := func(ctx context.Context) error { _, err := q.Run(ctx, items); return err }
	resume := func(ctx context.Context) error {
		_, err := q.Resume(ctx)
		if errors.Is(err, driver.InvalidArgument) { // no item was begun
			err = run(ctx)
		}
		return err
	}
	return faults.Steps(set, run, resume, func(ctx context.Context) error {
		got, err := ones.Read(ctx)
		if err == nil && got[0] != want {
			err = fmt.Errorf("%w: %d ones, want %d", faults.ErrWrong, got[0], want)
		}
		return err
	}, func() error { return errors.Join(q.Close(), k.Close()) })
}

// counting makes an object that counts paths of a graph by a queue.
func counting(ctx context.Context, dev driver.Device, g dag, o queue.Options) (_ faults.Object, err error) {
	var buffers [3]*vyre.Buffer[uint32]
	for k, s := range [][]uint32{g.offsets, g.targets, make([]uint32, len(g.offsets)-1)} {
		if buffers[k], err = vyre.Upload(ctx, dev, s); err != nil {
			return faults.Object{}, err
		}
	}
	seen := buffers[2]
	k, err := dev.Compile(ctx, programs()["Narrow"], vyre.CompileOptions{})
	if err != nil {
		return faults.Object{}, err
	}
	q, err := queue.New(ctx, dev, k, []vyre.Arg{vyre.Value(uint32(0)), buffers[0].All(), buffers[1].All(), seen.All()}, o)
	if err != nil {
		return faults.Object{}, err
	}
	var rec queue.Record
	want, items := g.paths([]uint32{0})
	set := func(ctx context.Context) error { return seen.Write(ctx, make([]uint32, len(want))) }
	run := func(ctx context.Context) error {
		rec, err = q.Run(ctx, []queue.Item{item(0)})
		return err
	}
	resume := func(ctx context.Context) error {
		rec, err = q.Resume(ctx)
		return err
	}
	compare := func(ctx context.Context) error {
		got, err := seen.Read(ctx)
		if err != nil {
			return err
		}
		if !slices.Equal(got, want) || rec.Done != items || rec.Pushed != items || rec.Popped != items || rec.Live != 0 || rec.Faults != 0 {
			return fmt.Errorf("%w: %+v, %v, want %d items, %v", faults.ErrWrong, rec, got, items, want)
		}
		return nil
	}
	return faults.Steps(set, run, resume, compare, func() error { return errors.Join(q.Close(), k.Close()) }), nil
}

// The class: an error does not say that nothing was done. Every call that a queue makes fails, before its effect and after it, and
// the queue is resumed and run again: whatever is told without an error was done once.
func TestAQueueThatFailedDoesEveryItemOnce(t *testing.T) {
	g := draw(3, 30, 3)
	options := []queue.Options{
		{Most: g.most, Capacity: g.most + 1, Blocks: 1},
		{Most: g.most, LaunchItems: 5, Blocks: 2},
		{Most: g.most, Capacity: 16, LaunchItems: 3, Blocks: 1},
		{Most: g.most, Blocks: 2},
	}
	first := long.Seed(t, 1)
	for i, o := range options {
		for _, eager := range []bool{false, true} {
			s := faults.Sweep{Config: cusim.Config{Models: []cusim.Model{cusim.Tiny}, Eager: eager}, Faults: faults.Sizes(5, 1300), Seed: first + uint64(i)}
			s.Make = func(ctx context.Context, dev driver.Device) (faults.Object, error) { return counting(ctx, dev, g, o) }
			s.Run(t)
		}
	}
}
