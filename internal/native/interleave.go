package native

import (
	"slices"

	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// Vectors in step. A loop whose rounds wait for each other's results leaves most of the processor idle, and one vector reads
// half a line of memory. So where there are registers for it, code is for two or four vectors that go the same way: each basic
// block is written for one after the other, near enough for the processor to overlap them. What is the same in all of them is
// there once; where lanes have masks, code goes on while a lane of any vector does.

// interleavings are how many vectors code may be for at once, the most first.
var interleavings = [...]int{8, 4, 2}

// among says how a macro is written where code is for several vectors.
type among uint8

const (
	amongNone  among = iota // not at all: where there is such a one, code is for one vector
	amongOnce               // once for all of them
	amongEach               // for each
	amongValue              // for each, unless what it reads is the same in all
)

// interleave makes the function one for several vectors where that is worth it and most machine registers are enough for what
// loops change. With forced that is how many, 1 or what it can be for.
func (s *selector) interleave(most, forced int) {
	f := s.function
	if !f.layout.alone || forced == 1 || !f.interleaves() {
		return
	}
	limit := forced
	if forced == 0 {
		limit = s.worthwhile()
	}
	for _, k := range interleavings {
		if f.layout.vectors%k > 0 || k > limit || forced != 0 && forced != k {
			continue
		}
		if g := f.forVectors(k); g != nil && (forced != 0 || limit == walking || g.fits(most)) {
			*f = *g
			return
		}
	}
}

// walks reports whether a loop of whole vectors goes from row to row of memory: a round is then in other lines than the one
// before it, and the processor foresees them the better the more of each row is used. That is worth registers.
func (s *selector) walks() bool {
	for r := range ir.Row(s.p.Rows()) {
		if in := s.p.Op(r).Info(); s.partings == nil || in.Imm != ir.ImmObject || in.Attr&(ir.Reads|ir.Writes) == 0 || s.value[s.p.A(r)] != consecutive {
			continue
		}
		for op := s.parent(r); op != ir.NoRow; op = s.parent(op) {
			if s.p.Op(op) == ir.OpLoop && s.divergent[op] && s.p.A(r) > op {
				return true
			}
		}
	}
	return false
}

// interleaves reports whether all instructions are such that can be written for several vectors.
func (f *function) interleaves() bool {
	for i := range f.ins {
		if in := &f.ins[i]; in.form == formMacro && in.among == amongNone {
			return false
		}
	}
	return !slices.ContainsFunc(f.p.Objects(), ir.ObjectInfo.Local)
}

// How many vectors go in step at most.
const (
	streaming   = 2 // without a loop: a line of memory
	inRegisters = 4 // with one, if machine registers are enough
	walking     = 8 // with one that goes from row to row of memory, whatever is in registers
)

// worthwhile returns how many vectors should go in step at most: 1 where there is no loop, or one that lanes leave at different times
// while the rest access memory one by one: there the lanes of one vector would wait for those of all. Not so of loads where a
// round waits for what the one before it loaded: waiting for two vectors' loads at a time is worth it.
func (s *selector) worthwhile() int {
	loops, rows := false, true
	for r := range ir.Row(s.p.Rows()) {
		loops = loops || s.p.Op(r) == ir.OpLoop
		in := s.p.Op(r).Info()
		if in.Imm != ir.ImmObject || in.Attr&(ir.Reads|ir.Writes) == 0 {
			continue
		}
		rows = rows && s.newAccess(r).follows()
		if s.value[s.p.A(r)] != varying {
			continue
		}
		for op := s.parent(r); op != ir.NoRow; op = s.parent(op) {
			if s.p.Op(op) == ir.OpLoop && s.divergent[op] && (in.Attr&ir.Writes != 0 || !s.chained(op)) {
				return 1
			}
		}
	}
	switch {
	case s.walks():
		return walking
	case loops:
		return inRegisters
	case rows && s.partings != nil:
		return streaming
	}
	return 1
}

// chained reports whether a round of a loop loads from where what the round before it loaded tells, as in a list, or a checksum by
// a table: an argument of the loop tells the index of a load whose value tells the argument's next one.
func (s *selector) chained(loop ir.Row) bool {
	p, end := s.p, s.end(loop)
	first, last := s.args(loop)
	by := make([]bool, end-first)     // by row of the loop: the argument tells what it is
	loaded := make([]bool, end-first) // likewise, through such a load
	for arg := first; arg < last; arg++ {
		clear(by)
		clear(loaded)
		by[arg-first] = true
		for r := last; r < end; r++ {
			if p.Op(r) == ir.OpContinue && s.target(r) == loop {
				if next := ir.Row(p.List(r)[arg-first]); next >= first && loaded[next-first] {
					return true
				}
				continue
			}
			at := r - first
			for _, v := range [...]ir.Row{p.A(r), p.B(r), p.C(r)} {
				if v != ir.NoRow && v >= first {
					by[at], loaded[at] = by[at] || by[v-first], loaded[at] || loaded[v-first]
				}
			}
			if in := p.Op(r).Info(); in.Imm == ir.ImmObject && in.Attr&ir.Reads != 0 && p.A(r) >= first && by[p.A(r)-first] {
				loaded[at] = true
			}
		}
	}
	return false
}

// differs reports whether an instruction is there for each vector, as registers relate to those of the first one.
func (in *ins) differs(to []relation) bool {
	if in.form == formMacro && in.among != amongValue {
		return in.among == amongEach
	}
	for v := range in.registers() {
		if to[v] == differing {
			return true
		}
	}
	return false
}

// interleaving is a function on its way to code for several vectors.
type interleaving struct {
	*function
	from    []ins
	to      []relation
	defined []int32 // by register: how often it is written
}

// forVectors returns the function for k vectors in step; nil where they do not go the same way.
func (f *function) forVectors(k int) *function {
	g := *f
	g.bank, g.banked = slices.Clone(f.bank), map[entry]vreg{}
	for e, v := range f.banked {
		g.banked[e] = v
	}
	s := interleaving{function: &g, from: f.ins, to: f.relations(k), defined: make([]int32, len(f.vregs))}
	for i := range f.ins {
		in := &f.ins[i]
		if in.form == formTest && in.among == amongOnce && s.to[in.a] != same || in.form == formWithin && (s.to[in.a] != following || s.to[in.b] != same) {
			return nil
		}
		for d := range in.writes() {
			s.defined[d]++
		}
	}
	s.copyRegisters(k)
	g.ins = make([]ins, 0, k*len(f.ins))
	for i := 0; i < len(f.ins); i++ {
		first := i
		for i < len(f.ins) && !s.ends(&f.ins[i]) {
			i++
		}
		for n := range k {
			s.block(f.ins[first:i], n)
		}
		if i < len(f.ins) {
			s.boundary(f.ins[i])
		}
	}
	g.layout.step = k
	return &g
}

// copyRegisters makes registers for the vectors after the first.
func (s *interleaving) copyRegisters(k int) {
	n := len(s.vregs)
	s.vregs = slices.Clone(s.vregs)
	s.copies = make([][]vreg, k-1)
	for c := range s.copies {
		s.copies[c] = make([]vreg, n)
		for v := range n {
			if s.copies[c][v] = vreg(v); s.to[v] != differing {
				continue
			}
			info := s.vregs[v]
			if info.home == inTable {
				info.off += 32 * int32(c+1)
			}
			s.copies[c][v] = vreg(len(s.vregs))
			s.vregs = append(s.vregs, info)
		}
	}
}

// ends reports whether a block ends at an instruction: control does, or what all vectors read changes.
func (s *interleaving) ends(in *ins) bool {
	if in.form >= formTest || in.form == formMacro && in.among == amongOnce {
		return true
	}
	if !in.differs(s.to) {
		for d := range in.writes() {
			if s.defined[d] > 1 {
				return true
			}
		}
	}
	return false
}

// block writes instructions for the n-th vector, those that all share for the first one.
func (s *interleaving) block(list []ins, n int) {
	var moved []followed
	for _, in := range list {
		if n > 0 {
			if !in.differs(s.to) {
				continue
			}
			if in.form == formLoad {
				if a := in.access; s.to[in.a] == following {
					in.disp += int32(lanes * n * a.vec * a.o.Type().Size())
				}
			} else if in.form != formMacro {
				for _, v := range []*vreg{&in.a, &in.b, &in.c} {
					moved = s.follow(v, &in, n, moved)
				}
			} else if a := in.access; a != nil && a.follows() && s.to[a.index[0]] == following {
				s.constant(a.offset + uint32(lanes*n))
			}
			in = in.renamed(s.copies[n-1])
			in.vector = uint8(n)
		}
		s.ins = append(s.ins, in)
	}
}

// followed is a register that follows, and what the vector has in its place.
type followed struct{ v, to vreg }

// follow puts in the place of a register that follows what the n-th vector has there.
func (s *interleaving) follow(v *vreg, in *ins, n int, moved []followed) []followed {
	if *v == noReg || s.to[*v] != following {
		return moved
	}
	for _, m := range moved {
		if m.v == *v {
			*v = m.to
			return moved
		}
	}
	by, to := s.constant(uint32(lanes*n)), s.reg()
	s.ins = append(s.ins, ins{form: form3Swap, op: amd64.VPADDD, row: in.row, seldom: in.seldom, vector: uint8(n), d: to, a: *v, b: by, c: noReg})
	moved = append(moved, followed{*v, to})
	*v = to
	return moved
}

// renamed is an instruction on other registers.
func (in ins) renamed(to []vreg) ins {
	of := func(v vreg) vreg {
		if v == noReg || int(v) >= len(to) { // that only this vector has
			return v
		}
		return to[v]
	}
	all := func(vs []vreg) []vreg { return each(vs, func(_ int, v vreg) vreg { return of(v) }) }
	in.d, in.a, in.b, in.c, in.uses, in.defs = of(in.d), of(in.a), of(in.b), of(in.c), all(in.uses), all(in.defs)
	return in
}

// boundary writes what ends a block: a test whether lanes are active asks for those of all vectors.
func (s *interleaving) boundary(in ins) {
	if in.form == formTest && s.to[in.a] == differing {
		first := in.a
		for _, to := range s.copies {
			d := s.reg()
			s.ins = append(s.ins, ins{form: form3Swap, op: amd64.VPOR, row: in.row, seldom: in.seldom, d: d, a: in.a, b: to[first], c: noReg})
			in.a = d
		}
	}
	s.ins = append(s.ins, in)
}

// fits reports whether machine registers are enough: for all that loops change, if there are some. What these only read may be
// in memory.
func (f *function) fits(most int) bool {
	g := *f
	g.vregs = slices.Clone(f.vregs)
	g.allocate(most, false)
	nest := g.loops()
	for i := range g.ins {
		for d := range g.ins[i].writes() {
			if !g.ins[i].seldom && g.vregs[d].home == homeless && g.vregs[d].reg < 0 && (nest.at[i] != noLoop || len(nest.spans) == 0) {
				return false
			}
		}
	}
	return true
}
