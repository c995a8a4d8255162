package opt

import "github.com/govyre/vyre/ir"

// clamp makes loads of local arrays that may be out of bounds load from an element in any case, and choose zero after:
//
//	%v = load @stack[%i]   =>   %near = min.u32 %i, 31_u32
//	                            %some = load @stack[%near] !inb
//	                            %in = lt.u32 %i, 32_u32
//	                            %v = select.u32 %in, %some, 0_u32
//
// The load then waits for its index only and not for the comparison. Local arrays that have elements have a first one, and
// no memory is slow to come there that a guard would have spared. What is loaded in vain is not looked at, so it may
// be undefined. An index with a sign is read without it: a negative one is then the largest. O(rows).
func clamp(w *work) {
	if !w.locals() {
		return
	}
	for it := w.rows(); it.step(); {
		r := it.row
		if it.at != atRow || w.Op[r] != ir.OpLoad || w.Flags[r].InBounds() || !w.objs[w.X[r]].Local() || w.minLen(w.X[r]) == 0 {
			continue
		}
		if _, constant := w.bits(w.A(r)); constant {
			continue
		}
		w.clampLoad(r)
	}
}

// clampLoad rewrites load r.
func (w *work) clampLoad(r ir.Row) {
	o, i := w.X[r], w.A(r)
	to := ir.U32
	if w.Type[i].Size() == 8 {
		to = ir.U64
	}
	in := w.inside(i, o, r)
	if w.Type[i] != to {
		i = w.before(r, ir.OpCvt, to, 0, i)
	}
	near := w.before(r, ir.OpMin, to, 0, i, w.constant(to, w.minLen(o)-1))
	if to == ir.U64 {
		near = w.before(r, ir.OpCvt, ir.U32, 0, near)
	}
	some := w.make(r, ir.OpLoad, w.Type[r], o, near, ir.NoRow, ir.NoRow)
	w.Flags[some], w.level[some] = w.Flags[r]|ir.InBounds, w.level[r]
	w.link(some, r)
	value := some
	if !w.must(checkClamped, false) {
		value = w.before(r, ir.OpSelect, w.Type[r], 0, in, some, w.constant(w.Type[r], 0))
	}
	w.replaceAlways(r, value)
	w.hit("clamp")
}
