package ptx

import (
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

// findKnownSums finds the sums and differences of f32 that the assembler may know. ptxas 11.8 computes a sum of numbers
// of two signs wrongly where the exact one lies in the middle between two floats and the even one is away from zero:
// it takes the odd one. Literals are added before they get here, but the assembler also knows what a choice comes to
// whose condition holds in its whole range, what a shuffle gives of a constant, and what a local array holds.
//
// Most sums are of something that is loaded, which a look at their operands tells. What is left is computed with
// arbitrary inputs: see findLowKnown.
func (s *selector) findKnownSums() {
	var sums []ir.Row
	for r := range ir.Row(s.p.Rows()) {
		if op := s.p.Op(r); op != ir.OpAdd && op != ir.OpSub || s.p.Type(r) != ir.F32 || s.p.A(r) == s.p.B(r) {
			continue // a number and itself are of one sign, and twice a number is no tie
		}
		if s.mayBeKnown(s.p.A(r)) && s.mayBeKnown(s.p.B(r)) {
			sums = append(sums, r)
		}
	}
	if len(sums) == 0 {
		return
	}
	for i, low := range (&lowTrial{p: s.p}).known(sums) {
		if low.constant == 32 && low.greatest&^(1<<31) != 0 { // 0 is no tie
			if s.knownSum == nil {
				s.knownSum = make(map[ir.Row]bool)
			}
			s.knownSum[sums[i]] = true
		}
	}
}

// mayBeKnown reports whether an assembler may know the value of a row: if it is made of constants alone, or if one constant
// may be enough. O(rows) the first time.
func (s *selector) mayBeKnown(v ir.Row) bool {
	if s.known == nil {
		s.known = spread(s.p, func(r ir.Row, known []bool) bool { return s.p.Type(r) != ir.None && mayKnow(s.p, r, known) })
	}
	return s.known[v]
}

// spread returns of which rows something holds that merges and local arrays hand on, and of which of tells it of any other row by
// what holds of those before. Twice through the program, for what goes round loops: O(rows).
func spread(p *ir.Program, of func(r ir.Row, holds []bool) bool) []bool {
	holds := make([]bool, p.Rows())
	filled := make([]bool, len(p.Objects())) // local arrays that a value is stored to of which it holds
	for range 2 {
		for r := range ir.Row(p.Rows()) {
			op := p.Op(r)
			switch {
			case op == ir.OpArg || op == ir.OpRes:
			case op == ir.OpLoop || op == ir.OpContinue || op == ir.OpBreak || op == ir.OpYield:
				to := targetOf(p, r)
				for i, v := range p.List(r) {
					holds[to+ir.Row(i)] = holds[to+ir.Row(i)] || holds[v]
				}
			case op == ir.OpStore || op == ir.OpStoreV2 || op == ir.OpStoreV4:
				filled[p.X(r)] = filled[p.X(r)] || holds[p.B(r)]
			case loadsLocal(p, r):
				holds[r] = filled[p.X(r)]
			default:
				holds[r] = of(r, holds)
			}
		}
	}
	return holds
}

// loadsLocal reports whether a row loads from a local array. The assembler may keep that in registers.
func loadsLocal(p *ir.Program, r ir.Row) bool {
	op := p.Op(r)
	return (op == ir.OpLoad || op == ir.OpLoadV2 || op == ir.OpLoadV4) && p.Objects()[p.X(r)].Local()
}

// mayKnow reports whether a row that is no merge and no load from a local array may be known, by what it is made of.
func mayKnow(p *ir.Program, r ir.Row, known []bool) bool {
	op, in := p.Op(r), p.Op(r).Info()
	some, every := false, true
	for i, v := range [3]ir.Row{p.A(r), p.B(r), p.C(r)} {
		if i < in.Args && !(op == ir.OpSelect && i == 0) {
			some, every = some || known[v], every && known[v]
		}
	}
	for _, v := range p.List(r) {
		some, every = some || known[v], every && known[v]
	}
	switch {
	case op == ir.OpConst || p.Type(r) == ir.Bool: // a comparison holds in whole ranges
		return true
	case op == ir.OpLocal:
		return p.Workgroup()[p.X(r)] == 1
	case (op == ir.OpXor || op == ir.OpSub) && p.A(r) == p.B(r): // as programs without passes have them
		return true
	case op == ir.OpSelect || op == ir.OpMin || op == ir.OpMax || op == ir.OpMinp || op == ir.OpMaxp:
		return some
	case exact.Of(op) != nil && p.Type(r).IsInt() && in.Args > 1 && op != ir.OpAdd && op != ir.OpSub && op != ir.OpXor:
		return some // of a mask or a shift, or what both leave
	}
	return in.Args+len(p.List(r)) > 0 && in.Attr&(ir.Reads|ir.Atomic) == 0 && every
}

// nothing returns a word that is zero, of which the assembler knows no bit.
//
//go:noinline
func (s *selector) nothing() operand {
	below := s.onceOf(onceBelow, 0, func() operand { return s.do(opMov, tU32, spec(lanesBelow)) })
	return s.onceOf(onceNothing, 0, func() operand { return s.do(opShr, tS32, below, u32(31)) }) // no lane is above 31
}

// unknown is the word x, of which the assembler knows no bit.
//
//go:noinline
func (s *selector) unknown(x operand) operand { return s.do(opXor, tB32, x.as(tB32), s.nothing()) }

// obscured returns a and b, of which the assembler knows one less: its bits are combined with a word that is always zero,
// for all that the assembler can see not in each lane. A constant is combined once, at the entry.
func (s *selector) obscured(a, b operand) (operand, operand) {
	zero := s.nothing()
	switch {
	case b.kind == isImm:
		b = s.onceOf(onceObscured, uint32(b.bits), func() operand { return s.do(opXor, tB32, zero, b.as(tB32)) })
	case a.kind == isImm:
		a = s.onceOf(onceObscured, uint32(a.bits), func() operand { return s.do(opXor, tB32, zero, a.as(tB32)) })
	default:
		b = s.do(opXor, tB32, b, zero)
	}
	return a, b
}
