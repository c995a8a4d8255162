package interp

import (
	"maps"
	"slices"

	"github.com/govyre/vyre/ir"
)

// voteOp is the pure op that combines the votes of a barrier. A broadcast has none: it
// hands out what the first invocation brought.
var voteOp = map[ir.Op]ir.Op{
	ir.OpBarrierAnyWG: ir.OpOr, ir.OpBarrierAnyGrid: ir.OpOr,
	ir.OpBarrierAllWG: ir.OpAnd, ir.OpBarrierAllGrid: ir.OpAnd,
	ir.OpBarrierAddWG: ir.OpAdd, ir.OpBarrierAddGrid: ir.OpAdd, ir.OpBarrierAddFirst: ir.OpAdd,
}

// arrive brings w to the barrier in, with the vote of its lanes. It returns false, and
// ends the launch, if lanes are missing.
func (x *worker) arrive(w *warp, in *instr, live uint32) bool {
	if live != w.all {
		w.wait = in
		x.fail(x.barrierError(w.g, w.all&^live))
		w.status = interrupted
		return false
	}
	x.trickle(w)
	if in.kind == doBarrierWarp {
		return true
	}
	g := w.g
	w.wait = in
	vote := uint64(0)
	if in.a != noSlot {
		v := w.at(in.a)
		vote = v[0]
		if in.fn != nil {
			for _, b := range v[1:w.n] {
				vote = in.fn(in.t, 0, vote, b, 0)
			}
		}
	}
	switch {
	case g.waiting == 0:
		g.meeting, g.vote = in, vote
	case g.meeting != in:
		g.torn = true
	case in.fn != nil:
		g.vote = in.fn(in.t, 0, g.vote, vote, 0)
	case w.index == 0:
		g.vote = vote
	}
	g.waiting++
	return true
}

// arriveGroup reports whether the group barrier that w has reached is complete; if so,
// it hands out the result.
func (x *worker) arriveGroup(g *group, w *warp) bool {
	if g.waiting < len(g.warps) || g.torn {
		return false
	}
	g.release(g.vote)
	g.phase++
	x.groupBarriers++
	if x.det != nil {
		x.det.passGroupBarrier(g)
	}
	return true
}

// arriveFirst reports whether the barrier of first groups at which g may wait is complete; if so, it hands out the
// result, and the other groups run on. All groups are this worker's: see bind.
func (x *worker) arriveFirst(g *group) bool {
	if g.waiting < len(g.warps) || g.torn {
		return false
	}
	in := g.meeting
	x.firsts = append(x.firsts, g)
	var there, rest []*group
	for _, f := range x.firsts {
		if f.meeting == in {
			there = append(there, f)
		} else {
			rest = append(rest, f)
		}
	}
	if uint64(len(there)) < min(uint64(in.x), x.total) {
		return false
	}
	x.firsts = rest
	vote := there[0].vote
	for _, f := range there[1:] {
		if in.fn != nil {
			vote = in.fn(in.t, 0, vote, f.vote, 0)
		}
	}
	for _, f := range there {
		f.release(vote)
		f.phase++
		if f != g {
			f.wake(x.o.Schedule.order)
			x.woken = append(x.woken, f)
		}
	}
	if x.det != nil {
		x.det.passFirstBarrier(there)
	}
	return true
}

// release gives every warp of g the outcome of the barrier it waits at.
func (g *group) release(outcome uint64) {
	in := g.meeting
	for i := range g.warps {
		w := &g.warps[i]
		w.wait = nil
		w.phase++
		if in.dst >= 0 {
			fill(w.at(in.dst), outcome)
		}
	}
	g.waiting, g.meeting = 0, nil
}

// passWarpBarrier orders the lanes of w, which are at one place anyway.
func (x *worker) passWarpBarrier(w *warp) {
	w.phase++
	if x.det != nil {
		x.det.passWarpBarrier(w)
	}
}

// meetGrid is called when no warp of the worker is ready. If all wait at one grid
// barrier it meets the other workers there and wakes the groups; otherwise nothing can
// go on, and it ends the launch. It returns false if the launch is over.
func (x *worker) meetGrid() bool {
	var in *instr
	var vote uint64
	leads := false
	for i, g := range x.live {
		if g.waiting < len(g.warps) || g.torn || g.meeting.kind != doBarrierGrid || i > 0 && g.meeting != in {
			x.fail(x.barrierError(g, 0))
			return false
		}
		switch {
		case i == 0:
			in, vote = g.meeting, g.vote
		case in.fn != nil:
			vote = in.fn(in.t, 0, vote, g.vote, 0)
		case g.id == 0:
			vote = g.vote
		}
		leads = leads || g.id == 0
	}
	if len(x.live) < x.begun { // a group of this worker has ended without the barrier
		x.fail(x.barrierError(x.live[0], 0))
		return false
	}
	outcome, how := x.meet.arrive(in, vote, leads)
	switch how {
	case mismatched:
		x.fail(x.barrierError(x.live[0], 0))
		return false
	case abandoned:
		return false
	}
	clear(x.past)
	for _, g := range x.live {
		g.release(outcome)
		g.phase++
		g.wake(x.o.Schedule.order)
		x.active = append(x.active, g)
	}
	if x.det != nil {
		x.det.passGridBarrier(x.live)
	}
	return true
}

// barrierError describes who waits where, in group g and, at a grid barrier, in all
// groups of this worker.
func (x *worker) barrierError(g *group, absent uint32) error {
	e := &BarrierError{Kernel: x.k.p.Name(), Group: g.at, Absent: absent}
	groups := []*group{g}
	if x.coop {
		groups = x.live
	}
	count := map[ir.Row]int{}
	for _, g := range groups {
		for i := range g.warps {
			switch w := &g.warps[i]; {
			case w.wait != nil:
				count[w.wait.row]++
			case w.status == ended:
				e.Ended++
			}
		}
	}
	e.Ended += len(g.warps) * max(0, x.begun-len(x.live))
	for _, r := range slices.Sorted(maps.Keys(count)) {
		e.Waits = append(e.Waits, Wait{Row: r, Pos: x.k.p.Pos(r), Warps: count[r]})
	}
	return e
}
