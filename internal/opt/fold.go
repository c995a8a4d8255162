package opt

import (
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

// fold computes pure ops of constants, through the very function that the interpreter
// runs, elements of tables at constant indices, and values that the workgroup's size decides. One sweep: operands come first.
func fold(w *work) {
	for it := w.rows(); it.step(); {
		if it.at == atRow && !w.legal(it.row) {
			w.fold(it.row)
		}
	}
}

// fold replaces row r by a constant if it is one, and reports whether it did.
func (w *work) fold(r ir.Row) bool {
	in := w.info(r)
	if in.Attr&ir.Pure == 0 && w.Op[r] != ir.OpLoad || in.Attr&ir.Convergent != 0 {
		return false
	}
	if in.Args > 0 {
		if _, ok := w.bits(w.A(r)); !ok {
			return false // as nearly always
		}
	}
	var bits uint64
	switch {
	case exact.Of(w.Op[r]) != nil:
		if !w.must(checkApproximate, in.Attr&ir.Approximate == 0) {
			return false
		}
		var arg [3]uint64
		for i, v := range [3]ir.Row{w.A(r), w.B(r), w.C(r)} {
			if i >= in.Args {
				break
			}
			b, ok := w.bits(v)
			if !ok {
				return false
			}
			arg[i] = b
		}
		bits = w.eval(r, arg)
	case w.Op[r] == ir.OpLocal && w.Workgroup[w.X[r]] == 1:
	case w.Op[r] == ir.OpWarp && w.groupSize() <= 32:
	case w.Op[r] == ir.OpLane && w.groupSize() == 1:
	case w.Op[r] == ir.OpLen && w.minLen(w.X[r]) > 0:
		bits = w.minLen(w.X[r])
	case w.Op[r] == ir.OpLoad && w.objs[w.X[r]].Table():
		i, ok := w.bits(w.A(r))
		if !ok {
			return false
		}
		bits = w.objs[w.X[r]].Array.Loaded(i)
	default:
		return false
	}
	w.replaceAlways(r, w.constant(w.Type[r], bits))
	w.hit(in.Name)
	return true
}

// eval computes row r, of an op with a function, for operands with these bits.
func (w *work) eval(r ir.Row, arg [3]uint64) uint64 {
	t := ir.None
	if k := w.info(r).Typed; k > 0 {
		t = w.Type[[3]ir.Row{w.A(r), w.B(r), w.C(r)}[k-1]]
	}
	return exact.Eval(w.Op[r], t, w.Type[r], w.X[r], arg[0], arg[1], arg[2])
}

// groupSize is the number of invocations of a workgroup.
func (w *work) groupSize() uint64 {
	return uint64(w.Workgroup[0]) * uint64(w.Workgroup[1]) * uint64(w.Workgroup[2])
}
