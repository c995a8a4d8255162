package native

import (
	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// Integers of 64 bits, four in a register.

func init() {
	onPair(ir.OpAdd, pair{int64s, commutes(amd64.VPADDQ)})
	on(ir.OpSub, rule{int64s, plain(amd64.VPSUBQ)})
	onPair(ir.OpMul, pair{int64s, (*selector).mul64})
	on(ir.OpNeg, rule{int64s, unary(func(s *selector, a vreg) vreg { return s.v3(amd64.VPSUBQ, s.constant(0), a) })})
	on(ir.OpAbs, rule{i64only, unary(func(s *selector, a vreg) vreg {
		sign := s.sign64(a)
		return s.v3(amd64.VPSUBQ, s.v3swap(amd64.VPXOR, a, sign), sign)
	})})
	onPair(ir.OpMin, pair{i64only, pick64(false, false)}, pair{u64only, pick64(true, false)})
	onPair(ir.OpMax, pair{i64only, pick64(false, true)}, pair{u64only, pick64(true, true)})
	on(ir.OpAbsDiff, rule{i64only, difference64(false)}, rule{u64only, difference64(true)})
	on(ir.OpShl, rule{int64s, shift64(amd64.VPSLLQ, amd64.VPSLLVQ)})
	on(ir.OpShr, rule{u64only, shift64(amd64.VPSRLQ, amd64.VPSRLVQ)}, rule{i64only, func(s *selector, r ir.Row) []vreg {
		a, n := s.vals[s.p.A(r)], s.widen(amd64.VPMOVZXDQ, s.vals[s.p.B(r)][0])
		return each(a, func(i int, a vreg) vreg { return s.sar64(a, n[i]) })
	}})
	on(ir.OpRotl, rule{int64s, rotate64(false)})
	on(ir.OpRotr, rule{int64s, rotate64(true)})
	on(ir.OpBfe, rule{u64only, extract(amd64.VPSLLQ, amd64.VPSRLQ, 64)}, rule{i64only, extractSigned64})
	on(ir.OpEq, rule{int64s, compare64(func(s *selector, a, b vreg) vreg { return s.v3swap(amd64.VPCMPEQQ, a, b) })})
	on(ir.OpNe, rule{int64s, compare64(func(s *selector, a, b vreg) vreg { return s.not(s.v3swap(amd64.VPCMPEQQ, a, b)) })})
	on(ir.OpLt, rule{i64only, compare64(func(s *selector, a, b vreg) vreg { return s.v3(amd64.VPCMPGTQ, b, a) })},
		rule{u64only, compare64(func(s *selector, a, b vreg) vreg { return s.above64(b, a) })})
	on(ir.OpLe, rule{i64only, compare64(func(s *selector, a, b vreg) vreg { return s.not(s.v3(amd64.VPCMPGTQ, a, b)) })},
		rule{u64only, compare64(func(s *selector, a, b vreg) vreg { return s.not(s.above64(a, b)) })})
}

// mul64 adds the products of the halves; that of the high ones is beyond.
func (s *selector) mul64(a, b vreg) vreg {
	cross := s.v3swap(amd64.VPADDQ, s.v3swap(amd64.VPMULUDQ, s.shift(amd64.VPSRLQ, a, 32), b), s.v3swap(amd64.VPMULUDQ, a, s.shift(amd64.VPSRLQ, b, 32)))
	return s.v3swap(amd64.VPADDQ, s.v3swap(amd64.VPMULUDQ, a, b), s.shift(amd64.VPSLLQ, cross, 32))
}

// above64 is a > b of unsigned numbers: of signed ones, with the top bit turned.
func (s *selector) above64(a, b vreg) vreg {
	top := s.constant64(1 << 63)
	return s.v3(amd64.VPCMPGTQ, s.v3swap(amd64.VPXOR, a, top), s.v3swap(amd64.VPXOR, b, top))
}

// sign64 is all ones where a is negative.
func (s *selector) sign64(a vreg) vreg { return s.v3(amd64.VPCMPGTQ, s.constant(0), a) }

// more64 is a > b by signedness.
func (s *selector) more64(unsigned bool, a, b vreg) vreg {
	if unsigned {
		return s.above64(a, b)
	}
	return s.v3(amd64.VPCMPGTQ, a, b)
}

func pick64(unsigned, most bool) func(s *selector, a, b vreg) vreg {
	return func(s *selector, a, b vreg) vreg {
		more := s.more64(unsigned, a, b)
		if most {
			return s.blend64(more, a, b)
		}
		return s.blend64(more, b, a)
	}
}

func difference64(unsigned bool) write {
	return binary(func(s *selector, a, b vreg) vreg {
		flip := s.more64(unsigned, b, a) // −(a−b) where b is more
		return s.v3(amd64.VPSUBQ, s.v3swap(amd64.VPXOR, s.v3(amd64.VPSUBQ, a, b), flip), flip)
	})
}

func shift64(by, all amd64.Op) write {
	return func(s *selector, r ir.Row) []vreg {
		a := s.vals[s.p.A(r)]
		if n, ok := s.constB(r); ok && n < 64 {
			return each(a, func(_ int, a vreg) vreg { return s.shift(by, a, uint8(n)) })
		}
		n := s.widen(amd64.VPMOVZXDQ, s.vals[s.p.B(r)][0])
		return each(a, func(i int, a vreg) vreg { return s.v3(all, a, n[i]) })
	}
}

// sar64 shifts with the sign, which AVX2 cannot: what is shifted is turned to have no sign, and turned back.
func (s *selector) sar64(a, n vreg) vreg {
	sign := s.sign64(a)
	return s.v3swap(amd64.VPXOR, s.v3(amd64.VPSRLVQ, s.v3swap(amd64.VPXOR, a, sign), n), sign)
}

func rotate64(right bool) write {
	return func(s *selector, r ir.Row) []vreg {
		n := s.v3swap(amd64.VPAND, s.vals[s.p.B(r)][0], s.constant(63))
		rest := s.v3(amd64.VPSUBD, s.constant(64), n)
		if right {
			n, rest = rest, n
		}
		left, by := s.widen(amd64.VPMOVZXDQ, n), s.widen(amd64.VPMOVZXDQ, rest)
		return each(s.vals[s.p.A(r)], func(i int, a vreg) vreg {
			return s.v3swap(amd64.VPOR, s.v3(amd64.VPSLLVQ, a, left[i]), s.v3(amd64.VPSRLVQ, a, by[i]))
		})
	}
}

func extractSigned64(s *selector, r ir.Row) []vreg {
	pos, n := field(s.p.X(r))
	return each(s.vals[s.p.A(r)], func(_ int, a vreg) vreg {
		if pos+n < 64 {
			a = s.shift(amd64.VPSLLQ, a, 64-pos-n)
		}
		return s.sar64(a, s.constant64(uint64(64-n)))
	})
}
