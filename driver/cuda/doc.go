// Package cuda is the device "cuda": NVIDIA GPUs through the driver that every such machine
// has. It needs no toolkit and no cgo. Importing the package registers it.
//
//	ir.Program ──opt.Run──ptx.Emit──▶ text ──driver's linker──▶ image ──▶ module ──▶ Kernel
//	                                    └──imagecache, if a process was here before──┘
//	Plan ──runner.Start──▶ stream: waits for earlier runs over its buffers, then
//	                       fills, copies and launches, then an event
//	     ◀──runner.Wait─── outputs, device time, trap records, traces
//
// A device shares the primary context of its GPU with whatever else the process does there. A
// prepared sequence owns a stream, three events, pinned staging for its transfers, and a few
// hundred bytes of device memory for traps, traces and grid barriers. Whatever is given back
// is kept for the next one: buffers by size class, staging likewise, streams as they are.
//
// # Invariants
//
// A goroutine that calls the driver is locked to its thread and has made the context current
// on it, from enter to leave. No lock of the device is held during a call that waits for the
// GPU. Every byte obtained from the driver is reserved for a buffer, idle, or internal.
//
// An error that the context does not survive marks the device lost, once. From then on every
// operation answers so without a call; Close and Open start anew.
//
// # Limits
//
// While runs on the host, which reads the flag before every round; Start of such a sequence
// returns after its last loop. A captured graph replays through the same path as a run. A
// run's transfers all pass through staging.
//
// # Not here
//
// The driver's functions (driver/cuda/cu), the text (ptx), rules for callers (driver).
//
// Start reading at device.go, then runner.go.
package cuda
