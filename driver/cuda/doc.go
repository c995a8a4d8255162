// Package cuda is the device "cuda": NVIDIA GPUs through the driver that every such machine
// has. It needs no toolkit and no cgo. Importing the package registers it.
//
//	ir.Program ──internal/code──▶ Kernel, on the device
//	Plan ──internal/exec──▶ stream: waits for earlier runs over its buffers, then segments of fills,
//	     │                  copies, launches and loops, then a store of the timeline value
//	     ◀──────────────── outputs, device time, trap records, traces
//
// A device shares the primary context of its GPU with whatever else the process does there. This package opens
// and closes it, and says what it can do. What does the work lies below, in packages that take what they need
// and not the device. README.md names them and walks through them.
//
// # Invariants
//
// A goroutine that calls the driver is locked to its thread and has made the context current on it; for a run that
// is one graph, the driver's batch of three calls does so. No lock of the device is held during a call that waits
// for the GPU, but for the turn of a stream, the hazards of buffers, and a staging ring, whose waiters leave when
// their context ends or Close gives their run up. Every byte obtained from the driver is a buffer's, idle, or the
// device's own.
//
// An error that the context does not survive marks the device lost, once. From then on every operation answers so
// without a call. Close and Open start anew where the driver lets them: after a fault of a kernel no driver does,
// and Open says that the process has to restart. An error of a caller's own cu.Driver that is none of CUDA's is an
// internal error and loses nothing.
//
// # Not here
//
// The driver's functions (driver/cuda/cu), the text (internal/ptx), rules for callers (driver).
//
// Start reading at device.go; a run is internal/exec, a compilation internal/code.
package cuda
