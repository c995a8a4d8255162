package gpu

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"unsafe"
)

// warpSize is the number of lanes of a full warp on every device.
const warpSize = 32

// group is one running workgroup.
//
// It counts the invocations that cannot go on by themselves. The one that brings the
// count to the size of the group knows that nobody in it runs, so a barrier that is
// still incomplete will stay so: that is how a missed barrier becomes a message
// instead of a hang.
type group struct {
	run   *run
	id    Vec3
	size  uint32
	slot  int // index in run.live, handed back when the group has ended
	inv   []invocation
	all   meet   // of the whole group
	warps []meet // one each

	// Low word: invocations that wait or have returned; high word: those that have returned.
	idle atomic.Uint64

	shared atomic.Pointer[sharedArray] // first of the list that Shared walks
	rest   atomic.Pointer[sharedArray] // SharedRest
}

// invocation is one run of the kernel, on a goroutine of its own.
type invocation struct {
	group    *group
	local    Vec3
	linear   uint32
	at       site // of the last barrier or subgroup op; written under the lock of its meet
	returned atomic.Bool
	unwound  bool // ends because the run has failed, not by itself
	arrays   int  // number of Shared calls made
	restUsed bool
	next     *atomic.Pointer[sharedArray] // where the next Shared call looks
	copies   []pending
	batches  uint32 // of copies, closed
}

func newGroup(r *run, id Vec3, slot int) *group {
	n := r.size.X * r.size.Y * r.size.Z
	g := &group{run: r, id: id, size: n, slot: slot, inv: make([]invocation, n), warps: make([]meet, (n+warpSize-1)/warpSize)}
	g.all.init(n)
	for w := range g.warps {
		g.warps[w].init(min(warpSize, n-uint32(w)*warpSize))
	}
	var at Vec3
	for l := range g.inv {
		i := &g.inv[l]
		i.group, i.local, i.linear, i.next = g, at, uint32(l), &g.shared
		if at.X++; at.X == r.size.X {
			at.X = 0
			if at.Y++; at.Y == r.size.Y {
				at.Y = 0
				at.Z++
			}
		}
	}
	return g
}

// start runs the group; the calling goroutine becomes invocation 0.
func (g *group) start() {
	for l := 1; l < len(g.inv); l++ {
		go g.inv[l].start()
	}
	g.inv[0].start()
}

// place is the group's number in the grid, x fastest.
func (g *group) place() uint64 {
	n := g.run.groups
	return uint64(g.id.X) + uint64(n.X)*(uint64(g.id.Y)+uint64(n.Y)*uint64(g.id.Z))
}

func (i *invocation) lane() uint32 { return i.linear % warpSize }

func (i *invocation) warp() *meet { return &i.group.warps[i.linear/warpSize] }

func (i *invocation) start() {
	finished := false
	defer func() {
		if !finished && !i.unwound {
			if v := recover(); v != nil {
				i.group.run.fail(&kernelPanic{i.group.id, i.local, v, debug.Stack()})
			} else {
				i.group.run.fail(nil) // runtime.Goexit, as by testing's FailNow
			}
		}
		i.end()
	}()
	i.group.run.kernel(Thread{i})
	if len(i.copies) > 0 {
		panic("gpu: CopyAsync: an invocation has returned without waiting for its copies; call CopyCommit and CopyWait(t, 0)")
	}
	finished = true
}

// unwind ends the goroutine, running its deferred calls; no recover of the kernel can stop it.
func (i *invocation) unwind() {
	i.unwound = true
	runtime.Goexit()
}

// end is the last thing an invocation does.
func (i *invocation) end() {
	g := i.group
	i.returned.Store(true)
	publish(unsafe.Pointer(&g.run.edge))
	hide()
	n := g.idle.Add(1<<32 | 1)
	show()
	switch {
	case uint32(n>>32) == g.size:
		g.run.grid.leave(g)
		hide()
		g.run.free <- g.slot
		show()
	case uint32(n) == g.size:
		g.stalled()
	}
}

// wait counts the caller as waiting, and reports whether that leaves nobody running.
func (g *group) wait() bool {
	hide()
	n := g.idle.Add(1)
	show()
	return uint32(n) == g.size
}

// resume takes back the count of n invocations that will run again.
func (g *group) resume(n uint32) {
	hide()
	g.idle.Add(-uint64(n))
	show()
}

// stalled is called by the one invocation that found nobody running. Either all wait at
// one barrier of the grid, which other groups may still complete, or nothing ever will.
func (g *group) stalled() {
	if g.run.stopped.Load() { // those who unwind were counted twice, as waiting and as returned
		return
	}
	g.all.mu.Lock()
	together := g.all.full()
	g.all.mu.Unlock()
	if together {
		g.run.grid.arrive(g)
		return
	}
	g.run.fail(g.misuse())
}

// stop wakes everybody who waits; the run has failed, so they unwind.
func (g *group) stop() {
	g.all.stop()
	for w := range g.warps {
		g.warps[w].stop()
	}
}
