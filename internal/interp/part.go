package interp

import "github.com/govyre/vyre/ir"

// part is what the source wrote where an access names an element by a sum: see memcheck.PartOf.
type part struct {
	index int32 // slot of i
	other int32 // of the length of a slice, or of j
	t, u  ir.Type
}

// outside sets in a report of an access out of bounds in a lane what the source wrote, and the length that this exceeds.
func (s *part) outside(x *worker, w *warp, lane int, in *instr, at *Place, n *uint64) {
	i := number(s.t, w.at(s.index)[lane])
	o := &x.k.objs[in.x]
	if run := int64(o.Count()); run > 1 {
		j := number(s.u, w.at(s.other)[lane])
		at.Path = o.PathInside(i, j)
		if at.Index = i; i >= 0 && uint64(i) < *n {
			at.Index, *n = j, uint64(run)
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
