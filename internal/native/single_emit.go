package native

import (
	"math"

	"github.com/govyre/vyre/internal/native/internal/amd64"
)

// own is the general register of v, which has one.
func (e *emitter) own(v vreg) amd64.Reg { return amd64.Reg(e.f.vregs[v].reg - machineRegisters) }

// owns reports whether v has a general register.
func (e *emitter) owns(v vreg) bool { return e.f.vregs[v].general && e.f.vregs[v].reg >= 0 }

// sizeOf is the bytes of v that are a value.
func (e *emitter) sizeOf(v vreg) amd64.Size {
	if e.f.vregs[v].wide {
		return 8
	}
	return 4
}

// word is the value of v as an operand: its general register, or memory, which may have a vector of such values.
//
//go:noinline
func (e *emitter) word(v vreg) amd64.RM {
	if e.owns(v) {
		return e.own(v).RM()
	}
	return e.place(v).RM()
}

// general returns a register with the value of v: its own, or else scratch.
//
//go:noinline
func (e *emitter) general(size amd64.Size, v vreg, scratch amd64.Reg) amd64.Reg {
	if e.owns(v) {
		return e.own(v)
	}
	e.bring(size, scratch, v)
	return scratch
}

// bring copies the value of v to a register, with any bits above it.
//
//go:noinline
func (e *emitter) bring(size amd64.Size, r amd64.Reg, v vreg) {
	i := &e.f.vregs[v]
	switch {
	case i.fixed && (size == 4 || i.bits>>32 == 0):
		e.Imm32(r, uint32(i.bits))
	case !e.owns(v):
		e.Load(size, r, e.place(v).RM())
	case e.own(v) != r || size == 4 && i.wide: // whose upper half goes
		e.Load(size, r, e.own(v).RM())
	}
}

// target is the register to write v to, which setGeneral then stores if v is in memory.
func (e *emitter) target(v vreg) amd64.Reg {
	if e.owns(v) {
		return e.own(v)
	}
	return amd64.AX
}

//go:noinline
func (e *emitter) setGeneral(v vreg, r amd64.Reg) {
	switch {
	case !e.owns(v):
		e.Store(8, e.place(v), r)
	case e.own(v) != r:
		e.Load(8, e.own(v), r.RM())
	}
}

// literal returns v as a constant that an instruction of so many bytes may have.
func (e *emitter) literal(size amd64.Size, v vreg) (int32, bool) {
	i := &e.f.vregs[v]
	return int32(i.bits), i.fixed && (size == 4 || int64(i.bits) == int64(int32(i.bits)))
}

// binary writes d ← a op b. A sum is an address where that saves a copy.
func (e *emitter) binary(op amd64.Alu, size amd64.Size, d, a, b vreg) {
	r := e.target(d)
	n, fixed := e.literal(size, b)
	if op == amd64.SUB && fixed && n != math.MinInt32 {
		n, op = -n, amd64.ADD
	}
	if e.owns(b) && e.own(b) == r && op != amd64.SUB {
		a, b = b, a
		n, fixed = e.literal(size, b)
	}
	from := e.owns(a) && e.own(a) != r
	switch {
	case op == amd64.ADD && fixed && from:
		e.sum(size, r, amd64.At(e.own(a), n))
	case op == amd64.ADD && from && e.owns(b) && e.own(b) != r:
		e.sum(size, r, amd64.Mem{Base: e.own(a), Index: e.own(b), Scale: 1})
	case fixed:
		e.start(size, r, a)
		e.AluImm(op, size, r.RM(), n)
	case e.owns(b) && e.own(b) == r: // a difference
		e.bring(size, amd64.AX, a)
		e.Alu(op, size, amd64.AX, e.word(b))
		r = amd64.AX
	default:
		e.start(size, r, a)
		e.Alu(op, size, r, e.word(b))
	}
	e.setGeneral(d, r)
	if op == amd64.AND && e.owns(d) && e.own(d) == r {
		e.tested, e.testedAt = d, e.at
	}
}

// start brings v to a register for an instruction that writes it, with zeros above.
func (e *emitter) start(size amd64.Size, r amd64.Reg, v vreg) {
	if !e.owns(v) || e.own(v) != r {
		e.bring(size, r, v)
	}
}

// sum computes a sum as an address.
func (e *emitter) sum(size amd64.Size, d amd64.Reg, m amd64.Mem) {
	if size == 8 {
		e.Lea(d, m)
	} else {
		e.Lea4(d, m)
	}
}

// turned are conditions after both sides of a comparison have changed places.
var turned = [16]amd64.Cond{amd64.E: amd64.E, amd64.NE: amd64.NE, amd64.B: amd64.A, amd64.A: amd64.B, amd64.BE: amd64.AE, amd64.AE: amd64.BE,
	amd64.L: amd64.G, amd64.G: amd64.L, amd64.LE: amd64.GE, amd64.GE: amd64.LE}

// compare sets the flags by a comparison, and returns the condition that c is then.
func (e *emitter) compare(size amd64.Size, c amd64.Cond, a, b vreg) amd64.Cond {
	if e.owns(b) && !e.owns(a) {
		a, b, c = b, a, turned[c]
	}
	equality := c == amd64.E || c == amd64.NE
	switch n, fixed := e.literal(size, b); {
	case !fixed:
		e.Alu(amd64.CMP, size, e.general(size, a, amd64.AX), e.word(b))
	case n == 0 && equality && e.tested == a && e.testedAt == e.at-1: // the flags are those of a
	case n == 0 && equality && e.owns(a):
		e.Test(size, e.own(a), e.own(a))
	default:
		e.AluImm(amd64.CMP, size, e.word(a), n)
	}
	return c
}

// test sets the flags by whether a bool is; CX is lost.
func (e *emitter) test(v vreg) {
	r := e.general(4, v, amd64.CX)
	e.Test(4, r, r)
}

// spread makes a vector of the number under way.
func (e *emitter) spread(size amd64.Size) {
	in := &e.f.ins[e.at]
	op := amd64.VPBROADCASTD
	if size == 8 {
		op = amd64.VPBROADCASTQ
	}
	y, from := e.dst(in.d), e.place(in.a).RM()
	if e.owns(in.a) {
		e.VSetLow(size, y, e.own(in.a))
		from = y.RM()
	}
	e.V2(op, y, from)
	e.put(in.d, y)
}

// take makes a number of the vector under way.
func (e *emitter) take(size amd64.Size) {
	in := &e.f.ins[e.at]
	r := e.target(in.d)
	if e.inReg(in.a) {
		e.VLow(size, r, e.reg(in.a, scratch0))
	} else {
		e.Load(size, r, e.place(in.a).RM())
	}
	e.setGeneral(in.d, r)
}

// lend saves the general registers that the macro under way may use for itself, and returns what brings them back.
func (e *emitter) lend() (back func()) {
	all := e.live()
	for _, v := range all {
		if e.owns(v) {
			e.Store(8, e.saved(v), e.own(v))
		}
	}
	if r, kept := e.f.generalOf(pollsCell); kept {
		e.Store(8, e.f.cellAt(pollsCell), r)
	}
	return func() {
		e.fetchGeneral()
		for _, v := range all {
			if e.owns(v) {
				e.Load(8, e.own(v), e.saved(v).RM())
			}
		}
	}
}
