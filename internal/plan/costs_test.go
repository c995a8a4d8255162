package plan_test

import (
	"math"
	"testing"

	"github.com/govyre/vyre/internal/plan"
)

// simpleCosts are round numbers in µs, given as ns.
var simpleCosts = plan.Costs{Launch: 2000, LaunchRead: 8000, GraphNode: 1000, GraphRead: 9000, LoopStart: 10000, LoopRound: 2000,
	CoopRead: 12000, GridBarrier: [4]plan.BarrierCost{{Blocks: 132, NS: 1000}}}

// measured is a calibrated request with groups of 1 µs of work.
func measured(rounds float64, groups int) plan.SelectRequest {
	in := atDensity(.5)
	in.Costs, in.Groups = &simpleCosts, groups
	in.Workload = plan.Workload{Rounds: rounds, GroupNS: 1000, Runs: 1}
	return in
}

func TestMeasuredCostsChooseTheTopology(t *testing.T) {
	for _, c := range []struct {
		name     string
		in       plan.SelectRequest
		topology plan.Topology
		batch    uint64
		us       map[plan.Topology]float64 // the least of each
		reason   string
	}{
		{"one round", measured(1, 1), plan.HostLoop, 1,
			map[plan.Topology]float64{plan.HostLoop: 9, plan.BackToBack: 12, plan.Captured: 11, plan.DeviceLoop: 14, plan.Cooperative: 14}, plan.BecauseFastest},
		{"two rounds", measured(2, 1), plan.BackToBack, 4,
			map[plan.Topology]float64{plan.HostLoop: 18, plan.BackToBack: 13, plan.Captured: 15, plan.DeviceLoop: 18, plan.Cooperative: 16}, plan.BecauseFastest},
		{"a hundred rounds", measured(100, 1), plan.Cooperative, 0,
			map[plan.Topology]float64{plan.HostLoop: 900, plan.BackToBack: 242, plan.Captured: 246, plan.DeviceLoop: 410, plan.Cooperative: 212}, plan.BecauseFastest},
		{"ten rounds after a run back-to-back", after(measured(10, 1), plan.Hybrid, plan.BackToBack), plan.BackToBack, 16,
			map[plan.Topology]float64{plan.BackToBack: 33, plan.Cooperative: 32}, plan.BecauseTenth},
		{"ten rounds without one", measured(10, 1), plan.Cooperative, 0, nil, plan.BecauseFastest},
		{"ten rounds of three groups", after(measured(10, 3), plan.Hybrid, plan.BackToBack), plan.Cooperative, 0,
			map[plan.Topology]float64{plan.HostLoop: 130, plan.BackToBack: 85, plan.Captured: 87, plan.DeviceLoop: 90, plan.Cooperative: 72}, plan.BecauseFastest},
		{"memory that leaves no room for one launch", with(measured(100, 1), func(in *plan.SelectRequest) { in.Required = 8600 }), plan.BackToBack, 64, nil, plan.BecauseFastest},
		{"no room, but it was one launch before", after(with(measured(100, 1), func(in *plan.SelectRequest) { in.Required = 8600 }), plan.Hybrid, plan.Cooperative), plan.Cooperative, 0, nil, plan.BecauseFastest},
		{"a device that has nothing", with(measured(100, 1), func(in *plan.SelectRequest) { in.Device = plan.Offers{} }), plan.BackToBack, 64,
			map[plan.Topology]float64{plan.HostLoop: 900, plan.BackToBack: 242}, plan.BecauseFastest},
		{"a device that lost what was used", after(with(measured(100, 1), func(in *plan.SelectRequest) { in.Device = plan.Offers{} }), plan.Hybrid, plan.Cooperative), plan.BackToBack, 64, nil, plan.BecauseFastest},
		{"a wish is polled as is best", with(measured(100, 1), func(in *plan.SelectRequest) { in.Only = plan.Captured }), plan.Captured, 64, nil, plan.BecauseAsked},
		{"a first run has eight rounds", with(measured(0, 1), func(in *plan.SelectRequest) { in.Workload.Runs = 0 }), plan.Cooperative, 0,
			map[plan.Topology]float64{plan.HostLoop: 72, plan.Cooperative: 28}, plan.BecauseFastest},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := plan.Select(c.in)
			if err != nil {
				t.Fatal(err)
			}
			if got.Topology != c.topology || got.Batch != c.batch || got.Reason != c.reason || !got.Measured {
				t.Errorf("chose %v, k %d for %s; want %v, %d for %s", got.Topology, got.Batch, got.Reason, c.topology, c.batch, c.reason)
			}
			for topology, us := range c.us {
				if ns := leastNS(got, topology); ns != us*1000 {
					t.Errorf("%v takes %v ns, want %v µs", topology, ns, us)
				}
			}
		})
	}
}

