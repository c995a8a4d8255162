package machine

import (
	"fmt"
	"math/bits"

	"github.com/govyre/vyre/internal/cusim/internal/asm"
)

// warp is up to 32 invocations with consecutive ids.
type warp struct {
	g     *group
	k     *Kernel
	first uint32 // id of lane 0 in its group
	exist uint32 // lanes that there are
	live  uint32 // lanes that have not left

	regs    []values
	def     []uint32 // lanes in which a slot holds something defined
	preds   []uint32
	predDef []uint32
	carry   uint32
	local   []byte // of lane 0, then of lane 1, …
	known   []byte // 1 for every byte of local that has been written

	paths  []path // that can run; the last one runs
	parked []path // that wait at a barrier of the group
	spare  []*join
	flying []arriving // copies, in the order in which they began
	batch  [32]int    // by lane: batches of copies that were closed
	spin   spin
}

// path is lanes that go through the code together.
type path struct {
	pc   int32
	mask uint32
	join *join
}

// join is where the paths that a branch made meet again. Lanes that leave are taken out of it.
type join struct {
	pc      int32
	want    uint32
	arrived uint32
	outer   *join
}

// at is a slot: one of the warp's own, or one of the constants behind them, which all warps share.
func (w *warp) at(slot int32) *values {
	if int(slot) < len(w.regs) {
		return &w.regs[slot]
	}
	return &w.k.consts[int(slot)-len(w.regs)]
}

// begin makes the warp ready for a group.
func (w *warp) begin(g *group, first, lanes uint32) {
	w.g, w.first = g, first
	w.exist = uint32(uint64(1)<<lanes - 1)
	w.live = w.exist
	w.carry = 0
	k := w.k
	if w.regs == nil {
		w.regs = make([]values, k.own)
		w.def, w.preds, w.predDef = make([]uint32, k.own+len(k.consts)), make([]uint32, k.preds), make([]uint32, k.preds)
		w.local, w.known = make([]byte, k.local*32), make([]byte, k.local*32)
	}
	// Registers hold what was there before, as on a device; only what is defined starts anew.
	clear(w.def[:k.own])
	for i := k.own; i < len(w.def); i++ {
		w.def[i] = all
	}
	clear(w.predDef)
	w.preds[k.noPred()], w.preds[k.allPred()] = 0, all
	w.predDef[k.noPred()], w.predDef[k.allPred()] = all, all
	clear(w.known)
	w.spin = spin{}
	w.flying, w.batch = w.flying[:0], [32]int{}
	w.paths = append(w.paths[:0], path{0, w.exist, nil})
	w.parked = w.parked[:0]
}

// run takes up to quantum steps. It returns when no path can run, or when others should.
func (w *warp) run(quantum int) {
	m := w.g.m
	code := w.k.code
	for ; quantum > 0 && len(w.paths) > 0; quantum-- {
		p := &w.paths[len(w.paths)-1]
		if p.join != nil && p.pc == p.join.pc {
			w.arrive(p)
			quantum++ // no step
			continue
		}
		in := &code[p.pc]
		m.report.Steps++
		lanes := p.mask
		if in.guard >= 0 {
			if unknown := lanes &^ w.predDef[in.guard]; unknown != 0 {
				w.found(UndefinedRegister, in, unknown, "the guard depends on a register that nothing wrote")
			}
			if in.not {
				lanes &^= w.preds[in.guard]
			} else {
				lanes &= w.preds[in.guard]
			}
		}
		m.report.Lanes += uint64(bits.OnesCount32(lanes))
		switch in.ctl {
		case onward:
			p.pc++
			if lanes != 0 {
				in.run(w, in, lanes)
			}
		case branches:
			if w.branch(p, in, lanes); w.spin.rotate {
				w.spin.rotate, quantum = false, 0
			}
		case picks:
			w.pick(p, in, lanes)
		case leaves:
			p.pc++
			if lanes != 0 {
				w.exit(p, lanes)
			}
		case waits:
			if lanes == 0 {
				p.pc++
				continue
			}
			w.wait(p, in, lanes)
		case yields:
			p.pc++
			quantum = 0
		}
	}
	if n := len(w.paths); n > 1 {
		// The other paths get their turn, so that one that spins does not hold them up.
		last := w.paths[n-1]
		copy(w.paths[1:], w.paths[:n-1])
		w.paths[0] = last
	}
}

