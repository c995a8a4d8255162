package native

import (
	"math"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

// warpVectors is how many vectors a whole warp has.
const warpVectors = 32 / lanes

// wakeWarps computes what warps do together whose vectors have all come there.
func (w *worker) wakeWarps() bool {
	n := w.l.k.f.layout.vectors
	woke := false
	for first := 0; first < n; first += warpVectors {
		end := min(first+warpVectors, n)
		all := true
		for i := first; i < end; i++ {
			all = all && *w.vector(i).status() == atWarp
		}
		if !all {
			continue
		}
		if op := w.l.k.p.Op(w.vector(first).row()); op != ir.OpBarrierWarp {
			w.warp(first, end)
		}
		for i := first; i < end; i++ {
			*w.vector(i).status() = running
		}
		woke = true
	}
	return woke
}

// warp computes a subgroup op for the vectors from first to before end.
func (w *worker) warp(first, end int) {
	p := w.l.k.p
	r := w.vector(first).row()
	op, out := p.Op(r), p.Type(r)
	n := min(p.GroupSize()-first*lanes, 32) // lanes that exist
	var x, by, d [32]uint64
	if a := p.A(r); a != ir.NoRow {
		for l := range n {
			x[l] = w.vector(first+l/lanes).get(p.Type(a), 0, l%lanes)
			if b := p.B(r); b != ir.NoRow {
				by[l] = w.vector(first+l/lanes).get(p.Type(b), 1, l%lanes)
			}
		}
	}
	if form, with, ok := combining(op); ok {
		combine(form, with, p.Type(p.A(r)), &x, n)
		d = x
	} else {
		exchange(op, &x, &by, &d, n)
	}
	for l := range (end - first) * lanes {
		w.vector(first+l/lanes).set(out, l%lanes, d[l])
	}
}

// exchange computes the ops that do not combine values.
func exchange(op ir.Op, x, by, d *[32]uint64, n int) {
	var voted uint32
	for l := range n {
		voted |= uint32(x[l]&1) << l
	}
	all := uint32(uint64(1)<<n - 1)
	for l := range d {
		switch op {
		case ir.OpElect:
			d[0] = 1
		case ir.OpBallot:
			d[l] = uint64(voted)
		case ir.OpAny:
			d[l] = truth(voted != 0)
		case ir.OpAll:
			d[l] = truth(voted == all)
		case ir.OpMatch:
			for m := range n {
				if x[m] == x[l] {
					d[l] |= 1 << m
				}
			}
		default:
			if from := sourceOf(op, uint64(l), by[l]); from < uint64(n) {
				d[l] = x[from]
			}
		}
	}
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// sourceOf is the lane that a shuffle reads, beyond 31 if there is none.
func sourceOf(op ir.Op, lane, by uint64) uint64 {
	switch op {
	case ir.OpShuffle:
		return by
	case ir.OpShuffleXor:
		return lane ^ by
	case ir.OpShuffleUp:
		return lane - by // wraps to what is no lane
	}
	return lane + by
}

// combined are the pure ops of reduce and scan, in the order of the opcodes.
var combined = [...]ir.Op{ir.OpAdd, ir.OpMul, ir.OpMin, ir.OpMax, ir.OpAnd, ir.OpOr, ir.OpXor}

// combining splits a reduce or scan into its first opcode and the op between two lanes.
func combining(op ir.Op) (form, with ir.Op, ok bool) {
	for _, first := range [...]ir.Op{ir.OpReduceAdd, ir.OpScanAdd, ir.OpScanExAdd} {
		if op >= first && int(op-first) < len(combined) {
			return first, combined[op-first], true
		}
	}
	return 0, 0, false
}

// combine runs a reduce or scan in the tree order that defines its result. Lanes from n on bring the identity.
func combine(form, op ir.Op, t ir.Type, v *[32]uint64, n int) {
	none := identity(op, t)
	for l := n; l < 32; l++ {
		v[l] = none
	}
	if form == ir.OpReduceAdd {
		for d := 16; d > 0; d /= 2 {
			old := *v
			for l := range v {
				v[l] = exact.Eval(op, t, t, 0, old[l], old[l^d], 0)
			}
		}
		return
	}
	for d := 1; d < 32; d *= 2 {
		old := *v
		for l := d; l < 32; l++ {
			v[l] = exact.Eval(op, t, t, 0, old[l-d], old[l], 0)
		}
	}
	if form == ir.OpScanExAdd {
		copy(v[1:], v[:31])
		if v[0] = none; op == ir.OpAdd {
			v[0] = 0 // +0 also for floats
		}
	}
}

// identity is what a lane contributes that does not exist.
func identity(op ir.Op, t ir.Type) uint64 {
	top := uint64(1) << (t.Bits() - 1)
	switch op {
	case ir.OpAdd:
		if t.IsFloat() {
			return top // −0
		}
	case ir.OpMul:
		switch t {
		case ir.F32:
			return uint64(math.Float32bits(1))
		case ir.F64:
			return math.Float64bits(1)
		}
		return 1
	case ir.OpMin, ir.OpMax:
		most := op == ir.OpMin // what loses against everything
		switch {
		case t == ir.F32:
			return 0x7FC0_0000
		case t == ir.F64:
			return 0x7FF8_0000_0000_0000
		case t.IsSigned() && most:
			return top - 1
		case t.IsSigned():
			return top
		case most:
			return t.Mask()
		}
	case ir.OpAnd:
		return t.Mask()
	}
	return 0
}
