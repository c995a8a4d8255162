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

// localIndex is where the elements stand that lanes ask for. Of less than 4 bytes, lanes load behind the last one what is outside.
func (s *selector) localIndex(a *access) vreg {
	x := a.index[0]
	if a.writes() && a.mask != noReg {
		x = s.v3swap(amd64.VPOR, x, s.not(a.mask))
	}
	if a.writes() || a.o.Type().Size() < 4 {
		x = s.v3swap(amd64.VPMINUD, x, s.constant(uint32(a.o.Array.Len)))
	}
	return s.v3swap(amd64.VPADDD, s.shift(amd64.VPSLLD, x, laneBits), s.fromTable(ir.OpLane, inVector))
}

func (a *access) local(e *emitter) {
	switch {
	case a.vec > 1 && a.shape != uniform:
		a.byLanes(e)
	case a.shape == uniform:
		a.around(e, func(out amd64.Label) { a.localRows(e, out) }, func() { a.byLanes(e) })
	case a.writes():
		a.spreadRegisters(e)
		a.indices(e)
		a.baseTo(e, unrolledBase)
		a.eachLane(e, unrolledBase, func(m amd64.Mem) { a.touch(e, 0, m) })
	case a.o.Type().Size() < 4:
		a.localPairs(e)
	default:
		a.gather(e)
	}
}

// localPairs loads elements of less than 4 bytes, and makes zeros of those outside.
func (a *access) localPairs(e *emitter) {
	proven, result := a.s.p.Flags(a.r).InBounds(), a.result[0] // which speaks of active lanes
	if !proven {
		a.outside(e)
		e.VStore(amd64.At(vectorFrame, vectorOut), scratch1)
	}
	a.indices(e)
	a.baseTo(e, unrolledBase)
	if a.loadPairs(e, unrolledBase); proven {
		return
	}
	e.VLoad(scratch1, amd64.At(vectorFrame, vectorOut))
	e.V3(amd64.VPANDN, scratch2, scratch1, e.rm(result))
	e.put(result, scratch2)
}

// localRows moves elements at an index that all lanes share.
func (a *access) localRows(e *emitter, out amd64.Label) {
	size := a.o.Type().Size()
	m := a.localRow(e, out)
	rows := a.value[0]
	if a.result != nil {
		rows = a.result
	}
	load, narrow := widening[a.o.Type()]
	if !narrow {
		load = amd64.VMOVUPS
	}
	for i, v := range rows {
		x := scratch2
		switch {
		case a.result != nil:
			y := e.dst(v)
			e.V2(load, y, m.RM())
			e.put(v, y)
		case a.mask == noReg:
			x = e.reg(v, scratch0)
		default: // the row is the vector's own: what lanes that are not active have is put back
			e.maskOf(a.mask, size, i%parts(a.o.Type()))
			e.V2(load, scratch2, m.RM())
			e.V4(amd64.VBLENDVPS, scratch2, scratch2, e.rm(v), scratch1)
		}
		switch {
		case a.result != nil:
		case narrow:
			e.storePacked(size, m, x)
		default:
			e.VStore(m, x)
		}
		m.Disp += int32(min(32, lanes*size))
	}
}

// localRow is where the row stands that all lanes ask for. It jumps to out unless that is known to be inside.
func (a *access) localRow(e *emitter, out amd64.Label) amd64.Mem {
	size, at := a.o.Type().Size(), a.s.layout.locals[a.object]
	if first, ok := a.constant(e, a.index[0]); ok && uint64(int(first)/size+a.vec) <= a.o.Array.Len {
		return amd64.At(vectorFrame, at+lanes*first)
	}
	a.element0(e)
	a.inside(e, int32(a.vec), out)
	e.ShiftImm(4, 8, amd64.AX, uint8(bits.TrailingZeros(uint(lanes*size))))
	return amd64.Mem{Base: vectorFrame, Index: amd64.AX, Scale: 1, Disp: at}
}

// maskOf brings a mask, as lanes of the element's size have it, into scratch1; half is 1 for lanes 4 to 7 of 8 bytes.
func (e *emitter) maskOf(mask vreg, size, half int) {
	if size < 8 {
		e.VMove(scratch1, e.reg(mask, scratch1))
		return
	}
	e.V2Imm(amd64.VPERMQ, scratch1, e.rm(mask), [2]uint8{0x44, 0xEE}[half])
	e.V2(amd64.VPMOVSXDQ, scratch1, scratch1.RM())
}
