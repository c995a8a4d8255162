// Package cuda is the device "cuda": NVIDIA GPUs through the driver that every such machine
// has. It needs no toolkit and no cgo. Importing the package registers it.
//
//	ir.Program ──compile.Program──▶ text ──driver's linker or loader──▶ module ──▶ Kernel
//	                                    └──imagecache, if a process was here before──┘
//	Plan ──runner.Start──▶ stream: waits for earlier runs over its buffers, then
//	     │                 fills, copies, launches and loops, then a store of the ticket
//	     ◀──runner.Wait─── outputs, device time, trap records, traces
//	     └─Capture──▶ graph: nodes for the same commands, launched as one
//
// A device shares the primary context of its GPU with whatever else the process does there. A
// prepared sequence has a stream, two events, pinned staging for its small transfers, and a few
// hundred bytes of device memory for traps, traces, grid barriers and loops. Whatever is given
// back is kept for the next one: buffers by size class, staging likewise, streams and events as
// they are.
//
// What a plain run launches without the host's part becomes a graph, too, once it has run a few times
// and as long as nobody changes it. Graphs make small transfers by a kernel of this package, which also
// looks at the GPU's clock for device time.
//
// Every run has a ticket of its stream. The last thing that it enqueues is a store of that into
// pinned memory, so the host sees the end of a run without a call. A waiter looks for it as long
// as waits have been of late, and then sleeps. A driver without such stores has events instead.
//
// A While is a loop of a graph: a small kernel of this package counts and looks at the flag before
// each round. In a plain run it is a graph of its own between the other commands. Where the driver
// has no such loops the host reads the flag before every round, and Start is refused.
//
// Memory that was given back is kept by size class, with the runs that may still touch it: those of
// a sequence that was given up. Bytes go to the device and back in one of three ways. From and to
// HostMemory the GPU copies by itself; up to 256 KiB go through the sequence's staging; what is
// larger goes in chunks over a conveyor of the device, so that no sequence keeps pinned memory of
// its size. Such a run is enqueued as its chunks get through; if the context ends before, a
// goroutine of the run goes on with it.
//
// # Invariants
//
// A goroutine that calls the driver is locked to its thread and has made the context current
// on it, from enter to leave; for a run that is one graph GraphRun does so. No lock of the device is held during a call that waits for the
// GPU, but for the turn of a stream and the histories of buffers, whose waiters leave when their
// context ends, and for a conveyor, which one run uses at a time. Waiters for any of them leave when
// Close gives their run up. Every byte obtained from the driver is reserved for a buffer, idle, or
// internal.
//
// Runs on one stream end in the order of their tickets. A run that came from the driver with an
// error has ended: nothing of it touches memory any more.
//
// An error that the context does not survive marks the device lost, once. From then on every
// operation answers so without a call. Close and Open start anew where the driver lets them: after a
// fault of a kernel no driver does, and Open says that the process has to restart.
//
// # Not here
//
// The driver's functions (driver/cuda/cu), the text (ptx), rules for callers (driver).
//
// Start reading at device.go, then runner.go, start.go, finish.go, stream.go and wait.go; graphs are graph.go,
// build.go and stretch.go, memory is memory.go and shelf.go, transfers are transfer.go, conveyor.go and
// copiers.go.
package cuda
