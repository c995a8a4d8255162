package gpu

import (
	"fmt"
	"sync/atomic"
)

// sharedArray is one array of a group, in the list of them.
type sharedArray struct {
	data  any // []T
	n     int
	first site // of the call that made it
	next  atomic.Pointer[sharedArray]
}

// Shared returns an array of n elements that all invocations of the group share. The
// k-th call of an invocation names the same array in all of them, so it stands in
// straight-line code at the top of the kernel, and n is a constant. T is a scalar, a struct or an array.
// On a device the array holds undefined data at first; natively it is zero.
func Shared[T any](t Thread, n int) []T {
	i := t.inv
	if n < 1 {
		panic(fmt.Sprintf("gpu: Shared of %d elements; a shared array has at least one", n))
	}
	i.arrays++
	a := shared[T](i, i.next, "Shared", n)
	i.next = &a.next
	return a.data.([]T)
}

// SharedRest returns the one shared array whose length comes with the launch: Grid.SharedRest
// elements. A kernel calls it at most once. T is a scalar: the compiler refuses others, since a struct in shared memory is
// an array for each of its fields, and only one array may be last.
func SharedRest[T any](t Thread) []T {
	i := t.inv
	if i.restUsed {
		panic("gpu: SharedRest called twice by one invocation; keep the slice of the first call")
	}
	i.restUsed = true
	return shared[T](i, &i.group.rest, "SharedRest", i.group.run.sharedRest).data.([]T)
}

// shared returns the array in place p, making it if the caller is the first. The first
// is found without a lock: a lock would order every invocation after those before it,
// and hide their races.
func shared[T any](i *invocation, p *atomic.Pointer[sharedArray], op string, n int) *sharedArray {
	a := p.Load()
	if a == nil {
		a = &sharedArray{data: make([]T, n), n: n, first: site{op: op, pc: callSite()}}
		if !p.CompareAndSwap(nil, a) {
			a = p.Load()
		}
	}
	if _, ok := a.data.([]T); !ok || a.n != n {
		panic(fmt.Sprintf("gpu: %v (call %d of this invocation) wants a %T of %d, but %v made a %T of %d",
			site{op: op, pc: callSite()}, i.arrays, []T(nil), n, a.first, a.data, a.n))
	}
	return a
}
