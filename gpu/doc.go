// Package gpu is the package that kernels written in Go import. It also runs the same kernels natively, with one
// goroutine for each invocation.
//
// A kernel is an ordinary function whose first parameter is a [Thread]. Slices are buffers of the device, of scalars,
// structs and arrays of them. Scalars and structs are passed by value:
//
//	package kernels
//
//	import "github.com/govyre/vyre/gpu"
//
//	// Histogram counts the bytes of data. It wants groups of 256 invocations.
//	//
//	//vyre:kernel workgroup=256
//	func Histogram(t gpu.Thread, data []uint8, bins []uint32) {
//		part := gpu.Shared[uint32](t, 256) // one array for the group
//		l := t.Local().X
//		part[l] = 0
//		t.Barrier()
//		for i := t.Global().X; i < uint32(len(data)); i += t.Groups().X * 256 {
//			gpu.AtomicAdd(&part[data[i]], 1)
//		}
//		t.Barrier()
//		gpu.AtomicAdd(&bins[l], part[l])
//	}
//
// Package kernel compiles it for a device. [Run] runs it natively, under a debugger, a coverage tool or the race
// detector:
//
//	gpu.Run(gpu.Grid{Groups: gpu.Vec3{X: 8}, Group: gpu.Vec3{X: 256}}, func(t gpu.Thread) {
//		kernels.Histogram(t, data, bins)
//	})
//
// # Words of CUDA
//
//	grid        grid; Thread.Groups is gridDim
//	workgroup   thread block (CTA); Thread.Group is blockIdx, Thread.GroupSize is blockDim
//	invocation  thread; Thread.Local is threadIdx
//	subgroup    warp: 32 invocations with consecutive linear ids, the last of a group may be short
//	shared      __shared__; SharedRest is extern __shared__
//	Barrier     __syncthreads; GridBarrier is grid.sync() of a cooperative launch
//	BarrierAny  __syncthreads_or; BarrierAll is __syncthreads_and, BarrierAdd a sum instead of a count
//	Ballot      __ballot_sync with all lanes; Shuffle is __shfl_sync, Match is __match_any_sync
//	Relaxed, AcqRel, …; Workgroup, Device, System
//	            cuda::memory_order_…; cuda::thread_scope_block, _device, _system
//
// Barriers and subgroup ops have no member masks: either all members of the scope take part, or none.
//
// # Differences of native runs
//
// The purpose of Run is to find mistakes. The interpreter (device "cpu" without machine code) defines a kernel's
// result. A native run gives the same bits, with these exceptions:
//
//	                                            on a device              natively
//	index or slice bound out of range           reads zero, writes       panics; At and Put do as the
//	                                            nothing                  device. A view may be resliced
//	                                                                     up to its capacity
//	integer division by zero                    all ones unsigned, 0     panics
//	                                            signed; remainder 0
//	negative shift count                        as a large count         panics
//	float to integer, out of range              clamps, NaN gives 0      whatever the machine does
//	int and uint on a 32-bit host               64 bits                  32 bits
//	x*y + z on arm64, ppc64x, s390x, riscv64,   two roundings            Go may fuse; float32(x*y) + z
//	loong64, amd64 with GOAMD64=v3                                       forbids it
//	shared memory at start                      undefined                zero
//	atomics                                     order and scope as said  sequentially consistent
//	GridBarrier, Resident in a launch that is   a launch of it always is panics
//	not Cooperative
//	panic, Assert                               reported; after panic    panic; Run panics with group
//	                                            the invocation ends,     and local id
//	                                            after Assert it goes on
//	Pause                                       sleeps                   yields
//	Trace, Printf                               a ring the host reads    a line on standard error
//	Clock                                       cycles, or steps         nanoseconds
//
// A native kernel is compiled by Go's compiler, so that it has the compiler's errors. go1.26.8 on amd64 loses bits in
// some kernels that carry a word and its 16 low bits through a loop. With -gcflags='-N -l' it does not.
//
// [Exp] and similar functions are sequences of exact operations, so they have the same bits everywhere. Go's math.Exp
// does not, so the compiler refuses it. The Fast functions differ between devices in their last bits. Natively they
// are the accurate functions.
//
// # Invariants
//
// A native barrier does not hang. If some members of its scope have reached it, and the others cannot reach it any
// more, Run panics with the counts and positions. Other waits, such as a loop around [AtomicLoad], can hang.
//
// The race detector sees the kernel's races. Run orders invocations only by the barriers, subgroup ops and atomics of the
// kernel. There are two limits. An atomic orders natively even if it is Relaxed. The first invocation of a group that
// calls [Shared] is ordered before the others' use of the array.
//
// When Run returns or panics, none of its goroutines is left, except as described at [Run].
//
// # Not here
//
// Compiling kernels is in package kernel, and launching them in package vyre. The meaning of an operation is its
// function in package internal/exact, which the functions here evaluate.
//
// Start reading at thread.go for a kernel's view, and at group.go and meet.go for waits between invocations.
package gpu
