package ptx

// maxPassed is how many branches may be between a move and what ends the life of its register.
const maxPassed = 32

// unguard takes their guards from moves in front of a branch that has the same one:
//
//	@p mov v, a;  @p bra J;  …  mov v, b;  J:
//
// To the assembler a guarded move writes a part of v only, so the value before stays alive up to there: through the loop
// around, and through loops around that. It costs a register, and for bools one of the seven predicates that a lane has.
//
// Sound, since where p does not hold v is written before it is read: in the text between the branch and that write nothing
// reads v, and no branch leads out. A move behind this one that reads v has the same guard, or writes a register that is
// written again as well. O(instructions · maxPassed).
func (f *function) unguard() {
	at := make([]int, f.labels+1)
	for i := range f.insts {
		if in := &f.insts[i]; in.op == opLabel {
			at[in.dst.bits] = i
		}
	}
	next := make(uses, numClasses)
	for c := range next {
		next[c] = make([]use, f.regs[c]+1)
	}
	var branches []int // from here on, the first one last
	for i := len(f.insts) - 1; i >= 0; i-- {
		f.visits++
		in := &f.insts[i]
		if in.op == opBra && in.guard != noReg {
			f.unguardBefore(i, next, branches, at)
		}
		if in.op == opBra {
			branches = append(branches, i)
		}
		f.eachWrite(in, func(x reg) { *next.of(x) = use{i, in.guard == noReg} })
		f.eachRead(in, func(x reg) { *next.of(x) = use{i, false} })
		if in.guard != noReg {
			*next.of(in.guard) = use{i, false}
		}
	}
}

// uses are, by class and number, where registers are used first after an instruction.
type uses [][]use

// use is where a register is used, and whether it is written there whatever it held.
type use struct {
	at     int
	writes bool
}

func (u uses) of(x reg) *use { return &u[x.class()][x.num()] }

// unguardBefore looks at the moves in front of branch i.
func (f *function) unguardBefore(i int, next uses, branches, at []int) {
	g, sense := f.insts[i].guard, f.insts[i].sense
	for k := i - 1; k >= 0; k-- {
		m := &f.insts[k]
		if m.op != opMov || m.guard != g || m.sense != sense || m.dst.kind != isReg || m.dst.reg == g {
			return
		}
		if n := next.of(m.dst.reg); n.writes && f.stays(i, n.at, branches, at) {
			m.guard = noReg
		}
	}
}

// stays reports whether control that goes on behind branch i comes to instruction end.
func (f *function) stays(i, end int, branches, at []int) bool {
	for passed := 0; passed < len(branches); passed++ {
		b := branches[len(branches)-1-passed]
		if b >= end {
			return true
		}
		if to := at[f.insts[b].dst.bits]; passed == maxPassed || to <= i || to > end {
			return false
		}
	}
	return true
}
