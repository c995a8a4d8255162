// Package cuda is the device "cuda": NVIDIA GPUs, through the installed driver. It needs neither a toolkit nor cgo.
// Importing the package registers the device.
//
//	ir.Program ──internal/code──▶ Kernel, on the device
//	Plan ──internal/exec──▶ stream: waits for earlier runs over its buffers, then segments of fills,
//	     │                  copies, launches and loops, then a store of the timeline value
//	     ◀──────────────── outputs, device time, trap records, traces
//
// A device shares the primary context of its GPU with other users of the GPU in the process. This package opens and
// closes it, and describes its capabilities. The packages below it do the work, and take only what they need instead
// of the device. README.md names them and walks through them.
//
// # Invariants
//
// A goroutine that calls the driver is locked to its thread, and has made the context current on it. For a run that is
// one graph, the driver's batch of three calls does so. During a call that waits for the GPU, only three locks of the
// device may be held. They are the turn of a stream, the hazards of buffers, and a staging ring. Their waiters leave
// when their context ends or Close gives their run up. Every byte from the driver belongs to a buffer, is idle, or
// belongs to the device.
//
// An error that the context does not survive marks the device lost, once. From then on every operation answers so
// without a call. Close and Open start anew if the driver allows it. After a fault of a kernel no driver does, and
// Open says that the process has to restart. An error of a caller's own cu.Driver that is not one of CUDA's is an
// internal error, and loses nothing.
//
// # Not here
//
// The driver's functions (internal/cu), the text (internal/ptx), rules for callers (driver).
//
// Start reading at device.go. A run is in internal/exec, and a compilation in internal/code.
package cuda