// arrive ends a path at its join. The last one to come goes on with all lanes.
func (w *warp) arrive(p *path) {
	j := p.join
	j.arrived |= p.mask
	w.paths = w.paths[:len(w.paths)-1]
	w.release(j)
}

// release lets the lanes of a join go on if all are there. If none is left, the join itself is over.
func (w *warp) release(j *join) {
	if j.arrived != j.want {
		return
	}
	if j.want != 0 {
		w.paths = append(w.paths, path{j.pc, j.want, j.outer})
	}
	w.spare = append(w.spare, j)
}

// newJoin returns a join, if possible one that is over.
func (w *warp) newJoin(pc int32, want uint32, outer *join) *join {
	n := len(w.spare)
	if n == 0 {
		return &join{pc: pc, want: want, outer: outer}
	}
	j := w.spare[n-1]
	w.spare = w.spare[:n-1]
	*j = join{pc: pc, want: want, outer: outer}
	return j
}

// branch moves the lanes to the branch's target.
func (w *warp) branch(p *path, in *inst, lanes uint32) {
	switch lanes {
	case p.mask:
		back := in.target <= p.pc
		if p.pc = in.target; back {
			w.turned(in)
		}
		return
	case 0:
		p.pc++
		return
	}
	if in.src.Has("uni") {
		w.fault(Diverged, in, lanes, "the branch is marked uniform, and of the lanes %#x only %#x take it", p.mask, lanes)
	}
	j := p.join
	if in.meet >= 0 && (j == nil || j.pc != in.meet) {
		j = w.newJoin(in.meet, p.mask, p.join)
	}
	if in.target <= p.pc {
		w.turned(in)
	}
	taken := path{in.target, lanes, j}
	p.mask &^= lanes
	p.join = j
	p.pc++
	if w.g.m.coin() {
		w.paths = append(w.paths, taken)
		return
	}
	rest := *p
	*p = taken
	w.paths = append(w.paths, rest)
}

// pick moves each lane to the label that its index names.
func (w *warp) pick(p *path, in *inst, lanes uint32) {
	targets := in.x.([]int32)
	if lanes == 0 {
		p.pc++
		return
	}
	w.needs(in, in.a, lanes, "index")
	index := w.at(in.a)
	for rest := lanes; rest != 0; rest &= rest - 1 {
		if l := bits.TrailingZeros32(rest) & 31; index[l] >= uint64(len(targets)) {
			w.fault(Invalid, in, 1<<l, "index %d of a table of %d labels", index[l], len(targets))
		}
	}
	// the lanes that go where the first one of them goes
	with := func(lanes uint32) (to int32, m uint32) {
		to = targets[index[bits.TrailingZeros32(lanes)&31]]
		for rest := lanes; rest != 0; rest &= rest - 1 {
			if l := bits.TrailingZeros32(rest) & 31; targets[index[l]] == to {
				m |= 1 << l
			}
		}
		return to, m
	}
	to, m := with(lanes)
	if m == p.mask {
		p.pc = to
		return
	}
	if in.src.Has("uni") {
		w.fault(Diverged, in, lanes, "the branch is marked uniform, and of the lanes %#x only %#x go to the same label", p.mask, m)
	}
	j := p.join
	if in.meet >= 0 && (j == nil || j.pc != in.meet) {
		j = w.newJoin(in.meet, p.mask, p.join)
	}
	stay := path{p.pc + 1, p.mask &^ lanes, j}
	w.paths = w.paths[:len(w.paths)-1]
	if stay.mask != 0 {
		w.paths = append(w.paths, stay)
	}
	for rest := lanes; rest != 0; rest &^= m {
		to, m = with(rest)
		w.paths = append(w.paths, path{to, m, j})
	}
	if n := len(w.paths); w.g.m.coin() {
		w.paths[n-1], w.paths[n-2] = w.paths[n-2], w.paths[n-1]
	}
}

// runSetConditional sets the value of a node of the graph that the kernel runs in; of several lanes, the
// last one's stays.
func runSetConditional(w *warp, in *inst, m uint32) {
	w.needs(in, in.a, m, "handle")
	w.needs(in, in.b, m, "value")
	for rest := m; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros32(rest) & 31
		c, h := w.g.m.l.Conditionals, w.at(in.a)[l]
		w.k.mem.changes++
		if c == nil || !c.Set(h, uint32(w.at(in.b)[l])) {
			w.fault(Invalid, in, 1<<l, "%#x is no conditional handle of the graph that the kernel runs in", h)
		}
	}
}

