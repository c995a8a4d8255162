package native

import "slices"

// Copies of one invocation. An instruction on general registers writes over its first operand. What was computed just before for it
// alone is computed in its result's register right away, so that nothing is copied there.

// maxTied bounds how far an operand stands before what it is for, so that long blocks take no longer for each instruction.
const maxTied = 48

// tie makes operands and results one register where nothing asks for both.
func (f *function) tie() {
	defined, read, at := make([]int32, len(f.vregs)), make([]int32, len(f.vregs)), make([]int, len(f.vregs))
	block, first := make([]int, len(f.ins)), 0
	for i := range f.ins {
		in := &f.ins[i]
		block[i] = first
		if in.form >= formTest || in.form == formMacro && in.among <= amongOnce {
			first = i + 1
		}
		for v := range in.reads() {
			read[v]++
		}
		for v := range in.writes() {
			defined[v]++
			at[v] = i
		}
	}
	for i := len(f.ins) - 1; i >= 0; i-- {
		in := &f.ins[i]
		if in.form != formGeneral || !f.vregs[in.d].general {
			continue
		}
		for k, x := range [...]vreg{in.a, in.b} {
			if k == 1 && !in.commutes || x == noReg || x == in.d || defined[x] != 1 || !f.ties(x, in.d) || at[x] < max(block[i], i-maxTied) {
				continue
			}
			other := in.b
			if x == in.b {
				other = in.a
			}
			if other == in.d || in.c == in.d || slices.Contains(in.uses, in.d) { // which it has to find as it was
				continue
			}
			if f.renames(at[x], i, x, in.d, read[x]) {
				in.rename(x, in.d)
				defined[in.d]++
				break
			}
		}
	}
}

// ties reports whether a register may become another one.
func (f *function) ties(x, d vreg) bool {
	a, b := &f.vregs[x], &f.vregs[d]
	return a.home == homeless && a.general && a.wide == b.wide
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
		if slices.Contains(f.ins[i].uses, a) {
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
