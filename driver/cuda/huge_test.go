package cuda_test

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/testing/underway"
)

// A run that takes hours to enqueue leaves who started it, other sequences and Close alone.
func TestContextInsideAHugeRepeatEndsTheWait(t *testing.T) {
	for _, c := range []struct {
		name string
		body func(s *driver.Sequence, k driver.Kernel, x driver.Buffer)
	}{
		{"of launches", func(s *driver.Sequence, k driver.Kernel, x driver.Buffer) {
			s.Repeat(1<<40, func() { s.Launch(k, driver.Groups(1), driver.All(x)) })
		}},
		{"of launches that are empty", func(s *driver.Sequence, k driver.Kernel, x driver.Buffer) {
			s.Repeat(1<<40, func() { s.Launch(k, driver.Grid{0, 1, 1}, driver.All(x)) })
		}},
		{"of a huge repeat", func(s *driver.Sequence, k driver.Kernel, x driver.Buffer) {
			s.Repeat(1<<20, func() { s.Repeat(1<<20, func() { s.Launch(k, driver.Groups(1), driver.All(x)) }) })
		}},
		{"of nothing", func(s *driver.Sequence, k driver.Kernel, x driver.Buffer) {
			s.Repeat(1<<40, func() {})
			s.Repeat(1<<40, func() { s.Launch(k, driver.Groups(1), driver.All(x)) })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, x, y, sim, k := onTiny(t)
			huge, other := d.NewSequence("huge"), d.NewSequence("other")
			c.body(huge, k, x)
			err := interrupted(huge)
			fails(t, err, driver.Canceled, `"huge"`, "the run goes on")
			if !errors.Is(err, context.Canceled) {
				t.Errorf("the run gives %v", err)
			}
			other.Fill(driver.All(y), 7, 4)
			run(t, other)
			fails(t, huge.Close(), driver.Closed, `"huge"`, "had not ended 1ms later")
			usable(t, d, k, x)
			closed(t, other)
			closed(t, y)
			ends(t, d, sim)
		})
	}
}

// interrupted runs a sequence until a context ends. One that ended before the run began, because the machine had other things
// to do, is given more time.
func interrupted(s *driver.Sequence) error {
	for wait := 20 * time.Millisecond; ; wait *= 2 {
		limited, cancel := underway.Context(wait)
		_, err := s.Run(limited)
		cancel()
		if err == nil || wait > time.Minute || !strings.Contains(err.Error(), "nothing was started") {
			return err
		}
	}
}

// A run that the host decides about stops between two rounds, and can be run again.
func TestContextStopsAHugeRepeatBesideALoopOfTheHost(t *testing.T) {
	d, x, flag, sim, k := onTiny(t)
	s := d.NewSequence("hosted")
	s.Lower(driver.LoopHost)
	s.Fill(driver.All(flag), 0, 4)
	s.While(driver.All(flag), 1, func() { s.Fill(driver.All(flag), 0, 4) })
	huge := s.Repeat(1<<40, func() { s.Launch(k, driver.Groups(1), driver.All(x)) })
	err := interrupted(s)
	fails(t, err, driver.Canceled, "stopped between two rounds")
	if err := huge.SetCount(3); err != nil {
		t.Fatal(err)
	}
	run(t, s)
	closed(t, s)
	usable(t, d, k, x)
	closed(t, flag)
	ends(t, d, sim)
}

// Rounds of nothing are counted, and take no time.
func TestAHugeRepeatOfNothingEnds(t *testing.T) {
	d, x, y, sim, k := onTiny(t)
	s := d.NewSequence("idle")
	s.Repeat(1<<40, func() { s.Repeat(1, func() {}) })
	s.Fill(driver.All(x), 0, 4)
	var inner *driver.Loop
	outer := s.Repeat(1<<40, func() {
		inner = s.Repeat(0, func() { s.Launch(k, driver.Groups(1), driver.All(x)) })
	})
	s.Launch(k, driver.Groups(1), driver.All(x))
	for range 4 {
		run(t, s)
	}
	g, err := s.Capture(driver.CaptureOptions{})
	if err != nil {
		t.Fatal(err)
	}
	run(t, g)
	if n := d.Stats().Get(metric.LoopIterations); n != 4*3<<40 {
		t.Errorf("%d rounds", n)
	}
	closed(t, g)
	if err := errors.Join(outer.SetCount(2), inner.SetCount(3)); err != nil {
		t.Fatal(err)
	}
	run(t, s)
	got := make([]byte, 4)
	if err := driver.ReadInto(ctx, driver.Part(x, 0, 4), got); err != nil || binary.LittleEndian.Uint32(got) != 7 {
		t.Errorf("seven launches add %d, %v", got, err)
	}
	closed(t, s)
	usable(t, d, k, x)
	closed(t, y)
	ends(t, d, sim)
}

func onTiny(t *testing.T) (d *cuda.Device, x, y driver.Buffer, sim *cusim.Driver, k driver.Kernel) {
	t.Helper()
	sim = cusim.New(cusim.Config{Models: []cusim.Model{cusim.Tiny}})
	d, err := cuda.Open(cuda.Options{Driver: sim, OpenOptions: driver.OpenOptions{CloseTimeout: time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	return d, alloc(t, d, 128), alloc(t, d, 4), sim, compiled(t, d, parse(t, addOne))
}

// usable runs something on a buffer that a run was at when it was given up, and closes both.
func usable(t *testing.T, d *cuda.Device, k driver.Kernel, x driver.Buffer) {
	t.Helper()
	s, got := d.NewSequence("next"), make([]byte, 128)
	s.Fill(driver.All(x), 41, 4)
	s.Launch(k, driver.Groups(1), driver.All(x))
	s.Read(driver.All(x), got)
	run(t, s)
	if got[0] != 42 || got[124] != 42 {
		t.Errorf("the next run computes %d and %d", got[0], got[124])
	}
	for _, c := range []interface{ Close() error }{s, x, k} {
		closed(t, c)
	}
}
