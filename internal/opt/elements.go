package opt

import "github.com/govyre/vyre/ir"

// kept returns what a load gives after a store of v to an element of that type, by rows in front of row
// at: a narrow element keeps the low bits, and a load extends them.
func (w *work) kept(elem ir.Type, v, at ir.Row) ir.Row {
	t := elem.Value()
	if w.must(checkElement, t == elem) {
		return v
	}
	if b, ok := w.bits(v); ok {
		if shift := t.Bits() - elem.Bits(); elem.IsSigned() {
			return w.constant(t, uint64(int32(b<<shift)>>shift))
		}
		return w.constant(t, b&elem.Mask())
	}
	if elem.IsSigned() {
		return w.before(at, ir.OpBfe, t, uint32(elem.Bits())<<8, v)
	}
	return w.before(at, ir.OpAnd, t, 0, v, w.constant(t, elem.Mask()))
}

// apart reports whether the indices i and j are certainly two numbers: constants, or constants more than one
// value. What wraps is another number all the same.
func (w *work) apart(i, j ir.Row) bool {
	if w.Type[i] != w.Type[j] {
		return false
	}
	a, x := w.offset(i)
	b, y := w.offset(j)
	return a == b && x != y
}

// offset writes an integer as a value and a constant more. The value of a constant is NoRow.
func (w *work) offset(i ir.Row) (base ir.Row, more uint64) {
	if b, ok := w.bits(i); ok {
		return ir.NoRow, b
	}
	if w.Op[i] == ir.OpAdd {
		if b, ok := w.bits(w.B(i)); ok {
			return w.A(i), b
		}
	}
	return i, 0
}

// inside is the condition that index i names an element of object o, which has one for each unit of its length, by
// rows in front of row at. Read without its sign, a negative index is larger than any length that bit 31 does not count in.
func (w *work) inside(i ir.Row, o uint32, at ir.Row) ir.Row {
	obj := w.objs[o]
	from, to := w.Type[i], ir.U32
	short := !from.IsSigned() || obj.Array != nil || w.must(checkIndexSign, w.maxLen(o) <= 1<<31)
	if from.Size() == 8 || obj.LenType() == ir.U64 || !short {
		to = ir.U64
	}
	as := func(v ir.Row) ir.Row {
		if w.Type[v] == to {
			return v
		}
		if b, ok := w.bits(v); ok && !w.Type[v].IsSigned() {
			return w.constant(to, b)
		}
		return w.before(at, ir.OpCvt, to, 0, v)
	}
	n := w.constant(ir.U32, w.minLen(o))
	if obj.Array == nil || obj.Array.Len == ir.RestLen {
		n = w.before(at, ir.OpLen, obj.LenType(), uint32(obj.First))
	}
	return w.before(at, ir.OpLt, ir.Bool, 0, as(i), as(n))
}

// ordered reports whether row r orders memory accesses of this invocation and others: a barrier,
// a fence, an atomic that is not relaxed.
func (w *work) ordered(r ir.Row) bool {
	in := w.info(r)
	return in.Attr&(ir.Barrier|ir.Fence) != 0 || in.Attr&ir.Atomic != 0 && w.Flags[r].Order() != ir.Relaxed
}

// copies reports whether row r is an asynchronous copy, or ends a batch of these, or waits for some.
func (w *work) copies(r ir.Row) bool {
	op := w.Op[r]
	return op >= ir.OpCopyAsync4 && op <= ir.OpCopyWait
}

// plainStore reports whether row r is a store, of one element or of a vector.
func (w *work) plainStore(r ir.Row) bool {
	in := w.info(r)
	return in.Imm == ir.ImmObject && in.Attr&(ir.Writes|ir.Atomic) == ir.Writes
}
