package ptx

import "slices"

// ranges tells where predicates are alive.
type ranges struct {
	blocks []block
	of     []*lifetime // of those that more than one block has, the shortest first
	again  []*lifetime // from a comparison to where another block makes it again
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
	open  bool // the last block goes on
	falls bool // control may leave the last block at its end
	made  map[comparison]madeAt
	spare []blockList // room for elements of lists
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

// madeAt is where a comparison was made last.
type madeAt struct{ inst, block int }

// branch is one from a block to a label.
type branch struct {
	from int
	to   uint64
}

// ranges finds blocks, and the predicates that more than one has; nil if these are fewer than a number.
func (f *function) ranges(few int) *ranges {
	a := new(ranges)
	r := rangeFinder{f: f, found: a, all: make([]lifetime, f.regs[classP]+1), at: make([]int, f.labels+1),
		made: make(map[comparison]madeAt, f.regs[classP])}
	for i := range f.insts {
		f.visits++
		r.use(i)
		r.repeat(i)
		r.leave(&f.insts[i])
	}
	if len(a.of)+len(a.again) < few {
		return nil
	}
	for _, j := range r.jumps {
		to := &a.blocks[r.at[j.to]]
		to.from = r.list(j.from, to.from)
	}
	a.keepDominated()
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

// repeat notes a comparison that was made before, in another block. It may be of other values by now, which does no harm.
func (r *rangeFinder) repeat(i int) {
	in := &r.f.insts[i]
	if in.op != opSetp || in.src[0].kind != isReg {
		return
	}
	c := comparison{in.mod.cmp, in.t, in.src[0], in.src[1]}
	switch c.cmp {
	case cmpNE, cmpNEU:
		c.cmp = cmpEQ
	case cmpGT, cmpGTU:
		c.cmp = cmpLE
	case cmpLT, cmpLTU, cmpGEU:
		c.cmp, c.x, c.y = cmpLE, c.y, c.x // x < y is that y <= x is not so
	}
	b := len(r.found.blocks) - 1
	if was, ok := r.made[c]; ok && was.block != b {
		x := &lifetime{number: uint32(len(r.all) + len(r.found.again)), first: was.inst, last: i}
		x.reads, x.writes = r.list(b, nil), r.list(was.block, nil)
		r.found.again = append(r.found.again, x)
	}
	r.made[c] = madeAt{i, b}
}

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

// others are the predicates that do not fit, and beside those that do, the comparisons made again of which the results do not.
func (a *ranges) others(most int) (words []uint32, again []int) {
	for _, x := range a.of {
		if !a.fits(x, most) {
			words = append(words, x.number)
		}
	}
	for _, x := range a.again {
		if !a.fits(x, most) {
			again = append(again, x.last)
		}
	}
	return words, again
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

// keepDominated keeps those of the comparisons made again that no way reaches past the first: ptxas merges no others. The
// immediate dominators are found as by Cooper, Harvey and Kennedy, A Simple, Fast Dominance Algorithm; blocks are in
// reverse postorder, since of the branches only those of loops lead up.
func (a *ranges) keepDominated() {
	if len(a.again) == 0 {
		return
	}
	above := make([]int, len(a.blocks)) // each block's immediate dominator
	for i := range above {
		above[i] = -1
	}
	above[0] = 0
	for changed := true; changed; {
		changed = false
		for b := 1; b < len(above); b++ {
			to := -1
			for l := a.blocks[b].from; l != nil; l = l.next {
				x := l.block
				if above[x] < 0 {
					continue
				}
				for to >= 0 && x != to {
					if x > to {
						x = above[x]
					} else {
						to = above[to]
					}
				}
				to = x
			}
			changed = changed || above[b] != to
			above[b] = to
		}
	}
	// A block dominates those that are numbered from its own number to its last in a walk down the tree.
	size, number := make([]int, len(above)), make([]int, len(above))
	for b := len(above) - 1; b > 0; b-- {
		if size[b]++; above[b] >= 0 {
			size[above[b]] += size[b]
		}
	}
	next := make([]int, len(above)) // the number of the next block below
	next[0] = 1
	for b := 1; b < len(above); b++ {
		if to := above[b]; to >= 0 {
			number[b], next[b] = next[to], next[to]+1
			next[to] += size[b]
		}
	}
	a.again = slices.DeleteFunc(a.again, func(x *lifetime) bool {
		first, again := x.writes.block, x.reads.block
		return above[again] < 0 || first > 0 && (number[again] < number[first] || number[again] >= number[first]+size[first])
	})
}
