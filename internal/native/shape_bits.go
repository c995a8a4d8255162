package native

import (
	"math/bits"

	"github.com/govyre/vyre/ir"
)

// laneBits is how many low bits tell the lanes of a vector apart.
const laneBits = 3

// findZeros finds how many low bits of each integer are 0 in lane 0 of all vectors. Where these are all that tell lanes
// apart, a shift or a mask leaves values that are uniform or consecutive: the row and the column of a linear index.
func (s *shapes) findZeros() {
	p := s.p
	s.zeros = make([]uint8, p.Rows())
	for r := range ir.Row(p.Rows()) {
		if !p.Type(r).IsInt() {
			continue
		}
		of := func(v ir.Row) uint8 { return s.zeros[v] }
		n := uint8(0)
		switch op := p.Op(r); op {
		case ir.OpConst:
			n = uint8(bits.TrailingZeros64(p.Const(r)))
		case ir.OpLane:
			n = laneBits
		case ir.OpLocal, ir.OpGlobal:
			if p.X(r) == 0 && p.Workgroup()[0]%lanes == 0 {
				n = laneBits
			}
		case ir.OpAdd, ir.OpSub, ir.OpOr, ir.OpXor:
			n = min(of(p.A(r)), of(p.B(r)))
		case ir.OpAnd:
			n = max(of(p.A(r)), of(p.B(r)))
		case ir.OpMul:
			n = of(p.A(r)) + of(p.B(r))
		case ir.OpShl:
			if p.Op(p.B(r)) == ir.OpConst && p.Const(p.B(r)) < 64 {
				n = of(p.A(r)) + uint8(p.Const(p.B(r)))
			}
		case ir.OpCvt, ir.OpBitcast:
			if p.Type(p.A(r)).IsInt() {
				n = of(p.A(r))
			}
		}
		s.zeros[r] = min(n, 64)
	}
}

// bits is the shape of a bit op on something consecutive whose lane 0 has no bits that tell lanes apart; false if it is
// not such a one.
func (s *shapes) bits(r ir.Row) (shape, bool) {
	p := s.p
	a, b := p.A(r), p.B(r)
	if s.value[b] == consecutive && p.Op(r) != ir.OpShr {
		a, b = b, a
	}
	if !p.Type(r).IsInt() || s.value[a] != consecutive || s.zeros[a] < laneBits {
		return varying, false
	}
	if s.value[b] == unknown {
		return unknown, true
	}
	const low = lanes - 1
	constant := p.Op(b) == ir.OpConst
	switch op := p.Op(r); {
	case op == ir.OpShr && constant && p.Const(b) >= laneBits:
		return uniform, true
	case op == ir.OpAnd && constant && p.Const(b)&low == low:
		return consecutive, true
	case op == ir.OpAnd && s.value[b] == uniform && s.zeros[b] >= laneBits:
		return uniform, true
	case (op == ir.OpOr || op == ir.OpXor) && s.value[b] == uniform && s.zeros[b] >= laneBits:
		return consecutive, true
	}
	return varying, false
}
