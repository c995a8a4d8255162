package ptx

import "slices"

// registry counts, for each register of a function, the instructions that write it and the operands that
// read it, guards aside. Copies count as writes and reads of all their registers.
type registry struct {
	writes, reads [numClasses][]int32
	defined       [numClasses][]int32 // the last instruction that writes it
}

// registry counts anew, in the memory of the last counts, which nobody has any more: a stage asks once.
func (f *function) registry() *registry {
	g := &f.counts
	for c := range numClasses {
		for _, list := range []*[]int32{&g.writes[c], &g.reads[c], &g.defined[c]} {
			n := int(f.regs[c]) + 1
			*list = slices.Grow((*list)[:0], n)[:n]
			clear(*list)
		}
	}
	for i := range f.insts {
		in := &f.insts[i]
		if in.dst.kind == isReg && in.op != opCopy {
			g.wrote(in.dst.reg, i)
		} else {
			f.eachWrite(in, func(x reg) { g.wrote(x, i) })
		}
		f.eachRead(in, func(x reg) { g.reads[x.class()][x.num()]++ })
	}
	return g
}

// wrote counts that instruction i writes x.
func (g *registry) wrote(x reg, i int) {
	g.writes[x.class()][x.num()]++
	g.defined[x.class()][x.num()] = int32(i)
}

// only returns the instruction that alone writes x, -1 if there are more or x is newer than the registry.
func (g *registry) only(x reg) int {
	if int(x.num()) >= len(g.writes[x.class()]) || g.writes[x.class()][x.num()] != 1 {
		return -1
	}
	return int(g.defined[x.class()][x.num()])
}

// read reports whether x, which is not newer than the registry, is an operand.
func (g *registry) read(x reg) bool { return g.reads[x.class()][x.num()] > 0 }

// eachWrite calls do for the registers that in writes.
func (f *function) eachWrite(in *inst, do func(reg)) {
	if in.op == opCopy {
		for _, x := range f.copyOf(in).dst {
			do(x)
		}
		return
	}
	switch in.dst.kind {
	case isReg, isPair:
		do(in.dst.reg)
		if in.dst.kind == isPair {
			do(reg(in.dst.bits))
		}
	case isVec:
		for _, x := range f.list(&in.dst) {
			do(x)
		}
	}
}

// eachRead calls do for the registers that in reads, but for its guard.
func (f *function) eachRead(in *inst, do func(reg)) {
	if in.dst.kind == isAddress {
		do(in.dst.reg)
	}
	for i := range in.src {
		o := &in.src[i]
		switch o.kind {
		case noOperand:
			return
		case isReg, isNot, isAddress:
			do(o.reg)
		case isVec:
			for _, x := range f.list(o) {
				do(x)
			}
		case isCopyList:
			for _, s := range f.copyOf(in).src {
				if s.kind == isReg {
					do(s.reg)
				}
			}
		}
	}
}
