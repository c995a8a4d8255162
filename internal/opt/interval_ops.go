package opt

import (
	"github.com/govyre/vyre/internal/interval"
	"github.com/govyre/vyre/ir"
)

// transfer makes out the interval of row r's value, by those of its operands. It knows the ops that
// indices and conditions are made of; of others it says what their type says.
func (w *work) transfer(r ir.Row, out *interval.Interval, of func(ir.Row) *interval.Interval) {
	if w.computes(r) {
		in := [3]*interval.Interval{&nothing, &nothing, &nothing}
		for i, v := range [3]ir.Row{w.A(r), w.B(r), w.C(r)} {
			if v != ir.NoRow {
				in[i] = of(v)
			}
		}
		w.arithmetic(r, out, in[0], in[1], in[2])
		return
	}
	n := interval.WidthOf(w.Type[r])
	if b, ok := w.bits(r); ok {
		out.Exact(n, b)
		return
	}
	switch w.Op[r] {
	case ir.OpLocal:
		out.Unsigned(n, 0, uint64(w.Workgroup[w.X[r]])-1)
		return
	case ir.OpLane:
		out.Unsigned(n, 0, min(w.groupSize(), 32)-1)
		return
	case ir.OpWarp:
		out.Unsigned(n, 0, (w.groupSize()-1)/32)
		return
	case ir.OpGroup:
		out.Unsigned(n, 0, maxGroups(w.X[r])-1)
		return
	case ir.OpGroups:
		out.Unsigned(n, 1, maxGroups(w.X[r])) // an empty grid has no invocation
		return
	case ir.OpGlobal:
		out.Unsigned(n, 0, min(maxGroups(w.X[r])*uint64(w.Workgroup[w.X[r]]), 1<<32)-1)
		return
	case ir.OpLen:
		if most := w.maxLen(w.X[r]); most != ir.RestLen {
			out.Unsigned(n, w.minLen(w.X[r]), most)
			return
		}
	case ir.OpLoad:
		if w.objs[w.X[r]].Table() {
			out.Set(&w.contents(w.X[r]).loads)
		} else {
			out.Element(n, w.objs[w.X[r]].Type())
		}
		return
	case ir.OpArg:
		if w.Region[r] == 0 {
			out.Element(n, w.scalar(w.X[r]))
			return
		}
	case ir.OpBarrierBcastWG, ir.OpBarrierBcastGrid:
		out.Set(of(w.A(r)))
		return
	}
	out.Full(n)
}

// nothing is what stands for the interval of what has none.
var nothing interval.Interval

// maxGroups is the largest group count along an axis that a launch may have.
func maxGroups(axis uint32) uint64 {
	if axis == 0 {
		return 1<<31 - 1
	}
	return 65535
}

// scalar is the type of the k-th scalar parameter.
func (w *work) scalar(k uint32) ir.Type {
	for i := range w.Params {
		if w.Params[i].IsBuffer() {
			continue
		}
		if k == 0 {
			return w.Params[i].Type
		}
		k--
	}
	panic("BUG: opt: no such scalar parameter")
}

// computes reports whether row r is a pure op of operands that have intervals.
func (w *work) computes(r ir.Row) bool {
	in := w.info(r)
	if in.Args == 0 || in.Attr&ir.Pure == 0 {
		return false
	}
	from := w.Type[w.A(r)]
	return from.IsInt() || from == ir.Bool || w.Op[r] == ir.OpSelect
}

// arithmetic is transfer for what computes. Those of its operands are none of what it writes.
func (w *work) arithmetic(r ir.Row, out, a, b, c *interval.Interval) {
	out.Apply(w.Op[r], w.Type[r], w.Type[w.A(r)], w.X[r], a, b, c)
}
