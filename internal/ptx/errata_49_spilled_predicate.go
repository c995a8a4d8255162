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
	zero, head := f.hiddenZero(ir.NoRow)
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

// ranges tells where predicates are alive.
type ranges struct {
	blocks []block
	of     []*lifetime // of those that more than one block has, the shortest first
}

// block is a run of instructions.
type block struct {
	from  *blockList // the blocks before it
	guard reg        // of a conditional branch at its end
	alive int        // predicates at that, the guard among them
	begin uint32     // the last predicate that was found alive at its beginning
	end   uint32     // and at its end
}

// lifetime is where a predicate is used.
type lifetime struct {
	number      uint32
	first, last int        // instructions
	reads       *blockList // the blocks that read it before they write it, the last first
	writes      *blockList // the blocks that write it in any case, the last first
}

// blockList is a block, and those after it in a list.
type blockList struct {
	block int
	next  *blockList
}

func (l *blockList) begins(block int) bool { return l != nil && l.block == block }

// ranges finds blocks, and the predicates that more than one has; nil if these are fewer than a number.
func (f *function) ranges(few int) *ranges {
	a := new(ranges)
	all := make([]lifetime, f.regs[classP]+1)
	at := make([]int, f.labels+1) // by label: its block
	var jumps []struct {
		from int
		to   uint64
	}
	open, falls := false, false
	for i := range f.insts {
		in := &f.insts[i]
		f.visits++
		if !open || in.op == opLabel {
			a.blocks = append(a.blocks, block{})
			if b := len(a.blocks) - 1; falls {
				a.blocks[b].from = &blockList{block: b - 1}
			}
			open, falls = true, true
		}
		b := len(a.blocks) - 1
		touch := func(p reg) *lifetime {
			x := &all[p.num()]
			if x.number == 0 {
				x.number, x.first = p.num(), i
			}
			x.last = i
			return x
		}
		f.eachPredicate(in, func(p reg) {
			x := touch(p)
			if x.writes.begins(b) || x.reads.begins(b) {
				return
			}
			if x.reads == nil {
				a.of = append(a.of, x)
			}
			x.reads = &blockList{b, x.reads}
		})
		f.eachWrite(in, func(p reg) {
			if p.class() != classP {
				return
			}
			if x := touch(p); in.guard == noReg && !x.writes.begins(b) {
				x.writes = &blockList{b, x.writes}
			}
		})
		switch in.op {
		case opLabel:
			at[in.dst.bits] = b
		case opBra:
			jumps = append(jumps, struct {
				from int
				to   uint64
			}{b, in.dst.bits})
			if in.guard != noReg {
				a.blocks[b].guard, a.blocks[b].alive = in.guard, 1
			}
			open, falls = false, in.guard != noReg
		case opExit:
			open, falls = false, in.guard != noReg
		}
	}
	if len(a.of) < few {
		return nil
	}
	for _, j := range jumps {
		to := &a.blocks[at[j.to]]
		to.from = &blockList{j.from, to.from}
	}
	slices.SortFunc(a.of, func(x, y *lifetime) int {
		if d := (x.last - x.first) - (y.last - y.first); d != 0 {
			return d
		}
		return int(x.number) - int(y.number)
	})
	return a
}

// others are the predicates that do not fit.
func (a *ranges) others(most int) (list []uint32) {
	for _, x := range a.of {
		if !a.fits(x, most) {
			list = append(list, x.number)
		}
	}
	return list
}

// fits counts a predicate where it is alive, if no branch has too many then.
func (a *ranges) fits(p *lifetime, most int) bool {
	for l := p.writes; l != nil; l = l.next {
		a.blocks[l.block].begin = p.number // it is alive no further up
	}
	var todo, counted []int
	for l := p.reads; l != nil; l = l.next {
		todo = append(todo, l.block)
	}
	for len(todo) > 0 {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for l := a.blocks[b].from; l != nil; l = l.next {
			x := &a.blocks[l.block]
			if x.end == p.number {
				continue
			}
			x.end = p.number
			if x.guard != noReg && x.guard.num() != p.number {
				if x.alive >= most {
					for _, c := range counted {
						a.blocks[c].alive--
					}
					return false
				}
				x.alive++
				counted = append(counted, l.block)
			}
			if x.begin != p.number {
				x.begin = p.number
				todo = append(todo, l.block)
			}
		}
	}
	return true
}
