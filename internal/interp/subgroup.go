package interp

import (
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

// subgroup runs an op among the lanes of w. Control is uniform in the warp, so all
// lanes that exist take part. Operands are read before the result is written: they may
// share a slot.
func (x *worker) subgroup(w *warp, in *instr) {
	switch {
	case in.op == ir.OpElect: // has no operand
		*w.at(in.dst) = exact.Vote(in.op, nil, w.n)
	case in.fn != nil:
		v := *w.at(in.a)
		exact.Combine(in.op, in.t.In, in.fn, &v, w.n)
		*w.at(in.dst) = v
	case in.b == noSlot:
		*w.at(in.dst) = exact.Vote(in.op, w.at(in.a), w.n)
	default:
		*w.at(in.dst) = exact.Shuffle(in.op, w.at(in.a), w.at(in.b), w.n, x.k.rules.shuffled)
	}
}
