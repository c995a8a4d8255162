package ptx

import (
	"slices"

	"github.com/govyre/vyre/ir"
)

// mostPredicates is how many predicates a conditional branch may leave alive, its own among them. A lane has seven.
const mostPredicates = 5

// mostElements is how many elements small local arrays may have together.
const mostElements = 4

// inMemoryBytes are those of a local array of which ptxas makes no registers on any target.
const inMemoryBytes = 512

// truth is the word of a true bool, above all numbers that it is compared with.
const truth = 1<<31 - 1

// keepAsWords keeps predicates as words where too many would be alive at a conditional branch. Where ptxas (11.8 to 13.0,
// any target) has the condition of a branch in a word, because others take all seven, it moves one of these to a word to
// test the condition, and moves it back only on the way that does not branch. On the other way it goes on with the condition.
//
// The predicates that stay are those of the shortest ranges. The word of another is truth, or a zero that the assembler does
// not know. Each block that reads it compares the word anew, with a number of its own: ptxas would keep the result of
// comparing twice with the same. O(instructions · mostPredicates), for programs of which a predicate with too many
// neighbours has them near where it is read.
//
// ptxas also keeps the result of a comparison that is made again further down, as it stands or negated. Where that would be a
// predicate too many, the later one compares with bits flipped that are none, see hideEqual.
//
// Of a small local array ptxas makes registers, and keeps the results of comparing an index with the number of each for the
// next block. An array with which there would be too many predicates is made larger, and stays in memory.
func (f *function) keepAsWords() {
	small, elements := f.indexedArrays()
	most := mostPredicates
	if elements <= mostElements {
		most -= elements
	}
	if int(f.regs[classP]) <= most && elements <= mostElements {
		return
	}
	words, apart := f.others(most)
	if most < mostPredicates && len(words)+len(apart) > 0 {
		words, apart = f.others(mostPredicates)
	} else if elements <= mostElements {
		small = nil
	}
	if len(words)+len(apart)+len(small) == 0 {
		return
	}
	f.spilled += len(words) + len(apart) + len(small)
	f.hideEqual(apart)
	kept := make(map[reg]reg)
	for _, p := range words {
		kept[makeReg(classP, p)] = f.newReg(classR)
	}
	for i := range f.vars {
		if v := &f.vars[i]; small[v.name] {
			f.local += inMemoryBytes - v.bytes
			v.bytes = inMemoryBytes
		}
	}
	if len(kept) > 0 {
		f.compareWords(kept)
	}
}

// indexedArrays are the small local arrays that several blocks access at one address, which the assembler does not know, and
// how many elements they have.
func (f *function) indexedArrays() (small map[symbol]bool, elements int) {
	small, arrays := make(map[symbol]bool), make(map[symbol]int)
	for i := range f.objs {
		if o := &f.objs[i]; o.space == local && o.Array.AddBytes(0) < inMemoryBytes {
			arrays[o.sym] = int(o.Array.Len)
		}
	}
	if len(arrays) == 0 {
		return nil, 0
	}
	g := f.registry()
	same := f.firstOfEqual(g)
	block, in := 0, make(map[reg]int) // where an address is first used
	for i := range f.insts {
		x := &f.insts[i]
		if x.op == opLabel || x.op == opBra || x.op == opExit {
			block++
		}
		if x.mod.space != local {
			continue
		}
		for _, o := range append(x.src[:], x.dst) {
			if o.kind != isAddress {
				continue
			}
			at := o.reg
			if of, ok := same[at]; ok {
				at = of
			}
			if first, had := in[at]; !had {
				in[at] = block
			} else if sym, ok := f.arrayAt(g, o.reg); ok && first != block && arrays[sym] > 0 {
				elements += arrays[sym]
				delete(arrays, sym)
				small[sym] = true
			}
		}
	}
	return small, elements
}

// firstOfEqual gives, for a register that is computed as another was before, that other one. ptxas finds these, too.
func (f *function) firstOfEqual(g *registry) map[reg]reg {
	same, known := make(map[reg]reg), make(map[inst]reg)
	for i := range f.insts {
		in := &f.insts[i]
		if !in.op.has(pure) || in.dst.kind != isReg || in.guard != noReg || in.src[0].kind == isSpecial || g.only(in.dst.reg) != i {
			continue
		}
		key := inst{op: in.op, t: in.t, t2: in.t2, mod: in.mod, src: in.src}
		for j := range key.src {
			if of, ok := same[key.src[j].reg]; ok && key.src[j].kind == isReg {
				key.src[j].reg = of
			}
		}
		if first, ok := known[key]; ok {
			same[in.dst.reg] = first
		} else {
			known[key] = in.dst.reg
		}
	}
	return same
}

