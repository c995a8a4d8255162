package megakernel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/megakernel/plan"
)

// Calibrate measures what launches, reads, graphs, loops and barriers of a device cost, which takes some
// 100 ms on a GPU, and returns it for Options.Costs. Nothing else should be at work on the device. It
// also keeps the result beside the compiled kernels, if those are kept, for Auto in this process and in
// others (see Options.Costs); an error in keeping it comes with the costs. What a device does not have
// has no time: Auto never takes a topology that would need it.
func Calibrate(ctx context.Context, dev driver.Device) (*plan.Costs, error) {
	c := &calibration{ctx: ctx, dev: dev, threads: defaultThreads, many: 256, budget: 3 * time.Millisecond, buffers: map[string]driver.Buffer{}}
	if caps := dev.Caps(); caps.Simulated || caps.RegsUnit == 0 {
		c.threads, c.many, c.budget = 32, 4, 0 // the numbers mean nothing, and each takes long
	}
	defer c.close()
	for _, measure := range []func() error{c.launches, c.graphs, c.loops, c.barriers, c.tail} {
		if err := measure(); err != nil {
			return nil, err
		}
	}
	return &c.out, keepCosts(dev, &c.out)
}

// calibration is a measurement under way.
type calibration struct {
	ctx     context.Context
	dev     driver.Device
	out     plan.Costs
	threads uint32        // of a block that meets others
	many    uint32        // of what is too short to be measured alone
	budget  time.Duration // of one figure
	buffers map[string]driver.Buffer
	closers []interface{ Close() error }
}

func (c *calibration) close() {
	for k := len(c.closers) - 1; k >= 0; k-- {
		c.closers[k].Close()
	}
}

// kernel compiles what write writes.
func (c *calibration) kernel(name string, threads uint32, write func(b *build.Builder)) (driver.Kernel, error) {
	b := build.New("calibrate."+name, build.Workgroup(threads))
	write(b)
	p, err := b.Program()
	if err != nil {
		return nil, fmt.Errorf("BUG: a program to calibrate by: %w", err)
	}
	k, err := c.dev.Compile(c.ctx, p, driver.Options{})
	if err == nil {
		c.closers = append(c.closers, k)
	}
	return k, err
}

// word returns the range of a u32 of its own.
func (c *calibration) word(name string) (driver.Range, error) {
	b := c.buffers[name]
	if b == nil {
		var err error
		if b, err = c.dev.Alloc(4, driver.AllocOptions{Label: "calibrate " + name}); err != nil {
			return driver.Range{}, err
		}
		c.buffers[name] = b
		c.closers = append(c.closers, b)
	}
	return driver.All(b), nil
}

// sequence records a sequence that ends with a read of 4 bytes.
func (c *calibration) sequence(how driver.Lowering, record func(s *driver.Sequence)) (*driver.Sequence, error) {
	word, err := c.word("read")
	if err != nil {
		return nil, err
	}
	s := c.dev.NewSequence("calibrate")
	c.closers = append(c.closers, s)
	s.Lower(how)
	record(s)
	s.Read(word, make([]byte, 4))
	return s, s.Prepare()
}

// figures are the times of a run, in nanoseconds: the middle ones of several.
type figures struct{ wall, enqueue float64 }

// Runs of one figure: at least some, more while its time lasts.
const (
	fewestRuns = 7
	mostRuns   = 101
	warmRuns   = 3
)

// time measures a run.
func (c *calibration) time(run func() (driver.Timing, error)) (figures, error) {
	var wall, enqueue []time.Duration
	begin := time.Now()
	for k := 0; len(wall) < fewestRuns || len(wall) < mostRuns && time.Since(begin) < c.budget; k++ {
		start := time.Now()
		t, err := run()
		took := time.Since(start)
		if err != nil {
			return figures{}, err
		}
		if k < warmRuns {
			begin = time.Now()
			continue
		}
		wall, enqueue = append(wall, took), append(enqueue, t.Enqueue)
	}
	slices.Sort(wall)
	slices.Sort(enqueue)
	return figures{float64(wall[len(wall)/2]), float64(enqueue[len(enqueue)/2])}, nil
}

// of measures the runs of a sequence or a graph.
func (c *calibration) of(p driver.Prepared) (figures, error) {
	return c.time(func() (driver.Timing, error) {
		res, err := p.Run(c.ctx)
		return res.Timing, err
	})
}

// each is what one of many costs by the difference to one; never less than nothing.
func (c *calibration) each(one, many float64) float64 { return max(many-one, 0) / float64(c.many) }

// nothing is a kernel that does nothing.
func (c *calibration) nothing() (driver.Kernel, error) {
	return c.kernel("nothing", 32, func(*build.Builder) {})
}

// launches measures Launch and LaunchRead. Launches are recorded as megakernel's are that the host drives.
func (c *calibration) launches() error {
	k, err := c.nothing()
	if err != nil {
		return err
	}
	var of [2]figures
	for i, n := range []uint32{1, 1 + c.many} {
		s, err := c.sequence(driver.LowerAuto, func(s *driver.Sequence) {
			if n == 1 {
				s.Launch(k, driver.Groups(1))
				return
			}
			s.Repeat(int(n), func() { s.Launch(k, driver.Groups(1)) })
		})
		if err != nil {
			return err
		}
		if of[i], err = c.of(s); err != nil {
			return err
		}
	}
	c.out.Launch, c.out.LaunchRead = c.each(of[0].enqueue, of[1].enqueue), of[0].wall
	return nil
}

