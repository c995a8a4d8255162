package interp

import "fmt"

// Schedule is the order in which warps advance and in which the lanes of a memory op
// take effect. A warp advances by one unit at a time: until it has run one memory op,
// atomic, fence or barrier, or 64 rows. A race-free program whose results do not
// depend on the order of contended atomics gives the same bits under every schedule.
type Schedule struct {
	order order
	seed  uint64
}

type order uint8

const (
	ascending order = iota
	descending
	drawn
)

// The fixed schedules. Forward is the zero Schedule: groups, warps and lanes ascend;
// every ready warp of a live group gets a unit in turn. Reversed has all three descend.
// Without grid barriers both run one group after the other.
var (
	Forward  = Schedule{}
	Reversed = Schedule{order: descending}
)

// Seeded returns the schedule that draws the next warp and the order of lanes from a
// stream that depends on the seed alone. Up to eight groups are live at once.
func Seeded(seed uint64) Schedule { return Schedule{order: drawn, seed: seed} }

// String returns "forward", "reversed" or "seeded(n)".
func (s Schedule) String() string {
	switch s.order {
	case ascending:
		return "forward"
	case descending:
		return "reversed"
	}
	return fmt.Sprintf("seeded(%d)", s.seed)
}

// Detect is a set of detectors. Each makes a run slower and changes no result.
type Detect uint8

// The detectors.
const (
	Races      Detect = 1 << iota // unordered accesses to one element, see Report
	Bounds                        // accesses out of bounds, which are defined but seldom meant
	Undefined                     // reads of shared and local memory that nothing wrote
	Everything = Races | Bounds | Undefined
)

// Options are the choices of one run; the zero value runs forward, without detectors,
// on all processors.
type Options struct {
	Schedule Schedule
	Detect   Detect
	Workers  int    // goroutines; 0 is GOMAXPROCS. Used by Forward without detectors and hook, for programs without barriers of first groups.
	Budget   uint64 // rows that warps may run in all; 0 is 2³². With several workers it may be found spent up to 65,536 rows a worker early.
	MaxState int64  // bytes of warps, groups and shadow cells alive at once; 0 is 2 GiB
	Poison   uint64 // seed of what undefined memory holds
	TraceCap int    // trace records kept; 0 is 1024
	Matrix   string // generation of matrix units that products are computed as: "sm_75", or any sm_NN; "" is that of sm_90
	Hook     func(Break)
}

const (
	defaultBudget = 1 << 32
	seededGroups  = 8  // groups alive at once under Seeded without grid barriers
	unitRows      = 64 // rows of a unit without memory op
)
