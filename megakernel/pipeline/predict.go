package pipeline

import (
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/megakernel"
)

// Predicted says what one Run counts, without what Feed and Take do. Check, with what Tally returns, lists in what a run
// was different.
func (p *Pipeline) Predicted() plan.Predicted {
	var out plan.Predicted
	out.DeviceBytes = p.memory
	for i := range p.steps {
		out.HostWaits++
		if f := p.steps[i].fused; f != nil {
			// One round in which nothing votes to go on. Without any items none is counted.
			c := f.Predicted(megakernel.Record{Status: megakernel.Converged, Rounds: 1})
			out.GridBarriers += c.GridBarriers
			out.ReadBytes += c.ReadBytes
			out.DeviceBytes += c.DeviceBytes
		}
	}
	for _, q := range p.parts {
		if q.fused != nil || q.grid.Total() > 0 {
			out.Launches++
		}
		if q.fused != nil && slices.ContainsFunc(q.chains, func(c *chain) bool { return c.stages[0].Items > 0 }) {
			out.Rounds++
		}
	}
	return out
}

// Tally returns what the last run came to, by what the device counted before the pipeline was made, before the run and
// after it, with nothing else at work on the device.
func (p *Pipeline) Tally(before, begin, end *driver.Stats) plan.Counted {
	return megakernel.Tally(before, begin, end, p.rounds)
}
