// Package metric has the numbers of the metrics that devices count. Package driver gives them their type and their names: a
// program finds a metric by its name, in driver.Stats.
package metric

// Metrics by number. Every event is counted once, under one of them.
const (
	LiveBytes       = iota // gauge: bytes asked for and not freed
	ReservedBytes          // gauge: bytes charged for them
	IdleBytes              // gauge: bytes kept for reuse
	InternalBytes          // gauge: staging and the like
	DriverBytes            // gauge: bytes obtained from the system: reserved + idle + internal
	PeakBytes              // gauge: the most DriverBytes has been
	PinnedBytes            // gauge: host memory reached directly
	Buffers                // gauge
	Kernels                // gauge
	Sequences              // gauge
	Graphs                 // gauge
	RunsInFlight           // gauge
	PoolSlackBytes         // gauge: bytes that the driver keeps for later, beyond DriverBytes
	PinnedIdleBytes        // gauge: of PinnedBytes, kept for reuse
	ShadowBytes            // gauge: host copies of what is on the device
	StaticBytes            // gauge: in static sets of pools
	DeferredBlocks         // gauge: blocks of memory whose release waits for a sequence that was given up

	AllocRequests
	AllocReused
	DriverAllocs
	DriverFrees
	Trims
	OOMRetries

	PoolHits
	PoolMisses
	PoolEvictions
	StaticHits
	StaticMisses
	StaticEvictions

	UploadBytes
	Uploads
	ReadBytes
	Reads
	ReadGapBytes // fetched only because two reads near each other became one
	CopyBytes
	Copies
	FillBytes
	Fills
	UploadsFused
	ReadsFused
	UploadsSkipped
	UploadBytesSkipped

	RunsPlain
	RunsGraph
	RunsMemo // results that were remembered; nothing ran
	LaunchesPlain
	LaunchesGraph
	LaunchesSkipped
	CoopLaunches
	NativeLaunches // device cpu: as machine code
	InterpLaunches // device cpu: by the interpreter
	ThreadSlots
	DomainItems
	SlotSaturations
	ReplaysFull
	ReplaysResident
	GraphUpdates  // launches changed in a graph that was made
	GraphRebuilds // graphs made anew
	MemoStores    // results that are remembered
	BatchRows
	BatchChunks         // rows that ran at the same time
	LoopIterations      // that the host has begun
	LoopIterationsGraph // that the device has
	OrderWaits

	WaitsReady // the run had ended
	WaitsSpin  // it ended while its waiter looked all the time
	WaitsBlock // the waiter slept until it ended
	WaitsPoll  // the waiter slept and looked, again and again
	WallNS
	EnqueueNS
	WaitNS
	DeviceNS
	DeviceNSMax // gauge
	DeviceTimedRuns
	DeviceTimeMissing

	CompilesMemory // found loaded
	CompilesDisk   // found in the cache on disk
	CompilesFresh  // done, or tried
	CompilesImage  // found in a bundle
	CompileNS
	CacheCorrupt     // files of that cache that were no images
	CacheWriteErrors // images that were not kept, and caches that could not be used
	CacheEvictions   // files removed to make room
	ModulesUnloaded

	Traps
	Errors // one counter a kind of error from here on
)
