package native

import (
	"github.com/govyre/vyre/driver/cpu/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// atomic does an atomic of one lane to the element at DX. A shared array belongs to one worker, so there plain
// instructions do; on buffers they lock. Every locked instruction is a fence of all orders.
func (a *access) atomic(e *emitter) {
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
	e.Load(size, laneValue, a.operand(e, 0, 0).RM())
	e.Load(size, amd64.AX, m.RM())
	again := e.NewLabel()
	e.Bind(again)
	switch op {
	case ir.OpAtomicAdd:
		e.VSetLow(size, scratch0, amd64.AX)
		e.VSetLow(size, scratch1, laneValue)
		e.VAddScalar(size, scratch0, scratch0, scratch1)
		e.VLow(size, laneOther, scratch0)
	case ir.OpAtomicAnd, ir.OpAtomicOr, ir.OpAtomicXor:
		e.Load(size, laneOther, amd64.AX.RM())
		e.Alu(map[ir.Op]amd64.Alu{ir.OpAtomicAnd: amd64.AND, ir.OpAtomicOr: amd64.OR, ir.OpAtomicXor: amd64.XOR}[op], size, laneOther, laneValue.RM())
	default:
		e.Load(size, laneOther, amd64.AX.RM())
		e.Alu(amd64.CMP, size, laneValue, amd64.AX.RM())
		e.CMov(better[extremeOf{op == ir.OpAtomicMax, t.IsSigned()}], size, laneOther, laneValue.RM())
	}
	a.lock(e)
	e.CmpXchg(size, m, laneOther)
	e.Jcc(amd64.NE, again)
	return amd64.AX
}

type extremeOf struct{ most, signed bool }

// better is when the operand takes the place of what there was.
var better = map[extremeOf]amd64.Cond{{false, false}: amd64.B, {true, false}: amd64.A, {false, true}: amd64.L, {true, true}: amd64.G}
