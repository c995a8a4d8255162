package interp

import "github.com/govyre/vyre/ir"

// A part of a buffer, which the source slices and indexes, is an offset and a length in the program. An access to
// its element i names select(i < length, offset + i, an element that no buffer has). What the source wrote is i,
// so reports of an access out of bounds name i, and the length of the part.

// part is a slice as the source sees it, in an access to it.
type part struct {
	index, length int32 // slots
	t             ir.Type
}

// partOf recognises an access to a part of a buffer by the row of its index, and returns the rows of what
// the source wrote and of the length.
func partOf(p *ir.Program, index ir.Row) (i, length ir.Row, ok bool) {
	if index == ir.NoRow || p.Op(index) != ir.OpSelect {
		return 0, 0, false
	}
	in, sum, far := p.A(index), p.B(index), p.C(index)
	if p.Op(in) != ir.OpLt || p.Op(sum) != ir.OpAdd || p.Op(far) != ir.OpConst || p.Const(far) != p.Type(far).Mask() {
		return 0, 0, false
	}
	i = uncast(p, p.A(in))
	return i, p.B(in), uncast(p, p.A(sum)) == i || uncast(p, p.B(sum)) == i
}

// uncast returns the row that conversions between integers began with.
func uncast(p *ir.Program, r ir.Row) ir.Row {
	for (p.Op(r) == ir.OpCvt || p.Op(r) == ir.OpBitcast) && p.Type(r).IsInt() && p.Type(p.A(r)).IsInt() {
		r = p.A(r)
	}
	return r
}

// outside returns the index that the source wrote in a lane and the length of the part; false if i lies inside.
func (s *part) outside(w *warp, lane int) (i int64, length uint64, ok bool) {
	bits, length := w.at(s.index)[lane], w.at(s.length)[lane]
	i = int64(bits)
	if s.t == ir.I32 {
		i = int64(int32(bits))
	}
	return i, length, i < 0 || uint64(i) >= length
}
