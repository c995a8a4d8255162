package ptx

import "slices"

// ranges tells where predicates are alive.
type ranges struct {
	blocks []block
	of     []*lifetime // of those that more than one block has, the shortest first
	made   []madeAt    // comparisons, in the order of the text; none if no block makes one of another block again
	next   uint32      // the number of the next lifetime
	visits int         // of blocks, to find dominators
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

// rangeFinder finds blocks, and the predicates that they use.
type rangeFinder struct {
	f     *function
	found *ranges
	all   []lifetime
	at    []int // by label: its block
	jumps []branch
	open  bool               // the last block goes on
	falls bool               // control may leave the last block at its end
	first map[comparison]int // where it was made first
	again int                // how often one was made again in another block
	spare []blockList        // room for elements of lists
}

// list is a block in front of others.
func (r *rangeFinder) list(block int, next *blockList) *blockList {
	if len(r.spare) == 0 {
		r.spare = make([]blockList, 64+len(r.found.blocks))
	}
	l := &r.spare[0]
	r.spare = r.spare[1:]
	l.block, l.next = block, next
	return l
}

// comparison is one with its negation.
type comparison struct {
	cmp  cmp
	t    ptype
	x, y operand
}

// madeAt is where a comparison is made.
type madeAt struct {
	inst, block int
	first       int // the place in the list of the first that is equal
}

// branch is one from a block to a label.
type branch struct {
	from int
	to   uint64
}

// ranges finds blocks, and the predicates that more than one has; nil if these are fewer than a number.
func (f *function) ranges(few int) *ranges {
	a := new(ranges)
	r := rangeFinder{f: f, found: a, all: make([]lifetime, f.regs[classP]+1), at: make([]int, f.labels+1),
		first: make(map[comparison]int, f.regs[classP])}
	for i := range f.insts {
		f.visits++
		r.use(i)
		r.compare(i)
		r.leave(&f.insts[i])
	}
	if len(a.of)+r.again < few {
		return nil
	}
	if r.again == 0 {
		a.made = nil
	}
	a.next = uint32(len(r.all))
	for _, j := range r.jumps {
		to := &a.blocks[r.at[j.to]]
		to.from = r.list(j.from, to.from)
	}
	slices.SortFunc(a.of, func(x, y *lifetime) int {
		if d := (x.last - x.first) - (y.last - y.first); d != 0 {
			return d
		}
		return int(x.number) - int(y.number)
	})
	return a
}

// use notes the predicates that an instruction reads and writes, which may begin a block.
func (r *rangeFinder) use(i int) {
	in := &r.f.insts[i]
	if !r.open || in.op == opLabel {
		r.found.blocks = append(r.found.blocks, block{})
		if b := len(r.found.blocks) - 1; r.falls {
			r.found.blocks[b].from = r.list(b-1, nil)
		}
		r.open, r.falls = true, true
	}
	b := len(r.found.blocks) - 1
	r.f.eachPredicate(in, func(p reg) {
		x := r.touch(p, i)
		if x.writes.begins(b) || x.reads.begins(b) {
			return
		}
		if x.reads == nil {
			r.found.of = append(r.found.of, x)
		}
		x.reads = r.list(b, x.reads)
	})
	r.f.eachWrite(in, func(p reg) {
		if p.class() != classP {
			return
		}
		if x := r.touch(p, i); in.guard == noReg && !x.writes.begins(b) {
			x.writes = r.list(b, x.writes)
		}
	})
}

// compare notes a comparison. Its registers may have other values where it is made again, which does no harm.
func (r *rangeFinder) compare(i int) {
	in := &r.f.insts[i]
	if in.op != opSetp || in.src[0].kind != isReg && in.src[1].kind != isReg {
		return
	}
	c, b, n := comparisonOf(in), len(r.found.blocks)-1, len(r.found.made)
	first, ok := r.first[c]
	if !ok {
		first = n
		r.first[c] = first
	} else if r.found.made[first].block != b {
		r.again++
	}
	r.found.made = append(r.found.made, madeAt{i, b, first})
}

// comparisonOf is the same for those of which the assembler needs to make one alone.
func comparisonOf(in *inst) comparison {
	c := comparison{in.mod.cmp, in.t, in.src[0], in.src[1]}
	switch c.cmp {
	case cmpNE, cmpNEU:
		c.cmp = cmpEQ
	case cmpGT, cmpGTU:
		c.cmp = cmpLE
	case cmpLT, cmpLTU, cmpGEU:
		c.cmp, c.x, c.y = cmpLE, c.y, c.x // x < y is that y <= x is not so
	}
	t := unsigned[c.t]
	switch {
	case c.cmp == cmpEQ && t != noType:
		c.t = t
		if c.x.kind == isImm || c.y.kind == isReg && c.y.reg < c.x.reg {
			c.x, c.y = c.y, c.x
		}
	case c.cmp == cmpLE && c.x.kind == isImm && t != noType:
		c.x, c.y = c.y, imm(c.t, c.x.bits-1) // 5 <= y is that y <= 4 is not so
	}
	if c.y.kind == isImm && t != noType {
		c.y = imm(noType, c.y.bits&(1<<typeInfo[t].bits-1))
	}
	return c
}

// unsigned are the types of which equal bits are equal values, as one type of each size.
var unsigned = [numTypes]ptype{tU16: tU16, tS16: tU16, tB16: tU16, tU32: tU32, tS32: tU32, tB32: tU32, tU64: tU64, tS64: tU64, tB64: tU64}

// touch is the lifetime of a predicate, with an instruction that uses it.
func (r *rangeFinder) touch(p reg, i int) *lifetime {
	x := &r.all[p.num()]
	if x.number == 0 {
		x.number, x.first = p.num(), i
	}
	x.last = i
	return x
}

// leave notes where control may go behind an instruction.
func (r *rangeFinder) leave(in *inst) {
	b := len(r.found.blocks) - 1
	switch in.op {
	case opLabel:
		r.at[in.dst.bits] = b
	case opBra:
		r.jumps = append(r.jumps, branch{b, in.dst.bits})
		if in.guard != noReg {
			r.found.blocks[b].guard, r.found.blocks[b].alive = in.guard, 1
		}
		r.open, r.falls = false, in.guard != noReg
	case opExit:
		r.open, r.falls = false, in.guard != noReg
	}
}

// others are the predicates that do not fit, and beside those that do, the comparisons that are to differ from equal ones.
func (f *function) others(most int) (words []uint32, apart []differing) {
	a := f.ranges(most)
	if a == nil {
		return nil, nil
	}
	for _, x := range a.of {
		if !a.fits(x, most) {
			words = append(words, x.number)
		}
	}
	apart = a.apart(most)
	f.visits += a.visits
	return words, apart
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
			if x.end != p.number && x.guard != noReg && x.guard.num() != p.number {
				if x.alive >= most {
					for _, c := range counted {
						a.blocks[c].alive--
					}
					return false
				}
				x.alive++
				counted = append(counted, l.block)
			}
			x.end = p.number
			if x.begin != p.number {
				x.begin = p.number
				todo = append(todo, l.block)
			}
		}
	}
	return true
}
