package plan_test

import (
	"math"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
)

func TestExpansionHasRoomForTheLargestWave(t *testing.T) {
	degrees := func(in plan.FactRequest) plan.Degrees { return layout(t, in).Degrees }
	chain := degrees(ofArcs(3, [2]uint64{0, 1}, [2]uint64{1, 2}))
	for _, c := range []struct {
		name            string
		in              plan.ExpansionRequest
		entries, bytes  uint64
		visited, within uint64 // with a bitset
	}{
		{"all lead to all", plan.ExpansionRequest{Degrees: degrees(hubs(5, 4)), Active: []uint64{4}}, 20, 96, 5, 36},
		{"a star", plan.ExpansionRequest{Degrees: degrees(hubs(100, 0, 99)), Active: []uint64{1}}, 100, 416, 100, 416},
		{"a hub among many", plan.ExpansionRequest{Degrees: degrees(hubs(128, 4, 64)), Active: []uint64{4}}, 80, 336, 80, 336},
		{"three waves one after another", plan.ExpansionRequest{Degrees: chain, Active: []uint64{4, 4, 4}}, 6, 40, 3, 28},
		{"items that repeat", plan.ExpansionRequest{Degrees: chain, Active: []uint64{4}, Repeat: true}, 8, 48, 3, 28},
		{"more than are ranked", plan.ExpansionRequest{Degrees: plan.Degrees{Nodes: 1 << 40, Edges: 100000, Max: 50}, Active: []uint64{40000}}, 140000, 560016, 140000, 560016},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.in.Budget = 1 << 30
			got, err := plan.PlanExpansion(c.in)
			if err != nil || got.Capacity != c.entries || got.ResidentBytes != c.bytes {
				t.Errorf("%+v, %v; want %d entries in %d bytes", got, err, c.entries, c.bytes)
			}
			c.in.Visited = true
			if got, err = plan.PlanExpansion(c.in); err != nil || got.Capacity != c.visited || got.ResidentBytes != c.within {
				t.Errorf("visited: %+v, %v; want %d entries in %d bytes", got, err, c.visited, c.within)
			}
		})
	}
	tight := plan.ExpansionRequest{Degrees: degrees(hubs(10, 9)), Active: []uint64{4}, Budget: 84}
	if got, err := plan.PlanExpansion(tight); err != nil || got.Capacity != 17 || got.ResidentBytes != 84 {
		t.Errorf("%+v, %v", got, err)
	}
	_, err := plan.PlanExpansion(plan.ExpansionRequest{Degrees: plan.Degrees{Max: math.MaxUint64}, Active: []uint64{2}, Repeat: true})
	refused(t, err, driver.InvalidArgument, `overflow("active expansion")`)
	_, err = plan.PlanExpansion(plan.ExpansionRequest{Degrees: chain, Active: []uint64{0}})
	refused(t, err, driver.InvalidArgument, "active_count(0)")
}
