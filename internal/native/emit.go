package native

import (
	"fmt"

	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// Machine registers with a meaning of their own. Those from allocatable on hold what lives in memory, for as long as one
// instruction takes. AX, CX, DX and R8 to R11 are free within an instruction,
// and keep nothing beyond it but what reached says; so are BX, R12 and R13, unless they are spare (general.go).
const (
	groupFrame   = amd64.DI
	vectorFrame  = amd64.SI
	vectorNumber = amd64.R15 // the vector's number times 32

	scratch0 = amd64.Y(13)
	scratch1 = amd64.Y(14)
	scratch2 = amd64.Y(15)
)

// emitter writes instructions as machine code.
type emitter struct {
	assembler
	f      *function
	at     int      // the instruction under way
	vector uint8    // of those in step, that a macro is being written for
	late   []func() // what stands after all the rest
	next   amd64.Label

	reached, reachedBefore reached   // after and before the instruction under way
	accessed               *accessed // what an access of one invocation has found out, which is the one before

	tested   vreg // that the flags are of, after the instruction
	testedAt int

	lives   []vreg // what live has returned for an instruction
	livesAt int

	holders   []int             // the machine registers that something has
	reachedIn [allRegisters]int // by machine register: how many of those that have it begin before that
	spots     spots             // what plain loads have in registers
	spares    bool              // the macro under way leaves these alone, but where it goes out of line
	folded    amd64.Mem         // where the operand is that is inOperand

	latest *vinfo // what scratch2 still has, which was stored from there: reading it there spares waiting for the store
	apart  bool   // a macro, or what stands out of line, is being written, to which latest means nothing
}

// info is what is known of a register: of the vector that code is being written for, where there are several.
func (e *emitter) info(v vreg) *vinfo {
	if e.vector > 0 && int(v) < len(e.f.copies[e.vector-1]) {
		v = e.f.copies[e.vector-1][v]
	}
	return &e.f.vregs[v]
}

// place returns where a register that is in memory lives.
func (e *emitter) place(v vreg) amd64.Mem { return e.placeOf(e.info(v)) }

func (e *emitter) placeOf(i *vinfo) amd64.Mem {
	switch i.home {
	case inBank:
		return amd64.At(groupFrame, i.off)
	case inOperand:
		return e.folded
	case inTable:
		return amd64.Mem{Base: groupFrame, Index: vectorNumber, Scale: 1, Disp: i.off}
	default:
		return amd64.At(vectorFrame, i.off)
	}
}

// inReg reports whether v has a machine register.
func (e *emitter) inReg(v vreg) bool { return e.info(v).reg >= 0 }

// isLatest reports whether v is in memory, and scratch2 has it too.
func (e *emitter) isLatest(v vreg) bool { return !e.apart && e.latest != nil && e.info(v) == e.latest }

// rm is v as an operand that may be memory.
func (e *emitter) rm(v vreg) amd64.RM {
	switch {
	case e.inReg(v):
		return amd64.Y(e.info(v).reg).RM()
	case e.isLatest(v):
		return scratch2.RM()
	}
	return e.place(v).RM()
}

// reg is v in a machine register: its own, or else scratch.
func (e *emitter) reg(v vreg, scratch amd64.Y) amd64.Y {
	switch {
	case e.inReg(v):
		return amd64.Y(e.info(v).reg)
	case e.isLatest(v):
		return scratch2
	}
	e.VLoad(scratch, e.place(v))
	return scratch
}

// dst is the machine register to write v to, which put then stores if v is in memory.
func (e *emitter) dst(v vreg) amd64.Y {
	if e.inReg(v) {
		return amd64.Y(e.info(v).reg)
	}
	return scratch2
}

func (e *emitter) put(v vreg, y amd64.Y) {
	if e.inReg(v) {
		e.VMove(amd64.Y(e.info(v).reg), y)
		return
	}
	e.VStore(e.place(v), y)
	if e.latest == e.info(v) || y == scratch2 {
		e.latest = nil
	}
	if y == scratch2 && !e.apart {
		e.latest = e.info(v)
	}
}

// later notes code of the instruction under way that stands after all the rest.
func (e *emitter) later(write func()) {
	at, vector := e.at, e.vector
	e.late = append(e.late, func() {
		e.at, e.vector = at, vector
		e.mark(e.f.ins[at].row)
		write()
	})
}

// mark notes that what follows is of a row, for List.
func (e *emitter) mark(r ir.Row) {
	if e.f.marks != nil {
		e.f.marks.put(e.Len(), r)
	}
}

// all writes the instructions, and what they left for later.
func (e *emitter) all() {
	for e.at = 0; e.at < len(e.f.ins); e.at++ {
		e.mark(e.f.ins[e.at].row)
		if !e.aside() {
			e.one(&e.f.ins[e.at])
		}
	}
	e.apart = true
}

func (e *emitter) one(in *ins) {
	if in.d != noReg {
		e.forget(&e.f.vregs[in.d])
	}
	switch in.form {
	case formMacro:
		e.macro(in)
		return
	case formGeneral:
		e.forgetAll()
		e.apart = true
		in.emit(e)
		e.apart = false
		return
	case formCompare:
		e.forgetAll()
		e.Jcc(e.compare(in.size, amd64.Cond(in.imm), in.a, in.b), in.label)
		return
	case formTest:
		if e.f.vregs[in.a].general {
			e.forgetAll()
			e.test(in.a)
			e.Jcc(amd64.Cond(in.imm), in.label)
			return
		}
		m := e.reg(in.a, scratch0)
		e.V2(amd64.VTESTPS, m, m.RM())
		e.Jcc(amd64.Cond(in.imm), in.label)
		return
	case formWithin:
		e.within(in)
		return
	case formBeyond:
		e.beyond(in)
		return
	case formJump:
		e.Jmp(in.label)
		return
	case formBind:
		e.forgetAll()
		e.Bind(in.label)
		return
	case formLoop, formLoopEnd:
		return
	case formLoad:
		e.plainLoad(in)
		return
	case formMove:
		e.copy(in.d, in.a)
		return
	case formFma:
		if !e.fusedOnto(in) {
			e.fused(in)
		}
		return
	case formLogic:
		e.logic(in)
		return
	}
	e.operation(in)
}

// macro writes an instruction that writes itself.
func (e *emitter) macro(in *ins) {
	e.reachedBefore, e.reached, e.spares, e.latest = e.reached, unreached, false, nil
	e.vector, e.apart = in.vector, true
	if in.borrows {
		defer e.lend()()
	}
	in.emit(e)
	e.vector, e.apart = 0, false
	if !e.spares {
		e.spots = spots{}
	}
	for v := range in.writes() {
		e.forget(&e.f.vregs[v])
	}
}

// operation writes an instruction that makes a register of others.
func (e *emitter) operation(in *ins) {
	d := e.dst(in.d)
	switch in.form {
	case form3Swap, form3:
		a, b := in.a, in.b
		if in.form == form3Swap && !e.inReg(a) && !e.isLatest(a) {
			a, b = b, a
		}
		e.V3(in.op, d, e.reg(a, scratch0), e.rm(b))
	case form3Imm:
		if in.op == amd64.VPBLENDD { // with AVX-512 its mask goes through R8
			e.spots = spots{}
		}
		e.V3Imm(in.op, d, e.reg(in.a, scratch0), e.rm(in.b), in.imm)
	case form4:
		e.V4(in.op, d, e.reg(in.a, scratch0), e.rm(in.b), e.reg(in.c, scratch1))
	case form2:
		e.V2(in.op, d, e.rm(in.a))
	case form2Imm:
		e.V2Imm(in.op, d, e.rm(in.a), in.imm)
	case formShift:
		e.VShift(in.op, d, e.reg(in.a, scratch0), in.imm)
	default:
		panic(fmt.Sprintf("BUG: native: instruction of form %d", in.form))
	}
	if !e.inReg(in.d) {
		e.put(in.d, d)
	}
}

func (e *emitter) copy(d, a vreg) {
	switch {
	case e.f.vregs[d].general:
		if e.forgetAll(); !e.owns(d) && !e.owns(a) && e.place(d) == e.place(a) {
			return
		}
		e.setGeneral(d, e.general(e.sizeOf(d), a, e.target(d)))
	case e.inReg(d) && e.inReg(a):
		e.VMove(amd64.Y(e.f.vregs[d].reg), amd64.Y(e.f.vregs[a].reg))
	case e.inReg(d):
		e.copyTo(amd64.Y(e.f.vregs[d].reg), a)
	case e.f.vregs[d].copies > 0: // which is read where it was
	default:
		if e.VStore(e.place(d), e.reg(a, scratch0)); e.isLatest(d) {
			e.latest = nil
		}
	}
}
