package cpu

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// team is a number of workers that do a step together, and then the next one. The caller is worker 0. Between steps the
// others spin, since a step may be as short as a microsecond; who has waited for long sleeps.
type team struct {
	size  int
	work  func(worker int)
	phase atomic.Uint32 // of the step that runs, or ran; counts up
	left  atomic.Int32  // workers that are not done with it
	quit  bool

	mu     sync.Mutex
	asleep atomic.Int32
	wake   *sync.Cond
	gone   sync.WaitGroup
}

// spins is how often a worker looks for the next step before it gives its core up.
const spins = 1 << 12

func newTeam(size int) *team {
	t := &team{size: size}
	t.wake = sync.NewCond(&t.mu)
	for w := 1; w < size; w++ {
		t.gone.Go(func() { t.follow(w) })
	}
	return t
}

// do has every worker call work once, and returns when all are done. What was written before is seen by all, and what they
// write by the caller.
func (t *team) do(work func(worker int)) {
	t.work = work
	t.left.Store(int32(t.size - 1))
	t.begin()
	work(0)
	for k := 0; t.left.Load() > 0; k++ {
		if k > spins {
			runtime.Gosched()
		}
	}
}

// begin tells the others that there is a step.
func (t *team) begin() {
	t.phase.Add(1)
	if t.asleep.Load() > 0 {
		t.mu.Lock()
		t.wake.Broadcast()
		t.mu.Unlock()
	}
}

// follow is what the other workers do.
func (t *team) follow(worker int) {
	for seen := uint32(0); ; seen++ {
		t.await(seen)
		if t.quit {
			return
		}
		t.work(worker)
		t.left.Add(-1)
	}
}

// await returns when the phase is another one.
func (t *team) await(seen uint32) {
	for range spins {
		if t.phase.Load() != seen {
			return
		}
	}
	for range 16 {
		if runtime.Gosched(); t.phase.Load() != seen {
			return
		}
	}
	t.mu.Lock()
	t.asleep.Add(1)
	for t.phase.Load() == seen {
		t.wake.Wait()
	}
	t.asleep.Add(-1)
	t.mu.Unlock()
}

// close ends all workers.
func (t *team) close() {
	t.quit = true
	t.begin()
	t.gone.Wait()
}
