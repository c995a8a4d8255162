package driver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/govyre/vyre/internal/identity"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// Costs are times of a device that does nothing else. What a device does not have takes 0.
type Costs struct {
	Enqueue     time.Duration `json:"enqueue_ns"`      // the Start of a launch
	LaunchRead  time.Duration `json:"launch_read_ns"`  // a launch, a read of 4 bytes and the wait
	GraphRead   time.Duration `json:"graph_read_ns"`   // the same, captured
	GraphNode   time.Duration `json:"graph_node_ns"`   // one more launch in a graph
	GridBarrier time.Duration `json:"grid_barrier_ns"` // among one group a unit
}

// simulatedCosts are those of an H200 under driver 580: a simulation has no times of its own.
var simulatedCosts = Costs{Enqueue: 2420, LaunchRead: 8500, GraphRead: 7900, GraphNode: 840, GridBarrier: 840}

// costing is what a device knows of its costs.
type costing struct {
	sync.Mutex
	known *Costs
}

// Costs returns what launches and waits of the device cost. The first request measures them, which takes up to some
// 100 ms, and keeps them for other processes with the same device. Nothing else should be at work on the device then. A
// simulated device has the costs of an H200.
func (c *Core) Costs(ctx context.Context) (*Costs, error) {
	if err := MayStart(ctx, "costs", "", c.name); err != nil {
		return nil, c.Fail(err)
	}
	if err := c.Alive("costs", ""); err != nil {
		return nil, c.Fail(err)
	}
	c.costing.Lock()
	defer c.costing.Unlock()
	if c.costing.known == nil {
		found, err := c.findCosts(ctx)
		if err != nil {
			return nil, err
		}
		c.costing.known = found
	}
	own := *c.costing.known
	return &own, nil
}

func (c *Core) findCosts(ctx context.Context) (*Costs, error) {
	caps := c.device.Caps()
	if caps.Simulated {
		return &simulatedCosts, nil
	}
	key := identity.Key("vyre.costs.v2", 0, 0, fmt.Appendf(nil, "%s|%s|%d|%d|%+v", caps.Model, caps.Target, caps.Units, caps.DriverVersion, caps.Features))
	var out Costs
	if c.load(key, out.decode) {
		return &out, nil
	}
	m := costMeasure{ctx: ctx, dev: c.device}
	err := errors.Join(m.all(), m.close())
	if err != nil {
		return nil, err
	}
	c.keepMeasured(key, m.out.encode())
	return &m.out, nil
}

// numbers are the costs in the order in which they are kept.
func (c *Costs) numbers() []*time.Duration {
	return []*time.Duration{&c.Enqueue, &c.LaunchRead, &c.GraphRead, &c.GraphNode, &c.GridBarrier}
}

// encode returns what is kept: numbers in decimal, with spaces between them. That needs no package that reads any form.
func (c *Costs) encode() (b []byte) {
	for _, t := range c.numbers() {
		b = append(strconv.AppendInt(b, int64(*t), 10), ' ')
	}
	return b
}

// decode reads what encode wrote, and nothing else.
func (c *Costs) decode(b []byte) error {
	times, words := c.numbers(), strings.Fields(string(b))
	if len(words) != len(times) {
		return fmt.Errorf("%d numbers", len(words))
	}
	for i, t := range times {
		v, err := strconv.ParseInt(words[i], 10, 64)
		if *t = time.Duration(v); err != nil {
			return err
		}
	}
	if string(c.encode()) != string(b) {
		return errors.New("it is not written as it should be")
	}
	for _, t := range c.numbers() {
		if *t < 0 || *t > math.MaxInt32 {
			return fmt.Errorf("a time of %v", *t)
		}
	}
	if c.LaunchRead == 0 {
		return errors.New("a launch takes no time")
	}
	return nil
}

// How long each of the costs is measured.
const (
	costRuns  = 25
	costTime  = 8 * time.Millisecond
	manyNodes = 64
)

