package native

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/govyre/vyre/driver/cpu/native/internal/amd64"
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
	for e.at = range e.f.ins {
		e.mark(e.f.ins[e.at].row)
		e.one(&e.f.ins[e.at])
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
	default:
		if e.VStore(e.place(d), e.reg(a, scratch0)); e.isLatest(d) {
			e.latest = nil
		}
	}
}

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

// live returns the virtual registers in machine registers that are needed after the instruction under way and were there
// before it.
func (e *emitter) live() []vreg {
	if e.livesAt == e.at && e.lives != nil {
		return e.lives
	}
	list := e.lives[:0]
	at := int32(2*e.at + 1)
	for r, held := range e.f.held {
		n := e.reachedIn[r] // most often code is asked about in its order
		for n < len(held) && e.f.vregs[held[n]].start < at {
			n++
		}
		if n > 0 && e.f.vregs[held[n-1]].start >= at {
			n, _ = slices.BinarySearchFunc(held, at, func(v vreg, at int32) int { return cmp.Compare(e.f.vregs[v].start, at) })
		}
		e.reachedIn[r] = n
		if n > 0 && e.f.vregs[held[n-1]].end > at+1 {
			list = append(list, held[n-1])
		}
	}
	e.lives, e.livesAt = list, e.at
	return list
}

// stop ends the vector's turn: it saves what lives, notes why and where to go on, and leaves to Go or to the next vector.
// Code goes on here, with everything as it was.
func (e *emitter) stop(why status, r ir.Row, toNext bool) {
	resume := e.NewLabel()
	e.save(why, r, resume)
	switch {
	case toNext && why == atGroup && e.f.p.Type(r) == ir.None:
		e.AluImm(amd64.ADD, 8, amd64.At(groupFrame, groupWaits).RM(), 1)
		e.Jmp(e.next)
	case toNext:
		e.Jmp(e.next)
	default:
		e.Store(8, amd64.At(groupFrame, groupVector), vectorNumber)
		e.Ret()
	}
	e.restore(resume)
}

// save puts what lives into the vector's frame, and why and where it goes on.
func (e *emitter) save(why status, r ir.Row, resume amd64.Label) {
	if e.f.marks != nil && why != polled {
		e.f.marks.waits[r] = why
	}
	for _, v := range e.live() {
		if e.f.vregs[v].general {
			e.Store(8, e.saved(v), e.own(v))
			continue
		}
		e.VStore(e.saved(v), amd64.Y(e.f.vregs[v].reg))
	}
	e.LeaLabel(amd64.AX, resume)
	e.Store(8, amd64.At(vectorFrame, vectorResume), amd64.AX)
	e.StoreImm(4, amd64.At(vectorFrame, vectorStatus), int32(why))
	e.StoreImm(4, amd64.At(vectorFrame, vectorRow), int32(r))
}

// restore is where a vector goes on that save has stopped: with everything as it was.
func (e *emitter) restore(resume amd64.Label) {
	e.Bind(resume)
	for _, v := range e.live() {
		if e.f.vregs[v].general {
			e.Load(8, e.own(v), e.saved(v).RM())
			continue
		}
		e.VLoad(amd64.Y(e.f.vregs[v].reg), e.saved(v))
	}
	e.fetch()
}

// fetch brings what is kept in machine registers there.
func (e *emitter) fetch() {
	for _, v := range e.f.kept {
		e.VLoad(amd64.Y(e.f.vregs[v].reg), amd64.At(groupFrame, e.f.vregs[v].off))
	}
	e.fetchGeneral()
}

func (e *emitter) fetchGeneral() {
	for i, c := range e.f.general {
		e.Load(8, e.f.spare[i], e.f.cellAt(c).RM())
	}
}

// saved is where a machine register is kept meanwhile.
func (e *emitter) saved(v vreg) amd64.Mem {
	return amd64.At(vectorFrame, vectorSaved+32*int32(e.f.vregs[v].reg))
}

