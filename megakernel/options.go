package megakernel

import (
	"fmt"
	"math"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
)

// Topology says who drives the rounds.
type Topology = plan.Topology

// Costs are times of a device that predictions need, as Calibrate measures them.
type Costs = plan.Costs

// The topologies. All leave the same bits, and all but Drained the same record: it has no rounds.
const (
	Auto        = plan.Auto        // the fastest by what was measured, else a documented default
	HostLoop    = plan.HostLoop    // the host reads a word before every round
	BackToBack  = plan.BackToBack  // rounds are enqueued one after another, and the host looks now and then
	Captured    = plan.Captured    // the same as a captured graph
	DeviceLoop  = plan.DeviceLoop  // the device decides whether to launch the next round
	Cooperative = plan.Cooperative // one launch holds all rounds, with barriers of the grid between groups
	Drained     = plan.Drained     // one launch without rounds; of a wave that has a Drain
)

// Tail says when one block goes on alone.
type Tail uint8

// The settings.
const (
	TailAuto   Tail = iota // while the weight is at most Options.TailEnter
	TailNever              // all blocks take part in every round
	TailAlways             // one block from the second round on
)

// AllBlocks, as Options.Blocks, is as many as are resident at once. A barrier of theirs takes longer, so this is for waves with
// much to do in few rounds: more threads have more loads in flight.
const AllBlocks = math.MaxUint32

// Options adjusts a plan. The zero value is right for most.
type Options struct {
	Label     string // appears in errors and profiles; empty is "megakernel"
	Topology  Topology
	MaxRounds uint32 // rounds after which a run ends unfinished; 0 is 1<<20
	// SliceRounds is how many rounds one launch holds at most; 0 is all. A run of several slices
	// gives the same bits as one of a single slice, and can be stopped between two (see Resume).
	SliceRounds uint32
	Threads     uint32 // of a block, a multiple of 32 up to 1024; 0 is that of the waves that state one, else 256
	Blocks      uint32 // of the cooperative launch, or of a launch; 0 is one a multiprocessor, and see AllBlocks
	Tail        Tail
	TailEnter   uint32 // the greatest weight with which one block goes on alone, until it is four times as much; 0 is a quarter of the threads of a block
	PollRounds  uint32 // rounds between two looks of the host, where it looks only now and then; 0 is 16
	Optimise    string // see driver.Options
	// MaxRegisters bounds the registers of a thread, as in driver.Options: of a launch whose blocks are all resident, more fit then.
	MaxRegisters int

	// Budget bounds the bytes of the waves' memory: what the caller's ranges have, and the arena of temps. Waves
	// that would need more at one time are put into different groups. 0 is no bound but the device's.
	Budget uint64
	// MaxRows bounds the rows of the bodies in a program, beyond which waves of one program share a body; 0 is 4096.
	// An assembler takes more than linear time.
	MaxRows int

	// Cache keeps the plan's kernels for equal plans. It has to be of the same device.
	Cache *Cache

	// Expected is what earlier runs came to, by Plan.Observe. If every way in which the plan could run was measured (see
	// Trial), Auto chooses by that. Else, and where runs took a quarter more or less than was expected of them, it
	// goes by Costs, and eight rounds are taken for granted if there was no run.
	Expected *History
	// Runs is how often the plan is going to run; 0 is as often as plans before it did on average, by Expected.
	Runs uint64
	// Planning bounds the time that New takes beyond what it takes for a loop of the host, of what is chosen by
	// Expected; 0 is no bound.
	Planning time.Duration
	// Costs are times measured on the device, by which Auto chooses next. Nil are those that Calibrate kept, and on a
	// GPU else those of Device.Costs, if there was an earlier run to choose by; without costs Auto takes Cooperative where the device has
	// barriers of the grid, else HostLoop. A wave with a Drain is drained, unless rounds or a budget are
	// asked for, or drains were observed to take longer than what costs predict.
	Costs *plan.Costs
}

const (
	defaultRounds  = 1 << 20
	defaultThreads = 256
	defaultPoll    = 16
	defaultRows    = 4096
)

// settled returns the options with defaults in place.
func (o Options) settled() Options {
	if o.Label == "" {
		o.Label = "megakernel"
	}
	if o.MaxRounds == 0 {
		o.MaxRounds = defaultRounds
	}
	if o.SliceRounds == 0 {
		o.SliceRounds = o.MaxRounds
	}
	if o.PollRounds == 0 {
		o.PollRounds = defaultPoll
	}
	if o.Budget == 0 {
		o.Budget = math.MaxUint64
	}
	if o.MaxRows == 0 {
		o.MaxRows = defaultRows
	}
	return o
}

// check refuses options that cannot be.
func (o *Options) check(dev driver.Device) (found driver.Problems) {
	refuse := func(code, msg, fix string) {
		found = append(found, problem(dev, driver.InvalidArgument, code, -1, "options", msg, fix))
	}
	if o.Cache != nil && o.Cache.dev != dev {
		refuse("cache", "the cache is one of "+o.Cache.dev.Name(), "make a cache for each device")
	}
	if o.MaxRows < 0 {
		refuse("rows", fmt.Sprintf("at most %d rows", o.MaxRows), "allow some, or 0 for the default")
	}
	if o.Topology > Drained {
		refuse("topology", fmt.Sprintf("there is no %v", o.Topology), "use one of the constants")
	}
	if o.Threads%32 != 0 || o.Threads > 1024 {
		refuse("threads", fmt.Sprintf("a block of %d threads", o.Threads), "use a multiple of 32 up to 1024, or 0")
	}
	if o.Tail > TailAlways {
		refuse("tail", fmt.Sprintf("there is no tail setting %d", o.Tail), "use one of the constants")
	}
	if o.Planning < 0 {
		refuse("planning", fmt.Sprintf("planning may take %v", o.Planning), "allow some time, or 0 for any")
	}
	return found
}

// residents is how many blocks a multiprocessor holds at once at most, about.
const residents = 8

// launched is how many blocks a launch has where they need not be resident at once, on so many multiprocessors.
func (o Options) launched(units int) uint32 {
	switch o.Blocks {
	case 0:
		return uint32(units)
	case AllBlocks:
		return residents * uint32(units)
	}
	return o.Blocks
}
