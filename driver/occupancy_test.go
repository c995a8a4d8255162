package driver_test

import (
	"fmt"
	"testing"

	"github.com/govyre/vyre/driver"
)

// The table of what real devices answer for kernels of these sizes.
func TestOccupancyOfThreeGenerations(t *testing.T) {
	caps := []*driver.Caps{model("sm_90"), model("sm_86"), model("sm_120")}
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

// TestOccupancyOfTheModels: on all of them, with the units of 7.5 that shared memory comes in, and with nothing taken.
func TestOccupancyOfTheModels(t *testing.T) {
	for _, c := range []struct {
		name                  string
		regs, shared, threads int
		want                  [3]int
	}{
		{"sm_75", 32, 0, 256, [3]int{4, 10000, 160}},
		{"sm_75", 32, 6500, 64, [3]int{9, 5625, 360}},
		{"sm_75", 32, 65537, 64, [3]int{}},
		{"sm_70", 32, 0, 256, [3]int{8, 10000, 640}},
		{"sm_70", 32, 98304, 256, [3]int{1, 1250, 80}},
		{"sm_80", 32, 0, 32, [3]int{32, 5000, 3456}},
		{"sm_80", 32, 166912, 1024, [3]int{1, 5000, 108}},
		{"sm_89", 0, 0, 32, [3]int{24, 5000, 3072}},
		{"sm_100", 64, 0, 1024, [3]int{1, 5000, 148}},
		{"sm_100", 65, 0, 1024, [3]int{}},
	} {
		o := driver.Occupy(model(c.name), c.regs, c.shared, c.threads)
		if got := [3]int{o.Groups, o.TenThousand, o.Cooperative}; got != c.want {
			t.Errorf("%d registers, %d bytes, %d threads on %s: %v, want %v", c.regs, c.shared, c.threads, c.name, got, c.want)
		}
	}
	for _, m := range driver.Models() {
		full := driver.Occupy(m, 32, 0, m.MaxThreadsPerUnit/2)
		most := driver.Occupy(m, 32, m.SharedOptin, 64)
		if full.TenThousand != 10000 || full.Cooperative != 2*m.Units || most.Groups != 1 || driver.Occupy(m, 32, m.SharedOptin+1, 64).Groups != 0 {
			t.Errorf("%s: %+v with half a unit's threads, %+v with all shared memory", m.Name, full, most)
		}
	}
	driver.Models()[0].Units = 1
	if driver.Models()[0].Units == 1 {
		t.Error("a caller changed the models of others")
	}
}

// TestWhatKeepsTwoKernelsApart has both sides of each limit.
func TestWhatKeepsTwoKernelsApart(t *testing.T) {
	need := func(threads uint32, registers, shared int) driver.Requirement {
		return driver.Requirement{Group: [3]uint32{threads, 1, 1}, Resources: driver.Resources{Registers: registers, Shared: shared}}
	}
	alone := model("sm_86")
	alone.ConcurrentKernels = false
	for _, c := range []struct {
		caps *driver.Caps
		a, b driver.Requirement
		want string
	}{
		{alone, need(32, 32, 0), need(32, 32, 0), "unsupported"},
		{model("sm_86"), need(32, 32, 0), need(2048, 32, 0), "unrunnable"},
		{model("sm_86"), need(1024, 65, 0), need(32, 32, 0), "unrunnable"},
		{model("sm_86"), need(1024, 32, 0), need(512, 32, 0), ""},
		{model("sm_86"), need(1024, 32, 0), need(513, 32, 0), "warps"},
		{model("sm_86"), need(512, 64, 0), need(512, 64, 0), ""},
		{model("sm_86"), need(512, 64, 0), need(512, 65, 0), "registers"},
		{model("sm_86"), need(32, 32, 50<<10-1024), need(32, 32, 50<<10-1024), ""},
		{model("sm_86"), need(32, 32, 50<<10-1024), need(32, 32, 50<<10-1023), "shared"},
		{model("sm_75"), need(32, 32, 32<<10), need(32, 32, 32<<10+1), "shared"},
		{model("sm_90"), need(32, 32, 101<<10), need(32, 32, 101<<10), ""},
	} {
		for _, pair := range [][2]driver.Requirement{{c.a, c.b}, {c.b, c.a}} {
			if ok, got := driver.CanOverlap(c.caps, pair[0], pair[1]); got != c.want || ok != (got == "") {
				t.Errorf("%+v and %+v: %v %q, want %q", pair[0].Group, pair[1].Group, ok, got, c.want)
			}
		}
	}
}
