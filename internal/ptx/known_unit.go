package ptx

import "github.com/govyre/vyre/ir"

// unitSteps is how far back from a product its operand is followed.
const unitSteps = 64

// findUnits finds the 64-bit products by constants that, with products before them, multiply by a number whose low word
// is 1 or −1: 2147483647 twice is 2⁶² − 2³² + 1. ptxas (11.8 and 13.0) gathers the factors, sees that the low word is not
// changed, and adds to the high word what is to be added without having multiplied it. Sums with constants between the
// products do not keep it from that, and a sum of a product and what it multiplies is a product as well.
func (s *selector) findUnits() {
	for r := range ir.Row(s.p.Rows()) {
		if !is64(s.p.Type(r)) {
			continue
		}
		if product := s.scaledBy(r); product != ir.NoRow && s.isUnit(r) {
			s.byHalves(product)
		}
	}
}

// scaledBy returns the product of which row r is a multiple of its operand: itself, or what it adds to that operand.
func (s *selector) scaledBy(r ir.Row) ir.Row {
	switch a, b := s.p.A(r), s.p.B(r); {
	case s.timesConstant(r):
		return r
	case s.p.Op(r) != ir.OpAdd && s.p.Op(r) != ir.OpSub:
	case s.timesConstant(a) && s.p.A(a) == b:
		return a
	case s.timesConstant(b) && s.p.A(b) == a:
		return b
	}
	return ir.NoRow
}

// isUnit reports whether r is, but for a constant, a value before it times a number whose low word is 1 or −1, by way of
// two products at least.
func (s *selector) isUnit(r ir.Row) bool {
	low := uint32(1)
	products := 0
	for range unitSteps {
		of, by := s.scale(r)
		if of == ir.NoRow {
			break
		}
		if by != 1 && by != ^uint32(0) {
			products++
		}
		low *= by
		if products > 1 && (low == 1 || low == ^uint32(0)) {
			return true
		}
		r = of
	}
	return false
}

// scale returns of which value row r is a multiple, but for a constant, and the low word of the factor; NoRow if of none.
func (s *selector) scale(r ir.Row) (of ir.Row, low uint32) {
	p, a, b := s.p, s.p.A(r), s.p.B(r)
	minus := ^uint32(0)
	product := s.scaledBy(r)
	switch op := p.Op(r); {
	case product == r:
		return a, uint32(factor(p, r))
	case product == ir.NoRow:
		switch {
		case op == ir.OpNeg, op == ir.OpNot:
			return a, minus
		case (op == ir.OpCvt || op == ir.OpBitcast) && is64(p.Type(a)):
			return a, 1
		case (op == ir.OpAdd || op == ir.OpSub) && p.Op(b) == ir.OpConst:
			return a, 1
		case op == ir.OpAdd && p.Op(a) == ir.OpConst:
			return b, 1
		case op == ir.OpSub && p.Op(a) == ir.OpConst:
			return b, minus
		}
		return ir.NoRow, 0
	}
	k := uint32(factor(p, product))
	switch {
	case p.Op(r) == ir.OpAdd:
		k++
	case product == a:
		k--
	default:
		k = 1 - k
	}
	return p.A(product), k
}
