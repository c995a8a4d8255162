package driver

import (
	"fmt"

	"github.com/govyre/vyre/internal/metric"
)

// metricRow says how a metric appears to the outside.
type metricRow struct {
	name  string // as Prometheus has it, without prefix, unit of time and _total
	label string // as Prometheus has it, with braces
	help  string // of all metrics of the name: at the first of them
	gauge bool
}

// metricTable has a row a metric; those of one name follow each other.
var metricTable = func() (t [numMetrics]metricRow) {
	t = [numMetrics]metricRow{
		metric.LiveBytes:           {name: "mem_live_bytes", help: "Bytes of buffers that were asked for and not freed.", gauge: true},
		metric.ReservedBytes:       {name: "mem_reserved_bytes", help: "Bytes charged for the buffers that are live.", gauge: true},
		metric.IdleBytes:           {name: "mem_idle_bytes", help: "Bytes of device memory kept for reuse.", gauge: true},
		metric.InternalBytes:       {name: "mem_internal_bytes", help: "Bytes of device memory for staging and the like.", gauge: true},
		metric.DriverBytes:         {name: "mem_driver_bytes", help: "Bytes obtained from the system: reserved, idle and internal.", gauge: true},
		metric.PeakBytes:           {name: "mem_peak_bytes", help: "The most that vyre_mem_driver_bytes has been.", gauge: true},
		metric.PinnedBytes:         {name: "host_pinned_bytes", help: "Bytes of host memory that the device reaches directly.", gauge: true},
		metric.Buffers:             {name: "buffers", help: "Buffers that are open.", gauge: true},
		metric.Kernels:             {name: "kernels", help: "Kernels that are open.", gauge: true},
		metric.Sequences:           {name: "sequences", help: "Sequences that are open.", gauge: true},
		metric.Graphs:              {name: "graphs", help: "Captured graphs that are open.", gauge: true},
		metric.RunsInFlight:        {name: "runs_in_flight", help: "Runs that were started and not waited for.", gauge: true},
		metric.PoolSlackBytes:      {name: "mem_pool_slack_bytes", help: "Bytes that the driver keeps for later, beyond vyre_mem_driver_bytes.", gauge: true},
		metric.PinnedIdleBytes:     {name: "host_pinned_idle_bytes", help: "Bytes of pinned host memory kept for reuse.", gauge: true},
		metric.ShadowBytes:         {name: "host_shadow_bytes", help: "Bytes of host copies of what is on the device.", gauge: true},
		metric.StaticBytes:         {name: "static_bytes", help: "Bytes in static sets of pools.", gauge: true},
		metric.DeferredBlocks:      {name: "deferred_blocks", help: "Blocks of memory whose release waits for a sequence that was given up.", gauge: true},
		metric.AllocRequests:       {name: "alloc_requests", help: "Buffers asked for."},
		metric.AllocReused:         {name: "alloc_reused", help: "Buffers made of idle memory."},
		metric.DriverAllocs:        {name: "driver_allocs", help: "Allocations by the driver."},
		metric.DriverFrees:         {name: "driver_frees", help: "Memory given back to the driver."},
		metric.Trims:               {name: "trims", help: "Times that idle memory was given back."},
		metric.OOMRetries:          {name: "oom_retries", help: "Allocations tried again after idle memory was given back."},
		metric.PoolHits:            {name: "pool_hits", help: "Buffers that pools had idle."},
		metric.PoolMisses:          {name: "pool_misses", help: "Buffers that pools had to allocate."},
		metric.PoolEvictions:       {name: "pool_evictions", help: "Idle buffers that pools gave up."},
		metric.StaticHits:          {name: "static_hits", help: "Static sets that pools had."},
		metric.StaticMisses:        {name: "static_misses", help: "Static sets that pools had to upload."},
		metric.StaticEvictions:     {name: "static_evictions", help: "Static sets that pools gave up."},
		metric.UploadBytes:         {name: "h2d_bytes", help: "Bytes copied to the device."},
		metric.Uploads:             {name: "h2d_copies", help: "Copies to the device."},
		metric.ReadBytes:           {name: "d2h_bytes", help: "Bytes copied from the device."},
		metric.Reads:               {name: "d2h_copies", help: "Copies from the device."},
		metric.ReadGapBytes:        {name: "d2h_gap_bytes", help: "Bytes fetched only because two reads near each other became one."},
		metric.CopyBytes:           {name: "d2d_bytes", help: "Bytes copied on the device."},
		metric.Copies:              {name: "d2d_copies", help: "Copies on the device."},
		metric.FillBytes:           {name: "fill_bytes", help: "Bytes filled on the device."},
		metric.Fills:               {name: "fills", help: "Fills on the device."},
		metric.UploadsFused:        {name: "uploads_fused", help: "Uploads saved by fusing neighbours."},
		metric.ReadsFused:          {name: "reads_fused", help: "Reads saved by fusing neighbours."},
		metric.UploadsSkipped:      {name: "uploads_skipped", help: "Uploads left out because the bytes were there."},
		metric.UploadBytesSkipped:  {name: "upload_bytes_skipped", help: "Bytes of uploads left out because they were there."},
		metric.RunsPlain:           {name: "runs", label: `{mode="plain"}`, help: "Runs of sequences, of graphs, and results of graphs that were remembered."},
		metric.RunsGraph:           {name: "runs", label: `{mode="graph"}`},
		metric.RunsMemo:            {name: "runs", label: `{mode="memo"}`},
		metric.LaunchesPlain:       {name: "launches", label: `{mode="plain"}`, help: "Launches of kernels by sequences, and by graphs."},
		metric.LaunchesGraph:       {name: "launches", label: `{mode="graph"}`},
		metric.LaunchesSkipped:     {name: "launches_skipped", help: "Launches of empty grids."},
		metric.CoopLaunches:        {name: "coop_launches", help: "Launches whose groups are all resident."},
		metric.NativeLaunches:      {name: "cpu_native_launches", help: "Launches that device cpu ran as machine code."},
		metric.InterpLaunches:      {name: "cpu_interp_launches", help: "Launches that device cpu ran on the interpreter."},
		metric.ThreadSlots:         {name: "thread_slots", help: "Threads launched."},
		metric.DomainItems:         {name: "domain_items", help: "Items of work that launches were given."},
		metric.SlotSaturations:     {name: "slot_saturations", help: "Launches with more threads than can be counted."},
		metric.ReplaysFull:         {name: "graph_replays", label: `{exec="full"}`, help: "Replays of graphs, with all uploads or with those that changed."},
		metric.ReplaysResident:     {name: "graph_replays", label: `{exec="resident"}`},
		metric.GraphUpdates:        {name: "graph_updates", help: "Launches changed in a graph that was made."},
		metric.GraphRebuilds:       {name: "graph_rebuilds", help: "Graphs made anew."},
		metric.MemoStores:          {name: "memo_stores", help: "Results that graphs remember for later."},
		metric.BatchRows:           {name: "batch_rows", help: "Rows of batches."},
		metric.BatchChunks:         {name: "batch_chunks", help: "Groups of rows of batches that ran at the same time."},
		metric.LoopIterations:      {name: "loop_iterations", label: `{lowering="host"}`, help: "Rounds of loops that the host began, and that the device did."},
		metric.LoopIterationsGraph: {name: "loop_iterations", label: `{lowering="graph"}`},
		metric.OrderWaits:          {name: "order_waits", help: "Runs that waited for another over the same bytes."},
		metric.WaitsReady:          {name: "waits", label: `{how="ready"}`, help: "Waits for runs: that had ended, that ended while the waiter looked or slept, and that it looked for now and then."},
		metric.WaitsSpin:           {name: "waits", label: `{how="spin"}`},
		metric.WaitsBlock:          {name: "waits", label: `{how="block"}`},
		metric.WaitsPoll:           {name: "waits", label: `{how="poll"}`},
		metric.WallNS:              {name: "wall_ns", help: "Time from the start of runs to their results."},
		metric.EnqueueNS:           {name: "enqueue_ns", help: "Time in starting runs."},
		metric.WaitNS:              {name: "wait_ns", help: "Time in waiting for runs."},
		metric.DeviceNS:            {name: "device_ns", help: "Time of runs on the device."},
		metric.DeviceNSMax:         {name: "device_ns_max", help: "The longest time of a run on the device.", gauge: true},
		metric.DeviceTimedRuns:     {name: "device_timed_runs", help: "Runs with a time on the device."},
		metric.DeviceTimeMissing:   {name: "device_time_missing", help: "Runs whose time on the device could not be had."},
		metric.CompilesMemory:      {name: "compiles", label: `{origin="memory"}`, help: "Compilations by where the code was found: loaded, in the cache on disk, nowhere, or in a bundle."},
		metric.CompilesDisk:        {name: "compiles", label: `{origin="disk"}`},
		metric.CompilesFresh:       {name: "compiles", label: `{origin="link"}`},
		metric.CompilesImage:       {name: "compiles", label: `{origin="image"}`},
		metric.CompileNS:           {name: "compile_ns", help: "Time in compiling kernels."},
		metric.CacheCorrupt:        {name: "cache_corrupt", help: "Files of the cache on disk that were no images."},
		metric.CacheWriteErrors:    {name: "cache_write_errors", help: "Images that could not be kept on disk."},
		metric.CacheEvictions:      {name: "cache_evictions", help: "Files of the cache on disk removed to make room."},
		metric.ModulesUnloaded:     {name: "modules_unloaded", help: "Modules unloaded."},
		metric.Traps:               {name: "traps", help: "Runs that trapped."},
	}
	for k := InvalidProgram; k <= Internal; k++ {
		t[errorsMetric(k)] = metricRow{name: "errors", label: fmt.Sprintf("{kind=%q}", k)}
	}
	t[errorsFirst].help = "Errors by their kind."
	return t
}()
