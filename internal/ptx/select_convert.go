package ptx

import (
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

// compareRules covers comparisons and select.
var compareRules = map[ir.Op]rule{
	ir.OpEq:     comparing(cmpEQ, cmpEQ),
	ir.OpNe:     comparing(cmpNE, cmpNEU), // a NaN is unequal to everything
	ir.OpLt:     comparing(cmpLT, cmpLT),
	ir.OpLe:     comparing(cmpLE, cmpLE),
	ir.OpSelect: (*selector).selects,
}

func comparing(ints, floats cmp) rule {
	return func(s *selector, row ir.Row) {
		t := s.typeOf(s.p.A(row))
		a, b := s.value(s.p.A(row)), s.value(s.p.B(row))
		switch {
		case t == ir.Bool:
			v := s.do(opXor, tPred, r(s.pred(a)), r(s.pred(b)))
			if ints == cmpEQ {
				v = s.do(opNot, tPred, v)
			}
			s.set(row, v)
		case t.IsHalf():
			s.set(row, s.compareFloats(row, floats, tF32, s.widen(t, a), s.widen(t, b)))
		case t.IsFloat():
			s.set(row, s.compareFloats(row, floats, arith(t), a, b))
		default:
			a, b := s.compared(row)
			p := s.compareIntegers(ints, arith(t), a, b, [2]bool{s.negation(s.p.A(row)), s.negation(s.p.B(row))})
			s.set(row, p)
			if n := s.p.B(row); ints == cmpLT && t == ir.U32 && s.p.Op(n) == ir.OpLen {
				if obj, ok := s.counted(ir.Object(s.p.X(n))); ok {
					s.checks[checkKey{obj, s.p.A(row), 1}] = cached{p.reg, row} // the program asks itself
				}
			}
		}
	}
}

// compareIntegers compares. Whether 64 bits are less than 0 is asked of their upper half. Of the negation of 64 bits, which
// may be as good as any difference, ptxas 11.8 takes the upper half for the negation of the upper half then, which it is
// only if the lower one is 0: −1 was not less than 0. It does so too if the 0 has another name, such as a conversion of 0. So
// the upper half of a negation is combined with a zero that it does not know, unless it is compared with another constant.
// negated says which of the two is a negation.
func (s *selector) compareIntegers(c cmp, t ptype, a, b operand, negated [2]bool) operand {
	hidden := func(x operand) operand {
		lower, upper := s.split(x)
		_, upper = s.obscured(s.nothing(), r(s.inReg(tB32, upper)))
		return s.joined(x.reg.class(), lower, upper)
	}
	switch {
	case t == tS64 && c == cmpLT && a.kind == isReg && b.isConst(0):
		_, upper := s.split(a)
		return s.compare(c, tS32, upper, imm(tS32, 0))
	case t == tS64 && c == cmpLE && a.isConst(0) && b.kind == isReg:
		_, upper := s.split(b)
		return s.compare(c, tS32, imm(tS32, 0), upper)
	case t == tS64 && a.kind == isReg && b.kind == isReg:
		if negated[0] {
			a = hidden(a)
		}
		if negated[1] {
			b = hidden(b)
		}
	}
	return s.compare(c, t, a, b)
}

// negation reports whether row v is the negation of an integer, or its bits.
func (s *selector) negation(v ir.Row) bool {
	v = s.bitcasts.of(s, isBitcast).from(v).first
	switch s.p.Op(v) {
	case ir.OpNeg:
		return s.p.Type(v).IsInt()
	case ir.OpSub:
		x := s.value(s.p.A(v))
		return s.p.Type(v).IsInt() && x.isConst(0)
	}
	return false
}

// compareFloats compares. Where ptxas (11.8 and 13.0) knows a range of an f32 in which a comparison with a constant holds,
// such as |x| ≥ 0, it makes it true for NaNs as well. The constant may be one that it comes to know, and not the emitter.
// So such a comparison is the negation of the opposite one that holds for NaNs; the assembler makes one instruction of
// the two.
func (s *selector) compareFloats(row ir.Row, c cmp, t ptype, a, b operand) operand {
	opposite, ordered := map[cmp]cmp{cmpLT: cmpGEU, cmpLE: cmpGTU}[c]
	x, y := s.p.A(row), s.p.B(row)
	if t != tF32 || !ordered || s.hasNoRange(x) || s.hasNoRange(y) || !s.mayBeKnown(x) && !s.mayBeKnown(y) {
		return s.compare(c, t, a, b)
	}
	return s.do(opNot, tPred, s.compare(opposite, t, a, b))
}

// hasNoRange reports whether the assembler knows nothing of a float: what is loaded from memory, a parameter, and bits.
func (s *selector) hasNoRange(v ir.Row) bool {
	switch s.p.Op(v) {
	case ir.OpLoad:
		return !loadsLocal(s.p, v)
	case ir.OpArg:
		return s.p.Region(v) == 0
	case ir.OpBitcast:
		return true
	}
	return false
}

func (s *selector) selects(row ir.Row) {
	if x, ok := s.turnedMins[row]; ok {
		s.turnedMinimum(row, x)
		return
	}
	if s.taken[row] {
		load := s.p.B(row)
		if s.p.Op(load) != ir.OpLoad {
			load = s.p.C(row)
		}
		s.set(row, s.value(load))
		return
	}
	c, a, b := s.value(s.p.A(row)), s.value(s.p.B(row)), s.value(s.p.C(row))
	s.set(row, s.choose(s.typeOf(row), s.pred(c), a, b))
}

// choose is a where c holds, b elsewhere. Predicates have no instruction for it.
func (s *selector) choose(t ir.Type, c reg, a, b operand) operand {
	if t != ir.Bool {
		return s.do(opSelp, bitsOf(t), a.as(bitsOf(t)), b.as(bitsOf(t)), r(c))
	}
	d := s.newReg(classP)
	for _, in := range chooseBool(s.function, d, c, a, b) {
		s.add(in)
	}
	return r(d)
}

// chooseBool writes d = c ? a : b for predicates.
func chooseBool(f *function, d, c reg, a, b operand) []inst {
	var list []inst
	to := func(x reg, op opcode, a, b operand) operand {
		list = append(list, inst{op: op, t: tPred, dst: r(x), src: [4]operand{a, b}})
		return r(x)
	}
	not := func() operand { return to(f.newReg(classP), opNot, r(c), operand{}) }
	isTrue := func(o operand) bool { return o.kind == isImm && o.bits != 0 }
	isFalse := func(o operand) bool { return o.kind == isImm && o.bits == 0 }
	switch {
	case a.kind == isImm && b.kind == isImm && isTrue(a) == isTrue(b):
		to(d, opMov, a, operand{})
	case isTrue(a) && isFalse(b):
		to(d, opMov, r(c), operand{})
	case isFalse(a) && isTrue(b):
		to(d, opNot, r(c), operand{})
	case isTrue(a):
		to(d, opOr, b, r(c))
	case isFalse(a):
		to(d, opAnd, b, not())
	case isTrue(b):
		to(d, opOr, a, not())
	case isFalse(b):
		to(d, opAnd, a, r(c))
	default:
		x := to(f.newReg(classP), opAnd, a, r(c))
		y := to(f.newReg(classP), opAnd, b, not())
		to(d, opOr, x, y)
	}
	return list
}

// convertRules covers conversions.
var convertRules = map[ir.Op]rule{
	ir.OpCvt:     (*selector).cvt,
	ir.OpBitcast: (*selector).bitcast,
}

func (s *selector) cvt(row ir.Row) {
	to, from := s.typeOf(row), s.typeOf(s.p.A(row))
	a := s.lowHidden(row, s.converted(row))
	switch {
	case from == ir.Bool:
		one := imm(arith(to), 1)
		if to.IsFloat() {
			one.bits = exact.Eval(ir.OpCvt, ir.U32, to, 0, 1, 0, 0)
		}
		s.set(row, s.do(opSelp, arith(to), one, imm(arith(to), 0), r(s.pred(a))))
	case to.IsHalf():
		s.set(row, s.narrow(to, a))
	case from.IsHalf():
		s.set(row, s.widen(from, a))
	case from.IsInt() && to.IsInt():
		s.set(row, s.resize(to, from, a))
	case from.IsInt():
		s.set(row, s.convert(opCvtRN, arith(to), arith(from), a))
	case to.IsInt():
		s.set(row, s.toInt(to, from, a))
	case to == ir.F64:
		s.set(row, s.convert(opCvt, tF64, tF32, a))
	default:
		s.set(row, s.convert(opCvtRN, tF32, tF64, a))
	}
}

// resize converts between integers. Those of one width share their register: sign lives in the
// instructions.
func (s *selector) resize(to, from ir.Type, a operand) operand {
	switch {
	case to.Size() == from.Size():
		return a.as(arith(to))
	case to.Size() < from.Size():
		return s.convert(opCvt, tU32, tU64, a.as(tU64))
	}
	if from.IsSigned() { // the source's sign extends
		return s.convert(opCvt, tS64, tS32, a)
	}
	return s.convert(opCvt, tU64, tU32, a)
}

// toInt converts toward zero, clamped. The hardware makes 0 of a NaN only from f32 to 32 bits.
func (s *selector) toInt(to, from ir.Type, a operand) operand {
	v := s.convert(opCvtRZI, arith(to), arith(from), a)
	if from == ir.F32 && to.Size() == 4 {
		return v
	}
	return s.do(opSelp, arith(to), imm(arith(to), 0), v, s.compare(cmpNaN, arith(from), a, a))
}

func (s *selector) bitcast(row ir.Row) {
	to, from := s.typeOf(row), s.typeOf(s.p.A(row))
	a := s.converted(row)
	switch {
	case a.kind == isImm:
		s.set(row, imm(arith(to), a.bits&to.Mask()))
	case from.IsHalf():
		s.set(row, s.convert(opCvt, tU32, tU16, s.unrounded(s.p.A(row), a)))
	case to.IsHalf():
		if s.isBounded(s.p.A(row)) {
			a = s.unknown(a.as(tB32))
		}
		s.set(row, s.convert(opCvt, tU16, tU32, a))
	case to == ir.F32 && s.isBounded(s.p.A(row)):
		s.set(row, s.recast(to, s.unknown(a.as(tB32))))
	default:
		s.set(row, s.recast(to, a))
	}
}

// isBounded reports whether the assembler may know the bounds of integer row v: it is one of two constants, by a condition, or
// made to saturate, or a smaller or greater one. Where a float is made of the bits of 1, the assembler of the driver for CUDA
// 13.0 takes them for the number 1; and a float of bits without a sign for a number that is not less than 0, though it may
// be a NaN. So such bits are combined with a zero that it does not know.
func (s *selector) isBounded(v ir.Row) bool {
	p := s.p
	v = s.integer(v).first
	switch p.Op(v) {
	case ir.OpCvt:
		return p.Type(p.A(v)) == ir.Bool
	case ir.OpSelect:
		return p.Op(p.B(v)) == ir.OpConst && p.Op(p.C(v)) == ir.OpConst
	case ir.OpMin, ir.OpMax, ir.OpAddSat, ir.OpSubSat, ir.OpMulSat:
		return true
	}
	return false
}
