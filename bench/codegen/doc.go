// Package codegen holds the code that vyre generates against what nvcc makes of the same kernels.
//
// Kernels in Go (package kernels) have reference kernels in CUDA C++ (directory reference). A Case knows one of them at
// three sizes. It has its buffers, its launches, how many bytes must move, and a plain Go version that says what has to
// come out. The Group of a case tells the kernels by which passes are tuned from those, in three lots, that show what
// others get.
//
//	kernels/*.go ── kernel.Parse ── ptx.Compile ──────────┐
//	                                                      ├── compare: one device, same buffers, same driver calls
//	reference/*.cu ── nvcc (with and without contraction) ┘
//
// Three things always hold. Both sides take the same parameters, a pointer and a length for each slice, in the same
// grid. Inputs come from a fixed generator, so every run has the same. The tests run every kernel at its smallest size
// on the interpreter against the plain Go version.
//
// The command in sass counts the machine code of both sides, and a rehearsal of compare runs both on the simulated
// driver. Neither needs a device. Package toolkit has what is left of nvcc for them.
//
// Not here: measuring and reporting, which is the command in compare; the method and the table, which are in
// docs/codegen.md.
//
// Start reading in problem.go, then compile.go.
package codegen
