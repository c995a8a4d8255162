// Package code makes kernels of programs: it has them compiled to text, has the driver compile that,
// and keeps what came of it, loaded on the device and as images on disk.
//
//	in:  a sealed program, and how to compile it
//	out: a kernel: a function on the device, with what a group of it takes
//
//	ir.Program ──ptx.Compile──▶ text ──driver's loader──▶ module ──▶ kernel
//	                              │                        ▲
//	                              └──driver's linker──▶ imagecache, for the next process
//
// # Invariants
//
// A module is compiled once however many ask for it at a time, on a goroutine that goes on when they
// leave. What panics there is an error of those who wait. Nobody waits for the linker: one goroutine links what was
// loaded as text, and keeps an image that is as good. A program that was compiled with the same options
// is found by its identity, without being looked at: a sealed program does not change. Modules in use are
// never unloaded; the others go when there are too many, the least recently used first.
package code
