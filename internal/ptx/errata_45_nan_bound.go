package ptx

import (
	"slices"

	"github.com/govyre/vyre/ir"
)

// findNaNs finds what a NaN among the constants may be handed on to, so that it may come to be the bound of a minimum or
// maximum of f32. ptxas (11.8, and the driver's of 13.0) takes what is at least one constant and at most another, neither
// of which has a minus sign, for a float without one. It is so if the first is a NaN as well, which bounds nothing, and
// it leaves out the and that makes 5 of −5 = min(max(−5, NaN), 2). The passes fold literals; what is left comes by way of
// choices, local arrays and what lanes exchange. Only programs with such a constant are looked through: O(rows).
func (s *selector) findNaNs() {
	p := s.p
	isNaN := func(r ir.Row) bool {
		t := p.Type(r)
		return p.Op(r) == ir.OpConst && t.IsFloat() && p.Const(r)&^signBit(t) > infinity(t)
	}
	some := false
	for r := ir.Row(0); int(r) < p.Rows() && !some; r++ {
		some = isNaN(r)
	}
	if !some {
		return
	}
	s.nans = spread(p, func(r ir.Row, nans []bool) bool {
		op, in := p.Op(r), p.Op(r).Info()
		switch {
		case isNaN(r):
			return true
		case op == ir.OpMin || op == ir.OpMax:
			return nans[p.A(r)] && nans[p.B(r)]
		case p.Type(r) == ir.Bool:
			return false
		}
		for i, v := range [3]ir.Row{p.A(r), p.B(r), p.C(r)} {
			if i < in.Args && nans[v] {
				return true
			}
		}
		return slices.ContainsFunc(p.List(r), func(v uint32) bool { return nans[v] })
	})
}

// boundBy returns the operands of a minimum or maximum of f32, those that may be NaNs combined with a zero that the
// assembler does not know.
func (s *selector) boundBy(r ir.Row) (a, b operand) {
	bound := func(v ir.Row) operand {
		if s.nans == nil || !s.nans[v] || s.p.Type(v) != ir.F32 {
			return s.value(v)
		}
		s.nanBounds++
		return s.unknown(s.value(v)).as(tF32)
	}
	return bound(s.p.A(r)), bound(s.p.B(r))
}
