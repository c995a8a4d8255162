package timeline

import "context"

// Hazards is what a buffer knows of the runs that touch it: the last one that writes, and those
// that read since. A Start has the gate until all of its run is enqueued, alone if the run
// writes; so whoever gets in finds every one of these runs in its stream.
type Hazards struct {
	gate    Gate
	writer  Run
	readers [sharers]Run
	taken   [sharers]*Submitter // whose Start shares the gate
	by      *Submitter          // whose Start has it alone
	turns   []*Turn             // with other libraries; a slice is not changed once it is here
}

// place is where a run enters the hazards of a buffer.
type place struct {
	h      *Hazards
	writes bool
	reader int // index in readers
}

// lock enters the hazards for a run of b and appends to deps the unfinished runs on other
// streams that the run has to come after. A reader for whom there is no free place displaces
// another one, and comes after it: who waits for the new one then waits for both.
func (h *Hazards) lock(ctx context.Context, b *Submitter, writes bool, deps []Run) (place, []Run, error) {
	if err := h.gate.Lock(ctx, b.Quit, writes); err != nil {
		return place{}, deps, err
	}
	s := b.Stream
	h.gate.mu.Lock()
	defer h.gate.mu.Unlock()
	if h.turns != nil {
		b.turns = append(b.turns, h.turns...)
	}
	add := func(ref Run) {
		if ref.Stream != s && !ref.Ended() {
			deps = append(deps, ref)
		}
	}
	add(h.writer)
	if writes {
		for _, ref := range h.readers {
			add(ref)
		}
		h.by = b
		return place{h: h, writes: true}, deps, nil
	}
	at := -1
	for i, ref := range h.readers {
		free := ref.Stream == s || ref.Ended()
		if h.taken[i] == nil && (at < 0 || free) {
			if at = i; free {
				break
			}
		}
	}
	add(h.readers[at])
	h.taken[at] = b
	return place{h: h, reader: at}, deps, nil
}

// unlock leaves the hazards with a run that was enqueued, or that ended while failing; the zero
// run leaves it as it was.
func (p place) unlock(run Run) {
	h := p.h
	h.gate.mu.Lock()
	if p.writes {
		h.by = nil
		if run.Stream != nil {
			h.writer, h.readers = run, [sharers]Run{}
		}
	} else {
		if run.Stream != nil {
			h.readers[p.reader] = run
		}
		h.taken[p.reader] = nil
	}
	h.gate.leave(p.writes)
	h.gate.mu.Unlock()
}

// Unfinished returns the runs that touch the buffer and are not known to have ended. No sequence
// refers to the buffer any more, so a Start that is under way was given up.
func (h *Hazards) Unfinished() []Run {
	h.gate.mu.Lock()
	defer h.gate.mu.Unlock()
	var runs []Run
	for _, r := range append(h.readers[:], h.writer) {
		if !r.Ended() {
			runs = append(runs, r)
		}
	}
	for _, b := range append(h.taken[:], h.by) {
		if b != nil {
			runs = append(runs, Run{of: b})
		}
	}
	return runs
}
