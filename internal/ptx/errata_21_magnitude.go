package ptx

import "github.com/govyre/vyre/ir"

// magnitude is |a| of an integer, made of the sign: two instructions more than abs. The least integer has no magnitude:
// |x| of it is x itself, which is negative. The assembler (ptxas 11.8, and the driver's of 13.0) takes abs for what is
// never negative, and −|x| for what is never less than the number after the least, and leaves out comparisons, minima and
// maxima by that, or makes another constant of them. What it knows of a value it also knows of what is made of it, so abs is
// not used at all.
func (s *selector) magnitude(t ir.Type, a operand) operand {
	pt, bits := arith(t), untyped(t)
	sign := s.do(opShr, pt, a, u32(uint32(t.Bits()-1)))
	return s.do(opSub, pt, s.do(opXor, bits, a.as(bits), sign.as(bits)).as(pt), sign)
}
