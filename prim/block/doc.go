// Package block has the algorithms of package prim for use inside kernels. Some are for a workgroup. Others are for a
// whole grid, and a kernel is one line around them. Operators are types with methods, so they are inlined:
//
//	type longest struct{}
//
//	func (longest) Apply(a, b uint32) uint32 { return max(a, b) }
//	func (longest) Identity() uint32         { return 0 }
//
//	//vyre:kernel workgroup=256 big=x,sums
//	func Longest(t gpu.Thread, x, out, sums, counts []uint32) {
//		part := gpu.Shared[uint32](t, block.ReduceWords)
//		block.ReduceAll(t, longest{}, 0, x, uint64(len(x)), out, sums, counts, part)
//	}
//
// These are ordinary functions. The compiler of kernels knows their source and inlines them; gpu.Run runs them
// natively. Workgroups have Threads invocations. The kernel declares shared memory and passes it in. Each function's
// comment has the size, and the time from which the memory may be used again.
package block

//go:generate go run ../../internal/gen/generate .
