package ptx

import "github.com/govyre/vyre/ir"

// Bits of 64-bit words are counted and reversed by words, as the machine does: error 48.

// bitsSet counts ones.
func (s *selector) bitsSet(r ir.Row) {
	a, wide := s.bitsCounted(r)
	if !wide {
		s.set(r, s.count(opPopc, a))
		return
	}
	lo, hi := s.split(a)
	s.set(r, s.do(opAdd, tU32, s.count(opPopc, lo), s.count(opPopc, hi)))
}

func (s *selector) leadingZeros(r ir.Row) {
	a, wide := s.bitsCounted(r)
	if !wide {
		s.set(r, s.count(opClz, a))
		return
	}
	lo, hi := s.split(a)
	s.set(r, s.zerosOf(hi, lo))
}

func (s *selector) trailingZeros(r ir.Row) {
	a, wide := s.bitsCounted(r)
	if !wide {
		s.set(r, s.count(opClz, s.do(opBrev, tB32, a)))
		return
	}
	lo, hi := s.split(a)
	s.set(r, s.zerosOf(s.do(opBrev, tB32, lo), s.do(opBrev, tB32, hi)))
}

func (s *selector) reverse(r ir.Row) {
	a, wide := s.bitsCounted(r)
	if !wide {
		s.set(r, s.do(opBrev, tB32, a))
		return
	}
	lo, hi := s.split(a)
	s.set(r, s.joined(classRD, s.do(opBrev, tB32, hi), s.do(opBrev, tB32, lo)))
}

// bitsCounted is the operand of an op on bits.
func (s *selector) bitsCounted(r ir.Row) (a operand, wide bool) {
	t := untyped(s.typeOf(s.p.A(r)))
	return s.value(s.p.A(r)).as(t), typeInfo[t].bits == 64
}

// count returns what op counts in a word.
func (s *selector) count(op opcode, word operand) operand {
	return s.doInto(s.newReg(classR), op, tB32, word)
}

// zerosOf counts zeros from the top of two words, of which the first is the upper one.
func (s *selector) zerosOf(hi, lo operand) operand {
	below := s.do(opAdd, tU32, s.count(opClz, lo), u32(32))
	return s.do(opSelp, tU32, below, s.count(opClz, hi), s.compare(cmpEQ, tU32, hi, u32(0)))
}
