package ptx

import "slices"

// Arms up to these sizes lose their branch. A branch that all lanes take alike costs no more than a few
// instructions, and skips the arm.
const (
	maxArm        = 10
	maxUniformArm = 4
	maxArmMemory  = 3
	maxBothMemory = 5 // of two arms, which everybody would go through
)

// predicate is the stage that turns short branches into guards. What only computes runs for everyone; what has
// an effect, and what gives a result, runs under the branch's condition. Two arms that only differ in their
// results become selections.
func (f *function) predicate() {
	p := &predication{function: f, at: make([]int, f.labels+1), led: make([]int, f.labels+1),
		gone: make([]bool, len(f.insts)), before: make(map[int][]inst), set: make(map[reg]bool), loads: make(map[load]int)}
	p.registry = f.registry()
	p.rounds = f.rounds()
	p.foldNots()
	for i := range f.insts {
		switch in := &f.insts[i]; in.op {
		case opLd:
			p.loads[loaded(in)]++
		case opLabel:
			p.at[in.dst.bits] = i
		case opBra:
			p.led[in.dst.bits]++
		}
	}
	// Inner branches stand after the one around them, so going up they come first.
	for i := len(f.insts) - 1; i >= 0; i-- {
		if in := &f.insts[i]; in.op == opBra && in.guard != noReg && !in.mod.rare && p.at[in.dst.bits] > i && !p.gone[i] {
			p.function.at = in.row
			p.branch(i)
		}
	}
	var e edits
	for i, gone := range p.gone {
		if len(p.before) > 0 {
			e.added = append(e.added, p.before[i]...)
		}
		e.put(i, gone)
	}
	f.insts = e.apply(f.insts, nil)
	f.partPairs()
}

// predication is the state of the stage.
type predication struct {
	*function
	*registry
	at     []int          // by label: its instruction
	led    []int          // by label: branches to it
	gone   []bool         // by instruction
	before map[int][]inst // what to put before an instruction
	rounds []bool         // by instruction: whether it is in a loop
	set    map[reg]bool   // what is loaded under a guard and has a value before
	loads  map[load]int   // how many loads of a kind there are
}

// load is what loads of the same place have in common.
type load struct {
	space space
	t     ptype
}

func loaded(in *inst) load {
	if in.op != opLd {
		return load{}
	}
	return load{in.mod.space, in.t}
}

// rounds says of each instruction whether it stands between a label and a branch back to it.
func (f *function) rounds() []bool {
	at := make([]int, f.labels+1)
	for i := range f.insts {
		if f.insts[i].op == opLabel {
			at[f.insts[i].dst.bits] = i + 1 // 0 is not yet
		}
	}
	in := make([]bool, len(f.insts))
	first := len(f.insts) // of the loops around, going up, the one that begins first
	for i := len(f.insts) - 1; i >= 0; i-- {
		if x := &f.insts[i]; x.op == opBra && at[x.dst.bits] > 0 && at[x.dst.bits] <= i {
			first = min(first, at[x.dst.bits]-1)
		}
		in[i] = first <= i
	}
	return in
}

// foldNots lets guards read through negations: @q with q = !p is @!p.
func (p *predication) foldNots() {
	for i := range p.insts {
		in := &p.insts[i]
		for in.guard != noReg {
			d := p.only(in.guard)
			if d < 0 || p.insts[d].op != opNot || p.insts[d].src[0].kind != isReg || p.only(p.insts[d].src[0].reg) < 0 {
				break
			}
			in.guard, in.sense = p.insts[d].src[0].reg, !in.sense
		}
	}
}

// arm is a run of instructions, [from, to), that a branch skips.
type arm struct {
	from, to int
	leaves   int // the unconditional branch or exit at its end, -1 without one
	copies   int // the parallel copy that is the last before that, -1 without one
	size     int
	memory   int // instructions that access it
}

