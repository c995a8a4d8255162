package cuda

import (
	"slices"
	"sync"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/pause"
)

// quarantine has the runners that were given up while their run went on. What they own, staging,
// records and events, goes back when that run is over.
type quarantine struct {
	dev  *Device
	mu   sync.Mutex
	held []*runner
}

func (q *quarantine) add(r *runner) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.held = append(q.held, r)
	q.dev.Gauge(driver.Quarantined, 1)
}

// sweep gives back what runners have whose run is over. The context is current, and no lock
// is held that they may want.
func (q *quarantine) sweep() error {
	q.mu.Lock()
	if len(q.held) == 0 {
		q.mu.Unlock()
		return nil
	}
	held := slices.Clone(q.held)
	q.mu.Unlock()
	for _, r := range held {
		if !(runRef{of: r}).ask() || !q.remove(r) {
			continue
		}
		if err := r.leave(); err != nil {
			return err
		}
	}
	return nil
}

// any reports whether there are runners.
func (q *quarantine) any() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.held) > 0
}

// starting counts the runners that are still being started.
func (q *quarantine) starting() (n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, r := range q.held {
		if r.starting.Load() {
			n++
		}
	}
	return n
}

// settle waits, no longer than Close does, until those that are still being started have noticed
// that they were given up. It returns how many have not.
func (q *quarantine) settle() int {
	for begin := time.Now(); ; {
		n, passed := q.starting(), time.Since(begin)
		if n == 0 || passed >= q.dev.CloseTimeout() {
			return n
		}
		pause.Sleep(passed)
	}
}

// remove reports whether r was held; one of several who sweep gets it.
func (q *quarantine) remove(r *runner) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.held, r)
	if i < 0 {
		return false
	}
	q.held = slices.Delete(q.held, i, i+1)
	q.dev.Gauge(driver.Quarantined, -1)
	return true
}

// drop writes off what is held, and goes with the context. It reports whether there is any.
func (q *quarantine) drop(note func(error)) (held bool) {
	if !q.dev.gpu.Lost() {
		if err := q.sweep(); err != nil {
			note(err)
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, r := range q.held {
		r.abandon()
	}
	q.dev.Gauge(driver.Quarantined, -int64(len(q.held)))
	held = len(q.held) > 0
	q.held = nil
	return held
}
