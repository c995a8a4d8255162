package native

import "github.com/govyre/vyre/internal/native/internal/amd64"

// Copies. Values reach a loop's next round, the result of a structured op, or a mask by being copied there. Where what is
// copied was computed just before, for nothing else, and the target is not looked at in between, it is computed right there.
// What is written and never read again, such as the mask of an arm that all lanes left, goes too.

// coalesce removes copies, and what nothing reads.
func (f *function) coalesce() {
	c := &copies{function: f, regs: make([]copied, len(f.vregs))}
	for v := range c.regs {
		c.regs[v] = copied{written: -1, touched: -1, macro: -1, to: vreg(v)}
	}
	for i := range f.ins {
		for v := range f.ins[i].reads() {
			c.regs[v].reads++
		}
		for v := range f.ins[i].writes() {
			c.regs[v].writes++
		}
	}
	f.remove(c.find())
	f.intervals()
	removed := make([]bool, len(f.ins))
	for i := range f.ins {
		if in := &f.ins[i]; in.form < formTest && in.form != formMacro {
			d, at := &f.vregs[in.d], int32(2*i+1)
			removed[i] = d.start < at && d.end == at
		}
	}
	f.remove(removed)
	if f.turn() {
		f.remove(f.idle())
	}
}

// copies is a function whose copies are being removed.
type copies struct {
	*function
	regs []copied // by register
}

// copied is what is known of a register, as far as instructions have been looked at.
type copied struct {
	reads, writes int32 // how many instructions do, in all
	read          int32 // how many reads there have been
	before        int32 // how many of them before it was written last
	written       int32 // by which instruction that was; −1: none
	touched       int32 // the last one that reads or writes it; −1: none
	macro         int32 // the last macro that reads it; −1: none
	to            vreg  // the register that it became; itself
}

// find returns which instructions go: jumps that lead nowhere else, and copies of what is now computed where it was to go.
func (c *copies) find() []bool {
	removed, some := c.idle(), false
	block := int32(0) // the first instruction of the basic block
	for n := range c.ins {
		i, in := int32(n), &c.ins[n]
		copies := false
		switch {
		case removed[i]:
		case in.form >= formTest, in.form == formMacro && in.among == amongOnce:
			block = i + 1
		case in.form == formMove:
			copies = c.becomes(in, block)
		}
		for v := range in.reads() {
			x := &c.regs[v]
			x.read++
			if x.touched = i; len(in.uses) > 0 {
				x.macro = i
			}
		}
		for v := range in.writes() {
			x := &c.regs[v]
			x.touched, x.written, x.before = i, i, x.read
		}
		if copies {
			a, d := &c.regs[in.a], &c.regs[in.d]
			d.written, d.before = a.written, d.read
			d.read, d.reads = d.read+a.reads-1, d.reads+a.reads-1 // what read a reads it now, but for the copy
			a.to, removed[i], some = in.d, true, true
		}
	}
	if some {
		c.rename(removed)
	}
	return removed
}

// becomes reports whether what a copy is of may be computed where the copy goes: just before, for what reads it until here and
// nothing else, while nothing knows the place that it goes to. Macros have the registers that they read for themselves; one
// that goes by those that it is said to write may write others.
func (c *copies) becomes(in *ins, block int32) bool {
	a, d := &c.regs[in.a], &c.regs[in.d]
	if a.writes != 1 || c.vregs[in.a].home != homeless || a.written < block || d.touched > a.written || a.macro > a.written {
		return false
	}
	if a.read-a.before+1 != a.reads { // this one is the last
		return false
	}
	at := &c.ins[a.written]
	return at.form != formMacro || at.follows && !at.reading(in.d)
}

// rename puts the registers that others became in their place.
func (c *copies) rename(removed []bool) {
	of := func(v vreg) vreg {
		for c.regs[v].to != v {
			v = c.regs[v].to
		}
		return v
	}
	for i := range c.ins {
		in := &c.ins[i]
		if removed[i] {
			continue
		}
		for _, v := range []*vreg{&in.d, &in.a, &in.b, &in.c} {
			if *v != noReg {
				*v = of(*v)
			}
		}
		for k, v := range in.defs {
			in.defs[k] = of(v)
		}
	}
}

// reading reports whether an instruction reads a register.
func (in *ins) reading(v vreg) bool {
	for o := range in.reads() {
		if o == v {
			return true
		}
	}
	return false
}

// rename puts a register in the place of another; what a macro reads stays.
func (in *ins) rename(from, to vreg) {
	for _, v := range []*vreg{&in.d, &in.a, &in.b, &in.c} {
		if *v == from {
			*v = to
		}
	}
	for i := range in.defs {
		if in.defs[i] == from {
			in.defs[i] = to
		}
	}
}

// idle finds jumps to where code goes on anyway, and places that nothing jumps to.
func (f *function) idle() []bool {
	out, wanted := make([]bool, len(f.ins)), map[amd64.Label]bool{}
	for i := range f.ins {
		in := &f.ins[i]
		if in.form == formJump {
			for k := i + 1; k < len(f.ins) && f.ins[k].form == formBind; k++ {
				out[i] = out[i] || f.ins[k].label == in.label
			}
		}
		if in.form >= formTest && in.form <= formJump && !out[i] {
			wanted[in.label] = true
		}
	}
	for i := range f.ins {
		out[i] = out[i] || f.ins[i].form == formBind && !wanted[f.ins[i].label]
	}
	return out
}

// turn makes a jump over a jump one jump, with the other condition.
func (f *function) turn() (some bool) {
	removed := make([]bool, len(f.ins))
	for i := 0; i+2 < len(f.ins); i++ {
		in, over := &f.ins[i], &f.ins[i+1]
		if in.form != formCompare && in.form != formTest || over.form != formJump {
			continue
		}
		for k := i + 2; k < len(f.ins) && f.ins[k].form == formBind; k++ {
			if f.ins[k].label == in.label {
				in.imm, in.label = in.imm^1, over.label
				removed[i+1], some = true, true
				i++
				break
			}
		}
	}
	if some {
		f.remove(removed)
	}
	return some
}

// remove takes instructions out.
func (f *function) remove(which []bool) {
	n := 0
	for i := range f.ins {
		if !which[i] {
			if n < i {
				f.ins[n] = f.ins[i]
			}
			n++
		}
	}
	f.ins = f.ins[:n]
}
