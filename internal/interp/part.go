package interp

import "github.com/govyre/vyre/ir"

// A part of a buffer, which the source slices and indexes, is an offset and a length in the program. An access to
// its element i names select(i < length, offset + i, an element that no buffer has). What the source wrote is i,
// so reports of an access out of bounds name i, and the length of the part.
//
// An access to element j of an array in record i likewise names select(…, i·n + j, an element that no buffer has), where
// n is the array's length. Reports name i and j, and the length that one of them exceeds.

// part is what the source wrote where an access names an element by a sum.
type part struct {
	index int32 // slot of i
	other int32 // of the length of a slice, or of j
	t, u  ir.Type
}

// partOf recognises such an access by the row of its index, and returns the rows of what the source wrote. n is how
// many elements of the object a record has, 1 if it is no array in records.
func partOf(p *ir.Program, index ir.Row, n int) (i, other ir.Row, ok bool) {
	if index == ir.NoRow || p.Op(index) != ir.OpSelect {
		return 0, 0, false
	}
	in, sum, far := p.A(index), p.B(index), p.C(index)
	if p.Op(sum) != ir.OpAdd || p.Op(far) != ir.OpConst || p.Const(far) != p.Type(far).Mask() {
		return 0, 0, false
	}
	if n > 1 {
		product := p.A(sum)
		if p.Op(product) != ir.OpMul || p.Op(p.B(product)) != ir.OpConst || p.Const(p.B(product)) != uint64(n) {
			return 0, 0, false
		}
		return unwidened(p, p.A(product)), unwidened(p, p.B(sum)), true
	}
	if p.Op(in) != ir.OpLt {
		return 0, 0, false
	}
	from := uncast(p, p.A(in))
	return unwidened(p, p.A(in)), p.B(in), uncast(p, p.A(sum)) == from || uncast(p, p.B(sum)) == from
}

// uncast returns the row that conversions between integers began with.
func uncast(p *ir.Program, r ir.Row) ir.Row {
	for (p.Op(r) == ir.OpCvt || p.Op(r) == ir.OpBitcast) && p.Type(r).IsInt() && p.Type(p.A(r)).IsInt() {
		r = p.A(r)
	}
	return r
}

// unwidened returns the row that conversions between integers began with that lose no bits: where the source itself
// makes an index narrower, the index is what that gives.
func unwidened(p *ir.Program, r ir.Row) ir.Row {
	for (p.Op(r) == ir.OpCvt || p.Op(r) == ir.OpBitcast) && p.Type(r).IsInt() && p.Type(p.A(r)).IsInt() && p.Type(r).Bits() >= p.Type(p.A(r)).Bits() {
		r = p.A(r)
	}
	return r
}

// outside sets in a report of an access out of bounds in a lane what the source wrote, and the length that this exceeds.
func (s *part) outside(x *worker, w *warp, lane int, in *instr, at *Place, n *uint64) {
	i := number(s.t, w.at(s.index)[lane])
	o := &x.k.objs[in.x]
	if run := int64(o.Count()); run > 1 {
		j := number(s.u, w.at(s.other)[lane])
		at.Path = o.PathInside(i, j)
		if i >= 0 && uint64(i) < *n {
			*n = uint64(run)
		}
		return
	}
	if length := w.at(s.other)[lane]; i < 0 || uint64(i) >= length {
		at.Index, *n = i, length
	}
}

// number reads the raw bits of an index.
func number(t ir.Type, bits uint64) int64 {
	if t == ir.I32 {
		return int64(int32(bits))
	}
	return int64(bits)
}
