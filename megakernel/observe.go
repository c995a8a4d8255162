package megakernel

import "github.com/govyre/vyre/megakernel/plan"

// Observe takes the last run, which left the record, into what is expected of the next ones: its rounds, and what a
// group's work took beyond what the topology costs; of a drain, which has no rounds, the time.
func (p *Plan) Observe(w *plan.Workload, rec Record) {
	switch {
	case p.o.Topology == Drained:
		w.ObserveDrain(float64(p.last.Wall))
		return
	case rec.Rounds == 0:
		return
	}
	costs := p.o.Costs
	if costs == nil {
		if costs = KeptCosts(p.dev); costs == nil {
			costs = &plan.Costs{}
		}
	}
	groups := max(p.phases[EveryRound].plan.PerRound, 1)
	rounds := float64(rec.Rounds)
	bare := costs.Predict(p.o.Topology, uint64(p.o.PollRounds), int(p.blocks), groups, plan.Workload{Rounds: rounds, TailRounds: float64(rec.TailRounds), Runs: 1})
	w.Observe(rounds, float64(rec.TailRounds), max(float64(p.last.Wall)-bare, 0)/(rounds*float64(groups)))
}
