package gpu

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"unsafe"
)

// The pointer of an atomic is always &x[i], x a buffer or a shared array. Without a
// suffix the order is Relaxed and the scope is Device on a buffer, Workgroup on a shared array.
//
// sync/atomic has functions for four integer types; T may be any type of their sizes,
// so p is converted. That is sound: the sizes are equal, and Go aligns elements of a
// slice of 64-bit numbers to 64 bits, on 32-bit hosts too, if the slice is one that was allocated.

func word32[T any](p *T) *uint32 { return (*uint32)(unsafe.Pointer(p)) }

func word64[T any](p *T) *uint64 { return (*uint64)(unsafe.Pointer(p)) }

func is32[T any]() bool {
	var v T
	return unsafe.Sizeof(v) == 4
}

// AtomicLoad returns *p.
func AtomicLoad[T Word | Float](p *T) T {
	relax()
	return load(p)
}

func load[T Word | Float](p *T) T {
	if is32[T]() {
		return fromBits[T](uint64(atomic.LoadUint32(word32(p))))
	}
	return fromBits[T](atomic.LoadUint64(word64(p)))
}

// LoadStale returns *p, or what it held before: some value that it had since the last barrier or acquire that orders this
// load after a write of it. A device answers it from the cache that is nearest. It is for a look in front of an atomic
// that decides, on a buffer: what is seen to be claimed need not be claimed. It races with nothing. No loop may wait by it: it need
// never see what another invocation writes.
func LoadStale[T Word | Float](p *T) T { return load(p) }

// AtomicStore sets *p to v.
func AtomicStore[T Word | Float](p *T, v T) {
	if is32[T]() {
		atomic.StoreUint32(word32(p), uint32(toBits(v)))
		return
	}
	atomic.StoreUint64(word64(p), toBits(v))
}

// AtomicAdd adds v to *p and returns what was there. The sum of floats depends on the order of the additions.
func AtomicAdd[T Word | Float](p *T, v T) T {
	switch {
	case isFloat[T]():
		return update(p, func(x T) T { return x + v })
	case is32[T]():
		d := uint32(toBits(v))
		return fromBits[T](uint64(atomic.AddUint32(word32(p), d) - d))
	default:
		d := toBits(v)
		return fromBits[T](atomic.AddUint64(word64(p), d) - d)
	}
}

// AtomicExchange sets *p to v and returns what was there.
func AtomicExchange[T Word | Float](p *T, v T) T {
	if is32[T]() {
		return fromBits[T](uint64(atomic.SwapUint32(word32(p), uint32(toBits(v)))))
	}
	return fromBits[T](atomic.SwapUint64(word64(p), toBits(v)))
}

// AtomicCompareExchange sets *p to new if it holds old, compared by its bits, and
// returns what was there. It never fails without a cause.
func AtomicCompareExchange[T Word | Float](p *T, old, new T) T {
	for {
		is := load(p)
		if toBits(is) != toBits(old) {
			relax()
			return is
		}
		if swap(p, old, new) {
			return old
		}
	}
}

// AtomicSub subtracts v from *p and returns what was there.
func AtomicSub[T Word](p *T, v T) T { return AtomicAdd(p, -v) }

// AtomicMin sets *p to min(*p, v), of the builtin, and returns what was there. Of floats a NaN wins and -0 is below +0; a NaN
// is stored as the quiet one without a payload. So several leave the same bits in any order.
func AtomicMin[T Word | Float](p *T, v T) T {
	return update(p, func(x T) T { return withoutPayload(min(x, v)) })
}

// AtomicMax sets *p to max(*p, v), of the builtin, and returns what was there. Of floats a NaN wins and +0 is above -0; a NaN
// is stored as the quiet one without a payload. So several leave the same bits in any order.
func AtomicMax[T Word | Float](p *T, v T) T {
	return update(p, func(x T) T { return withoutPayload(max(x, v)) })
}

// withoutPayload returns the quiet NaN without a sign and a payload for every NaN, and other numbers as they are.
func withoutPayload[T Word | Float](v T) T {
	switch {
	case v == v:
		return v
	case is32[T]():
		return fromBits[T](0x7FC0_0000)
	}
	return fromBits[T](0x7FF8_0000_0000_0000)
}

// AtomicAnd sets *p to itself and v, bitwise, and returns what was there.
func AtomicAnd[T Word](p *T, v T) T {
	if is32[T]() {
		return fromBits[T](uint64(atomic.AndUint32(word32(p), uint32(toBits(v)))))
	}
	return fromBits[T](atomic.AndUint64(word64(p), toBits(v)))
}

// AtomicOr sets *p to itself or v, bitwise, and returns what was there.
func AtomicOr[T Word](p *T, v T) T {
	if is32[T]() {
		return fromBits[T](uint64(atomic.OrUint32(word32(p), uint32(toBits(v)))))
	}
	return fromBits[T](atomic.OrUint64(word64(p), toBits(v)))
}

// AtomicXor sets *p to itself exclusive-or v, bitwise, and returns what was there.
func AtomicXor[T Word](p *T, v T) T { return update(p, func(x T) T { return x ^ v }) }

// update replaces *p by f(*p) and returns what was there.
func update[T Word | Float](p *T, f func(T) T) T {
	for {
		old := load(p)
		if swap(p, old, f(old)) {
			return old
		}
	}
}

func swap[T Word | Float](p *T, old, new T) bool {
	if is32[T]() {
		return atomic.CompareAndSwapUint32(word32(p), uint32(toBits(old)), uint32(toBits(new)))
	}
	return atomic.CompareAndSwapUint64(word64(p), toBits(old), toBits(new))
}

// relax gives up the processor now and then. A loop that waits for another invocation
// reads by an atomic; with more invocations than processors it would otherwise hold one
// until the scheduler takes it away, 10 ms later. 1 in 256 makes the cost of a yield
// disappear against that of the loads.
func relax() {
	if rand.Uint32()&0xFF == 0 {
		runtime.Gosched()
	}
}
