package cpu

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
// those that read since. A run waits for earlier ones only, so waiting cannot go in circles.
type history struct {
	mu      sync.Mutex
	writer  runRef
	readers []runRef
}

// before appends to deps the runs that a run of r has to wait for.
func (h *history) before(r *runner, writes bool, deps []runRef) []runRef {
	if !h.writer.ended() && h.writer.r != r {
		deps = append(deps, h.writer)
	}
	if writes {
		for _, ref := range h.readers {
			if !ref.ended() && ref.r != r {
				deps = append(deps, ref)
			}
		}
	}
	return deps
}

// enter puts a run into the history.
func (h *history) enter(run runRef, writes bool) {
	if writes {
		clear(h.readers)
		h.writer, h.readers = run, h.readers[:0]
		return
	}
	live := h.readers[:0]
	for _, ref := range h.readers {
		if !ref.ended() && ref.r != run.r {
			live = append(live, ref)
		}
	}
	clear(h.readers[len(live):])
	h.readers = append(live, run)
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
