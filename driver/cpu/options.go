package cpu

import (
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/interp"
)

// Options adjust the device. The zero value is what Open("cpu") uses.
type Options struct {
	driver.OpenOptions
	// Engine chooses what runs kernels: "" is VYRE_CPU, else Auto. The name of a target, such as amd64.avx2, is Native for it.
	Engine Engine
	// Run is how the interpreter runs every launch; anything but Workers and TraceCap in it asks for the interpreter. With detectors, findings come as the Reports of each Result.
	Run RunOptions
}

// RunOptions choose schedule, detectors, workers and budget of a launch.
type RunOptions = interp.Options

// Schedule is the order in which warps advance; the zero value is Forward. A race-free program gives the same bits
// under each.
type Schedule = interp.Schedule

// Detect is a set of detectors. Each makes a launch slower and changes no result.
type Detect = interp.Detect

// The detectors: unordered accesses to one element, accesses out of bounds, and reads of what nothing wrote.
const (
	Races      = interp.Races
	Bounds     = interp.Bounds
	Undefined  = interp.Undefined
	Everything = interp.Everything
)

// The schedules: groups, warps and lanes ascend; all three descend; or the order is drawn from a seed.
var (
	Forward  = interp.Forward
	Reversed = interp.Reversed
)

// Seeded returns the schedule whose order depends on the seed alone.
func Seeded(seed uint64) Schedule { return interp.Seeded(seed) }
