package gpu

import (
	"fmt"
	"math"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/govyre/vyre/internal/matrix"
)

// Grid says how many invocations Run starts and how they are grouped. A plain function knows nothing of its workgroup, so
// both counts are here; a launch of a compiled kernel takes a vyre.Grid, which counts groups alone.
type Grid struct {
	Groups      Vec3 // groups of the grid; a Y or Z of 0 means 1, an X of 0 runs nothing
	Group       Vec3 // invocations of a group, at most 1024; a Y or Z of 0 means 1
	SharedRest  int  // elements of the array that SharedRest returns
	Cooperative bool // run all groups at once, which grid barriers need
	// Matrix names the hardware by whose rule products of float matrices are computed, such as sm_75. Empty is sm_90.
	Matrix string
}

// Run runs kernel once for every invocation of the grid, each on a goroutine of its
// own, and returns when all have. Groups run in parallel up to GOMAXPROCS, in no
// particular order; all at once in a cooperative grid.
//
// Run panics if the grid exceeds the limits of a launch, if an invocation panics (with
// its group and local id, after all other invocations have ended), and if a barrier or
// subgroup op is reached by some members of its scope but cannot be by all (with the
// counts and positions). If an invocation leaves by runtime.Goexit, so does the caller of Run.
//
// After a failure Run waits for the invocations that are not at a barrier. If some do not
// end within a second, because they spin on an atomic that nobody will set, it panics
// with the failure all the same, says so, and leaves them running.
//
// Under the race detector Run reports the races of the kernel. The detector bounds the
// goroutines of a process at 8128, so a larger cooperative grid panics there.
func Run(g Grid, kernel func(Thread)) {
	g = g.checked()
	if g.Groups.X == 0 {
		return
	}
	r := &run{
		kernel: kernel, size: g.Group, groups: g.Groups, sharedRest: g.SharedRest, cooperative: g.Cooperative,
		halt: make(chan struct{}), matrix: matrix.SM90,
	}
	if g.Matrix != "" {
		var err error
		if r.matrix, err = matrix.ParseGeneration(g.Matrix); err != nil {
			panic("gpu: Run: " + err.Error())
		}
	}
	slots := g.parallel()
	r.free = make(chan int, slots)
	r.live = make([]atomic.Pointer[group], slots)
	for s := range slots {
		r.free <- s
	}
	if r.cooperative {
		r.startAll()
	} else {
		r.startEach()
	}
	stuck := r.drain()
	observe(unsafe.Pointer(&r.edge))
	if r.failed.Load() {
		r.raise(stuck)
	}
}

// run is the state of one call of Run.
type run struct {
	kernel       func(Thread)
	size, groups Vec3
	sharedRest   int
	cooperative  bool
	matrix       matrix.Generation
	grid         gridMeet

	free chan int                // slots of groups that may start; all of them when none runs
	live []atomic.Pointer[group] // the group that was last started in each slot
	edge byte                    // address at which invocations publish to the return of Run

	failed  atomic.Bool   // the first failure takes it
	failure error         // nil after a Goexit; read when failed and halted
	stopped atomic.Bool   // everybody unwinds
	halt    chan struct{} // closed then
}

// parallel returns how many groups run at once.
func (g Grid) parallel() int {
	size := int(g.Group.X * g.Group.Y * g.Group.Z)
	groups := uint64(g.Groups.X) * uint64(g.Groups.Y) * uint64(g.Groups.Z)
	if g.Cooperative {
		if maxGoroutines > 0 && groups*uint64(size) > maxGoroutines {
			panic(fmt.Sprintf("gpu: Run: a cooperative grid of %d invocations; the race detector allows %d at once", groups*uint64(size), maxGoroutines))
		}
		return int(groups)
	}
	n := runtime.GOMAXPROCS(0)
	if maxGoroutines > 0 {
		n = min(n, maxGoroutines/2/size)
	}
	return int(min(uint64(max(n, 1)), groups))
}

// startAll starts a cooperative grid. Every group exists before the first one runs, so
// that a grid barrier knows whom to wait for.
func (r *run) startAll() {
	r.each(func(id Vec3) bool {
		r.grid.groups = append(r.grid.groups, newGroup(r, id, <-r.free))
		return true
	})
	for _, g := range r.grid.groups {
		r.live[g.slot].Store(g)
	}
	for _, g := range r.grid.groups {
		go g.start()
	}
}

