// Package native compiles programs to machine code for the processor that it runs on, eight invocations to a vector,
// and runs them. It is the fast engine of device cpu. Its results have the interpreter's bits.
//
//	ir.Program ──findShapes──▶ ──selector──▶ function ──allocate──▶ ──encode──▶ code, read+execute
//	            what lanes       rows to       linear     registers   internal/
//	            have in common   instructions  code       or slots    amd64, arm64
//
//	Kernel.Run ──▶ workers ──▶ a frame a group ──enter──▶ machine code ──▶ stops ──▶ service: what Go does for vectors
//
// A lane of a vector register is an invocation; a warp is four vectors. If lanes take different ways, masks select
// them, as in the interpreter.
//
// A vector is a coroutine. It stops at a barrier, at a subgroup op, at a row that Go computes, and after many rounds
// of loops. Then it saves its live values into its frame, and later continues. Therefore barriers work in any nesting,
// a waiting vector lets others run, and the garbage collector never waits for long. The last vector of a warp to
// arrive computes the operations among its lanes.
//
// # Invariants
//
//   - Every access compares its index with the length of its object. Nothing relies on guard pages or signals.
//   - Machine code uses no stack except the return address, calls nothing, and preserves Go's registers. It runs
//     with floats that round to nearest and keep subnormals, whatever the settings outside.
//   - Memory with code is written, then made executable, never both.
//   - The package refuses a program that it cannot run, with a reason (UnsupportedError). The caller then runs
//     it otherwise.
//
// # Not here
//
// Passes (opt), the meaning of ops (exact), the launch contract (launch), fallback (driver/cpu).
//
// README.md teaches the package. Start reading at tree.go, then shape.go and select.go.
package native
