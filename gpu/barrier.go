package gpu

import "runtime"

// Every barrier is reached by all invocations of its scope or by none. It orders what
// they did to memory before it before what they do after it.

// Barrier waits for all invocations of the group.
func (t Thread) Barrier() { t.inv.barrier(&t.inv.group.all, "Barrier", 0) }

// WarpBarrier waits for the lanes of the warp.
func (t Thread) WarpBarrier() { t.inv.barrier(t.inv.warp(), "WarpBarrier", 0) }

// Resident asks for all groups of the launch at once, so that one may wait for another by reading an atomic. A grid
// barrier asks for the same. The launch is cooperative for it: it is refused where not all groups fit on the device.
func (t Thread) Resident() { t.inv.cooperates("Resident") }

// GridBarrier waits for all invocations of the grid, which must be launched cooperatively.
func (t Thread) GridBarrier() { t.inv.gridBarrier("GridBarrier", 0) }

// BarrierAny is a Barrier that reports whether p holds for some invocation of the group.
// Its result is the same for all of them, so a barrier may depend on it.
func (t Thread) BarrierAny(p bool) bool {
	return t.inv.barrier(&t.inv.group.all, "BarrierAny", toBits(p)) != 0
}

// BarrierAll is a Barrier that reports whether p holds for every invocation of the group.
func (t Thread) BarrierAll(p bool) bool {
	return t.inv.barrier(&t.inv.group.all, "BarrierAll", toBits(!p)) == 0
}

// BarrierAdd is a Barrier that returns the sum of n over the invocations of the group, modulo 2³².
func (t Thread) BarrierAdd(n uint32) uint32 {
	return uint32(t.inv.barrier(&t.inv.group.all, "BarrierAdd", uint64(n)))
}

// BarrierAdd64 is BarrierAdd of 64 bits. One of two sums in its halves is a vote on both.
func (t Thread) BarrierAdd64(n uint64) uint64 {
	return t.inv.barrier(&t.inv.group.all, "BarrierAdd64", n)
}

// BarrierBroadcast is a Barrier that returns the v of the group's first invocation, that with LocalIndex 0.
func BarrierBroadcast[T Scalar](t Thread, v T) T {
	var give uint64
	if t.inv.linear == 0 {
		give = toBits(v)
	}
	return fromBits[T](t.inv.barrier(&t.inv.group.all, "BarrierBroadcast", give))
}

// GridBarrierAny is a GridBarrier that reports whether p holds for some invocation of the grid.
// A loop that runs until nothing changes needs no other barrier.
func (t Thread) GridBarrierAny(p bool) bool {
	return t.inv.gridBarrier("GridBarrierAny", toBits(p)) != 0
}

// GridBarrierAll is a GridBarrier that reports whether p holds for every invocation of the grid.
func (t Thread) GridBarrierAll(p bool) bool {
	return t.inv.gridBarrier("GridBarrierAll", toBits(!p)) == 0
}

// GridBarrierAdd is a GridBarrier that returns the sum of n over the grid, modulo 2³².
func (t Thread) GridBarrierAdd(n uint32) uint32 {
	return uint32(t.inv.gridBarrier("GridBarrierAdd", uint64(n)))
}

// GridBarrierAdd64 is GridBarrierAdd of 64 bits. One of two sums in its halves is a vote on both.
func (t Thread) GridBarrierAdd64(n uint64) uint64 {
	return t.inv.gridBarrier("GridBarrierAdd64", n)
}

// GridBarrierBroadcast is a GridBarrier that returns the v of the grid's first invocation, that with GlobalIndex 0.
func GridBarrierBroadcast[T Scalar](t Thread, v T) T {
	var give uint64
	if t.inv.linear == 0 && t.inv.group.id == (Vec3{}) {
		give = toBits(v)
	}
	return fromBits[T](t.inv.gridBarrier("GridBarrierBroadcast", give))
}

// FirstGroupsBarrier waits for all invocations of the first n groups of the grid, in the order of GlobalIndex: of all
// groups if it has no more, of none if n is 0. The other groups do not take part, and go on. n is a constant, and a
// kernel has at most two different ones. The launch must be cooperative.
//
// All of the first groups reach it together, or none does. So it stands where control is the same for the whole grid,
// behind a comparison of a group id with a constant that is not below n, or where FirstGroupsBarrierAdd decided.
func (t Thread) FirstGroupsBarrier(n uint32) { t.inv.firstBarrier("FirstGroupsBarrier", n, 0) }

// FirstGroupsBarrierAdd is a FirstGroupsBarrier that returns the sum of v over those groups, modulo 2³², and 0 in the
// others.
func (t Thread) FirstGroupsBarrierAdd(n, v uint32) uint32 {
	return uint32(t.inv.firstBarrier("FirstGroupsBarrierAdd", n, uint64(v)))
}

// FirstGroupsBarrierAdd64 is FirstGroupsBarrierAdd of 64 bits.
func (t Thread) FirstGroupsBarrierAdd64(n uint32, v uint64) uint64 {
	return t.inv.firstBarrier("FirstGroupsBarrierAdd64", n, v)
}

// Pause lets others run for about ns nanoseconds, at most twice that and at most a millisecond. A loop that waits for
// another invocation by reading an atomic pauses between two reads, longer each time, so that it does not take the
// memory's time from the one it waits for. It orders nothing, and natively it yields, whatever ns is.
func Pause(ns uint32) { runtime.Gosched() }

// Fence orders the memory accesses of this invocation before it against those after it,
// as seen from the invocations of scope s. o is AcqRel or SeqCst. It waits for nobody.
// Natively it does nothing: the atomics around it are sequentially consistent already.
func (t Thread) Fence(o Order, s Scope) {}
