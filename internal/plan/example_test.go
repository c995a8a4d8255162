package plan_test

import (
	"errors"
	"fmt"

	"github.com/govyre/vyre/internal/plan"
)

// Four waves in a diamond need two barriers, and three in a round of a loop.
func ExampleBarrierPlanner() {
	var p plan.BarrierPlanner
	var order plan.Barriers
	if err := p.Plan(4, []plan.Dependency{{0, 1}, {0, 2}, {1, 3}, {2, 3}}, &order); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(order.Groups, order.Count, order.PerRound)

	err := p.Plan(2, []plan.Dependency{{0, 1}, {1, 0}}, &order)
	var reason *plan.Reason
	fmt.Println(errors.As(err, &reason), reason)
	// Output:
	// [[0] [1 2] [3]] 2 3
	// true cycle(2, 0→1→0)
}

// Outputs of three waves in a chain: the third has the memory of the first, which is dead by then.
func ExampleArenaPlanner() {
	var arena plan.Arena
	err := new(plan.ArenaPlanner).Plan(plan.ArenaRequest{Groups: 3, Capacity: 1 << 20, Buffers: []plan.Buffer{
		{Elem: "u32", ElemBytes: 4, Bytes: 1024, First: 0, Last: 1},
		{Elem: "u32", ElemBytes: 4, Bytes: 1024, First: 1, Last: 2},
		{Elem: "u32", ElemBytes: 4, Bytes: 1024, First: 2, Last: 2, Host: true},
	}}, &arena)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, place := range arena.Places {
		fmt.Printf("buffer %d at byte %d, element %d of %s\n", i, place.Offset, place.Base, arena.Regions[place.Region].Elem)
	}
	fmt.Println(arena.Bytes, "bytes")
	// Output:
	// buffer 0 at byte 0, element 0 of u32
	// buffer 1 at byte 1024, element 256 of u32
	// buffer 2 at byte 0, element 0 of u32
	// 2048 bytes
}

// With times measured on a device, a long run is given to one launch, a short one to the host.
func ExampleSelect() {
	costs := plan.Costs{Launch: 2000, LaunchRead: 8000, GraphNode: 1000, GraphRead: 9000, CoopRead: 12000,
		GridBarrier: [4]plan.BarrierCost{{Blocks: 132, NS: 1000}}}
	for _, rounds := range []float64{1, 100} {
		d, err := plan.Select(plan.SelectRequest{Nodes: 1000, Edges: 4000, Sample: plan.Sample{Density: 0.4}, Budget: 1 << 30,
			Device: plan.Offers{Graphs: true, GridBarrier: true}, Costs: &costs, Groups: 1, Blocks: 132,
			Workload: plan.Workload{Rounds: rounds, GroupNS: 1000, Runs: 1}})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(d.Explain())
	}
	// Output:
	// topology-v2|shape=hybrid|topology=host loop|k=1|blocks=0|pressure=0|degree=40000|launch=0|source=measured|reason=fastest
	// topology-v2|shape=hybrid|topology=cooperative|k=0|blocks=132|pressure=0|degree=40000|launch=0|source=measured|reason=fastest
}
