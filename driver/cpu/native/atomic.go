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
	m, x := amd64.At(laneAddress, 0), slot(vectorX, 0, t.Size()).RM()
	old := laneValue // where the old value ends up
	lock := func() {
		if a.o.Param != nil {
			e.Lock()
		}
	}
	switch op {
	case ir.OpAtomicLoad, ir.OpLoadStale:
		e.Load(size, laneValue, m.RM())
	case ir.OpAtomicStore, ir.OpAtomicExch:
		e.Load(size, laneValue, x)
		e.Xchg(size, m, laneValue)
	case ir.OpAtomicCas:
		e.Load(size, amd64.AX, x)
		e.Load(size, laneValue, slot(vectorZ, 0, t.Size()).RM())
		lock()
		e.CmpXchg(size, m, laneValue)
		old = amd64.AX
	case ir.OpAtomicAdd, ir.OpAtomicSub:
		if t.IsFloat() {
			old = a.update(e, lock)
			break
		}
		e.Load(size, laneValue, x)
		if op == ir.OpAtomicSub {
			e.Neg(size, laneValue)
		}
		lock()
		e.XAdd(size, m, laneValue)
	default:
		old = a.update(e, lock)
	}
	if a.result != nil {
		e.Store(size, slot(vectorOut, 0, t.Size()), old)
	}
}

// update is a loop around a compare-and-swap. It returns the register with the old value.
func (a *access) update(e *emitter, lock func()) amd64.Reg {
	t, op := a.o.Type(), a.s.p.Op(a.r)
	size := amd64.Size(t.Size())
	m := amd64.At(laneAddress, 0)
	e.Load(size, laneValue, slot(vectorX, 0, t.Size()).RM())
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
	lock()
	e.CmpXchg(size, m, laneOther)
	e.Jcc(amd64.NE, again)
	return amd64.AX
}

type extremeOf struct{ most, signed bool }

// better is when the operand takes the place of what there was.
var better = map[extremeOf]amd64.Cond{{false, false}: amd64.B, {true, false}: amd64.A, {false, true}: amd64.L, {true, true}: amd64.G}
