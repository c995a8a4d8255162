package cpu

import (
	"sync"

	"github.com/govyre/vyre/driver"
)

// runRef names one run. Serials are of the device: of two runs that come one after the other, the later one has the larger.
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
	deps = h.writer.before(r, deps)
	if writes {
		for _, ref := range h.readers {
			deps = ref.before(r, deps)
		}
	}
	return deps
}

// before appends the run to deps unless it has ended; one that was ended while it waited for others
// leaves them to those after it. These are earlier ones, so that this comes to an end.
func (ref runRef) before(r *runner, deps []runRef) []runRef {
	switch {
	case ref.r == r:
	case !ref.ended():
		return append(deps, ref)
	case ref.r != nil:
		if left := ref.r.left.Load(); left != nil {
			for _, dep := range *left {
				if dep.serial < ref.serial {
					deps = dep.before(r, deps)
				}
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
