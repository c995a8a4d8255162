package megakernel

import (
	"context"
	"errors"
	"math"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
)

// choose settles the topology: by evidence of runs if there is enough (see byEvidence); else the one with the least
// predicted time if there are measured costs, with the rounds between two looks that go with it where those are free.
// Without, it is the cooperative one where there is one, unless waves have too little memory beside it. Waves of too
// many rows for one program are launched.
func (p *Plan) choose(ctx context.Context, b *binder, arena uint64, freePoll bool) error {
	if done, err := p.byEvidence(b, arena); done || err != nil {
		return err
	}
	caps := p.dev.Caps()
	p.o.Topology = HostLoop
	if caps.GridBarrier {
		if !p.oneProgram(b) {
			p.choice += "topology host loop: code_size\n"
			return nil
		}
		p.o.Topology = Cooperative
	}
	var expected plan.Workload
	if p.o.Expected != nil {
		expected = p.o.Expected.Workload
	}
	if p.o.Costs == nil && expected.Runs > 0 {
		var err error
		if p.o.Costs, err = p.costs(ctx); err != nil {
			return err
		}
	}
	if p.o.Costs == nil {
		p.preferDrain(expected.DrainNS, math.Inf(1))
		return nil
	}
	blocks := int(p.o.launched(caps.Units))
	in := plan.SelectRequest{
		Device: plan.Offers{Graphs: caps.Graphs, LoopNodes: caps.LoopNodes && p.o.Costs.Loops(), GridBarrier: caps.GridBarrier},
		Costs:  p.o.Costs, Workload: expected,
		Groups: p.phases[EveryRound].plan.PerRound, Blocks: blocks,
	}
	if p.o.Budget != math.MaxUint64 {
		in.Estimate = &plan.MemoryRequest{Nodes: b.resident(), NodeBytes: 1, Envelope: Envelope{Scratch: arena}, Exact: true, Budget: p.o.Budget}
	}
	d, err := p.selected(ctx, in)
	if err != nil {
		return err
	}
	if p.o.Topology = d.Topology; d.Batch > 0 && freePoll {
		p.o.PollRounds = uint32(d.Batch)
	}
	p.choice += d.Explain() + "\n"
	for _, c := range d.Candidates {
		if c.Topology == d.Topology && c.Batch == d.Batch {
			p.preferDrain(expected.DrainNS, c.NS)
		}
	}
	return nil
}

// costs returns what Calibrate kept, else what the device itself says of launches and waits, which it may have to measure.
// On the host, and in a simulation, these are not comparable with the times of runs.
func (p *Plan) costs(ctx context.Context) (*plan.Costs, error) {
	if kept, caps := KeptCosts(p.dev), p.dev.Caps(); kept != nil || caps.RegsUnit == 0 || caps.Simulated {
		return kept, nil
	}
	own, err := p.dev.Costs(ctx)
	if errors.Is(err, driver.OutOfMemory) {
		return nil, nil // the plan may need less than the measurement
	}
	if err != nil {
		return nil, err
	}
	return plan.CostsOf(own, p.dev.Caps().Units), nil
}

// preferDrain takes the drain, if there is one and nobody asked for a number of rounds, unless runs of it
// were observed to take longer than what was chosen.
func (p *Plan) preferDrain(drained, ns float64) {
	if !p.anyRounds || drained > ns {
		return
	}
	if _, err := p.drainable(); err != nil {
		return
	}
	p.o.Topology = Drained
	p.choice += "topology drained: the wave needs no rounds\n"
}

// selected is what the planner says, or what it said of an equal plan before.
func (p *Plan) selected(ctx context.Context, in plan.SelectRequest) (plan.Decision, error) {
	if p.o.Cache == nil {
		return plan.Select(in)
	}
	var keyer plan.Keyer
	key := keyer.Key(p.identity())
	return p.o.Cache.decisions.Select(ctx, key, key, in)
}

// oneProgram reports whether all rounds fit into a program, with bodies that are shared if need be.
func (p *Plan) oneProgram(b *binder) bool {
	const copies = 2 // of all blocks, and of one alone
	return p.bodies(Cooperative) <= p.o.MaxRows || copies*b.distinct() <= p.o.MaxRows
}

// distinct is how many rows the different programs of waves have.
func (b *binder) distinct() (n int) {
	for p := range b.programs {
		n += p.Rows()
	}
	return n
}
