package timeline

import (
	"slices"
	"sync"
	"time"

	"github.com/govyre/vyre/driver/cuda/internal/pause"
	"github.com/govyre/vyre/driver/cuda/internal/primary"
	"github.com/govyre/vyre/internal/metric"
)

// Owner has memory and events that a run touches. It embeds the Submitter of the run.
type Owner interface {
	submitter() *Submitter
	// Leave gives everything back: the run is over. The context is current.
	Leave() error
	// Abandon writes everything off: it goes with the context.
	Abandon()
}

// Deferred has the owners that were given up while their run went on. What they have is released when
// that run is over.
type Deferred struct {
	gpu  *primary.Context
	mu   sync.Mutex
	held []Owner
}

// NewDeferred returns one that holds nobody.
func NewDeferred(gpu *primary.Context) *Deferred { return &Deferred{gpu: gpu} }

// Add keeps an owner until its run is over.
func (q *Deferred) Add(o Owner) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.held = append(q.held, o)
	q.gpu.Gauge(metric.DeferredBlocks, 1)
}

// Sweep gives back what owners have whose run is over. The context is current, and no lock
// is held that they may want.
func (q *Deferred) Sweep() error {
	q.mu.Lock()
	if len(q.held) == 0 {
		q.mu.Unlock()
		return nil
	}
	held := slices.Clone(q.held)
	q.mu.Unlock()
	for _, o := range held {
		if !(Run{of: o.submitter()}).Ask() || !q.remove(o) {
			continue
		}
		if err := o.Leave(); err != nil {
			return err
		}
	}
	return nil
}

// Any reports whether there are owners.
func (q *Deferred) Any() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.held) > 0
}

// starting counts the owners that are still being started.
func (q *Deferred) starting() (n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, o := range q.held {
		if o.submitter().Starting.Load() {
			n++
		}
	}
	return n
}

// notice is what those that are being started have at least to notice that they were given up, in a Close whose time is
// spent.
const notice = 100 * time.Millisecond

// Settle waits, no longer than Close does, until those that are still being started have noticed
// that they were given up. It returns how many have not.
func (q *Deferred) Settle() int {
	begin, limit := time.Now(), max(q.gpu.Patience(), min(notice, q.gpu.CloseTimeout()))
	for ; ; pause.Sleep(time.Since(begin)) {
		if n := q.starting(); n == 0 || time.Since(begin) >= limit {
			return n
		}
	}
}

// remove reports whether o was held; one of several who sweep gets it.
func (q *Deferred) remove(o Owner) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.held, o)
	if i < 0 {
		return false
	}
	q.held = slices.Delete(q.held, i, i+1)
	q.gpu.Gauge(metric.DeferredBlocks, -1)
	return true
}

// Drop writes off what is held, and goes with the context. It reports whether there is any.
func (q *Deferred) Drop(note func(error)) (held bool) {
	if !q.gpu.Lost() {
		if err := q.Sweep(); err != nil {
			note(err)
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, o := range q.held {
		o.Abandon()
	}
	q.gpu.Gauge(metric.DeferredBlocks, -int64(len(q.held)))
	held = len(q.held) > 0
	q.held = nil
	return held
}
