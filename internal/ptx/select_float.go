package ptx

import "github.com/govyre/vyre/ir"

// floatRules covers ops on floats alone. Nothing here flushes subnormals.
var floatRules = map[ir.Op]rule{
	ir.OpFma: func(s *selector, r ir.Row) {
		s.set(r, s.do(opFmaRN, arith(s.typeOf(r)), s.value(s.p.A(r)), s.value(s.p.B(r)), s.value(s.p.C(r))))
	},
	// The instruction's first operand is where the sign comes from.
	ir.OpCopysign: func(s *selector, r ir.Row) {
		s.set(r, s.do(opCopysign, arith(s.typeOf(r)), s.value(s.p.B(r)), s.value(s.p.A(r))))
	},
	ir.OpMinp: func(s *selector, r ir.Row) { s.propagate(r, opMin, opMinNaN) },
	ir.OpMaxp: func(s *selector, r ir.Row) { s.propagate(r, opMax, opMaxNaN) },
	ir.OpSqrt: func(s *selector, r ir.Row) {
		t, a := s.typeOf(r), s.value(s.p.A(r))
		if t.IsHalf() {
			s.set(r, s.narrow(t, s.do(opSqrtRN, tF32, s.widen(t, a))))
			return
		}
		s.set(r, s.do(opSqrtRN, arith(t), a))
	},
	ir.OpFloor: rounding(opCvtRMI),
	ir.OpCeil:  rounding(opCvtRPI),
	ir.OpTrunc: rounding(opCvtRZI),
	ir.OpRint:  rounding(opCvtRNI),

	ir.OpFastDiv:   binary(opDivFull),
	ir.OpFastRcp:   unary(opRcp),
	ir.OpFastSqrt:  unary(opSqrtApprox),
	ir.OpFastRsqrt: unary(opRsqrt),
	ir.OpFastExp2:  unary(opEx2),
	ir.OpFastLog2:  unary(opLg2),
	ir.OpFastSin:   unary(opSin),
	ir.OpFastCos:   unary(opCos),
	ir.OpFastTanh: func(s *selector, r ir.Row) {
		s.need(7, 0)
		unary(opTanh)(s, r)
	},
}

func unary(op opcode) rule {
	return func(s *selector, r ir.Row) { s.set(r, s.do(op, arith(s.typeOf(r)), s.value(s.p.A(r)))) }
}

// rounding is the rule of rounding to an integer that stays a float.
func rounding(op opcode) rule {
	return func(s *selector, r ir.Row) {
		t := arith(s.typeOf(r))
		s.set(r, s.convert(op, t, t, s.lowHidden(r, s.value(s.p.A(r)))))
	}
}

// nan is the canonical NaN of a float type.
func nan(t ir.Type) operand {
	switch t {
	case ir.F64:
		return imm(tF64, 0x7FF8<<48)
	case ir.F16:
		return imm(tB16, 0x7E00)
	case ir.BF16:
		return imm(tB16, 0x7FC0)
	}
	return imm(tF32, 0x7FC0_0000)
}

// propagate selects minp and maxp, in which a NaN wins.
func (s *selector) propagate(row ir.Row, op, native opcode) {
	t := s.typeOf(row)
	a, b := s.value(s.p.A(row)), s.value(s.p.B(row))
	wide := t
	if t.IsHalf() {
		a, b, wide = s.widen(t, a), s.widen(t, b), ir.F32
	}
	pt := arith(wide)
	var v operand
	if wide == ir.F32 && s.t.SM >= 80 {
		v = s.do(native, pt, a, b)
	} else {
		v = s.do(opSelp, pt, nan(wide), s.do(op, pt, a, b), s.compare(cmpNaN, pt, a, b))
	}
	if t.IsHalf() {
		v = s.narrow(t, v)
	}
	s.set(row, v)
}

// halfBinary selects an op on two 16-bit floats: natively where the bits are the same, else in
// 32 bits with one rounding at the end.
func (s *selector) halfBinary(op opcode, t ir.Type, a, b operand) operand {
	if op == opAddRN || op == opSubRN || op == opMulRN {
		switch {
		case t == ir.F16:
			return s.do(op, tF16, r(s.inReg(tB16, a)), r(s.inReg(tB16, b)))
		case s.t.SM >= 90:
			return s.do(op, tBF16, r(s.inReg(tB16, a)), r(s.inReg(tB16, b)))
		}
	}
	return s.narrow(t, s.do(op, tF32, s.widen(t, a), s.widen(t, b)))
}

// widen is the value of a 16-bit float in 32 bits, which is exact. A bfloat16 is the upper half of one.
func (s *selector) widen(t ir.Type, a operand) operand {
	h := r(s.inReg(tB16, a))
	if t == ir.F16 {
		return s.convert(opCvt, tF32, tF16, h)
	}
	zero := s.onceOf(onceZeroH, 0, func() operand { return s.do(opMov, tB16, imm(tB16, 0)) })
	d := s.newReg(classF)
	s.add(inst{op: opMov, t: tB32, dst: r(d), src: [4]operand{s.vec(zero.reg, h.reg)}})
	return r(d)
}

// unrounded is a, the 16-bit float of row v, as bits that the assembler does not see rounded. ptxas 13.0 takes an and of what
// was just rounded to 16 bits and a mask for the rounded float itself, if it comes to stand in the lower half of a word, as
// the first of two halves that are stored together. So unless it is loaded, it is combined with a zero that the assembler
// does not know; with the mask that is one machine instruction.
func (s *selector) unrounded(v ir.Row, a operand) operand {
	op := s.p.Op(v)
	if op == ir.OpConst || op == ir.OpLoad && !loadsLocal(s.p, v) || op == ir.OpArg && s.p.Region(v) == 0 {
		return a // of memory, or a parameter
	}
	nothing := s.nothing()
	nothing = s.onceOf(onceNothingH, 0, func() operand { return s.convert(opCvt, tU16, tU32, nothing) })
	return s.do(opXor, tB16, a, nothing)
}

// narrow rounds 32 bits to a 16-bit float.
func (s *selector) narrow(t ir.Type, a operand) operand {
	switch {
	case t == ir.F16:
		return s.convert(opCvtRN, tF16, tF32, a)
	case s.t.SM >= 80:
		return s.convert(opCvtRN, tBF16, tF32, a)
	}
	// Just under half a unit, and one more if the part that stays is odd: ties to even. The carry
	// runs into the exponent, up to infinity.
	a = r(s.inReg(tF32, a))
	u := s.do(opMov, tB32, a)
	odd := s.do(opBfe, tU32, u, u32(16), u32(1))
	sum := s.do(opAdd, tU32, s.do(opAdd, tU32, u, odd), u32(0x7FFF))
	h := s.convert(opCvt, tU16, tU32, s.do(opShr, tU32, sum, u32(16)))
	return s.do(opSelp, tB16, nan(ir.BF16), h, s.compare(cmpNaN, tF32, a, a))
}
