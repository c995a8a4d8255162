package ptx

import (
	"math/bits"

	"github.com/govyre/vyre/ir"
)

// integerRules covers ops that integers and floats share: each splits by type.
var integerRules = map[ir.Op]rule{
	ir.OpAdd:     arithmetic(opAdd, opAddRN),
	ir.OpSub:     arithmetic(opSub, opSubRN),
	ir.OpMul:     arithmetic(opMulLo, opMulRN),
	ir.OpMulHi:   (*selector).upperHalf,
	ir.OpMulWide: binaryTo(opMulWide),
	ir.OpDiv:     (*selector).divide,
	ir.OpRem:     (*selector).remainder,
	ir.OpMin:     func(s *selector, r ir.Row) { s.extreme(r, opMin, cmpGEU) },
	ir.OpMax:     func(s *selector, r ir.Row) { s.extreme(r, opMax, cmpLTU) },
	ir.OpNeg:     (*selector).negate,
	ir.OpAbs:     (*selector).absolute,
	ir.OpAbsDiff: func(s *selector, r ir.Row) {
		a, b, t := s.value(s.p.A(r)), s.value(s.p.B(r)), arith(s.typeOf(s.p.A(r)))
		s.set(r, s.do(opSub, t, s.do(opMax, t, a, b), s.do(opMin, t, a, b)))
	},
	ir.OpAddSat: (*selector).addSat,
	ir.OpSubSat: (*selector).subSat,
	ir.OpMulSat: (*selector).mulSat,
	ir.OpCarry:  carryAlone(false),
	ir.OpBorrow: carryAlone(true),
	ir.OpDp4a: func(s *selector, r ir.Row) {
		t := arith(s.typeOf(r))
		d := s.newReg(classR)
		s.add(inst{op: opDp4a, t: t, t2: t, dst: reg1(d), src: [4]operand{s.value(s.p.A(r)), s.value(s.p.B(r)), s.value(s.p.C(r))}})
		s.set(r, reg1(d))
	},
}

// reg1 is r, where a row of that name hides it.
func reg1(x reg) operand { return operand{kind: isReg, reg: x} }

// binary is the rule of an op on two operands of the result's type.
func binary(op opcode) rule {
	return func(s *selector, r ir.Row) {
		s.set(r, s.do(op, arith(s.typeOf(r)), s.value(s.p.A(r)), s.value(s.p.B(r))))
	}
}

// binaryTo is the rule of an op whose suffix is the operands' type and whose result is twice as wide.
func binaryTo(op opcode) rule {
	return func(s *selector, r ir.Row) {
		d := s.newReg(arith(s.typeOf(r)).class())
		s.set(r, s.doInto(d, op, arith(s.typeOf(s.p.A(r))), s.value(s.p.A(r)), s.value(s.p.B(r))))
	}
}

// arithmetic is the rule of an op that is one instruction for integers and one for floats. Float ones
// spell their rounding: without it the assembler may contract them.
func arithmetic(ints, floats opcode) rule {
	return func(s *selector, r ir.Row) {
		t := s.typeOf(r)
		a, b := s.value(s.p.A(r)), s.value(s.p.B(r))
		switch {
		case t.IsHalf():
			s.set(r, s.halfBinary(floats, t, a, b))
		case t.IsFloat():
			if s.knownSum[r] {
				a, b = s.obscured(a, b)
			}
			s.set(r, s.do(floats, arith(t), a, b))
		default:
			a = s.lowHidden(r, a)
			if n := s.p.B(r); ints == opSub && s.p.Op(n) == ir.OpNot && s.uses[n] == 1 && !s.scaled(s.p.A(n)) {
				// x − ^y is x + y + 1, which is one machine instruction.
				s.set(r, s.do(opAdd, arith(t), s.do(opAdd, arith(t), a, s.value(s.p.A(n))), imm(arith(t), 1)))
				return
			}
			if s.lateMinuends[r] {
				a = s.unknown(a)
			}
			if s.p.A(r) == s.p.B(r) {
				b = a
			}
			s.set(r, s.do(ints, arith(t), a, b))
		}
	}
}