// poll counts a round of a loop, and returns to Go when there have been many.
func (s *selector) poll() {
	s.macro(amongOnce, nil, nil, func(e *emitter) {
		out, back := e.NewLabel(), e.NewLabel()
		e.AluImm(amd64.SUB, 4, e.pollsLeft(), 1)
		e.Jcc(amd64.B, out)
		e.Bind(back)
		e.later(func() {
			e.Bind(out)
			e.stop(polled, 0, false)
			e.Jmp(back)
		})
	})
}

// pollAnd is poll before a jump: code goes there at once where there is nothing to return for.
func (s *selector) pollAnd(to amd64.Label) {
	s.macro(amongOnce, nil, nil, func(e *emitter) {
		e.AluImm(amd64.SUB, 4, e.pollsLeft(), 1)
		e.Jcc(amd64.AE, to) // which the processor does at once with what is before it, unlike a jump by the sign
		e.stop(polled, 0, false)
	})
	s.ins[len(s.ins)-1].polls = true
	s.jump(to)
}

// pollsLeft is where rounds are counted. Go sets them anew whenever code is entered, so nothing keeps them where it stops.
func (e *emitter) pollsLeft() amd64.RM {
	if r, ok := e.f.generalOf(pollsCell); ok {
		return r.RM()
	}
	return e.f.cellAt(pollsCell).RM()
}

// wait writes a row that the vector cannot do alone: it leaves its operands in its frame and stops, and finds the result
// there when it goes on.
func (s *selector) wait(r ir.Row, c *flow, why status) {
	operands, mask := s.operandsOf(r), c.mask
	s.once[r] = why == assisted && s.value[r] == uniform
	var d []vreg
	if t := s.p.Type(r); t != ir.None {
		d = s.fresh(t)
		s.vals[r] = d
	}
	// A macro reads until after it wrote, so results and what is saved never share a register.
	s.macro(amongNone, usesOf(operands, mask), d, func(e *emitter) {
		if why != atGroup || s.p.Type(r) != ir.None { // else nobody asks for any
			e.leave(operands, mask)
		}
		e.stop(why, r, why != assisted)
		for k, v := range d {
			if k > 0 && v == d[k-1] {
				continue
			}
			if e.f.vregs[v].general {
				r := e.target(v)
				e.Load(e.sizeOf(v), r, amd64.At(vectorFrame, vectorResult).RM())
				e.setGeneral(v, r)
				continue
			}
			y := e.dst(v)
			e.VLoad(y, amd64.At(vectorFrame, vectorResult+32*int32(k)))
			e.put(v, y)
		}
	})
	s.stopping()
}

// leave puts the operands of a row into the vector's frame, and which lanes are active.
func (e *emitter) leave(operands [][]vreg, mask vreg) {
	for i, o := range operands {
		for k, v := range o {
			at := amd64.At(vectorFrame, vectorArgs+64*int32(i)+32*int32(k))
			if e.f.vregs[v].general {
				e.Store(8, at, e.general(8, v, amd64.AX))
				continue
			}
			e.VStore(at, e.reg(v, scratch0))
		}
	}
	if mask != noReg {
		e.VStore(amd64.At(vectorFrame, vectorMask), e.reg(mask, scratch0))
	} else {
		e.V3(amd64.VPCMPEQD, scratch0, scratch0, scratch0.RM())
		e.VStore(amd64.At(vectorFrame, vectorMask), scratch0)
	}
}

func usesOf(operands [][]vreg, mask vreg) []vreg {
	uses := slices.Concat(operands...)
	if mask != noReg {
		uses = append(uses, mask)
	}
	return uses
}

// operandsOf returns the registers of a row's operands, listed ones last.
func (s *selector) operandsOf(r ir.Row) [][]vreg {
	var out [][]vreg
	for _, v := range []ir.Row{s.p.A(r), s.p.B(r), s.p.C(r)} {
		if v != ir.NoRow {
			out = append(out, s.vals[v])
		}
	}
	for _, v := range s.p.List(r) {
		out = append(out, s.vals[v])
	}
	return out
}
