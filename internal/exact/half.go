package exact

import "math"

// The 16-bit floats have a storage format each and no arithmetic of their own: an op
// widens its operands to float32, which is exact, works there and rounds back.

// F16ToF32 widens an IEEE binary16. Every value is exact; a NaN gives the canonical one.
func F16ToF32(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	exp, frac := uint32(h>>10&0x1F), uint32(h&0x3FF)
	switch {
	case exp == 0:
		// A zero or subnormal counts units of 2⁻²⁴; the sign goes on as a bit, for −0.
		v := float32(float32(frac) * 0x1p-24)
		return math.Float32frombits(math.Float32bits(v) | sign)
	case exp < 31:
		return math.Float32frombits(sign | (exp+127-15)<<23 | frac<<13)
	case frac == 0:
		return math.Float32frombits(sign | 0xFF<<23)
	}
	return math.Float32frombits(nanF32)
}

// F32ToF16 rounds to the nearest binary16, ties to even. From 65520 on the result is
// infinite; a NaN gives the canonical one.
func F32ToF16(f float32) uint16 {
	u := math.Float32bits(f)
	sign := uint16(u >> 16 & 0x8000)
	u &^= 1 << 31
	switch {
	case u > 0xFF<<23:
		return nanF16
	case u >= (127+16)<<23: // 65536
		return sign | 0x7C00
	case u < (127-14)<<23: // 2⁻¹⁴, the least normal
		// Next to ½ a float32 has the unit 2⁻²⁴ of the binary16 subnormals, so this sum
		// rounds at the right place, and what it adds to the bits of ½ is the result.
		half := float32(math.Float32frombits(u) + 0.5)
		return sign | uint16(math.Float32bits(half)-126<<23)
	}
	// Just under half a unit, and one more if the kept part is odd. A carry runs into
	// the exponent, up to infinity, as it should.
	u += 0xFFF + u>>13&1
	return sign | uint16((u-(127-15)<<23)>>13)
}

// BF16ToF32 widens a bfloat16, the upper half of a binary32. Every value is exact and
// a NaN stays the NaN it is.
func BF16ToF32(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

// F32ToBF16 rounds to the nearest bfloat16, ties to even; a NaN gives the canonical one.
func F32ToBF16(f float32) uint16 {
	u := math.Float32bits(f)
	if u&^(1<<31) > 0xFF<<23 {
		return nanBF16
	}
	return uint16((u + 0x7FFF + u>>16&1) >> 16)
}
