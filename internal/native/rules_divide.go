package native

import (
	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// Division of 32 bits goes through f64. Its quotient is wrong by at most 2⁻⁵³ of itself, which is less than the
// distance of a quotient that is no integer from the next one, at least one part of the divisor: so what is cut off
// leaves the right integer.

func init() {
	on(ir.OpDiv, rule{u32only, func(s *selector, r ir.Row) []vreg {
		return []vreg{s.v3swap(amd64.VPOR, s.quotient(r), s.zeroDivisor(r))} // x/0 is all ones
	}}, rule{i32only, func(s *selector, r ir.Row) []vreg {
		return []vreg{s.v3(amd64.VPANDN, s.zeroDivisor(r), s.quotient(r))}
	}})
	on(ir.OpRem, rule{int32s, func(s *selector, r ir.Row) []vreg {
		product := s.v3swap(amd64.VPMULLD, s.quotient(r), s.vals[s.p.B(r)][0])
		rest := s.v3(amd64.VPSUBD, s.vals[s.p.A(r)][0], product)
		return []vreg{s.v3(amd64.VPANDN, s.zeroDivisor(r), rest)}
	}})
}

func (s *selector) zeroDivisor(r ir.Row) vreg {
	return s.v3swap(amd64.VPCMPEQD, s.vals[s.p.B(r)][0], s.constant(0))
}

// quotient is a/b cut off, anything where b is 0. MIN/−1 is beyond what the instruction converts, and gives MIN.
func (s *selector) quotient(r ir.Row) vreg {
	a, b := s.vals[s.p.A(r)][0], s.vals[s.p.B(r)][0]
	divide := func(x, y []vreg) []vreg {
		return each(x, func(i int, v vreg) vreg { return s.v3(amd64.VDIVPD, v, y[i]) })
	}
	if s.p.Type(r) == ir.U32 {
		return s.u32OfDouble(divide(s.doubleOfU32(a), s.doubleOfU32(b)))[0]
	}
	return s.pair(amd64.VCVTTPD2DQ, divide(s.widen(amd64.VCVTDQ2PD, a), s.widen(amd64.VCVTDQ2PD, b)))
}
