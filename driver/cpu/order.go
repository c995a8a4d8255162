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

// enter puts a run into the history and appends to deps the runs it has to wait for.
func (h *history) enter(run runRef, writes bool, deps []runRef) []runRef {
	if !h.writer.ended() && h.writer.r != run.r {
		deps = append(deps, h.writer)
	}
	live := h.readers[:0]
	for _, r := range h.readers {
		if !r.ended() && r.r != run.r {
			live = append(live, r)
		}
	}
	clear(h.readers[len(live):])
	if !writes {
		h.readers = append(live, run)
		return deps
	}
	deps = append(deps, live...)
	clear(h.readers)
	h.writer, h.readers = run, h.readers[:0]
	return deps
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
