package ptx

import (
	"math/bits"

	"github.com/govyre/vyre/ir"
)

// known is how many of an integer's lowest bits an assembler may find to be constants, by the ways on which the value
// is no constant as a whole; and whether there are ways on which it is. Merges take the larger number: the assembler
// knows loops that run once for what they are.
type known struct {
	low   int
	whole bool
}

// findLowKnown finds the 64-bit products by constants, left shifts among them, of values whose low word may be known
// while the high word is not: after ((x<<16+1)<<16+1) the lower word is 0x00010001. Where something is added to the
// product of such a value, ptxas (11.8 and 13.0) adds to the high word without having multiplied it.
func (s *selector) findLowKnown() {
	p := s.p
	var products []ir.Row
	for r := range ir.Row(p.Rows()) {
		if factor(p, r) != 1 && is64(p.Type(r)) {
			products = append(products, r)
		}
	}
	if len(products) < 2 {
		return // it takes one to know the low word, and another one to go wrong
	}
	all := lowBits(p)
	for _, r := range products {
		if all[p.A(r)].low >= 32 && uint32(factor(p, r)) != 0 {
			if s.halfKnown == nil {
				s.halfKnown = make(map[ir.Row]bool)
			}
			s.halfKnown[r] = true
		}
	}
}

func is64(t ir.Type) bool { return t == ir.I64 || t == ir.U64 }

// factor is the constant by which a row multiplies its first operand; 1 if it does not.
func factor(p *ir.Program, r ir.Row) uint64 {
	op := p.Op(r)
	if op != ir.OpMul && op != ir.OpShl && op != ir.OpMulWide || !p.Type(r).IsInt() || p.Op(p.B(r)) != ir.OpConst {
		return 1
	}
	c := p.Const(p.B(r))
	if op == ir.OpShl {
		return 1 << c // 0 from 64 on
	}
	return c
}

// lowBits returns what may be known of every row. What merges know only grows, and by a factor's zeros at least in
// each round of a loop, so this ends after a few passes: O(rows × 64) at worst.
func lowBits(p *ir.Program) []known {
	all := make([]known, p.Rows())
	for {
		changed := false
		for r := range ir.Row(p.Rows()) {
			switch p.Op(r) {
			case ir.OpArg, ir.OpRes: // what reaches them says it
			case ir.OpLoop, ir.OpContinue, ir.OpBreak, ir.OpYield:
				to := targetOf(p, r)
				for i, v := range p.List(r) {
					at, was := &all[to+ir.Row(i)], all[to+ir.Row(i)]
					at.low, at.whole = max(at.low, all[v].low), at.whole || all[v].whole
					changed = changed || *at != was
				}
			default:
				all[r] = lowOf(p, all, r)
			}
		}
		if !changed {
			return all
		}
	}
}

// targetOf is the first of the rows that take the list of a row.
func targetOf(p *ir.Program, r ir.Row) ir.Row {
	regions := p.Regions()
	results := func(x ir.Row) ir.Row { return regions[p.X(x)+uint32(p.Op(x).Info().Owns)-1].End }
	switch p.Op(r) {
	case ir.OpLoop:
		return regions[p.X(r)].First
	case ir.OpContinue:
		return regions[p.X(ir.Row(p.X(r)))].First
	case ir.OpBreak:
		return results(ir.Row(p.X(r)))
	}
	return results(regions[p.Region(r)].Op)
}

// lowOf is what may be known of a row's value, by what may be known of its operands.
func lowOf(p *ir.Program, all []known, r ir.Row) known {
	if !p.Type(r).IsInt() {
		return known{}
	}
	var a, b known
	if x := p.A(r); x != ir.NoRow {
		a = all[x]
	}
	if x := p.B(r); x != ir.NoRow {
		b = all[x]
	}
	k := known{}
	switch p.Op(r) {
	case ir.OpConst:
		return known{whole: true}
	case ir.OpAdd, ir.OpSub, ir.OpAnd, ir.OpOr, ir.OpXor:
		k = known{min(a.low, b.low), a.whole && b.whole}
		if a.whole {
			k.low = max(k.low, b.low)
		}
		if b.whole {
			k.low = max(k.low, a.low)
		}
	case ir.OpNeg, ir.OpNot, ir.OpCvt, ir.OpBitcast:
		k = a
	case ir.OpMul, ir.OpMulWide, ir.OpShl:
		if f := factor(p, r); f != 1 {
			k = known{a.low + bits.TrailingZeros64(f), a.whole}
		}
	case ir.OpSelect:
		c := all[p.C(r)]
		k = known{max(b.low, c.low), b.whole || c.whole}
	}
	k.low = min(k.low, int(p.Type(r).Bits()))
	return k
}

// timesByHalves multiplies a 64-bit value by a constant in words of 32 bits.
func (s *selector) timesByHalves(a operand, by uint64) operand {
	lo, hi := s.split(a.as(tB64))
	first, above := u32(uint32(by)), u32(uint32(by>>32))
	product, carry := s.split(s.doInto(s.newReg(classRD), opMulWide, tU32, lo, first))
	high := s.do(opAdd, tU32, s.do(opMulLo, tU32, hi, first), carry)
	if above.bits != 0 {
		high = s.do(opAdd, tU32, s.do(opMulLo, tU32, lo, above), high)
	}
	return s.joined(classRD, product, high)
}