// scaled reports whether a value is a shift or a product, or that with other signs or of another type. Sums with those are
// what many errors of the assembler are about, so whatever looks for them has to see each sum. It looks at a few rows.
func (s *selector) scaled(v ir.Row) bool {
	for range 8 {
		switch s.p.Op(v) {
		case ir.OpNot, ir.OpNeg, ir.OpAbs, ir.OpBitcast, ir.OpCvt:
			v = s.p.A(v)
		case ir.OpShl, ir.OpShr, ir.OpMul, ir.OpMulHi, ir.OpMulWide:
			return true
		default:
			return false
		}
	}
	return true
}

// extreme is the smaller or the greater of two values. Of a float and the constant −0 it is a choice of bits: ptxas
// (11.8 and 13.0) takes min(|x|, −0) for a number that has no sign, and leaves an abs of it out. A NaN and what is not
// less than a zero give the −0 of a minimum; zeros of both signs are kept as the maximum that they are. What gives way
// to −0 is asked, NaNs included, since what stays would be asked wrongly: see compareFloats.
func (s *selector) extreme(r ir.Row, op opcode, givesWay cmp) {
	if x, ok := s.turnedMins[r]; ok {
		s.turnedMinimum(r, x)
		return
	}
	if s.comparedExtremes[r] {
		t := arith(s.typeOf(r))
		s.set(r, s.do(op, t, s.plainly(s.p.A(r)).as(t), s.plainly(s.p.B(r)).as(t)))
		return
	}
	x, zero := s.p.A(r), s.p.B(r)
	if s.negativeZero(x) {
		x, zero = zero, x
	}
	t := s.typeOf(r)
	switch {
	case s.negativeZero(zero):
	case t == ir.F32:
		a, b := s.boundBy(r)
		s.set(r, s.do(op, tF32, a, b))
		return
	default:
		arithmetic(op, op)(s, r)
		return
	}
	gone := s.compare(givesWay, arith(t), s.value(x), imm(arith(t), 0))
	s.set(r, s.do(opSelp, untyped(t), imm(untyped(t), signBit(t)), s.value(x), gone))
}

// least and greatest are the ends of an integer type, as raw bits.
func least(t ir.Type) uint64 {
	if t.IsSigned() {
		return 1 << (t.Bits() - 1)
	}
	return 0
}

func greatest(t ir.Type) uint64 {
	if t.IsSigned() {
		return t.Mask() >> 1
	}
	return t.Mask()
}

func (s *selector) divide(row ir.Row) {
	t := s.typeOf(row)
	a, b := s.value(s.p.A(row)), s.value(s.p.B(row))
	pt := arith(t)
	switch {
	case t.IsHalf():
		s.set(row, s.halfBinary(opDivRN, t, a, b))
	case t.IsFloat() && a.isConst(one(t)):
		s.set(row, s.do(opRcpRN, pt, b)) // rounded once as well, and without what scales a quotient
	case t.IsFloat():
		s.set(row, s.do(opDivRN, pt, a, b))
	case b.isConst(0):
		s.set(row, s.do(opMov, pt, imm(pt, byZero(t))))
	case b.isConst(t.Mask()) && t.IsSigned(): // −1
		s.set(row, s.do(opSub, pt, imm(pt, 0), a))
	case b.kind == isImm:
		s.set(row, s.do(opDiv, pt, a, b))
	default:
		zero := s.compare(cmpEQ, pt, b, imm(pt, 0))
		q := s.do(opDiv, pt, a, s.goodDivisor(t, a, b, zero))
		s.set(row, s.do(opSelp, pt, imm(pt, byZero(t)), q, zero))
	}
}

// byZero is what a division by zero gives.
func byZero(t ir.Type) uint64 {
	if t.IsSigned() {
		return 0
	}
	return t.Mask()
}

// remainder needs no selection: what replaces a bad divisor is 1, and x%1 is the 0 that is asked for.
func (s *selector) remainder(row ir.Row) {
	t := s.typeOf(row)
	a, b := s.value(s.p.A(row)), s.value(s.p.B(row))
	pt := arith(t)
	switch {
	case b.isConst(0), b.isConst(t.Mask()) && t.IsSigned():
		s.set(row, s.do(opMov, pt, imm(pt, 0)))
	case b.kind == isImm:
		s.set(row, s.do(opRem, pt, a, b))
	default:
		zero := s.compare(cmpEQ, pt, b, imm(pt, 0))
		s.set(row, s.do(opRem, pt, a, s.goodDivisor(t, a, b, zero)))
	}
}

