package opt

import "github.com/govyre/vyre/ir"

// legalise resolves accesses at a constant index that no launch has: a load gives zero, a
// store does nothing, an atomic gives zero and does nothing. The author of such an access is told
// (VY206); one that folding found is only carried out.
func (w *work) legalise() {
	for it := w.rows(); it.step(); {
		if it.at == atRow {
			w.legal(it.row)
		}
	}
}

// legal resolves row r, if it is such an access, and reports whether it was.
func (w *work) legal(r ir.Row) bool {
	in := w.info(r)
	if in.Imm != ir.ImmObject || in.Args == 0 || !w.outside(r) {
		return false
	}
	switch {
	case in.Result.Kind == ir.ResultNone:
		w.remove(r)
	case w.Type[r].IsVector():
		zero := uint32(w.constant(w.Type[r].Elem(), 0))
		list := make([]uint32, w.Type[r].Lanes())
		for i := range list {
			list[i] = zero
		}
		w.become(r, ir.OpVec, 0)
		w.setList(r, list)
	default:
		w.replaceAlways(r, w.constant(w.Type[r], 0))
	}
	return true
}

// replaceAlways is replace for a value, such as a constant, that every level admits.
func (w *work) replaceAlways(old, v ir.Row) {
	if !w.replace(old, v) {
		panic("BUG: opt: a replacement varies where the value did not")
	}
}

// outside reports whether the constant index of access r names no element of any launch.
func (w *work) outside(r ir.Row) bool {
	i := w.A(r)
	bits, ok := w.bits(i)
	if !ok {
		return false
	}
	if t := w.Type[i]; t.IsSigned() && int64(bits<<(64-t.Bits())) < 0 {
		return true
	}
	n := w.maxLen(w.X[r])
	lanes := uint64(w.info(r).Vec.Lanes())
	return n != ir.RestLen && bits >= (n+lanes-1)/lanes
}

// maxLen is the largest number of elements that object o can have.
func (w *work) maxLen(o uint32) uint64 {
	if p := w.objs[o].Param; p != nil {
		return p.MaxLen
	}
	return w.objs[o].Array.Len
}

// minLen is the smallest.
func (w *work) minLen(o uint32) uint64 {
	if a := w.objs[o].Array; a != nil && a.Len != ir.RestLen {
		return a.Len
	}
	return 0
}
