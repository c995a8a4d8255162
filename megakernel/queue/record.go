package queue

import (
	"fmt"

	"github.com/govyre/vyre/internal/plan"
)

// Record is what a run says at its end. Pushed is Popped is Done and Faults together once nothing is
// Live. An item that was deferred and brought back counts once. Beside an error it says what the host knew before.
type Record struct {
	Pushed, Popped uint64
	Done           uint64
	Faults         uint64  // items that could not be done
	Live           uint64  // items that are left, after an error
	Peak           uint64  // most slots that were spoken for at once
	Capacity       uint64  // at the end
	ResidentBytes  uint64  // of queue and control words, at the end
	Launches       int     // whose end the host has seen
	Deferred       uint64  // items whose children did not fit at first
	Grown          int     // times that the ring was replaced by a larger one
	First          []Fault // the first faults, up to 64 of them
}

// Fault is an item that could not be done.
type Fault struct {
	Ticket uint64
	Op     uint32
	Reason uint32 // of Work.Check, or TooMany
}

func (f Fault) String() string {
	if f.Reason == TooMany {
		return fmt.Sprintf("item %d, operation %d: it creates more items than Options.Most", f.Ticket, f.Op)
	}
	return fmt.Sprintf("item %d, operation %d: reason %d", f.Ticket, f.Op, f.Reason)
}

// record is what the words of the last launch say. An item that was deferred and is back has two tickets, and was taken
// twice if it is taken.
func (q *Queue) record() Record {
	restored, deferred := q.get(wordRestored), q.get(wordDeferred)
	r := Record{
		Pushed: q.get(wordTail) - restored, Popped: q.get(wordHead) - restored - deferred,
		Done: q.get(wordDone), Faults: q.get(wordFaults), Live: q.get(wordLive),
		Peak: q.get(wordPeak), Capacity: q.plan.Capacity, ResidentBytes: q.plan.ResidentBytes,
		Launches: q.launches, Deferred: restored + deferred, Grown: q.grown,
	}
	for k := range int(min(r.Faults, Faults)) {
		what := q.get(faultList + 2*k + 1)
		r.First = append(r.First, Fault{Ticket: q.get(faultList + 2*k), Op: uint32(what), Reason: uint32(what >> 32)})
	}
	return r
}

// Sizes is how large a ring is, and Drains how launches empty it.
type (
	Sizes  = plan.Queue
	Drains = plan.Drain
)

// Plan is the size of the ring as it is now, and how launches of at most LaunchItems items empty one
// that is full, which is nothing if that is 0.
func (q *Queue) Plan() (Sizes, Drains) { return q.plan, q.drain }
