package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cusim"
)

// sizes are how much a sample of each measure does.
type sizes struct {
	launches, sequence, nodes, rounds int
	transfers                         []int64 // bytes
	programs                          int     // compiled by P9
	steps                             uint32  // of the kernel of P10
	leak                              int     // launches
	rows, apart                       int     // of P12; launches of P13
	spin                              uint64  // how long a launch of P13 takes, in ns
}

var (
	usual = sizes{1000, 100, 1000, 1000, []int64{64 << 20, 1 << 30}, 40, 200_000, 10_000_000, 256, 1000, 5000}
	// tiny is for a simulated GPU.
	tiny = sizes{5, 3, 4, 2, []int64{4 << 10, 64 << 10}, 3, 100, 200, 5, 12, 0}
)

// measures lists what has a C side.
func (b *bench) measures() []measure {
	z := b.size
	list := []measure{
		{name: "P1", ours: starts(z.launches, false, false), reference: fmt.Sprint("launches ", z.launches), bound: bound{more: 150}, part: 20},
		{name: "P1-changed", ours: starts(z.launches, false, true), reference: fmt.Sprint("launches ", z.launches), bound: bound{more: 150}, part: 20},
		{name: "P1-start", ours: starts(1, true, false), reference: startCalls(), bound: bound{more: 400}},
		{name: "launch-wait", library: "launches-wait 1", ours: runs(1, true), reference: "launches-wait 1", bound: bound{most: 1.05}},
		{name: "launch-wait-timed", ours: runs(1, false)},
		{name: "P2", library: "launches-wait 1", ours: replays(1), reference: "launches-wait 1", bound: bound{most: 1.05}},
		{name: "P3", library: fmt.Sprint("launches-wait ", z.sequence), ours: runs(z.sequence, false), reference: fmt.Sprint("launches-wait ", z.sequence), bound: bound{most: 1.05}, part: 5},
		{name: "P5", library: "dispatch 4096", ours: dispatches, reference: "dispatch 4096", bound: bound{most: 1.3}},
		{name: "P6", ours: barriers, reference: fmt.Sprint("barriers ", z.rounds), bound: bound{most: 1}, part: 20},
		{name: "P7", ours: replays(z.nodes), reference: fmt.Sprint("graph ", z.nodes), bound: bound{most: 1.02}, part: 20},
	}
	for i, n := range z.transfers {
		part := []int{50, 250}[i]
		for _, way := range []string{"up", "down"} {
			name := fmt.Sprintf("P4-%s-%dMiB", way, n>>20)
			list = append(list, measure{name: name, ours: transfers(way == "up", true, n), part: part, bound: bound{speed: 0.95},
				reference: fmt.Sprintf("%s-pinned %d", way, n)})
			slices := measure{name: name + "-slices", ours: transfers(way == "up", false, n), part: part, bound: bound{speed: 0.90},
				reference: fmt.Sprintf("%s-pinned %d", way, n),
				also:      []rival{{name: name + "-slices-pageable", reference: fmt.Sprintf("%s-pageable %d", way, n), bound: bound{speed: 3}}}}
			if i == 0 {
				slices.reference, slices.also = "", nil // the budget begins at 256 MiB
			} else if runtime.GOMAXPROCS(0) < 8 {
				slices.unless = func(*bench) string {
					return fmt.Sprintf("the budget is for 8 processors, and here are %d", runtime.GOMAXPROCS(0))
				}
			}
			list = append(list, slices)
		}
	}
	return append(list, b.together()...)
}

// launching records n launches of the empty kernel.
func (b *bench) launching(n int, untimed bool) *driver.Sequence {
	s, _ := b.launches(n, untimed)
	return s
}

// launches is launching that returns the last launch as well.
func (b *bench) launches(n int, untimed bool) (s *driver.Sequence, last *driver.Step) {
	s = b.env.dev.NewSequence("budget")
	if untimed {
		s.NoDeviceTime()
	}
	for range n {
		last = s.Launch(b.env.empty, driver.Groups(1))
	}
	return s, last
}

type setup = func(*bench) (sample func() (float64, error), done func() error, err error)

// starts times Start of n launches, each; their end is waited for in between. Where the grid of one changes
// before each, they are enqueued one by one, else as a graph.
func starts(n int, untimed, changing bool) setup {
	return func(b *bench) (func() (float64, error), func() error, error) {
		s, last := b.launches(n, untimed)
		if err := s.Prepare(); err != nil {
			return nil, nil, err
		}
		items := uint64(0)
		return func() (float64, error) {
			if changing {
				items++
				if err := last.SetGrid(driver.Groups(uint32(1 + items%2))); err != nil {
					return 0, err
				}
			}
			begin := time.Now()
			p, err := s.Start(b.ctx)
			t := since(begin) / float64(n)
			if err == nil {
				_, err = p.Wait(b.ctx)
			}
			return t, err
		}, s.Close, nil
	}
}

