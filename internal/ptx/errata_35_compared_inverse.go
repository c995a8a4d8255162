package ptx

// hideInverses hides the inversions of what is compared with something for being equal. Where a branch has told that x is a
// constant, ptxas (11.8 and the driver for CUDA 13.0) puts the constant into instructions that read ^x, and forgets that
// they invert it: of y ^ ^x it leaves y ^ c. It does so with words, and with halves of 64 bits, but not with -x. What is
// emitted is x ^ m, where m is a mask of which it does not know that it is all ones.
//
// The assembler knows that values are the same by many names. So a register counts as compared if it is in a class of which
// one is: a class holds what is moved, merged, chosen, cut to its low bits, bounded, or kept in local memory, of which the
// assembler makes registers. Which branches a comparison decides is not looked at. O(instructions).
func (s *selector) hideInverses() {
	var inversions []int
	for i := range s.code {
		if inverted(&s.code[i]).kind == isReg {
			inversions = append(inversions, i)
		}
	}
	if len(inversions) == 0 {
		return
	}
	names := s.names()
	compared := make(map[reg]bool)
	for _, list := range [2][]inst{s.prologue, s.code} {
		for i := range list {
			if in := &list[i]; in.op == opSetp && (in.mod.cmp == cmpEQ || in.mod.cmp == cmpNE) {
				for _, o := range in.src[:2] {
					if o.kind == isReg {
						compared[names.of(o.reg)] = true
					}
				}
			}
		}
	}
	for _, i := range inversions {
		in := &s.code[i]
		if x := inverted(in); compared[names.of(x.reg)] {
			in.op, in.src = opXor, [4]operand{x, s.ones(in.t)}
			s.inverses++
		}
	}
}

// inverted is the operand, of a word or of 64 bits, of which in inverts all bits; none if it does something else.
func inverted(in *inst) operand {
	switch {
	case in.op == opNot && in.t != tPred:
		return in.src[0]
	case in.op == opXor && (in.t == tB32 && in.src[1].isConst(1<<32-1) || in.t == tB64 && in.src[1].isConst(1<<64-1)):
		return in.src[0]
	}
	return operand{}
}

// ones returns a mask of type t that is all ones, of which the assembler knows no bit: no lane is above lane 31, so it is
// among this one and those above in every lane. It is an inversion of nothing that the assembler would take out of it.
func (s *selector) ones(t ptype) operand {
	word := s.onceOf(onceOnes, 0, func() operand { return s.do(opShr, tS32, s.do(opMov, tU32, spec(lanesAbove)), u32(31)) })
	if t == tB32 {
		return word
	}
	return s.onceOf(onceWideOnes, 0, func() operand { return s.joined(classRD, word, word) })
}

// aliases are classes of registers that the assembler may know to hold one value, by a member of the same class. noReg
// stands for local memory.
type aliases map[reg]reg

// names returns the classes of all registers.
func (s *selector) names() aliases {
	names := aliases{}
	for _, list := range [2][]inst{s.prologue, s.code} {
		for i := range list {
			names.join(s.function, &list[i])
		}
	}
	return names
}

// of returns the register that stands for the class of x.
func (a aliases) of(x reg) reg {
	for {
		next, ok := a[x]
		if !ok {
			return x
		}
		if over, ok := a[next]; ok {
			a[x] = over
		}
		x = next
	}
}

func (a aliases) same(x, y reg) {
	if x, y = a.of(x), a.of(y); x != y {
		a[x] = y
	}
}

// join makes one class of what in reads and writes, if the one may be the other.
func (a aliases) join(f *function, in *inst) {
	switch in.op {
	case opCopy:
		cp := f.copyOf(in)
		for i, x := range cp.dst {
			if cp.src[i].kind == isReg {
				a.same(x, cp.src[i].reg)
			}
		}
	case opMov, opCvt, opBfe, opSelp, opMin, opMax:
		if in.dst.kind == isReg {
			a.operands(in)
		}
	case opAnd, opOr:
		if in.dst.kind == isReg && in.t != tPred && in.src[1].kind == isImm {
			a.operands(in)
		}
	case opLd, opSt:
		if in.mod.space != local {
			return
		}
		f.eachWrite(in, func(x reg) { a.same(x, noReg) })
		for i := range in.src {
			switch o := &in.src[i]; o.kind {
			case isReg:
				a.same(o.reg, noReg)
			case isVec:
				for _, x := range f.list(o) {
					a.same(x, noReg)
				}
			}
		}
	}
}

// operands puts the registers that in reads into the class of the one that it writes, predicates aside.
func (a aliases) operands(in *inst) {
	for _, o := range in.src {
		if o.kind == isReg && o.reg.class() != classP {
			a.same(in.dst.reg, o.reg)
		}
	}
}
