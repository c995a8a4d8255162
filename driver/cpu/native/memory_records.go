package native

import "github.com/govyre/vyre/driver/cpu/native/internal/amd64"

// Four elements of 4 bytes a lane, of lanes that follow each other: 128 bytes in one piece. They are moved as four rows,
// of which row k has lanes k and k+4, sixteen bytes each, and turned into one register an element by a transposition of
// both halves.

// transpose turns rows of records into elements, and back.
func (s *selector) transpose(r []vreg) []vreg {
	lo, hi := s.v3(amd64.VUNPCKLPS, r[0], r[1]), s.v3(amd64.VUNPCKHPS, r[0], r[1])
	lo2, hi2 := s.v3(amd64.VUNPCKLPS, r[2], r[3]), s.v3(amd64.VUNPCKHPS, r[2], r[3])
	return []vreg{s.v3(amd64.VUNPCKLPD, lo, lo2), s.v3(amd64.VUNPCKHPD, lo, lo2), s.v3(amd64.VUNPCKLPD, hi, hi2), s.v3(amd64.VUNPCKHPD, hi, hi2)}
}

// piece jumps to out unless all 128 bytes are inside, and returns where they are.
func (a *access) piece(e *emitter, out amd64.Label) amd64.Mem {
	a.first(e)
	e.ShiftImm(4, 8, amd64.AX, 2)
	a.inside(e, 4*lanes, out)
	e.Load(8, amd64.DX, a.base().RM())
	return a.at(0)
}

func plus(m amd64.Mem, n int32) amd64.Mem {
	m.Disp += n
	return m
}

func (a *access) loadRows(e *emitter, m amd64.Mem) {
	for k, v := range a.result {
		y := e.dst(v)
		e.V2Short(amd64.VMOVUPS, y, plus(m, 16*int32(k)).RM())
		e.V3Imm(amd64.VINSERTF128, y, y, plus(m, 64+16*int32(k)).RM(), 1)
		e.put(v, y)
	}
}

func (a *access) storeRows(e *emitter, m amd64.Mem) {
	for k, v := range a.value[0] {
		y := e.reg(v, scratch0)
		e.VStoreShort(plus(m, 16*int32(k)), y)
		e.VHalf(plus(m, 64+16*int32(k)).RM(), y, 1)
	}
}

func (a *access) loadRecords(e *emitter) {
	a.around(e, func(out amd64.Label) { a.loadRows(e, a.piece(e, out)) }, func() { a.byLanes(e) })
}

// storeRecords stores the piece if all lanes are active: else others' elements are in it.
func (a *access) storeRecords(e *emitter) {
	a.around(e, func(out amd64.Label) {
		if a.mask != noReg {
			e.VMask(amd64.AX, e.reg(a.mask, scratch0))
			e.AluImm(amd64.CMP, 4, amd64.AX.RM(), 1<<lanes-1)
			e.Jcc(amd64.NE, out)
		}
		a.storeRows(e, a.piece(e, out))
	}, func() { a.byLanes(e) })
}