// graphs measures GraphNode and GraphRead.
func (c *calibration) graphs() error {
	if !c.dev.Caps().Graphs {
		return nil
	}
	k, err := c.nothing()
	if err != nil {
		return err
	}
	var of [2]figures
	for i, n := range []uint32{1, 1 + c.many} {
		s, err := c.sequence(driver.LowerAuto, func(s *driver.Sequence) {
			for range n {
				s.Launch(k, driver.Groups(1))
			}
		})
		if err != nil {
			return err
		}
		g, err := s.Capture(driver.CaptureOptions{})
		if err != nil {
			return err
		}
		c.closers = append(c.closers, g)
		if of[i], err = c.of(g); err != nil {
			return err
		}
	}
	c.out.GraphNode = c.each(of[0].wall, of[1].wall)
	c.out.GraphRead = max(of[0].wall-c.out.GraphNode, 0)
	return nil
}

// loops measures LoopStart and LoopRound: a While over a word that a kernel counts down.
func (c *calibration) loops() error {
	if !c.dev.Caps().LoopNodes {
		return nil
	}
	k, err := c.kernel("countdown", 1, func(b *build.Builder) {
		o, zero := b.Buffer("word", ir.U32, ir.RW), b.U32(0)
		b.Store(o, zero, b.Sub(b.Load(o, zero), b.U32(1)))
	})
	if err != nil {
		return err
	}
	word, err := c.word("countdown")
	if err != nil {
		return err
	}
	var of [2]figures
	for i, n := range []uint32{0, c.many} {
		s, err := c.sequence(driver.LoopGraph, func(s *driver.Sequence) {
			s.Fill(word, uint64(n), 4)
			s.While(word, int(c.many), func() { s.Launch(k, driver.Groups(1), word) })
		})
		if err != nil {
			return err
		}
		if of[i], err = c.of(s); err != nil {
			return err
		}
	}
	c.out.LoopStart = of[0].wall
	c.out.LoopRound = max(c.each(of[0].wall, of[1].wall)-c.out.GraphNode, 0)
	return nil
}

// barriers measures CoopRead and GridBarrier, among 1, 8, as many blocks as there are multiprocessors, and twice that.
func (c *calibration) barriers() error {
	caps := c.dev.Caps()
	if !caps.GridBarrier {
		return nil
	}
	k, err := c.kernel("barriers", c.threads, func(b *build.Builder) {
		n := b.Scalar("n", ir.U32)
		b.For(b.U32(0), n, b.U32(1), func(build.Value, build.Label) { b.GridBarrier() })
	})
	if err != nil {
		return err
	}
	most := k.Occupancy(0).Cooperative
	var counts []int
	for _, blocks := range []int{1, 8, caps.Units, 2 * caps.Units} {
		if blocks <= most && !slices.Contains(counts, blocks) {
			counts = append(counts, blocks)
		}
	}
	slices.Sort(counts)
	for i, blocks := range counts {
		var of [2]figures
		for j, n := range []uint32{0, c.many} {
			s, err := c.sequence(driver.LowerAuto, func(s *driver.Sequence) {
				s.Launch(k, driver.Groups(uint32(blocks)), driver.U32(n))
			})
			if err != nil {
				return err
			}
			if of[j], err = c.of(s); err != nil {
				return err
			}
		}
		c.out.GridBarrier[i] = plan.BarrierCost{Blocks: blocks, NS: c.each(of[0].wall, of[1].wall)}
		if blocks <= caps.Units {
			c.out.CoopRead = of[0].wall
		}
	}
	return nil
}

// tail measures EmptyTail: rounds of one block whose wave does nothing but ask for another.
func (c *calibration) tail() error {
	if !c.dev.Caps().GridBarrier {
		return nil
	}
	p, err := again()
	if err != nil {
		return err
	}
	var of [2]figures
	for i, n := range []uint32{2, 2 + c.many} {
		m, err := New(c.ctx, c.dev, []Wave{{Program: p, Args: []driver.Arg{Vote{}}, Domain: Fixed(1)}}, nil,
			Options{Label: "calibrate", Topology: Cooperative, Tail: TailAlways, MaxRounds: n, Threads: c.threads})
		if err != nil {
			return err
		}
		c.closers = append(c.closers, m)
		if of[i], err = c.time(func() (driver.Timing, error) {
			_, err := m.Run(c.ctx)
			return m.Result().Timing, errors.Join(err, m.Reset(c.ctx))
		}); err != nil {
			return err
		}
	}
	c.out.EmptyTail = c.each(of[0].wall, of[1].wall)
	return nil
}

// again is a wave that leaves something to be done in every round.
func again() (*ir.Program, error) {
	b := build.New("again", build.Workgroup(32))
	o := b.Buffer("weight", ir.U32, ir.RW)
	b.AtomicAdd(o, b.U32(0), b.U32(1), ir.Relaxed, ir.Device)
	return b.Program()
}
