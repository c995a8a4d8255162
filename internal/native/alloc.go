package native

import (
	"cmp"
	"maps"
	"slices"
)

// Linear scan: every virtual register without a home gets an interval, from where it is first written to where it is
// last read; one that a loop reads and that was there before lives to the loop's end. Intervals that overlap get
// different machine registers. Where there are not enough, the one that is used least for its length is kept in the
// frame: AVX reads memory operands in place. So is one that would be saved and restored, where the vector stops, more often
// than it is used.

// machineRegisters is the most vectors that a target has; the general registers are counted after them. allocatable is how many
// of the first 16 are handed out; the other three are scratch.
const (
	machineRegisters = 32
	allRegisters     = machineRegisters + 16
	allocatable      = 13
)

// machine is the n-th register that is handed out.
func machine(n int) int {
	if n >= allocatable {
		n += 16 - allocatable
	}
	return n
}

// allocate gives every virtual register a machine register or a slot in the vector's frame. most bounds the machine
// registers; with upper, those above it are handed out first. Both are for tests.
func (f *function) allocate(most int, upper bool) {
	var list []vreg
	if f.layout.single() {
		list = f.handOutGenerals()
	} else {
		list = f.intervals()
	}
	var free [allRegisters]bool
	for i := range most {
		free[machine(i)] = true
	}
	f.scan(slices.DeleteFunc(slices.Clone(list), func(v vreg) bool { return f.vregs[v].general }), free, f.lower(list, most, upper))
	f.slots(list)
	f.readInPlace()
}

// scan hands out those registers that are free. Where lower says so, it takes vectors that are not among the first 16.
func (f *function) scan(list []vreg, free [allRegisters]bool, lower []bool) {
	var active []vreg // by end
	for _, v := range list {
		i := &f.vregs[v]
		for len(active) > 0 && f.vregs[active[0]].end <= i.start {
			free[f.vregs[active[0]].reg] = true
			active = active[1:]
		}
		n := -1
		if lower != nil && !lower[v] {
			if n = slices.Index(free[machineRegisters/2:machineRegisters], true); n >= 0 {
				n += machineRegisters / 2
			}
		}
		if n < 0 {
			n = slices.Index(free[:], true)
		}
		if i.slot || 2*i.stops > i.weight {
			continue
		}
		if n >= 0 {
			free[n] = false
			i.reg = int8(n)
		} else {
			worst := v
			for _, a := range active {
				if f.density(a) < f.density(worst) {
					worst = a
				}
			}
			if worst != v {
				i.reg = f.vregs[worst].reg
				held := &f.held[i.reg] // whose last is the worst
				*held = (*held)[:len(*held)-1]
				active = slices.DeleteFunc(active, func(a vreg) bool { return a == worst })
			}
			w := &f.vregs[worst]
			w.reg = -1
			if worst == v {
				continue
			}
		}
		f.held[i.reg] = append(f.held[i.reg], v)
		at, _ := slices.BinarySearchFunc(active, i.end, func(a vreg, end int32) int { return cmp.Compare(f.vregs[a].end, end) })
		active = slices.Insert(active, at, v)
	}
}

// keep gives machine registers that are left over to entries of the bank, the most used first: a vector reads them once for
// all that follow it, and not at each use. Reading from memory is what code waits for that streams: lines that arrive from
// farther away take the place of loads.
func (f *function) keep(most int) {
	if !f.layout.alone {
		return
	}
	weight := map[vreg]int{}
	nest := f.loops()
	for i := range f.ins {
		if in := &f.ins[i]; f.layout.single() && (in.form >= formGeneral || in.form == formMove && f.vregs[in.d].general) { // which may read memory in place
			continue
		}
		for v := range f.ins[i].reads() {
			if x := &f.vregs[v]; x.home == inBank && !x.general && !f.ins[i].seldom {
				weight[v] += 1 << (3 * min(nest.depth(i), 4))
			}
		}
	}
	list := slices.SortedFunc(maps.Keys(weight), func(a, b vreg) int {
		return cmp.Or(cmp.Compare(weight[b], weight[a]), cmp.Compare(a, b))
	})
	masks := f.aboutMasks()
	for n := range most {
		r := machine(n)
		if len(f.held[r]) > 0 {
			continue
		}
		if i := slices.IndexFunc(list, func(v vreg) bool { return n < allocatable || !masks[v] }); i >= 0 {
			f.vregs[list[i]].reg = int8(r)
			f.kept, list = append(f.kept, list[i]), slices.Delete(list, i, i+1)
		}
	}
}

// lower says which registers should be among the first 16, where there are more and they are needed. It is nil where all may
// be; with upper, none should.
func (f *function) lower(list []vreg, most int, upper bool) []bool {
	switch {
	case upper:
		return make([]bool, len(f.vregs))
	case most <= allocatable || !f.crowded(list):
		return nil
	}
	return f.aboutMasks()
}

// aboutMasks finds the registers that masks are made of, are, or go by: with those that only some targets have that takes two
// instructions, and not one.
func (f *function) aboutMasks() []bool {
	out := make([]bool, len(f.vregs))
	for i := range f.ins {
		if in := &f.ins[i]; in.compares() || in.form == form4 || in.form == formTest || in.form == formMacro {
			for v := range in.registers() {
				out[v] = true
			}
		}
	}
	return out
}

