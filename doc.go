// Package vyre is GPU compute for Go: kernels written in Go, run through the driver that every
// machine with a GPU already has, with no cgo and no toolkit; or on the CPU of any machine.
//
//	dev, err := vyre.Open("auto")
//	defer dev.Close()
//	program, err := kernel.Program(source, "Saxpy") // package kernel; or use what vyre gen writes
//	saxpy, err := dev.Compile(ctx, program)
//
//	x, err := vyre.Upload(dev, xs)         // []float32 to the device
//	y, err := vyre.Upload(dev, ys)
//
//	seq := dev.NewSequence("saxpy")
//	defer seq.Close()
//	seq.Launch(saxpy, vyre.Cover(saxpy, len(xs)), vyre.Value(float32(2)), x.All(), y.All())
//	res, err := seq.Run(ctx)               // checks, launches, waits
//	ys, err = y.Read(ctx)
//
// # What there is
//
// A Device compiles kernels and holds buffers. A Buffer[T] is a slice of T on the device. A
// Sequence is a list of commands (fill, upload, copy, launch, loop, read) that is checked once and
// run as often as wanted; captured, it is a Graph that replays. Run does all of that for a single
// launch with its arguments in Go slices. Errors are of one type, with a Kind to ask for:
// errors.Is(err, vyre.OutOfMemory).
//
// Elements of buffers are Go's own types, structs included, and are checked against the kernel's:
// Buffer.Bytes, View and ViewAs are the ways to pass them as something else. vyre gen writes launchers,
// which have the kernel's parameters as Go has them, and are kernels wherever one is expected.
//
// Nothing is inferred: no grid from the size of a buffer, no conversion of arguments, no device
// that silently replaces another. What a kernel computes is the same, bit for bit, on every device.
//
// # Environment
//
//	VYRE_DEVICE       the device that Open("auto") must open
//	VYRE_DEBUG        comma list of sync, memcheck, leaks, log, ptx=<directory>, passes=<directory>
//	VYRE_CACHE_DIR    where compiled kernels are kept, or off; vyre in the user's cache directory by default
//	VYRE_CACHE_BYTES  about how many bytes of them, 1 GiB by default
//	VYRE_CPU          what device cpu runs kernels with: auto, interp, native, or an instruction set; see docs/cpu.md
//	VYRE_CUDA_LIBRARY the CUDA driver's library, where it is not found by itself
//
// # Builds
//
// Nothing needs cgo. On Linux with amd64 or arm64 a program is linked against glibc, through which the CUDA driver is loaded.
// The tag vyre_nocuda leaves that out: with CGO_ENABLED=0 the program is static, and has no device cuda.
//
// # Not here
//
// This package only gives types to what package driver does; it names the rules and is the page to
// read next. How kernels are written is the matter of package gpu, what they may say of package
// kernel, and of programs that programs write, of package ir.
package vyre
