package opt

import (
	"slices"

	"github.com/govyre/vyre/ir"
)

// barrier removes barriers and fences that order nothing. Where no access that others could notice lies
// between two of them on any way of control, around loops too, the weaker one goes if the other one comes by
// whenever it does: looking ahead for one after it, then back for one in front. The start and the end of
// the kernel are the like of a barrier of the group, after and in front of all accesses.
//
// A barrier of the grid is removed only for another one: it makes the launch cooperative, which the host and
// waiting groups rely on. A barrier with a vote stays while the vote has a use. A fence goes next to a
// barrier whose invocations are all that it is about; none but another one stands for a sequentially
// consistent fence.
//
// Removing a barrier for one in front of it joins two of the runs of rows in which the verifier looks for writes that
// meet a load. Where it found loads equal among invocations, both must stand in one run of rows, so that there
// is no way from the one that does not come by the other.
//
// Each way is walked until the state at loop heads stays as it is, maxOrderRounds times at most. O(rows).
func barrier(w *work) {
	b := &ordering{w: w, head: make([]order, len(w.Regions)), end: make([]order, len(w.Regions)), entry: make([]order, len(w.Regions))}
	if !b.survey() {
		return
	}
	b.solve(b.ahead)
	b.solve(b.back)
}

// order is how strong what lies between a place and the accesses nearest to it is: the scope of the strongest
// barrier, then of the fences, of which a barrier is one too.
type order struct{ barrier, acqRel, seqCst uint8 }

// The strengths: 0 for none, then by scope.
const (
	warpWide, groupWide, gridWide     = 1, 2, 3
	groupFence, deviceFence, sysFence = 1, 2, 3
)

// edge is the order at both ends of the kernel, and all where control does not come.
var (
	edge = order{groupWide, sysFence, 0}
	all  = order{gridWide, sysFence, sysFence}
)

func (a order) weakest(b order) order {
	return order{min(a.barrier, b.barrier), min(a.acqRel, b.acqRel), min(a.seqCst, b.seqCst)}
}

func (a order) strongest(b order) order {
	return order{max(a.barrier, b.barrier), max(a.acqRel, b.acqRel), max(a.seqCst, b.seqCst)}
}

// covers reports whether a is at least as strong as the barrier or fence that b is of.
func (a order) covers(b order, barrier bool) bool {
	switch {
	case barrier:
		return a.barrier >= b.barrier
	case b.seqCst > 0:
		return a.seqCst >= b.seqCst
	}
	return a.acqRel >= b.acqRel
}

type ordering struct {
	w       *work
	settled bool // loads from what is written are equal among invocations
	grids   int  // barriers of the grid

	head  []order // by first region of a loop: at the start of a round
	end   []order // by first region of an op: after it
	entry []order // by first region of an if: in front of it

	changed   bool
	round     int
	redundant []ir.Row // what goes if the state stays as it is
}

// maxOrderRounds bounds the walks in each direction; after quietOrderRounds a head that still changes is
// taken to be next to an access.
const (
	maxOrderRounds   = 10
	quietOrderRounds = 3
)

// survey reports whether there is anything to remove.
func (b *ordering) survey() bool {
	w := b.w
	if !slices.ContainsFunc(w.memory, func(r ir.Row) bool { return !w.gone[r] && w.info(r).Attr&(ir.Barrier|ir.Fence) != 0 }) {
		return false
	}
	for it := w.rows(); it.step(); {
		if it.at != atRow {
			continue
		}
		r := it.row
		in := w.info(r)
		if in.Attr&ir.Barrier != 0 && in.Level == ir.LevelGrid {
			b.grids++
		}
		if in.Spread == ir.SpreadLoad && w.seen(r) && w.level[r] < w.varying {
			b.settled = true
		}
	}
	return true
}

// seen reports whether other invocations could tell when row r runs.
func (w *work) seen(r ir.Row) bool {
	in := w.info(r)
	if w.copies(r) {
		return true
	}
	if in.Attr&(ir.Reads|ir.Writes|ir.Atomic|ir.Traps|ir.Unordered) == 0 || in.Attr&(ir.Barrier|ir.Fence) != 0 {
		return false
	}
	if in.Imm != ir.ImmObject {
		return true
	}
	o := w.objs[w.X[r]]
	return !o.Local() && !o.ReadOnly()
}

// gives returns the order that row r makes, if it is a barrier or fence.
func (w *work) gives(r ir.Row) (o order, barrier, ok bool) {
	in := w.info(r)
	switch {
	case w.copies(r): // what they do orders nothing for others
	case in.Attr&ir.Barrier != 0 && in.Level == ir.LevelFirst: // it stays, and is no barrier to the other groups
	case in.Attr&ir.Barrier != 0:
		o.barrier = [...]uint8{ir.LevelGrid: gridWide, ir.LevelGroup: groupWide, ir.LevelWarp: warpWide}[in.Level]
		o.acqRel = [...]uint8{warpWide: 0, groupWide: groupFence, gridWide: deviceFence}[o.barrier]
		return o, true, true
	case in.Attr&ir.Fence != 0:
		o.acqRel = groupFence + uint8(w.Flags[r].Scope()-ir.Group)
		if w.Flags[r].Order() == ir.SeqCst {
			o.seqCst = o.acqRel
		}
		return o, false, true
	}
	return o, false, false
}

// solve walks until the state at heads of loops stays, then removes what is redundant. Before that the walks
// take too much for sure, so one that is given up removes nothing.
func (b *ordering) solve(walk func()) {
	w := b.w
	for i := range b.head {
		b.head[i] = all
	}
	for b.round, b.changed = 0, true; b.changed; b.round++ {
		if b.round == maxOrderRounds {
			return
		}
		b.changed, b.redundant = false, b.redundant[:0]
		walk()
	}
	for _, r := range b.redundant {
		in := w.info(r)
		if in.Level == ir.LevelGrid && in.Attr&ir.Barrier != 0 {
			if b.grids == 1 && !w.must(checkCooperative, false) {
				continue
			}
			b.grids--
		}
		w.remove(r)
		w.hit(in.Name)
	}
}

// lower takes note of a way to the head of the loop with that body.
func (b *ordering) lower(body uint32, o order) {
	low := b.head[body].weakest(o)
	if low == b.head[body] || b.w.must(checkBackEdge, false) {
		return
	}
	if b.round >= quietOrderRounds {
		low = order{}
	}
	b.head[body], b.changed = low, true
}

// step returns the state on the other side of row r, and takes note of r if it is redundant. alone says that it
// must not be removed.
func (b *ordering) step(r ir.Row, now order, alone bool) order {
	w := b.w
	w.visits++
	o, barrier, ok := w.gives(r)
	switch {
	case ok && w.must(checkStrength, now.covers(o, barrier)) && w.uses[r] == 0 && !(alone && barrier):
		b.redundant = append(b.redundant, r)
	case ok:
		return now.strongest(o)
	case w.seen(r) && !w.must(checkSeen, false):
		return order{}
	}
	return now
}

// ends is the state at an end of the kernel.
func (b *ordering) ends() order {
	if b.w.must(checkCooperative, false) {
		return all
	}
	return edge
}
