package ptx

// carriedOn is what a continue carries on in place of v: of a constant that a round of a loop gives the next one, one that
// the assembler does not know.
//
// Of a value that is one constant in all rounds but the first, and that only tells whether to leave the loop, ptxas 11.8
// makes a predicate, and leaves out where it is set: the loop never ends, or never begins. It does so with bools, words and 64 bits,
// and whatever the value is in the first round, known or not; not where it takes the first rounds out of the loop, as it does of
// most. It does not of loops with barrier.sync or bar.warp.sync, for sm_75 and sm_80, and not of the inner ones of several loops with
// atomics, for any target. With a constant that is hidden it sets the predicate.
func (s *selector) carriedOn(v operand) operand {
	if v.kind != isImm || v.t != tPred && int(typeInfo[v.t].bits) < 32 {
		return v
	}
	s.carriedConstants++
	word := func(shift int) operand {
		_, x := s.obscured(s.nothing(), u32(uint32(v.bits>>shift)))
		return x
	}
	if typeInfo[v.t].bits == 64 {
		var x operand
		lo, hi := word(0), word(32)
		s.atEntry(func() { x = s.joined(v.t.class(), lo, hi) })
		return x
	}
	x := word(0)
	if v.t == tPred {
		return s.compare(cmpNE, tU32, x, u32(0))
	}
	if c := v.t.class(); c != x.reg.class() {
		return s.doInto(s.newReg(c), opMov, tB32, x)
	}
	return x
}
