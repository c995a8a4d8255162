package driver

import (
	"fmt"
	"iter"
	"math/bits"
)

// Metric names one counter or gauge of a device.
type Metric uint8

// The metrics. Every event is counted once, under one of them.
const (
	LiveBytes       Metric = iota // gauge: bytes asked for and not freed
	ReservedBytes                 // gauge: bytes charged for them
	IdleBytes                     // gauge: bytes kept for reuse
	InternalBytes                 // gauge: staging and the like
	DriverBytes                   // gauge: bytes obtained from the system: reserved + idle + internal
	PeakBytes                     // gauge: the most DriverBytes has been
	PinnedBytes                   // gauge: host memory reached directly
	Buffers                       // gauge
	Kernels                       // gauge
	Sequences                     // gauge
	Graphs                        // gauge
	RunsInFlight                  // gauge
	PoolSlackBytes                // gauge: bytes that the driver keeps for later, beyond DriverBytes
	PinnedIdleBytes               // gauge: of PinnedBytes, kept for reuse
	ShadowBytes                   // gauge: host copies of what is on the device
	StaticBytes                   // gauge: in static sets of pools
	Quarantined                   // gauge: blocks of memory that a sequence that was given up may still touch

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
	LaunchesPlain
	LaunchesGraph
	LaunchesSkipped
	CoopLaunches
	ThreadSlots
	DomainItems
	SlotSaturations
	ReplaysFull
	ReplaysResident
	GraphUpdates  // launches changed in a graph that was made
	GraphRebuilds // graphs made anew
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
	CompileNS
	CacheCorrupt     // files of that cache that were no images
	CacheWriteErrors // images that were not kept, and caches that could not be used
	CacheEvictions   // files removed to make room
	ModulesUnloaded

	Traps
	errorsFirst // one counter a Kind from here on
	numMetrics  = errorsFirst + Metric(Internal)
)

func errorsMetric(k Kind) Metric { return errorsFirst + Metric(k) - 1 }

// metricRow says how a metric appears to the outside.
type metricRow struct {
	name  string // as Prometheus has it, without the prefix
	label string // as Prometheus has it, with braces
	gauge bool
}

var metricTable = func() (t [numMetrics]metricRow) {
	t = [numMetrics]metricRow{
		LiveBytes: {"mem_live_bytes", "", true}, ReservedBytes: {"mem_reserved_bytes", "", true}, IdleBytes: {"mem_idle_bytes", "", true},
		InternalBytes: {"mem_internal_bytes", "", true}, DriverBytes: {"mem_driver_bytes", "", true}, PeakBytes: {"mem_peak_bytes", "", true},
		PinnedBytes: {"host_pinned_bytes", "", true}, Buffers: {"buffers", "", true}, Kernels: {"kernels", "", true},
		Sequences: {"sequences", "", true}, Graphs: {"graphs", "", true}, RunsInFlight: {"runs_in_flight", "", true},
		PoolSlackBytes: {"mem_pool_slack_bytes", "", true}, PinnedIdleBytes: {"host_pinned_idle_bytes", "", true},
		ShadowBytes: {"host_shadow_bytes", "", true}, StaticBytes: {"static_bytes", "", true}, Quarantined: {"quarantined", "", true},
		AllocRequests: {"alloc_requests", "", false}, AllocReused: {"alloc_reused", "", false}, DriverAllocs: {"driver_allocs", "", false},
		DriverFrees: {"driver_frees", "", false}, Trims: {"trims", "", false}, OOMRetries: {"oom_retries", "", false},
		PoolHits: {"pool_hits", "", false}, PoolMisses: {"pool_misses", "", false}, PoolEvictions: {"pool_evictions", "", false},
		StaticHits: {"static_hits", "", false}, StaticMisses: {"static_misses", "", false}, StaticEvictions: {"static_evictions", "", false},
		UploadBytes: {"h2d_bytes", "", false}, Uploads: {"h2d_copies", "", false},
		ReadBytes: {"d2h_bytes", "", false}, Reads: {"d2h_copies", "", false}, ReadGapBytes: {"d2h_gap_bytes", "", false},
		CopyBytes: {"d2d_bytes", "", false}, Copies: {"d2d_copies", "", false}, FillBytes: {"fill_bytes", "", false}, Fills: {"fills", "", false},
		UploadsFused: {"uploads_fused", "", false}, ReadsFused: {"reads_fused", "", false},
		UploadsSkipped: {"uploads_skipped", "", false}, UploadBytesSkipped: {"upload_bytes_skipped", "", false},
		RunsPlain: {"runs", `{mode="plain"}`, false}, RunsGraph: {"runs", `{mode="graph"}`, false},
		LaunchesPlain: {"launches", `{mode="plain"}`, false}, LaunchesGraph: {"launches", `{mode="graph"}`, false},
		LaunchesSkipped: {"launches_skipped", "", false}, CoopLaunches: {"coop_launches", "", false},
		ThreadSlots: {"thread_slots", "", false}, DomainItems: {"domain_items", "", false}, SlotSaturations: {"slot_saturations", "", false},
		ReplaysFull: {"graph_replays", `{exec="full"}`, false}, ReplaysResident: {"graph_replays", `{exec="resident"}`, false},
		GraphUpdates: {"graph_updates", "", false}, GraphRebuilds: {"graph_rebuilds", "", false},
		BatchRows: {"batch_rows", "", false}, BatchChunks: {"batch_chunks", "", false}, LoopIterations: {"loop_iterations", `{lowering="host"}`, false}, LoopIterationsGraph: {"loop_iterations", `{lowering="graph"}`, false}, OrderWaits: {"order_waits", "", false},
		WaitsReady: {"waits", `{how="ready"}`, false}, WaitsSpin: {"waits", `{how="spin"}`, false},
		WaitsBlock: {"waits", `{how="block"}`, false}, WaitsPoll: {"waits", `{how="poll"}`, false},
		WallNS: {"wall_ns", "", false}, EnqueueNS: {"enqueue_ns", "", false}, WaitNS: {"wait_ns", "", false},
		DeviceNS: {"device_ns", "", false}, DeviceNSMax: {"device_ns_max", "", true},
		DeviceTimedRuns: {"device_timed_runs", "", false}, DeviceTimeMissing: {"device_time_missing", "", false},
		CompilesMemory: {"compiles", `{origin="memory"}`, false}, CompilesDisk: {"compiles", `{origin="disk"}`, false}, CompilesFresh: {"compiles", `{origin="link"}`, false}, CompileNS: {"compile_ns", "", false},
		CacheCorrupt: {"cache_corrupt", "", false}, CacheWriteErrors: {"cache_write_errors", "", false}, CacheEvictions: {"cache_evictions", "", false},
		ModulesUnloaded: {"modules_unloaded", "", false},
		Traps:           {"traps", "", false},
	}
	for k := InvalidProgram; k <= Internal; k++ {
		t[errorsMetric(k)] = metricRow{"errors", fmt.Sprintf("{kind=%q}", k), false}
	}
	return t
}()

