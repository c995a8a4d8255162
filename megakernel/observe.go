package megakernel

import "github.com/govyre/vyre/internal/plan"

// Observe takes the last run, which left the record, into what is expected of the next ones: its rounds, and what a
// group's work took beyond what the topology costs; of a drain, which has no rounds, the time. A run from the first
// round to the end is evidence of the way in which it ran, too.
func (p *Plan) Observe(h *History, rec Record) { p.observe(h, rec, false) }

func (p *Plan) observe(h *History, rec Record, trial bool) {
	switch {
	case p.o.Topology == Drained:
		h.ObserveDrain(float64(p.last.Wall))
	case rec.Rounds == 0:
		return
	default:
		p.observeRounds(h, rec)
	}
	if p.begun != h {
		h.Begin(p.ran(), p.way(), uint64(p.planning), p.deviceBytes()-p.arenaBytes)
		if !trial {
			h.Plans++
		}
		p.begun = h
	}
	if !trial {
		h.PlanRuns++
	}
	if p.whole && rec.Status == Converged {
		h.Ran(p.way().Name, uint64(p.last.Wall), p.projected)
	}
}

// observeRounds takes a run in rounds into the averages.
func (p *Plan) observeRounds(h *History, rec Record) {
	costs := p.o.Costs
	if costs == nil {
		if costs = KeptCosts(p.dev); costs == nil {
			costs = &plan.Costs{}
		}
	}
	groups := max(p.phases[EveryRound].plan.PerRound, 1)
	rounds := float64(rec.Rounds)
	bare := costs.Predict(p.o.Topology, uint64(p.o.PollRounds), int(p.blocks), groups, plan.Workload{Rounds: rounds, TailRounds: float64(rec.TailRounds), Runs: 1})
	h.ObserveRounds(rounds, float64(rec.TailRounds), max(float64(p.last.Wall)-bare, 0)/(rounds*float64(groups)), float64(rec.Greatest), rounds*plan.FlagBytes)
}
