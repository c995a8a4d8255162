package driver_test

import (
	"fmt"
	"testing"

	"github.com/govyre/vyre/driver"
)

// The table of what real devices answer for kernels of these sizes.
func TestOccupancyOfThreeGenerations(t *testing.T) {
	caps := []*driver.Caps{
		{Identity: driver.Identity{Model: "9.0", Major: 9},
			Processors:   driver.Processors{Units: 132, MaxThreadsPerUnit: 2048, MaxGroupsPerUnit: 32},
			SharedMemory: driver.SharedMemory{SharedPerUnit: 233472, SharedOptin: 232448}},
		{Identity: driver.Identity{Model: "8.6", Major: 8, Minor: 6},
			Processors:   driver.Processors{Units: 82, MaxThreadsPerUnit: 1536, MaxGroupsPerUnit: 16},
			SharedMemory: driver.SharedMemory{SharedPerUnit: 102400, SharedOptin: 101376}},
		{Identity: driver.Identity{Model: "12.0", Major: 12},
			Processors:   driver.Processors{Units: 170, MaxThreadsPerUnit: 1536, MaxGroupsPerUnit: 24},
			SharedMemory: driver.SharedMemory{SharedPerUnit: 102400, SharedOptin: 101376}},
	}
	for _, c := range caps {
		c.MaxThreadsPerGroup, c.RegsUnit, c.RegsGroup, c.RegsMax, c.SharedReserved = 1024, 65536, 65536, 255, 1024
	}
	for _, c := range []struct {
		regs, shared, threads int
		want                  [3][3]int // groups, 1/10000, cooperative, for each device
	}{
		{32, 0, 256, [3][3]int{{8, 10000, 1056}, {6, 10000, 492}, {6, 10000, 1020}}},
		{40, 0, 256, [3][3]int{{6, 7500, 792}, {6, 10000, 492}, {6, 10000, 1020}}},
		{64, 0, 256, [3][3]int{{4, 5000, 528}, {4, 6666, 328}, {4, 6666, 680}}},
		{255, 0, 256, [3][3]int{{1, 1250, 132}, {1, 1666, 82}, {1, 1666, 170}}},
		{255, 0, 512, [3][3]int{}},
		{128, 0, 64, [3][3]int{{8, 2500, 1056}, {8, 3333, 656}, {8, 3333, 1360}}},
		{32, 0, 32, [3][3]int{{32, 5000, 4224}, {16, 3333, 1312}, {24, 5000, 4080}}},
		{32, 0, 96, [3][3]int{{21, 9843, 2772}, {16, 10000, 1312}, {16, 10000, 2720}}},
		{32, 0, 1024, [3][3]int{{2, 10000, 264}, {1, 6666, 82}, {1, 6666, 170}}},
		{64, 0, 1024, [3][3]int{{1, 5000, 132}, {1, 6666, 82}, {1, 6666, 170}}},
		{65, 0, 1024, [3][3]int{}},
		{32, 48 << 10, 256, [3][3]int{{4, 5000, 528}, {2, 3333, 164}, {2, 3333, 340}}},
		{32, 100 << 10, 256, [3][3]int{{2, 2500, 264}, {}, {}}},
		{32, 232448, 256, [3][3]int{{1, 1250, 132}, {}, {}}},
		{32, 232449, 256, [3][3]int{}},
		{32, 0, 2048, [3][3]int{}},
	} {
		for i, d := range caps {
			t.Run(fmt.Sprintf("%d registers, %d bytes, %d threads on %s", c.regs, c.shared, c.threads, d.Model), func(t *testing.T) {
				o := driver.Occupy(d, c.regs, c.shared, c.threads)
				if got := [3]int{o.Groups, o.TenThousand, o.Cooperative}; got != c.want[i] {
					t.Errorf("occupancy is %v, want %v", o, c.want[i])
				}
				if o.Limit == "" {
					t.Error("nothing is said to limit it")
				}
			})
		}
	}
}