// runs times Run of n launches.
func runs(n int, untimed bool) setup {
	return func(b *bench) (func() (float64, error), func() error, error) {
		s := b.launching(n, untimed)
		if err := s.Prepare(); err != nil {
			return nil, nil, err
		}
		return func() (float64, error) {
			begin := time.Now()
			_, err := s.Run(b.ctx)
			return since(begin), err
		}, s.Close, nil
	}
}

// replays times a captured graph of n launches, each.
func replays(n int) setup {
	return func(b *bench) (func() (float64, error), func() error, error) {
		s := b.launching(n, true)
		g, err := s.Capture(driver.CaptureOptions{})
		if err != nil {
			return nil, nil, err
		}
		return func() (float64, error) {
			begin := time.Now()
			_, err := g.Run(b.ctx)
			return since(begin) / float64(n), err
		}, s.Close, nil
	}
}

// dispatches times Dispatch of a kernel that copies 4 KiB. A byte changes each time, so that it has to be sent.
func dispatches(b *bench) (func() (float64, error), func() error, error) {
	in, out := make([]byte, 4096), make([]byte, 4096)
	args := []driver.Arg{driver.In(in), driver.Out(out)}
	return func() (float64, error) {
		in[4092]++
		begin := time.Now()
		_, err := driver.Dispatch(b.ctx, b.env.copy, driver.Groups(4), args...)
		t := since(begin)
		if err == nil && out[4092] != in[4092] {
			err = fmt.Errorf("the copy is wrong: %d, want %d", out[4092], in[4092])
		}
		return t, err
	}, func() error { return nil }, nil
}

// barriers times the grid barrier with one group for every unit: device time.
func barriers(b *bench) (func() (float64, error), func() error, error) {
	s, rounds := b.env.dev.NewSequence("barriers"), b.size.rounds
	s.Launch(b.env.bars, driver.Groups(uint32(b.env.dev.Caps().Units)), driver.U32(uint32(rounds)))
	if err := s.Prepare(); err != nil {
		return nil, nil, err
	}
	return func() (float64, error) {
		r, err := s.Run(b.ctx)
		if err == nil && !r.HasDevice {
			err = fmt.Errorf("the run has no device time")
		}
		return float64(r.Device.Nanoseconds()) / float64(rounds), err
	}, s.Close, nil
}

// transfers times one upload, or one read, of pinned memory or of an ordinary slice.
func transfers(up, pinned bool, n int64) setup {
	return func(b *bench) (func() (float64, error), func() error, error) {
		dev := b.env.dev
		buf, err := dev.Alloc(n, driver.AllocOptions{Label: "transfer"})
		if err != nil {
			return nil, nil, err
		}
		var host []byte
		release := func() error { return nil }
		if pinned {
			m, err := dev.AllocHost(n)
			if err != nil {
				return nil, nil, err
			}
			host, release = m.Bytes(), m.Close
		} else {
			host = make([]byte, n)
		}
		for i := range host {
			host[i] = byte(i >> 12)
		}
		s := dev.NewSequence("transfer")
		if up {
			s.Upload(driver.All(buf), host, driver.Always)
		} else {
			s.Fill(driver.All(buf), 7, 1)
			if _, err := s.Run(b.ctx); err != nil {
				return nil, nil, err
			}
			if err := s.Close(); err != nil {
				return nil, nil, err
			}
			s = dev.NewSequence("transfer")
			s.Read(driver.All(buf), host)
		}
		if err := s.Prepare(); err != nil {
			return nil, nil, err
		}
		return func() (float64, error) {
				begin := time.Now()
				_, err := s.Run(b.ctx)
				return since(begin), err
			}, func() error {
				if err := s.Close(); err != nil {
					return err
				}
				if err := release(); err != nil {
					return err
				}
				return buf.Close()
			}, nil
	}
}

// startCalls is the C side's measure of the driver calls that Start of one launch makes: asked of a simulated driver,
// for it is the same code that makes them.
func startCalls() string {
	sim := cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper}, Record: true})
	dev, err := cuda.Open(cuda.Options{Driver: sim})
	if err != nil {
		return ""
	}
	defer dev.Close()
	b := &bench{ctx: context.Background()}
	if b.env, err = kernelsOf(b.ctx, dev); err != nil {
		return ""
	}
	s := b.launching(1, true)
	for range 4 { // the first runs do more
		if _, err := s.Run(b.ctx); err != nil {
			return ""
		}
	}
	before := len(sim.Calls())
	p, err := s.Start(b.ctx)
	if err != nil {
		return ""
	}
	calls := sim.Calls()[before:]
	if _, err := p.Wait(b.ctx); err != nil {
		return ""
	}
	return "calls " + strings.Join(calls, " ")
}
