package ptx

import "github.com/govyre/vyre/ir"

// findLateMinuends finds the differences k − x of 32 bits of which the assembler learns k only when it makes machine code. The
// driver for CUDA 13.0 makes one instruction of min(k − x, y), and of a maximum; there it turns −x + k into −(x − k), and
// forgets the outer sign. So it does where k is what a shuffle gives of a constant, or a word of a constant of 64 bits, and not
// where k was known before: a literal, a loop's counter, what a branch tells. Such a k is combined with a zero that the
// assembler does not know.
func (s *selector) findLateMinuends() {
	var minuends, differences []ir.Row
	var known, late []bool
	for r := range ir.Row(s.p.Rows()) {
		if t := s.p.Type(r); s.p.Op(r) != ir.OpSub || !t.IsInt() || t.Bits() > 32 || s.p.Op(s.p.A(r)) == ir.OpConst {
			continue
		}
		if known == nil {
			known, late = mayBeKnown(s.p), lateKnown(s.p)
		}
		if k := s.p.A(r); known[k] && late[k] {
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

// lateKnown returns which rows are made of what lanes exchange, or of 64 bits. Twice through the program, for what goes round
// loops: O(rows).
func lateKnown(p *ir.Program) []bool {
	late := make([]bool, p.Rows())
	filled := make([]bool, len(p.Objects()))
	for range 2 {
		for r := range ir.Row(p.Rows()) {
			op := p.Op(r)
			switch {
			case op == ir.OpArg || op == ir.OpRes:
			case op == ir.OpLoop || op == ir.OpContinue || op == ir.OpBreak || op == ir.OpYield:
				to := targetOf(p, r)
				for i, v := range p.List(r) {
					late[to+ir.Row(i)] = late[to+ir.Row(i)] || late[v]
				}
			case op == ir.OpStore || op == ir.OpStoreV2 || op == ir.OpStoreV4:
				filled[p.X(r)] = filled[p.X(r)] || late[p.B(r)]
			case loadsLocal(p, r):
				late[r] = filled[p.X(r)]
			default:
				late[r] = op != ir.OpConst && (p.Type(r).Bits() == 64 || op.Info().Attr&ir.Convergent != 0)
				for i, v := range [3]ir.Row{p.A(r), p.B(r), p.C(r)} {
					late[r] = late[r] || i < op.Info().Args && late[v]
				}
				for _, v := range p.List(r) {
					late[r] = late[r] || late[v]
				}
			}
		}
	}
	return late
}