// goodDivisor replaces a divisor of 0, and one of −1 under the least number, by 1.
func (s *selector) goodDivisor(t ir.Type, a, b, zero operand) operand {
	pt := arith(t)
	bad := zero
	if t.IsSigned() {
		minus := s.compare(cmpEQ, pt, b, imm(pt, t.Mask()))
		d := s.newReg(classP)
		s.add(inst{op: opSetp, t: pt, mod: mods{cmp: cmpEQ, and: true}, dst: r(d), src: [4]operand{a, imm(pt, least(t)), minus}})
		bad = s.do(opOr, tPred, zero, r(d))
	}
	return s.do(opSelp, pt, imm(pt, 1), b, bad)
}

func (s *selector) negate(row ir.Row) {
	t := s.typeOf(row)
	a := s.value(s.p.A(row))
	switch {
	case t.IsHalf():
		s.set(row, s.do(opXor, tB16, a, imm(tB16, 1<<15)))
	case t.IsFloat():
		s.set(row, s.opposite(t, a, s.zeroSign[s.p.A(row)]))
	default:
		s.set(row, s.do(opSub, arith(t), imm(arith(t), 0), a))
	}
}

// opposite is the float −a, made of bits if it may be a zero that the assembler knows.
func (s *selector) opposite(t ir.Type, a operand, zeroSign bool) operand {
	if zeroSign {
		return s.do(opXor, untyped(t), a, imm(untyped(t), signBit(t)))
	}
	return s.do(opNeg, arith(t), a)
}

func (s *selector) absolute(row ir.Row) {
	t := s.typeOf(row)
	a := s.value(s.p.A(row))
	switch {
	case t.IsHalf():
		s.set(row, s.do(opAnd, tB16, s.unrounded(s.p.A(row), a), imm(tB16, 1<<15-1)))
	case s.zeroSign[s.p.A(row)]:
		s.set(row, s.do(opAnd, untyped(t), a, imm(untyped(t), signBit(t)-1)))
	case t.IsInt():
		s.set(row, s.magnitude(t, a))
	default:
		s.set(row, s.do(opAbs, arith(t), a))
	}
}

// addSat clamps. An unsigned sum has wrapped if it is less than an operand; a signed one if it has a
// sign that neither operand has. There is add.sat.s32, which takes as many instructions; but of a sum with a constant
// ptxas (11.8 and 13.0) adds the two constants first, and that sum may wrap. sub.sat is not trusted either.
func (s *selector) addSat(row ir.Row) {
	t := s.typeOf(row)
	a, b, pt := s.value(s.p.A(row)), s.value(s.p.B(row)), arith(t)
	sum := s.do(opAdd, pt, a, b)
	if !t.IsSigned() {
		wrapped := s.compare(cmpLT, pt, sum, a)
		s.set(row, s.do(opSelp, pt, imm(pt, t.Mask()), sum, wrapped))
		return
	}
	bits := untyped(t)
	over := s.do(opAnd, bits, s.do(opXor, bits, a.as(bits), sum), s.do(opXor, bits, b.as(bits), sum))
	s.set(row, s.clampSigned(t, sum, over, a))
}

func (s *selector) subSat(row ir.Row) {
	t := s.typeOf(row)
	a, b, pt := s.value(s.p.A(row)), s.value(s.p.B(row)), arith(t)
	if !t.IsSigned() {
		s.set(row, s.do(opSub, pt, s.do(opMax, pt, a, b), b))
		return
	}
	bits, diff := untyped(t), s.do(opSub, pt, a, b)
	over := s.do(opAnd, bits, s.do(opXor, bits, a.as(bits), b.as(bits)), s.do(opXor, bits, a.as(bits), diff))
	s.set(row, s.clampSigned(t, diff, over, a))
}

