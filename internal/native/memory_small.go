package native

import (
	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// Elements of less than 4 bytes: records of them that are a word together, such as pixels, and rows of single ones.

// small says whether the elements of a lane are a word together.
func (a *access) small() bool {
	return a.vec > 1 && a.vec*a.o.Type().Size() == 4 && a.o.Type() != ir.Bool && (a.shape == consecutive || a.shape == varying && !a.writes())
}

// smallRecords moves records of one word.
func (a *access) smallRecords(e *emitter) {
	a.around(e, func(out amd64.Label) {
		switch {
		case a.writes():
			a.whole(e, out)
			a.reach(e, int32(lanes*a.vec), out)
			a.joinElements(e)
			e.VStore(a.at(0), scratch0)
			return
		case a.shape == consecutive:
			a.reach(e, int32(lanes*a.vec), out)
			e.VLoad(scratch0, a.at(0))
		default:
			a.allInside(e, out)
			a.baseTo(e, amd64.DX)
			e.V3(amd64.VPCMPEQD, scratch1, scratch1, scratch1.RM())
			e.VGather4(scratch2, amd64.DX, e.reg(a.index[0], scratch0), scratch1)
			e.VMove(scratch0, scratch2)
		}
		a.splitElements(e)
	}, func() { a.byLanes(e) })
}

// splitElements takes the elements of records from scratch0.
func (a *access) splitElements(e *emitter) {
	bits := uint8(a.o.Type().Bits())
	right := amd64.VPSRLD
	if a.o.Type().IsSigned() {
		right = amd64.VPSRAD
	}
	for k, v := range a.result {
		y, from := e.dst(v), scratch0
		if left := 32 - bits*uint8(k+1); left > 0 {
			e.VShift(amd64.VPSLLD, y, from, left)
			from = y
		}
		e.VShift(right, y, from, 32-bits)
		e.put(v, y)
	}
}

// joinElements makes records in scratch0 of their elements.
func (a *access) joinElements(e *emitter) {
	bits := uint8(a.o.Type().Bits())
	for k, v := range a.value[0] {
		y := scratch1
		if k == 0 {
			y = scratch0
		}
		e.VShift(amd64.VPSLLD, y, e.reg(v, y), 32-bits)
		if right := 32 - bits*uint8(k+1); right > 0 {
			e.VShift(amd64.VPSRLD, y, y, right)
		}
		if k > 0 {
			e.V3(amd64.VPOR, scratch0, scratch0, y.RM())
		}
	}
}

// storeNarrow stores to eight elements of 1 or 2 bytes that follow each other, if all lanes are active.
func (a *access) storeNarrow(e *emitter) {
	a.around(e, func(out amd64.Label) { a.narrowTo(e, out) }, func() { a.byLanes(e) })
}

// narrowTo jumps to out if not all lanes are active, or the row is not inside.
func (a *access) narrowTo(e *emitter, out amd64.Label) {
	a.whole(e, out)
	a.reach(e, lanes, out)
	e.storePacked(a.o.Type().Size(), a.at(0), e.reg(a.value[0][0], scratch0))
}

// storePacked stores eight elements of 1 or 2 bytes from the words in x. scratch0, scratch1 and laneValue are lost.
func (e *emitter) storePacked(size int, m amd64.Mem, x amd64.Y) {
	e.VShift(amd64.VPSLLD, scratch0, x, 32-uint8(8*size))
	e.VShift(amd64.VPSRLD, scratch0, scratch0, 32-uint8(8*size))
	halve := func() { // eight words of 16 bits, of which the upper ones are 0, to the low end
		e.V3(amd64.VPACKUSDW, scratch0, scratch0, scratch0.RM())
		e.V2Imm(amd64.VPERMQ, scratch0, scratch0.RM(), 0x08)
	}
	if halve(); size == 2 {
		e.VStoreShort(m, scratch0)
		return
	}
	e.VShift(amd64.VPSRLD, scratch1, scratch0, 8)
	e.V3(amd64.VPOR, scratch0, scratch0, scratch1.RM())
	e.VShift(amd64.VPSLLD, scratch0, scratch0, 16)
	e.VShift(amd64.VPSRLD, scratch0, scratch0, 16)
	halve()
	e.VLow(8, laneValue, scratch0)
	e.Store(8, m, laneValue)
}
