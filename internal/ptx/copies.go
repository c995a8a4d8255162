package ptx

import "slices"

// copies is the stage that turns each parallel copy into moves. A move may go as soon as no pending
// one reads its target; when only cycles remain, one source is saved in a register of its class.
func (f *function) copies() {
	o := &ordering{function: f, readers: make(map[reg]int), target: make(map[reg]int)}
	moves := 0
	for i := range f.insts {
		if in := &f.insts[i]; in.op == opCopy {
			moves += len(f.copyOf(in).dst)
		}
	}
	if moves == 0 {
		return
	}
	e := edits{added: make([]inst, 0, moves)}
	for i := range f.insts {
		if in := &f.insts[i]; in.op == opCopy {
			f.at = in.row
			e.added = o.sequence(e.added, in)
			e.put(i, true)
		}
	}
	f.insts = e.apply(f.insts, nil)
	f.unguard()
}

// ordering is the state of the stage; what it holds is of one copy, and memory for the next.
type ordering struct {
	*function
	readers map[reg]int // the pending moves that read a register
	target  map[reg]int // which move writes it
	src     []operand
	done    []bool
	ready   []int
}

// sequence appends the moves of the parallel copy in. O(copies) but for the map.
func (o *ordering) sequence(out []inst, in *inst) []inst {
	cp := o.copyOf(in)
	move := func(dst reg, src operand) {
		out = append(out, inst{op: opMov, t: moveType(dst), dst: r(dst), src: [4]operand{src}, guard: in.guard, sense: in.sense, row: in.row})
	}
	if len(cp.dst) <= maxCompared && !cp.overlaps() {
		for i, d := range cp.dst {
			move(d, cp.src[i])
		}
		return out
	}
	readers, target := o.readers, o.target
	clear(readers)
	clear(target)
	for i, d := range cp.dst {
		target[d] = i
		if cp.src[i].kind == isReg {
			readers[cp.src[i].reg]++
		}
	}
	src := append(o.src[:0], cp.src...)
	done := append(o.done[:0], make([]bool, len(src))...)
	ready := o.ready[:0]
	o.src, o.done = src, done
	for i, d := range cp.dst {
		if readers[d] == 0 {
			ready = append(ready, i)
		}
	}
	next := 0 // of ready
	drain := func() {
		for ; next < len(ready); next++ {
			i := ready[next]
			done[i] = true
			move(cp.dst[i], src[i])
			if src[i].kind != isReg {
				continue
			}
			x := src[i].reg
			if readers[x]--; readers[x] == 0 {
				if j, ok := target[x]; ok && !done[j] {
					ready = append(ready, j)
				}
			}
		}
	}
	drain()
	for i := range src {
		if done[i] {
			continue
		}
		// Every pending move is on a cycle: its target is read once, by another one. Saving this
		// target's value frees the target.
		d := cp.dst[i]
		saved := o.newReg(d.class())
		move(saved, r(d))
		for j := range src {
			if !done[j] && src[j].kind == isReg && src[j].reg == d {
				src[j] = r(saved)
			}
		}
		ready = append(ready, i)
		drain()
	}
	o.ready = ready
	return out
}

// maxCompared bounds the moves of a copy of which each target is compared with each source.
const maxCompared = 8

// overlaps reports whether a register of several that are written is read too, so that the order of the moves matters.
func (cp *copying) overlaps() bool {
	for i := range cp.src {
		if s := &cp.src[i]; s.kind == isReg && len(cp.dst) > 1 && slices.Contains(cp.dst, s.reg) {
			return true
		}
	}
	return false
}

// moveType is the type suffix of a move into d.
func moveType(d reg) ptype {
	return [numClasses]ptype{classP: tPred, classH: tB16, classR: tB32, classF: tF32, classRD: tB64, classFD: tF64}[d.class()]
}
