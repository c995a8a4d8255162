// Package cu is the part of the CUDA driver API that vyre uses, as a Go interface.
//
// Handles are named types, results are errors that carry the driver's code and its name, and
// every out-parameter is a return value:
//
//	lib, err := cu.Load("")           // libcuda.so.1, or nvcuda.dll; a *MissingError if there is none
//	err = lib.Init()
//	n, err := lib.DeviceCount()       // vyre's own rules start above this package
//
// Load binds the library of the system without cgo. Calls through it allocate nothing unless
// they fail. The build tag vyre_nocuda leaves that implementation out; the package then only
// says so.
//
// # Rules that callers keep
//
// As in C: Init comes first, and what needs a context uses the one that is current on the
// calling thread, so a goroutine locks its thread and calls CtxSetCurrent before a batch of
// calls. GraphRun does both itself. Memory given to an asynchronous copy stays as it is until the copy has ended.
//
// # Who imports it
//
// Programs need none of this. Tests of programs do, which give cuda.Open a driver of their own: one that wraps a
// Driver to count, delay or fail calls, and the results that package cusim is told to fail with.
//
// # Not here
//
// Which codes mean what for a device, memory pools, modules, launches (driver/cuda).
//
// Start reading at driver.go.
package cu