// arrayAt is the array in which an address is, a sum with that of the array.
func (f *function) arrayAt(g *registry, at reg) (symbol, bool) {
	for range 3 {
		d := g.only(at)
		if d < 0 {
			return noSymbol, false
		}
		o := f.insts[d].src[0]
		if o.kind == isSymbol {
			return symbol(o.reg), true
		}
		if o.kind != isReg || f.insts[d].op != opAdd && f.insts[d].op != opMov {
			return noSymbol, false
		}
		at = o.reg
	}
	return noSymbol, false
}

// compareWords makes the instructions that keep predicates in words.
func (f *function) compareWords(words map[reg]reg) {
	zero, head := f.hiddenZero(ir.NoRow, dynamicShared)
	var e edits
	valid := make(map[reg]bool) // has its value in this block
	k := uint32(0)
	for i := range f.insts {
		in := &f.insts[i]
		if i > 0 {
			before := &f.insts[i-1]
			f.eachWrite(before, func(p reg) {
				if w, ok := words[p]; ok {
					e.added = append(e.added, inst{op: opSelp, t: tU32, guard: before.guard, sense: before.sense, row: before.row, dst: r(w), src: [4]operand{u32(truth), zero, r(p)}})
					valid[p] = before.guard == noReg
				}
			})
			if before.op == opBra || before.op == opExit || in.op == opLabel {
				clear(valid)
			}
		}
		f.eachPredicate(in, func(p reg) {
			if w, ok := words[p]; ok && !valid[p] {
				e.added = append(e.added, inst{op: opSetp, t: tU32, mod: mods{cmp: cmpGT}, row: in.row, dst: r(p), src: [4]operand{r(w), u32(k)}})
				k++
				valid[p] = true
			}
		})
		e.put(i, false)
	}
	f.insts = e.apply(f.insts, head)
}

// hideEqual makes comparisons differ from equal ones: bits of an operand are flipped, which are none. The bits of a class are
// the zeros of its number.
func (f *function) hideEqual(list []differing) {
	if len(list) == 0 {
		return
	}
	const zeros = 8 // no launch has shared memory of 2^24 bytes
	size := r(f.newReg(classR))
	head := []inst{{op: opMov, t: tU32, row: ir.NoRow, dst: size, src: [4]operand{spec(dynamicShared)}}}
	var zero [zeros][2]operand // of 32 and 64 bits
	of := func(k int, wide bool) operand {
		z := &zero[k%zeros]
		if z[0].kind == noOperand {
			z[0] = r(f.newReg(classR))
			head = append(head, inst{op: opShr, t: tU32, row: ir.NoRow, dst: z[0], src: [4]operand{size, u32(uint32(31 - k%zeros))}})
		}
		if !wide {
			return z[0]
		}
		if z[1].kind == noOperand {
			z[1] = r(f.newReg(classRD))
			head = append(head, inst{op: opCvt, t: tU64, t2: tU32, row: ir.NoRow, dst: z[1], src: [4]operand{z[0]}})
		}
		return z[1]
	}
	slices.SortFunc(list, func(x, y differing) int { return x.inst - y.inst })
	var e edits
	for _, d := range list {
		in := &f.insts[d.inst]
		x := &in.src[0]
		if x.kind != isReg {
			x = &in.src[1]
		}
		bits, c := tB32, classR
		if typeInfo[in.t].bits == 64 {
			bits, c = tB64, classRD
		}
		add := func(op opcode, t, t2 ptype, to class, src ...operand) {
			i := inst{op: op, t: t, t2: t2, row: in.row, dst: r(f.newReg(to))}
			copy(i.src[:], src)
			e.added = append(e.added, i)
			*x = i.dst
		}
		own := x.reg.class()
		switch own {
		case classH:
			add(opCvt, tU32, tU16, c, *x)
		case classF, classFD:
			add(opMov, bits, noType, c, *x)
		}
		for k := range 32 {
			if d.class>>k&1 != 0 {
				add(opXor, bits, noType, c, *x, of(k, c == classRD))
			}
		}
		switch own {
		case classH:
			add(opCvt, tU16, tU32, own, *x)
		case classF, classFD:
			add(opMov, bits, noType, own, *x)
		}
		e.put(d.inst, false)
	}
	f.insts = e.apply(f.insts, head)
}

// eachPredicate calls do for the predicates that in reads, its guard among them.
func (f *function) eachPredicate(in *inst, do func(reg)) {
	f.eachRead(in, func(x reg) {
		if x.class() == classP {
			do(x)
		}
	})
	if in.guard != noReg {
		do(in.guard)
	}
}
