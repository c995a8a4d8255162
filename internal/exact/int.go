package exact

import "math/bits"

// Integer ops. Several work on operands shifted to the top of a 64-bit word (see
// EvalType.pad): one path then serves every width, with the machine's own overflow.

// evalRem gives 0 for x%0; MIN%−1 is 0 by itself.
func evalRem(t Types, _ uint32, a, b, _ uint64) uint64 {
	switch {
	case b == 0:
		return 0
	case t.signed():
		return uint64(t.extend(a)%t.extend(b)) & t.mask()
	}
	return a % b
}

// evalMulHi: with one factor at the top of its word, the upper word of the product is
// the upper half at the width.
func evalMulHi(t Types, _ uint32, a, b, _ uint64) uint64 {
	if t.signed() {
		hi, _ := mulSigned(int64(a<<t.pad()), t.extend(b))
		return uint64(hi) & t.mask()
	}
	hi, _ := bits.Mul64(a<<t.pad(), b)
	return hi
}

// evalMulWide has operands of at most 32 bits and a result of twice the width.
func evalMulWide(t Types, _ uint32, a, b, _ uint64) uint64 {
	if t.signed() {
		wide := ^uint64(0) >> ((64 - 2*t.Width) & 63)
		return uint64(t.extend(a)*t.extend(b)) & wide
	}
	return a * b
}

func evalAbsDiff(t Types, _ uint32, a, b, _ uint64) uint64 {
	less := a < b
	if t.signed() {
		less = t.extend(a) < t.extend(b)
	}
	if less {
		a, b = b, a
	}
	return (a - b) & t.mask()
}

func evalAddSat(t Types, _ uint32, a, b, _ uint64) uint64 {
	a, b = a<<t.pad(), b<<t.pad()
	sum := a + b
	if t.signed() {
		if int64((a^sum)&(b^sum)) < 0 {
			sum = saturated(int64(a) < 0)
		}
	} else if sum < a {
		return t.mask()
	}
	return sum >> t.pad()
}

func evalSubSat(t Types, _ uint32, a, b, _ uint64) uint64 {
	a, b = a<<t.pad(), b<<t.pad()
	diff := a - b
	if t.signed() {
		if int64((a^b)&(a^diff)) < 0 {
			diff = saturated(int64(a) < 0)
		}
	} else if a < b {
		return 0
	}
	return diff >> t.pad()
}

func evalMulSat(t Types, _ uint32, a, b, _ uint64) uint64 {
	a <<= t.pad()
	if t.signed() {
		hi, lo := mulSigned(int64(a), t.extend(b))
		if hi != int64(lo)>>63 {
			lo = saturated(hi < 0)
		}
		return lo >> t.pad()
	}
	hi, lo := bits.Mul64(a, b)
	if hi != 0 {
		return t.mask()
	}
	return lo >> t.pad()
}

// evalDp4a adds four products of bytes to c.
func evalDp4a(t Types, _ uint32, a, b, c uint64) uint64 {
	for i := 0; i < 32; i += 8 {
		x, y := uint8(a>>i), uint8(b>>i)
		if t.signed() {
			c += uint64(int64(int8(x)) * int64(int8(y)))
		} else {
			c += uint64(x) * uint64(y)
		}
	}
	return c & t.mask()
}

// evalCarry is the carry out of a + b + c with c at most 1: the top bit of both, or of one if the sum has none there. For any
// other c that is all that it says.
func evalCarry(t Types, _ uint32, a, b, c uint64) uint64 {
	return (a&b | (a|b)&^(a+b+c)) >> (t.Width - 1) & 1
}

func evalBorrow(t Types, _ uint32, a, b, c uint64) uint64 {
	return (^a&b | ^(a^b)&(a-b-c)) >> (t.Width - 1) & 1
}

// saturated is the limit that a 64-bit result ran over.
func saturated(negative bool) uint64 {
	if negative {
		return 1 << 63
	}
	return 1<<63 - 1
}

// mulSigned is the full product in two words. Read as unsigned, a negative factor
// stands for 2⁶⁴ more, and adds the other factor once to the upper word.
func mulSigned(x, y int64) (hi int64, lo uint64) {
	h, lo := bits.Mul64(uint64(x), uint64(y))
	return int64(h) - (x >> 63 & y) - (y >> 63 & x), lo
}
