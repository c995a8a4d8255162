package ptx

import "github.com/govyre/vyre/ir"

// partPairs parts conjunctions from disjunctions of the same predicates. Of p & q and p | q the assembler makes one
// instruction with two results, and where it needs one of them no more, since what read it took more in, the assemblers of
// CUDA 12.4 to 13.0 may go on with the other: p & q for p | q. So where there are both, the disjunction is made of words, with
// a zero that the assembler does not know. That is rare, and takes four instructions more. O(instructions).
func (f *function) partPairs() {
	ofTwo := func(op opcode, in *inst) bool {
		return in.op == op && in.t == tPred && in.src[0].kind == isReg && in.src[1].kind == isReg
	}
	var ands, ors []int
	for i := range f.insts {
		switch in := &f.insts[i]; {
		case ofTwo(opAnd, in):
			ands = append(ands, i)
		case ofTwo(opOr, in):
			ors = append(ors, i)
		}
	}
	if len(ands) == 0 || len(ors) == 0 {
		return
	}
	names, pairs := f.literals(), make(map[[2]literal]bool)
	for _, i := range ands {
		pairs[names.pair(&f.insts[i])] = true
	}
	var e edits
	for _, i := range ors {
		in := &f.insts[i]
		if !pairs[names.pair(in)] {
			continue
		}
		zero, made := f.hiddenZero(in.row, lanesBelow)
		either, word := r(f.newReg(classR)), r(f.newReg(classR))
		e.added = append(append(e.added, made...),
			inst{op: opSelp, t: tU32, row: in.row, dst: either, src: [4]operand{u32(1), zero, in.src[0]}},
			inst{op: opSelp, t: tU32, row: in.row, dst: word, src: [4]operand{u32(1), either, in.src[1]}})
		in.op, in.t, in.mod.cmp, in.src = opSetp, tU32, cmpNE, [4]operand{word, u32(0)}
		e.put(i, false)
		f.parted++
	}
	f.insts = e.apply(f.insts, nil)
}

// hiddenZero makes a zero that the assembler does not know, after instructions are chosen. It is the sign of a register that
// has none: lanesBelow, as no lane is above 31, or dynamicShared. The first differs between lanes to the assembler, with all that
// is made of it, the second does not.
func (f *function) hiddenZero(row ir.Row, of special) (zero operand, made []inst) {
	known, zero := r(f.newReg(classR)), r(f.newReg(classR))
	return zero, []inst{
		{op: opMov, t: tU32, row: row, dst: known, src: [4]operand{spec(of)}},
		{op: opShr, t: tS32, row: row, dst: zero, src: [4]operand{known, u32(31)}},
	}
}

// literal is a predicate or its negation.
type literal struct {
	of  reg
	not bool
}

// literals are what predicates are by their registers, as far as they have another name than their own.
type literals map[reg]literal

// literals finds negations, copies, and what is computed twice.
func (f *function) literals() literals {
	g := f.registry()
	names, known := literals{}, make(map[inst]reg)
	for i := range f.insts {
		in := &f.insts[i]
		if in.dst.kind != isReg || in.dst.reg.class() != classP || in.guard != noReg || g.writes[classP][in.dst.reg.num()] != 1 {
			continue
		}
		switch in.op {
		case opMov, opNot:
			if x := in.src[0]; x.kind == isReg {
				name := names.of(x.reg)
				name.not = name.not != (in.op == opNot)
				names[in.dst.reg] = name
			}
		case opSetp, opAnd, opOr, opXor:
			key := inst{op: in.op, t: in.t, mod: in.mod, src: in.src}
			if had, ok := known[key]; ok {
				names[in.dst.reg] = names.of(had)
			} else {
				known[key] = in.dst.reg
			}
		}
	}
	return names
}

func (n literals) of(x reg) literal {
	if name, ok := n[x]; ok {
		return name
	}
	return literal{of: x}
}

// pair returns the operands of an instruction on two predicates, in an order that does not depend on theirs.
func (n literals) pair(in *inst) [2]literal {
	a, b := n.of(in.src[0].reg), n.of(in.src[1].reg)
	if a.of > b.of || a.of == b.of && a.not {
		a, b = b, a
	}
	return [2]literal{a, b}
}
