package native

import (
	"slices"

	"github.com/govyre/vyre/driver/cpu/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// Vectors in step. A loop whose rounds wait for each other's results leaves most of the processor idle, and one vector reads
// half a line of memory. So where there are registers for it, code is for two or four vectors that go the same way: each basic
// block is written for one after the other, near enough for the processor to overlap them. What is the same in all of them is
// there once; where lanes have masks, code goes on while a lane of any vector does.

// interleavings are how many vectors code may be for at once, the most first.
var interleavings = [...]int{4, 2}

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
	if !f.layout.alone || forced == 1 || !f.interleaves() || forced == 0 && !s.worthwhile() {
		return
	}
	for _, k := range interleavings {
		if f.layout.vectors%k > 0 || forced != 0 && forced != k {
			continue
		}
		if g := f.forVectors(k); g != nil && (forced != 0 || g.fits(most)) {
			*f = *g
			return
		}
	}
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

// worthwhile reports whether there is a loop, and none that lanes leave at different times while the rest access memory one by
// one: there the lanes of one vector would wait for those of all.
func (s *selector) worthwhile() bool {
	loops := false
	for r := range ir.Row(s.p.Rows()) {
		loops = loops || s.p.Op(r) == ir.OpLoop
		if in := s.p.Op(r).Info(); in.Imm != ir.ImmObject || in.Attr&(ir.Reads|ir.Writes) == 0 || s.value[s.p.A(r)] != varying {
			continue
		}
		for op := s.parent(r); op != ir.NoRow; op = s.parent(op) {
			if s.p.Op(op) == ir.OpLoop && s.divergent[op] {
				return false
			}
		}
	}
	return loops
}

// differs reports whether an instruction is there for each vector, where varies says which registers are.
func (in *ins) differs(varies []bool) bool {
	if in.form == formMacro && in.among != amongValue {
		return in.among == amongEach
	}
	for v := range in.registers() {
		if varies[v] {
			return true
		}
	}
	return false
}

// varies finds the registers that may differ from one vector to the next.
func (f *function) varies() []bool {
	out := make([]bool, len(f.vregs))
	for v := range f.vregs {
		out[v] = f.vregs[v].home == inTable
	}
	for changed := true; changed; {
		changed = false
		for i := range f.ins {
			if in := &f.ins[i]; in.differs(out) {
				for d := range in.writes() {
					changed = changed || !out[d]
					out[d] = true
				}
			}
		}
	}
	return out
}

// interleaving is a function on its way to code for several vectors.
type interleaving struct {
	*function
	from    []ins
	varies  []bool
	defined []int32 // by register: how often it is written
}

// forVectors returns the function for k vectors in step; nil where they do not go the same way.
func (f *function) forVectors(k int) *function {
	g := *f
	s := interleaving{function: &g, from: f.ins, varies: f.varies(), defined: make([]int32, len(f.vregs))}
	for i := range f.ins {
		in := &f.ins[i]
		if in.form == formTest && in.among == amongOnce && s.varies[in.a] {
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
			if s.copies[c][v] = vreg(v); !s.varies[v] {
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
	if !in.differs(s.varies) {
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
	for _, in := range list {
		if n > 0 {
			if !in.differs(s.varies) {
				continue
			}
			in = in.renamed(s.copies[n-1])
			in.vector = uint8(n)
		}
		s.ins = append(s.ins, in)
	}
}

// renamed is an instruction on other registers.
func (in ins) renamed(to []vreg) ins {
	of := func(v vreg) vreg {
		if v == noReg {
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
	if in.form == formTest && s.varies[in.a] {
		first := in.a
		for _, to := range s.copies {
			s.vregs = append(s.vregs, vinfo{reg: -1})
			d := vreg(len(s.vregs) - 1)
			s.ins = append(s.ins, ins{form: form3Swap, op: amd64.VPOR, row: in.row, d: d, a: in.a, b: to[first], c: noReg})
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
	loops, around := g.loops()
	for i := range g.ins {
		for d := range g.ins[i].writes() {
			if g.vregs[d].home == homeless && g.vregs[d].reg < 0 && (len(around[i]) > 0 || len(loops) == 0) {
				return false
			}
		}
	}
	return true
}
