package native

import "github.com/govyre/vyre/internal/native/internal/amd64"

// Sixteen bytes a lane; if lanes follow each other, 128 bytes in one piece. They are moved as four rows of two lanes each,
// and turned into one register an element by a transposition of both halves. Row k has lanes k and k+4; of two elements of 8
// bytes, lanes 0 and 2, 1 and 3, 4 and 6, 5 and 7. Rows that are packs (packs.go) have lanes 2k and 2k+1, and stay as they
// are.

// elements turns rows of records into elements.
func (a *access) elements(r []vreg) []vreg {
	s := a.s
	if a.vec == 2 {
		return []vreg{s.v3(amd64.VUNPCKLPD, r[0], r[1]), s.v3(amd64.VUNPCKLPD, r[2], r[3]), s.v3(amd64.VUNPCKHPD, r[0], r[1]), s.v3(amd64.VUNPCKHPD, r[2], r[3])}
	}
	return s.transpose(r)
}

// rows turns elements into rows of records.
func (a *access) rows(v []vreg) []vreg {
	s := a.s
	if a.vec == 2 {
		return []vreg{s.v3(amd64.VUNPCKLPD, v[0], v[2]), s.v3(amd64.VUNPCKHPD, v[0], v[2]), s.v3(amd64.VUNPCKLPD, v[1], v[3]), s.v3(amd64.VUNPCKHPD, v[1], v[3])}
	}
	return s.transpose(v)
}

// transpose turns rows of four words into elements, and back.
func (s *selector) transpose(r []vreg) []vreg {
	lo, hi := s.v3(amd64.VUNPCKLPS, r[0], r[1]), s.v3(amd64.VUNPCKHPS, r[0], r[1])
	lo2, hi2 := s.v3(amd64.VUNPCKLPS, r[2], r[3]), s.v3(amd64.VUNPCKHPS, r[2], r[3])
	return []vreg{s.v3(amd64.VUNPCKLPD, lo, lo2), s.v3(amd64.VUNPCKHPD, lo, lo2), s.v3(amd64.VUNPCKLPD, hi, hi2), s.v3(amd64.VUNPCKHPD, hi, hi2)}
}

// piece jumps to out unless all 128 bytes are inside, and returns where they are.
func (a *access) piece(e *emitter, out amd64.Label) amd64.Mem {
	e.spares = true
	a.reach(e, 4*lanes, out)
	return a.at(0)
}

func plus(m amd64.Mem, n int32) amd64.Mem {
	m.Disp += n
	return m
}

func (a *access) loadRows(e *emitter, m amd64.Mem) {
	for k, v := range a.result {
		y := e.dst(v)
		if a.packed {
			e.VLoad(y, plus(m, 32*int32(k)))
		} else {
			low, high := a.lanesOf(k)
			e.V2Short(amd64.VMOVUPS, y, plus(m, 16*int32(low)).RM())
			e.V3Imm(amd64.VINSERTF128, y, y, plus(m, 16*int32(high)).RM(), 1)
		}
		e.put(v, y)
	}
}

func (a *access) storeRows(e *emitter, m amd64.Mem) {
	for k, v := range a.value[0] {
		y := e.reg(v, scratch0)
		if a.packed {
			e.VStore(plus(m, 32*int32(k)), y)
		} else {
			low, high := a.lanesOf(k)
			e.VStoreShort(plus(m, 16*int32(low)), y)
			e.VHalf(plus(m, 16*int32(high)).RM(), y, 1)
		}
	}
}

// scattered moves records at any indices, if all lanes are active and all records inside; loads, if those of active lanes are.
func (a *access) scattered(e *emitter) {
	a.around(e, func(out amd64.Label) {
		if a.mask != noReg && a.result != nil && a.shape != consecutive {
			a.shelter(e, out)
		} else {
			a.allInside(e, out)
			a.locate(e)
		}
		if a.result == nil {
			for l := range lanes { // in this order, for records may be the same
				k, half := a.rowOf(l)
				y := e.reg(a.value[0][k], scratch0)
				if m := a.record(e, l); half == 0 {
					e.VStoreShort(m, y)
				} else {
					e.VHalf(m.RM(), y, 1)
				}
			}
			return
		}
		for k, v := range a.result {
			y := e.dst(v)
			for l := range lanes {
				switch row, half := a.rowOf(l); {
				case row != k:
				case half == 0:
					e.V2Short(amd64.VMOVUPS, y, a.record(e, l).RM())
				default:
					e.V3Imm(amd64.VINSERTF128, y, y, a.record(e, l).RM(), 1)
				}
			}
			e.put(v, y)
		}
	}, func() { a.byLanes(e) })
}

// shelter brings indices and the object's address into registers: 0 for lanes that are not active and outside. It jumps to out
// if an active lane is outside, or all lanes.
func (a *access) shelter(e *emitter, out amd64.Label) {
	a.leaves = true
	a.countable(e, out)
	a.outside(e)
	e.V2(amd64.VTESTPS, scratch1, e.rm(a.mask))
	e.Jcc(amd64.NE, out)
	e.V3(amd64.VPCMPEQD, scratch2, scratch2, scratch2.RM())
	e.V3(amd64.VPANDN, scratch1, scratch1, scratch2.RM())
	e.V2(amd64.VTESTPS, scratch1, scratch1.RM())
	e.Jcc(amd64.E, out)
	e.V3(amd64.VPAND, scratch0, scratch1, e.rm(a.scaled))
	a.recordIndices(e, scratch0)
}

// recordIndices brings all indices, those in x, into registers, and the object's address: of fields in elements, of records in
// words of 8 bytes, which are less than 2³².
func (a *access) recordIndices(e *emitter, x amd64.Y) {
	if !a.fields {
		e.VShift(amd64.VPSLLD, scratch0, x, 1)
		x = scratch0
	}
	a.spreadIndices(e, x)
	e.Load(8, unrolledBase, a.baseRM())
}

// lanesOf returns the lanes of a row; rowOf the row and the half of it where a lane is.
func (a *access) lanesOf(row int) (low, high int) {
	if a.vec == 2 {
		low = row%2 + row/2*4
		return low, low + 2
	}
	return row, row + 4
}

func (a *access) rowOf(lane int) (row, half int) {
	switch {
	case a.packed:
		return lane / 2, lane % 2
	case a.vec == 2:
		return lane%2 + lane/4*2, lane / 2 % 2
	}
	return lane % 4, lane / 4
}

// record is the record of a lane. Of the two lanes that share a register, the even one has to come first.
func (a *access) record(e *emitter, lane int) amd64.Mem {
	if a.fields && a.shape == consecutive {
		return amd64.At(unrolledBase, int32(lane*a.o.Stride()))
	}
	x := lanePairs[lane/2]
	if lane%2 == 0 {
		e.Load(4, laneIndex, x.RM())
		x = laneIndex
	} else {
		e.ShiftImm(5, 8, x, 32)
	}
	if a.fields {
		return amd64.Mem{Base: unrolledBase, Index: x, Scale: uint8(a.o.Type().Size())}
	}
	return amd64.Mem{Base: unrolledBase, Index: x, Scale: 8}
}

func (a *access) loadRecords(e *emitter) {
	a.around(e, func(out amd64.Label) { a.loadRows(e, a.piece(e, out)) }, func() { a.byLanes(e) })
}

// storeRecords stores the piece if all lanes are active: else others' elements are in it.
func (a *access) storeRecords(e *emitter) {
	a.around(e, func(out amd64.Label) {
		a.whole(e, out)
		a.storeRows(e, a.piece(e, out))
	}, func() { a.byLanes(e) })
}
