package ptx

// What words that are merged with others may be, as a set of bits.
const (
	allOnes  = 1 << iota // 0xFFFFFFFF
	floatOne             // 1 as an f32
)

// hideMergedOnes hides words of all ones that are merged with the f32 1, 0x3F800000. Of a register that has the one at the end of
// one way and the other at the end of another, ptxas (11.8 and the driver for CUDA 13.0) makes the constant of the first: to it
// both seem to be the truth, which set.u32 writes as all ones and set.f32 as 1. Every other pair of 28 constants is right,
// as is a choice by selp. What is emitted for all ones is a mask of which the assembler does not know what it is; the f32 1,
// with which many sums and products begin, stays.
//
// Classes are those of hideInverses: a constant is merged with another if registers or places in local memory that have
// them may be names of one value. Halves of 64 bits are words. O(instructions).
func (s *selector) hideMergedOnes() {
	var seen uint8
	s.eachMerged(func(_ reg, o *operand) { seen |= wordsOf(*o) })
	if seen != allOnes|floatOne {
		return
	}
	names := s.names()
	merged := make(map[reg]uint8)
	s.eachMerged(func(d reg, o *operand) { merged[names.of(d)] |= wordsOf(*o) })
	s.eachMerged(func(d reg, o *operand) {
		if merged[names.of(d)] == allOnes|floatOne && wordsOf(*o)&allOnes != 0 {
			c := o.t.class()
			if d != noReg {
				c = d.class()
			}
			*o = s.hiddenOnes(c, *o)
			s.mergedOnes++
		}
	})
}

// eachMerged calls do for every constant that a register gets, or a place in local memory, for which noReg stands.
func (s *selector) eachMerged(do func(d reg, o *operand)) {
	code := s.code // what do adds stands at the entry
	for i := range code {
		switch in := &code[i]; {
		case in.op == opCopy:
			cp := s.copyOf(in)
			for k, d := range cp.dst {
				do(d, &cp.src[k])
			}
		case in.op == opMov && in.dst.kind == isReg:
			do(in.dst.reg, &in.src[0])
		case in.op == opSt && in.mod.space == local:
			for k := range in.src {
				do(noReg, &in.src[k])
			}
		}
	}
}

// wordsOf tells which of the words are in o, if it is a constant of 32 or 64 bits.
func wordsOf(o operand) (words uint8) {
	if o.kind != isImm || int(typeInfo[o.t].bits) < 32 {
		return 0
	}
	for shift := 0; shift < int(typeInfo[o.t].bits); shift += 32 {
		switch uint32(o.bits >> shift) {
		case 1<<32 - 1:
			words |= allOnes
		case 0x3F80_0000:
			words |= floatOne
		}
	}
	return words
}

// hiddenOnes returns constant o, some words of which are all ones, in a register of class c that is set at the entry.
func (s *selector) hiddenOnes(c class, o operand) (hidden operand) {
	word := func(shift int) operand {
		if w := uint32(o.bits >> shift); w != 1<<32-1 {
			return imm(tB32, uint64(w))
		}
		return s.ones(tB32)
	}
	switch c {
	case classRD, classFD:
		lo, hi := word(0), word(32)
		s.atEntry(func() { hidden = s.joined(c, lo, hi) })
	case classF:
		x := s.ones(tB32)
		hidden = s.onceOf(onceFloatOnes, 0, func() operand { return s.doInto(s.newReg(classF), opMov, tB32, x) })
	default:
		hidden = s.ones(tB32)
	}
	return hidden
}
