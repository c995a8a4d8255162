package driver_test

import (
	"testing"

	"github.com/govyre/vyre/driver"
)

func TestLanesFollowUnitsAndMemory(t *testing.T) {
	const mib, gib = 1 << 20, 1 << 30
	for _, c := range []struct {
		name         string
		units        int
		total, shape int64
		rows         int
		alone, coop  bool
		want         int
	}{
		{"an eighth of the units", 170, 32 * gib, mib, 100, false, false, 22},
		{"another device", 132, 141 * gib, mib, 100, false, false, 17},
		{"fewer rows", 132, 141 * gib, mib, 5, false, false, 5},
		{"no room for two", 132, 512 * mib, 64 * mib, 100, false, false, 1},
		{"room for some", 132, 141 * gib, 200 * mib, 100, false, false, 11},
		{"a small device has two", 8, 16 * gib, mib, 100, false, false, 2},
		{"a large one 32", 400, 141 * gib, mib, 100, false, false, 32},
		{"kernels run one at a time", 132, 141 * gib, mib, 100, true, false, 1},
		{"kernels need all of the device", 132, 141 * gib, mib, 100, false, true, 1},
	} {
		caps := &driver.Caps{Processors: driver.Processors{Units: c.units}, DeviceMemory: driver.DeviceMemory{TotalMemory: c.total}, System: driver.System{ConcurrentKernels: !c.alone}}
		if got := driver.LaneCount(caps, c.shape, c.coop, c.rows); got != c.want {
			t.Errorf("%s: %d lanes, want %d", c.name, got, c.want)
		}
	}
}
