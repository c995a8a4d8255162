package opt

import "github.com/govyre/vyre/ir"

// Costs of ops for equate: instructions of PTX first. Among equal numbers of them, those that wait less for each other
// or for a unit that few lanes share.
const (
	instruction  = 1 << 10
	constantCost = 1
)

// OpCost is the cost of an op with a result of type t, of an operand of type from.
func OpCost(op ir.Op, t, from ir.Type) uint64 {
	one := uint64(instruction)
	if from.Bits() == 64 {
		one += instruction / 64 // two machine instructions, of most ops
	}
	switch op {
	case ir.OpMul, ir.OpMulWide, ir.OpFma, ir.OpMulHi:
		one += instruction / 64
		if from.Bits() == 64 {
			one += instruction / 16
		}
	case ir.OpDiv, ir.OpRem:
		one *= 16
		if from.Bits() == 64 {
			one *= 4
		}
	case ir.OpSqrt:
		one *= 8
	case ir.OpAddSat, ir.OpSubSat, ir.OpMulSat, ir.OpAbsDiff, ir.OpMinp, ir.OpMaxp:
		one *= 3
	case ir.OpNot:
		if t == ir.Bool { // what uses a predicate negates it
			one = 0
		}
	case ir.OpCtz:
		one *= 2
	case ir.OpRotl, ir.OpRotr:
		if t.Bits() == 64 {
			one *= 3
		}
	case ir.OpCvt, ir.OpBitcast:
		if t.Bits() == from.Bits() && t.IsInt() && from.IsInt() {
			one = 1
		}
	}
	return one
}
