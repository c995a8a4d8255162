package kernels

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

// PowMod raises numbers to a power modulo an odd m below 2^63, in Montgomery's form: inverse is -1/m and square is 2^128,
// the one modulo 2^64, the other modulo m.
//
//vyre:kernel workgroup=128
func PowMod(t gpu.Thread, exponent, m, inverse, square uint64, x, y []uint64) {
	i := int(t.Global().X)
	if i >= len(y) {
		return
	}
	base, power := montgomery(x[i], square, m, inverse), montgomery(1, square, m, inverse)
	for e := exponent; e > 0; e >>= 1 {
		if e&1 != 0 {
			power = montgomery(power, base, m, inverse)
		}
		base = montgomery(base, base, m, inverse)
	}
	y[i] = montgomery(power, 1, m, inverse)
}

// montgomery is a·b/2^64 modulo m (Montgomery, "Modular Multiplication Without Trial Division", 1985).
func montgomery(a, b, m, inverse uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	h, l := bits.Mul64(lo*inverse, m)
	_, carry := bits.Add64(lo, l, 0)
	r := hi + h + carry
	if r >= m {
		r -= m
	}
	return r
}
