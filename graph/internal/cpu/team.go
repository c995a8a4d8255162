package cpu

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/govyre/vyre/internal/guard"
)

// cacheLine keeps apart what different cores write. Some fetch lines in pairs.
const cacheLine = 128

// team is a number of workers that do steps together. The caller is worker 0 and begins at once; who comes later takes a share
// of what is left, and nobody waits for who does not come: a step is over when the caller finds no more work in it, and who did
// come is done. So a step must deal its work out, by chunks.
//
// Workers look for the next step for a while, since it may follow after a microsecond, and the next call after a few, and then
// end: nothing has to be closed.
type team struct {
	size int
	work func(worker int)
	_    [cacheLine]byte
	step atomic.Uint64 // the number of the step, and in its low bits how many workers may come: 0 when it is over
	_    [cacheLine]byte
	here atomic.Int32 // workers beside the caller that have not ended
	_    [cacheLine]byte
	each []member // worker 0 has none

	failed atomic.Pointer[guard.Panic] // what the first worker of the step panicked with
}

// member is a worker beside the caller.
type member struct {
	inside  atomic.Bool // it may be at work
	started atomic.Bool // and has not ended
	_       [cacheLine]byte
}

const (
	memberBits = 16 // of a step
	spins      = 1 << 11
	// lingers is how long a worker looks for the next step, giving its core to others in between. To start a sleeping core
	// takes some ten microseconds, sixteen of them one after the other.
	lingers = 200 * time.Microsecond
)

func newTeam(size int) *team {
	return &team{size: min(size, 1<<memberBits-1), each: make([]member, size)}
}

// do has the caller call work, and up to so many other workers, each once, at the same time. It returns when all of them are
// done. What was written before is seen by all, and what they write by the caller. If work panics on any of them, do does.
func (t *team) do(others int, work func(worker int)) {
	others = min(others, t.size-1)
	if others <= 0 {
		work(0)
		return
	}
	if int(t.here.Load()) < others {
		t.start(others)
	}
	t.work = work
	now := (t.step.Load()>>memberBits + 1) << memberBits
	t.step.Store(now | uint64(others+1))
	defer t.over(now, others)
	work(0)
}

// over ends a step when who came is done.
func (t *team) over(now uint64, others int) {
	t.step.Store(now)
	// A worker says that it is inside before it looks whether the step is over: one of the two is seen.
	for w := 1; w <= others; w++ {
		for k := 0; t.each[w].inside.Load(); k++ {
			if k > spins {
				runtime.Gosched()
			}
		}
	}
	if p := t.failed.Swap(nil); p != nil {
		panic(p)
	}
}

// start starts workers that have ended.
func (t *team) start(others int) {
	for w := 1; w <= others; w++ {
		if m := &t.each[w]; !m.started.Load() {
			m.started.Store(true)
			t.here.Add(1)
			guard.Go(func() { t.follow(w) }, func(p *guard.Panic) { panic(p) }) // it panics in no step
		}
	}
}

// follow is what a worker beside the caller does.
func (t *team) follow(worker int) {
	m := &t.each[worker]
	for seen := uint64(0); ; {
		now := t.await(uint64(worker), seen)
		if now == 0 {
			t.here.Add(-1)
			m.started.Store(false)
			return
		}
		m.inside.Store(true)
		if t.step.Load() == now {
			if p := guard.Run(func() { t.work(worker) }); p != nil {
				t.failed.CompareAndSwap(nil, p)
			}
		}
		m.inside.Store(false)
		seen = now
	}
}

// await returns a step that the worker may come to, but the one it has seen; 0 if there is none for a while.
func (t *team) await(worker, seen uint64) uint64 {
	for began := (time.Time{}); ; {
		for range spins {
			if now := t.step.Load(); now&(1<<memberBits-1) > worker && now != seen {
				return now
			}
		}
		if began.IsZero() {
			began = time.Now()
		} else if time.Since(began) > lingers {
			return 0
		}
		runtime.Gosched()
	}
}
