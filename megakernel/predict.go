package megakernel

import (
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/plan"
)

// Prediction is what a plan is predicted to count, and Counted what its runs count.
type (
	Prediction = plan.Predicted
	Counts     = plan.Counted
)

// Predicted says what one Run that begins with round 0 and is not stopped counts, once its record
// tells how many rounds it had; before the run the record is zero, and what depends on rounds is
// unknown. Check, with what Tally returns, lists in what a run was different.
func (p *Plan) Predicted(rec Record) Prediction {
	out := plan.Predicted{Counted: plan.Counted{Rounds: uint64(rec.Rounds), DeviceBytes: p.deviceBytes()}}
	if p.o.Topology == Drained {
		out.Launches, out.HostWaits, out.ReadBytes = 1, 1, RecordBytes
		out.Unknown = plan.Rounds | plan.GridBarriers // it has none, and counts none
		return out
	}
	c, err := plan.PlanConvergence(plan.ConvergenceRequest{Topology: p.o.Topology, MaxRounds: uint64(p.o.MaxRounds),
		FlagBytes: plan.FlagBytes, Batch: uint64(p.o.PollRounds), Slice: uint64(p.o.SliceRounds)})
	if err != nil {
		panic("BUG: a plan that was made has no plan of its convergence: " + err.Error())
	}
	run := c.After(uint64(rec.Rounds))
	out.Launches, out.HostWaits, out.ReadBytes = p.launches(run), run.HostWaits, run.ReadBytes
	if p.o.Topology == Cooperative {
		out.GridBarriers = p.barriers(rec, run)
	}
	if p.o.Topology == HostLoop && p.dev.Caps().Major == 0 {
		out.Unknown |= plan.HostWaits // only a GPU is waited for in each round, and has a compute capability
	}
	if rec.Status == 0 {
		out.Unknown |= plan.Rounds
		if p.o.Topology != Cooperative || p.o.SliceRounds < p.o.MaxRounds {
			out.Unknown |= plan.Launches
		}
		if !c.Topology.DeviceDriven() || p.o.SliceRounds < p.o.MaxRounds {
			out.Unknown |= plan.HostWaits | plan.ReadBytes
		}
		if p.o.Topology == Cooperative {
			out.Unknown |= plan.GridBarriers
		}
	}
	return out
}

// launches is how many launches the rounds take: in one launch a slice, or a group at a time, with a
// launch in front of each slice.
func (p *Plan) launches(run plan.Progress) uint64 {
	if p.o.Topology == Cooperative {
		return run.Slices
	}
	groups := func(f Phase) uint64 { return uint64(len(p.phases[f].steps)) }
	return run.Slices*(1+groups(After)) + groups(Before) + run.Launched*groups(EveryRound)
}

// barriers is how many barriers of the grid the fused program passes: one after each group that all
// blocks take part in, one for each stay of a single block, and one a launch if it adds up edges.
func (p *Plan) barriers(rec Record, run plan.Progress) uint64 {
	n := uint64(len(p.phases[Before].steps)+len(p.phases[After].steps)) + uint64(rec.TailStays) +
		(run.Launched-uint64(rec.TailRounds))*uint64(p.phases[EveryRound].plan.PerRound)
	if p.phases[EveryRound].countEdges() {
		n += run.Slices
	}
	return n
}

// deviceBytes is what the plan allocated: its control words and its record.
func (p *Plan) deviceBytes() (n uint64) {
	for _, c := range p.closers {
		if b, ok := c.(driver.Buffer); ok {
			n += uint64(b.Len())
		}
	}
	return n
}

// Tally returns what a run came to, by what the device counted before the plan was made, before the
// run and after it, with nothing else at work on the device, and by its record.
func Tally(before, begin, end *driver.Stats, rec Record) plan.Counted {
	run := end.Sub(begin)
	sum := func(ms ...driver.Metric) (n uint64) {
		for _, m := range ms {
			n += run.Get(m)
		}
		return n
	}
	return plan.Counted{
		Launches:     sum(metric.LaunchesPlain, metric.LaunchesGraph),
		Rounds:       uint64(rec.Rounds),
		GridBarriers: uint64(rec.Barriers),
		HostWaits:    sum(metric.WaitsReady, metric.WaitsSpin, metric.WaitsBlock, metric.WaitsPoll),
		Uploads:      sum(metric.Uploads),
		UploadBytes:  sum(metric.UploadBytes),
		ReadBytes:    sum(metric.ReadBytes),
		DeviceBytes:  end.Get(metric.LiveBytes) - before.Get(metric.LiveBytes),
		Allocations:  sum(metric.AllocRequests),
	}
}
