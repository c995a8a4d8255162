package opt

import (
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

// accurate puts the op that an approximate one stands for in its place:
//
//	%t = fast_tanh.f32 %x   =>   %t = tanh.f32 %x
//
// The interpreter gives both the same bits. A device without approximate instructions has those bits, too, and one that
// has some gets them where a choice names the pass. O(rows).
func accurate(w *work) {
	for it := w.rows(); it.step(); {
		r := it.row
		if it.at != atRow {
			continue
		}
		to, ok := exact.AccurateOf(w.Op[r])
		if !ok {
			continue
		}
		args := []ir.Row{w.A(r), w.B(r)}
		if w.Op[r] == ir.OpFastRcp {
			args = []ir.Row{w.constant(w.Type[r], exact.Identity(ir.OpMul, w.Type[r])), w.A(r)}
		}
		v := w.before(r, to, w.Type[r], 0, args...)
		w.hit(w.info(r).Name)
		w.replaceAlways(r, v)
	}
}
