package native

import (
	"math/bits"

	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// Registers of an access lane by lane.
const (
	laneLeft    = amd64.R9 // a bit for each lane that has not had its turn
	lane32      = amd64.CX // the lane
	laneIndex   = amd64.AX // its index, then that of the element
	laneAddress = amd64.DX
	laneValue   = amd64.R8
	laneOther   = amd64.R10
)

// byLanes writes an access as a loop over the active lanes, in rising order: operands are put into the vector's frame,
// and the result is taken from there. What is outside gives zero and does nothing.
func (a *access) byLanes(e *emitter) {
	if a.offset > 0 {
		e.VStore(amd64.At(vectorFrame, vectorIndex), a.vector(e, scratch0))
	} else {
		a.spread(e, vectorIndex, a.index)
	}
	if a.records {
		a.storeRows(e, amd64.At(vectorFrame, vectorX))
	} else {
		a.spread(e, vectorX, a.value[0])
	}
	a.spread(e, vectorZ, a.value[1])
	if a.result != nil {
		e.V3(amd64.VPXOR, scratch0, scratch0, scratch0.RM())
		for i := range a.result {
			e.VStore(amd64.At(vectorFrame, vectorOut+32*int32(i)), scratch0)
		}
	}
	if a.mask != noReg && !a.shared() {
		e.VMask(laneLeft, e.reg(a.mask, scratch0))
	} else {
		e.Imm32(laneLeft, 1<<lanes-1)
	}
	again, end := e.NewLabel(), e.NewLabel()
	e.Test(4, laneLeft, laneLeft)
	e.Jcc(amd64.E, end)
	e.Bind(again)
	e.LowestBit(lane32, laneLeft.RM())
	for i := range a.vec {
		if a.fields {
			a.field = i
		}
		skip := e.NewLabel()
		a.element(e, i, skip)
		a.touch(e, i, amd64.At(laneAddress, 0))
		e.Bind(skip)
	}
	a.field = 0
	e.ClearLowest(laneLeft)
	e.Jcc(amd64.NE, again)
	e.Bind(end)
	if a.records {
		a.loadRows(e, amd64.At(vectorFrame, vectorOut))
		return
	}
	a.collect(e)
}

// collect takes the result from where lanes left it.
func (a *access) collect(e *emitter) {
	for i, v := range a.result {
		y := e.dst(v)
		e.VLoad(y, amd64.At(vectorFrame, vectorOut+32*int32(i)))
		e.put(v, y)
	}
}

// shared reports whether all lanes load the same: then also those that are not active, for what is uniform is so in all.
func (a *access) shared() bool {
	in := a.s.p.Op(a.r).Info()
	return a.s.value[a.r] == uniform && in.Attr&(ir.Writes|ir.Atomic) == 0
}

func (a *access) spread(e *emitter, off int32, vs []vreg) {
	for i, v := range vs {
		e.VStore(amd64.At(vectorFrame, off+32*int32(i)), e.reg(v, scratch0))
	}
}

// slot is the lane's part of element i of what was spread to off.
func (a *access) slot(e *emitter, off int32, i int) amd64.Mem {
	size := max(a.o.Type().Size(), 4)
	switch {
	case a.lane != anyLane:
		return amd64.At(vectorFrame, off+int32((i*lanes+a.lane)*size))
	case !a.records:
		return amd64.Mem{Base: vectorFrame, Index: lane32, Scale: uint8(size), Disp: off + int32(i*lanes*size)}
	}
	e.Load(4, laneOther, lane32.RM())
	e.ShiftImm(4, 4, laneOther, 4)
	return amd64.Mem{Base: vectorFrame, Index: laneOther, Scale: 1, Disp: off + int32(i*size)}
}

// operand is the lane's part of element i of what is stored (k is 0), or of what a compare-and-swap stores (1).
func (a *access) operand(e *emitter, k, i int) amd64.Mem {
	off := [...]int32{vectorX, vectorZ}[k]
	if a.lane != anyLane {
		return a.part(e, off, a.value[k], i, max(a.o.Type().Size(), 4))
	}
	return a.slot(e, off, i)
}

// element brings the address of element i of the lane's access into DX, or jumps to skip if it is outside.
func (a *access) element(e *emitter, i int, skip amd64.Label) {
	t := a.typ
	switch m := (amd64.Mem{Base: vectorFrame, Index: lane32, Scale: uint8(t.Size()), Disp: vectorIndex}); {
	case t == ir.I32:
		e.LoadSign32(laneIndex, m.RM())
	case t == ir.U32:
		e.Load(4, laneIndex, m.RM())
	default:
		e.Load(8, laneIndex, m.RM())
	}
	if a.vec > 1 && !a.fields {
		e.Load(8, laneOther, laneIndex.RM())
		e.ShiftImm(5, 8, laneOther, 60) // more than any length, and a product might wrap
		e.Jcc(amd64.NE, skip)
		e.ShiftImm(4, 8, laneIndex, uint8(bits.TrailingZeros(uint(a.vec))))
		if i > 0 {
			e.AluImm(amd64.ADD, 8, laneIndex.RM(), int32(i))
		}
	}
	e.Alu(amd64.CMP, 8, laneIndex, a.lenRM())
	e.Jcc(amd64.AE, skip)
	a.address(e)
}

// address turns the number of an element, which is inside, into its address.
func (a *access) address(e *emitter) {
	size := a.o.Type().Size()
	switch {
	case a.o.Local():
		e.ShiftImm(4, 8, laneIndex, 3)
		e.Alu(amd64.ADD, 8, laneIndex, lane32.RM())
		e.Lea(laneAddress, amd64.Mem{Base: vectorFrame, Index: laneIndex, Scale: uint8(size), Disp: a.s.layout.locals[a.object]})
		return
	case a.o.Gap() > 0: // an array in records: the gap once for each record before
		e.Load(8, laneOther, laneIndex.RM())
		e.Alu(amd64.XOR, 4, amd64.DX, amd64.DX.RM())
		e.Imm32(laneValue, uint32(a.o.Count()))
		e.Div(8, laneValue.RM())
		e.MulImm(8, laneIndex, laneIndex.RM(), int32(a.o.Gap()))
		e.Lea(laneIndex, amd64.Mem{Base: laneIndex, Index: laneOther, Scale: uint8(size)})
	case a.o.Stride() != size:
		e.MulImm(8, laneIndex, laneIndex.RM(), int32(a.o.Stride()))
	default:
		e.Load(8, laneAddress, a.baseRM())
		e.Lea(laneAddress, amd64.Mem{Base: laneAddress, Index: laneIndex, Scale: uint8(size)})
		return
	}
	e.Load(8, laneAddress, a.baseRM())
	e.Alu(amd64.ADD, 8, laneAddress, laneIndex.RM())
}

// loadElement loads an element into a register of 32 or 64 bits: a bool is 0 or all ones.
func (e *emitter) loadElement(t ir.Type, d amd64.Reg, m amd64.Mem) {
	size := amd64.Size(t.Size())
	switch {
	case t == ir.Bool: // any byte but 0
		e.LoadZero(1, d, m.RM())
		e.AluImm(amd64.CMP, 4, d.RM(), 1)
		e.Alu(amd64.SBB, 4, d, d.RM())
		e.AluImm(amd64.XOR, 4, d.RM(), -1)
	case size >= 4:
		e.Load(size, d, m.RM())
	case t.IsSigned():
		e.LoadSign(size, d, m.RM())
	default:
		e.LoadZero(size, d, m.RM())
	}
}

// touch does what the access does to the element at a place; an atomic has its address in DX.
func (a *access) touch(e *emitter, i int, m amd64.Mem) {
	t, op := a.o.Type(), a.s.p.Op(a.r)
	width := amd64.Size(t.Size())
	switch in := op.Info(); {
	case in.Attr&ir.Atomic != 0:
		a.atomic(e)
	case in.Attr&ir.Writes != 0:
		e.Load(max(width, 4), laneValue, a.operand(e, 0, i).RM())
		if t == ir.Bool { // a mask
			e.AluImm(amd64.AND, 4, laneValue.RM(), 1)
		}
		e.Store(width, m, laneValue)
	default:
		e.loadElement(t, laneValue, m)
		e.Store(max(width, 4), a.slot(e, vectorOut, i), laneValue)
	}
}
