package native

import "github.com/govyre/vyre/internal/native/internal/amd64"

// fused writes d ← a·b + c. The instruction overwrites one operand: c (231), or a factor (213,
// 132), and the last one may be in memory.
func (e *emitter) fused(in *ins) {
	by := amd64.VFMADD213PS
	if in.op == amd64.VFMADD231PD {
		by = amd64.VFMADD213PD
	}
	onto := amd64.VFMADD132PS
	if in.op == amd64.VFMADD231PD {
		onto = amd64.VFMADD132PD
	}
	d, a, b, c := e.dst(in.d), in.a, in.b, in.c
	is := func(v vreg) bool { return e.inReg(v) && e.inReg(in.d) && e.f.vregs[v].reg == e.f.vregs[in.d].reg }
	if !e.inReg(a) || is(b) { // a is to be in a register, and the one overwritten if there is one
		a, b = b, a
	}
	switch {
	case is(a) && !is(c) && e.inReg(c) && !e.inReg(b):
		e.V3(onto, d, e.reg(c, scratch0), e.rm(b))
	case is(a) && !is(c):
		e.V3(by, d, e.reg(b, scratch0), e.rm(c)) // d = a
	case is(c) && !is(a) && !is(b):
		e.V3(in.op, d, e.reg(a, scratch0), e.rm(b))
	case !e.inReg(in.d) && c != a && c != b && e.ends(c): // c may be overwritten
		d = amd64.Y(e.f.vregs[c].reg)
		e.V3(in.op, d, e.reg(a, scratch0), e.rm(b))
	case !is(a) && !is(b) && !is(c):
		e.copyTo(d, c)
		e.V3(in.op, d, e.reg(a, scratch0), e.rm(b))
	default: // d is several of them
		e.copyTo(scratch1, c)
		e.V3(in.op, scratch1, e.reg(a, scratch0), e.rm(b))
		d = scratch1
	}
	e.put(in.d, d)
}

// ends reports whether the instruction under way is the last that reads a register, which is a machine register.
func (e *emitter) ends(v vreg) bool {
	i := &e.f.vregs[v]
	return i.home == homeless && i.reg >= 0 && i.end == int32(2*e.at+1)
}

func (e *emitter) copyTo(y amd64.Y, v vreg) {
	switch {
	case e.inReg(v):
		e.VMove(y, amd64.Y(e.f.vregs[v].reg))
	case e.isLatest(v):
		e.VMove(y, scratch2)
	default:
		e.VLoad(y, e.place(v))
	}
}

// fusedOnto is fused where scratch2 has an operand and the result goes to memory; false if that is not so, or the operand is there
// twice.
func (e *emitter) fusedOnto(in *ins) bool {
	a, b, c := in.a, in.b, in.c
	if e.inReg(in.d) || !e.isLatest(a) && !e.isLatest(b) && !e.isLatest(c) {
		return false
	}
	if e.isLatest(b) {
		a, b = b, a
	}
	if a == b || a == c || b == c {
		e.latest = nil // fused overwrites scratch2 before it has read all
		return false
	}
	switch double := in.op == amd64.VFMADD231PD; {
	case e.isLatest(c):
		e.V3(in.op, scratch2, e.reg(a, scratch0), e.rm(b))
	case double:
		e.V3(amd64.VFMADD213PD, scratch2, e.reg(b, scratch0), e.rm(c))
	default:
		e.V3(amd64.VFMADD213PS, scratch2, e.reg(b, scratch0), e.rm(c))
	}
	e.put(in.d, scratch2)
	return true
}
