// Package front compiles kernels written in Go to programs.
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
// The input is files (Parse), or a file or directory on disk (Load). The output is a Package of Kernels, each with its
// Program, or an ir.Diags with all diagnostics. Errors of Go keep Go's words, unsupported Go has a VK code with advice,
// and findings of the verifier have VY codes. All have positions in Go; a position inside a helper names its calls.
//
// # Invariants
//
//   - The compiler needs no Go installation, source tree or network. It embeds the declarations of packages gpu,
//     math and math/bits (api/, written by internal/declare), and knows the libraries that the program imports (package
//     kernel/library). Only Load, for a kernel that calls a package of another module, runs go list.
//   - Equal source gives equal programs, digest included.
//   - No input causes a panic. Depth and the number of operations after inlining bound every walk, and the sizes
//     of declarations are counted before go/types expands them.
//   - Only go/types folds constants, so they are exactly as in Go.
//   - Each row has the position of its Go text.
//
// # How a Go value becomes rows
//
// A scalar is a value, and a struct is its fields. A slice is an object known at compile time, whole or with an offset
// and a length (a view). An array is its elements if all indices are constant, else local memory (a bank). A slice of
// structs is a buffer of records, in which each field is an object of its own. In shared memory it is an array for
// each scalar. A package variable that only its initialiser and functions init fill is a table. A pointer is the place
// that it points to, known at compile time.
//
// Functions are inlined at their calls, with their type arguments. A variable that is never assigned again is its
// value; any other is an ir.Var. Operands are evaluated from left to right. Go leaves open whether x[i] is read before
// or after a call in the same expression. Here the calls come first, as with Go's compiler.
//
// # Not here
//
// The meaning of a row (package ir), native execution of the same functions (package gpu), optimisation (package
// internal/opt). Lowering only avoids rows that are useless in any form.
//
// # Where to start
//
// Read kernel.go for the API, lower.go for the walk, and value.go and storage.go for its data. record.go and table.go
// are about memory, evaluate.go and beginning.go about what fills tables, and order.go about the order of evaluation.
// bounds.go has refusals before go/types sees the source, and refuse.go has every refusal in one table.
package front
