package ptx

import "slices"

// mostPredicates is how many predicates a conditional branch may leave alive, its own among them. A lane has seven.
const mostPredicates = 5

// truth is the word of a true bool, above all numbers that it is compared with.
const truth = 1<<31 - 1

// keepAsWords keeps predicates as words where too many would be alive at a conditional branch. Where ptxas (11.8 to 13.0,
// any target) has the condition of a branch in a word, because others take all seven, it moves one of these to a word to
// test the condition, and moves it back only on the way that does not branch. On the other way it goes on with the condition.
//
// The predicates that stay are those of the shortest ranges. The word of another is truth, or a zero that the assembler does
// not know. Each block that reads it compares the word anew, with a number of its own: ptxas would keep the result of
// comparing twice with the same. O(instructions · mostPredicates), for programs of which a
// predicate with too many neighbours has them near where it is read.
func (f *function) keepAsWords() {
	most := f.mostAlive()
	if int(f.regs[classP]) <= most {
		return
	}
	a := f.ranges(most)
	if a == nil {
		return
	}
	var words map[reg]reg
	for _, p := range a.exposed() {
		if a.fits(p, most) {
			continue
		}
		if words == nil {
			words = make(map[reg]reg)
		}
		words[makeReg(classP, p)] = f.newReg(classR)
	}
	f.spilled += len(words)
	if words != nil {
		f.compareWords(words)
	}
}

// mostAlive is how many predicates a conditional branch may leave alive. Of a small local array ptxas makes registers. It
// compares an index with each of their numbers, and keeps the results for the next access.
func (f *function) mostAlive() int {
	for _, v := range f.vars {
		if v.space == local && v.bytes <= 64 && f.addressed(v.name) {
			return mostPredicates - 4
		}
	}
	return mostPredicates
}

// addressed reports whether the code computes addresses from a variable's.
func (f *function) addressed(name symbol) bool {
	return slices.ContainsFunc(f.insts, func(in inst) bool {
		return in.op == opMov && in.src[0].kind == isSymbol && symbol(in.src[0].reg) == name
	})
}

// compareWords makes the instructions that keep predicates in words.
func (f *function) compareWords(words map[reg]reg) {
	below, zero := r(f.newReg(classR)), r(f.newReg(classR))
	head := []inst{
		{op: opMov, t: tU32, dst: below, src: [4]operand{spec(lanesBelow)}},
		{op: opShr, t: tS32, dst: zero, src: [4]operand{below, u32(31)}}, // no lane is above 31
	}
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

// ranges tells where predicates are alive, by their numbers.
type ranges struct {
	blocks        []block
	from          [][2]int32 // a block, and one before it, by the first
	reads, writes [][2]int32 // a predicate and a block: which reads it before it writes it, and which writes it in any case; by the first
	first, last   []int32    // instructions that use a predicate
}

// block is a run of instructions.
type block struct {
	guard reg    // of a conditional branch at its end
	alive int    // predicates at that, the guard among them
	begin uint32 // the last predicate that was found alive at its beginning
	end   uint32 // and at its end
}

// ranges finds blocks, and the predicates that more than one has; nil if these are fewer than a number.
func (f *function) ranges(few int) *ranges {
	n := int(f.regs[classP]) + 1
	a := &ranges{first: make([]int32, n), last: make([]int32, n)}
	at, read, wrote := make([]int32, f.labels+1), make([]int32, n), make([]int32, n) // blocks, counted from 1
	exposed := 0
	open, falls := false, false
	for i := range f.insts {
		in := &f.insts[i]
		f.visits++
		if !open || in.op == opLabel {
			a.blocks = append(a.blocks, block{})
			if b := int32(len(a.blocks)); falls {
				a.from = append(a.from, [2]int32{b - 1, b - 2})
			}
			open, falls = true, true
		}
		b := int32(len(a.blocks))
		touch := func(p reg) uint32 {
			if a.last[p.num()] = int32(i); a.first[p.num()] == 0 {
				a.first[p.num()] = int32(i)
			}
			return p.num()
		}
		f.eachPredicate(in, func(p reg) {
			if k := touch(p); wrote[k] != b && read[k] != b {
				if read[k] == 0 {
					exposed++
				}
				read[k] = b
				a.reads = append(a.reads, [2]int32{int32(k), b - 1})
			}
		})
		f.eachWrite(in, func(p reg) {
			if p.class() != classP {
				return
			}
			if k := touch(p); in.guard == noReg && wrote[k] != b {
				wrote[k] = b
				a.writes = append(a.writes, [2]int32{int32(k), b - 1})
			}
		})
		switch in.op {
		case opLabel:
			at[in.dst.bits] = b - 1
		case opBra:
			if in.guard != noReg {
				a.blocks[b-1].guard, a.blocks[b-1].alive = in.guard, 1
			}
			open, falls = false, in.guard != noReg
		case opExit:
			open, falls = false, in.guard != noReg
		}
	}
	if exposed < few {
		return nil
	}
	b := int32(-1)
	open = false
	for i := range f.insts {
		in := &f.insts[i]
		if !open || in.op == opLabel {
			b++
			open = true
		}
		if open = in.op != opBra && in.op != opExit; in.op == opBra {
			a.from = append(a.from, [2]int32{at[in.dst.bits], b})
		}
	}
	for _, list := range [][][2]int32{a.from, a.reads, a.writes} {
		slices.SortFunc(list, func(x, y [2]int32) int { return int(x[0] - y[0]) })
	}
	return a
}

// of are the entries of a list for a block or predicate.
func of(list [][2]int32, k int32) [][2]int32 {
	begin, _ := slices.BinarySearchFunc(list, k, func(x [2]int32, k int32) int { return int(x[0] - k) })
	end := begin
	for end < len(list) && list[end][0] == k {
		end++
	}
	return list[begin:end]
}

// exposed are the predicates that some block reads before it writes them, of the shortest ranges first.
func (a *ranges) exposed() []uint32 {
	var list []uint32
	for i, x := range a.reads {
		if i == 0 || a.reads[i-1][0] != x[0] {
			list = append(list, uint32(x[0]))
		}
	}
	length := func(p uint32) int { return int(a.last[p] - a.first[p]) }
	slices.SortStableFunc(list, func(x, y uint32) int { return length(x) - length(y) })
	return list
}

// fits counts p where it is alive, if no branch has too many then.
func (a *ranges) fits(p uint32, most int) bool {
	for _, x := range of(a.writes, int32(p)) {
		a.blocks[x[1]].begin = p // it is alive no further up
	}
	var todo, counted []int32
	for _, x := range of(a.reads, int32(p)) {
		todo = append(todo, x[1])
	}
	for len(todo) > 0 {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, edge := range of(a.from, b) {
			from := edge[1]
			x := &a.blocks[from]
			if x.end == p {
				continue
			}
			x.end = p
			if x.guard != noReg && x.guard.num() != p {
				if x.alive >= most {
					for _, c := range counted {
						a.blocks[c].alive--
					}
					return false
				}
				x.alive++
				counted = append(counted, from)
			}
			if x.begin != p {
				x.begin = p
				todo = append(todo, from)
			}
		}
	}
	return true
}
