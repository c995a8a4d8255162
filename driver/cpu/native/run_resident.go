package native

import (
	"sync"
	"sync/atomic"

	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/ir"
)

// maxState bounds the frames of groups that are alive at once.
const maxState = 2 << 30

// resident runs a launch whose groups are all alive at once: rounds in which each group runs until it has ended, waits for
// the grid, or has run for long. Workers meet between rounds, where barriers of the grid are passed.
func (l *launch) resident(workers int) {
	one := int64(l.k.f.layout.group.size) + int64(l.k.f.layout.vectors)*int64(l.k.f.layout.stride()) + int64(l.shared)
	if need := float64(l.total) * float64(one); need > maxState {
		l.err = &interp.StateError{Kernel: l.k.p.Name(), Groups: l.total, Need: int64(need), Limit: maxState}
		return
	}
	groups := make([]worker, l.total)
	states := make([]status, l.total)
	for i := range groups {
		groups[i] = worker{l: l, frame: l.k.take()}
		defer l.k.give(groups[i].frame)
		groups[i].begin(uint64(i))
		groups[i].start()
	}
	for !l.stop.Load() {
		l.round(groups, states, workers)
		if l.stop.Load() || !groups[0].alive() || !l.meet(groups, states) {
			return
		}
	}
}

// begin gives a worker's frame to a group.
func (w *worker) begin(g uint64) {
	l := w.l
	l.k.prepare(w.frame, l)
	w.group = g
	w.id = [3]uint32{uint32(g % uint64(l.grid[0])), uint32(g / uint64(l.grid[0]) % uint64(l.grid[1])), uint32(g / uint64(l.grid[0]) / uint64(l.grid[1]))}
	l.k.place(w.frame, w.id)
}

func (l *launch) round(groups []worker, states []status, workers int) {
	var next atomic.Int64
	run := func() {
		for i := next.Add(1) - 1; int(i) < len(groups); i = next.Add(1) - 1 {
			if states[i] != ended && states[i] != atGrid {
				states[i] = groups[i].advance()
			}
		}
	}
	var all sync.WaitGroup
	for range workers - 1 {
		all.Go(run)
	}
	run()
	all.Wait()
}

// meet passes a barrier that all groups have reached. It returns false if the launch is over.
func (l *launch) meet(groups []worker, states []status) bool {
	var count [atGrid + 1]int
	for _, s := range states {
		count[s]++
	}
	switch {
	case count[polled] > 0:
		return true
	case count[atGrid] < len(groups):
		if count[atGrid] > 0 {
			l.fail(groups[0].torn())
		}
		return false
	}
	p, r := l.k.p, groups[0].vector(0).row()
	t := p.Type(r)
	out := groups[0].vote()
	for i := range groups[1:] {
		if op, ok := votes[p.Op(r)]; ok && t != ir.None {
			out = combineVotes(op, t, out, groups[i+1].vote())
		}
	}
	for i := range groups {
		groups[i].release(out)
		states[i] = running
	}
	return true
}
