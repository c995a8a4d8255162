package ptx

import "github.com/govyre/vyre/ir"

// findOfThree finds the smaller or greater of two 32-bit integers that is compared with a third one in turn. For sm_90
// ptxas 13.0 makes one VIMNMX3 of the two, and if the second operand of the first is a negation, it leaves the minus sign
// out. So such a negation is none that it would see: see plainly.
func (s *selector) findOfThree() {
	p := s.p
	for r := range ir.Row(p.Rows()) {
		op := p.Op(r)
		if op != ir.OpMin && op != ir.OpMax || !p.Type(r).IsInt() || p.Type(r).Size() != 4 {
			continue
		}
		for _, v := range [2]ir.Row{p.A(r), p.B(r)} {
			for p.Op(v) == ir.OpCvt || p.Op(v) == ir.OpBitcast {
				v = p.A(v)
			}
			if p.Op(v) != op || !p.Type(v).IsInt() || p.Type(v).Size() != 4 {
				continue
			}
			if s.ofThree == nil {
				s.ofThree = make(map[ir.Row]bool)
			}
			s.ofThree[v] = true
		}
	}
}
