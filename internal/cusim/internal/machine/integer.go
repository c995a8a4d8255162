package machine

import (
	"math/bits"

	"github.com/govyre/vyre/internal/cusim/internal/asm"
)

// Functions of one lane. Operands and results are raw bits, zero-extended.
type (
	fn1 func(a uint64) uint64
	fn2 func(a, b uint64) uint64
	fn3 func(a, b, c uint64) uint64
	fn4 func(a, b, c, d uint64) uint64
)

// maskOf covers the bits of a type.
func maskOf(width int) uint64 {
	if width >= 64 {
		return ^uint64(0)
	}
	return 1<<width - 1
}

// signExtended is x, of the given width, as a number.
func signExtended(x uint64, width int) int64 { return int64(x<<(64-width)) >> (64 - width) }

// integer1 are ops on one integer.
func integer1(in *asm.Inst) fn1 {
	w := in.Type.Bits()
	mask := maskOf(w)
	switch in.Op {
	case "not":
		return func(a uint64) uint64 { return ^a & mask }
	case "cnot":
		return func(a uint64) uint64 {
			if a == 0 {
				return 1
			}
			return 0
		}
	case "neg":
		return func(a uint64) uint64 { return -a & mask }
	case "abs":
		return func(a uint64) uint64 {
			if signExtended(a, w) < 0 {
				return -a & mask
			}
			return a
		}
	case "popc":
		return func(a uint64) uint64 { return uint64(bits.OnesCount64(a)) }
	case "clz":
		return func(a uint64) uint64 { return uint64(bits.LeadingZeros64(a) - (64 - w)) }
	case "brev":
		return func(a uint64) uint64 { return bits.Reverse64(a) >> (64 - w) }
	case "bfind":
		shift := in.Has("shiftamt")
		return func(a uint64) uint64 {
			if in.Type.Signed() && signExtended(a, w) < 0 {
				a = ^a & mask
			}
			n := bits.Len64(a) - 1
			switch {
			case n < 0:
				return 1<<32 - 1
			case shift:
				return uint64(w - 1 - n)
			}
			return uint64(n)
		}
	}
	return nil
}

// integer2 are ops on two integers.
func integer2(in *asm.Inst) fn2 {
	t := in.Type
	w, signed := t.Bits(), t.Signed()
	mask := maskOf(w)
	ext := func(x uint64) int64 { return signExtended(x, w) }
	switch in.Op {
	case "add":
		if in.Has("sat") {
			return func(a, b uint64) uint64 { return clamp32(ext(a) + ext(b)) }
		}
		return func(a, b uint64) uint64 { return (a + b) & mask }
	case "sub":
		if in.Has("sat") {
			return func(a, b uint64) uint64 { return clamp32(ext(a) - ext(b)) }
		}
		return func(a, b uint64) uint64 { return (a - b) & mask }
	case "mul":
		switch in.One("lo", "hi", "wide") {
		case "lo":
			return func(a, b uint64) uint64 { return a * b & mask }
		case "hi":
			return func(a, b uint64) uint64 { return mulHigh(t, a, b) }
		}
		if signed {
			return func(a, b uint64) uint64 { return uint64(ext(a)*ext(b)) & maskOf(2*w) }
		}
		return func(a, b uint64) uint64 { return a * b }
	case "div":
		return func(a, b uint64) uint64 { return divide(t, a, b, false) }
	case "rem":
		return func(a, b uint64) uint64 { return divide(t, a, b, true) }
	case "min":
		if signed {
			return func(a, b uint64) uint64 { return uint64(min(ext(a), ext(b))) & mask }
		}
		return func(a, b uint64) uint64 { return min(a, b) }
	case "max":
		if signed {
			return func(a, b uint64) uint64 { return uint64(max(ext(a), ext(b))) & mask }
		}
		return func(a, b uint64) uint64 { return max(a, b) }
	case "and":
		return func(a, b uint64) uint64 { return a & b }
	case "or":
		return func(a, b uint64) uint64 { return a | b }
	case "xor":
		return func(a, b uint64) uint64 { return a ^ b }
	case "shl":
		return func(a, n uint64) uint64 { return a << n & mask }
	case "shr":
		if signed {
			return func(a, n uint64) uint64 { return uint64(ext(a)>>n) & mask }
		}
		return func(a, n uint64) uint64 { return a >> n }
	}
	return nil
}

