package native

import "github.com/govyre/vyre/internal/native/internal/amd64"

// Common subexpressions. Rules know nothing of each other: of a product of 64 bits one makes the lower half and another the upper one,
// and both multiply the same parts. A block then computes an expression of the same registers once.

// computed is what an instruction makes, whatever register it makes it in.
type computed struct {
	form    form
	imm     uint8
	op      amd64.Op
	a, b, c vreg
}

// cse makes copies of what was computed before in the same block, between two places where a vector stops; those that only
// instructions read which are no macros are read where they come from. And it makes one instruction of a conjunction with
// what is negated.
func (f *function) cse() {
	defs := make([]int32, len(f.vregs))
	for i := range f.ins {
		for v := range f.ins[i].writes() {
			defs[v]++
		}
	}
	steady := func(v vreg) bool { return v == noReg || defs[v] <= 1 }
	instead := map[vreg]vreg{}
	known, negated := map[computed]vreg{}, map[vreg]vreg{}
	for i := range f.ins {
		in := &f.ins[i]
		if in.form != formMacro && len(instead) > 0 {
			for _, v := range []*vreg{&in.a, &in.b, &in.c} {
				if to, ok := instead[*v]; ok {
					*v = to
				}
			}
		}
		switch in.form {
		case formBind, formLoop, formLoopEnd:
			known, negated = emptied(known), emptied(negated)
			continue
		case formMacro:
			if in.among == amongNone {
				known, negated = emptied(known), emptied(negated)
			}
			continue
		case form3, form3Swap, form3Imm, form4, form2, form2Imm, formShift, formLogic, formFma:
		default:
			continue
		}
		if in.op == amd64.VPAND && in.form == form3Swap {
			if x, ok := negated[in.a]; ok {
				in.form, in.op, in.a = form3, amd64.VPANDN, x
			} else if x, ok := negated[in.b]; ok {
				in.form, in.op, in.a, in.b = form3, amd64.VPANDN, x, in.a
			}
		}
		if !steady(in.d) || !steady(in.a) || !steady(in.b) || !steady(in.c) {
			continue
		}
		if in.form == form3Swap && in.a > in.b {
			in.a, in.b = in.b, in.a
		}
		what := computed{in.form, in.imm, in.op, in.a, in.b, in.c}
		if d, ok := known[what]; ok {
			*in = ins{form: formMove, row: in.row, seldom: in.seldom, d: in.d, a: d, b: noReg, c: noReg}
			instead[in.d] = d
			continue
		}
		known[what] = in.d
		if in.op == amd64.VPXOR && in.form == form3Swap {
			for _, x := range [][2]vreg{{in.a, in.b}, {in.b, in.a}} {
				if v := &f.vregs[x[1]]; v.fixed && v.bits == ^uint64(0) {
					negated[in.d] = x[0]
				}
			}
		}
	}
}

// emptied is a map with nothing in it. One that was large is left: it would take as long to clear after each of the small blocks
// that may follow a long one.
func emptied[K comparable, V any](m map[K]V) map[K]V {
	if len(m) > 256 {
		return map[K]V{}
	}
	clear(m)
	return m
}
