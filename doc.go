// Package vyre is GPU compute for Go. Kernels are Go functions. They run through the installed GPU driver, without cgo
// or a toolkit, or on the CPU of any machine.
//
//	dev, err := vyre.Open("auto")
//	defer dev.Close()
//	program, err := kernel.Program(source, "Saxpy") // package kernel; or use what vyre gen writes
//	saxpy, err := dev.Compile(ctx, program, vyre.CompileOptions{})
//
//	x, err := vyre.Upload(ctx, dev, xs)         // []float32 to the device
//	y, err := vyre.Upload(ctx, dev, ys)
//
//	seq := dev.NewSequence("saxpy")
//	defer seq.Close()
//	seq.Launch(saxpy, vyre.Cover(saxpy, len(xs)), vyre.Value(float32(2)), x.All(), y.All())
//	res, err := seq.Run(ctx)               // checks, launches, waits
//	ys, err = y.Read(ctx)
//
// # Types
//
// A Device compiles kernels and holds buffers. A Buffer[T] is a slice of T on the device. A Sequence is a list of
// commands (fill, upload, copy, launch, loop, read) that is checked once and runs as often as you want. A captured
// Sequence is a Graph, which replays. Run does all of this for a single launch with its arguments in Go slices. Errors
// are of one type, with a Kind to test for: errors.Is(err, vyre.OutOfMemory).
//
// Elements of buffers are Go's own types, including structs, and are checked against the kernel's types. Buffer.Bytes,
// View and ViewAs pass them as other types. The command vyre gen writes launchers, which have the kernel's parameters
// as Go types. A launcher can be used like any kernel.
//
// Nothing is inferred: the size of a buffer does not choose the grid, arguments are not converted, and another device
// never replaces yours silently. A kernel computes the same on every device, bit for bit.
//
// # Environment
//
//	VYRE_DEVICE       the device that Open("auto") must open
//	VYRE_DEBUG        comma list of sync, memcheck, leaks, log, ptx=<directory>, passes=<directory>
//	VYRE_CACHE_DIR    where compiled kernels are kept, or off; vyre in the user's cache directory by default
//	VYRE_CACHE_BYTES  about how many bytes of them, 1 GiB by default
//	VYRE_CPU          the engine of device cpu: auto, interp, native, or an instruction set; see docs/cpu.md
//	VYRE_CUDA_LIBRARY the CUDA driver's library, where it is not found by itself
//
// # Builds
//
// Nothing needs cgo. On Linux with amd64 or arm64 a program is linked against glibc, through which the CUDA driver is loaded.
// The tag vyre_nocuda leaves that out: with CGO_ENABLED=0 the program is static, and has no device cuda.
//
// # Not here
//
// This package only gives types to the functions of package driver, which has the rules and is the page to read next.
// Package gpu is about writing kernels, package kernel about their language, and package ir about programs that
// programs write.
package vyre

//go:generate go run ./internal/front/internal/declare internal/front
