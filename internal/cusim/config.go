package cusim

import (
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/cu"
)

// Config says what the driver offers. The zero value is one device of each of Models.
type Config struct {
	Models []Model
	// Memory of each device in bytes; 0 is 4 GiB. The host must have as much as is in use, twice.
	Memory int64
	// Version is the driver's, such as 13000; 0 is that.
	Version int
	// Seed decides in which order streams, groups, warps and lanes go. With 0, each goes as far as it
	// gets.
	Seed uint64
	// Eager lets work run within the call that enqueues it, as on a GPU that is faster than its host.
	Eager bool
	// Strict makes an undefined read end its launch. Otherwise it is only in the report.
	Strict bool
	// Races looks for accesses in a launch that nothing orders. They are findings too.
	Races bool
	// Fetches looks for copies to the host of bytes that nothing wrote, also by kernels that only carry bytes. They are findings too, and no mistake of
	// whoever reads a buffer back that is written in part.
	Fetches bool
	// Budget bounds the instructions of one launch, counted by warps; 0 is 2²⁸. A launch that takes more
	// ends as one does that keeps a display waiting.
	Budget uint64
	// Recovers lets the driver make another context for a device after a fault that one did not survive. CUDA says that
	// the process has to end, and its drivers refuse.
	Recovers bool
	// LinkSpends is how many registers more a function of an image that the linker made takes than one of the same text.
	LinkSpends int
	// Lacks lists groups of functions that are missing.
	Lacks []cu.Group
	// Faults are calls that fail.
	Faults Faults
	// Record keeps the names of all calls, for Driver.Calls.
	Record bool
}

const (
	defaultMemory  = 4 << 30
	defaultVersion = 13000
	defaultBudget  = 1 << 28
)

// Model is what a device is like.
type Model = *driver.Caps

// The models that have ordinals: of the families that programs are mostly compiled for.
var (
	Hopper    = Named("sm_90")
	Ampere    = Named("sm_86")
	Blackwell = Named("sm_120")
	// Tiny is small enough to be filled.
	Tiny = tiny()
)

// Named returns the model that driver.Models has by that name, nil if there is none.
func Named(name string) Model {
	for _, m := range driver.Models() {
		if m.Name == name {
			return m
		}
	}
	return nil
}

func tiny() Model {
	m := Named("sm_75")
	m.Units = 4
	return m
}

// Models lists the models in the order in which the zero Config has them.
func Models() []Model { return []Model{Hopper, Ampere, Blackwell, Tiny} }

// attributes are the properties of a model.
func attributes(m Model, ordinal int) map[cu.Attribute]int {
	return map[cu.Attribute]int{
		cu.MaxThreadsPerBlock: m.MaxThreadsPerGroup,
		cu.MaxBlockDimX:       int(m.MaxGroupDim[0]), cu.MaxBlockDimY: int(m.MaxGroupDim[1]), cu.MaxBlockDimZ: int(m.MaxGroupDim[2]),
		cu.MaxGridDimX: int(m.MaxGridDim[0]), cu.MaxGridDimY: int(m.MaxGridDim[1]), cu.MaxGridDimZ: int(m.MaxGridDim[2]),
		cu.SharedPerBlock: m.SharedPerGroup, cu.ConstantMemory: m.ConstBytes, cu.WarpSize: m.WarpSize,
		cu.RegistersPerBlock: m.RegsGroup, cu.RegistersPerUnit: m.RegsUnit, cu.ClockRate: m.ClockKHz, cu.MultiprocessorCount: m.Units,
		cu.ConcurrentKernels: 1, cu.PCIBusID: 1 + ordinal, cu.MemoryClockRate: m.MemClockKHz, cu.GlobalMemoryBusWidth: m.BusBits,
		cu.L2CacheSize: m.L2Bytes, cu.MaxThreadsPerUnit: m.MaxThreadsPerUnit, cu.AsyncEngineCount: m.AsyncEngines, cu.UnifiedAddressing: 1,
		cu.CapabilityMajor: m.Major, cu.CapabilityMinor: m.Minor, cu.StreamPriorities: 1, cu.SharedPerUnit: m.SharedPerUnit,
		cu.CooperativeLaunch: 1, cu.SharedPerBlockOptin: m.SharedOptin, cu.HostRegisterSupported: 1, cu.MaxBlocksPerUnit: m.MaxGroupsPerUnit,
		cu.MemoryPools: 1, cu.ReservedSharedPerBlock: m.SharedReserved,
	}
}
