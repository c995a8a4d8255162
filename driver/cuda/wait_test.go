package cuda_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/metric"
)

// eager is a GPU that has done its work when the host looks, so that every call is counted once.
var eager = cusim.Config{Models: []cusim.Model{cusim.Hopper}, Eager: true}

func TestAWarmRunMakesItsCallsAndNoOther(t *testing.T) {
	d, sim := onSim(t, eager)
	k, err := d.Compile(ctx, parse(t, addOne), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	meet, err := d.Compile(ctx, parse(t, countDownTogether), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := d.Alloc(4096, driver.AllocOptions{})
	if err != nil {
		t.Fatal(err)
	}
	launches := func(n int) func(*driver.Sequence) {
		return func(s *driver.Sequence) {
			for range n {
				s.Launch(k, driver.Groups(32), driver.All(b))
			}
		}
	}
	both := func(s *driver.Sequence) {
		s.Upload(driver.All(b), make([]byte, 4096), driver.Always)
		launches(1)(s)
		s.Read(driver.All(b), make([]byte, 4096))
	}
	run := func(s *driver.Sequence) error { _, err := s.Run(ctx); return err }
	startAndWait := func(s *driver.Sequence) error {
		p, err := s.Start(ctx)
		if err == nil {
			_, err = p.Wait(ctx)
		}
		return err
	}
	for _, c := range []struct {
		name   string
		record func(*driver.Sequence)
		timed  bool
		run    func(*driver.Sequence) error
		calls  int // of the second run
		later  int // of those that launch a graph
	}{
		{"one launch", launches(1), false, run, 3, 3},
		{"100 launches", launches(100), false, run, 102, 3},
		{"4 KiB in, a launch, 4 KiB out", both, false, run, 5, 5},
		{"one timed launch", launches(1), true, run, 6, 3},
		{"started and waited for", launches(1), false, startAndWait, 3, 3},
		{"timed, started and waited for", launches(1), true, startAndWait, 7, 3},
		{"a Repeat of 2 launches", func(s *driver.Sequence) { s.Repeat(3, func() { launches(2)(s) }) }, false, run, 8, 3},
		{"two cooperative launches", func(s *driver.Sequence) {
			for range 2 {
				s.Launch(meet, driver.Groups(2), driver.Part(b, 0, 4))
			}
		}, true, run, 7, 3},
		{"a Repeat between launches", func(s *driver.Sequence) { launches(1)(s); s.Repeat(3, func() { launches(1)(s) }); launches(1)(s) }, false, run, 7, 3},
	} {
		s := d.NewSequence(c.name)
		if !c.timed {
			s.NoDeviceTime()
		}
		c.record(s)
		if err := c.run(s); err != nil {
			t.Fatal(err)
		}
		before := sim.Count("")
		if err := c.run(s); err != nil {
			t.Fatal(err)
		}
		if n := sim.Count("") - before; n != c.calls {
			t.Errorf("%s takes %d calls, want %d", c.name, n, c.calls)
		}
		if err := c.run(s); err != nil {
			t.Fatal(err)
		}
		before = sim.Count("")
		if err := c.run(s); err != nil {
			t.Fatal(err)
		}
		if n := sim.Count("") - before; n != c.later {
			t.Errorf("later, %s takes %d calls, want %d", c.name, n, c.later)
		}
		p, err := s.Start(ctx)
		if err != nil {
			t.Fatal(err)
		}
		before = sim.Count("")
		if !p.Done() || sim.Count("") != before {
			t.Errorf("%s: asking whether it has ended takes %d calls", c.name, sim.Count("")-before)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRunsOnSharedStreamsKeepTheirOrder(t *testing.T) {
	for _, lacks := range [][]cu.Group{nil, {cu.MemOp}} {
		d, _ := onSim(t, cusim.Config{Models: []cusim.Model{cusim.Hopper}, Seed: 4, Lacks: lacks})
		d.KeepStreams(3)
		k, err := d.Compile(ctx, parse(t, addOne), driver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := d.Alloc(128, driver.AllocOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := driver.Write(ctx, driver.All(b), make([]byte, 128)); err != nil {
			t.Fatal(err)
		}
		// In every round eight read what the rounds before have written, more than a buffer
		// remembers, and one writes.
		var all []driver.Pending
		var got [5][8][]byte
		for round := range got {
			for i := range got[round] {
				got[round][i] = make([]byte, 128)
				s := d.NewSequence(fmt.Sprint("read ", round, " ", i))
				s.Read(driver.All(b), got[round][i])
				all = append(all, started(t, s))
			}
			s := d.NewSequence(fmt.Sprint("write ", round))
			s.Launch(k, driver.Groups(1), driver.All(b))
			all = append(all, started(t, s))
		}
		for _, p := range all {
			if _, err := p.Wait(ctx); err != nil {
				t.Fatal(err)
			}
		}
		for round := range got {
			for i := range got[round] {
				if want := bytes.Repeat([]byte{byte(round), 0, 0, 0}, 32); !bytes.Equal(got[round][i], want) {
					t.Errorf("reader %d of round %d saw % x", i, round, got[round][i][:4])
				}
			}
		}
	}
}

func started(t *testing.T, s *driver.Sequence) driver.Pending {
	t.Helper()
	p, err := s.Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestWaitsAreCountedByHow(t *testing.T) {
	cancelable, cancel := context.WithCancel(ctx)
	defer cancel()
	for _, c := range []struct {
		name string
		sim  cusim.Config
		ctx  context.Context
		how  driver.Metric
	}{
		{"over already", eager, ctx, metric.WaitsReady},
		{"for as long as it takes", cusim.Config{Models: eager.Models}, ctx, metric.WaitsBlock},
		{"until a context ends", cusim.Config{Models: eager.Models}, cancelable, metric.WaitsPoll},
	} {
		d, _ := onSim(t, c.sim)
		b, err := d.Alloc(4, driver.AllocOptions{})
		if err != nil {
			t.Fatal(err)
		}
		s := d.NewSequence(c.name)
		s.Fill(driver.All(b), 1, 4)
		before := d.Stats()
		if _, err := s.Run(c.ctx); err != nil {
			t.Fatal(err)
		}
		if n := d.Stats().Sub(before).Get(c.how); n != 1 {
			t.Errorf("%s: %v is %d", c.name, c.how, n)
		}
	}
}

func TestTransfersAreTimedWhenAskedFor(t *testing.T) {
	d, _ := onSim(t, eager)
	b, err := d.Alloc(1<<20, driver.AllocOptions{})
	if err != nil {
		t.Fatal(err)
	}
	k, err := d.Compile(ctx, parse(t, addOne), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := d.NewSequence("timed")
	s.TimeTransfers(true)
	s.Upload(driver.All(b), make([]byte, 1<<20), driver.Always)
	s.Launch(k, driver.Groups(1), driver.All(b))
	s.Read(driver.Part(b, 0, 4), make([]byte, 4))
	res, err := s.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if !res.HasTransfers || !res.HasDevice || res.TransferIn <= res.TransferOut || res.TransferOut <= 0 {
		t.Errorf("a large upload, a launch and a small read took %+v", res.Timing)
	}
}

// deaf is a driver whose stores never get to the host.
type deaf struct{ cu.Driver }

func (deaf) StreamWriteValue32(cu.Stream, cu.Ptr, uint32) error { return nil }

func TestAStoreThatIsNotSeenLeavesItToEvents(t *testing.T) {
	sim := hopper()
	d, err := cuda.Open(cuda.Options{Driver: deaf{sim}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := d.Alloc(4, driver.AllocOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := driver.Write(ctx, driver.All(b), []byte{1, 2, 3, 4}); err != nil {
		t.Error(err)
	}
	if d.Caps().StreamFlag {
		t.Error("the device believes in its stores")
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if left := sim.Left(); left != "" {
		t.Errorf("left behind: %s", left)
	}
}

// TestAStoreThatMayStillComeIsNoMemoryOfOthers fails the wait for the store that Open tries: the word would be pinned
// memory of somebody else when the store comes, and bytes of an upload would be another's. Without the store none is
// wrong; so is a device that does not open, with the call in its error.
func TestAStoreThatMayStillComeIsNoMemoryOfOthers(t *testing.T) {
	sim := cusim.New(cusim.Config{Models: []cusim.Model{cusim.Tiny}, Faults: cusim.Faults{{Call: "cuStreamSynchronize", Nth: 1, Result: cu.OutOfMemory}}})
	d, err := cuda.Open(cuda.Options{Driver: sim})
	if err != nil {
		var e *driver.Error
		if !errors.As(err, &e) || e.Call != "cuStreamSynchronize" {
			t.Errorf("the error does not name the call: %v", err)
		}
		if left := sim.Left(); left != "" {
			t.Errorf("left behind: %s", left)
		}
		sim.Heal()
		if d, err = cuda.Open(cuda.Options{Driver: sim}); err != nil {
			t.Fatal(err)
		}
	}
	b, err := d.Alloc(1024, driver.AllocOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want, got := bytes.Repeat([]byte{7}, 1024), make([]byte, 1024)
	if err := driver.Write(ctx, driver.All(b), want); err != nil {
		t.Fatal(err)
	}
	if err := driver.ReadInto(ctx, driver.All(b), got); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the device has %x…, want %x…", got[:16], want[:16])
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
