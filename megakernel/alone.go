package megakernel

import (
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/megakernel/arcs"
)

// Rounds in which little is to be done need few threads, and the barriers of a block cost less than
// those of the grid. So one block goes on alone then; the others wait at one barrier for a whole stay.

// alonePart is by how much the weight with which all blocks come back is greater than that with which
// one goes on alone. The distance keeps a run from going to and fro.
const alonePart = 4

// always is a weight with which one block goes on alone whatever is to be done.
const always = 1<<32 - 1

// enter is the greatest weight with which one block goes on alone; 0 is never.
func (p *Plan) enter() uint32 {
	switch p.o.Tail {
	case TailNever:
		return 0
	case TailAlways:
		return p.most()
	}
	if p.o.TailEnter != 0 {
		return min(p.o.TailEnter, p.most())
	}
	return min(p.threads/4, p.most())
}

// many is the greatest weight with which one block stays alone.
func (f *fuser) many() uint32 { return uint32(min(alonePart*uint64(f.enter), uint64(f.most()))) }

// most is the greatest weight that the form for one block alone allows.
func (f *frame) most() uint32 {
	if s := f.lonely(); s != nil && s.Stay.Most > 0 {
		return s.Stay.Most
	}
	return always
}

// only returns the wave of every round if it is the only one and has a domain of the kind.
func (f *frame) only(kind domainKind) *step {
	g := f.phases[EveryRound].steps
	if len(g) == 1 && len(g[0]) == 1 && g[0][0].Domain.kind == kind {
		return g[0][0]
	}
	return nil
}

// lonely returns the wave whose form for one block alone the rounds have, if they have one.
func (f *frame) lonely() *step {
	if s := f.only(spread); s != nil && s.stay != nil {
		return s
	}
	return nil
}

// alone writes a stay of one block.
func (f *fuser) alone(round, weight *build.Var) {
	body := f.turnsAlone
	if s := f.lonely(); s != nil {
		body = func(round, weight *build.Var) { f.stayAlone(s, round, weight) }
	}
	f.If(f.Eq(f.Group(0), f.U32(0)), func() { body(round, weight) })
	f.comeBack(round, weight)
}

// turnsAlone writes rounds of one block, made of the bodies of the waves.
func (f *fuser) turnsAlone(round, weight *build.Var) {
	f.Loop(nil, func(l build.Label, _ []build.Value) {
		w := f.turn(f.one(), round.Get(), f.Barrier, func(mine build.Value) build.Value {
			return f.Op(ir.OpBarrierAddWG, f.Min(mine, f.U32((1<<32-1)/f.threads)))
		})
		weight.Set(w)
		round.Set(f.Add(round.Get(), f.U32(1)))
		f.lone.Set(f.Add(f.lone.Get(), f.U32(1)))
		leave := f.Or(f.Eq(w, f.U32(0)), f.Eq(round.Get(), f.limit))
		if f.many() != always {
			leave = f.Or(leave, f.Lt(f.U32(f.many()), w))
		}
		f.If(leave, func() { f.Break(l) })
	})
}

// single is a wave that shares its body with no other.
func (w *writer) single(s *step) *instance { return &instance{step: s, words: w.words(s)} }

// stayAlone writes the form of a wave for one block alone, which holds all rounds of the stay.
func (f *fuser) stayAlone(s *step, round, weight *build.Var) {
	v := values{round: round.Get(), size: f.size(f.single(s), round.Get()), limit: f.limit, many: f.U32(f.many())}
	for range arcs.StayWords {
		v.result = append(v.result, f.Var(f.U64(0)))
	}
	ended := f.span(f.single(s.stay), ofStay, s.stay.Program, round.Get())
	f.spread(f.single(s.stay), f.one(), v, f.n)
	ended()
	word := func(k int) build.Value { return v.result[k].Get() }
	end := f.Cvt(ir.U32, word(arcs.StayRound))
	f.lone.Set(f.Add(f.lone.Get(), f.Sub(end, round.Get())))
	round.Set(end)
	weight.Set(f.Cvt(ir.U32, word(arcs.StayWeight)))
	f.n.items.Set(f.Add(f.n.items.Get(), word(arcs.StayItems)))
	f.n.listed.Set(f.Add(f.n.listed.Get(), word(arcs.StayItems)))
	f.greatest.Set(f.Max(f.greatest.Get(), f.Cvt(ir.U32, word(arcs.StayGreatest))))
}

// comeBack writes the barrier at which the others wait for a stay, and hears how it ended.
func (f *fuser) comeBack(round, weight *build.Var) {
	f.stays.Set(f.Add(f.stays.Get(), f.U32(1)))
	both := f.Or(f.Shl(f.Cvt(ir.U64, round.Get()), f.U32(32)), f.Cvt(ir.U64, weight.Get()))
	both = f.Op(ir.OpBarrierBcastGrid, both)
	f.pass()
	round.Set(f.Cvt(ir.U32, f.Shr(both, f.U32(32))))
	weight.Set(f.Cvt(ir.U32, both))
}
