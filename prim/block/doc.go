// Package block has the parts of package prim for use inside kernels: the algorithms of a workgroup, and those of a whole
// grid that a kernel is one line around. Operators are types with methods, so they are inlined:
//
//	type longest struct{}
//
//	func (longest) Apply(a, b uint32) uint32 { return max(a, b) }
//	func (longest) Identity() uint32         { return 0 }
//
//	//vyre:kernel workgroup=256 big=x,sums
//	func Longest(t gpu.Thread, x, out, sums, counts []uint32) {
//		part := gpu.Shared[uint32](t, block.Warps)
//		block.ReduceAll(t, longest{}, 0, x, uint64(len(x)), out, sums, counts, part)
//	}
//
// These are ordinary functions. The compiler of kernels knows their source and inlines them; gpu.Run runs them natively.
// Workgroups have Threads invocations. Shared memory is the kernel's to declare, and passed in: its comment says how much,
// and when it may be used again.
package block
