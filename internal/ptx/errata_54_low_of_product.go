package ptx

import "github.com/govyre/vyre/ir"

// The low word of a carried sum. Of add.cc.u64 and addc.cc.u64 of a product of words ptxas 11.8 (any target) makes one
// IMAD.WIDE.U32 with a carry. If nothing asks for the high word, it makes IMAD.HI.U32 of that for the sake of the carry, and
// takes its result, which is the high word, for the low one. Two additions of words are two instructions more, so sums whose
// high word is surely asked for stay whole.

// linkWords writes a link of 64 bits that leaves its carry as two of words.
func (s *selector) linkWords(minus, flag bool, x, y operand) operand {
	xl, xh := s.split(x)
	yl, yh := s.split(y)
	if xl.kind == isImm && yl.kind == isImm { // the assembler takes one constant
		xl = r(s.inReg(tU32, xl))
	}
	if xh.kind == isImm && yh.kind == isImm {
		xh = r(s.inReg(tU32, xh))
	}
	lo := s.do(forms[bit(minus)][bit(flag)][1], tU32, xl, yl)
	return s.joined(classRD, lo, s.do(forms[bit(minus)][1][1], tU32, xh, yh))
}

// asksForHigh reports whether memory is given what depends on the high word of row v, for all that the assembler can know.
// O(rows) the first time.
func (s *selector) asksForHigh(v ir.Row) bool {
	if s.highs == nil {
		s.highs = s.askedHighs()
	}
	return s.highs[v]
}

func (s *selector) askedHighs() []bool {
	p, high := s.p, make([]bool, s.p.Rows())
	unlessKnown := func(v, by ir.Row) {
		if !s.mayBeKnown(by) {
			high[v] = true
		}
	}
	for r := ir.Row(p.Rows()) - 1; r > 0; r-- {
		a, b := p.A(r), p.B(r)
		switch op := p.Op(r); {
		case (op == ir.OpStore || op == ir.OpStoreV2) && !p.Objects()[p.X(r)].Local():
			high[b] = true
		case !high[r]:
		case op == ir.OpAdd || op == ir.OpSub || op == ir.OpXor:
			high[a], high[b] = true, true
		case op == ir.OpVec:
			for _, v := range p.List(r) {
				high[v] = true
			}
		case op == ir.OpNot || op == ir.OpNeg || op == ir.OpBitcast && p.Type(a).Bits() == 64:
			high[a] = true
		case op == ir.OpAnd || op == ir.OpOr:
			unlessKnown(a, b)
			unlessKnown(b, a)
		case op == ir.OpSelect:
			unlessKnown(b, a)
			unlessKnown(p.C(r), a)
		}
	}
	return high
}
