package exact

import (
	"math"

	"github.com/govyre/vyre/ir"
)

// Lanes holds one value of a warp: the raw bits of every lane, zero-extended.
type Lanes [32]uint64

// combined are the pure ops that reduce and scan apply, in the order of the opcodes.
var combined = [...]ir.Op{ir.OpAdd, ir.OpMul, ir.OpMin, ir.OpMax, ir.OpAnd, ir.OpOr, ir.OpXor}

// combining splits a reduce or scan into the first opcode of its form and the op between two lanes.
func combining(op ir.Op) (form, with ir.Op, ok bool) {
	for _, first := range [...]ir.Op{ir.OpReduceAdd, ir.OpScanAdd, ir.OpScanExAdd} {
		if op >= first && int(op-first) < len(combined) {
			return first, combined[op-first], true
		}
	}
	return 0, 0, false
}

// Combining returns the op between two lanes that a reduce or scan applies; false if op is neither.
func Combining(op ir.Op) (ir.Op, bool) {
	_, with, ok := combining(op)
	return with, ok
}

// Combine runs the reduce or scan op over the first n lanes of v, in the tree order that defines its result. fn is the
// evaluation of Combining(op), on values of type t.
func Combine(op ir.Op, t ir.Type, fn Func, v *Lanes, n int) {
	form, with, _ := combining(op)
	types := Types{In: t, Out: t, Width: uint8(t.Bits())}
	none := Identity(with, t)
	for l := n; l < len(v); l++ {
		v[l] = none
	}
	if form == ir.OpReduceAdd {
		for d := len(v) / 2; d > 0; d /= 2 {
			old := *v
			for l := range v {
				v[l] = fn(types, 0, old[l], old[l^d], 0)
			}
		}
		return
	}
	for d := 1; d < len(v); d *= 2 {
		old := *v
		for l := d; l < len(v); l++ {
			v[l] = fn(types, 0, old[l-d], old[l], 0)
		}
	}
	if form == ir.OpScanExAdd {
		copy(v[1:], v[:len(v)-1])
		if v[0] = none; with == ir.OpAdd {
			v[0] = 0 // +0 also for floats
		}
	}
}

// Identity is what a lane that does not exist contributes to what op combines: it changes no value that it meets.
func Identity(op ir.Op, t ir.Type) uint64 {
	switch op {
	case ir.OpAdd:
		switch t {
		case ir.F32:
			return 1 << 31 // −0: adding +0 would change a sum of −0
		case ir.F64:
			return 1 << 63
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

// Vote computes elect, ballot, any, all and match among the first n lanes of v.
func Vote(op ir.Op, v *Lanes, n int) (d Lanes) {
	switch op {
	case ir.OpElect:
		d[0] = 1
	case ir.OpMatch:
		for l := range n {
			for m := range n {
				if v[m] == v[l] {
					d[l] |= 1 << m
				}
			}
		}
	default:
		var votes uint64
		for l := range n {
			votes |= v[l] & 1 << l
		}
		for l := range d {
			d[l] = outcome(op, votes, 1<<n-1)
		}
	}
	return d
}

// outcome is the result of a vote among the lanes all.
func outcome(op ir.Op, votes, all uint64) uint64 {
	switch {
	case op == ir.OpBallot:
		return votes
	case op == ir.OpAny && votes != 0, op == ir.OpAll && votes == all:
		return 1
	}
	return 0
}

// Shuffle computes a shuffle among the first n lanes of v: read returns what a lane gets of a lane, as ReadLane does.
func Shuffle(op ir.Op, v, by *Lanes, n int, read func(v *Lanes, from uint64, n int) uint64) (d Lanes) {
	for l := range n {
		lane := uint64(l)
		from := lane + by[l]
		switch op {
		case ir.OpShuffle:
			from = by[l]
		case ir.OpShuffleXor:
			from = lane ^ by[l]
		case ir.OpShuffleUp:
			from = lane - by[l] // wraps to a number that is no lane
		}
		d[l] = read(v, from, n)
	}
	return d
}

// ReadLane is the value of a lane, 0 of one that does not exist.
func ReadLane(v *Lanes, from uint64, n int) uint64 {
	if from < uint64(n) {
		return v[from]
	}
	return 0
}
