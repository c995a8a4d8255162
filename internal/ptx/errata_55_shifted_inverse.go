package ptx

import "github.com/govyre/vyre/ir"

// findShiftedInverses finds the inverted values of 64 bits that are shifted left. To one that is added to another inverted value,
// the assembler in the driver for CUDA 13.0 (sm_90a) gives a LEA.HI.X with both inversions, which is an illegal instruction. It
// does so if they are written as xor, which they are because of error 51; a difference from −1 is as short, and right. O(rows).
func (s *selector) findShiftedInverses() {
	p, inverse := s.p, map[ir.Row]ir.Row{} // by row: what it has its bits of, which is not row 0
	for r := range ir.Row(p.Rows()) {
		if !is64(p.Type(r)) {
			continue
		}
		switch v := inverse[p.A(r)]; p.Op(r) {
		case ir.OpNot, ir.OpXor:
			if p.Op(r) == ir.OpNot || p.Op(p.B(r)) == ir.OpConst && p.Const(p.B(r)) == 1<<64-1 {
				inverse[r] = r
			}
		case ir.OpBitcast, ir.OpCvt:
			if v != 0 {
				inverse[r] = v
			}
		case ir.OpShl:
			if v != 0 && s.shiftedInverses == nil {
				s.shiftedInverses = make(map[ir.Row]bool)
			}
			if v != 0 {
				s.shiftedInverses[v] = true
			}
		}
	}
}

// inverts writes row r, an inversion or a xor, as a difference if its value is shifted left, and reports whether it is.
func (s *selector) inverts(r ir.Row) bool {
	if s.shiftedInverses[r] {
		s.set(r, s.do(opSub, tS64, imm(tS64, 1<<64-1), s.value(s.p.A(r))))
	}
	return s.shiftedInverses[r]
}
