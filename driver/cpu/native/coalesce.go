package native

import (
	"slices"

	"github.com/govyre/vyre/driver/cpu/native/internal/amd64"
)

// Copies. Values reach a loop's next round, the result of a structured op, or a mask by being copied there. Where what is
// copied was computed just before, for nothing else, and the target is not looked at in between, it is computed right there.
// What is written and never read again, such as the mask of an arm that all lanes left, goes too.

// coalesce removes copies, and what nothing reads.
func (f *function) coalesce() {
	defined, read := make([]int32, len(f.vregs)), make([]int32, len(f.vregs))
	last := make([]int, len(f.vregs)) // by register: the instruction that wrote it last
	for i := range f.ins {
		for v := range f.ins[i].reads() {
			read[v]++
		}
		for v := range f.ins[i].writes() {
			defined[v]++
		}
	}
	removed := f.idle()
	block := 0 // the first instruction of the basic block
	for i := range f.ins {
		in := &f.ins[i]
		switch {
		case removed[i]:
		case in.form >= formTest, in.form == formMacro && in.among == amongOnce:
			block = i + 1
		case in.form == formMove && defined[in.a] == 1 && f.vregs[in.a].home == homeless:
			if at := last[in.a]; at >= block && f.renames(at, i, in.a, in.d, read[in.a]) {
				removed[i] = true
				last[in.d] = at
				continue
			}
		}
		for v := range in.writes() {
			last[v] = i
		}
	}
	f.remove(removed)
	f.intervals()
	removed = removed[:len(f.ins)]
	for i := range f.ins {
		in := &f.ins[i]
		if removed[i] = false; in.form < formTest && in.form != formMacro {
			d, at := &f.vregs[in.d], int32(2*i+1)
			removed[i] = d.start < at && d.end == at
		}
	}
	f.remove(removed)
	if f.turn() {
		f.remove(f.idle())
	}
}

// renames makes what instruction at writes to a go to d, and all n readers of a read that: if the last one is the copy
// at end, nothing in between knows d, and none of them is a macro that has a for itself; in may be one that goes by what it is said to write.
func (f *function) renames(at, end int, a, d vreg, n int32) bool {
	in := &f.ins[at]
	if f.touches(at+1, end, d) || in.form == formMacro && (!in.follows || in.reading(d)) {
		return false
	}
	for i := at + 1; i <= end; i++ {
		for v := range f.ins[i].reads() {
			if v == a {
				n--
			}
		}
		if f.ins[i].form == formMacro && slices.Contains(f.ins[i].uses, a) {
			return false
		}
	}
	if n != 0 {
		return false
	}
	in.rename(a, d)
	for i := at + 1; i < end; i++ {
		f.ins[i].rename(a, d)
	}
	return true
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
	for i := 0; i+2 < len(f.ins); i++ {
		in, over := &f.ins[i], &f.ins[i+1]
		if in.form != formCompare && in.form != formTest || over.form != formJump {
			continue
		}
		for k := i + 2; k < len(f.ins) && f.ins[k].form == formBind; k++ {
			if f.ins[k].label == in.label {
				in.imm, in.label = in.imm^1, over.label
				f.ins, some = slices.Delete(f.ins, i+1, i+2), true
				break
			}
		}
	}
	return some
}

// touches reports whether instructions read or write a register.
func (f *function) touches(first, end int, v vreg) bool {
	for i := first; i < end; i++ {
		for o := range f.ins[i].registers() {
			if o == v {
				return true
			}
		}
	}
	return false
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
