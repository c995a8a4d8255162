package megakernel

import (
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// The launched forms: one program for every group, which the host or the device launches round after
// round. What the fused program carries in values stands in control words here. The workgroup of a
// round's last group that ends last does what one thread of the fused program does: it counts,
// clears, advances the round and says whether to go on. Programs that find the run over return, so
// rounds that were enqueued beyond the end do nothing.

// Control words, all u32. Pairs hold the halves of a u64.
const (
	ctlGo      = iota // 1 while rounds go on: what a While tests
	ctlRound          // the round that runs
	ctlLimit          // the round to stop before
	ctlLast           // the same, of the last slice
	ctlArrived        // workgroups of the round's last group that have ended
	ctlWeight         // 1 if the round leaves anything to be done
	ctlOver           // 1 when no slice will follow
	ctlItems          // items of the round
	ctlItemsHigh
	ctlListed // those of lists
	ctlListedHigh
	ctlEdges // of the round, which are fewer than 1<<32
	ctlWords = 12
)

// launcher writes the programs of the launched forms.
type launcher struct {
	*writer
	ctl    ir.Object
	record ir.Object
}

func newLauncher(name string, f *frame) *launcher {
	l := &launcher{writer: newWriter(name, f)}
	l.ctl, l.record = l.Buffer("control", ir.U32, ir.RW), l.Buffer("record", ir.U32, ir.RW)
	return l
}

func (l *launcher) read(word int) build.Value {
	return l.Atomic(ir.OpAtomicLoad, l.ctl, ir.Relaxed, ir.Device, l.U32(uint32(word)))
}

func (l *launcher) set(word int, v build.Value) {
	l.Atomic(ir.OpAtomicStore, l.ctl, ir.Relaxed, ir.Device, l.U32(uint32(word)), v)
}

// beginProgram builds the program that one thread runs first. Its scalars are those of the fused program.
func beginProgram(name string) (*ir.Program, error) {
	b := build.New(name, build.Workgroup(1))
	ctl, record := b.Buffer("control", ir.U32, ir.RW), b.Buffer("record", ir.U32, ir.RW)
	round, limit, last := b.Scalar("round", ir.U32), b.Scalar("limit", ir.U32), b.Scalar("last", ir.U32)
	values := [ctlWords]build.Value{ctlGo: b.U32(1), ctlRound: round, ctlLimit: limit, ctlLast: last}
	for word, v := range values {
		if word > ctlLast {
			v = b.U32(0)
		}
		b.Store(ctl, b.U32(uint32(word)), v)
	}
	b.If(b.Eq(round, b.U32(0)), func() {
		for word := range uint32(recordWords) {
			b.Store(record, b.U32(word), b.U32(0))
		}
	})
	return b.Program()
}

// launched builds the program of group k of a phase. Where waves share bodies there is one for all groups,
// which takes the number of the group as its last argument.
func launched(name string, f *frame, p Phase, k int) (*ir.Program, error) {
	g := &f.phases[p]
	l := newLauncher(fmt.Sprintf("%s.%v.%d", name, p, k), f)
	l.roomFor(g.steps[k])
	last := l.Bool(k == len(g.steps)-1)
	write := func(n *tally) { l.group(g.steps[k], l.grid(), l.read(ctlRound), n, l.Var(l.U64(0))) }
	if g.shared != nil {
		l.roomFor(g.steps...)
		group := l.Scalar("group", ir.U32)
		last = l.Eq(group, l.U32(uint32(len(g.steps)-1)))
		write = func(n *tally) { l.casts(g, group, l.grid(), l.read(ctlRound), n, l.Var(l.U64(0))) }
	}
	switch p {
	case EveryRound:
		l.unless(ctlGo)
		l.part(last, write)
	case After:
		l.unless(ctlOver)
		write(l.tally())
	default:
		write(l.tally())
	}
	return l.Program()
}

// unless returns where a control word is 0, in all of a workgroup.
func (l *launcher) unless(word int) {
	l.If(l.Eq(l.Op(ir.OpBarrierBcastWG, l.read(word)), l.U32(0)), func() { l.Return() })
}

// wide adds to a u64 in two words.
func (w *writer) wide(o ir.Object, word int, v build.Value) {
	low, high := w.U32(uint32(word)), w.U32(uint32(word+1))
	v = w.Add(v, w.Or(w.Cvt(ir.U64, w.Load(o, low)), w.Shl(w.Cvt(ir.U64, w.Load(o, high)), w.U32(32))))
	w.Store(o, low, w.Cvt(ir.U32, v))
	w.Store(o, high, w.Cvt(ir.U32, w.Shr(v, w.U32(32))))
}

// part writes one group of a round, and what ends the round behind the last one.
func (l *launcher) part(last build.Value, write func(n *tally)) {
	zero, n := l.U32(0), l.tally()
	round := l.read(ctlRound)
	write(n)
	// Of a block one tells both, in one sum: how many invocations leave something to be done above what they looked at.
	some := l.Select(l.Ne(n.weight.Get(), zero), l.U64(1<<32), l.U64(0))
	sum := l.Op(ir.OpBarrierAddWG, l.Add(some, l.And(n.edges.Get(), l.U64(1<<32-1))))
	l.If(l.Eq(l.Local(0), zero), func() {
		l.If(l.Ne(l.Cvt(ir.U32, l.Shr(sum, l.U32(32))), zero), func() {
			l.Atomic(ir.OpAtomicOr, l.ctl, ir.Relaxed, ir.Device, l.U32(ctlWeight), l.U32(1))
		})
		edges := l.Cvt(ir.U32, sum)
		l.If(l.Ne(edges, zero), func() {
			l.Atomic(ir.OpAtomicAdd, l.ctl, ir.Relaxed, ir.Device, l.U32(ctlEdges), edges)
		})
	})
	l.If(l.Eq(l.Global(0), zero), func() {
		l.wide(l.ctl, ctlItems, n.items.Get())
		l.wide(l.ctl, ctlListed, n.listed.Get())
	})
	l.If(last, func() {
		l.Barrier()
		l.If(l.Eq(l.Local(0), zero), func() {
			before := l.AtomicAdd(l.ctl, l.U32(ctlArrived), l.U32(1), ir.AcqRel, ir.Device)
			l.If(l.Eq(before, l.Sub(l.Groups(0), l.U32(1))), func() { l.finish(round) })
		})
	})
}

// finish writes what the last thread of a round does.
func (l *launcher) finish(round build.Value) {
	zero := l.U32(0)
	weight := l.read(ctlWeight)
	next := l.Add(round, l.U32(1))
	l.clear(&l.phases[EveryRound], team{thread: zero}, round)
	over := l.Or(l.Eq(weight, zero), l.Eq(next, l.read(ctlLast)))
	l.count(round, next, weight)
	for _, word := range []int{ctlArrived, ctlWeight, ctlItems, ctlItemsHigh, ctlListed, ctlListedHigh, ctlEdges} {
		l.set(word, zero)
	}
	l.set(ctlRound, next)
	l.set(ctlOver, l.Select(over, l.U32(1), zero))
	l.If(l.Or(over, l.Eq(next, l.read(ctlLimit))), func() { l.set(ctlGo, zero) })
}

// count brings the record up to date.
func (l *launcher) count(round, next, weight build.Value) {
	zero := l.U32(0)
	put := func(word int, v build.Value) { l.Store(l.record, l.U32(uint32(word)), v) }
	old := func(word int) build.Value { return l.Load(l.record, l.U32(uint32(word))) }
	pair := func(word int) build.Value {
		return l.Or(l.Cvt(ir.U64, l.read(word)), l.Shl(l.Cvt(ir.U64, l.read(word+1)), l.U32(32)))
	}
	items := pair(ctlItems)
	none := l.And(l.Eq(items, l.U64(0)), l.Eq(round, zero))
	put(wordMagic, l.U32(magic))
	put(wordStatus, l.Select(l.Eq(weight, zero), l.U32(uint32(Converged)), l.U32(uint32(BudgetSpent))))
	put(wordRounds, l.Select(none, zero, next))
	put(wordChanged, l.Or(old(wordChanged), weight))
	l.wide(l.record, wordItems, items)
	l.wide(l.record, wordEdges, l.Cvt(ir.U64, l.read(ctlEdges)))
	put(wordGreatest, l.Max(old(wordGreatest), l.Cvt(ir.U32, l.Min(items, l.U64(1<<32-1)))))
	l.wide(l.record, wordResults, pair(ctlListed))
}
