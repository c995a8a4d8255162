package ptx

// Parts of a register are shifted out of it. Of mov.b64 {lo, hi}, x ptxas (11.8, 12.4, 12.5, any target) makes the low word
// twice if it comes to know x after its first passes, behind a comparison with a constant. So it does with halves of words, and
// with popc.b64, clz.b64 and brev.b64, which it makes of words. Shifts and conversions are right, and the same registers.

// split returns the low and high half of a 64-bit value.
func (s *selector) split(o operand) (lo, hi operand) {
	if o.kind == isImm {
		return u32(uint32(o.bits)), u32(uint32(o.bits >> 32))
	}
	if o.reg.class() != classRD { // a float
		o = s.doInto(s.newReg(classRD), opMov, tB64, o)
	}
	word := func(o operand) operand { return s.convert(opCvt, tU32, tU64, o) }
	return word(o), word(s.do(opShr, tU64, o, u32(32)))
}

// halfOf returns the half of a word that begins at bit 0 or 16.
func (s *selector) halfOf(word operand, pos uint32) operand {
	if pos > 0 {
		word = s.do(opShr, tU32, word, u32(pos))
	}
	return s.convert(opCvt, tU16, tU32, word)
}
