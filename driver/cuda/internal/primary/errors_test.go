package primary

import (
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/cu"
)

// results lists what each result of the driver's header means; ranges include their ends.
var results = []struct {
	kind   driver.Kind
	sticky bool
	ranges [][2]cu.Result
}{
	{driver.OutOfMemory, false, [][2]cu.Result{{2, 2}}},
	{driver.Closed, false, [][2]cu.Result{{3, 4}}},
	{driver.Internal, false, [][2]cu.Result{{1, 1}, {201, 202}, {205, 208}, {210, 213}, {216, 216}, {219, 219}, {300, 301}, {304, 304},
		{400, 402}, {500, 500}, {708, 708}, {712, 713}, {900, 908}, {910, 910}, {913, 915}, {918, 918}}},
	{driver.Unavailable, false, [][2]cu.Result{{5, 8}, {34, 34}, {46, 46}, {100, 102}, {221, 221}, {223, 223}, {302, 303}, {800, 800}, {802, 809}}},
	{driver.Unsupported, false, [][2]cu.Result{{36, 36}, {215, 215}, {217, 217}, {224, 225}, {703, 705}, {711, 711}, {801, 801}, {811, 812}, {916, 917}}},
	{driver.Compile, false, [][2]cu.Result{{200, 200}, {209, 209}, {218, 218}, {222, 222}}},
	{driver.InvalidArgument, false, [][2]cu.Result{{701, 701}, {720, 720}, {912, 912}}},
	{driver.DeviceFault, true, [][2]cu.Result{{700, 700}, {702, 702}, {710, 710}, {714, 719}, {721, 721}}},
	{driver.DeviceLost, true, [][2]cu.Result{{214, 214}, {220, 220}, {226, 226}, {709, 709}, {810, 810}, {911, 911}}},
}

func TestEveryResultOfTheHeaderHasAMeaning(t *testing.T) {
	listed := map[cu.Result]bool{0: true, 600: true, 909: true, 999: true} // no errors, or decided by asking again
	for _, row := range results {
		for _, span := range row.ranges {
			for r := span[0]; r <= span[1]; r++ {
				if !r.Known() {
					continue
				}
				listed[r] = true
				m, known := meaningOf(r)
				if m.kind != row.kind || m.sticky != row.sticky || !known {
					t.Errorf("%v is %v, sticky %v, known %v; want %v, sticky %v", r, m.kind, m.sticky, known, row.kind, row.sticky)
				}
			}
		}
	}
	for r := range cu.Result(2000) {
		if r.Known() && !listed[r] {
			t.Errorf("%v has no place in this table", r)
		}
	}
	for _, r := range []cu.Result{909, 999, 1234, -1} {
		if _, known := meaningOf(r); known {
			t.Errorf("%v is taken at its word", r)
		}
	}
}
