package cu

import "encoding/hex"

// Handles of the driver. Zero is no object, except for Device, which is an index.
type (
	Device    int32
	Context   uintptr
	Module    uintptr
	Function  uintptr
	Stream    uintptr
	Event     uintptr
	LinkState uintptr
	MemPool   uintptr
	Graph     uintptr
	// GraphNode names a node of a graph, also in the executables made of it.
	GraphNode uintptr
	GraphExec uintptr
	// Conditional is the value that decides whether the body of a node runs.
	Conditional uint64
	// Ptr is an address in device memory.
	Ptr uint64
)

// UUID identifies a device for good.
type UUID [16]byte

// String returns the identity as nvidia-smi prints it.
func (u UUID) String() string {
	h := hex.EncodeToString(u[:])
	return "GPU-" + h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// Attribute numbers a property of a device (CUdevice_attribute).
type Attribute int32

// The attributes that vyre asks for.
const (
	MaxThreadsPerBlock     Attribute = 1
	MaxBlockDimX           Attribute = 2
	MaxBlockDimY           Attribute = 3
	MaxBlockDimZ           Attribute = 4
	MaxGridDimX            Attribute = 5
	MaxGridDimY            Attribute = 6
	MaxGridDimZ            Attribute = 7
	SharedPerBlock         Attribute = 8
	ConstantMemory         Attribute = 9
	WarpSize               Attribute = 10
	RegistersPerBlock      Attribute = 12
	ClockRate              Attribute = 13
	MultiprocessorCount    Attribute = 16
	KernelExecTimeout      Attribute = 17
	Integrated             Attribute = 18
	ComputeMode            Attribute = 20
	ConcurrentKernels      Attribute = 31
	ECCEnabled             Attribute = 32
	PCIBusID               Attribute = 33
	PCIDeviceID            Attribute = 34
	MemoryClockRate        Attribute = 36
	GlobalMemoryBusWidth   Attribute = 37
	L2CacheSize            Attribute = 38
	MaxThreadsPerUnit      Attribute = 39
	AsyncEngineCount       Attribute = 40
	UnifiedAddressing      Attribute = 41
	PCIDomainID            Attribute = 50
	CapabilityMajor        Attribute = 75
	CapabilityMinor        Attribute = 76
	StreamPriorities       Attribute = 78
	SharedPerUnit          Attribute = 81
	RegistersPerUnit       Attribute = 82
	PageableMemoryAccess   Attribute = 88
	CooperativeLaunch      Attribute = 95
	SharedPerBlockOptin    Attribute = 97
	HostRegisterSupported  Attribute = 99
	MaxBlocksPerUnit       Attribute = 106
	MaxPersistingL2        Attribute = 108
	ReservedSharedPerBlock Attribute = 111
	MemoryPools            Attribute = 115
)

// FuncAttribute numbers a property of a function (CUfunction_attribute).
type FuncAttribute int32

// The attributes of a function.
const (
	FuncMaxThreads       FuncAttribute = 0
	FuncShared           FuncAttribute = 1
	FuncConst            FuncAttribute = 2
	FuncLocal            FuncAttribute = 3
	FuncRegisters        FuncAttribute = 4
	FuncMaxDynamicShared FuncAttribute = 8
)

// Flags of the calls that take some.
const (
	StreamNonBlocking = 1 // of StreamCreate: does not wait for the legacy stream

	EventBlockingSync  = 1 // of EventCreate: a wait for it sleeps
	EventDisableTiming = 2

	CondAssignDefault = 1 // of GraphConditionalHandleCreate: every launch begins with the default

	HostPortable  = 1 // of MemHostAlloc and MemHostRegister: pinned for every context
	HostDeviceMap = 2 // has a device address
)

// MemPoolAttribute numbers a property of a pool (CUmemPool_attribute).
type MemPoolAttribute int32

// The attributes of a pool, in bytes. Those of peaks may be set to 0.
const (
	PoolReleaseThreshold MemPoolAttribute = 4 // kept when a wait ends, of what is not in use
	PoolReserved         MemPoolAttribute = 5
	PoolReservedPeak     MemPoolAttribute = 6
	PoolUsed             MemPoolAttribute = 7
	PoolUsedPeak         MemPoolAttribute = 8
)

// Pointee is the allocation that an address lies in.
type Pointee struct {
	Memory  MemoryType
	Device  Device  // that has it
	Context Context // that it was allocated in; 0 where it is of none, as memory of pools is
	Base    Ptr
	Bytes   int64
}

// MemoryType says whose memory an address is of (CUmemorytype).
type MemoryType uint32

// The types of memory.
const (
	UnknownMemory MemoryType = 0
	HostMemory    MemoryType = 1
	DeviceMemory  MemoryType = 2
)
