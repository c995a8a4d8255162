package plan_test

import (
	"math"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
)

func TestConvergenceIsFoundByWhoDrivesTheRounds(t *testing.T) {
	for _, c := range []struct {
		name   string
		in     plan.ConvergenceRequest
		needed uint64
		want   plan.Progress
	}{
		{"one launch waits once", plan.ConvergenceRequest{Topology: plan.Cooperative, MaxRounds: 128, FlagBytes: 4}, 128,
			plan.Progress{Converged: true, Rounds: 128, Launched: 128, Slices: 1, HostWaits: 1, ReadBytes: 64}},
		{"a loop of the device too", plan.ConvergenceRequest{Topology: plan.DeviceLoop, MaxRounds: 128, FlagBytes: 4}, 40,
			plan.Progress{Converged: true, Rounds: 40, Launched: 40, Slices: 1, HostWaits: 1, ReadBytes: 64}},
		{"a poll every 16 rounds", plan.ConvergenceRequest{Topology: plan.BackToBack, MaxRounds: 128, FlagBytes: 4, Batch: 16}, 40,
			plan.Progress{Converged: true, Rounds: 40, Launched: 48, Polls: 3, Slices: 1, HostWaits: 5, ReadBytes: 3*4 + 64}},
		{"a poll every round", plan.ConvergenceRequest{Topology: plan.HostLoop, MaxRounds: 128, FlagBytes: 4}, 40,
			plan.Progress{Converged: true, Rounds: 40, Launched: 40, Polls: 40, Slices: 1, HostWaits: 42, ReadBytes: 64}},
		{"as many rounds as are needed", plan.ConvergenceRequest{Topology: plan.Captured, MaxRounds: 40, FlagBytes: 4, Batch: 4}, 40,
			plan.Progress{Converged: true, Rounds: 40, Launched: 40, Polls: 10, Slices: 1, HostWaits: 12, ReadBytes: 10*4 + 64}},
		{"a round too few", plan.ConvergenceRequest{Topology: plan.Captured, MaxRounds: 39, FlagBytes: 4, Batch: 4}, 40,
			plan.Progress{Rounds: 39, Launched: 40, Polls: 10, Slices: 1, HostWaits: 12, ReadBytes: 10*4 + 64}},
		{"a round too few in one launch", plan.ConvergenceRequest{Topology: plan.Cooperative, MaxRounds: 39, FlagBytes: 4}, 40,
			plan.Progress{Rounds: 39, Launched: 39, Slices: 1, HostWaits: 1, ReadBytes: 64}},
		{"slices", plan.ConvergenceRequest{Topology: plan.Cooperative, MaxRounds: 128, FlagBytes: 4, Slice: 16}, 40,
			plan.Progress{Converged: true, Rounds: 40, Launched: 40, Slices: 3, HostWaits: 3, ReadBytes: 3 * 64}},
		{"an end at the end of a slice", plan.ConvergenceRequest{Topology: plan.Cooperative, MaxRounds: 128, FlagBytes: 4, Slice: 16}, 32,
			plan.Progress{Converged: true, Rounds: 32, Launched: 32, Slices: 2, HostWaits: 2, ReadBytes: 2 * 64}},
		{"slices that end between polls", plan.ConvergenceRequest{Topology: plan.BackToBack, MaxRounds: 128, FlagBytes: 4, Batch: 4, Slice: 10}, 25,
			plan.Progress{Converged: true, Rounds: 25, Launched: 32, Polls: 8, Slices: 3, HostWaits: 14, ReadBytes: 8*4 + 3*64}},
		{"an empty frontier of one launch", plan.ConvergenceRequest{Topology: plan.Cooperative, MaxRounds: 128, FlagBytes: 4}, 0,
			plan.Progress{Converged: true, Launched: 1, Slices: 1, HostWaits: 1, ReadBytes: 64}},
		{"an empty frontier", plan.ConvergenceRequest{Topology: plan.BackToBack, MaxRounds: 128, FlagBytes: 4, Batch: 4}, 0,
			plan.Progress{Converged: true, Launched: 4, Polls: 1, Slices: 1, HostWaits: 3, ReadBytes: 4 + 64}},
		{"polls that the host is asked for", plan.ConvergenceRequest{Topology: plan.HostLoop, MaxRounds: 1, FlagBytes: 4, Polls: 1}, 1,
			plan.Progress{Converged: true, Rounds: 1, Launched: 1, Polls: 1, Slices: 1, HostWaits: 3, ReadBytes: 64}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := plan.PlanConvergence(c.in)
			if err != nil {
				t.Fatal(err)
			}
			if p.Rounds != c.in.MaxRounds {
				t.Errorf("%d rounds are allowed, want %d", p.Rounds, c.in.MaxRounds)
			}
			if got := p.After(c.needed); got != c.want {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

func TestConvergenceOfEndlessRunsDoesNotWrap(t *testing.T) {
	p, err := plan.PlanConvergence(plan.ConvergenceRequest{Topology: plan.BackToBack, MaxRounds: math.MaxUint64, FlagBytes: 4, Batch: 3, Slice: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.After(math.MaxUint64); got.Launched != math.MaxUint64 || got.HostWaits != math.MaxUint64 || got.ReadBytes != math.MaxUint64 {
		t.Errorf("%+v", got)
	}
}

func TestConvergenceRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		in   plan.ConvergenceRequest
		want []string
	}{
		{"no rounds", plan.ConvergenceRequest{Topology: plan.Cooperative, FlagBytes: 4}, []string{"empty_budget"}},
		{"a flag that is no u32", plan.ConvergenceRequest{Topology: plan.Cooperative, MaxRounds: 128, FlagBytes: 8}, []string{"flag_width(8, 4)"}},
		{"polls of the device", plan.ConvergenceRequest{Topology: plan.Cooperative, MaxRounds: 128, FlagBytes: 4, Polls: 1}, []string{"polled(1)"}},
		{"all of it", plan.ConvergenceRequest{Topology: plan.DeviceLoop, Polls: 2}, []string{"empty_budget", "flag_width(0, 4)", "polled(2)"}},
		{"no topology", plan.ConvergenceRequest{MaxRounds: 1, FlagBytes: 4}, []string{`no_topology("auto")`}},
		{"one without rounds", plan.ConvergenceRequest{Topology: plan.Drained, MaxRounds: 1, FlagBytes: 4}, []string{`no_topology("drained")`}},
		{"one that there is not", plan.ConvergenceRequest{Topology: 99, MaxRounds: 1, FlagBytes: 4}, []string{`no_topology("topology 99")`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := plan.PlanConvergence(c.in)
			refused(t, err, driver.InvalidArgument, c.want...)
		})
	}
}
