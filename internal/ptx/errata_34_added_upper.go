package ptx

import "github.com/govyre/vyre/ir"

// findAddedUppers finds the products of which the upper half is wanted, 32 bits, and added to several values. The
// assembler makes one instruction of a sum with such a half: it multiplies once more, and adds a pair of registers, the value
// above a zero. Of the pair it looks at the lower register when it leaves out what stands already, see sameLow, so of several
// sums one product had with different values some were left out. A half that is combined with a zero the assembler does not
// know is added by itself. O(rows).
func (s *selector) findAddedUppers() {
	sums, looped := make(map[ir.Row]int), inLoops(s.p)
	same := chains{next: sameBits(s.p)}
	for r := range ir.Row(s.p.Rows()) {
		if op := s.p.Op(r); op != ir.OpAdd && op != ir.OpSub || s.idle(r) {
			continue
		}
		for _, v := range [2]ir.Row{s.p.A(r), s.p.B(r)} {
			if v = same.from(v).first; s.p.Op(v) == ir.OpMulHi && s.p.Type(v).Bits() == 32 {
				sums[v]++
				if looped[s.p.Region(r)] && s.p.Region(r) != s.p.Region(v) { // the assembler may write the loop out
					sums[v]++
				}
			}
		}
	}
	for v, n := range sums {
		if n >= 2 {
			s.hideUpper(v)
			s.addedUppers++
		}
	}
}

// hideUpper notes that the upper half of product v is combined with a zero that the assembler does not know.
func (s *selector) hideUpper(v ir.Row) {
	if s.hiddenUppers == nil {
		s.hiddenUppers = make(map[ir.Row]bool)
	}
	s.hiddenUppers[v] = true
}

// sameBits follows rows to what they have their 32 bits of, if they are another type's value for them.
func sameBits(p *ir.Program) func(v ir.Row) (ir.Row, bool, bool) {
	return func(v ir.Row) (ir.Row, bool, bool) {
		u := p.A(v)
		return u, false, (p.Op(v) == ir.OpBitcast || p.Op(v) == ir.OpCvt) && p.Type(v).IsInt() && p.Type(v).Bits() == 32 && p.Type(u).IsInt() && p.Type(u).Bits() == 32
	}
}

// upperHalf is the upper half of a product, as the assembler is to know it.
func (s *selector) upperHalf(r ir.Row) {
	v := s.do(opMulHi, arith(s.typeOf(r)), s.value(s.p.A(r)), s.value(s.p.B(r)))
	if s.hiddenUppers[r] {
		v = s.unknown(v)
	}
	s.set(r, v)
}
