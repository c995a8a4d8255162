package native

import (
	"math"

	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// What AVX-512 has an instruction for and AVX2 has not. Comparisons stay those of AVX2: their results are vectors, as all
// rules want masks, and what AVX-512 compares it would have to bring back from a mask register.

// book512 has the rules of AVX-512.
var book512 = book{map[ir.Op][]rule{}, map[[2]ir.Type]write{}}

// on adds the rules of an op.
//
//go:noinline
func (b *book) on(op ir.Op, rs ...rule) { b.rules[op] = rs }

func init() {
	b := &book512
	b.on(ir.OpRotl, rule{int32s, rotated32(amd64.VPROLVD, false)}, rule{int64s, rotated64(amd64.VPROLVQ, false)})
	b.on(ir.OpRotr, rule{int32s, rotated32(amd64.VPRORVD, true)}, rule{int64s, rotated64(amd64.VPRORVQ, true)})
	b.on(ir.OpMul, rule{int64s, swaps(amd64.VPMULLQ)})
	b.on(ir.OpMin, rule{i64only, swaps(amd64.VPMINSQ)}, rule{u64only, swaps(amd64.VPMINUQ)})
	b.on(ir.OpMax, rule{i64only, swaps(amd64.VPMAXSQ)}, rule{u64only, swaps(amd64.VPMAXUQ)})
	b.on(ir.OpAbsDiff, rule{i64only, between(amd64.VPMAXSQ, amd64.VPMINSQ)}, rule{u64only, between(amd64.VPMAXUQ, amd64.VPMINUQ)})
	b.on(ir.OpAbs, rule{i64only, unary(func(s *selector, a vreg) vreg { return s.v2(amd64.VPABSQ, a) })})
	b.on(ir.OpShr, rule{i64only, shift64(amd64.VPSRAQ, amd64.VPSRAVQ)})
	b.on(ir.OpBfe, rule{i64only, extract(amd64.VPSLLQ, amd64.VPSRAQ, 64)})
	b.on(ir.OpClz, rule{int32s, unary(func(s *selector, a vreg) vreg { return s.v2(amd64.VPLZCNTD, a) })},
		rule{int64s, counted(func(s *selector, a vreg) vreg { return s.v2(amd64.VPLZCNTQ, a) })})
	b.on(ir.OpCtz, rule{int32s, unary(func(s *selector, a vreg) vreg { // what the ones below the lowest bit leave above them
		below := s.v3(amd64.VPANDN, a, s.v3swap(amd64.VPADDD, a, s.ones()))
		return s.v3(amd64.VPSUBD, s.constant(32), s.v2(amd64.VPLZCNTD, below))
	})}, rule{int64s, counted(func(s *selector, a vreg) vreg {
		below := s.v3(amd64.VPANDN, a, s.v3swap(amd64.VPADDQ, a, s.ones()))
		return s.v3(amd64.VPSUBQ, s.constant64(64), s.v2(amd64.VPLZCNTQ, below))
	})})
	b.on(ir.OpDiv, rule{u32only, func(s *selector, r ir.Row) []vreg { // x/0 is all ones
		return []vreg{s.v3swap(amd64.VPOR, s.quotientU32(r), s.zeroDivisor(r))}
	}})
	b.on(ir.OpRem, rule{u32only, func(s *selector, r ir.Row) []vreg {
		product := s.v3swap(amd64.VPMULLD, s.quotientU32(r), s.vals[s.p.B(r)][0])
		rest := s.v3(amd64.VPSUBD, s.vals[s.p.A(r)][0], product)
		return []vreg{s.v3(amd64.VPANDN, s.zeroDivisor(r), rest)}
	}})
	b.convert()
}

// between is how far two numbers are apart.
func between(most, least amd64.Op) write {
	return binary(func(s *selector, a, b vreg) vreg {
		return s.v3(amd64.VPSUBQ, s.v3swap(most, a, b), s.v3swap(least, a, b))
	})
}

// quotientU32 is a/b cut off, anything where b is 0.
func (s *selector) quotientU32(r ir.Row) vreg {
	a, b := s.widen(amd64.VCVTUDQ2PD, s.vals[s.p.A(r)][0]), s.widen(amd64.VCVTUDQ2PD, s.vals[s.p.B(r)][0])
	return s.pair(amd64.VCVTTPD2UDQ, each(a, func(i int, v vreg) vreg { return s.v3(amd64.VDIVPD, v, b[i]) }))
}

// rotated32 and rotated64 rotate, by constants always to the left. The instructions count modulo the width.
//
//go:noinline
func rotated32(by amd64.Op, right bool) write {
	return func(s *selector, r ir.Row) []vreg {
		a := s.vals[s.p.A(r)][0]
		if n, ok := s.constB(r); ok {
			return []vreg{s.shift(amd64.VPROLD, a, toLeft(n, right))}
		}
		return []vreg{s.v3(by, a, s.vals[s.p.B(r)][0])}
	}
}

// toLeft is the rotation to the left by the low bits of which there is one by n.
func toLeft(n uint64, right bool) uint8 {
	if right {
		n = -n
	}
	return uint8(n)
}

//go:noinline
func rotated64(by amd64.Op, right bool) write {
	return func(s *selector, r ir.Row) []vreg {
		a := s.vals[s.p.A(r)]
		if n, ok := s.constB(r); ok {
			return each(a, func(_ int, a vreg) vreg { return s.shift(amd64.VPROLQ, a, toLeft(n, right)) })
		}
		n := s.widen(amd64.VPMOVZXDQ, s.vals[s.p.B(r)][0])
		return each(a, func(i int, a vreg) vreg { return s.v3(by, a, n[i]) })
	}
}

// convert adds conversions. They round once, or cut off, as the instructions do: what is beyond the range of an unsigned
// number becomes its largest. Negative numbers and NaN are made 0 before: the instruction gives its second operand where the
// order is not known.
func (b *book) convert() {
	out := b.conversions
	one := func(from, to ir.Type, f func(s *selector, a vreg) vreg) { out[[2]ir.Type{from, to}] = unary(f) }
	both := func(from, to ir.Type, f func(s *selector, a []vreg) []vreg) {
		out[[2]ir.Type{from, to}] = func(s *selector, r ir.Row) []vreg { return f(s, s.vals[s.p.A(r)]) }
	}
	positive := func(s *selector, a vreg) vreg { return s.v3(amd64.VMAXPD, a, s.constant(0)) }
	one(ir.U32, ir.F32, func(s *selector, a vreg) vreg { return s.v2(amd64.VCVTUDQ2PS, a) })
	one(ir.F32, ir.U32, func(s *selector, a vreg) vreg {
		return s.v2(amd64.VCVTTPS2UDQ, s.v3(amd64.VMAXPS, a, s.constant(0)))
	})
	both(ir.U32, ir.F64, func(s *selector, a []vreg) []vreg { return s.widen(amd64.VCVTUDQ2PD, a[0]) })
	both(ir.F64, ir.U32, func(s *selector, a []vreg) []vreg {
		return []vreg{s.pair(amd64.VCVTTPD2UDQ, each(a, func(_ int, v vreg) vreg { return positive(s, v) }))}
	})
	one(ir.I64, ir.F64, func(s *selector, a vreg) vreg { return s.v2(amd64.VCVTQQ2PD, a) })
	one(ir.U64, ir.F64, func(s *selector, a vreg) vreg { return s.v2(amd64.VCVTUQQ2PD, a) })
	both(ir.I64, ir.F32, func(s *selector, a []vreg) []vreg { return []vreg{s.pair(amd64.VCVTQQ2PS, a)} })
	both(ir.U64, ir.F32, func(s *selector, a []vreg) []vreg { return []vreg{s.pair(amd64.VCVTUQQ2PS, a)} })
	to := map[ir.Type]func(s *selector, a vreg) vreg{
		ir.I64: (*selector).i64OfDouble,
		ir.U64: func(s *selector, a vreg) vreg { return s.v2(amd64.VCVTTPD2UQQ, positive(s, a)) },
	}
	for t, convert := range to {
		one(ir.F64, t, convert)
		both(ir.F32, t, func(s *selector, a []vreg) []vreg {
			return each(s.widen(amd64.VCVTPS2PD, a[0]), func(_ int, a vreg) vreg { return convert(s, a) })
		})
	}
}

// i64OfDouble mends what the instruction makes of numbers beyond the range, the least number: of large ones the greatest,
// of NaN 0.
func (s *selector) i64OfDouble(a vreg) vreg {
	large := s.v3imm(amd64.VCMPPD, a, s.constant64(math.Float64bits(1<<63)), cmpGe)
	v := s.blend64(large, s.constant64(1<<63-1), s.v2(amd64.VCVTTPD2QQ, a))
	return s.v3swap(amd64.VPAND, v, s.v3imm(amd64.VCMPPD, a, a, cmpNum))
}
