package megakernel

import "github.com/govyre/vyre/megakernel/plan"

// choose settles the topology: the one with the least predicted time if there are measured costs, with
// the rounds between two looks that go with it where those are free.
func (p *Plan) choose(b *binder, arena uint64, freePoll bool) error {
	caps := p.dev.Caps()
	if p.o.Costs == nil {
		if p.o.Topology = HostLoop; caps.GridBarrier {
			p.o.Topology = Cooperative
		}
		return nil
	}
	blocks := int(p.o.Blocks)
	if blocks == 0 {
		blocks = caps.Units
	}
	d, err := plan.Select(plan.SelectRequest{
		Device: plan.Offers{Graphs: caps.Graphs, LoopNodes: caps.LoopNodes, GridBarrier: caps.GridBarrier},
		Costs:  p.o.Costs, Workload: p.o.Expected,
		Groups: p.phases[EveryRound].plan.PerRound, Blocks: blocks,
	})
	if err != nil {
		return err
	}
	if p.o.Topology = d.Topology; d.Batch > 0 && freePoll {
		p.o.PollRounds = uint32(d.Batch)
	}
	p.choice = d.Explain() + "\n"
	return nil
}
