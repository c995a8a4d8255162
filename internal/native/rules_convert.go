package native

import (
	"math"

	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// conversions are the rules of cvt, by both types.
var conversions = map[[2]ir.Type]write{}

func init() {
	on(ir.OpCvt, rule{words | int64s | f64only, nil})
	same := func(s *selector, r ir.Row) []vreg { return s.vals[s.p.A(r)] }
	low := func(s *selector, r ir.Row) []vreg {
		a := s.vals[s.p.A(r)]
		return []vreg{s.join(a[0], a[1])}
	}
	extend := func(op amd64.Op) write {
		return func(s *selector, r ir.Row) []vreg { return s.widen(op, s.vals[s.p.A(r)][0]) }
	}
	for _, narrow := range []ir.Type{ir.I32, ir.U32} {
		for _, other := range []ir.Type{ir.I32, ir.U32} {
			conversions[[2]ir.Type{narrow, other}] = same
		}
		for _, wide := range []ir.Type{ir.I64, ir.U64} {
			conversions[[2]ir.Type{wide, narrow}] = low
			conversions[[2]ir.Type{narrow, wide}] = extend(map[ir.Type]amd64.Op{ir.I32: amd64.VPMOVSXDQ, ir.U32: amd64.VPMOVZXDQ}[narrow])
			conversions[[2]ir.Type{wide, ir.I64}], conversions[[2]ir.Type{wide, ir.U64}] = same, same
		}
	}
	one := func(from, to ir.Type, f func(s *selector, a vreg) vreg) { conversions[[2]ir.Type{from, to}] = unary(f) }
	one(ir.I32, ir.F32, func(s *selector, a vreg) vreg { return s.v2(amd64.VCVTDQ2PS, a) })
	one(ir.U32, ir.F32, (*selector).singleOfU32)
	one(ir.F32, ir.I32, (*selector).i32OfSingle)
	one(ir.F32, ir.U32, (*selector).u32OfSingle)
	for _, h := range []ir.Type{ir.F16, ir.BF16} {
		one(h, ir.F32, func(s *selector, a vreg) vreg { return s.fromHalf(h, a) })
		one(ir.F32, h, func(s *selector, a vreg) vreg { return s.toHalf(h, a) })
	}
	both := func(from, to ir.Type, f func(s *selector, a []vreg) []vreg) {
		conversions[[2]ir.Type{from, to}] = func(s *selector, r ir.Row) []vreg { return f(s, s.vals[s.p.A(r)]) }
	}
	both(ir.F32, ir.F64, func(s *selector, a []vreg) []vreg { return s.widen(amd64.VCVTPS2PD, a[0]) })
	both(ir.F64, ir.F32, func(s *selector, a []vreg) []vreg { return []vreg{s.pair(amd64.VCVTPD2PS, a)} })
	both(ir.I32, ir.F64, func(s *selector, a []vreg) []vreg { return s.widen(amd64.VCVTDQ2PD, a[0]) })
	both(ir.U32, ir.F64, func(s *selector, a []vreg) []vreg { return s.doubleOfU32(a[0]) })
	both(ir.F64, ir.I32, (*selector).i32OfDouble)
	both(ir.F64, ir.U32, (*selector).u32OfDouble)
	for to, bits := range map[ir.Type]uint32{ir.I32: 1, ir.U32: 1, ir.F32: math.Float32bits(1)} {
		one(ir.Bool, to, func(s *selector, a vreg) vreg { return s.v3swap(amd64.VPAND, a, s.constant(bits)) })
	}
	for to, bits := range map[ir.Type]uint64{ir.I64: 1, ir.U64: 1, ir.F64: math.Float64bits(1)} {
		both(ir.Bool, to, func(s *selector, a []vreg) []vreg {
			m := s.wideMask(a[0])
			one := s.constant64(bits)
			return []vreg{s.v3swap(amd64.VPAND, m[0], one), s.v3swap(amd64.VPAND, m[1], one)}
		})
	}
}

// pair narrows both parts with an instruction that halves, and joins them.
func (s *selector) pair(op amd64.Op, a []vreg) vreg {
	return s.v3imm(amd64.VINSERTF128, s.v2(op, a[0]), s.v2(op, a[1]), 1)
}

// singleOfU32 converts the halves, which is exact, and rounds once, in the sum.
func (s *selector) singleOfU32(a vreg) vreg {
	hi := s.v2(amd64.VCVTDQ2PS, s.shift(amd64.VPSRLD, a, 16))
	lo := s.v2(amd64.VCVTDQ2PS, s.v3swap(amd64.VPAND, a, s.constant(0xFFFF)))
	return s.v3swap(amd64.VADDPS, s.v3swap(amd64.VMULPS, hi, s.constant(math.Float32bits(1<<16))), lo)
}

// i32OfSingle mends what the instruction makes of numbers beyond the range, the least number: of large ones the
// greatest, of NaN 0.
func (s *selector) i32OfSingle(a vreg) vreg {
	large := s.v3imm(amd64.VCMPPS, a, s.constant(math.Float32bits(1<<31)), cmpGe)
	v := s.blend(large, s.constant(1<<31-1), s.v2(amd64.VCVTTPS2DQ, a))
	return s.v3swap(amd64.VPAND, v, s.v3imm(amd64.VCMPPS, a, a, cmpNum))
}

// u32OfSingle converts numbers of 2³¹ and more without 2³¹, and adds it as a bit.
func (s *selector) u32OfSingle(a vreg) vreg {
	half := s.constant(math.Float32bits(1 << 31))
	upper := s.v3imm(amd64.VCMPPS, a, half, cmpGe)
	v := s.v2(amd64.VCVTTPS2DQ, s.v3(amd64.VSUBPS, a, s.v3swap(amd64.VPAND, upper, half)))
	v = s.v3swap(amd64.VPXOR, v, s.v3swap(amd64.VPAND, upper, s.constant(1<<31)))
	v = s.v3swap(amd64.VPAND, v, s.v3imm(amd64.VCMPPS, a, s.constant(math.Float32bits(1)), cmpGe))
	return s.v3swap(amd64.VPOR, v, s.v3imm(amd64.VCMPPS, a, s.constant(math.Float32bits(1<<32)), cmpGe))
}

// magic is 2⁵²: its sum with an integer below 2⁵² has the integer in its low bits.
const magic = 1 << 52

// doubleOfU32 puts the integer into the low bits of 2⁵², and takes that away.
func (s *selector) doubleOfU32(a vreg) []vreg {
	m := s.constant64(math.Float64bits(magic))
	return each(s.widen(amd64.VPMOVZXDQ, a), func(_ int, v vreg) vreg { return s.v3(amd64.VSUBPD, s.v3swap(amd64.VPOR, v, m), m) })
}

func (s *selector) i32OfDouble(a []vreg) []vreg {
	mask := func(how uint8, with func(v vreg) vreg) vreg {
		m := each(a, func(_ int, v vreg) vreg { return s.v3imm(amd64.VCMPPD, v, with(v), how) })
		return s.join(m[0], m[1])
	}
	large := mask(cmpGe, func(vreg) vreg { return s.constant64(math.Float64bits(1 << 31)) })
	v := s.blend(large, s.constant(1<<31-1), s.pair(amd64.VCVTTPD2DQ, a))
	return []vreg{s.v3swap(amd64.VPAND, v, mask(cmpNum, func(v vreg) vreg { return v }))}
}

// u32OfDouble clamps first, NaN to 0: the instruction gives its second operand where the order is not known.
func (s *selector) u32OfDouble(a []vreg) []vreg {
	v := each(a, func(_ int, v vreg) vreg {
		v = s.v2imm(amd64.VROUNDPD, v, 11)
		v = s.v3(amd64.VMINPD, s.v3(amd64.VMAXPD, v, s.constant(0)), s.constant64(math.Float64bits(1<<32-1)))
		return s.v3swap(amd64.VADDPD, v, s.constant64(math.Float64bits(magic)))
	})
	return []vreg{s.join(v[0], v[1])}
}

// fromHalf widens f16 or bf16 to f32, which is exact.
func (s *selector) fromHalf(t ir.Type, a vreg) vreg {
	if t == ir.BF16 {
		return s.shift(amd64.VPSLLD, a, 16)
	}
	packed := s.v2imm(amd64.VPERMQ, s.v3(amd64.VPACKUSDW, a, a), 0x08)
	return s.v2(amd64.VCVTPH2PS, packed)
}

// toHalf rounds f32 to f16 or bf16, to nearest even.
func (s *selector) toHalf(t ir.Type, a vreg) vreg {
	if t == ir.F16 {
		d := s.reg()
		s.macro(amongValue, []vreg{a}, []vreg{d}, func(e *emitter) {
			x := e.reg(a, scratch0)
			e.VToHalf(scratch1.RM(), x)
			y := e.dst(d)
			e.V2(amd64.VPMOVZXWD, y, scratch1.RM())
			e.put(d, y)
		})
		return d
	}
	odd := s.v3swap(amd64.VPAND, s.shift(amd64.VPSRLD, a, 16), s.constant(1))
	v := s.shift(amd64.VPSRLD, s.v3swap(amd64.VPADDD, s.v3swap(amd64.VPADDD, a, s.constant(0x7FFF)), odd), 16)
	return s.blend(s.v3imm(amd64.VCMPPS, a, a, cmpNaN), s.constant(0x7FC0), v)
}
