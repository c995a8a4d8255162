package cuda

import (
	"sync"

	"github.com/govyre/vyre/driver"
)

// runRef names one run: the serial'th of a runner.
type runRef struct {
	r      *runner
	serial uint64
}

func (ref runRef) ended() bool { return ref.r == nil || ref.r.ended.Load() >= ref.serial }

// history is what a buffer knows of the runs that touch it: the last one that writes, and
// those that read since. Its lock is held by a Start until all of the run is enqueued, so
// whoever has it finds every run of the history in its stream.
type history struct {
	mu      sync.Mutex
	writer  runRef
	readers []runRef
}

// conflicts appends to deps the unfinished runs of others that a run has to come after.
func (h *history) conflicts(r *runner, writes bool, deps []runRef) []runRef {
	if !h.writer.ended() && h.writer.r != r {
		deps = append(deps, h.writer)
	}
	if writes {
		for _, o := range h.readers {
			if !o.ended() && o.r != r {
				deps = append(deps, o)
			}
		}
	}
	return deps
}

// enter puts a run that was enqueued into the history.
func (h *history) enter(run runRef, writes bool) {
	live := h.readers[:0]
	if !writes {
		for _, o := range h.readers {
			if !o.ended() && o.r != run.r {
				live = append(live, o)
			}
		}
		live = append(live, run)
	}
	clear(h.readers[min(len(live), len(h.readers)):])
	h.readers = live
	if writes {
		h.writer = run
	}
}

// inFlight reports whether a run that touches the buffer has not ended.
func (h *history) inFlight() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, o := range h.readers {
		if !o.ended() {
			return true
		}
	}
	return !h.writer.ended()
}

// lock locks the histories of all buffers that a plan uses. Uses ascend by ID, so that two
// runs that start together cannot block each other.
func lock(uses []driver.Use) {
	for _, u := range uses {
		u.Buffer.(*buffer).history.mu.Lock()
	}
}

func unlock(uses []driver.Use) {
	for _, u := range uses {
		u.Buffer.(*buffer).history.mu.Unlock()
	}
}