// clampSigned returns v, or where over is negative the end of the range on the side that the sign of side names.
func (s *selector) clampSigned(t ir.Type, v, over, side operand) operand {
	pt, bits := arith(t), untyped(t)
	end := s.do(opXor, bits, s.do(opShr, pt, side, u32(uint32(t.Bits()-1))), imm(bits, greatest(t)))
	return s.do(opSelp, pt, end, v, s.compare(cmpLT, pt, over, imm(pt, 0)))
}

func (s *selector) mulSat(row ir.Row) {
	t := s.typeOf(row)
	a, b, pt := s.value(s.p.A(row)), s.value(s.p.B(row)), arith(t)
	switch t {
	case ir.I32:
		s.set(row, s.convert(opCvtSat, tS32, tS64, s.doInto(s.newReg(classRD), opMulWide, tS32, a, b)))
	case ir.U32:
		s.set(row, s.convert(opCvtSat, tU32, tU64, s.doInto(s.newReg(classRD), opMulWide, tU32, a, b)))
	case ir.U64:
		over := s.compare(cmpNE, tU64, s.do(opMulHi, pt, a, b), imm(tU64, 0))
		s.set(row, s.do(opSelp, pt, imm(pt, t.Mask()), s.do(opMulLo, pt, a, b), over))
	default:
		// The product fits if its upper half is the sign of the lower one.
		lo, hi := s.do(opMulLo, pt, a, b), s.do(opMulHi, pt, a, b)
		over := s.compare(cmpNE, tS64, hi, s.do(opShr, tS64, lo, u32(63)))
		sign := s.do(opShr, tS64, s.do(opXor, tB64, a.as(tB64), b.as(tB64)), u32(63))
		s.set(row, s.do(opSelp, tS64, s.do(opXor, tB64, sign, imm(tB64, greatest(ir.I64))), lo, over))
	}
}

// bitRules covers ops on bits.
var bitRules = map[ir.Op]rule{
	ir.OpAnd:  bitwise(opAnd),
	ir.OpOr:   bitwise(opOr),
	ir.OpXor:  bitwise(opXor),
	ir.OpNot:  bitwise(opNot),
	ir.OpRotl: func(s *selector, r ir.Row) { s.rotate(r, opShfL) },
	ir.OpRotr: func(s *selector, r ir.Row) { s.rotate(r, opShfR) },
	ir.OpPopc: (*selector).bitsSet,
	ir.OpClz:  (*selector).leadingZeros,
	ir.OpCtz:  (*selector).trailingZeros,
	ir.OpBrev: (*selector).reverse,
	ir.OpBfe: func(s *selector, r ir.Row) {
		x := s.p.X(r)
		if s.asFloat[r] {
			s.set(r, s.field(r))
			return
		}
		s.set(r, s.do(opBfe, arith(s.typeOf(r)), s.value(s.p.A(r)), u32(x&0xFF), u32(x>>8&0xFF)))
	},
	ir.OpBfi: func(s *selector, r ir.Row) {
		x, t := s.p.X(r), untyped(s.typeOf(r))
		s.set(r, s.insert(t, s.value(s.p.A(r)).as(t), s.value(s.p.B(r)).as(t), x&0xFF, x>>8&0xFF))
	},
	ir.OpPrmt: func(s *selector, r ir.Row) {
		s.set(r, s.permute(s.value(s.p.A(r)), s.value(s.p.B(r)), s.value(s.p.C(r))))
	},
}

// insert returns a with the lowest bits of b put in place. What reaches the top of 64 bits is put into the upper half: of
// bits of ^x there, to which something is added, ptxas (11.8 and the driver for CUDA 13.0) makes a LEA of x that inverts after
// the shift, and what the shift has brought in is inverted with it.
func (s *selector) insert(t ptype, a, b operand, from, width uint32) operand {
	if t == tB64 && from > 32 && from+width == 64 {
		lo, hi := s.split(a)
		low, _ := s.split(b)
		return s.joined(classRD, lo, s.insert(tB32, hi, low, from-32, width))
	}
	if pick, ok := halfWord[from]; ok && t == tB32 && width == 16 {
		return s.do(opPrmt, tB32, a, b, u32(pick))
	}
	return s.do(opBfi, t, b, a, u32(from), u32(width))
}

