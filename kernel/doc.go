// Package kernel compiles kernels written in Go to programs.
//
//	Go source ──go/parser──▶ syntax ──go/types──▶ typed syntax ──lowering──▶ build.Builder ──▶ ir.Program
//
// A kernel is a Go function under a directive:
//
//	//vyre:kernel workgroup=256
//	func Saxpy(t gpu.Thread, a float32, x, y []float32) {
//		i := t.Global().X
//		if i >= uint32(len(y)) {
//			return
//		}
//		y[i] = a*x[i] + y[i]
//	}
//
// In: files (Parse), or a file or directory on disk (Load). Out: a Package of Kernels, each with its
// Program, or an ir.Diags with every finding: what Go refuses in Go's words, what has no place
// in a kernel under a VK code with advice, what the verifier finds under its VY code. All have Go
// positions; those inside helpers name the calls.
//
// # Invariants
//
//   - The compiler needs no Go installation, no source tree and no network: what it has to know of packages
//     gpu, gpu/random, megakernel/arcs, megakernel/frontiers, megakernel/queue, graph/flow, math and math/bits is
//     embedded (api/, written by internal/declare).
//   - Equal source gives equal programs, digest included.
//   - No input panics. Every walk is bounded by depth and by the number of operations after inlining, and what
//     declarations stand for is counted before go/types expands it.
//   - Constants are folded by go/types and nowhere else, so exactly as Go does.
//   - Each row has the position of the Go text that it stands for.
//
// # How a Go value becomes rows
//
// A scalar is a value; a struct is its fields; a slice is an object known while compiling,
// whole or with an offset and a length (a view); an array is its elements if all indices are
// constant, else local memory (a bank). A slice of structs is a buffer of records, in which each field
// is an object of its own; in shared memory it is an array for each scalar. A package variable that nothing
// assigns to is a table of constants. A pointer does not exist. Functions are inlined where
// they are called, with type arguments in place. A variable that is never assigned again is just
// its value; any other is an ir.Var. Operands are evaluated from left to right; Go leaves open
// whether x[i] is read before or after a call in the same expression, and here, as with Go's compiler, the calls come first.
//
// # Not here
//
// What a row means (package ir), native execution of the same functions (package gpu),
// optimisation (package internal/opt): lowering only avoids rows that would be waste in any form.
//
// # Where to start
//
// kernel.go for the face, lower.go for the walk, value.go and storage.go for what it walks with, record.go and table.go
// for what lies in memory; order.go for the order of evaluation; bounds.go for what is refused
// before go/types sees it, refuse.go for every refusal in one table.
package kernel
