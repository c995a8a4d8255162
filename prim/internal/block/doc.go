// Package block has the algorithms of package prim. Some are for a workgroup. Others are for a whole grid, and a kernel is
// one line around them. Package prim/block has those that kernels of other modules use.
//
// These are ordinary functions. The compiler of kernels knows their source and inlines them; gpu.Run runs them
// natively. Workgroups have Threads invocations. The kernel declares shared memory and passes it in. Each function's
// comment has the size, and the time from which the memory may be used again.
package block

//go:generate go run ../../../internal/gen/generate .