// arm looks at such a run; ok if all of it can be guarded by g. What gives g another value cannot: what is left of the
// arm would be guarded by that.
func (p *predication) arm(from, to, limit int, g reg) (a arm, ok bool) {
	a = arm{from: from, to: to, leaves: -1, copies: -1}
	for i := from; i < to; i++ {
		p.visits++
		if p.gone[i] {
			continue
		}
		in := &p.insts[i]
		if a.leaves >= 0 || a.size > limit {
			return a, false // something after it is reached in another way, or it is too long
		}
		switch {
		case in.op == opLabel && p.led[in.dst.bits] == 0:
			continue
		case in.op == opCopy:
			a.copies = i
			a.size += len(p.copyOf(in).dst)
			if slices.Contains(p.copyOf(in).dst, g) {
				return a, false
			}
			continue
		case in.op == opExit, in.op == opBra:
			if in.guard == noReg {
				a.leaves = i
			} else {
				a.copies = -1 // it takes what they give with it
			}
			continue
		case in.op.has(slow):
			return a, false
		case in.op.has(pure):
			a.size++
		case in.op.has(memory):
			a.size++
			a.memory++
		default:
			return a, false
		}
		a.copies = -1
	}
	return a, a.size <= limit && a.memory <= maxArmMemory
}

// branch tries to do without the branch in instruction i.
func (p *predication) branch(i int) {
	in := p.insts[i]
	skip := in.dst.bits
	limit := maxArm
	if in.mod.uni {
		limit = maxUniformArm
	}
	then, ok := p.arm(i+1, p.at[skip], limit, in.guard)
	if !ok {
		return
	}
	g, runs := in.guard, !in.sense // the arm runs where g is runs
	if then.leaves >= 0 && p.insts[then.leaves].op == opBra && p.led[skip] == 1 {
		join := p.insts[then.leaves].dst.bits
		els, ok := p.arm(p.at[skip]+1, p.at[join], limit, g)
		if ok && then.memory+els.memory > maxBothMemory {
			return
		}
		if ok && p.at[join] > p.at[skip] && els.leaves < 0 {
			p.gone[then.leaves] = true
			p.led[join]--
			p.drop(i)
			p.selections(&then, &els, g, runs)
			p.guardArm(then, g, runs, in.mod.uni)
			p.guardArm(els, g, !runs, in.mod.uni)
			return
		}
	}
	p.drop(i)
	p.guardArm(then, g, runs, in.mod.uni)
}

// drop removes a branch.
func (p *predication) drop(i int) {
	p.gone[i] = true
	p.led[p.insts[i].dst.bits]--
}

// selections replaces the copies at the ends of two arms, if they write the same registers, by selections
// after the second.
func (p *predication) selections(then, els *arm, g reg, runs bool) {
	if then.copies < 0 || els.copies < 0 {
		return
	}
	a, b := p.copyOf(&p.insts[then.copies]), p.copyOf(&p.insts[els.copies])
	if len(a.dst) != len(b.dst) {
		return
	}
	for i := range a.dst {
		if a.dst[i] != b.dst[i] {
			return
		}
	}
	if !runs {
		a, b = b, a
	}
	row := p.insts[els.copies].row
	var list []inst
	on, off := then, els // where g holds, and where it does not
	if !runs {
		on, off = els, then
	}
	for i, d := range a.dst {
		if v, ok := p.preset(on, a.src[i], b.src[i], then.from); ok {
			list = append(list, inst{op: opMov, t: moveType(d), dst: r(d), src: [4]operand{v}})
			continue
		}
		if v, ok := p.preset(off, b.src[i], a.src[i], then.from); ok {
			list = append(list, inst{op: opMov, t: moveType(d), dst: r(d), src: [4]operand{v}})
			continue
		}
		if d.class() == classP {
			list = append(list, chooseBool(p.function, d, g, a.src[i], b.src[i])...)
			continue
		}
		list = append(list, inst{op: opSelp, t: moveType(d), dst: r(d), src: [4]operand{a.src[i], b.src[i], r(g)}})
	}
	for i := range list {
		list[i].row = row
	}
	p.before[els.to] = append(list, p.before[els.to]...)
	p.gone[then.copies], p.gone[els.copies] = true, true
}