// halfWord is how prmt puts the lower half of its second operand into its first one, by the bit from which on. ptxas (11.8
// and the driver for CUDA 13.0) takes such a bfi for a pair of 16-bit registers, and now and then makes the pair in the
// register of the word that it is taken from, which is wanted later on.
var halfWord = map[uint32]uint32{0: 0x3254, 16: 0x5410}

// untyped is the suffix for ops on the bits of values of type t.
func untyped(t ir.Type) ptype {
	switch {
	case t == ir.Bool:
		return tPred
	case t.Size() == 8:
		return tB64
	}
	return tB32
}

// logic is an operand of a bitwise op: bools take no constants.
func (s *selector) logic(row, v ir.Row) operand {
	if s.typeOf(v) == ir.Bool {
		return r(s.pred(s.value(v)))
	}
	return s.value(v).as(untyped(s.typeOf(v)))
}

func bitwise(op opcode) rule {
	return func(s *selector, r ir.Row) {
		if s.taken[r] || s.inverts(r) {
			return
		}
		t, a := untyped(s.typeOf(r)), s.logic(r, s.p.A(r))
		if op == opNot {
			s.set(r, s.do(op, t, a))
			return
		}
		a, b := latest(a, s.logic(r, s.p.B(r)))
		s.set(r, s.do(op, t, a, b))
	}
}

// latest puts the operand first that was worked out last. The assembler makes one instruction of three operands of
// a chain of bitwise ops more often if each hangs on the first operand of the next.
func latest(a, b operand) (operand, operand) {
	if a.kind == isReg && b.kind == isReg && a.reg < b.reg {
		return b, a
	}
	return a, b
}

// negated returns what a row of 32 bits negates, if it does.
func (s *selector) negated(r ir.Row) (x ir.Row, ok bool) {
	p := s.p
	a, b := p.A(r), p.B(r)
	switch p.Op(r) {
	case ir.OpNeg:
		return a, true
	case ir.OpSub:
		return b, s.isConst(a, 0)
	case ir.OpMul:
		return a, s.isConst(b, 0xFFFF_FFFF)
	case ir.OpCvt, ir.OpBitcast:
		if t := p.Type(a); t == ir.I32 || t == ir.U32 {
			return s.negated(a)
		}
	}
	return ir.NoRow, false
}

// plainly is the value of a row of 32 bits; a negation is made of ^x and 1, which the assembler does not take
// for one. To a rotation by a constant of −x ptxas (11.8 and 13.0) adds by one LEA.HI with a minus sign, which is that of
// the whole 64-bit value there and not of its low word.
func (s *selector) plainly(r ir.Row) operand {
	x, ok := s.negated(r)
	if !ok || s.chains.Of(r) >= 0 || s.chains.Of(x) >= 0 { // a number that is made of the flag is no negation
		return s.value(r)
	}
	return s.do(opAdd, tU32, s.do(opNot, tB32, s.value(x).as(tB32)), u32(1))
}

// rotate turns by funnel shifts. Of 64 bits, the halves change places if the count has bit 5, and
// then each takes in what leaves the other.
func (s *selector) rotate(row ir.Row, op opcode) {
	a, n := s.value(s.p.A(row)), s.value(s.p.B(row))
	if s.typeOf(row).Size() == 4 {
		a = s.plainly(s.p.A(row)).as(tB32)
		s.set(row, s.do(op, tB32, a, a, n))
		return
	}
	lo, hi := s.split(a.as(tB64))
	if n.kind == isImm {
		if bits.Len64(n.bits&32) > 0 {
			lo, hi = hi, lo
		}
	} else {
		swap := s.compare(cmpNE, tU32, s.do(opAnd, tB32, n, u32(32)), u32(0))
		lo, hi = s.do(opSelp, tB32, hi, lo, swap), s.do(opSelp, tB32, lo, hi, swap)
	}
	if op == opShfL {
		s.set(row, s.joined(classRD, s.do(op, tB32, hi, lo, n), s.do(op, tB32, lo, hi, n)))
	} else {
		s.set(row, s.joined(classRD, s.do(op, tB32, lo, hi, n), s.do(op, tB32, hi, lo, n)))
	}
}
