package ptx

import "github.com/govyre/vyre/ir"

// findNegativeFactors finds the products of 64 bits of a word without a sign and a constant whose upper word is −1. Where the
// word is a parameter, ptxas 11.8 for sm_75 and sm_80 multiplies in uniform registers, and adds the word to the upper half in
// place of taking it away. It does not where the word's register is no uniform one; for sm_90 it is right.
func (s *selector) findNegativeFactors() {
	if s.t.SM >= 90 {
		return
	}
	wide := chains{next: func(v ir.Row) (ir.Row, bool, bool) {
		op := s.p.Op(v)
		return s.p.A(v), false, op == ir.OpBitcast || op == ir.OpCvt && is64(s.p.Type(s.p.A(v)))
	}}
	for r := range ir.Row(s.p.Rows()) {
		if op := s.p.Op(r); op != ir.OpMul || !is64(s.p.Type(r)) || factor(s.p, r)>>32 != 1<<32-1 {
			continue
		}
		v := wide.from(s.p.A(r)).first
		if s.p.Op(v) == ir.OpCvt && s.p.Type(s.p.A(v)) == ir.U32 {
			s.hideLow(r)
			s.negativeFactors++
		}
	}
}
