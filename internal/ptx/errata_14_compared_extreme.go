package ptx

import "github.com/govyre/vyre/ir"

// findComparedExtremes finds the smaller or greater of two 32-bit integers that is compared with a third one in turn: in a
// minimum or maximum, or for a choice that comes to one. For sm_90 ptxas 13.0 makes one VIMNMX3 of the two, and if the second
// operand of the first is a negation, it leaves the minus sign out. So such a negation is none that it would see: see plainly.
func (s *selector) findComparedExtremes() {
	p := s.p
	extreme := func(r ir.Row) bool {
		op := p.Op(r)
		return (op == ir.OpMin || op == ir.OpMax) && p.Type(r).IsInt() && p.Type(r).Size() == 4
	}
	for r := range ir.Row(p.Rows()) {
		op := p.Op(r)
		if op != ir.OpLt && op != ir.OpLe && !extreme(r) {
			continue
		}
		for _, v := range [2]ir.Row{p.A(r), p.B(r)} {
			v = s.conversions.of(s, isConversion).from(v).first
			if !extreme(v) || extreme(r) && p.Op(v) != op {
				continue
			}
			if s.comparedExtremes == nil {
				s.comparedExtremes = make(map[ir.Row]bool)
			}
			s.comparedExtremes[v] = true
		}
	}
}
