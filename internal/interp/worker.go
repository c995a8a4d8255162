package interp

import (
	"math/rand/v2"
	"runtime"

	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/ir"
)

// pollRows is how many rows a worker runs between two looks at the context: a millisecond or two.
const pollRows = 1 << 13

// worker runs groups on one goroutine. It owns their state.
type worker struct {
	*flight
	index  int
	begun  int      // groups of a cooperative launch
	states []*group // the first len(live) are in use
	live   []*group // groups that have begun and not ended
	active []*group // those that have a ready warp
	firsts []*group // those that wait at a barrier of first groups
	woken  []*group // those that another one has woken there, to become active
	left   int      // rows until the next look at context and budget

	rows, laneRows uint64
	groupBarriers  uint64
	outOfBounds    uint64

	past  map[element]past // of elements that loads which may be stale read; nil where these give what is there
	rng   *rand.PCG
	lanes [32]uint8 // of the memory op that runs, in the order of the schedule
	det   *detector // nil without detectors
}

// reset prepares the worker for a launch.
func (x *worker) reset(index int) {
	x.index, x.begun, x.left = index, 0, 0
	x.rows, x.laneRows, x.groupBarriers, x.outOfBounds = 0, 0, 0, 0
	x.live, x.active, x.firsts, x.woken = x.live[:0], x.active[:0], x.firsts[:0], x.woken[:0]
	for _, g := range x.states {
		x.rebind(g)
	}
	if x.o.Schedule.order == drawn {
		x.rng = seeded(x.o.Schedule.seed, 2)
	}
	x.resetPast()
	x.resetDetector()
}

// drive runs the worker's share of the grid to its end, or until the launch fails.
func (x *worker) drive() {
	defer func() { x.budget.Add(int64(max(x.left, 0))) }() // for workers that have more to do
	if x.coop {
		n := uint64(x.meet.workers)
		for i, end := x.share(n); i < end; i++ {
			if !x.admit(x.pick.at(i)) {
				return
			}
		}
		x.begun = len(x.live)
	} else {
		for range x.window() {
			if !x.admitNext() {
				break
			}
		}
	}
	for len(x.live) > 0 && !x.stop.Load() {
		x.advance()
		if x.stop.Load() {
			return
		}
		if len(x.live) > 0 && !x.meetGrid() {
			return
		}
	}
	if x.coop && !x.stop.Load() {
		x.meet.leave()
	}
}

// share returns the worker's share of a cooperative grid, as numbers of the order in
// which groups start.
func (x *worker) share(workers uint64) (first, end uint64) {
	n, i := x.total, uint64(x.index)
	return n/workers*i + min(i, n%workers), n/workers*(i+1) + min(i+1, n%workers)
}

// claim accounts for n bytes of state; false if the launch may not have them.
func (x *worker) claim(n int64) bool {
	used := x.stateUsed.Add(n)
	if used <= x.o.MaxState {
		return true
	}
	x.fail(&launch.StateError{Kernel: x.k.p.Name(), Groups: uint64(len(x.live)), Need: used, Limit: x.o.MaxState})
	return false
}

// admit starts group id in a state of its own.
func (x *worker) admit(id uint64) bool {
	if len(x.live) == len(x.states) {
		x.states = append(x.states, x.newGroup())
	}
	if !x.claim(x.groupBytes()) {
		return false
	}
	g := x.states[len(x.live)]
	x.live = append(x.live, g)
	x.active = append(x.active, g)
	x.start(g, id)
	return true
}

// admitNext starts the next group of the grid that no worker has taken.
func (x *worker) admitNext() bool {
	i := x.next.Add(1) - 1
	return i < x.total && x.admit(x.pick.at(i))
}

// replace starts the next group of the grid in the state of g, which has ended.
func (x *worker) replace(g *group) bool {
	if !x.coop {
		if i := x.next.Add(1) - 1; i < x.total {
			x.start(g, x.pick.at(i))
			return true
		}
	}
	return false
}

// advance runs warps until none is ready.
func (x *worker) advance() {
	if x.o.Schedule.order == drawn {
		x.advanceDrawn()
		return
	}
	for len(x.active) > 0 {
		kept := x.active[:0]
		for _, g := range x.active {
			if !x.turn(g, len(x.active) == 1) {
				return
			}
			if len(g.ready) > 0 || x.ended(g) && x.replace(g) {
				kept = append(kept, g)
			}
		}
		x.active = kept
		x.activate()
	}
	x.forgetEnded()
}

// turn gives every ready warp of g one unit, in the order in which they are listed.
// It returns false if the launch is over.
func (x *worker) turn(g *group, alone bool) bool {
	kept := g.ready[:0]
	alone = alone && len(g.ready) == 1
	released := false
	for _, w := range g.ready {
		switch x.unit(w, alone) {
		case ready:
			kept = append(kept, w)
		case atGroup:
			released = x.arriveGroup(g, w)
		case atFirst:
			released = x.arriveFirst(g)
		case atGrid:
			// The worker meets the others when no warp is ready.
		case ended:
			g.ended++
		case interrupted:
			return false
		}
	}
	g.ready = kept
	if released {
		g.wake(x.o.Schedule.order)
	}
	return true
}

