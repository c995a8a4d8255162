package ptx

import "github.com/govyre/vyre/ir"

// findSubtractedFrom finds the products of which the upper half, 32 bits, is the low word of a value from which another of 64
// bits is subtracted. ptxas (11.8, 12.4, 12.5, any target) makes one IMAD.HI of the product and of the low word's difference,
// which adds what is negated, and takes its carry for the high word. A difference carries where nothing is borrowed; a sum with a
// negated zero does not, so that uint64(h) − 0 is uint64(h) − 1<<32. It is not made of what was added or masked before, but an
// assembler may come to know that this changes nothing, or that one arm is always taken: such rows are passed here. Values that
// are added after a negation of their own are right, as are the halves of a product of 64 bits by a shift. O(rows).
func (s *selector) findSubtractedFrom() {
	p := s.p
	var walk []ir.Row // low words of what something is subtracted from
	for r := range ir.Row(p.Rows()) {
		if op := p.Op(r); (op == ir.OpSub || op == ir.OpSubSat) && is64(p.Type(r)) && !s.idle(r) {
			walk = append(walk, p.A(r))
		}
	}
	if len(walk) == 0 {
		return
	}
	merged := mergedFrom(p)
	seen := make([]bool, p.Rows())
	for len(walk) > 0 {
		v := walk[len(walk)-1]
		walk = walk[:len(walk)-1]
		if v == ir.NoRow || seen[v] || !p.Type(v).IsInt() || p.Type(v).Bits() < 32 {
			continue
		}
		seen[v] = true
		s.visits++
		switch p.Op(v) {
		case ir.OpMulHi:
			if p.Type(v).Bits() == 32 {
				s.hideUpper(v)
				s.subtractedFrom++
			}
		case ir.OpCvt, ir.OpBitcast:
			walk = append(walk, p.A(v))
		case ir.OpAdd, ir.OpSub, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpMin, ir.OpMax:
			walk = append(walk, p.A(v), p.B(v))
		case ir.OpSelect:
			walk = append(walk, p.B(v), p.C(v))
		default:
			walk = append(walk, merged[v]...)
		}
	}
}

// mergedFrom returns, by the rows that loops carry and that regions have as results, what they get at the ends of the ways there.
func mergedFrom(p *ir.Program) map[ir.Row][]ir.Row {
	from := make(map[ir.Row][]ir.Row)
	for r := range ir.Row(p.Rows()) {
		if op := p.Op(r); op == ir.OpLoop || op == ir.OpContinue || op == ir.OpBreak || op == ir.OpYield {
			to := targetOf(p, r)
			for i, v := range p.List(r) {
				from[to+ir.Row(i)] = append(from[to+ir.Row(i)], ir.Row(v))
			}
		}
	}
	return from
}
