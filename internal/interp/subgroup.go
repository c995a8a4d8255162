package interp

import (
	"math"

	"github.com/govyre/vyre/ir"
)

// combineForm is the way a subgroup op combines lanes.
type combineForm uint8

const (
	reduceForm combineForm = iota
	scanForm
	scanExForm
)

// combined are the pure ops that reduce and scan apply, in the order of the opcodes.
var combined = [...]ir.Op{ir.OpAdd, ir.OpMul, ir.OpMin, ir.OpMax, ir.OpAnd, ir.OpOr, ir.OpXor}

// combining splits a reduce or scan into its form and the op between two lanes.
func combining(op ir.Op) (combineForm, ir.Op, bool) {
	for form, first := range [...]ir.Op{ir.OpReduceAdd, ir.OpScanAdd, ir.OpScanExAdd} {
		if op >= first && int(op-first) < len(combined) {
			return combineForm(form), combined[op-first], true
		}
	}
	return 0, 0, false
}

// identity is what an absent lane contributes: it changes no value that it meets.
func identity(op ir.Op, t ir.Type) uint64 {
	switch op {
	case ir.OpAdd:
		switch t {
		case ir.F32:
			return 1 << 31 // −0: adding +0 would change a sum of −0
		case ir.F64:
			return 1 << 63
		}
		return 0
	case ir.OpMul:
		switch t {
		case ir.F32:
			return uint64(math.Float32bits(1))
		case ir.F64:
			return math.Float64bits(1)
		}
		return 1
	case ir.OpMin, ir.OpMax:
		return extreme(op == ir.OpMax, t)
	case ir.OpAnd:
		return t.Mask()
	}
	return 0
}

// extreme is the least value of t, or the greatest; for floats NaN, which loses to all.
func extreme(least bool, t ir.Type) uint64 {
	top := uint64(1) << (t.Bits() - 1)
	switch {
	case t == ir.F32:
		return 0x7FC0_0000
	case t == ir.F64:
		return 0x7FF8_0000_0000_0000
	case t.IsSigned() && least:
		return top
	case t.IsSigned():
		return top - 1
	case least:
		return 0
	}
	return t.Mask()
}

// subgroup runs an op among the lanes of w. Control is uniform in the warp, so all
// lanes that exist take part. Operands are read before the result is written: they may
// share a slot.
func (x *worker) subgroup(w *warp, in *instr) {
	d := w.at(in.dst)
	if in.op == ir.OpElect {
		d.fill(0)
		d[0] = 1
		return
	}
	v := *w.at(in.a)
	if in.fn != nil {
		w.combine(in, &v)
		*d = v
		return
	}
	switch in.op {
	case ir.OpBallot, ir.OpAny, ir.OpAll:
		var votes uint32
		for l := range v {
			votes |= uint32(v[l]&1) << l
		}
		d.fill(outcome(in.op, votes&w.all, w.all))
	case ir.OpMatch:
		for l := range w.n {
			var same uint32
			for m := range w.n {
				if v[m] == v[l] {
					same |= 1 << m
				}
			}
			d[l] = uint64(same)
		}
	default:
		by := *w.at(in.b)
		for l := range w.n {
			d[l] = x.k.rules.shuffled(&v, source(in.op, uint64(l), by[l]), w.n)
		}
	}
}

// outcome is the result of a vote among the lanes all.
func outcome(op ir.Op, votes, all uint32) uint64 {
	switch {
	case op == ir.OpBallot:
		return uint64(votes)
	case op == ir.OpAny && votes != 0, op == ir.OpAll && votes == all:
		return 1
	}
	return 0
}

// source returns the lane that a shuffle reads, beyond 31 if there is none.
func source(op ir.Op, lane, by uint64) uint64 {
	switch op {
	case ir.OpShuffle:
		return by
	case ir.OpShuffleXor:
		return lane ^ by
	case ir.OpShuffleUp:
		return lane - by // wraps to a number that is no lane
	}
	return lane + by
}

// combine runs a reduce or scan over v in the tree order that defines its result.
func (w *warp) combine(in *instr, v *lanes) {
	form, op, _ := combining(in.op)
	none := identity(op, in.t.In)
	for l := w.n; l < 32; l++ {
		v[l] = none
	}
	if form == reduceForm {
		for d := 16; d > 0; d /= 2 {
			old := *v
			for l := range v {
				v[l] = in.fn(in.t, 0, old[l], old[l^d], 0)
			}
		}
		return
	}
	for d := 1; d < 32; d *= 2 {
		old := *v
		for l := d; l < 32; l++ {
			v[l] = in.fn(in.t, 0, old[l-d], old[l], 0)
		}
	}
	if form == scanExForm {
		copy(v[1:], v[:31])
		if v[0] = none; op == ir.OpAdd {
			v[0] = 0 // +0 also for floats
		}
	}
}