// startEach starts a group whenever a slot is free, until all have run or one has failed.
func (r *run) startEach() {
	r.each(func(id Vec3) bool {
		slot := 0
		hide() // groups that follow each other in a slot are not ordered
		select {
		case slot = <-r.free:
		case <-r.halt:
			slot = -1
		}
		show()
		if slot < 0 {
			return false
		}
		g := newGroup(r, id, slot)
		r.live[slot].Store(g)
		if r.stopped.Load() { // fail may have looked at the slot before the group was there
			r.free <- slot
			return false
		}
		go g.start()
		return true
	})
}

// each calls start with the id of every group, x fastest, until it returns false.
func (r *run) each(start func(id Vec3) bool) {
	for z := range r.groups.Z {
		for y := range r.groups.Y {
			for x := range r.groups.X {
				if !start(Vec3{x, y, z}) {
					return
				}
			}
		}
	}
}

// grace is how long Run waits, after a failure, for invocations that are not at a
// barrier. One that spins on an atomic which the failed invocation would have set never
// ends; reporting the failure is worth more than waiting for it.
const grace = time.Second

// drain waits until no group runs. It returns the number of groups that it gave up on.
func (r *run) drain() int {
	halt := r.halt
	var late <-chan time.Time
	for n := range cap(r.free) {
		for held := false; !held; {
			select {
			case <-r.free:
				held = true
			case <-halt:
				halt, late = nil, time.After(grace)
			case <-late:
				return cap(r.free) - n
			}
		}
	}
	return 0
}

// fail records the first failure and makes everybody unwind. A nil err stands for a Goexit.
func (r *run) fail(err error) {
	if !r.failed.CompareAndSwap(false, true) {
		return
	}
	r.failure = err
	r.stopped.Store(true)
	for s := range r.live {
		if g := r.live[s].Load(); g != nil {
			g.stop()
		}
	}
	close(r.halt)
}

// raise ends Run the way the kernel ended.
func (r *run) raise(stuck int) {
	<-r.halt
	switch {
	case r.failure == nil:
		runtime.Goexit()
	case stuck > 0:
		panic(fmt.Errorf("%w\n\ninvocations of %d groups have not ended and still run: they wait for no barrier", r.failure, stuck))
	default:
		panic(r.failure)
	}
}

// checked returns g with the defaults filled in. It panics where a launch is refused on every device.
func (g Grid) checked() Grid {
	if g.Group.X == 0 {
		panic("gpu: Run: Grid.Group.X is 0; say how many invocations a group has")
	}
	for _, v := range []*Vec3{&g.Groups, &g.Group} {
		v.Y, v.Z = max(v.Y, 1), max(v.Z, 1)
	}
	s, n := g.Group, g.Groups
	if s.X > 1024 || s.Y > 1024 || s.Z > 64 || uint64(s.X)*uint64(s.Y)*uint64(s.Z) > 1024 {
		panic(fmt.Sprintf("gpu: Run: group of %d×%d×%d exceeds 1024 invocations, or 64 along z", s.X, s.Y, s.Z))
	}
	if n.X > math.MaxInt32 || n.Y > math.MaxUint16 || n.Z > math.MaxUint16 {
		panic(fmt.Sprintf("gpu: Run: grid of %d×%d×%d groups exceeds %d along x or %d along y or z", n.X, n.Y, n.Z, math.MaxInt32, math.MaxUint16))
	}
	for _, axis := range [3]struct {
		name      string
		groups, s uint32
	}{{"x", n.X, s.X}, {"y", n.Y, s.Y}, {"z", n.Z, s.Z}} {
		if all := uint64(axis.groups) * uint64(axis.s); all > 1<<32 {
			panic(fmt.Sprintf("gpu: Run: %d invocations along %s; a global id fits 32 bits, so 2³² at most", all, axis.name))
		}
	}
	if g.SharedRest < 0 {
		panic(fmt.Sprintf("gpu: Run: Grid.SharedRest is %d", g.SharedRest))
	}
	return g
}
