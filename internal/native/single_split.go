package native

import "slices"

// Splitting, of general registers. A value that lives long has few uses for its length, and gets no register; in a loop where it is
// read often it is worth one. So a value without a register gets a copy for each outermost loop that reads it and does not write it,
// and the copies compete for registers as any value does. One that gets none is read where it was, and is split for the loops inside.
// Addresses and lengths of objects, and what else the group's frame has, are such values too: their first copy is for all of the code.

// maxSplits bounds how often registers are handed out anew.
const maxSplits = 3

// splitting is a function whose values are being split.
type splitting struct {
	*function
	nest   nest
	wanted []bool          // by register: it is to be split
	level  map[vreg]int32  // of copies: the loop that they are for
	copied map[inLoop]vreg // what there is, in this round
	writes map[inLoop]bool
	before [][]vreg      // by loop: copies that are made before it
	twice  map[vreg]bool // values that were left as they are, once
}

// inLoop is a register in a loop.
type inLoop struct {
	v    vreg
	loop int32
}

// handOutGenerals gives general registers to values, and returns all that need a place.
func (f *function) handOutGenerals() []vreg {
	s := &splitting{function: f, level: map[vreg]int32{}, twice: map[vreg]bool{}}
	another := f.layout.numbered && len(f.tabled) == 0
	f.layout.numbered = false
	rest := s.copyWhole()
	for round := 0; ; round++ {
		f.dropMoves()
		list := f.intervals()
		for _, v := range list {
			if f.vregs[v].general {
				f.vregs[v].reg = -1
			}
		}
		clear(f.held[machineRegisters:])
		var generals []vreg
		for _, v := range list {
			if f.vregs[v].general {
				generals = append(generals, v)
			}
		}
		f.scan(generals, f.layout.generals, nil)
		if round == maxSplits || !s.split(generals, rest) {
			return list
		}
		rest = nil
		if another && len(s.copied) > 0 { // registers are few
			f.layout.numbered, f.layout.generals[machineRegisters+int(vectorNumber)] = true, true
		}
	}
}

// dropMoves removes moves to general registers that nothing reads.
func (f *function) dropMoves() {
	reads, removed := make([]bool, len(f.vregs)), make([]bool, len(f.ins))
	for i := range f.ins {
		for v := range f.ins[i].reads() {
			reads[v] = true
		}
	}
	for i := range f.ins {
		in := &f.ins[i]
		removed[i] = in.form == formMove && f.vregs[in.d].general && !reads[in.d]
	}
	f.remove(removed)
}

// numbers calls do with each register that an instruction reads as a number, and would read as well if it were another.
func (f *function) numbers(in *ins, do func(v *vreg)) {
	some := func(vs []vreg) {
		for i := range vs {
			do(&vs[i])
		}
	}
	switch a := in.access; {
	case in.form == formGeneral, in.form == formCompare, in.form == formMove && f.vregs[in.d].general, in.form == formTest && f.vregs[in.a].general:
		for _, v := range []*vreg{&in.a, &in.b, &in.c} {
			if *v != noReg {
				do(v)
			}
		}
		some(in.uses)
	case in.form != formMacro || !in.follows:
	case a == nil:
		some(in.uses)
	default:
		some(a.index)
		if inGeneral(a.o.Type()) {
			some(a.value[0])
			some(a.value[1])
		}
		for _, v := range []*vreg{&a.origin, &a.extent} {
			if *v != noReg {
				do(v)
			}
		}
		in.uses = a.usesSingle()
	}
}

// copyWhole makes copies for all of the code of what the group's frame has for all groups. It returns what it has otherwise.
func (s *splitting) copyWhole() (rest []vreg) {
	to := map[vreg]vreg{}
	for i := range s.ins {
		s.numbers(&s.ins[i], func(p *vreg) {
			v, x := *p, &s.vregs[*p]
			if x.home != inTable && (x.home != inBank || x.fixed) {
				return
			}
			c, ok := to[v]
			switch {
			case ok:
			case x.steady:
				c = s.copyOf(v, noLoop)
				s.whole = append(s.whole, c)
			default:
				c, rest = v, append(rest, v)
			}
			to[v], *p = c, c
		})
	}
	return rest
}

