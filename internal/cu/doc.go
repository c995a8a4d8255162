// Package cu is the part of the CUDA driver API that vyre uses, as a Go interface.
//
// Handles are named types, results are errors with the driver's code and its name, and every out-parameter is a return
// value:
//
//	lib, err := cu.Load("")           // libcuda.so.1, or nvcuda.dll; a *MissingError if there is none
//	err = lib.Init()
//	n, err := lib.DeviceCount()       // vyre's own rules start above this package
//
// Load binds the system's library without cgo. Calls through it allocate nothing unless they fail. The build tag
// vyre_nocuda leaves that implementation out, and Load then returns an error that says so.
//
// # Rules for callers
//
// As in C, Init comes first. Functions that need a context use the current one of the calling thread. Therefore a
// goroutine locks its thread and calls CtxSetCurrent before a batch of calls; GraphRun does both itself. Memory of an
// asynchronous copy must not change until the copy has ended.
//
// # Users
//
// Programs need none of this. Tests of programs give cuda.Open a driver of their own, which wraps a Driver to count,
// delay or fail calls. They also name results with which package cusim should fail.
//
// # Not here
//
// The meaning of codes for a device, memory pools, modules, launches (driver/cuda).
//
// Start reading at driver.go.
package cu
