package conform

import (
	"fmt"
	"math/bits"
	"math/rand/v2"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// groupFamilies are about what invocations of a group, a grid or a warp do together.
func groupFamilies() []Family {
	return []Family{
		fileFamily("bar-wg", "a group waits, and sees what all of it did"),
		fileFamily("bar-grid", "a grid waits, with all groups resident"),
		fileFamily("bar-vote", "a barrier's vote, sum or broadcast is the same for all"),
		withFiles("sub-vote", "votes among the lanes that exist", subgroupCases(ir.OpBallot, ir.OpAny, ir.OpAll, ir.OpElect, ir.OpMatch)),
		withFiles("sub-shuffle", "values of other lanes; zero from lanes that do not exist",
			subgroupCases(ir.OpShuffle, ir.OpShuffleXor, ir.OpShuffleUp, ir.OpShuffleDown)),
		withFiles("sub-reduce", "reductions go down by halves, which floats can tell", subgroupCases(span(ir.OpReduceAdd, ir.OpReduceXor)...)),
		withFiles("sub-scan", "prefixes go up by doubling, which floats can tell", subgroupCases(span(ir.OpScanAdd, ir.OpScanExXor)...)),
	}
}

// span lists the ops from one to another.
func span(from, to ir.Op) []ir.Op {
	var ops []ir.Op
	for op := from; op <= to; op++ {
		ops = append(ops, op)
	}
	return ops
}

// subgroupSizes are the group sizes at which warps are single, short, whole, whole and
// short, and many.
var subgroupSizes = []int{1, 31, 32, 33, 1024}

// subgroupCases runs each op on each of its types in groups of all sizes.
func subgroupCases(ops ...ir.Op) func() []Case {
	return func() []Case {
		var cases []Case
		for _, op := range ops {
			types := []ir.Type{ir.None}
			if info := op.Info(); info.Args > 0 {
				types = nil
				for _, t := range valueTypes {
					if info.In[0].Set.Has(t) {
						types = append(types, t)
					}
				}
			}
			for _, t := range types {
				for _, size := range subgroupSizes {
					cases = append(cases, subgroupCase(op, t, size))
				}
			}
		}
		return cases
	}
}

// subgroupCase is out[g] = op(x[g], lane[g]).
func subgroupCase(op ir.Op, t ir.Type, size int) Case {
	const groups = 3
	info := op.Info()
	b := build.New("subgroup", build.Workgroup(uint32(size)))
	var args []build.Value
	g := b.Global(0)
	c := Case{Name: fmt.Sprintf("%s.%s.%d", op, t, size), Launch: Launch{Grid: [3]uint32{groups, 1, 1}}}
	rng := rand.New(rand.NewPCG(uint64(op)<<16|uint64(t), uint64(size)))
	vals, lanes := make([]uint64, groups*size), make([]uint64, groups*size)
	for i := range vals {
		vals[i], lanes[i] = subgroupValue(rng, t), subgroupLane(rng)
	}
	if info.Args > 0 {
		args = append(args, b.Load(b.Buffer("x", t, ir.RO), g))
		c.Launch.Args = append(c.Launch.Args, Arg{Data: pack(t, vals...)})
		c.Want = append(c.Want, nil)
	}
	if info.Args > 1 {
		args = append(args, b.Load(b.Buffer("lane", ir.U32, ir.RO), g))
		c.Launch.Args = append(c.Launch.Args, Arg{Data: pack(ir.U32, lanes...)})
		c.Want = append(c.Want, nil)
	}
	v := b.Op(op, args...)
	out := b.Type(v)
	b.Store(b.Buffer("out", out, ir.WO), g, v)
	c.Program = must(b.Program())

	var want []byte
	for group := range groups {
		for first := 0; first < size; first += 32 {
			at, end := group*size+first, group*size+min(size, first+32)
			for _, bits := range warpModel(op, t, vals[at:end], lanes[at:end]) {
				want = out.AppendElem(want, bits)
			}
		}
	}
	c.Launch.Args = append(c.Launch.Args, Arg{Data: filled(len(want))})
	c.Want = append(c.Want, want)
	return c
}

// subgroupValue draws operands: few distinct ones, so that match finds some and any and
// all are not always the same, and floats whose sum depends on the order.
func subgroupValue(rng *rand.Rand, t ir.Type) uint64 {
	switch {
	case t == ir.None || t == ir.Bool:
		return min(1, rng.Uint64N(24))
	case rng.IntN(4) == 0:
		e := edges(t)
		return e[rng.IntN(len(e))]
	case rng.IntN(4) == 0:
		return 1
	}
	return nearOne(rng, t)
}

// subgroupLane draws lanes, masks and distances in and out of range.
func subgroupLane(rng *rand.Rand) uint64 {
	if rng.IntN(5) == 0 {
		return [...]uint64{31, 32, 33, 63, 64, 1 << 31, 1<<32 - 1, 1<<32 - 31}[rng.IntN(8)]
	}
	return rng.Uint64N(34)
}

// warpModel says what the lanes of a warp get; it has only those lanes that exist.
func warpModel(op ir.Op, t ir.Type, vals, lanes []uint64) []uint64 {
	k := uint64(len(vals))
	read := func(l uint64) uint64 {
		if l < k {
			return vals[l]
		}
		return 0
	}
	var ballot uint64
	for l, v := range vals {
		ballot |= v & 1 << l
	}
	out := make([]uint64, k)
	for i := range out {
		l := uint64(i)
		switch op {
		case ir.OpBallot:
			out[i] = ballot
		case ir.OpAny:
			out[i] = min(1, ballot)
		case ir.OpAll:
			out[i] = uint64(bits.OnesCount64(ballot)) / k
		case ir.OpElect:
			out[i] = 1 - min(1, l)
		case ir.OpMatch:
			for j, v := range vals {
				if v == vals[i] {
					out[i] |= 1 << j
				}
			}
		case ir.OpShuffle:
			out[i] = read(lanes[i])
		case ir.OpShuffleXor:
			out[i] = read(l ^ lanes[i])
		case ir.OpShuffleUp:
			if lanes[i] <= l {
				out[i] = vals[l-lanes[i]]
			}
		case ir.OpShuffleDown:
			out[i] = read(l + lanes[i])
		default:
			return collect(op, t, vals)
		}
	}
	return out
}

// basis are the ops that reductions and scans are made of, in their order.
var basis = [7]ir.Op{ir.OpAdd, ir.OpMul, ir.OpMin, ir.OpMax, ir.OpAnd, ir.OpOr, ir.OpXor}

// collect models reductions and scans, step by step as the language states them.
func collect(op ir.Op, t ir.Type, vals []uint64) []uint64 {
	step := func(op ir.Op, a, b uint64) uint64 { return exact.Eval(op, t, t, 0, a, b, 0) }
	switch {
	case op < ir.OpScanAdd:
		o := basis[op-ir.OpReduceAdd]
		var v [32]uint64
		for l := range v {
			v[l] = identity(o, t, true)
		}
		copy(v[:], vals)
		for d := 16; d > 0; d /= 2 {
			old := v
			for l := range v {
				v[l] = step(o, old[l], old[l^d])
			}
		}
		return v[:len(vals)]
	case op < ir.OpScanExAdd:
		o := basis[op-ir.OpScanAdd]
		v := append([]uint64(nil), vals...)
		for d := 1; d < 32; d *= 2 {
			old := append([]uint64(nil), v...)
			for l := d; l < len(v); l++ {
				v[l] = step(o, old[l-d], old[l])
			}
		}
		return v
	}
	incl := collect(op-ir.OpScanExAdd+ir.OpScanAdd, t, vals)
	return append([]uint64{identity(basis[op-ir.OpScanExAdd], t, false)}, incl[:len(incl)-1]...)
}

// identity is what lanes that do not exist contribute to a reduction, and what lane 0 gets from an
// exclusive scan; only float sums tell the two apart.
func identity(op ir.Op, t ir.Type, reduce bool) uint64 {
	top := uint64(1) << (t.Bits() - 1)
	switch op {
	case ir.OpAdd:
		if t.IsFloat() && reduce {
			return top
		}
	case ir.OpMul:
		if t.IsFloat() {
			return exact.Eval(ir.OpCvt, ir.U32, t, 0, 1, 0, 0)
		}
		return 1
	case ir.OpMin, ir.OpMax:
		switch {
		case t == ir.F32:
			return 0x7FC0_0000
		case t == ir.F64:
			return 0x7FF8 << 48
		case t.IsSigned() && op == ir.OpMin:
			return top - 1
		case t.IsSigned():
			return top
		case op == ir.OpMin:
			return t.Mask()
		}
	case ir.OpAnd:
		return t.Mask()
	}
	return 0
}
