package exact

import (
	"math/bits"

	"github.com/govyre/vyre/ir"
)

// Bit ops. Operands come zero-extended, so most hold at any width as they stand.

func evalAnd(_ Types, _ uint32, a, b, _ uint64) uint64 { return a & b }
func evalOr(_ Types, _ uint32, a, b, _ uint64) uint64  { return a | b }
func evalXor(_ Types, _ uint32, a, b, _ uint64) uint64 { return a ^ b }

func evalNot(t Types, _ uint32, a, _, _ uint64) uint64 {
	if t.In == ir.Bool {
		return a ^ 1
	}
	return ^a & t.mask()
}

// Go's shifts saturate their count as the op does: what leaves 64 bits is gone, and
// the mask drops what leaves the width.

func evalShl(t Types, _ uint32, a, b, _ uint64) uint64 { return a << b & t.mask() }

func evalShr(t Types, _ uint32, a, b, _ uint64) uint64 {
	if t.signed() {
		return uint64(t.extend(a)>>b) & t.mask()
	}
	return a >> b
}

func evalRotl(t Types, _ uint32, a, b, _ uint64) uint64 {
	return t.rotate(a, t.rotation(b))
}

func evalRotr(t Types, _ uint32, a, b, _ uint64) uint64 {
	return t.rotate(a, uint64(t.Width)-t.rotation(b))
}

// rotation is the count b modulo the width, without a division at real widths.
func (t Types) rotation(b uint64) uint64 {
	w := uint64(t.Width)
	if w&(w-1) == 0 {
		return b & (w - 1)
	}
	return b % w
}

// rotate turns left by n ≤ width.
func (t Types) rotate(a, n uint64) uint64 {
	return (a<<n | a>>(uint64(t.Width)-n)) & t.mask()
}

func evalPopc(_ Types, _ uint32, a, _, _ uint64) uint64 {
	return uint64(bits.OnesCount64(a))
}

func evalClz(t Types, _ uint32, a, _, _ uint64) uint64 {
	return uint64(t.Width) - uint64(bits.Len64(a))
}

func evalCtz(t Types, _ uint32, a, _, _ uint64) uint64 {
	return min(uint64(bits.TrailingZeros64(a)), uint64(t.Width))
}

func evalBrev(t Types, _ uint32, a, _, _ uint64) uint64 {
	return bits.Reverse64(a) >> t.pad()
}

// A field is given as pos | len<<8. The verifier has it lie within the width; what
// reaches beyond is cut off.

func evalBfe(t Types, x uint32, a, _, _ uint64) uint64 {
	above := 64 - x>>8&0xFF
	a = a >> (x & 0xFF) << above
	if t.signed() {
		return uint64(int64(a)>>above) & t.mask()
	}
	return a >> above
}

func evalBfi(t Types, x uint32, a, b, _ uint64) uint64 {
	pos, length := x&0xFF, x>>8&0xFF
	field := (uint64(1)<<length - 1) << pos & t.mask()
	return a&^field | b<<pos&field
}

// evalPrmt picks four of the eight bytes of b:a; bit 3 of a selector spreads the
// byte's sign instead.
func evalPrmt(_ Types, _ uint32, a, b, c uint64) uint64 {
	from := b<<32 | a
	var r uint64
	for k := 0; k < 4; k++ {
		n := c >> (4 * k)
		v := from >> (8 * (n & 7)) & 0xFF
		if n&8 != 0 {
			v = v >> 7 * 0xFF
		}
		r |= v << (8 * k)
	}
	return r
}