// activate lets the groups that were woken run.
func (x *worker) activate() {
	x.active = append(x.active, x.woken...)
	x.woken = x.woken[:0]
}

// advanceDrawn is advance where the schedule draws every warp from its stream.
func (x *worker) advanceDrawn() {
	for len(x.active) > 0 {
		i := x.draw(len(x.active))
		g := x.active[i]
		j := x.draw(len(g.ready))
		w := g.ready[j]
		s := x.unit(w, len(x.active) == 1 && len(g.ready) == 1)
		if s == ready {
			continue
		}
		if s == interrupted {
			return
		}
		last := len(g.ready) - 1
		g.ready[j] = g.ready[last]
		g.ready = g.ready[:last]
		switch {
		case s == ended:
			g.ended++
		case s == atGroup && x.arriveGroup(g, w), s == atFirst && x.arriveFirst(g):
			g.wake(ascending)
		}
		if len(g.ready) == 0 && !(x.ended(g) && x.replace(g)) {
			last := len(x.active) - 1
			x.active[i] = x.active[last]
			x.active = x.active[:last]
		}
		x.activate()
	}
	x.forgetEnded()
}

// draw returns a number below n from the schedule's stream.
func (x *worker) draw(n int) int {
	if n == 1 {
		return 0
	}
	return int(x.rng.Uint64() >> 32 * uint64(n) >> 32)
}

func (x *worker) ended(g *group) bool { return g.ended == len(g.warps) }

// forgetEnded drops groups that have ended from the live ones, keeping their states
// behind the live ones.
func (x *worker) forgetEnded() {
	n := 0
	for i, g := range x.live {
		if !x.ended(g) {
			x.live[n], x.live[i] = g, x.live[n]
			x.states[n], x.states[i] = g, x.states[n]
			n++
		}
	}
	x.live = x.live[:n]
}

// unit runs w for one unit of the schedule; a warp that is the only one alive on this
// worker goes on until it waits, ends or has to look at the context.
func (x *worker) unit(w *warp, alone bool) status {
	if x.left <= 0 && !x.refill(w) {
		return interrupted
	}
	most := x.left
	if !alone {
		most = min(most, unitRows)
	}
	x.left -= x.step(w, most, alone)
	return w.status
}

// refill takes the next rows from the launch's budget; false if the launch is over.
func (x *worker) refill(w *warp) bool {
	if x.stop.Load() {
		return false
	}
	runtime.Gosched() // a group may spin until another worker's group has run, and whoever ends the context has to run, too
	if err := x.ctx.Err(); err != nil {
		x.fail(&launch.CanceledError{Kernel: x.k.p.Name(), Rows: x.rows, Err: err})
		return false
	}
	for {
		has := x.budget.Load()
		n := min(has, pollRows)
		if n <= 0 {
			x.fail(x.budgetError(w))
			return false
		}
		if x.budget.CompareAndSwap(has, has-n) {
			x.left = int(n)
			return true
		}
	}
}

// budgetError describes where w stands.
func (x *worker) budgetError(w *warp) error {
	p := x.k.p
	in := &x.code[w.pc]
	lane := firstLane(stuck(w, in))
	e := &BudgetError{Kernel: p.Name(), Budget: x.o.Budget, Row: in.row, Pos: p.Pos(in.row), By: x.invocation(w, lane)}
	// The end of a loop stands for the loop's own row, which lies outside the body.
	if e.Loop = in.row; in.kind != doEndLoop {
		e.Loop = x.k.shape.loopAround(in.row)
	}
	if e.Loop == ir.NoRow {
		return e
	}
	e.LoopPos = p.Pos(e.Loop)
	first, end := x.k.shape.args(e.Loop)
	for r := first; r < end; r++ {
		e.Carried = append(e.Carried, Carried{Name: p.ValueName(r), Type: p.Type(r), Bits: w.at(x.k.slotOf[r])[lane]})
	}
	return e
}

// stuck returns the lanes that w is about: those that run the next instruction, or, at
// the end of a region, those that wait there.
func stuck(w *warp, in *instr) uint32 {
	switch {
	case in.kind == doEndLoop && w.frames[in.depth].again != 0:
		return w.frames[in.depth].again
	case w.live != 0:
		return w.live
	}
	return w.all
}

// invocation names a lane of w.
func (x *worker) invocation(w *warp, lane int) launch.Invocation {
	return launch.Invocation{Group: w.g.at, Local: launch.Local(uint32(32*w.index+lane), x.k.size)}
}
