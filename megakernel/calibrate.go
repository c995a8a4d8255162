package megakernel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// Calibrate measures what rounds of a device cost in every topology, and what arcs.Turn weighs, which takes some 100 ms on a
// GPU, and returns it for Options.Costs. Nothing else should be at work on the device. It also keeps the result
// beside the compiled kernels, if those are kept, for Auto in this process and in others (see
// Options.Costs); an error in keeping it comes with the costs. What a device does not have has no time:
// Auto never takes a topology that would need it.
//
// All is measured with plans of one wave that does nothing but ask for another round, so what a plan's own
// programs do in each round is part of the cost, and what is left of a run's time is work.
func Calibrate(ctx context.Context, dev driver.Device) (*plan.Costs, error) {
	if dev == nil {
		return nil, noDevice("calibrate", "")
	}
	c := &calibration{ctx: ctx, dev: dev, threads: defaultThreads, many: 256, budget: 3 * time.Millisecond}
	if caps := dev.Caps(); caps.Simulated || caps.RegsUnit == 0 {
		c.threads, c.blocks, c.many, c.budget = 32, 1, 4, 0 // the numbers mean nothing, and each takes long
	}
	var err error
	if c.wave, err = again(); err != nil {
		return nil, fmt.Errorf("BUG: the wave to calibrate by: %w", err)
	}
	for _, measure := range []func() error{c.hosts, c.captured, c.loops, c.cooperative, c.turn} {
		if err := measure(); err != nil {
			return nil, err
		}
	}
	return &c.out, keepCosts(dev, &c.out)
}

// again is a wave that leaves something to be done in every round.
func again() (*ir.Program, error) {
	b := build.New("again", build.Workgroup(32))
	o := b.Buffer("weight", ir.U32, ir.RW)
	b.AtomicAdd(o, b.U32(0), b.U32(1), ir.Relaxed, ir.Device)
	return b.Program()
}

// calibration is a measurement under way.
type calibration struct {
	ctx     context.Context
	dev     driver.Device
	wave    *ir.Program
	out     plan.Costs
	threads uint32        // of a block
	blocks  uint32        // of a launch
	many    uint32        // rounds of what is too short to be measured alone
	budget  time.Duration // of one figure
}

// calibratedPoll is how many rounds are enqueued, or replayed, at once.
const calibratedPoll = 64

// hosts measures LaunchRead and Launch: what the host pays for a round that it looks at, and for one more round in
// front of a look.
func (c *calibration) hosts() error {
	_, round, err := c.rounds(Options{Topology: HostLoop}, c.many/8+1)
	if err != nil {
		return err
	}
	_, behind, err := c.rounds(Options{Topology: BackToBack, PollRounds: calibratedPoll}, calibratedPoll)
	c.out.LaunchRead, c.out.Launch = round, max(behind*calibratedPoll-round, 0)/(calibratedPoll-1)
	return err
}

// captured measures GraphRead and GraphNode: replays of one round, and of many.
func (c *calibration) captured() error {
	if !c.dev.Caps().Graphs {
		return nil
	}
	_, one, err := c.rounds(Options{Topology: Captured, PollRounds: 1}, c.many/8+1)
	if err != nil {
		return err
	}
	_, many, err := c.rounds(Options{Topology: Captured, PollRounds: calibratedPoll}, calibratedPoll)
	c.out.GraphNode = max(many*calibratedPoll-one, 0) / (calibratedPoll - 1)
	c.out.GraphRead = max(one-c.out.GraphNode, 0)
	return err
}

// loops measures LoopStart and LoopRound.
func (c *calibration) loops() error {
	if !c.dev.Caps().LoopNodes {
		return nil
	}
	start, round, err := c.rounds(Options{Topology: DeviceLoop}, c.many)
	c.out.LoopStart, c.out.LoopRound = start, max(round-c.out.GraphNode, 0)
	return err
}

// cooperative measures CoopRead, GridBarrier and EmptyTail. Barriers are measured among 1, 8, as many blocks as there are
// multiprocessors, and twice that, as far as so many are resident at once.
func (c *calibration) cooperative() error {
	caps := c.dev.Caps()
	if !caps.GridBarrier {
		return nil
	}
	counts := []int{1, 8, caps.Units, 2 * caps.Units}
	slices.Sort(counts)
	if caps.Simulated {
		counts = counts[:2]
	}
	n := 0
	for _, blocks := range slices.Compact(counts) {
		start, round, err := c.rounds(Options{Topology: Cooperative, Tail: TailNever, Blocks: uint32(blocks)}, c.many)
		var why *Reason
		switch {
		case errors.As(err, &why) && why.Code == "F11": // too many
			continue
		case err != nil:
			return err
		}
		c.out.GridBarrier[n] = plan.BarrierCost{Blocks: blocks, NS: round}
		n++
		if blocks <= caps.Units {
			c.out.CoopRead = start
		}
	}
	_, tail, err := c.rounds(Options{Topology: Cooperative, Tail: TailAlways}, c.many)
	c.out.EmptyTail = tail
	return err
}

// rounds measures runs of a few rounds and of n more, and returns what there is without any round, and for each, in
// nanoseconds.
func (c *calibration) rounds(o Options, n uint32) (start, round float64, err error) {
	few := uint32(2) // the second is the first one of one block alone
	if o.PollRounds > 1 {
		few = o.PollRounds
	}
	var of [2]float64
	for i, rounds := range []uint32{few, few + n} {
		if of[i], err = c.run(o, rounds); err != nil {
			return 0, 0, err
		}
	}
	if of[1] <= of[0] { // others were at work: what a round costs at most
		return 0, of[1] / float64(few+n), nil
	}
	round = (of[1] - of[0]) / float64(n)
	return max(of[0]-float64(few)*round, 0), round, nil
}

// Runs of one figure: at least some, more while its time lasts.
const (
	fewestRuns = 7
	mostRuns   = 101
	warmRuns   = 4 // some devices make a graph of what runs again
)

// run returns the middle time of runs of so many rounds.
func (c *calibration) run(o Options, rounds uint32) (ns float64, err error) {
	o.Label, o.MaxRounds, o.Threads = "calibrate", rounds, c.threads
	if o.Blocks == 0 {
		o.Blocks = c.blocks
	}
	p, err := New(c.ctx, c.dev, []Wave{{Program: c.wave, Args: []driver.Arg{Vote{}}, Domain: Fixed(1)}}, nil, o)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	var wall []time.Duration
	begin := time.Now()
	for k := 0; len(wall) < fewestRuns || len(wall) < mostRuns && time.Since(begin) < c.budget; k++ {
		if _, err := p.Run(c.ctx); err != nil {
			return 0, err
		}
		if k < warmRuns {
			begin = time.Now()
			continue
		}
		wall = append(wall, p.Result().Wall)
	}
	slices.Sort(wall)
	return float64(wall[len(wall)/2]), nil
}
