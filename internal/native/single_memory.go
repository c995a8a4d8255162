package native

import (
	"math/bits"
	"slices"

	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// Memory of one invocation: an index is compared with the length, and what is outside gives zero and does nothing, out of line. A
// local array has one element after the other.

// accessSingle writes a row that names an object.
func (s *selector) accessSingle(r ir.Row) {
	a := s.newAccess(r)
	a.from, a.offset, a.lane = s.unwidened(r), 0, 0
	a.index, a.typ = slices.Clone(s.vals[a.from]), s.p.Type(a.from) // which are the macro's, and may be others there
	s.operated(a)
	a.bounded = a.within()
	a.value[0], a.value[1] = slices.Clone(a.value[0]), slices.Clone(a.value[1])
	a.result = slices.Clone(a.result) // which is the macro's
	s.addressed(a)
	gap := noReg
	if a.o.Gap() > 0 {
		gap = s.constant64(uint64(a.o.Count()))
	}
	s.macro(amongValue, a.usesSingle(), a.result, func(e *emitter) { a.single(e, gap) })
	in := &s.ins[len(s.ins)-1]
	in.follows, in.access = true, a
}

// addressed gives an access the registers of its object's address and length. Of objects that are fields of the same records, those of
// the first one serve all.
func (s *selector) addressed(a *access) {
	if a.o.Local() {
		return
	}
	first := int(a.o.First)
	for o := &s.objects[first]; o.Count() != a.o.Count() || o.Stride() != a.o.Stride() || o.Gap() != a.o.Gap(); o = &s.objects[first] {
		first++
	}
	a.disp = int32(a.o.Offset() - s.objects[first].Offset())
	a.origin = s.fromCell(addressOf(first))
	if a.vec > 1 || !a.bounded && (a.o.Array == nil || a.o.Array.Len > shortObject) {
		a.extent = s.fromCell(lengthOf(first))
	}
}

// usesSingle are the registers that an access of one invocation reads.
func (a *access) usesSingle() []vreg {
	uses := a.uses()
	for _, v := range [...]vreg{a.origin, a.extent} {
		if v != noReg && a.s.vregs[v].home == homeless {
			uses = append(uses, v)
		}
	}
	return uses
}

// single writes an access: all elements at once if they are inside, else one after the other.
func (a *access) single(e *emitter, count vreg) {
	if at, ok := a.fixed(e); ok {
		a.moveAll(e, at, count)
		return
	}
	out, back := e.NewLabel(), e.NewLabel()
	before, last := e.reachedBefore, e.accessed
	known := a.vec == 1 && before.vec == 1 && before.index == e.info(a.index[0]) && !a.extends()
	if !known {
		before = unreached
	}
	x := a.number(e, known, a.vec > 1 || a.o.Gap() > 0)
	if a.vec > 1 {
		a.countable64(e, out)
		a.elementOf(e, 0)
	}
	this := &accessed{at: e.at, o: a.o, checks: !a.bounded}
	switch {
	case known && last != nil && last.at == e.at-1 && last.checks && a.covers(last.o):
		last.next, last.chained, this.checks = out, true, true
	case this.checks:
		a.check(e, x, out)
	}
	at := a.find(e, x, count, before)
	a.moveAll(e, at, count)
	e.Bind(back)
	e.accessed = nil
	again := a.vec == 1 && a.o.Gap() == 0 && !a.extends() && a.s.p.Op(a.r).Info().Attr&ir.Atomic == 0
	if again {
		e.reached, e.accessed = reached{e.info(a.index[0]), 1, false, int(a.origin)}, this
	}
	if !this.checks && a.vec == 1 {
		return
	}
	e.later(func() {
		e.Bind(out)
		for i := range a.vec {
			a.clear(e, i)
		}
		if this.chained {
			e.Jmp(this.next)
			return
		}
		if a.vec > 1 {
			a.some(e, count)
		}
		if again {
			a.bringAddress(e, x)
		}
		e.Jmp(back)
	})
}

// accessed is the access before the one under way. If that has the same index, and as many elements are there, nothing is
// compared again: what is outside there goes on where this one is outside.
type accessed struct {
	at      int // the instruction
	o       ir.ObjectInfo
	checks  bool // something was compared
	chained bool // the next one goes by that
	next    amd64.Label
}

// covers reports whether an index is inside this object where it is inside another one, and outside where it is outside.
func (a *access) covers(other ir.ObjectInfo) bool {
	if a.o.Local() && other.Local() {
		return other.Array.Len == a.o.Array.Len
	}
	return a.o.Param != nil && a.o.Param == other.Param && a.o.Count() == other.Count()
}

// check jumps to out unless all elements from that in x on are inside.
func (a *access) check(e *emitter, x amd64.Reg, out amd64.Label) {
	over := amd64.AE
	if a.vec > 1 {
		e.Lea(amd64.CX, amd64.At(x, int32(a.vec)))
		x, over = amd64.CX, amd64.A
	}
	a.compare(e, x)
	e.Jcc(over, out)
}

// compare compares with the length of the object: that of a short array is a constant.
func (a *access) compare(e *emitter, x amd64.Reg) {
	if array := a.o.Array; array != nil && array.Len <= shortObject {
		e.AluImm(amd64.CMP, 8, x.RM(), int32(array.Len))
	} else {
		e.Alu(amd64.CMP, 8, x, e.word(a.extent))
	}
}

// fixed returns where an access is that is known to be inside a local array.
func (a *access) fixed(e *emitter) (at amd64.Mem, ok bool) {
	x := &e.f.vregs[a.index[0]]
	first := uint64(uint32(x.bits)) * uint64(a.vec)
	if !a.o.Local() || !x.fixed || a.typ != ir.U32 || first+uint64(a.vec) > a.o.Array.Len {
		return at, false
	}
	return amd64.At(vectorFrame, a.s.layout.locals[a.object]+int32(first)*int32(a.o.Type().Size())), true
}

// moveAll does what the access does to all elements, the first of which is at a place. Several that get the same constant are
// stored at once, if they are as long as half a vector.
func (a *access) moveAll(e *emitter, at amd64.Mem, count vreg) {
	size := a.o.Type().Size()
	apart := !a.o.Local() && a.o.Stride() != size || a.o.Gap() > 0 // elements of an access may be in several records
	if vs := a.value[0]; !apart && a.writes() && a.vec*size == 16 && size >= 4 && e.f.vregs[vs[0]].fixed && len(slices.Compact(slices.Clone(vs))) == 1 {
		e.VStoreShort(at, e.reg(vs[0], scratch0))
		return
	}
	for i := range a.vec {
		if i > 0 && apart {
			a.number(e, false, true)
			a.elementOf(e, i)
			at = a.find(e, amd64.AX, count, unreached)
		}
		a.move(e, i, at)
		if !apart {
			at.Disp += int32(size)
		}
	}
}

// extends reports whether the index needs its sign in 64 bits: where there may be so many elements that it is inside without.
//
//go:noinline
func (a *access) extends() bool { return a.typ == ir.I32 && a.o.MaxLen() > shortObject }

// number returns a register with the index, in 64 bits: AX if it has to be brought there, and is not there already.
func (a *access) number(e *emitter, known, changes bool) amd64.Reg {
	v := a.index[0]
	switch owns := e.owns(v); {
	case owns && !changes && !a.extends():
		return e.own(v)
	case known && !owns:
	case a.typ.Size() == 8:
		e.bring(8, amd64.AX, v)
	default:
		e.widened(a.extends(), amd64.AX, v)
	}
	return amd64.AX
}

// countable64 jumps to out if the index in AX is more than any length: a product might wrap.
func (a *access) countable64(e *emitter, out amd64.Label) {
	if a.typ != ir.U32 {
		e.Load(8, amd64.CX, amd64.AX.RM())
		e.ShiftImm(5, 8, amd64.CX, 60)
		e.Jcc(amd64.NE, out)
	}
}

// elementOf makes the number of element i of the index in AX.
func (a *access) elementOf(e *emitter, i int) {
	e.ShiftImm(4, 8, amd64.AX, uint8(bits.TrailingZeros(uint(a.vec))))
	if i > 0 {
		e.AluImm(amd64.ADD, 8, amd64.AX.RM(), int32(i))
	}
}

// some moves those of several elements that are inside.
func (a *access) some(e *emitter, count vreg) {
	end := e.NewLabel()
	for i := range a.vec {
		skip := e.NewLabel()
		a.number(e, false, true)
		a.countable64(e, end)
		a.elementOf(e, i)
		a.compare(e, amd64.AX)
		e.Jcc(amd64.AE, skip)
		at := a.find(e, amd64.AX, count, unreached)
		a.move(e, i, at)
		e.Bind(skip)
	}
	e.Bind(end)
}

// find returns where the element is whose number is in x. DX has the object's address then, if no register has it, and R8 what is
// added to that if it is not a simple multiple of x. Both are as an access has left them that was before.
func (a *access) find(e *emitter, x amd64.Reg, count vreg, before reached) (at amd64.Mem) {
	switch {
	case a.o.Local():
		return amd64.Mem{Base: vectorFrame, Index: x, Scale: uint8(a.o.Type().Size()), Disp: a.s.layout.locals[a.object]}
	case a.o.Gap() > 0:
		return a.findInRecords(e, count)
	}
	at = amd64.Mem{Base: amd64.DX, Index: x, Scale: uint8(a.o.Stride()), Disp: a.disp}
	if e.owns(a.origin) {
		at.Base = e.own(a.origin)
	}
	if !simple(a.o.Stride()) {
		at.Index, at.Scale = laneValue, 1
	}
	if before.index == nil || before.object != int(a.origin) {
		a.bringAddress(e, x)
	}
	return at
}

// simple reports whether an address may have such a multiple.
func simple(stride int) bool { return stride == 1 || stride == 2 || stride == 4 || stride == 8 }

// bringAddress brings the object's address into DX, if no register has it, and what is added to it into R8 if that is not a simple
// multiple.
func (a *access) bringAddress(e *emitter, x amd64.Reg) {
	if a.o.Local() {
		return
	}
	switch stride := a.o.Stride(); {
	case simple(stride):
	case stride&(stride-1) == 0:
		e.Load(8, laneValue, x.RM())
		e.ShiftImm(4, 8, laneValue, uint8(bits.TrailingZeros(uint(stride))))
	default:
		e.MulImm(8, laneValue, x.RM(), int32(stride))
	}
	if !e.owns(a.origin) {
		e.bring(8, amd64.DX, a.origin)
	}
}

// findInRecords is find in an array that records have: the gap once for each record before.
func (a *access) findInRecords(e *emitter, count vreg) amd64.Mem {
	e.Load(8, amd64.CX, amd64.AX.RM())
	e.Imm32(amd64.DX, 0)
	e.Div(8, e.place(count).RM())
	e.MulImm(8, laneValue, amd64.AX.RM(), int32(a.o.Gap()))
	e.Lea(laneValue, amd64.Mem{Base: laneValue, Index: amd64.CX, Scale: uint8(a.o.Type().Size())})
	e.bring(8, amd64.DX, a.origin)
	return amd64.Mem{Base: amd64.DX, Index: laneValue, Scale: 1, Disp: a.disp}
}

// valueOf are the registers of element i of a value; of a float of 64 bits two, the same.
func (a *access) valueOf(vs []vreg, i int) vreg { return vs[i*a.s.parts(a.o.Type().Value())] }

// move does what the access does to the element at a place.
func (a *access) move(e *emitter, i int, m amd64.Mem) {
	t := a.o.Type()
	switch in := a.s.p.Op(a.r).Info(); {
	case in.Attr&ir.Atomic != 0:
		a.atomicSingle(e, m)
	case in.Attr&ir.Writes == 0:
		a.loadSingle(e, a.valueOf(a.result, i), m)
	case !inGeneral(t):
		v := a.valueOf(a.value[0], i)
		if size := amd64.Size(t.Size()); e.inReg(v) {
			e.VLow(max(size, 4), amd64.CX, e.reg(v, scratch0))
			e.Store(size, m, amd64.CX)
		} else {
			e.Load(max(size, 4), amd64.CX, e.place(v).RM())
			e.Store(size, m, amd64.CX)
		}
	case t == ir.Bool: // a mask
		e.bring(4, amd64.CX, a.valueOf(a.value[0], i))
		e.AluImm(amd64.AND, 4, amd64.CX.RM(), 1)
		e.Store(1, m, amd64.CX)
	default:
		size, v := amd64.Size(t.Size()), a.valueOf(a.value[0], i)
		if n, ok := e.literal(size, v); ok && size >= 4 {
			e.StoreImm(size, m, n)
			return
		}
		e.Store(size, m, e.general(width(t), v, amd64.CX))
	}
}

// loadSingle loads an element.
func (a *access) loadSingle(e *emitter, v vreg, m amd64.Mem) {
	t := a.o.Type()
	size := amd64.Size(t.Size())
	if !inGeneral(t) {
		y, op := e.dst(v), amd64.VPBROADCASTD
		switch from := m.RM(); {
		case size == 2:
			e.LoadZero(2, amd64.CX, from)
			e.VSetLow(4, y, amd64.CX)
			e.V2(op, y, y.RM())
		case size == 8:
			e.V2(amd64.VPBROADCASTQ, y, from)
		default:
			e.V2(op, y, from)
		}
		e.put(v, y)
		return
	}
	d := amd64.CX
	if e.owns(v) {
		d = e.own(v)
	}
	e.loadElement(t, d, m)
	e.setGeneral(v, d)
}

// clear makes what element i of the result is outside.
func (a *access) clear(e *emitter, i int) {
	switch {
	case a.result == nil:
	case inGeneral(a.o.Type()):
		e.Imm32(amd64.CX, 0)
		e.setGeneral(a.valueOf(a.result, i), amd64.CX)
	default:
		v := a.valueOf(a.result, i)
		y := e.dst(v)
		e.V3(amd64.VPXOR, y, y, y.RM())
		e.put(v, y)
	}
}

// atomicSingle does an atomic to an element, unless that would change nothing.
func (a *access) atomicSingle(e *emitter, m amd64.Mem) {
	if a.inPlace() && (e.f.vregs[a.value[0][0]].fixed || e.owns(a.value[0][0])) {
		a.changeSingle(e, m)
		return
	}
	e.Lea(laneAddress, m)
	for k, vs := range a.value {
		if vs == nil || !e.inReg(vs[0]) {
			continue
		}
		at := amd64.At(vectorFrame, [...]int32{vectorX, vectorZ}[k])
		if e.owns(vs[0]) {
			e.Store(8, at, e.own(vs[0]))
		} else {
			e.VStore(at, e.reg(vs[0], scratch0))
		}
	}
	done := e.NewLabel()
	if a.settles() {
		a.unlessSettled(e, amd64.At(laneAddress, 0), done)
	}
	a.atomic(e)
	e.Bind(done)
	if a.result != nil {
		a.loadSingle(e, a.result[0], amd64.At(vectorFrame, vectorOut))
	}
}

// changeSingle does an atomic whose old value nobody asks for, and whose operand is in a register or a constant.
func (a *access) changeSingle(e *emitter, m amd64.Mem) {
	size, done := amd64.Size(a.o.Type().Size()), e.NewLabel()
	v, op := a.value[0][0], inPlaceOps[a.s.p.Op(a.r)]
	if a.settles() {
		if m.Scale != 0 && m.Index == laneValue {
			e.Lea(laneAddress, m)
			m = amd64.At(laneAddress, 0)
		}
		a.unlessSettled(e, m, done)
	}
	if n, ok := e.literal(size, v); ok {
		a.lock(e)
		e.AluImm(op, size, m.RM(), n)
	} else {
		r := e.general(size, v, amd64.CX)
		a.lock(e)
		e.AluTo(op, size, m, r)
	}
	e.Bind(done)
}

// unlessSettled jumps to done if an element is what the atomic would make of it.
func (a *access) unlessSettled(e *emitter, m amd64.Mem, done amd64.Label) {
	t, op := a.o.Type(), a.s.p.Op(a.r)
	size := amd64.Size(t.Size())
	v := a.value[0][0]
	e.Load(size, amd64.CX, m.RM())
	if op == ir.OpAtomicOr && e.owns(v) { // it has all the bits
		e.AluImm(amd64.XOR, size, amd64.CX.RM(), -1)
		e.Test(size, amd64.CX, e.own(v))
		e.Jcc(amd64.E, done)
		return
	}
	e.bring(size, laneValue, v)
	switch op {
	case ir.OpAtomicOr:
		e.Alu(amd64.OR, size, laneValue, amd64.CX.RM())
	case ir.OpAtomicAnd:
		e.Alu(amd64.AND, size, laneValue, amd64.CX.RM())
	default:
		e.Alu(amd64.CMP, size, laneValue, amd64.CX.RM())
		e.Jcc(better[extremeOf{op == ir.OpAtomicMax, t.IsSigned()}]^1, done)
		return
	}
	e.Alu(amd64.CMP, size, laneValue, amd64.CX.RM())
	e.Jcc(amd64.E, done)
}
