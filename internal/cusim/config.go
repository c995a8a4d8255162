package cusim

import (
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/cu"
)

// Config says what the driver offers. The zero value is one device of each model.
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
type Model struct {
	Name         string
	Major, Minor int
	Units        int
	ThreadsUnit  int
	GroupsUnit   int
	SharedUnit   int
	SharedOptin  int
	ClockKHz     int
	MemClockKHz  int
	BusBits      int
	L2Bytes      int
}

// The models: one of each family that programs are compiled for.
var (
	Hopper    = Model{"simulated 9.0", 9, 0, 132, 2048, 32, 233472, 232448, 1980000, 3201000, 6144, 60 << 20}
	Ampere    = Model{"simulated 8.6", 8, 6, 82, 1536, 16, 102400, 101376, 1695000, 9751000, 384, 6 << 20}
	Blackwell = Model{"simulated 12.0", 12, 0, 170, 1536, 24, 102400, 101376, 2407000, 14001000, 512, 96 << 20}
	// Tiny is small enough to be filled.
	Tiny = Model{"simulated 7.5", 7, 5, 4, 1024, 16, 65536, 65536, 1590000, 5001000, 256, 4 << 20}
)

// Models lists the models in the order in which the zero Config has them.
func Models() []Model { return []Model{Hopper, Ampere, Blackwell, Tiny} }

// attributes are the properties of the model.
func (m *Model) attributes(ordinal int) map[cu.Attribute]int {
	a := map[cu.Attribute]int{
		cu.MaxThreadsPerBlock: 1024, cu.MaxBlockDimX: 1024, cu.MaxBlockDimY: 1024, cu.MaxBlockDimZ: 64,
		cu.MaxGridDimX: 1<<31 - 1, cu.MaxGridDimY: 65535, cu.MaxGridDimZ: 65535,
		cu.SharedPerBlock: staticShared, cu.ConstantMemory: 65536, cu.WarpSize: 32,
		cu.RegistersPerBlock: 65536, cu.RegistersPerUnit: 65536, cu.ClockRate: m.ClockKHz, cu.MultiprocessorCount: m.Units,
		cu.ConcurrentKernels: 1, cu.PCIBusID: 1 + ordinal, cu.MemoryClockRate: m.MemClockKHz, cu.GlobalMemoryBusWidth: m.BusBits,
		cu.L2CacheSize: m.L2Bytes, cu.MaxThreadsPerUnit: m.ThreadsUnit, cu.AsyncEngineCount: 3, cu.UnifiedAddressing: 1,
		cu.CapabilityMajor: m.Major, cu.CapabilityMinor: m.Minor, cu.StreamPriorities: 1, cu.SharedPerUnit: m.SharedUnit,
		cu.CooperativeLaunch: 1, cu.SharedPerBlockOptin: m.SharedOptin, cu.HostRegisterSupported: 1, cu.MaxBlocksPerUnit: m.GroupsUnit,
		cu.MemoryPools: 1,
	}
	if m.Major >= 8 {
		a[cu.ReservedSharedPerBlock] = 1024
	}
	return a
}

// occupancy is how many groups run at once on a unit.
func (m *Model) occupancy(registers, threads, shared int) int {
	c := driver.Caps{
		Identity: driver.Identity{Major: m.Major, Minor: m.Minor},
		Processors: driver.Processors{Units: m.Units, MaxThreadsPerGroup: 1024, MaxThreadsPerUnit: m.ThreadsUnit,
			MaxGroupsPerUnit: m.GroupsUnit, RegsGroup: 65536, RegsUnit: 65536, RegsMax: 255},
		SharedMemory: driver.SharedMemory{SharedOptin: m.SharedOptin, SharedPerUnit: m.SharedUnit},
	}
	if m.Major >= 8 {
		c.SharedReserved = 1024
	}
	return driver.Occupy(&c, registers, shared, threads).Groups
}

// staticShared is what a group may have of shared memory without asking.
const staticShared = 48 << 10
