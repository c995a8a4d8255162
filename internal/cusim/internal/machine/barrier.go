package machine

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/govyre/vyre/internal/cusim/internal/asm"
)

// group is a running thread block.
type group struct {
	m        *Execution
	id       [3]uint32
	linear   uint64
	shared   []byte
	known    []byte // 1 for every byte of shared that has been written
	warps    []*warp
	barriers [16]barrier
	live     int // lanes that have not left
}

// barrier is one of a group's barriers.
type barrier struct {
	arrived int // lanes
	expect  int // lanes that complete it; 0: all that have not left
	hold    int // lanes that satisfied the predicate
	in      *inst
	waiting []*warp
}

// meeting is how an instruction uses a barrier.
type meeting struct {
	aligned bool
	arrive  bool   // does not wait
	red     string // "", "popc", "and", "or"
	pred    int32
	not     bool
}

func (dec *decoder) barrier(in *inst, src *asm.Inst) {
	args := src.Args
	if src.Has("warp") {
		in.run, in.a = runBarWarp, dec.value(&args[0])
		return
	}
	x := &meeting{aligned: src.Op == "bar" || src.Has("aligned"), arrive: src.Has("arrive"), red: src.One("popc", "and", "or"), pred: -1}
	if src.Has("red") {
		in.d = dec.dest(&args[0])
		last := &args[len(args)-1]
		x.pred, x.not = dec.pred(last), last.Not
		args = args[1 : len(args)-1]
	}
	in.a = dec.value(&args[0])
	if len(args) > 1 {
		in.b = dec.value(&args[1])
	}
	in.ctl, in.x = waits, x
}

// wait brings lanes of a path to a barrier. Lanes that the guard left out go on.
func (w *warp) wait(p *path, in *inst, lanes uint32) {
	x := in.x.(*meeting)
	w.trickle()
	w.needs(in, in.a, lanes, "number of the barrier")
	id := w.at(in.a)[bits.TrailingZeros32(lanes)]
	if id >= 16 {
		w.fault(Diverged, in, lanes, "there is no barrier %d, only 0 to 15", id)
	}
	if x.aligned && lanes != w.live {
		w.fault(Diverged, in, lanes, "lanes %#x of a warp reach an aligned barrier without lanes %#x", lanes, w.live&^lanes)
	}
	b := &w.g.barriers[id]
	expect := 0
	if in.b >= 0 {
		n := w.at(in.b)[bits.TrailingZeros32(lanes)]
		if n == 0 || n%32 != 0 || n > 1024 {
			w.fault(Diverged, in, lanes, "a barrier of %d threads; a multiple of 32 is due", n)
		}
		expect = int(n)
	}
	if b.arrived > 0 && (b.expect != expect || b.in.x.(*meeting).red != x.red) {
		w.fault(Diverged, in, lanes, "barrier %d is in use by the instruction in line %d, which does something else", id, b.in.src.Line)
	}
	if b.arrived == 0 {
		b.in, b.expect, b.hold = in, expect, 0
	}
	n := bits.OnesCount32(lanes)
	b.arrived += n
	if x.red != "" {
		c := w.preds[x.pred]
		if x.not {
			c = ^c
		}
		if unknown := lanes &^ w.predDef[x.pred]; unknown != 0 {
			w.found(UndefinedRegister, in, unknown, "the predicate depends on a register that nothing wrote")
		}
		b.hold += bits.OnesCount32(c & lanes)
	}
	if x.arrive {
		p.pc++
		w.g.complete(b)
		return
	}
	stay := path{p.pc, lanes, p.join}
	if p.mask &^= lanes; p.mask == 0 {
		w.paths = w.paths[:len(w.paths)-1]
	} else {
		p.pc++
	}
	w.parked = append(w.parked, stay)
	b.waiting = append(b.waiting, w)
	w.g.complete(b)
}

// complete lets everyone go on if the barrier has all its lanes.
func (g *group) complete(b *barrier) {
	due := b.expect
	if due == 0 {
		due = g.live
	}
	if b.arrived == 0 || b.arrived < due {
		return
	}
	g.m.report.Barriers++
	g.m.k.mem.changes++
	if g.m.races != nil {
		g.m.races.barrier(g)
	}
	result := uint64(b.hold)
	holds := b.hold > 0
	if b.in.x.(*meeting).red == "and" {
		holds = b.hold == b.arrived
	}
	waiting := b.waiting
	*b = barrier{waiting: b.waiting[:0]}
	for _, w := range waiting {
		kept := w.parked[:0]
		for _, p := range w.parked {
			in := &w.k.code[p.pc]
			if g.at(w, p, in) != b {
				kept = append(kept, p)
				continue
			}
			switch x := in.x.(*meeting); {
			case x.red == "popc" && in.d >= 0:
				for rest := p.mask; rest != 0; rest &= rest - 1 {
					w.at(in.d)[bits.TrailingZeros32(rest)] = result
				}
				w.defined(in.d, p.mask, all)
			case x.red != "":
				r := uint32(0)
				if holds {
					r = all
				}
				w.setPred(in.d, p.mask, r, all)
			}
			p.pc++
			w.paths = append(w.paths, p)
		}
		w.parked = kept
	}
}

// at is the barrier at which a parked path waits.
func (g *group) at(w *warp, p path, in *inst) *barrier {
	return &g.barriers[w.at(in.a)[bits.TrailingZeros32(p.mask)]]
}

// left notes that lanes of w have left. Barriers of the whole group do not wait for them.
func (g *group) left(w *warp) {
	g.live = 0
	for _, v := range g.warps {
		g.live += bits.OnesCount32(v.live)
	}
	for i := range g.barriers {
		if b := &g.barriers[i]; b.arrived > 0 && b.expect == 0 && g.live > 0 {
			g.complete(b)
		}
	}
}

// stuck says where lanes of the group wait, "" if none does.
func (g *group) stuck() string {
	at := make(map[int]int)
	for _, w := range g.warps {
		for _, p := range w.parked {
			at[w.k.code[p.pc].src.Line] += bits.OnesCount32(p.mask)
		}
	}
	var parts []string
	for _, l := range sortedKeys(at) {
		parts = append(parts, fmt.Sprintf("%d at line %d", at[l], l))
	}
	if parts == nil {
		return ""
	}
	return fmt.Sprintf("of %d threads that have not left, %s", g.live, strings.Join(parts, " and "))
}