// copyOf returns a new copy of what a register is a copy of.
func (s *splitting) copyOf(v vreg, loop int32) vreg {
	of := v
	if c := s.vregs[v].copies; c > 0 {
		of = c - 1
	}
	c := s.generalReg(4)
	s.vregs[c].wide, s.vregs[c].copies, s.level[c] = s.vregs[of].wide, of+1, loop
	return c
}

// levelOf is the loop that a register is for.
func (s *splitting) levelOf(v vreg) int32 {
	if l, ok := s.level[v]; ok {
		return l
	}
	return noLoop
}

// split makes copies of what has no register, and of the rest. It reports whether there are any.
func (s *splitting) split(list, rest []vreg) bool {
	s.nest = s.loops()
	s.wanted, s.before = make([]bool, len(s.vregs)), make([][]vreg, len(s.nest.spans))
	s.copied, s.writes = map[inLoop]vreg{}, map[inLoop]bool{}
	some := len(rest) > 0
	for _, v := range rest {
		s.wanted[v] = true
	}
	for _, v := range list {
		if x := &s.vregs[v]; x.reg < 0 && !x.slot {
			s.wanted[v], some = true, true
		}
	}
	if !some {
		return false
	}
	untied := s.untie()
	s.findWrites()
	waits := s.onlyInside()
	for i := range s.ins {
		if l := s.nest.at[i]; l != noLoop {
			s.numbers(&s.ins[i], func(p *vreg) {
				if !waits[*p] {
					*p = s.inLoop(*p, l)
				}
			})
		}
	}
	return s.addCopies() || untied
}

// onlyInside finds values that nothing reads but a loop, of which they would get a copy. They compete once more as they are: what has
// pushed them out may be for loops now.
func (s *splitting) onlyInside() map[vreg]bool {
	reads, inside, out := make([]int32, len(s.vregs)), map[inLoop]int32{}, map[vreg]bool{}
	for i := range s.ins {
		for v := range s.ins[i].reads() {
			reads[v]++
		}
		if l := s.nest.at[i]; l != noLoop {
			s.numbers(&s.ins[i], func(p *vreg) {
				if o := s.outermost(*p, l); o != noLoop && s.vregs[*p].home == homeless && s.vregs[*p].copies == 0 {
					inside[inLoop{*p, o}]++
				}
			})
		}
	}
	for k, n := range inside {
		if n == reads[k.v] && !s.twice[k.v] {
			out[k.v], s.twice[k.v] = true, true
		}
	}
	return out
}

// untie gives what is computed for the next instruction that writes a register, and for it alone, another one: tie has made them one,
// which must not be in memory.
func (s *splitting) untie() (some bool) {
	last := map[vreg]int{} // by register: the instruction that has written it, if none has read it since
	for i := range s.ins {
		in := &s.ins[i]
		if in.form >= formTest || in.form == formMacro && in.among <= amongOnce {
			last = emptied(last)
			continue
		}
		if k, ok := last[in.d]; ok && in.form == formGeneral && in.d != noReg {
			from := &in.a
			if in.commutes && in.b == in.d && in.a != in.d {
				from = &in.b
			}
			if *from == in.d && (in.a != in.b) && in.c != in.d && !slices.Contains(in.uses, in.d) {
				t := s.generalReg(4)
				s.vregs[t].wide = s.vregs[in.d].wide
				*from, some = t, true
				s.ins[k].redefine(in.d, t)
			}
		}
		for v := range in.reads() {
			delete(last, v)
		}
		for v := range in.writes() {
			if delete(last, v); s.wants(v) && (in.form == formGeneral || in.form == formMacro && in.follows) {
				last[v] = i
			}
		}
	}
	return some
}

// redefine makes an instruction write another register.
func (in *ins) redefine(v, to vreg) {
	if in.d == v {
		in.d = to
	}
	for i := range in.defs {
		if in.defs[i] == v {
			in.defs[i] = to
		}
	}
}