// preset gives what an arm loads, and yields, the value that the other arm yields, before it is loaded: where the load does not run,
// that stays. A choice after the load would wait for it, and keep the condition until then. other has to be there where the arms begin,
// at instruction from.
func (p *predication) preset(a *arm, v, other operand, from int) (operand, bool) {
	if v.kind != isReg || v.reg.class() == classP {
		return v, false
	}
	i := p.only(v.reg)
	if i < a.from || i >= a.to || p.gone[i] || p.insts[i].guard != noReg || !p.insts[i].op.has(memory) || p.reads[v.reg.class()][v.reg.num()] != 1 {
		return v, false
	}
	switch other.kind {
	case isImm:
	case isReg:
		if d := p.only(other.reg); d < 0 || d >= from {
			return v, false
		}
	default:
		return v, false
	}
	t := moveType(v.reg)
	p.before[i] = append(p.before[i], inst{op: opMov, t: t, dst: r(v.reg), src: [4]operand{other}, row: p.insts[i].row})
	p.set[v.reg] = true
	return v, true
}

// guardArm puts what has an effect in an arm under the condition that g is sense. uni says that all lanes agree
// on it.
func (p *predication) guardArm(a arm, g reg, sense, uni bool) {
	both := make(map[[2]reg]reg) // guards already and-ed
	for i := a.from; i < a.to; i++ {
		in := &p.insts[i]
		if p.gone[i] || in.op == opLabel {
			continue
		}
		for j := range p.before[i] {
			if extra := &p.before[i][j]; extra.guard != noReg || !extra.op.has(pure) {
				panic("BUG: an effect was put into an arm")
			}
		}
		switch {
		case in.guard != noReg:
			p.narrow(i, a, g, sense, both)
			in.mod.uni = in.mod.uni && uni
		case in.op.has(pure):
		default:
			p.clear(i)
			in.guard, in.sense = g, sense
			in.mod.uni = uni && in.op == opBra
		}
	}
}

// clear gives what an access to memory loads a value where it will not run. Without one, a register that a loop writes under a
// guard alone is taken to keep the value of the round before, and is never free. And where the load is not run, the register
// may be anything, so that to ptxas (11.8 and the driver for CUDA 13.0) it may be what another load of the same place brings:
// it leaves that one out, and runs the first under its guard all the same.
func (p *predication) clear(i int) {
	if !p.insts[i].op.has(memory) || !p.rounds[i] && p.loads[loaded(&p.insts[i])] < 2 {
		return
	}
	p.eachWrite(&p.insts[i], func(d reg) {
		if d.class() != classP && p.only(d) == i && !p.set[d] {
			t := moveType(d)
			p.before[i] = append(p.before[i], inst{op: opMov, t: t, dst: r(d), src: [4]operand{imm(t, 0)}, row: p.insts[i].row})
		}
	})
}

// narrow adds the condition that g is sense to the guard of instruction i of an arm. A bounds check that was
// made in the arm for guards alone takes the condition in itself.
func (p *predication) narrow(i int, a arm, g reg, sense bool, both map[[2]reg]reg) {
	in := &p.insts[i]
	q := in.guard
	if d := p.only(q); d >= a.from && d < a.to && p.insts[d].op == opSetp && in.sense && !p.read(q) {
		def := &p.insts[d]
		third := operand{kind: isReg, reg: g}
		if !sense {
			third.kind = isNot
		}
		if def.mod.and && def.src[2].kind == third.kind && def.src[2].reg == g {
			return
		}
		if !def.mod.and {
			def.mod.and, def.src[2] = true, third
			p.reads[classP][g.num()]++
			return
		}
	}
	k := [2]reg{q, 0}
	if !in.sense {
		k[1] = 1
	}
	t, ok := both[k]
	if !ok {
		t = p.newReg(classP)
		positive := func(x reg, s bool) reg {
			if s {
				return x
			}
			n := p.newReg(classP)
			p.before[i] = append(p.before[i], inst{op: opNot, t: tPred, dst: r(n), src: [4]operand{r(x)}, row: in.row})
			return n
		}
		x, y := positive(q, in.sense), positive(g, sense)
		p.before[i] = append(p.before[i], inst{op: opAnd, t: tPred, dst: r(t), src: [4]operand{r(x), r(y)}, row: in.row})
		both[k] = t
	}
	in.guard, in.sense = t, true
}
