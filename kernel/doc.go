// Package kernel compiles kernels written in Go to programs.
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
// A program needs this package only if it compiles kernels while it runs: `vyre gen` writes launchers beforehand. The
// input is text or files in memory (Program, Parse), or a file or folder on disk (LoadProgram, Load). The output is an
// ir.Program for each kernel, or an ir.Diags with all diagnostics. Errors of Go keep Go's words, unsupported Go has a VK
// code with advice, and findings of the verifier have VY codes. All have positions in Go; a position inside a helper names
// its calls.
//
// # Invariants
//
//   - No Go installation, source tree or network is needed. Only LoadProgram and Load, for a kernel that calls a package of
//     another module, run go list. Libraries that the program imports are known (package kernel/library).
//   - Equal source gives equal programs, digest included.
//   - No input causes a panic, and every walk is bounded.
//   - Each row of a program has the position of its Go text.
//
// The compiler is in internal/front, native execution of the same functions in package gpu.
package kernel
