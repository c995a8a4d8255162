package ptx

// permute picks four of the eight bytes of a and b. A digit of pick from 8 on asks for the sign of a byte, eight times.
// Where some of the upper bytes are cleared afterwards, ptxas (11.8 and 13.0) clears them in the same instruction, by a
// zero in place of the operand of which nothing else is left; it takes each digit from 4 on for a byte of b then, also
// 8 to 11, the signs of the bytes of a. So signs are only asked of the second operand.
func (s *selector) permute(a, b, pick operand) operand {
	if pick.kind != isImm {
		return s.do(opPrmt, tB32, a, b, pick)
	}
	signs := [2]bool{} // of bytes of a, of bytes of b
	for at := 0; at < 16; at += 4 {
		if digit := pick.bits >> at & 15; digit >= 8 {
			signs[digit>>2&1] = true
		}
	}
	switch {
	case !signs[0]:
		return s.do(opPrmt, tB32, a, b, pick)
	case !signs[1]:
		return s.do(opPrmt, tB32, b, a, u32(uint32(pick.bits&0xFFFF^0x4444)))
	}
	// First everything but the signs of b, then these.
	var first, then uint32
	for i := range uint32(4) {
		digit, at := uint32(pick.bits)>>(4*i)&15, 4*i
		if digit >= 12 {
			first |= i << at
			then |= digit << at
		} else {
			first |= (digit ^ 4) << at
			then |= i << at
		}
	}
	return s.do(opPrmt, tB32, s.do(opPrmt, tB32, b, a, u32(first)), b, u32(then))
}
