package cuda

import (
	"context"

	"github.com/govyre/vyre/driver"
)

// runRef names one run. The zero value is one that has ended.
type runRef struct {
	s      *stream
	ticket uint64
	// of is set instead for a run that is being enqueued and was given up: nobody knows its last
	// ticket yet, and no run of the runner comes after it.
	of *runner
}

// known returns the reference with a ticket, if there is one by now.
func (ref runRef) known() (runRef, bool) {
	if ref.of == nil {
		return ref, true
	}
	if ref.of.starting.Load() {
		return ref, false
	}
	return runRef{s: ref.of.stream, ticket: ref.of.ticket.Load()}, true
}

func (ref runRef) Ended() bool {
	ref, ok := ref.known()
	return ok && (ref.s == nil || ref.s.over(ref.ticket))
}

// ask is Ended after the driver was asked, if need be. The context is current.
func (ref runRef) ask() bool {
	ref, ok := ref.known()
	if !ok {
		return false
	}
	if ref.Ended() {
		return true
	}
	if err := ref.s.ask(); err != nil {
		_ = ref.s.dev.Fail(ref.s.dev.gpu.ErrorOf("wait", "", err)) // nobody waits for the run; the device counts it
	}
	return ref.Ended()
}

// history is what a buffer knows of the runs that touch it: the last one that writes, and those
// that read since. A Start has the gate until all of its run is enqueued, alone if the run
// writes; so whoever gets in finds every run of the history in its stream.
type history struct {
	gate
	writer  runRef
	readers [sharers]runRef
	taken   [sharers]*runner // whose Start shares the gate
	by      *runner          // whose Start has it alone
}

// place is where a run enters the history of a buffer.
type place struct {
	h      *history
	writes bool
	reader int // index in readers
}

// lock enters a history for a run of r and appends to deps the unfinished runs on other
// streams that the run has to come after. A reader for whom there is no free place displaces
// another one, and comes after it: who waits for the new one then waits for both.
func (h *history) lock(ctx context.Context, r *runner, writes bool, deps []runRef) (place, []runRef, error) {
	if err := h.gate.lock(ctx, r.quit, writes); err != nil {
		return place{}, deps, err
	}
	s := r.stream
	h.mu.Lock()
	defer h.mu.Unlock()
	add := func(ref runRef) {
		if ref.s != s && !ref.Ended() {
			deps = append(deps, ref)
		}
	}
	add(h.writer)
	if writes {
		for _, ref := range h.readers {
			add(ref)
		}
		h.by = r
		return place{h: h, writes: true}, deps, nil
	}
	at := -1
	for i, ref := range h.readers {
		free := ref.s == s || ref.Ended()
		if h.taken[i] == nil && (at < 0 || free) {
			if at = i; free {
				break
			}
		}
	}
	add(h.readers[at])
	h.taken[at] = r
	return place{h: h, reader: at}, deps, nil
}

// unlock leaves the history with a run that was enqueued, or that ended while failing; the zero
// run leaves it as it was.
func (p place) unlock(run runRef) {
	h := p.h
	h.mu.Lock()
	if p.writes {
		h.by = nil
		if run.s != nil {
			h.writer, h.readers = run, [sharers]runRef{}
		}
	} else {
		if run.s != nil {
			h.readers[p.reader] = run
		}
		h.taken[p.reader] = nil
	}
	h.leave(p.writes)
	h.mu.Unlock()
}

// unfinished returns the runs that touch the buffer and are not known to have ended. No sequence
// refers to the buffer any more, so a Start that is under way was given up.
func (h *history) unfinished() []runRef {
	h.mu.Lock()
	defer h.mu.Unlock()
	var runs []runRef
	for _, r := range append(h.readers[:], h.writer) {
		if !r.Ended() {
			runs = append(runs, r)
		}
	}
	for _, r := range append(h.taken[:], h.by) {
		if r != nil {
			runs = append(runs, runRef{of: r})
		}
	}
	return runs
}

// lock enters the histories of all buffers that the run uses. They ascend by ID, so that two
// runs that start together cannot block each other. It returns the context's error if that ends
// first, with no history entered.
func (r *runner) lock(ctx context.Context, uses []driver.Use) error {
	r.places = r.places[:0]
	for _, u := range uses {
		p, deps, err := u.Buffer.(*buffer).history.lock(ctx, r, u.Writes, r.deps)
		if err != nil {
			r.unlock(runRef{})
			return err
		}
		r.places, r.deps = append(r.places, p), deps
	}
	return nil
}

// unlock leaves them.
func (r *runner) unlock(run runRef) {
	for _, p := range r.places {
		p.unlock(run)
	}
}
