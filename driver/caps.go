package driver

// Caps describes a device. A feature is true only if the hardware has it, the driver offers
// it and programs using it are compiled for it. Counts are zero where they mean nothing.
type Caps struct {
	Identity
	Processors
	SharedMemory
	DeviceMemory
	System
	Features
}

// Identity says what a device is.
type Identity struct {
	Name    string
	Ordinal int
	Model   string
	UUID    string
	PCI     string

	DriverVersion int // 13000 is 13.0
	Simulated     bool
	Major, Minor  int    // compute capability
	Target        string // what programs are compiled for
	Reason        string // of device cpu: why the interpreter runs everything, "" if it does not
	TargetReduced bool   // below what the hardware could take
}

// Processors says what runs at once, and what a launch may ask for.
type Processors struct {
	Units     int // processors that run groups independently
	WarpSize  int
	ClockKHz  int
	RegsGroup int
	RegsUnit  int
	RegsMax   int // a thread

	MaxThreadsPerGroup int
	MaxGroupDim        [3]uint32
	MaxGridDim         [3]uint32
	MaxThreadsPerUnit  int
	MaxGroupsPerUnit   int
}

// SharedMemory counts bytes of shared memory.
type SharedMemory struct {
	SharedPerGroup int // that a group has without asking
	SharedOptin    int // the most it can have
	SharedPerUnit  int
	SharedReserved int // of each group's share, taken by the system
}

// DeviceMemory counts bytes of memory, and how fast it is.
type DeviceMemory struct {
	TotalMemory  int64 // 0 if unknown
	MaxBuffer    int64
	AllocAlign   int
	L2Bytes      int
	L2Persist    int
	ConstBytes   int
	MemClockKHz  int
	BusBits      int
	BandwidthGBs int // 0 if unknown
}

// System says how a device works with its host.
type System struct {
	AsyncEngines      int
	ConcurrentKernels bool
	StreamPriorities  bool
	Integrated        bool
	ECC               bool
	Watchdog          bool
	ComputeMode       int
	UnifiedAddressing bool
	HostRegister      bool
	PageableAccess    bool
}

// Features says what sequences and programs may use.
type Features struct {
	GridBarrier bool
	MemPools    bool // the driver has pools of memory
	StreamFlag  bool // the end of a run is seen without a driver call
	Graphs      bool // Capture works
	LoopNodes   bool // While runs without the host
	F16, BF16   bool
	F64         bool
	Atomic64    bool
	AtomicF32   bool
	AtomicF64   bool
	Redux       bool
	Subgroup    bool
	Matrix      MatrixUnits
	Trap        bool
	EndsRuns    bool // a run that was given up ends soon

	Timing       string // where device time comes from
	CommandTimes bool   // that of single commands can be had
}

// MatrixUnits says which matrix products there are, and how those of floats are computed.
type MatrixUnits struct {
	Generation string // of hardware that computes the same bits: sm_70, sm_75 or sm_90
	Forms      string // names of the forms, between spaces
}
