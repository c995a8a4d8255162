package native

import (
	"math"

	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// Ops of 64 bits for which AVX2 has no instruction and that are put together: products, sums that saturate, counts of bits
// and conversions.

func init() {
	on(ir.OpMulHi, rule{u64only, binary((*selector).high64)}, rule{i64only, binary((*selector).highSigned64)})
	onCarries(ir.OpCarry, func(s *selector, x, y, sum vreg) vreg {
		return s.v3swap(amd64.VPOR, s.v3swap(amd64.VPAND, x, y), s.v3(amd64.VPANDN, sum, s.v3swap(amd64.VPOR, x, y)))
	}, amd64.VPADDD, amd64.VPADDQ)
	onCarries(ir.OpBorrow, func(s *selector, x, y, diff vreg) vreg {
		return s.v3swap(amd64.VPOR, s.v3(amd64.VPANDN, x, y), s.v3(amd64.VPANDN, s.v3swap(amd64.VPXOR, x, y), diff))
	}, amd64.VPSUBD, amd64.VPSUBQ)
	on(ir.OpAddSat, rule{u64only, binary(func(s *selector, a, b vreg) vreg {
		sum := s.v3swap(amd64.VPADDQ, a, b)
		return s.v3swap(amd64.VPOR, sum, s.above64(a, sum)) // it wrapped
	})}, rule{i64only, binary(func(s *selector, a, b vreg) vreg {
		sum := s.v3swap(amd64.VPADDQ, a, b)
		return s.clamped64(a, sum, s.v3(amd64.VPANDN, s.v3swap(amd64.VPXOR, a, b), s.v3swap(amd64.VPXOR, a, sum)))
	})})
	on(ir.OpSubSat, rule{u64only, binary(func(s *selector, a, b vreg) vreg {
		return s.v3(amd64.VPANDN, s.above64(b, a), s.v3(amd64.VPSUBQ, a, b))
	})}, rule{i64only, binary(func(s *selector, a, b vreg) vreg {
		d := s.v3(amd64.VPSUBQ, a, b)
		return s.clamped64(a, d, s.v3swap(amd64.VPAND, s.v3swap(amd64.VPXOR, a, b), s.v3swap(amd64.VPXOR, a, d)))
	})})
	on(ir.OpMulSat, rule{u64only, binary(func(s *selector, a, b vreg) vreg {
		fits := s.v3swap(amd64.VPCMPEQQ, s.high64(a, b), s.constant(0))
		return s.v3swap(amd64.VPOR, s.mul64(a, b), s.not(fits))
	})}, rule{i64only, binary(func(s *selector, a, b vreg) vreg {
		lo := s.mul64(a, b)
		fits := s.v3swap(amd64.VPCMPEQQ, s.highSigned64(a, b), s.sign64(lo))
		return s.clamped64(s.v3swap(amd64.VPXOR, a, b), lo, s.not(fits))
	})})
	on(ir.OpPopc, rule{int64s, counted((*selector).popc64)})
	on(ir.OpCtz, rule{int64s, counted(func(s *selector, a vreg) vreg { // the ones below the lowest bit
		return s.popc64(s.v3(amd64.VPANDN, a, s.v3swap(amd64.VPADDQ, a, s.ones())))
	})})
	on(ir.OpClz, rule{int64s, counted(func(s *selector, a vreg) vreg {
		for n := uint8(1); n < 64; n *= 2 {
			a = s.v3swap(amd64.VPOR, a, s.shift(amd64.VPSRLQ, a, n))
		}
		return s.popc64(s.not(a))
	})})
	on(ir.OpBrev, rule{int64s, unary(func(s *selector, a vreg) vreg { return s.v2imm(amd64.VPSHUFD, s.brev(a), 0xB1) })})

	for t, signed := range map[ir.Type]bool{ir.I64: true, ir.U64: false} {
		conversions[[2]ir.Type{t, ir.F64}] = unary(func(s *selector, a vreg) vreg { return s.doubleOf64(a, signed) })
		conversions[[2]ir.Type{t, ir.F32}] = func(s *selector, r ir.Row) []vreg { return []vreg{s.singleOf64(s.vals[s.p.A(r)], signed)} }
		conversions[[2]ir.Type{ir.F64, t}] = unary(func(s *selector, a vreg) vreg { return s.wideOfDouble(a, signed) })
		conversions[[2]ir.Type{ir.F32, t}] = func(s *selector, r ir.Row) []vreg {
			return each(s.widen(amd64.VCVTPS2PD, s.vals[s.p.A(r)][0]), func(_ int, a vreg) vreg { return s.wideOfDouble(a, signed) })
		}
	}
}

// onCarries has rules for the carry of what short and long do: the top bit of what top makes of two numbers and the result.
func onCarries(op ir.Op, top func(s *selector, x, y, result vreg) vreg, short, long amd64.Op) {
	by := func(does, right amd64.Op, n uint8) write {
		return ternary(func(s *selector, a, b, c vreg) vreg {
			return s.shift(right, top(s, a, b, s.v3(does, s.v3(does, a, b), c)), n)
		})
	}
	on(op, rule{u32only, by(short, amd64.VPSRLD, 31)}, rule{u64only, by(long, amd64.VPSRLQ, 63)})
}

// counted lifts an op from 64 bits to a count of 32.
func counted(f func(s *selector, a vreg) vreg) write {
	both := unary(f)
	return func(s *selector, r ir.Row) []vreg {
		v := both(s, r)
		return []vreg{s.join(v[0], v[1])}
	}
}

// high64 is the upper half of an unsigned product, from those of the halves; no sum of these wraps.
func (s *selector) high64(a, b vreg) vreg {
	up := func(v vreg) vreg { return s.shift(amd64.VPSRLQ, v, 32) }
	mul := func(x, y vreg) vreg { return s.v3swap(amd64.VPMULUDQ, x, y) }
	add := func(x, y vreg) vreg { return s.v3swap(amd64.VPADDQ, x, y) }
	ah, bh := up(a), up(b)
	t := add(mul(ah, b), up(mul(a, b)))
	u := add(mul(a, bh), s.v3swap(amd64.VPAND, t, s.constant64(1<<32-1)))
	return add(add(mul(ah, bh), up(t)), up(u))
}

// highSigned64 takes away what reading negative numbers as unsigned added.
func (s *selector) highSigned64(a, b vreg) vreg {
	h := s.v3(amd64.VPSUBQ, s.high64(a, b), s.v3swap(amd64.VPAND, s.sign64(a), b))
	return s.v3(amd64.VPSUBQ, h, s.v3swap(amd64.VPAND, s.sign64(b), a))
}

// clamped64 is v where over has no sign; else the largest number of the sign of a.
func (s *selector) clamped64(a, v, over vreg) vreg {
	return s.blend64(over, s.v3swap(amd64.VPXOR, s.sign64(a), s.constant64(1<<63-1)), v)
}

// popc64 counts in bytes, and adds those of each 64 bits up.
func (s *selector) popc64(a vreg) vreg {
	and := func(v vreg, mask uint32) vreg { return s.v3swap(amd64.VPAND, v, s.constant(mask)) }
	a = s.v3(amd64.VPSUBQ, a, and(s.shift(amd64.VPSRLQ, a, 1), 0x5555_5555))
	a = s.v3swap(amd64.VPADDQ, and(a, 0x3333_3333), and(s.shift(amd64.VPSRLQ, a, 2), 0x3333_3333))
	a = and(s.v3swap(amd64.VPADDQ, a, s.shift(amd64.VPSRLQ, a, 4)), 0x0F0F_0F0F)
	return s.v3(amd64.VPSADBW, a, s.constant(0))
}

// doubleOf64 converts the halves, which is exact, and rounds once, in the sum. The upper half of a signed number is read
// with its top bit turned, which adds 2³¹.
func (s *selector) doubleOf64(a vreg, signed bool) vreg {
	m := s.constant64(math.Float64bits(magic))
	exact := func(v vreg) vreg { return s.v3(amd64.VSUBPD, s.v3swap(amd64.VPOR, v, m), m) }
	lo := exact(s.v3swap(amd64.VPAND, a, s.constant64(1<<32-1)))
	if signed {
		a = s.v3swap(amd64.VPXOR, a, s.constant64(1<<63))
	}
	hi := exact(s.shift(amd64.VPSRLQ, a, 32))
	if signed {
		hi = s.v3(amd64.VSUBPD, hi, s.constant64(math.Float64bits(1<<31)))
	}
	return s.v3swap(amd64.VADDPD, s.v3swap(amd64.VMULPD, hi, s.constant64(math.Float64bits(1<<32))), lo)
}

// singleOf64 rounds once: f64 takes numbers below 2⁵³ exactly, and of larger ones 53 bits are kept, the last of which is
// set if anything fell off; f32 rounds far above that bit.
func (s *selector) singleOf64(a []vreg, signed bool) vreg {
	var large, double, sign [2]vreg
	for i, v := range a {
		if signed {
			sign[i] = s.sign64(v)
			v = s.v3(amd64.VPSUBQ, s.v3swap(amd64.VPXOR, v, sign[i]), sign[i])
		}
		none := s.v3swap(amd64.VPCMPEQQ, s.v3swap(amd64.VPAND, v, s.constant64(1<<11-1)), s.constant(0))
		rest := s.v3(amd64.VPANDN, none, s.constant64(1))
		large[i] = s.not(s.v3swap(amd64.VPCMPEQQ, s.shift(amd64.VPSRLQ, v, 53), s.constant(0)))
		v = s.blend64(large[i], s.v3swap(amd64.VPOR, s.shift(amd64.VPSRLQ, v, 11), rest), v)
		double[i] = s.doubleOf64(v, false)
	}
	scale := s.blend(s.join(large[0], large[1]), s.constant(math.Float32bits(1<<11)), s.constant(math.Float32bits(1)))
	f := s.v3swap(amd64.VMULPS, s.pair(amd64.VCVTPD2PS, double[:]), scale)
	if signed {
		f = s.v3swap(amd64.VPOR, f, s.v3swap(amd64.VPAND, s.join(sign[0], sign[1]), s.constant(1<<31)))
	}
	return f
}

// wideOfDouble cuts off the fraction and takes the number apart into halves of 32 bits, each exact in the low bits of
// a sum with 2⁵²; a signed upper half with 2⁵² + 2⁵¹, so that no sum is below 2⁵². What is beyond the range is blended in.
func (s *selector) wideOfDouble(a vreg, signed bool) vreg {
	value := func(x float64) vreg { return s.constant64(math.Float64bits(x)) }
	compare := func(x vreg, how uint8) vreg { return s.v3imm(amd64.VCMPPD, a, x, how) }
	t := s.v2imm(amd64.VROUNDPD, a, 11)
	hi := s.v2imm(amd64.VROUNDPD, s.v3swap(amd64.VMULPD, t, value(1.0/(1<<32))), 9)
	lo := s.v3(amd64.VSUBPD, t, s.v3swap(amd64.VMULPD, hi, value(1<<32)))
	base := float64(magic)
	if signed {
		base += magic / 2
	}
	low := s.v3swap(amd64.VPAND, s.v3swap(amd64.VADDPD, lo, value(magic)), s.constant64(1<<32-1))
	v := s.v3swap(amd64.VPOR, s.shift(amd64.VPSLLQ, s.v3swap(amd64.VADDPD, hi, value(base)), 32), low)
	if !signed {
		v = s.v3swap(amd64.VPAND, v, compare(value(1), cmpGe)) // a NaN too
		return s.v3swap(amd64.VPOR, v, compare(value(1<<64), cmpGe))
	}
	v = s.blend64(compare(value(1<<63), cmpGe), s.constant64(1<<63-1), v)
	v = s.blend64(compare(value(-1<<63), cmpLt), s.constant64(1<<63), v)
	return s.v3swap(amd64.VPAND, v, compare(a, cmpNum))
}