// exit takes lanes out of the path and out of every join that waits for them.
func (w *warp) exit(p *path, lanes uint32) {
	w.live &^= lanes
	w.k.mem.changes++
	p.mask &^= lanes
	j := p.join
	if p.mask == 0 {
		w.paths = w.paths[:len(w.paths)-1]
	}
	for j != nil {
		outer := j.outer
		j.want &^= lanes
		w.release(j)
		j = outer
	}
	w.g.left(w)
}

// threadOf is the id of a lane within its group.
func (w *warp) threadOf(lane int) [3]uint32 {
	id := w.first + uint32(lane)
	b := &w.g.m.l.Block
	if id < b[0] {
		return [3]uint32{id, 0, 0}
	}
	return [3]uint32{id % b[0], id / b[0] % b[1], id / (b[0] * b[1])}
}

// special reads a special register.
func (w *warp) special(s asm.Special, lane int) uint64 {
	g := w.g
	t := w.threadOf(lane)
	bit := uint64(1) << lane
	switch s {
	case asm.TidX, asm.TidY, asm.TidZ:
		return uint64(t[s-asm.TidX])
	case asm.NTidX, asm.NTidY, asm.NTidZ:
		return uint64(g.m.l.Block[s-asm.NTidX])
	case asm.CtaidX, asm.CtaidY, asm.CtaidZ:
		return uint64(g.id[s-asm.CtaidX])
	case asm.NCtaidX, asm.NCtaidY, asm.NCtaidZ:
		return uint64(g.m.l.Grid[s-asm.NCtaidX])
	case asm.LaneID:
		return uint64(lane)
	case asm.WarpID:
		return uint64(w.first / 32)
	case asm.NWarpID:
		return uint64(len(g.warps))
	case asm.SMID:
		return g.linear % 4
	case asm.NSMID:
		return 4
	case asm.GridID:
		return 1
	case asm.LanemaskEQ:
		return bit
	case asm.LanemaskLT:
		return bit - 1
	case asm.LanemaskLE:
		return 2*bit - 1
	case asm.LanemaskGT:
		return ^(2*bit - 1) & maskOf(32)
	case asm.LanemaskGE:
		return ^(bit - 1) & maskOf(32)
	case asm.Clock, asm.Clock64:
		w.k.mem.changes++
		return g.m.report.Steps
	case asm.ClockHi:
		w.k.mem.changes++
		return g.m.report.Steps >> 32
	case asm.GlobalTimer, asm.GlobalTimerLo:
		w.k.mem.changes++
		return g.m.now()
	case asm.GlobalTimerHi:
		w.k.mem.changes++
		return g.m.now() >> 32
	case asm.DynamicShared:
		return uint64(g.m.l.Shared)
	case asm.TotalShared:
		return uint64(len(g.shared))
	}
	panic(fmt.Sprintf("BUG: special register %d", s))
}

// fault ends the launch.
func (w *warp) fault(kind FaultKind, in *inst, lanes uint32, format string, args ...any) {
	panic(&Fault{Kind: kind, Kernel: w.k.source.Name, Line: in.src.Line, Inst: in.src.String(), Msg: fmt.Sprintf(format, args...),
		Group: w.g.id, Thread: w.threadOf(bits.TrailingZeros32(lanes | 1<<31))})
}

// found reports something that does not end the launch.
func (w *warp) found(kind FindingKind, in *inst, lanes uint32, format string, args ...any) {
	m := w.g.m
	key := findingKey{kind, in.src.Line}
	if i, ok := m.found[key]; ok {
		m.report.Findings[i].Count++
		return
	}
	m.found[key] = len(m.report.Findings)
	m.report.Findings = append(m.report.Findings, Finding{Kind: kind, Line: in.src.Line, Inst: in.src.String(),
		Msg: fmt.Sprintf(format, args...), Group: w.g.id, Thread: w.threadOf(bits.TrailingZeros32(lanes)), Count: 1})
}

// needs reports a use of slot s where it is not defined.
func (w *warp) needs(in *inst, s int32, m uint32, what string) {
	if unknown := m &^ w.def[s]; unknown != 0 {
		w.found(UndefinedRegister, in, unknown, "the %s depends on a register that nothing wrote", what)
	}
}
