package memcheck

import "github.com/govyre/vyre/ir"

// A part of a buffer, which the source slices and indexes, is an offset and a length in the program. An access to
// its element i names select(i < length, offset + i, an element that no buffer has). What the source wrote is i,
// so what is said of an access out of bounds names i, and the length of the part.
//
// An access to element j of an array in record i likewise names select(…, i·n + j, an element that no buffer has), where
// n is the array's length. Then i and j are named, and the length that one of them exceeds.

// PartOf recognises such an access by the row of its index, and returns the rows of what the source wrote: i, and the
// length of a part, or j. n is how many elements of the object a record has, 1 if it is no array in records.
func PartOf(p *ir.Program, index ir.Row, n int) (i, other ir.Row, ok bool) {
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
