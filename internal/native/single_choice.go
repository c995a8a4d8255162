package native

import "github.com/govyre/vyre/ir"

// What rows cost, in instructions or what takes as long, for a vector of eight lanes and for one invocation. docs/design/cpu.md says
// where they are from.
const (
	costPure      = 1
	costProduct   = 14 // a product of 64 bits, where the target has no instruction for it
	costCarry     = 6  // what has one instruction of one invocation
	costRotation  = 4  // of one invocation
	costMaskedOp  = 4  // a structured op, or an exit, with masks: what makes and joins them
	costTogether  = 2  // an access that is one instruction for all lanes
	costGather    = 10 // four bytes from anywhere
	costLanes     = 24 // one element after the other, all lanes active
	costMaskLanes = 48 // the same in a loop over those that are
	costAccess    = 3  // of one invocation
	waste         = 2  // how often lanes go round for the last of them, to how often they need it
)

// single reports whether code is for one invocation at a time: where it can be, if that is forced, else where it is worth it.
func (s *shapes) single(own *book, forced *bool) bool {
	if forced != nil && !*forced {
		return false
	}
	for r := range ir.Row(s.p.Rows()) {
		if s.p.Op(r).Info().Attr&ir.Convergent != 0 { // lanes of a vector do it together
			return false
		}
	}
	return forced != nil || s.worthSingle(own)
}

// worthSingle compares what a vector costs in loops that its lanes leave at different times with what eight invocations do. Where
// there are no such loops, vectors are better whatever they do. Of an if where lanes part, a vector runs both arms, and an
// invocation one.
func (s *shapes) worthSingle(own *book) bool {
	together, apart := 0, 0
	around := s.frequencies()
	for r := range ir.Row(s.p.Rows()) {
		if f := around[s.p.Region(r)]; f.divergent {
			together += f.often * waste * s.vectorCost(own, r)
			apart += f.often * lanes / f.one * s.singleCost(r)
		}
	}
	return apart < together
}

// frequency is how often control comes to a region.
type frequency struct {
	often     int
	divergent bool // a loop around it has masks
	one       int  // of so many invocations comes there
}

// frequencies finds them, by region.
func (s *shapes) frequencies() []frequency {
	regions := s.p.Regions()
	out := make([]frequency, len(regions))
	var find func(id uint32) frequency
	find = func(id uint32) frequency {
		if out[id].often > 0 {
			return out[id]
		}
		f, op := frequency{often: 8, one: 1}, regions[id].Op
		if op != ir.NoRow {
			f = find(s.p.Region(op))
			switch {
			case s.p.Op(op) == ir.OpLoop:
				f.often = min(8*f.often, 1<<15)
				f.divergent = f.divergent || s.divergent[op]
			case s.p.Op(op) == ir.OpIf && s.divergent[op]:
				f.one = min(2*f.one, 8)
			}
		}
		out[id] = f
		return f
	}
	for id := range regions {
		find(uint32(id))
	}
	return out
}

// vectorCost is what a row costs a vector, in a loop with masks, on a target with some rules of its own.
func (s *shapes) vectorCost(own *book, r ir.Row) int {
	p, in := s.p, s.p.Op(r).Info()
	switch {
	case in.Imm == ir.ImmObject && in.Attr&(ir.Reads|ir.Writes|ir.Atomic) != 0:
		return s.vectorAccess(r)
	case in.Attr&(ir.Structured|ir.Terminator) != 0:
		return costMaskedOp
	case p.Op(r) == ir.OpMul && p.Type(r).Elem().Size() == 8 && (own == nil || own.rules[ir.OpMul] == nil):
		return costProduct
	case p.Op(r) == ir.OpMulHi && p.Type(r).Size() == 8:
		return 2 * costProduct
	case p.Op(r) == ir.OpCarry, p.Op(r) == ir.OpBorrow:
		return costCarry * p.Type(r).Size() / 4
	case p.Type(r).Elem().Size() == 8:
		return 2 * costPure
	}
	return costPure
}

func (s *shapes) vectorAccess(r ir.Row) int {
	in, o := s.p.Op(r).Info(), s.objects[s.p.X(r)]
	size := o.Type().Size()
	switch at := s.value[s.p.A(r)]; {
	case at != varying && in.Attr&ir.Atomic == 0:
		return costTogether
	case in.Attr&(ir.Atomic|ir.Writes) != 0:
		return costMaskLanes
	case size < 4:
		return costLanes
	}
	return costGather * size / 4
}

// singleCost is what a row costs one invocation.
func (s *shapes) singleCost(r ir.Row) int {
	if in := s.p.Op(r).Info(); in.Imm == ir.ImmObject && in.Attr&(ir.Reads|ir.Writes|ir.Atomic) != 0 {
		return costAccess
	}
	if op := s.p.Op(r); op == ir.OpRotl || op == ir.OpRotr {
		return costRotation
	}
	return costPure
}