// integer3 are ops on three integers.
func integer3(in *asm.Inst) fn3 {
	t := in.Type
	w, signed := t.Bits(), t.Signed()
	mask := maskOf(w)
	switch in.Op {
	case "mad":
		switch in.One("lo", "hi", "wide") {
		case "lo":
			return func(a, b, c uint64) uint64 { return (a*b + c) & mask }
		case "hi":
			if in.Has("sat") {
				return func(a, b, c uint64) uint64 {
					return clamp32(signExtended(mulHigh(t, a, b), 32) + signExtended(c, 32))
				}
			}
			return func(a, b, c uint64) uint64 { return (mulHigh(t, a, b) + c) & mask }
		}
		if signed {
			return func(a, b, c uint64) uint64 {
				return (uint64(signExtended(a, w)*signExtended(b, w)) + c) & maskOf(2*w)
			}
		}
		return func(a, b, c uint64) uint64 { return (a*b + c) & maskOf(2*w) }
	case "sad":
		return func(a, b, c uint64) uint64 {
			less := a < b
			if signed {
				less = signExtended(a, w) < signExtended(b, w)
			}
			if less {
				a, b = b, a
			}
			return (c + a - b) & mask
		}
	case "shf":
		wrap := in.Has("wrap")
		amount := func(n uint64) uint64 {
			if wrap {
				return n & 31
			}
			return min(n, 32)
		}
		if in.Has("l") {
			return func(a, b, n uint64) uint64 { return (b<<32 | a) << amount(n) >> 32 }
		}
		return func(a, b, n uint64) uint64 { return (b<<32 | a) >> amount(n) & mask }
	case "bfe":
		return func(a, pos, n uint64) uint64 { return extract(t, a, pos&0xFF, n&0xFF) }
	case "prmt":
		return func(a, b, sel uint64) uint64 {
			from, to := b<<32|a, uint64(0)
			for k := range 4 {
				nibble := sel >> (4 * k) & 15
				v := from >> (8 * (nibble & 7)) & 0xFF
				if nibble&8 != 0 {
					v = v >> 7 * 0xFF
				}
				to |= v << (8 * k)
			}
			return to
		}
	case "dp4a":
		return func(a, b, c uint64) uint64 {
			for k := range 4 {
				c += uint64(byteOf(in.Type, a, k) * byteOf(in.From, b, k))
			}
			return c & mask
		}
	}
	return nil
}

// integer4 are ops on four integers.
func integer4(in *asm.Inst) fn4 {
	w := in.Type.Bits()
	switch in.Op {
	case "bfi":
		return func(a, b, pos, n uint64) uint64 {
			pos, n = pos&0xFF, n&0xFF
			if pos >= uint64(w) {
				return b
			}
			field := maskOf(int(min(n, uint64(w)-pos))) << pos
			return b&^field | a<<pos&field
		}
	case "lop3":
		return func(a, b, c, table uint64) uint64 {
			r := uint64(0)
			for i := range 8 {
				if table>>i&1 == 0 {
					continue
				}
				pick := func(x uint64, bit int) uint64 {
					if i>>bit&1 == 1 {
						return x
					}
					return ^x
				}
				r |= pick(a, 2) & pick(b, 1) & pick(c, 0)
			}
			return r & maskOf(32)
		}
	}
	return nil
}

func clamp32(v int64) uint64 { return uint64(max(-1<<31, min(1<<31-1, v))) & maskOf(32) }

func mulHigh(t asm.Type, a, b uint64) uint64 {
	w := t.Bits()
	switch {
	case w < 64 && t.Signed():
		return uint64(signExtended(a, w)*signExtended(b, w)) >> w & maskOf(w)
	case w < 64:
		return a * b >> w
	}
	hi, _ := bits.Mul64(a, b)
	if t.Signed() {
		hi -= uint64(int64(a)>>63)&b + uint64(int64(b)>>63)&a
	}
	return hi
}

// divide is what the hardware gives: by zero, all ones, or for rem the dividend. Neither is promised, and
// programs must not depend on it.
func divide(t asm.Type, a, b uint64, rem bool) uint64 {
	w := t.Bits()
	mask := maskOf(w)
	switch {
	case b == 0 && rem:
		return a
	case b == 0:
		return mask
	case !t.Signed() && rem:
		return a % b
	case !t.Signed():
		return a / b
	case b == mask && rem: // −1
		return 0
	case b == mask:
		return -a & mask
	case rem:
		return uint64(signExtended(a, w)%signExtended(b, w)) & mask
	}
	return uint64(signExtended(a, w)/signExtended(b, w)) & mask
}

// extract is the field of n bits at pos; above the top it goes on with zeros, or with the sign.
func extract(t asm.Type, a, pos, n uint64) uint64 {
	w := uint64(t.Bits())
	if n == 0 {
		return 0
	}
	fill := uint64(0)
	if t.Signed() && a>>min(pos+n-1, w-1)&1 == 1 {
		fill = maskOf(int(w))
	}
	n = min(n, w)
	if pos >= w {
		return fill
	}
	have := min(n, w-pos)
	return a>>pos&maskOf(int(have)) | fill&^maskOf(int(have))
}

func byteOf(t asm.Type, a uint64, k int) int64 {
	if t.Signed() {
		return int64(int8(a >> (8 * k)))
	}
	return int64(uint8(a >> (8 * k)))
}

// compareInt is a comparison of integers; the words of unsigned ones are signed ones of their type.
func compareInt(cmp string, t asm.Type) func(a, b uint64) bool {
	w := t.Bits()
	signed := t.Signed()
	switch cmp {
	case "lo", "ls", "hi", "hs":
		signed = false
		cmp = map[string]string{"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}[cmp]
	}
	// Flipping the sign bit makes the order of signed numbers that of unsigned ones.
	flip := uint64(0)
	if signed {
		flip = 1 << (w - 1)
	}
	switch cmp {
	case "eq":
		return func(a, b uint64) bool { return a == b }
	case "ne":
		return func(a, b uint64) bool { return a != b }
	case "lt":
		return func(a, b uint64) bool { return a^flip < b^flip }
	case "le":
		return func(a, b uint64) bool { return a^flip <= b^flip }
	case "gt":
		return func(a, b uint64) bool { return a^flip > b^flip }
	}
	return func(a, b uint64) bool { return a^flip >= b^flip }
}
