package native

import (
	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// Integers of 32 bits.

func init() {
	onPair(ir.OpAdd, pair{int32s, commutes(amd64.VPADDD)})
	on(ir.OpSub, rule{int32s, plain(amd64.VPSUBD)})
	onPair(ir.OpMul, pair{int32s, commutes(amd64.VPMULLD)})
	on(ir.OpMulHi, rule{u32only, high(amd64.VPMULUDQ)}, rule{i32only, high(amd64.VPMULDQ)})
	on(ir.OpMulWide, rule{u32only, wide(amd64.VPMOVZXDQ, amd64.VPMULUDQ)}, rule{i32only, wide(amd64.VPMOVSXDQ, amd64.VPMULDQ)})
	onPair(ir.OpMin, pair{i32only, commutes(amd64.VPMINSD)}, pair{u32only, commutes(amd64.VPMINUD)})
	onPair(ir.OpMax, pair{i32only, commutes(amd64.VPMAXSD)}, pair{u32only, commutes(amd64.VPMAXUD)})
	on(ir.OpNeg, rule{int32s, unary(func(s *selector, a vreg) vreg { return s.v3(amd64.VPSUBD, s.constant(0), a) })})
	on(ir.OpAbs, rule{i32only, unary(func(s *selector, a vreg) vreg { return s.v2(amd64.VPABSD, a) })})
	on(ir.OpAbsDiff,
		rule{i32only, binary(func(s *selector, a, b vreg) vreg {
			return s.v3(amd64.VPSUBD, s.v3swap(amd64.VPMAXSD, a, b), s.v3swap(amd64.VPMINSD, a, b))
		})},
		rule{u32only, binary(func(s *selector, a, b vreg) vreg {
			return s.v3(amd64.VPSUBD, s.v3swap(amd64.VPMAXUD, a, b), s.v3swap(amd64.VPMINUD, a, b))
		})})
	on(ir.OpAddSat, rule{u32only, binary(func(s *selector, a, b vreg) vreg {
		sum := s.v3swap(amd64.VPADDD, a, b)
		return s.v3swap(amd64.VPOR, sum, s.below(sum, a)) // it wrapped
	})}, rule{i32only, binary(func(s *selector, a, b vreg) vreg {
		sum := s.v3swap(amd64.VPADDD, a, b)
		return s.clamped(a, sum, s.v3(amd64.VPANDN, s.v3swap(amd64.VPXOR, a, b), s.v3swap(amd64.VPXOR, a, sum)))
	})})
	on(ir.OpSubSat, rule{u32only, binary(func(s *selector, a, b vreg) vreg {
		return s.v3(amd64.VPSUBD, s.v3swap(amd64.VPMAXUD, a, b), b)
	})}, rule{i32only, binary(func(s *selector, a, b vreg) vreg {
		d := s.v3(amd64.VPSUBD, a, b)
		return s.clamped(a, d, s.v3swap(amd64.VPAND, s.v3swap(amd64.VPXOR, a, b), s.v3swap(amd64.VPXOR, a, d)))
	})})
	on(ir.OpMulSat, rule{u32only, binary(func(s *selector, a, b vreg) vreg {
		fits := s.v3swap(amd64.VPCMPEQD, s.high(amd64.VPMULUDQ, a, b), s.constant(0))
		return s.v3swap(amd64.VPOR, s.v3swap(amd64.VPMULLD, a, b), s.not(fits))
	})}, rule{i32only, binary(func(s *selector, a, b vreg) vreg {
		lo := s.v3swap(amd64.VPMULLD, a, b)
		fits := s.v3swap(amd64.VPCMPEQD, s.high(amd64.VPMULDQ, a, b), s.shift(amd64.VPSRAD, lo, 31))
		return s.clamped(s.v3swap(amd64.VPXOR, a, b), lo, s.not(fits))
	})})
	on(ir.OpShl, rule{int32s, shift32(amd64.VPSLLD, amd64.VPSLLVD)})
	on(ir.OpShr, rule{u32only, shift32(amd64.VPSRLD, amd64.VPSRLVD)}, rule{i32only, shift32(amd64.VPSRAD, amd64.VPSRAVD)})
	on(ir.OpRotl, rule{int32s, rotate32(false)})
	on(ir.OpRotr, rule{int32s, rotate32(true)})
	on(ir.OpBfe, rule{u32only, extract(amd64.VPSLLD, amd64.VPSRLD, 32)}, rule{i32only, extract(amd64.VPSLLD, amd64.VPSRAD, 32)})
	on(ir.OpBfi, rule{int32s | int64s, insert})
	on(ir.OpPopc, rule{int32s, unary((*selector).popc)})
	on(ir.OpCtz, rule{int32s, unary(func(s *selector, a vreg) vreg { // the ones below the lowest bit
		return s.popc(s.v3(amd64.VPANDN, a, s.v3swap(amd64.VPADDD, a, s.ones())))
	})})
	on(ir.OpClz, rule{int32s, unary((*selector).clz)})
	on(ir.OpBrev, rule{int32s, unary((*selector).brev)})
	on(ir.OpEq, rule{int32s | ir.Set(ir.Bool), swaps(amd64.VPCMPEQD)})
	on(ir.OpNe, rule{int32s | ir.Set(ir.Bool), binary(func(s *selector, a, b vreg) vreg { return s.not(s.v3swap(amd64.VPCMPEQD, a, b)) })})
	on(ir.OpLt, rule{i32only, binary(func(s *selector, a, b vreg) vreg { return s.v3(amd64.VPCMPGTD, b, a) })},
		rule{u32only, binary((*selector).below)})
	on(ir.OpLe, rule{i32only, binary(func(s *selector, a, b vreg) vreg { return s.not(s.v3(amd64.VPCMPGTD, a, b)) })},
		rule{u32only, binary(func(s *selector, a, b vreg) vreg { return s.v3swap(amd64.VPCMPEQD, s.v3swap(amd64.VPMINUD, a, b), a) })})
}

// below is a < b of unsigned numbers, which AVX2 has no comparison of.
func (s *selector) below(a, b vreg) vreg {
	return s.not(s.v3swap(amd64.VPCMPEQD, s.v3swap(amd64.VPMINUD, a, b), b))
}

// clamped is v where over has no sign; else the largest number of the sign of a.
func (s *selector) clamped(a, v, over vreg) vreg {
	end := s.v3swap(amd64.VPXOR, s.shift(amd64.VPSRAD, a, 31), s.constant(1<<31-1))
	return s.blend(over, end, v)
}

// high is the upper half of products: of even lanes, and of odd ones.
func (s *selector) high(mul amd64.Op, a, b vreg) vreg {
	even := s.v3swap(mul, a, b)
	odd := s.v3swap(mul, s.shift(amd64.VPSRLQ, a, 32), s.shift(amd64.VPSRLQ, b, 32))
	return s.v3imm(amd64.VPBLENDD, s.shift(amd64.VPSRLQ, even, 32), odd, 0xAA)
}

func high(mul amd64.Op) write {
	return binary(func(s *selector, a, b vreg) vreg { return s.high(mul, a, b) })
}

func wide(widen, mul amd64.Op) write {
	return func(s *selector, r ir.Row) []vreg {
		a, b := s.widen(widen, s.vals[s.p.A(r)][0]), s.widen(widen, s.vals[s.p.B(r)][0])
		return []vreg{s.v3swap(mul, a[0], b[0]), s.v3swap(mul, a[1], b[1])}
	}
}

func shift32(by, each amd64.Op) write {
	return func(s *selector, r ir.Row) []vreg {
		a := s.vals[s.p.A(r)][0]
		if n, ok := s.constB(r); ok && n < 32 {
			return []vreg{s.shift(by, a, uint8(n))}
		}
		return []vreg{s.v3(each, a, s.vals[s.p.B(r)][0])}
	}
}

func rotate32(right bool) write {
	return func(s *selector, r ir.Row) []vreg {
		a := s.vals[s.p.A(r)][0]
		if n, ok := s.constB(r); ok {
			if n %= 32; right {
				n = -n % 32
			}
			if n &= 31; n == 0 {
				return []vreg{a}
			}
			return []vreg{s.v3swap(amd64.VPOR, s.shift(amd64.VPSLLD, a, uint8(n)), s.shift(amd64.VPSRLD, a, uint8(32-n)))}
		}
		n := s.v3swap(amd64.VPAND, s.vals[s.p.B(r)][0], s.constant(31))
		rest := s.v3(amd64.VPSUBD, s.constant(32), n)
		if right {
			n, rest = rest, n
		}
		return []vreg{s.v3swap(amd64.VPOR, s.v3(amd64.VPSLLVD, a, n), s.v3(amd64.VPSRLVD, a, rest))}
	}
}

// field splits the immediate of a bit field.
func field(x uint32) (pos, n uint8) { return uint8(x), uint8(x >> 8) }

func extract(left, right amd64.Op, width uint8) write {
	return func(s *selector, r ir.Row) []vreg {
		pos, n := field(s.p.X(r))
		return each(s.vals[s.p.A(r)], func(_ int, a vreg) vreg {
			if pos+n < width {
				a = s.shift(left, a, width-pos-n)
			}
			if n < width {
				a = s.shift(right, a, width-n)
			}
			return a
		})
	}
}

func insert(s *selector, r ir.Row) []vreg {
	pos, n := field(s.p.X(r))
	t := s.p.Type(r)
	mask := ^uint64(0) >> (64 - n) << pos
	left := amd64.VPSLLD
	if t.Size() == 8 {
		left = amd64.VPSLLQ
	}
	keep, take := s.literal(t, ^mask), s.literal(t, mask)
	x := s.vals[s.p.B(r)]
	return each(s.vals[s.p.A(r)], func(i int, base vreg) vreg {
		in := x[i]
		if pos > 0 {
			in = s.shift(left, in, pos)
		}
		return s.v3swap(amd64.VPOR, s.v3swap(amd64.VPAND, base, keep), s.v3swap(amd64.VPAND, in, take))
	})
}

// popc adds up neighbouring bits, pairs and nibbles, then the bytes by a product.
func (s *selector) popc(a vreg) vreg {
	and := func(v vreg, mask uint32) vreg { return s.v3swap(amd64.VPAND, v, s.constant(mask)) }
	a = s.v3(amd64.VPSUBD, a, and(s.shift(amd64.VPSRLD, a, 1), 0x5555_5555))
	a = s.v3swap(amd64.VPADDD, and(a, 0x3333_3333), and(s.shift(amd64.VPSRLD, a, 2), 0x3333_3333))
	a = and(s.v3swap(amd64.VPADDD, a, s.shift(amd64.VPSRLD, a, 4)), 0x0F0F_0F0F)
	return s.shift(amd64.VPSRLD, s.v3swap(amd64.VPMULLD, a, s.constant(0x0101_0101)), 24)
}

// clz fills in all bits below the highest, and counts the rest.
func (s *selector) clz(a vreg) vreg {
	for n := uint8(1); n < 32; n *= 2 {
		a = s.v3swap(amd64.VPOR, a, s.shift(amd64.VPSRLD, a, n))
	}
	return s.popc(s.not(a))
}

// brev exchanges neighbouring bits, pairs, nibbles, bytes and halves.
func (s *selector) brev(a vreg) vreg {
	for n, mask := range swapped {
		by := uint8(1) << n
		m := s.constant(mask)
		a = s.v3swap(amd64.VPOR, s.v3swap(amd64.VPAND, s.shift(amd64.VPSRLD, a, by), m), s.shift(amd64.VPSLLD, s.v3swap(amd64.VPAND, a, m), by))
	}
	return s.v3swap(amd64.VPOR, s.shift(amd64.VPSLLD, a, 16), s.shift(amd64.VPSRLD, a, 16))
}

// swapped are the bits that stay when bits, pairs, nibbles and bytes change places.
var swapped = [...]uint32{0x5555_5555, 0x3333_3333, 0x0F0F_0F0F, 0x00FF_00FF}
