// Package cpu is the device "cpu": the processor, under the same contract as a GPU, by machine code (driver/cpu/native)
// or the interpreter. It needs nothing installed, gives the bits that define what a program means, and its interpreter can
// watch programs for races and stray accesses. Importing the package registers it.
//
//	Plan ──runner.Start──▶ goroutine: waits for earlier runs over its buffers, then
//	                       fills, copies, and hands launches to an engine, command by command
//	     ◀──runner.Wait─── outputs, times, traps, traces, reports
//
// Buffers are ordinary Go memory. Inputs are copied when a run starts and outputs when it is
// waited for, so host memory belongs to nobody in between. Launches use all processors; runs
// that share no buffer overlap. There is no pool of idle memory: what is closed is garbage.
//
// # Limits
//
// The device has the shape of a GPU, so that programs meet the same refusals: 1024 threads a
// group, 227 KiB of shared memory, one unit a processor with 32 groups or 2048 threads each.
// The last two only bound launches with a grid barrier, whose groups are alive together.
//
// The interpreter runs programs as they are written, whatever passes a kernel's options choose: it is what the others
// are held against, and what it reports about a program is promised for the program that was given. Machine code is made
// of what the chosen passes leave, without those that only a GPU gains by.
//
// # Not here
//
// What programs mean (interp), machine code (native), rules for callers (driver).
//
// Start reading at runner.go.
package cpu