// costMeasure is a measurement under way.
type costMeasure struct {
	ctx context.Context
	dev Device
	out Costs

	nothing, meet Kernel // meet is nil without grid barriers
	made          []interface{ Close() error }
}

func (m *costMeasure) all() (err error) {
	if m.nothing, err = m.kernel(false); err != nil {
		return err
	}
	for _, part := range []func() error{m.launches, m.graphs, m.barriers} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// kernel compiles a kernel that does nothing, or that passes through n grid barriers.
func (m *costMeasure) kernel(meets bool) (Kernel, error) {
	b := build.New("costs", build.Workgroup(256))
	if meets {
		n := b.Scalar("n", ir.U32)
		b.For(b.U32(0), n, b.U32(1), func(build.Value, build.Label) { b.GridBarrier() })
	}
	p, err := b.Program()
	if err != nil {
		return nil, fmt.Errorf("BUG: the kernel to measure by: %w", err)
	}
	k, err := m.dev.Compile(m.ctx, p, Options{})
	if err == nil {
		m.made = append(m.made, k)
	}
	return k, err
}

// sequence returns a sequence of so many launches that do nothing, and a read of 4 bytes.
func (m *costMeasure) sequence(launches int, read bool) *Sequence {
	s := m.dev.NewSequence("costs")
	m.made = append(m.made, s)
	for range launches {
		s.Launch(m.nothing, Groups(1))
	}
	if read {
		s.Read(All(s.Scratch(4)), make([]byte, 4))
	}
	return s
}

// of returns the middle of what runs of p take, by a figure of theirs.
func (m *costMeasure) of(p Prepared, figure func(*Result) time.Duration) (time.Duration, error) {
	var all []time.Duration
	for begin := time.Now(); len(all) < 4 || len(all) < costRuns && time.Since(begin) < costTime; {
		res, err := p.Run(m.ctx)
		if err != nil {
			return 0, err
		}
		all = append(all, figure(&res))
	}
	all = all[2:] // the first runs do what later ones need not do
	slices.Sort(all)
	return all[len(all)/2], nil
}

func wallOf(r *Result) time.Duration { return r.Wall }

func (m *costMeasure) launches() (err error) {
	s := m.sequence(1, false)
	s.NoDeviceTime()
	if m.out.Enqueue, err = m.of(s, func(r *Result) time.Duration { return r.Enqueue }); err != nil {
		return err
	}
	m.out.LaunchRead, err = m.of(m.sequence(1, true), wallOf)
	return err
}

func (m *costMeasure) graphs() error {
	if !m.dev.Caps().Graphs {
		return nil
	}
	var of [2]time.Duration
	for i, launches := range []int{1, 1 + manyNodes} {
		g, err := m.sequence(launches, true).Capture(CaptureOptions{})
		if err != nil {
			return err
		}
		m.made = append(m.made, g)
		if of[i], err = m.of(g, wallOf); err != nil {
			return err
		}
	}
	m.out.GraphRead, m.out.GraphNode = of[0], max(of[1]-of[0], 0)/manyNodes
	return nil
}

func (m *costMeasure) barriers() (err error) {
	caps := m.dev.Caps()
	if !caps.GridBarrier {
		return nil
	}
	if m.meet, err = m.kernel(true); err != nil {
		return err
	}
	const few, many = 1, 41
	var of [2]time.Duration
	for i, n := range []uint32{few, many} {
		s := m.dev.NewSequence("costs")
		m.made = append(m.made, s)
		s.Launch(m.meet, Groups(uint32(caps.Units)), U32(n))
		if of[i], err = m.of(s, wallOf); err != nil {
			return err
		}
	}
	m.out.GridBarrier = max(of[1]-of[0], 0) / (many - few)
	return nil
}

// close frees what was made, the latest first.
func (m *costMeasure) close() error {
	var errs []error
	for _, c := range slices.Backward(m.made) {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}
