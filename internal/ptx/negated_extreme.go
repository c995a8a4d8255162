package ptx

import "github.com/govyre/vyre/ir"

// findNegatedExtremes finds the smaller or greater of two 32-bit integers of which one is a negation. If it is compared with
// a third one in turn, ptxas 13.0 for sm_90 makes one VIMNMX3 of the two, and leaves the minus sign out where the negation was
// the second operand. That second comparison has many forms, a choice among them. So such a negation is none that it would
// see: see plainly.
func (s *selector) findNegatedExtremes() {
	p := s.p
	for r := range ir.Row(p.Rows()) {
		if op := p.Op(r); op != ir.OpMin && op != ir.OpMax || !p.Type(r).IsInt() || p.Type(r).Size() != 4 {
			continue
		}
		_, a := s.negated(p.A(r))
		_, b := s.negated(p.B(r))
		if a || b {
			if s.negatedExtremes == nil {
				s.negatedExtremes = make(map[ir.Row]bool)
			}
			s.negatedExtremes[r] = true
		}
	}
}
