package native

import (
	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// atomic does an atomic of one lane to the element at DX. A shared array belongs to one worker, so there plain
// instructions do; on buffers they lock. Every locked instruction is a fence of all orders.
func (a *access) atomic(e *emitter) {
	if a.inPlace() {
		a.changeInPlace(e, laneValue)(amd64.At(laneAddress, 0))
		return
	}
	t, op := a.o.Type(), a.s.p.Op(a.r)
	size := amd64.Size(t.Size())
	m := amd64.At(laneAddress, 0)
	old := laneValue // where the old value ends up
	switch op {
	case ir.OpAtomicLoad:
		e.LoadAcquire(size, laneValue, m)
	case ir.OpLoadStale:
		e.Load(size, laneValue, m.RM())
	case ir.OpAtomicStore, ir.OpAtomicExch:
		e.Load(size, laneValue, a.operand(e, 0, 0).RM())
		e.Xchg(size, m, laneValue)
	case ir.OpAtomicCas:
		e.Load(size, amd64.AX, a.operand(e, 0, 0).RM())
		e.Load(size, laneValue, a.operand(e, 1, 0).RM())
		a.lock(e)
		e.CmpXchg(size, m, laneValue)
		old = amd64.AX
	case ir.OpAtomicAdd, ir.OpAtomicSub:
		if t.IsFloat() {
			old = a.update(e)
			break
		}
		e.Load(size, laneValue, a.operand(e, 0, 0).RM())
		if op == ir.OpAtomicSub {
			e.Neg(size, laneValue)
		}
		a.lock(e)
		e.XAdd(size, m, laneValue)
	default:
		old = a.update(e)
	}
	if a.result != nil {
		e.Store(size, a.slot(e, vectorOut, 0), old)
	}
}

// lock makes the next instruction atomic where others may be at the object.
func (a *access) lock(e *emitter) {
	if a.o.Param != nil {
		e.Lock()
	}
}

// update is a loop around a compare-and-swap. It returns the register with the old value.
func (a *access) update(e *emitter) amd64.Reg {
	t, op := a.o.Type(), a.s.p.Op(a.r)
	size := amd64.Size(t.Size())
	m := amd64.At(laneAddress, 0)
	other := laneOther
	if a.s.layout.single() { // which keeps something there
		other = amd64.CX
	}
	e.Load(size, laneValue, a.operand(e, 0, 0).RM())
	e.Load(size, amd64.AX, m.RM())
	again := e.NewLabel()
	e.Bind(again)
	switch op {
	case ir.OpAtomicAdd:
		e.VSetLow(size, scratch0, amd64.AX)
		e.VSetLow(size, scratch1, laneValue)
		e.VAddScalar(size, scratch0, scratch0, scratch1)
		e.VLow(size, other, scratch0)
	case ir.OpAtomicAnd, ir.OpAtomicOr, ir.OpAtomicXor:
		e.Load(size, other, amd64.AX.RM())
		e.Alu(map[ir.Op]amd64.Alu{ir.OpAtomicAnd: amd64.AND, ir.OpAtomicOr: amd64.OR, ir.OpAtomicXor: amd64.XOR}[op], size, other, laneValue.RM())
	default:
		e.Load(size, other, amd64.AX.RM())
		e.Alu(amd64.CMP, size, laneValue, amd64.AX.RM())
		e.CMov(better[extremeOf{op == ir.OpAtomicMax, t.IsSigned()}], size, other, laneValue.RM())
	}
	a.lock(e)
	e.CmpXchg(size, m, other)
	e.Jcc(amd64.NE, again)
	return amd64.AX
}

type extremeOf struct{ most, signed bool }

// better is when the operand takes the place of what there was.
var better = map[extremeOf]amd64.Cond{{false, false}: amd64.B, {true, false}: amd64.A, {false, true}: amd64.L, {true, true}: amd64.G}

// inPlaceOps are the atomics that are one instruction where nobody asks for the old value.
var inPlaceOps = map[ir.Op]amd64.Alu{ir.OpAtomicAdd: amd64.ADD, ir.OpAtomicSub: amd64.SUB, ir.OpAtomicAnd: amd64.AND, ir.OpAtomicOr: amd64.OR, ir.OpAtomicXor: amd64.XOR}

// inPlace reports whether an atomic is one instruction.
func (a *access) inPlace() bool {
	_, ok := inPlaceOps[a.s.p.Op(a.r)]
	return ok && a.result == nil && a.o.Type().IsInt()
}

// changeInPlace returns what writes an atomic of one lane as one instruction. If operand is laneFixed, all lanes have the
// same, which it brings there.
func (a *access) changeInPlace(e *emitter, operand amd64.Reg) func(amd64.Mem) {
	p := a.s.p
	size := amd64.Size(a.o.Type().Size())
	alu, b := inPlaceOps[p.Op(a.r)], p.B(a.r)
	if p.Op(b) == ir.OpConst {
		if n := int64(ir.I64.Extend(p.Const(b))); size == 4 || n == int64(int32(n)) {
			return func(m amd64.Mem) {
				a.lock(e)
				e.AluImm(alu, size, m.RM(), int32(n))
			}
		}
	}
	if operand == laneFixed {
		a.lane = 0
		e.Load(size, operand, a.operand(e, 0, 0).RM())
	}
	return func(m amd64.Mem) {
		if operand == laneValue {
			e.Load(size, operand, a.operand(e, 0, 0).RM())
		}
		a.lock(e)
		e.AluTo(alu, size, m, operand)
	}
}

// settled are the atomics that change nothing once the element has what they would bring, and how that is computed.
var settled = map[ir.Op]ir.Op{ir.OpAtomicOr: ir.OpOr, ir.OpAtomicAnd: ir.OpAnd, ir.OpAtomicMin: ir.OpMin, ir.OpAtomicMax: ir.OpMax}

// settles reports whether an atomic is one that may change nothing, where nobody would see whether it was done.
func (a *access) settles() bool {
	op := a.s.p.Op(a.r)
	return op.Info().Attr&ir.Atomic != 0 && settled[op] != 0 && a.o.Type().IsInt() && a.result == nil && a.o.Param != nil && a.s.p.Flags(a.r).Order() == ir.Relaxed
}

// onlyChanging leaves an atomic to those lanes whose element it would change now, if it is such a one. One that changes
// nothing at this moment, and orders nothing, is done: sets that are nearly complete, and distances that are nearly right, are
// spared most of the locked instructions. Those that are left are few, and go lane by lane. It returns where code goes on if
// there are none.
func (s *selector) onlyChanging(a *access) (none amd64.Label, ok bool) {
	if !a.settles() || !a.quick() || a.step() > 1 {
		return none, false
	}
	t := a.o.Type()
	do := pairOf(settled[s.p.Op(a.r)], t)
	load := *a
	load.result = s.fresh(t)
	s.macro(amongValue, load.uses(), load.result, func(e *emitter) { load.gather(e) })
	equal := amd64.VPCMPEQD
	if parts(t) == 2 {
		equal = amd64.VPCMPEQQ
	}
	same := each(load.result, func(i int, old vreg) vreg { return s.v3swap(equal, old, do(s, old, a.value[0][i])) })
	if parts(t) == 2 {
		same[0] = s.join(same[0], same[1])
	}
	a.mask, a.few = s.v3(amd64.VPANDN, same[0], s.maskOr(a.mask)), true
	none = s.asm.NewLabel()
	s.jumpNone(a.mask, none)
	return none, true
}