// wants reports whether a register is to be split.
func (s *splitting) wants(v vreg) bool { return int(v) < len(s.wanted) && s.wanted[v] }

// findWrites finds which loops write what.
func (s *splitting) findWrites() {
	for i := range s.ins {
		for v := range s.ins[i].writes() {
			if s.wants(v) {
				for l := s.nest.at[i]; l != noLoop; l = s.nest.spans[l].around {
					s.writes[inLoop{v, l}] = true
				}
			}
		}
	}
}

// outermost is the outermost loop around one for which a register may have a copy, noLoop if there is none.
func (s *splitting) outermost(v vreg, l int32) int32 {
	out := noLoop
	if !s.wants(v) {
		return out
	}
	level, start := s.levelOf(v), s.vregs[v].start
	for ; l != level && l != noLoop; l = s.nest.spans[l].around {
		if !s.writes[inLoop{v, l}] && start < s.nest.spans[l].start {
			out = l
		}
	}
	return out
}

// inLoop returns the register to read in a loop instead of one.
func (s *splitting) inLoop(v vreg, l int32) vreg {
	out := s.outermost(v, l)
	if out == noLoop {
		return v
	}
	c, ok := s.copied[inLoop{v, out}]
	if !ok {
		c = s.copyOf(v, out)
		s.copied[inLoop{v, out}], s.before[out] = c, append(s.before[out], c)
		s.vregs[v].slot = s.vregs[v].home == homeless
	}
	return c
}

// addCopies writes the copies before the loops.
func (s *splitting) addCopies() bool {
	if len(s.copied) == 0 {
		return false
	}
	out, done := make([]ins, 0, len(s.ins)+len(s.copied)), 0
	for l, list := range s.before {
		if len(list) == 0 {
			continue
		}
		at := int(s.nest.spans[l].start-1) / 2
		out = append(out, s.ins[done:at]...)
		for _, c := range list {
			out = append(out, ins{form: formMove, row: s.ins[at].row, d: c, a: s.vregs[c].copies - 1, b: noReg, c: noReg})
		}
		done = at
	}
	s.ins = append(out, s.ins[done:]...)
	return true
}

// What a general register costs in memory where an instruction reads it, less what it costs in a register, in instructions; intervals
// has counted one. What is an operand of memory is part of the instruction that reads it. What a loop hands on to its next
// round costs most: that waits for it to be stored and loaded.
const (
	costInPlace = 0.5
	costRound   = 2
)

// weigh corrects the weights of general registers by what instruction n, in a loop, does to them.
func (f *function) weigh(n int, l int32, often float32, nest *nest) {
	in := &f.ins[n]
	add := func(v vreg, cost float32) {
		if v != noReg && f.vregs[v].general && f.vregs[v].home == homeless {
			f.vregs[v].weight += cost * often
		}
	}
	switch a := in.access; {
	case in.form == formMove && f.vregs[in.d].copies > 0: // which is left out where the copy has no register
		add(in.d, -2)
	case in.form == formCompare:
		add(in.a, costInPlace-1)
		add(in.b, costInPlace-1)
	case in.form == formGeneral:
		if !in.commutes && in.a != in.d { // else both are an address together, if they are in registers
			add(in.a, costInPlace-1)
		}
		if !in.commutes || in.a == in.d {
			add(in.b, costInPlace-1)
		}
		add(in.c, costInPlace-1)
	case a == nil || !in.follows:
	case f.goesOn(n):
		add(a.origin, -1)
		add(a.extent, -1)
	default:
		add(a.extent, costInPlace-1)
	}
	for v := range in.writes() {
		if l != noLoop && nest.spans[l].start > f.vregs[v].start {
			add(v, costRound-1)
		}
	}
}

// goesOn reports whether access n is to the element whose index the access before has compared, and whose object it has found.
func (f *function) goesOn(n int) bool {
	if n == 0 || !f.ins[n].follows || !f.ins[n-1].follows {
		return false
	}
	a, b := f.ins[n].access, f.ins[n-1].access
	return a != nil && b != nil && a.vec == 1 && b.vec == 1 && a.index[0] == b.index[0] && a.origin == b.origin && !a.extends()
}
