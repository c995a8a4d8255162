// Package cpu is the device "cpu": the processor, under the same contract as a GPU. It runs machine code
// (internal/native) or the interpreter, and needs no installation. The interpreter defines the results of programs,
// and can watch them for races and stray accesses. Importing the package registers the device.
//
//	Plan ──runner.Start──▶ goroutine: waits for earlier runs over its buffers, then
//	                       fills, copies, and hands launches to an engine, command by command
//	     ◀──runner.Wait─── outputs, times, traps, traces, reports
//
// Buffers are ordinary Go memory. Inputs are copied when a run starts, and outputs when the caller waits for it, so a
// run does not use host memory in between. Launches use all processors. Runs without a common buffer overlap. Idle
// memory is not pooled, because closed buffers are garbage.
//
// # Limits
//
// The device has the shape of a GPU, so that it refuses the same programs. A group has at most 1024 threads and 227
// KiB of shared memory. Each processor is one unit with 32 groups or 2048 threads. These last two limits only bound
// launches with a grid barrier, because their groups run at the same time.
//
// The interpreter runs programs as they are written, for every choice of passes in a kernel's options. Other engines
// are compared with it, and its reports are about the program that it was given. Machine code is made from the program
// after the chosen passes, except for passes that only help GPUs. Compile prepares a kernel for the one engine that
// runs it. The rules of a launch are the same for both (internal/launch).
//
// # Not here
//
// The meaning of programs (interp), machine code (native), the launch contract (launch), rules for callers (driver).
//
// Start reading at runner.go.
package cpu
