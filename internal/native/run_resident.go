package native

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/ir"
)

// residents are the groups of a launch that are all alive at once, and where they wait for each other. Each member of the
// team has its share of the groups: it runs each until that has ended, waits for others, or has run for long, and again.
// A member whose groups all wait sleeps until a barrier is complete.
type residents struct {
	groups   []resident
	barriers []barrier // by Kernel.barriers
	members  int

	events  atomic.Uint32 // barriers completed; changes with mu held
	changed sync.Cond     // of mu: events changed, or the launch is over
	asleep  int           // members that wait for a barrier to be completed; with mu held
	gone    int           // members whose groups have ended; with mu held
}

// resident is a group with a frame of its own.
type resident struct {
	worker
	state status
	at    *barrier // where it waits, if it does
	round uint32   // of that barrier, when it came
}

// barrier is one row at which groups wait for each other. Groups come there with mu held.
type barrier struct {
	arrived uint64
	vote    uint64
	outcome uint64        // of the last round; nobody is in the next one before all have read it
	round   atomic.Uint32 // rounds completed
}

// resident runs a launch whose groups are all alive at once: on this goroutine while rounds are short, then on several.
func (l *flight) resident(workers int) {
	one := int64(l.k.f.layout.group.size) + int64(l.k.f.layout.frames)*int64(l.k.f.layout.stride()) + int64(l.shared)
	if need := float64(l.total) * float64(one); need > launch.DefaultMaxState {
		l.err = &launch.StateError{Kernel: l.k.p.Name(), Groups: l.total, Need: int64(need), Limit: launch.DefaultMaxState}
		return
	}
	l.begin()
	if l.members = 1; l.alone(workers > 1) {
		l.members = workers
		l.call(workers, 0)
		l.share(0)
		l.all.Wait()
	}
	for i := range l.groups {
		l.k.give(l.groups[i].frame)
	}
}

// begin gives each group a frame, and sets all barriers back.
func (l *flight) begin() {
	if n := int(l.total); n > cap(l.groups) {
		l.groups = make([]resident, n)
	} else {
		l.groups = l.groups[:n]
	}
	if l.barriers == nil {
		l.barriers = make([]barrier, len(l.k.barriers))
	}
	for i := range l.barriers {
		l.barriers[i].arrived = 0 // a launch that was ended leaves some behind
	}
	l.asleep, l.gone = 0, 0
	for i := range l.groups {
		g := &l.groups[i]
		*g = resident{worker: worker{l: l, frame: l.k.take()}}
		g.worker.begin(uint64(i))
		g.start()
	}
}

// alone runs all groups here. It returns true, with all of them between two turns, when others should help.
func (l *flight) alone(helped bool) bool {
	for {
		begin := time.Now()
		switch l.turn(0, 1) {
		case nothing:
			l.fail(l.torn())
			return false
		case over:
			return false
		}
		if helped && (l.o.Helped || time.Since(begin) > smallTime) {
			return true
		}
	}
}

// share runs a member's groups until they have ended, or the launch has.
func (l *flight) share(first int) {
	for {
		seen := l.events.Load()
		switch l.turn(first, l.members) {
		case nothing:
			if !l.sleep(seen) {
				return
			}
		case over:
			l.leave()
			return
		}
	}
}

// progress is what a turn did.
type progress uint8

const (
	some    progress = iota
	nothing          // all groups that have not ended wait
	over             // all have ended, or the launch has
)

// turn lets every step-th group go on that can.
func (l *flight) turn(first, step int) progress {
	did := over
	for i := first; i < len(l.groups); i += step {
		g := &l.groups[i]
		if l.stop.Load() {
			return over
		}
		if g.at != nil && g.at.round.Load() != g.round {
			g.release(g.at.outcome)
			g.at, g.state = nil, running
		}
		if g.state == ended {
			continue
		}
		if g.at != nil {
			if did == over {
				did = nothing
			}
			continue
		}
		g.state, did = g.advance(), some
		switch g.state {
		case atGrid:
			l.arrive(g)
		case polled:
			runtime.Gosched()
		}
	}
	return did
}

// arrive brings a group to the barrier that all of its vectors wait at. A group beyond the first ones that a barrier is
// of goes on, with a sum of nothing.
func (l *flight) arrive(g *resident) {
	p, r := l.k.p, g.vector(0).row()
	op, need := p.Op(r), l.total
	if op.Info().Level == ir.LevelFirst {
		if need = min(need, uint64(p.X(r))); g.group >= uint64(p.X(r)) {
			g.release(0)
			g.state = running
			return
		}
	}
	vote := g.vote()
	l.mu.Lock()
	defer l.mu.Unlock()
	b := &l.barriers[l.k.barriers[r]]
	g.at, g.round = b, b.round.Load()
	with, combined := votes[op]
	switch {
	case b.arrived > 0 && combined:
		b.vote = combineVotes(with, p.Type(r), b.vote, vote)
	case b.arrived == 0, g.group == 0: // a broadcast is the first group's
		b.vote = vote
	}
	if b.arrived++; b.arrived == need {
		b.arrived, b.outcome = 0, b.vote
		b.round.Add(1)
		l.events.Add(1)
		l.asleep = 0
		l.changed.Broadcast()
	}
}

// How long a member that waits looks for a barrier to be completed before it sleeps: a few microseconds, which is less than
// sleeping and waking take. It lets other goroutines run in between.
const (
	looks  = 300
	yields = 8
)

// sleep waits until a barrier has been completed since seen was read. It returns false if the launch is over.
func (l *flight) sleep(seen uint32) bool {
	for range yields {
		for range looks {
			if l.events.Load() != seen {
				return true
			}
		}
		runtime.Gosched()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.events.Load() != seen {
		return true
	}
	for l.asleep++; l.events.Load() == seen && !l.stop.Load(); l.changed.Wait() {
		if l.asleep+l.gone == l.members {
			l.end(l.torn())
		}
	}
	return !l.stop.Load()
}

// leave says that a member's groups have ended.
func (l *flight) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gone++; l.gone+l.asleep == l.members {
		l.changed.Broadcast()
	}
}

// torn is the error of a barrier to which not all groups come.
func (l *flight) torn() error {
	for i := range l.groups {
		if g := &l.groups[i]; g.state != ended {
			return g.torn()
		}
	}
	return l.groups[0].torn()
}
