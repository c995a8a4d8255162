package native

import (
	"math"

	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// Division of 64 bits. Indices and sizes are short in practice: if no operand of the vector has more than 52 bits, it goes
// through f64, which is exact for the reason that holds for 32 bits. Else the processor divides lane by lane. Signed
// operands are divided without their signs.

func init() {
	on(ir.OpDiv, rule{u64only, func(s *selector, r ir.Row) []vreg {
		a, b := s.vals[s.p.A(r)], s.vals[s.p.B(r)]
		zero := s.zeros64(b)
		return each(s.quotient64(a, s.minus64(b, zero)), func(i int, q vreg) vreg { return s.v3swap(amd64.VPOR, q, zero[i]) }) // x/0 is all ones
	}}, rule{i64only, func(s *selector, r ir.Row) []vreg {
		a, signA := s.magnitude64(s.vals[s.p.A(r)])
		b, signB := s.magnitude64(s.vals[s.p.B(r)])
		zero := s.zeros64(b)
		return each(s.quotient64(a, s.minus64(b, zero)), func(i int, q vreg) vreg {
			return s.v3(amd64.VPANDN, zero[i], s.signed64(q, s.v3swap(amd64.VPXOR, signA[i], signB[i])))
		})
	}})
	on(ir.OpRem, rule{u64only, func(s *selector, r ir.Row) []vreg {
		return s.rest64(s.vals[s.p.A(r)], s.vals[s.p.B(r)])
	}}, rule{i64only, func(s *selector, r ir.Row) []vreg {
		a, sign := s.magnitude64(s.vals[s.p.A(r)])
		b, _ := s.magnitude64(s.vals[s.p.B(r)])
		return each(s.rest64(a, b), func(i int, v vreg) vreg { return s.signed64(v, sign[i]) })
	}})
}

// rest64 is what a division leaves, 0 where b is 0: by 1 instead, nothing is left.
func (s *selector) rest64(a, b []vreg) []vreg {
	b = s.minus64(b, s.zeros64(b))
	return each(s.quotient64(a, b), func(i int, q vreg) vreg { return s.v3(amd64.VPSUBQ, a[i], s.mul64(q, b[i])) })
}

func (s *selector) zeros64(v []vreg) []vreg {
	return each(v, func(_ int, v vreg) vreg { return s.v3swap(amd64.VPCMPEQQ, v, s.constant(0)) })
}

func (s *selector) minus64(a, b []vreg) []vreg {
	return each(a, func(i int, a vreg) vreg { return s.v3(amd64.VPSUBQ, a, b[i]) })
}

// magnitude64 takes the sign off, and tells where there was one. Of the least number it is that number, read unsigned.
func (s *selector) magnitude64(v []vreg) (size, sign []vreg) {
	sign = each(v, func(_ int, v vreg) vreg { return s.sign64(v) })
	return each(v, func(i int, v vreg) vreg { return s.signed64(v, sign[i]) }), sign
}

// signed64 is −v where the sign is set.
func (s *selector) signed64(v, sign vreg) vreg {
	return s.v3(amd64.VPSUBQ, s.v3swap(amd64.VPXOR, v, sign), sign)
}

// quotient64 is a/b cut off, of unsigned numbers; no b is 0.
func (s *selector) quotient64(a, b []vreg) []vreg {
	d := s.fresh(ir.U64)
	long, none := s.constant64(^uint64(1<<52-1)), s.constant(0)
	ones, exponent := s.ones(), s.constant64(math.Float64bits(magic))
	s.macro(amongValue, []vreg{a[0], a[1], b[0], b[1]}, d, func(e *emitter) {
		out, back := e.NewLabel(), e.NewLabel()
		e.V3(amd64.VPOR, scratch0, e.reg(a[0], scratch0), e.rm(a[1]))
		e.V3(amd64.VPOR, scratch0, scratch0, e.rm(b[0]))
		e.V3(amd64.VPOR, scratch0, scratch0, e.rm(b[1]))
		e.V3(amd64.VPAND, scratch0, scratch0, e.rm(long))
		e.V3(amd64.VPCMPEQQ, scratch0, scratch0, e.rm(none))
		e.V2(amd64.VTESTPS, scratch0, e.rm(ones))
		e.Jcc(amd64.AE, out)
		number := func(y amd64.Y, v vreg) {
			e.V3(amd64.VPOR, y, e.reg(v, y), e.rm(exponent))
			e.V3(amd64.VSUBPD, y, y, e.rm(exponent))
		}
		for i, q := range d {
			number(scratch0, a[i])
			number(scratch1, b[i])
			e.V3(amd64.VDIVPD, scratch0, scratch0, scratch1.RM())
			e.V2Imm(amd64.VROUNDPD, scratch0, scratch0.RM(), 11)
			e.V3(amd64.VADDPD, scratch0, scratch0, e.rm(exponent))
			e.V3(amd64.VPXOR, scratch0, scratch0, e.rm(exponent))
			e.put(q, scratch0)
		}
		e.Bind(back)
		e.later(func() {
			e.Bind(out)
			e.divideLanes(a, b, d)
			e.Jmp(back)
		})
	})
	return d
}

// divideLanes divides lane by lane: with 32 bits, which takes a fraction of the time, where they do.
func (e *emitter) divideLanes(a, b, d []vreg) {
	for i := range a {
		e.VStore(amd64.At(vectorFrame, vectorX+32*int32(i)), e.reg(a[i], scratch0))
		e.VStore(amd64.At(vectorFrame, vectorZ+32*int32(i)), e.reg(b[i], scratch0))
	}
	lane := func(off int32) amd64.Mem {
		return amd64.Mem{Base: vectorFrame, Index: lane32, Scale: 8, Disp: off}
	}
	again, short, divided := e.NewLabel(), e.NewLabel(), e.NewLabel()
	e.Imm32(lane32, 0)
	e.Bind(again)
	e.Load(8, amd64.AX, lane(vectorX).RM())
	e.Load(8, laneValue, lane(vectorZ).RM())
	e.Imm32(amd64.DX, 0)
	e.Load(8, laneOther, amd64.AX.RM())
	e.Alu(amd64.OR, 8, laneOther, laneValue.RM())
	e.ShiftImm(5, 8, laneOther, 32)
	e.Jcc(amd64.E, short)
	e.Div(8, laneValue.RM())
	e.Jmp(divided)
	e.Bind(short)
	e.Div(4, laneValue.RM())
	e.Bind(divided)
	e.Store(8, lane(vectorOut), amd64.AX)
	e.AluImm(amd64.ADD, 4, lane32.RM(), 1)
	e.AluImm(amd64.CMP, 4, lane32.RM(), lanes)
	e.Jcc(amd64.B, again)
	for i, v := range d {
		y := e.dst(v)
		e.VLoad(y, amd64.At(vectorFrame, vectorOut+32*int32(i)))
		e.put(v, y)
	}
}