// String returns the metric's name and label as Prometheus writes them, without prefix.
func (m Metric) String() string { return metricTable[m].name + metricTable[m].label }

// Name returns the metric's name without its label; several metrics may share it.
func (m Metric) Name() string { return metricTable[m].name }

// Label returns the label that tells metrics of one name apart, as Prometheus writes it, or "".
func (m Metric) Label() string { return metricTable[m].label }

// IsGauge reports whether the metric goes down as well as up.
func (m Metric) IsGauge() bool { return metricTable[m].gauge }

// Errors returns the counter of errors of kind k.
func Errors(k Kind) Metric { return errorsMetric(k) }

// Stats is a device's metrics at one moment.
type Stats struct {
	Device   string
	CacheDir string // where compiled kernels are kept between processes; empty if nowhere
	v        [numMetrics]uint64
}

// Get returns the value of one metric.
func (s *Stats) Get(m Metric) uint64 { return s.v[m] }

// Sub returns what was counted since prev; gauges stay as they are in s.
func (s *Stats) Sub(prev *Stats) *Stats {
	d := *s
	for m := range numMetrics {
		if !metricTable[m].gauge {
			d.v[m] -= prev.v[m]
		}
	}
	return &d
}

// All yields every metric with its value, those of one name one after the other.
func (s *Stats) All() iter.Seq2[Metric, uint64] {
	return func(yield func(Metric, uint64) bool) {
		for m := range numMetrics {
			if !yield(m, s.v[m]) {
				return
			}
		}
	}
}

// Load says how well launches used their threads; shares are in 1/10000 of the slots.
type Load struct {
	Slots       uint64 // threads launched, saturated
	Used        uint64 // of them with an item of work
	Utilisation uint64
	Waste       uint64
	Density     uint64 // items a slot, not capped
}

// Load compares the items of work that launches were given with their threads.
func (s *Stats) Load() Load {
	items, slots := s.v[DomainItems], s.v[ThreadSlots]
	l := Load{Slots: slots, Used: min(items, slots)}
	if slots == 0 {
		return l
	}
	share := func(n uint64) uint64 {
		hi, lo := bits.Mul64(n, 10000)
		if hi >= slots {
			return 1<<64 - 1
		}
		q, _ := bits.Div64(hi, lo, slots)
		return q
	}
	l.Utilisation, l.Waste, l.Density = share(l.Used), share(slots-l.Used), share(items)
	return l
}

// Mul multiplies, stopping at the largest value.
func Mul(a, b uint64) uint64 { return mulSat(a, b) }

// mulSat multiplies, stopping at the largest value.
func mulSat(a, b uint64) uint64 {
	if hi, lo := bits.Mul64(a, b); hi == 0 {
		return lo
	}
	return 1<<64 - 1
}
