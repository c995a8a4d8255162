package opt

import "github.com/govyre/vyre/ir"

// A value of 64 bits whose upper half nothing looks at is computed in 32 bits, however many uses it has: the low half of a sum,
// difference, product, bitwise op, choice or shift to the left depends on the low halves of its operands alone. This is the
// analysis of demanded bits with two parts of a value in place of its bits (Budiu and others, BitValue inference, Euro-Par 2000).
//
// halves replaces such values. It comes after the rows, since these take away much of what looks at an upper half, and needs no
// ranges. O(rows + operands).
func (n *narrowing) halves() {
	w := n.w
	upper := n.upper()
	if upper == nil {
		return
	}
	for it := w.rows(); it.step(); {
		r := it.row
		switch {
		case it.at != atRow || int(r) >= len(upper) || w.uses[r] == 0:
		case !wide(w.Type[r]):
			n.lowOf(r)
		case n.halfed(r) && w.must(checkUpper, !upper[r]):
			n.halve(r)
		}
	}
}

// upper says of each value of 64 bits whether anything looks at its upper half; it is nil if something does of all.
func (n *narrowing) upper() []bool {
	w := n.w
	upper, queue, low := lend(&w.scratch.live, w.Rows()), w.scratch.queue[:0], 0
	look := func(v ir.Row) {
		if !upper[v] && wide(w.Type[v]) {
			upper[v] = true
			queue = append(queue, v)
		}
	}
	for r, gone := range w.gone { // in any order
		switch {
		case gone:
		case n.halfed(ir.Row(r)):
			low++
		case !n.truncates(ir.Row(r)):
			w.each(ir.Row(r), look)
		}
	}
	for len(queue) > 0 {
		r := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if n.halfed(r) {
			low--
			w.each(r, look)
		}
	}
	w.scratch.queue = queue
	if low == 0 {
		return nil
	}
	return upper
}

// truncates reports whether row r keeps of an integer no more than the low half.
func (n *narrowing) truncates(r ir.Row) bool {
	return n.w.Op[r] == ir.OpCvt && n.w.Type[r].IsInt() && !wide(n.w.Type[r])
}

// halfed reports whether the low half of row r, which has 64 bits, depends on those of its operands alone.
func (n *narrowing) halfed(r ir.Row) bool {
	w := n.w
	if !wide(w.Type[r]) {
		return false
	}
	switch w.Op[r] {
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpNot, ir.OpNeg, ir.OpSelect:
		return true
	case ir.OpShl:
		_, ok := w.bits(w.B(r))
		return ok
	case ir.OpCvt:
		return wide(w.Type[w.A(r)])
	}
	return false
}

// halve makes row r the zero extension of its low half.
func (n *narrowing) halve(r ir.Row) {
	w := n.w
	var v ir.Row
	switch op, a := w.Op[r], w.A(r); op {
	case ir.OpCvt:
		v = n.half(a, r)
	case ir.OpNot, ir.OpNeg:
		v = w.before(r, op, ir.U32, 0, n.half(a, r))
	case ir.OpShl:
		v = w.before(r, op, ir.U32, 0, n.half(a, r), w.B(r))
	case ir.OpSelect:
		v = w.before(r, op, ir.U32, 0, a, n.half(w.B(r), r), n.half(w.C(r), r))
	default:
		v = w.before(r, op, ir.U32, 0, n.half(a, r), n.half(w.B(r), r))
	}
	w.become(r, ir.OpCvt, 0, v)
	w.hit("half")
}

// half is the low half of v, by a row in front of row at.
func (n *narrowing) half(v, at ir.Row) ir.Row {
	w := n.w
	if b, ok := w.bits(v); ok {
		return w.constant(ir.U32, b)
	}
	if a := w.A(v); w.Op[v] == ir.OpCvt && (w.Type[a].IsInt() && !wide(w.Type[a]) || w.Type[a] == ir.Bool) {
		if v = a; w.Type[v] == ir.U32 {
			return v
		}
	}
	return w.before(at, ir.OpCvt, ir.U32, 0, v)
}

// lowOf takes the low half of what row r truncates, where that is at hand.
func (n *narrowing) lowOf(r ir.Row) {
	w := n.w
	if v := w.A(r); n.truncates(r) && wide(w.Type[v]) && w.Op[v] == ir.OpCvt && w.Type[w.A(v)] == ir.U32 {
		n.reinterpret(r, w.A(v), w.Type[r])
	}
}
