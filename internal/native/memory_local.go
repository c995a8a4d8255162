package native

import (
	"math/bits"

	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// Local arrays: element e of lane l stands at 8·e + l, so an index that all lanes share is a row of eight. After the last
// element there is one more row, for what lanes store that are not active or whose index is outside: so a store at any
// indices is eight plain ones.

// localBytes is the room that an array takes in the frame of a vector of so many invocations: of one it needs no row more.
func localBytes(o ir.ObjectInfo, lanes int) int32 {
	if lanes == 1 {
		return int32(o.Array.Len) * int32(o.Type().Size())
	}
	return int32(o.Array.Len+1) * int32(lanes) * int32(o.Type().Size())
}

// inVector makes a table of lanes one that counts from 0 in each vector, and not in each warp.
const inVector = 1

// localIndex is where the elements stand that lanes ask for.
func (s *selector) localIndex(a *access) vreg {
	x := a.index[0]
	if a.writes() {
		if a.mask != noReg {
			x = s.v3swap(amd64.VPOR, x, s.not(a.mask))
		}
		x = s.v3swap(amd64.VPMINUD, x, s.constant(uint32(a.o.Array.Len)))
	}
	return s.v3swap(amd64.VPADDD, s.shift(amd64.VPSLLD, x, laneBits), s.fromTable(ir.OpLane, inVector))
}

func (a *access) local(e *emitter) {
	switch {
	case a.o.Type().Size() < 4 || a.vec > 1 && a.shape != uniform:
		a.byLanes(e)
	case a.shape == uniform:
		a.around(e, func(out amd64.Label) { a.localRows(e, out) }, func() { a.byLanes(e) })
	case a.writes():
		a.spreadRegisters(e)
		a.indices(e)
		a.baseTo(e, unrolledBase)
		a.eachLane(e, unrolledBase, func(m amd64.Mem) { a.touch(e, 0, m) })
	default:
		a.gather(e)
	}
}

// localRows moves elements at an index that all lanes share.
func (a *access) localRows(e *emitter, out amd64.Label) {
	size := a.o.Type().Size()
	a.element0(e)
	a.inside(e, int32(a.vec), out)
	e.ShiftImm(4, 8, amd64.AX, uint8(bits.TrailingZeros(uint(lanes*size))))
	rows := a.value[0]
	if a.result != nil {
		rows = a.result
	}
	for i, v := range rows {
		m := amd64.Mem{Base: vectorFrame, Index: amd64.AX, Scale: 1, Disp: a.s.layout.locals[a.object] + 32*int32(i)}
		switch {
		case a.result != nil:
			y := e.dst(v)
			e.VLoad(y, m)
			e.put(v, y)
		case a.mask == noReg:
			e.VStore(m, e.reg(v, scratch0))
		default: // the row is the vector's own: what lanes that are not active have is put back
			a.maskOf(e, i%parts(a.o.Type()))
			e.VLoad(scratch2, m)
			e.V4(amd64.VBLENDVPS, scratch2, scratch2, e.rm(v), scratch1)
			e.VStore(m, scratch2)
		}
	}
}

// maskOf brings the mask, as lanes of the element's size have it, into scratch1; half is 1 for lanes 4 to 7 of 8 bytes.
func (a *access) maskOf(e *emitter, half int) {
	if a.o.Type().Size() < 8 {
		e.VMove(scratch1, e.reg(a.mask, scratch1))
		return
	}
	e.V2Imm(amd64.VPERMQ, scratch1, e.rm(a.mask), [2]uint8{0x44, 0xEE}[half])
	e.V2(amd64.VPMOVSXDQ, scratch1, scratch1.RM())
}
