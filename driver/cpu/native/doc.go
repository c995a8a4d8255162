// Package native compiles programs to machine code for the processor that it runs on, eight invocations to a vector,
// and runs them: the fast engine of device cpu. The bits are the interpreter's.
//
//	ir.Program ──findShapes──▶ ──selector──▶ function ──allocate──▶ ──encode──▶ code, read+execute
//	            what lanes       rows to       linear     registers   internal/
//	            have in common   instructions  code       or slots    amd64, arm64
//
//	Kernel.Run ──▶ workers ──▶ a frame a group ──enter──▶ machine code ──▶ stops ──▶ service: what Go does for vectors
//
// A lane of a vector register is an invocation; a warp is four vectors. Where lanes take different ways there are masks,
// as in the interpreter. A vector is a coroutine: at a barrier, at a subgroup op, at a row that Go computes, and after many
// rounds of loops it saves what it still needs into its frame and stops, and later goes on from there. So barriers work
// in any nesting, a vector that waits for another lets it run, and nothing holds up the garbage collector for long.
// What the lanes of a warp do together is computed by the last of its vectors that comes there.
//
// What always holds:
//   - Every access compares its index with the length of its object. Nothing rests on guard pages or signals.
//   - Machine code uses no stack but the place to return to, calls nothing, and leaves Go's registers alone. It runs
//     with floats that round to nearest and keep subnormals, whatever is set outside.
//   - Memory with code is written, then made executable, never both.
//   - A program that it does not run is refused with a reason (UnsupportedError); whoever asked runs it otherwise.
//
// Not here: passes (opt), the meaning of ops (exact), launch contract and fallback (cpu and interp).
//
// README.md teaches the package. Start reading at tree.go, then shape.go and select.go.
package native
