package ptx

import (
	"slices"

	"github.com/govyre/vyre/ir"
)

// findLateMinuends finds the differences k − x of 32 bits of which the assembler learns k only when it makes machine code. The
// driver for CUDA 13.0 makes one instruction of min(k − x, y), and of a maximum; there it turns −x + k into −(x − k), and
// forgets the outer sign. So it does where k is what a shuffle gives of a constant, or a word of a constant of 64 bits, and not
// where k was known before: a literal, a loop's counter, what a branch tells. Such a k is combined with a zero that the
// assembler does not know.
func (s *selector) findLateMinuends() {
	var minuends, differences []ir.Row
	var late []bool
	for r := range ir.Row(s.p.Rows()) {
		if t := s.p.Type(r); s.p.Op(r) != ir.OpSub || !t.IsInt() || t.Bits() > 32 || s.p.Op(s.p.A(r)) == ir.OpConst {
			continue
		}
		if late == nil {
			late = lateKnown(s.p)
		}
		if k := s.p.A(r); late[k] && s.mayBeKnown(k) {
			minuends, differences = append(minuends, k), append(differences, r)
		}
	}
	if len(minuends) == 0 {
		return
	}
	for i, low := range (&lowTrial{p: s.p}).known(minuends) {
		if low.always == 32 {
			if s.lateMinuends == nil {
				s.lateMinuends = make(map[ir.Row]bool)
			}
			s.lateMinuends[differences[i]] = true
		}
	}
}

// lateKnown returns which rows are made of what lanes exchange, or of 64 bits. O(rows).
func lateKnown(p *ir.Program) []bool {
	return spread(p, func(r ir.Row, late []bool) bool {
		in := p.Op(r).Info()
		if p.Op(r) != ir.OpConst && (p.Type(r).Bits() == 64 || in.Attr&ir.Convergent != 0) {
			return true
		}
		for i, v := range [3]ir.Row{p.A(r), p.B(r), p.C(r)} {
			if i < in.Args && late[v] {
				return true
			}
		}
		return slices.ContainsFunc(p.List(r), func(v uint32) bool { return late[v] })
	})
}
