package native

import (
	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// Ops on the bytes of words.

func init() {
	on(ir.OpDp4a, rule{u32only, products(amd64.VPSRLD)}, rule{i32only, products(amd64.VPSRAD)})
	on(ir.OpPrmt, rule{u32only, ternary((*selector).permute)})
}

// products adds the four products of bytes, which right takes to 32 bits.
func products(right amd64.Op) write {
	return ternary(func(s *selector, a, b, c vreg) vreg {
		for k := range uint8(4) {
			part := func(v vreg) vreg {
				if k < 3 {
					v = s.shift(amd64.VPSLLD, v, 24-8*k)
				}
				return s.shift(right, v, 24)
			}
			c = s.v3swap(amd64.VPADDD, c, s.v3swap(amd64.VPMULLD, part(a), part(b)))
		}
		return c
	})
}

// permute takes for each byte one of a and b: the number is the low three bits of a nibble, and with its top bit only
// the sign of that byte counts.
func (s *selector) permute(a, b, sel vreg) vreg {
	and := func(v vreg, bits uint32) vreg { return s.v3swap(amd64.VPAND, v, s.constant(bits)) }
	out := noReg
	for k := range uint8(4) {
		n := sel
		if k > 0 {
			n = s.shift(amd64.VPSRLD, sel, 4*k)
		}
		// The third bit of the nibble chooses the word, as the sign of what chooses; the two below it the byte.
		word := s.blend(s.shift(amd64.VPSLLD, n, 29), b, a)
		at := s.shift(amd64.VPSLLD, and(n, 3), 3)
		byte := s.shift(amd64.VPSLLD, s.v3(amd64.VPSRLVD, word, at), 24) // on top
		sign := s.shift(amd64.VPSRAD, byte, 31)
		byte = s.blend(s.shift(amd64.VPSLLD, n, 28), sign, byte)
		if byte = s.shift(amd64.VPSRLD, byte, 24); k > 0 {
			byte = s.shift(amd64.VPSLLD, byte, 8*k)
		}
		if out == noReg {
			out = byte
		} else {
			out = s.v3swap(amd64.VPOR, out, byte)
		}
	}
	return out
}
