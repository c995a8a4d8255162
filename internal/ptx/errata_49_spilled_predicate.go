package ptx

import "slices"

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
	var words []uint32
	if a := f.ranges(most); a != nil {
		words = a.others(most)
	}
	if most < mostPredicates && len(words) > 0 {
		words = f.ranges(0).others(mostPredicates)
	} else if elements <= mostElements {
		small = nil
	}
	if len(words)+len(small) == 0 {
		return
	}
	f.spilled += len(words) + len(small)
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
			if first, had := in[o.reg]; !had {
				in[o.reg] = block
			} else if sym, ok := f.arrayAt(g, o.reg); ok && first != block && arrays[sym] > 0 {
				elements += arrays[sym]
				delete(arrays, sym)
				small[sym] = true
			}
		}
	}
	return small, elements
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

// others are the exposed predicates that do not fit.
func (a *ranges) others(most int) (list []uint32) {
	for _, p := range a.exposed() {
		if !a.fits(p, most) {
			list = append(list, p)
		}
	}
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
