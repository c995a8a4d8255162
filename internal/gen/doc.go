// Package gen writes typed launchers: for each kernel of a Go package, a Go type that compiles
// and launches it, with the program itself inside. A program that uses launchers needs no
// kernel source when it runs, and the Go compiler checks what it passes to kernels.
//
//	*kernel.Package ──Source──▶ text of a Go file of the same package
//
// For
//
//	//vyre:kernel workgroup=256
//	func Saxpy(t gpu.Thread, a float32, x, y []float32)
//
// the file declares
//
//	type SaxpyKernel struct{ vyre.Kernel }
//	var _ func(gpu.Thread, float32, []float32, []float32) = Saxpy
//	func CompileSaxpy(ctx context.Context, dev vyre.Device) (SaxpyKernel, error)
//	func CompileSaxpyWith(ctx context.Context, dev vyre.Device, o vyre.CompileOptions) (SaxpyKernel, error)
//	func (k SaxpyKernel) Launch(seq *vyre.Sequence, grid vyre.Grid, a float32, x, y *vyre.Buffer[float32]) *vyre.Step
//	func (k SaxpyKernel) Run(ctx context.Context, grid vyre.Grid, a float32, x, y []float32) (vyre.Result, error)
//
//	const saxpySource = "…"
//	const saxpyMade = "…"
//
// SaxpyKernel is a kernel wherever one is expected. Launch takes buffers and views of them, Run slices. The
// file does not build any more when the signature changes. Check compares the digests of the source, and so says which
// bodies did; CompileSaxpy does the same with its list of declarations, saxpyMade, where the source is beside the program.
//
// With Options.Bundle, CompileSaxpy loads the kernel from a bundle that the file embeds, and compiles nothing.
//
// An instance of a generic kernel is named for its type: SaxpyFloat32Kernel. A kernel that is not
// exported gets launchers that are not either: saxpyKernel, compileSaxpy.
//
// # Invariants
//
// Equal kernels give equal text. The text is formatted as gofmt does and compiles with the
// package. Source reads no files; in particular it never looks at what it wrote before.
//
// # Not here
//
// Finding sources and writing files is cmd/vyre; the form of the programs is package packed.
//
// Start reading at source.go; signature.go is the way from a kernel's parameters to Go's, check.go finds
// launchers that are stale.
package gen