// leastNS returns the least predicted time of a topology.
func leastNS(d plan.Decision, t plan.Topology) float64 {
	least := math.Inf(1)
	for _, c := range d.Candidates {
		if c.Topology == t {
			least = min(least, c.NS)
		}
	}
	return least
}

func TestEqualTimesGoToTheUsualTopology(t *testing.T) {
	none := plan.Costs{}
	in := measured(8, 1)
	in.Costs = &none
	got, err := plan.Select(in)
	if err != nil || got.Topology != plan.HostLoop {
		t.Errorf("chose %v, %v", got.Topology, err)
	}
	wants := fused()
	wants.Costs = &none
	if got, err = plan.Select(wants); err != nil || got.Topology != plan.Cooperative {
		t.Errorf("chose %v, %v, want what the documented default says", got.Topology, err)
	}
}

// With a barrier that costs about what a node of a graph does, many short rounds rank the topologies in this order.
func TestManyShortRoundsRankTheTopologies(t *testing.T) {
	costs := plan.Costs{Launch: 2900, LaunchRead: 8500, GraphNode: 700, GraphRead: 9000, CoopRead: 12000, EmptyTail: 100,
		GridBarrier: [4]plan.BarrierCost{{Blocks: 8, NS: 570}, {Blocks: 132, NS: 830}}}
	w := plan.Workload{Rounds: 2047, GroupNS: 1500, Runs: 1}
	tail := w
	tail.TailRounds = 2047
	times := []float64{costs.Predict(plan.HostLoop, 1, 132, 1, w), costs.Predict(plan.BackToBack, 64, 132, 1, w),
		costs.Predict(plan.Cooperative, 0, 132, 1, w), costs.Predict(plan.Cooperative, 0, 132, 1, tail)}
	for i := 1; i < len(times); i++ {
		if times[i] >= times[i-1] {
			t.Errorf("times are %v, want them to fall", times)
		}
	}
	if got, want := times[3], 12000+2047*100+2047*1500.; got != want {
		t.Errorf("all rounds in one block take %v, want %v", got, want)
	}
	if got := costs.Predict(plan.Captured, 64, 132, 1, w); got >= times[0] || got <= times[2] {
		t.Errorf("a captured graph takes %v, want between %v and %v", got, times[0], times[2])
	}
}

func TestGridBarrierLiesBetweenWhatWasMeasured(t *testing.T) {
	c := plan.Costs{GridBarrier: [4]plan.BarrierCost{{1, 500}, {8, 570}, {132, 818}, {264, 1082}}}
	for blocks, want := range map[int]float64{0: 500, 1: 500, 8: 570, 70: 694, 132: 818, 264: 1082, 1000: 1082} {
		if got := c.Barrier(blocks); got != want {
			t.Errorf("%d blocks: %v ns, want %v", blocks, got, want)
		}
	}
	if got := new(plan.Costs).Barrier(5); got != 0 {
		t.Errorf("nothing measured: %v", got)
	}
}

func TestWorkloadIsARunningAverage(t *testing.T) {
	var w plan.Workload
	w.Observe(100, 20, 400)
	if w.Rounds != 100 || w.TailRounds != 20 || w.GroupNS != 400 {
		t.Errorf("the first run counts whole: %+v", w)
	}
	w.Observe(200, 0, 800)
	if w.Rounds != 125 || w.TailRounds != 15 || w.GroupNS != 500 || w.Runs != 2 {
		t.Errorf("the second counts for a quarter: %+v", w)
	}
}