// crowded reports whether more registers live at once than are handed out of the first 16.
func (f *function) crowded(list []vreg) bool {
	var ends []int32
	for _, v := range list {
		i := &f.vregs[v]
		ends = slices.DeleteFunc(ends, func(end int32) bool { return end <= i.start })
		if ends = append(ends, i.end); len(ends) > allocatable {
			return true
		}
	}
	return false
}

// slots gives those without a machine register room in the vector's frame, the same to some that do not overlap: what is
// kept there should stay near the processor.
func (f *function) slots(list []vreg) {
	for _, v := range list { // copies are read where it is that they are of
		if i := &f.vregs[v]; i.copies > 0 && i.reg < 0 {
			of := &f.vregs[i.copies-1]
			of.end = max(of.end, i.end)
		}
	}
	var free []int32
	var active []vreg // by end
	for _, v := range list {
		i := &f.vregs[v]
		if i.reg >= 0 || i.home != homeless || i.copies > 0 {
			continue
		}
		for len(active) > 0 && f.vregs[active[0]].end <= i.start {
			free = append(free, f.vregs[active[0]].off)
			active = active[1:]
		}
		if n := len(free); n > 0 {
			i.off, free = free[n-1], free[:n-1]
		} else {
			i.off = f.layout.vector.take(32)
		}
		at, _ := slices.BinarySearchFunc(active, i.end, func(a vreg, end int32) int { return cmp.Compare(f.vregs[a].end, end) })
		active = slices.Insert(active, at, v)
	}
}

func (f *function) density(v vreg) float32 {
	i := &f.vregs[v]
	return i.weight / float32(i.end-i.start+1)
}

// intervals finds where each virtual register lives, and returns those that need a place by their start. An
// instruction reads at twice its index and writes one later; a macro reads until after it wrote.
func (f *function) intervals() []vreg {
	nest := f.loops()
	for v := range f.vregs {
		i := &f.vregs[v]
		i.start, i.end, i.weight = -1, 0, 0
	}
	var list []vreg
	for _, v := range f.whole {
		f.vregs[v].start = 0
		list = append(list, v)
	}
	l, weight := noLoop, float32(0)
	occur := func(v vreg, at int32) {
		if v == noReg || f.vregs[v].home != homeless {
			return
		}
		i := &f.vregs[v]
		if i.start < 0 {
			i.start = at
			list = append(list, v)
		}
		i.end, i.weight = max(i.end, at), i.weight+weight
		for n := l; n != noLoop && nest.spans[n].start > i.start; n = nest.spans[n].around {
			i.end = max(i.end, nest.spans[n].end)
		}
	}
	for n := range f.ins {
		in, at := &f.ins[n], int32(2*n+1)
		if l = nest.at[n]; in.seldom {
			weight = 1.0 / 64
		} else {
			weight = nest.often(n)
		}
		for _, v := range [...]vreg{in.a, in.b, in.c} {
			occur(v, at)
		}
		for _, v := range in.uses {
			occur(v, at+1)
		}
		occur(in.d, at)
		for _, v := range in.defs {
			occur(v, at)
			occur(v, at+1)
		}
		if f.layout.single() {
			f.weigh(n, l, weight, &nest)
		}
	}
	for _, v := range f.whole {
		f.vregs[v].end = int32(2*len(f.ins) + 2)
	}
	stops := make([]float32, len(f.ins)+1) // before each instruction
	for n := range f.ins {
		if stops[n+1] = stops[n]; f.ins[n].stops {
			stops[n+1] += nest.often(n)
		}
	}
	for k, v := range list {
		i := &f.vregs[v]
		i.end = max(i.end, i.start+1)
		i.stops = stops[max((i.end-1)/2, (i.start+1)/2)] - stops[(i.start+1)/2]
		for ; k > 0 && f.startsBefore(v, list[k-1]); k-- { // those of an instruction are in its order
			list[k], list[k-1] = list[k-1], v
		}
	}
	return list
}

// startsBefore says which of two registers is first in the list of those that need a place.
func (f *function) startsBefore(v, o vreg) bool {
	a, b := f.vregs[v].start, f.vregs[o].start
	return a < b || a == b && v < o
}

// loopSpan is where a loop stands, and which one is around it.
type loopSpan struct {
	start, end int32
	around     int32
	depth      int32 // how many there are, with this one
}

// nest is how the loops of a function stand.
type nest struct {
	spans []loopSpan
	at    []int32 // by instruction: the innermost loop around it
}

// noLoop is around what is in none.
const noLoop = int32(-1)

// loops finds them.
func (f *function) loops() nest {
	n := nest{at: make([]int32, len(f.ins))}
	open := noLoop
	for i := range f.ins {
		switch f.ins[i].form {
		case formLoop:
			n.spans = append(n.spans, loopSpan{start: int32(2*i + 1), around: open, depth: 1})
			if open != noLoop {
				n.spans[len(n.spans)-1].depth += n.spans[open].depth
			}
			open = int32(len(n.spans) - 1)
		case formLoopEnd:
			n.spans[open].end = int32(2*i + 1)
			open = n.spans[open].around
		}
		n.at[i] = open
	}
	return n
}

// depth is how many loops are around an instruction.
func (n *nest) depth(i int) int {
	if l := n.at[i]; l != noLoop {
		return int(n.spans[l].depth)
	}
	return 0
}

// often is how many times an instruction is taken to run.
func (n *nest) often(i int) float32 { return float32(int(1) << (3 * min(n.depth(i), 4))) }
