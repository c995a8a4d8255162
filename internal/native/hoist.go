package native

import (
	"cmp"
	"maps"
	"slices"
)

// Constants in loops. What the group's frame has is an operand in memory, which costs nothing until the code between stores here and
// there: a load waits for each store before it that may have been to where it reads, and the processor compares few bits of their
// addresses (docs/design/cpu.md). So where vectors stop, and a loop does not, what a loop reads often has a copy that is
// made before it, and the copy competes for registers as any value does. One that gets none is read where it was.

// worthCopying is how often a round has to read what is copied before the loop.
const worthCopying = 4

// hoist makes copies of what innermost loops read often.
func (f *function) hoist() {
	if f.layout.alone || f.layout.single() {
		return
	}
	out, done := make([]ins, 0, len(f.ins)), 0
	for first := range f.ins {
		if f.ins[first].form != formLoop || f.ins[first].seldom {
			continue
		}
		end := first + 1
		for f.ins[end].form != formLoop && f.ins[end].form != formLoopEnd {
			end++
		}
		if f.ins[end].form == formLoop || slices.ContainsFunc(f.ins[first:end], func(in ins) bool { return in.stops }) {
			continue
		}
		out = append(out, f.ins[done:first]...)
		out, done = append(out, f.copied(f.ins[first:end])...), first
	}
	f.ins = append(out, f.ins[done:]...)
}

// copied makes a loop read copies, and returns what makes them.
func (f *function) copied(loop []ins) (before []ins) {
	reads := map[vreg]int{}
	operands := func(do func(v *vreg)) {
		for i := range loop {
			in := &loop[i]
			switch {
			case in.form > formMacro && in.form <= formFma:
				for _, v := range []*vreg{&in.a, &in.b, &in.c} {
					if *v != noReg {
						do(v)
					}
				}
			case in.form == formMacro && in.access != nil && in.access.mask != noReg: // which is compared with that of all lanes
				do(&in.access.ones)
			}
		}
	}
	operands(func(v *vreg) {
		if h := f.vregs[*v].home; h == inBank || h == inTable {
			reads[*v]++
		}
	})
	maps.DeleteFunc(reads, func(_ vreg, n int) bool { return n < worthCopying })
	list := slices.SortedFunc(maps.Keys(reads), func(a, b vreg) int { return cmp.Or(cmp.Compare(reads[b], reads[a]), cmp.Compare(a, b)) })
	to := map[vreg]vreg{}
	for _, v := range list[:min(len(list), allocatable)] {
		d := f.reg()
		f.vregs[d].copies, to[v] = v+1, d
		before = append(before, ins{form: formMove, row: loop[0].row, d: d, a: v, b: noReg, c: noReg})
	}
	operands(func(v *vreg) {
		if d, ok := to[*v]; ok {
			*v = d
		}
	})
	for i := range loop {
		if in := &loop[i]; in.form == formMacro && in.access != nil && f.vregs[in.access.ones].copies > 0 {
			in.uses = append(slices.Clip(in.uses), in.access.ones)
		}
	}
	return before
}

// readInPlace gives those copies that have no machine register the home of what they are copies of.
func (f *function) readInPlace() {
	for v := range f.vregs {
		if i := &f.vregs[v]; i.copies > 0 && i.reg < 0 {
			of := &f.vregs[i.copies-1]
			i.home, i.off, i.fixed, i.bits = of.home, of.off, of.fixed, of.bits
		}
	}
}
