package ptx

import (
	"math/bits"

	"github.com/govyre/vyre/ir"
)

// laneForm is a number modulo 2³² as the lanes of a warp have it: a sum of numbers that all have, each so many times, and of one that
// is the lane's own.
type laneForm struct {
	terms []laneTerm // by row
	own   [warpSize]uint32
	most  uint64 // if below 2³²: the sum does not wrap and is at most this
}

type laneTerm struct{ row, times uint32 }

// laneForms finds the forms of values of 32 and 64 bits; of these of the low halves.
type laneForms struct {
	s       *selector
	uni     *ir.Uniformity
	known   map[ir.Row]*laneForm // nil: none was found
	again   map[uint32][]uint32  // by the region of a loop: what leads to its next round
	arg     ir.Row               // of a loop, of which is assumed
	assumed int                  // that so many low bits are zero
	tiles   map[ir.Row]*tiles    // by load
	placed  []*tiles             // those whose address was worked out
}

func newLaneForms(s *selector) *laneForms {
	f := &laneForms{s: s, uni: s.p.Uniformity(), known: make(map[ir.Row]*laneForm), again: make(map[uint32][]uint32), arg: ir.NoRow}
	for r := range ir.Row(s.p.Rows()) {
		if s.p.Op(r) == ir.OpContinue {
			x := s.p.X(ir.Row(s.p.X(r)))
			f.again[x] = append(f.again[x], uint32(r))
		}
	}
	return f
}

// of is the form of a value, nil if it is not known.
func (f *laneForms) of(v ir.Row) *laneForm {
	x, ok := f.known[v]
	if t := f.s.p.Type(v); !ok && t.IsInt() && t.Size() >= 4 {
		if x = f.made(v); x == nil && max(f.uni.Value[v], f.uni.Control[v]) <= ir.LevelWarp {
			x = &laneForm{terms: []laneTerm{{uint32(v), 1}}, most: min(f.most(v), 1<<32)}
		}
		f.known[v] = x
	}
	return x
}

// made is the form of a value that is made of others.
func (f *laneForms) made(v ir.Row) *laneForm {
	p, x := f.s.p, new(laneForm)
	op, a, b := p.Op(v), p.A(v), p.B(v)
	switch op {
	case ir.OpConst, ir.OpLane:
		for l := range x.own {
			x.own[l] = uint32(l)
			if op == ir.OpConst {
				x.own[l] = uint32(p.Const(v))
			}
		}
		x.most = uint64(x.own[warpSize-1])
		return x
	case ir.OpCvt:
		return f.of(a)
	case ir.OpAdd:
		if x, y := f.of(a), f.of(b); x != nil && y != nil {
			return x.plus(y)
		}
		return nil
	case ir.OpMul, ir.OpMulWide, ir.OpShl, ir.OpShr, ir.OpAnd:
	default:
		return nil
	}
	if p.Op(b) != ir.OpConst || f.of(a) == nil {
		return nil
	}
	times, shift, mask := uint32(1), uint32(0), ^uint32(0)
	switch c := uint32(p.Const(b)); {
	case op == ir.OpAnd:
		mask = c
	case op == ir.OpShr && p.Type(v) == ir.U32 && c < 32:
		shift = c
	case op == ir.OpShl && c < 32:
		times = 1 << c
	case op == ir.OpMul || op == ir.OpMulWide:
		times = c
	default:
		return nil
	}
	return f.of(a).changed(times, shift, mask)
}

// plus is the sum of two numbers.
func (x *laneForm) plus(y *laneForm) *laneForm {
	z := &laneForm{own: x.own, most: min(x.most+y.most, 1<<32)}
	for l, v := range y.own {
		z.own[l] += v
	}
	a, b := x.terms, y.terms
	for len(a)+len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].row < b[0].row:
			z.terms, a = append(z.terms, a[0]), a[1:]
		case len(a) > 0 && a[0].row == b[0].row:
			n, carry := bits.Add32(a[0].times, b[0].times, 0)
			z.most += uint64(carry) << 32
			z.terms, a, b = append(z.terms, laneTerm{a[0].row, n}), a[1:], b[1:]
		default:
			a, b = b, a
		}
	}
	return z
}

// changed is the number so many times, then shifted right, then masked; nil where what all lanes have may lose bits.
func (x *laneForm) changed(times, shift, mask uint32) *laneForm {
	hi, most := bits.Mul64(x.most, uint64(times))
	z := &laneForm{most: (most | min(hi, 1)<<32) >> shift}
	lost := uint32(0)
	for l, v := range x.own {
		lost |= v * times
		z.own[l] = v * times >> shift & mask
	}
	for _, t := range x.terms {
		hi, n := bits.Mul32(t.times, times)
		z.most |= uint64(min(hi, 1)) << 32
		lost |= n
		z.terms = append(z.terms, laneTerm{t.row, n >> shift})
	}
	if len(x.terms) > 0 && (mask != ^uint32(0) || shift > 0 && (x.most>>32 > 0 || lost&(1<<shift-1) != 0)) {
		return nil
	}
	return z
}

// most is a number that a value without a sign is not above.
func (f *laneForms) most(v ir.Row) uint64 {
	p := f.s.p
	all := p.Type(v).Mask()
	switch op, by := p.Op(v), p.B(v); {
	case op == ir.OpWarp:
		return uint64(p.GroupSize()-1) / warpSize
	case op != ir.OpShr && op != ir.OpAnd || p.Op(by) != ir.OpConst || p.Type(v).IsSigned():
	case op == ir.OpAnd:
		return p.Const(by)
	default:
		return f.most(p.A(v)) >> p.Const(by)
	}
	return all
}

// low is how many low bits of a value are surely zero.
func (f *laneForms) low(v ir.Row, looks int) int {
	p := f.s.p
	a, b := p.A(v), p.B(v)
	if looks == 0 {
		return 0
	}
	looks--
	switch op := p.Op(v); op {
	case ir.OpConst:
		return bits.TrailingZeros32(uint32(p.Const(v)))
	case ir.OpAdd:
		return min(f.low(a, looks), f.low(b, looks))
	case ir.OpMul:
		return f.low(a, looks) + f.low(b, looks)
	case ir.OpShl, ir.OpShr:
		switch c := int(min(p.Const(b), 32)); {
		case p.Op(b) != ir.OpConst || p.Type(v).Size() != 4:
		case op == ir.OpShl:
			return f.low(a, looks) + c
		default:
			return max(0, min(32, f.low(a, looks))-c)
		}
	case ir.OpArg:
		if x := p.Region(v); x != 0 && f.arg == ir.NoRow {
			return f.lowOfArgument(v, p.Regions()[x].Op, looks)
		} else if v == f.arg {
			return f.assumed
		}
	}
	return 0
}

// lowOfArgument is low for an argument of a loop: what is assumed of it is so at first, and then in each next round.
func (f *laneForms) lowOfArgument(v, loop ir.Row, looks int) int {
	k := f.s.p.X(v)
	n := f.low(ir.Row(f.s.p.List(loop)[k]), looks)
	for f.arg = v; ; n = f.assumed {
		f.assumed = n
		least := n
		for _, r := range f.again[f.s.p.Region(v)] {
			least = min(least, f.low(ir.Row(f.s.p.List(ir.Row(r))[k]), looks))
		}
		if least == n {
			f.arg = ir.NoRow
			return n
		}
		f.assumed = least
	}
}
