package megakernel

import (
	"slices"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// The fused program: all rounds in one cooperative launch.
//
//	waves that run before, a barrier after each group
//	loop {
//	    if one block goes on alone {
//	        it: rounds with its own barriers, until much is to be done or nothing
//	        (round, weight) = broadcast over the grid
//	    } else {
//	        for each group { bodies, all blocks; barrier }
//	        weight = sum over the grid, in the last barrier
//	    }
//	    leave if weight is 0 or the rounds are spent
//	}
//	waves that run after; the first thread writes the record
//
// Whether to go on is a sum that a barrier took, so all threads of the grid agree (VY402, VY405).

// fused is what a cooperative program takes besides the bindings, in this order.
const (
	fusedRecord = iota // the buffer of the record
	fusedTotals        // a buffer of one u64, which is 0 between launches: arcs looked at
	fusedRound         // u32: the round to begin with; 0 begins anew
	fusedLimit         // u32: the round to stop before
	fusedLast          // u32: the same, of the last slice
)

// fuser writes the fused program.
type fuser struct {
	*writer
	enter  uint32 // the greatest weight with which one block goes on alone; 0 is never
	record ir.Object
	totals ir.Object
	begun  build.Value // the round that the launch began with
	limit  build.Value

	n        *tally
	barriers *build.Var
	greatest *build.Var // items of the round that had most
	stays    *build.Var // of one block alone
	lone     *build.Var // rounds of it
	changed  *build.Var
}

// fuse builds the program of one cooperative launch.
func fuse(name string, of *frame, enter uint32) (*ir.Program, error) {
	f := &fuser{writer: newWriter(name, of), enter: enter}
	for k := range f.phases {
		f.roomFor(f.phases[k].steps...)
	}
	if s := f.lonely(); s != nil && enter > 0 {
		f.roomFor([]*step{s.stay})
	}
	f.record, f.totals = f.Buffer("record", ir.U32, ir.RW), f.Buffer("totals", ir.U64, ir.RW)
	f.begun, f.limit = f.Scalar("round", ir.U32), f.Scalar("limit", ir.U32)
	last := f.Scalar("last", ir.U32)
	zero := f.U32(0)
	f.n = f.tally()
	f.barriers, f.greatest, f.stays, f.lone, f.changed = f.Var(zero), f.Var(zero), f.Var(zero), f.Var(zero), f.Var(zero)

	f.If(f.Eq(f.begun, zero), func() { f.once(Before, zero) })
	end := f.Loop([]build.Value{f.begun, f.U32(0), f.begun}, f.round)
	round, weight := end[0], end[1]
	f.If(f.Or(f.Eq(weight, zero), f.Eq(round, last)), func() { f.once(After, round) })
	f.write(round, weight, f.sumEdges())
	return f.Program()
}

// once writes a phase outside the loop, which has the number of the round that would come next.
func (f *fuser) once(p Phase, round build.Value) {
	g := &f.phases[p]
	if len(g.steps) == 0 {
		return
	}
	f.groups(g, f.grid(), round, f.tally(), f.Var(f.U64(0)), func(bool) {
		f.GridBarrier()
		f.pass()
	})
}

// pass counts a barrier of the grid.
func (f *fuser) pass() { f.barriers.Set(f.Add(f.barriers.Get(), f.U32(1))) }

// round writes one turn of the loop: a round of all blocks, or a stay of one. arg is the round, what the one before left to
// be done, and a round that is for all blocks: the first, which begins with what no barrier has ordered, and that behind the
// last arcs.Stay, which may have done none.
func (f *fuser) round(l build.Label, arg []build.Value) {
	round, weight, all := f.Var(arg[0]), f.Var(arg[1]), f.Var(arg[2])
	if f.only(spread) != nil { // what the round before left is what it appended, also within a stay
		f.left = func(load func() build.Value) build.Value {
			n := f.Var(weight.Get())
			f.If(f.Eq(round.Get(), f.begun), func() { n.Set(load()) })
			return n.Get()
		}
	}
	together := func() {
		w := f.turn(f.grid(), round.Get(), func() { f.GridBarrier(); f.pass() }, func(mine build.Value) build.Value {
			if f.left == nil { // else the sum is at most MaxItems
				mine = f.Min(mine, f.Div(f.U32(1<<32-1), f.Mul(f.Groups(0), f.U32(f.threads))))
			}
			sum := f.Op(ir.OpBarrierAddGrid, mine)
			f.pass()
			return sum
		})
		weight.Set(w)
		round.Set(f.Add(round.Get(), f.U32(1)))
	}
	if f.enter == 0 {
		together()
	} else {
		little := f.And(f.Le(arg[1], f.U32(f.enter)), f.Ne(arg[0], arg[2]))
		f.IfElse(little, func() {
			if f.alone(round, weight); f.lonely() != nil {
				all.Set(round.Get())
			}
		}, together)
	}
	zero := f.U32(0)
	f.changed.Set(f.Or(f.changed.Get(), weight.Get()))
	f.If(f.Or(f.Eq(weight.Get(), zero), f.Eq(round.Get(), f.limit)), func() { f.Break(l, round.Get(), weight.Get(), all.Get()) })
	f.Continue(l, round.Get(), weight.Get(), all.Get())
}

// turn writes the groups of one round, with a barrier after each; the last one sums what is left to
// be done, which it returns.
func (f *fuser) turn(t team, round build.Value, barrier func(), vote func(mine build.Value) build.Value) build.Value {
	f.n.weight.Set(f.U32(0))
	sum, left := f.Var(f.U64(0)), f.Var(f.U32(0))
	g := &f.phases[EveryRound]
	f.clear(g, t, round)
	f.groups(g, t, round, f.n, sum, func(last bool) {
		if last || g.shared != nil {
			left.Set(vote(f.n.weight.Get()))
		} else {
			barrier()
		}
	})
	f.greatest.Set(f.Max(f.greatest.Get(), f.Cvt(ir.U32, f.Min(sum.Get(), f.U64(1<<32-1)))))
	return left.Get()
}

// groups writes all groups of a phase, and what ends each. Where waves share bodies the groups are turns
// of a loop, in which every end is written as the last one.
func (w *writer) groups(g *groups, t team, round build.Value, n *tally, sum *build.Var, end func(last bool)) {
	if g.shared != nil {
		w.For(w.U32(0), w.U32(uint32(len(g.steps))), w.U32(1), func(k build.Value, _ build.Label) {
			w.casts(g, k, t, round, n, sum)
			end(true)
		})
		return
	}
	for k, waves := range g.steps {
		w.group(waves, t, round, n, sum)
		end(k == len(g.steps)-1)
	}
}

// clear sets the lengths to 0 to which the round after the next one appends. Nobody uses them in this round.
func (w *writer) clear(g *groups, t team, round build.Value) {
	if g.shared != nil {
		w.clearCasts(g, t, round)
		return
	}
	done := map[int]bool{}
	for _, waves := range g.steps {
		for _, s := range waves {
			if !s.Domain.kind.lists() || done[s.length] {
				continue
			}
			done[s.length] = true
			w.If(w.Eq(t.thread, w.U32(0)), func() { w.clearList(&instance{step: s, words: w.words(s)}, round) })
		}
	}
}

// sumEdges adds up what the invocations looked at, and leaves the total as it found it. Where no wave
// counts, it is 0.
func (f *fuser) sumEdges() build.Value {
	if !f.phases[EveryRound].countEdges() {
		return f.U64(0)
	}
	// Of a block one adds: atomics of all invocations on one word took a quarter of a search that is done in five rounds.
	zero := f.U32(0)
	mine := f.Op(ir.OpBarrierAddWG, f.n.edges.Get())
	f.If(f.Eq(f.Local(0), zero), func() { f.Atomic(ir.OpAtomicAdd, f.totals, ir.Relaxed, ir.Device, zero, mine) })
	f.GridBarrier()
	f.pass()
	sum := f.Var(f.U64(0))
	f.If(f.Eq(f.Global(0), zero), func() {
		sum.Set(f.Load(f.totals, zero))
		f.Store(f.totals, zero, f.U64(0))
	})
	return sum.Get()
}

// countEdges reports whether any wave says how many arcs it looked at.
func (g *groups) countEdges() bool {
	for _, waves := range g.steps {
		for _, s := range waves {
			if slices.ContainsFunc(s.args, func(a source) bool { return a.kind == fromEdges }) {
				return true
			}
		}
	}
	return false
}

// write writes the record: what this launch counted, on top of what those before it did.
func (f *fuser) write(round, weight, edges build.Value) {
	zero := f.U32(0)
	f.If(f.Eq(f.Global(0), zero), func() {
		anew := f.Eq(f.begun, zero)
		put := func(word int, v build.Value) { f.Store(f.record, f.U32(uint32(word)), v) }
		old := func(word int) build.Value {
			return f.Select(anew, zero, f.Load(f.record, f.U32(uint32(word))))
		}
		wide := func(word int, v build.Value) {
			before := f.Or(f.Cvt(ir.U64, old(word)), f.Shl(f.Cvt(ir.U64, old(word+1)), f.U32(32)))
			v = f.Add(v, before)
			put(word, f.Cvt(ir.U32, v))
			put(word+1, f.Cvt(ir.U32, f.Shr(v, f.U32(32))))
		}
		more := func(word int, v build.Value) { put(word, f.Add(old(word), v)) }
		converged := f.Eq(weight, zero)
		put(wordMagic, f.U32(magic))
		put(wordStatus, f.Select(converged, f.U32(uint32(Converged)), f.U32(uint32(BudgetSpent))))
		// Lists that were all empty from the start make no round.
		none := f.And(f.Eq(f.n.items.Get(), f.U64(0)), anew)
		put(wordRounds, f.Select(none, zero, round))
		put(wordChanged, f.Select(f.Ne(f.Or(f.changed.Get(), old(wordChanged)), zero), f.U32(1), zero))
		put(wordFault, zero)
		put(wordFaultAt, zero)
		wide(wordItems, f.n.items.Get())
		wide(wordEdges, edges)
		more(wordBarriers, f.barriers.Get())
		more(wordTailRounds, f.lone.Get())
		more(wordTailStays, f.stays.Get())
		put(wordGreatest, f.Max(old(wordGreatest), f.greatest.Get()))
		wide(wordResults, f.n.listed.Get())
	})
}
