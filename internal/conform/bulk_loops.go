package conform

import (
	"math"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

// bulkKey names a loop: an op on operands of a type; of select, on the type it chooses among.
type bulkKey struct {
	op ir.Op
	in ir.Type
}

type bulkConversion struct {
	op       ir.Op
	from, to ir.Type
}

// bulkByTable is the loop of any op, through its evaluation function. wide says which of a, b and c have 64 bits.
func bulkByTable(op ir.Op, in, out ir.Type, imm uint32, wide [3]bool) bulkLoop {
	eval, t, widens := exact.Of(op), exact.Types{In: in, Out: out, Width: uint8(in.Bits())}, isWide(out)
	return func(dst, a, b, c *bulkValues) {
		for i := range bulkLanes {
			if widens {
				i = bulkLanes - 1 - i
			}
			dst.set(i, widens, eval(t, imm, a.get(i, wide[0]), b.get(i, wide[1]), c.get(i, wide[2])))
		}
	}
}

// oneNaN is f with one NaN for all, as evaluation functions have it.
func oneNaN(f float32) float32 {
	if f != f {
		return nanF32
	}
	return f
}

var nanF32 = math.Float32frombits(0x7FC0_0000)

// bitsF64 is the same for float64, as bits.
func bitsF64(f float64) uint64 {
	if f != f {
		return 0x7FF8_0000_0000_0000
	}
	return math.Float64bits(f)
}

func bulkBool(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// bulkLoops are the loops of the ops that recipes are made of. What is rare goes through the table. A result may take
// the slot of any operand: one that is wide goes from the last lane to the first, so that it comes after words, and
// one that is not the other way round.
var bulkLoops = map[bulkKey]bulkLoop{
	{ir.OpAdd, ir.F32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.f32(), a.f32(), b.f32()
		for i := range r {
			r[i] = oneNaN(x[i] + y[i])
		}
	},
	{ir.OpSub, ir.F32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.f32(), a.f32(), b.f32()
		for i := range r {
			r[i] = oneNaN(x[i] - y[i])
		}
	},
	{ir.OpMul, ir.F32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.f32(), a.f32(), b.f32()
		for i := range r {
			r[i] = oneNaN(x[i] * y[i])
		}
	},
	{ir.OpDiv, ir.F32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.f32(), a.f32(), b.f32()
		for i := range r {
			r[i] = oneNaN(x[i] / y[i])
		}
	},
	{ir.OpNeg, ir.F32}: func(d, a, _, _ *bulkValues) {
		r, x := d.u32(), a.u32()
		for i := range r {
			r[i] = x[i] ^ 1<<31
		}
	},
	{ir.OpAbs, ir.F32}: func(d, a, _, _ *bulkValues) {
		r, x := d.u32(), a.u32()
		for i := range r {
			r[i] = x[i] &^ (1 << 31)
		}
	},
	{ir.OpCopysign, ir.F32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.u32(), a.u32(), b.u32()
		for i := range r {
			r[i] = x[i]&^(1<<31) | y[i]&(1<<31)
		}
	},
	{ir.OpSqrt, ir.F32}: func(d, a, _, _ *bulkValues) {
		r, x := d.f32(), a.f32()
		for i := range r {
			r[i] = oneNaN(float32(math.Sqrt(float64(x[i]))))
		}
	},
	{ir.OpFloor, ir.F32}: func(d, a, _, _ *bulkValues) {
		r, x := d.f32(), a.f32()
		for i := range r {
			r[i] = oneNaN(float32(math.Floor(float64(x[i]))))
		}
	},
	{ir.OpCeil, ir.F32}: func(d, a, _, _ *bulkValues) {
		r, x := d.f32(), a.f32()
		for i := range r {
			r[i] = oneNaN(float32(math.Ceil(float64(x[i]))))
		}
	},
	{ir.OpTrunc, ir.F32}: func(d, a, _, _ *bulkValues) {
		r, x := d.f32(), a.f32()
		for i := range r {
			r[i] = oneNaN(float32(math.Trunc(float64(x[i]))))
		}
	},
	{ir.OpRint, ir.F32}: func(d, a, _, _ *bulkValues) {
		r, x := d.f32(), a.f32()
		for i := range r {
			r[i] = oneNaN(float32(math.RoundToEven(float64(x[i]))))
		}
	},
	{ir.OpEq, ir.F32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.u32(), a.f32(), b.f32()
		for i := range r {
			r[i] = bulkBool(x[i] == y[i])
		}
	},
	{ir.OpNe, ir.F32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.u32(), a.f32(), b.f32()
		for i := range r {
			r[i] = bulkBool(x[i] != y[i])
		}
	},
	{ir.OpLt, ir.F32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.u32(), a.f32(), b.f32()
		for i := range r {
			r[i] = bulkBool(x[i] < y[i])
		}
	},
	{ir.OpFma, ir.F32}: bulkFma,
	{ir.OpAdd, ir.U32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.u32(), a.u32(), b.u32()
		for i := range r {
			r[i] = x[i] + y[i]
		}
	},
	{ir.OpSub, ir.U32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.u32(), a.u32(), b.u32()
		for i := range r {
			r[i] = x[i] - y[i]
		}
	},
	{ir.OpMul, ir.U32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.u32(), a.u32(), b.u32()
		for i := range r {
			r[i] = x[i] * y[i]
		}
	},
	{ir.OpAnd, ir.U32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.u32(), a.u32(), b.u32()
		for i := range r {
			r[i] = x[i] & y[i]
		}
	},
	{ir.OpOr, ir.U32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.u32(), a.u32(), b.u32()
		for i := range r {
			r[i] = x[i] | y[i]
		}
	},
	{ir.OpXor, ir.U32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.u32(), a.u32(), b.u32()
		for i := range r {
			r[i] = x[i] ^ y[i]
		}
	},
	{ir.OpEq, ir.U32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.u32(), a.u32(), b.u32()
		for i := range r {
			r[i] = bulkBool(x[i] == y[i])
		}
	},
	{ir.OpNe, ir.U32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.u32(), a.u32(), b.u32()
		for i := range r {
			r[i] = bulkBool(x[i] != y[i])
		}
	},
	{ir.OpShl, ir.U32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.u32(), a.u32(), b.u32()
		for i := range r {
			r[i] = x[i] << y[i]
		}
	},
	{ir.OpAdd, ir.I32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.u32(), a.u32(), b.u32()
		for i := range r {
			r[i] = x[i] + y[i]
		}
	},
	{ir.OpSub, ir.I32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.u32(), a.u32(), b.u32()
		for i := range r {
			r[i] = x[i] - y[i]
		}
	},
	{ir.OpMul, ir.I32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.u32(), a.u32(), b.u32()
		for i := range r {
			r[i] = x[i] * y[i]
		}
	},
	{ir.OpAnd, ir.I32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.u32(), a.u32(), b.u32()
		for i := range r {
			r[i] = x[i] & y[i]
		}
	},
	{ir.OpOr, ir.I32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.u32(), a.u32(), b.u32()
		for i := range r {
			r[i] = x[i] | y[i]
		}
	},
	{ir.OpXor, ir.I32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.u32(), a.u32(), b.u32()
		for i := range r {
			r[i] = x[i] ^ y[i]
		}
	},
	{ir.OpEq, ir.I32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.u32(), a.u32(), b.u32()
		for i := range r {
			r[i] = bulkBool(x[i] == y[i])
		}
	},
	{ir.OpNe, ir.I32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.u32(), a.u32(), b.u32()
		for i := range r {
			r[i] = bulkBool(x[i] != y[i])
		}
	},
	{ir.OpShl, ir.I32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.u32(), a.u32(), b.u32()
		for i := range r {
			r[i] = x[i] << y[i]
		}
	},
	{ir.OpLt, ir.U32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.u32(), a.u32(), b.u32()
		for i := range r {
			r[i] = bulkBool(x[i] < y[i])
		}
	},
	{ir.OpLt, ir.I32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.u32(), a.i32(), b.i32()
		for i := range r {
			r[i] = bulkBool(x[i] < y[i])
		}
	},
	{ir.OpShr, ir.U32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.u32(), a.u32(), b.u32()
		for i := range r {
			r[i] = x[i] >> y[i]
		}
	},
	{ir.OpShr, ir.I32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.i32(), a.i32(), b.u32()
		for i := range r {
			r[i] = x[i] >> y[i]
		}
	},
	{ir.OpAdd, ir.U64}: func(d, a, b, _ *bulkValues) {
		for i := range d {
			d[i] = a[i] + b[i]
		}
	},
	{ir.OpSub, ir.U64}: func(d, a, b, _ *bulkValues) {
		for i := range d {
			d[i] = a[i] - b[i]
		}
	},
	{ir.OpMul, ir.U64}: func(d, a, b, _ *bulkValues) {
		for i := range d {
			d[i] = a[i] * b[i]
		}
	},
	{ir.OpAnd, ir.U64}: func(d, a, b, _ *bulkValues) {
		for i := range d {
			d[i] = a[i] & b[i]
		}
	},
	{ir.OpOr, ir.U64}: func(d, a, b, _ *bulkValues) {
		for i := range d {
			d[i] = a[i] | b[i]
		}
	},
	{ir.OpShl, ir.U64}: func(d, a, b, _ *bulkValues) {
		x := b.u32()
		for i := bulkLanes - 1; i >= 0; i-- {
			d[i] = a[i] << x[i]
		}
	},
	{ir.OpShr, ir.U64}: func(d, a, b, _ *bulkValues) {
		x := b.u32()
		for i := bulkLanes - 1; i >= 0; i-- {
			d[i] = a[i] >> x[i]
		}
	},
	{ir.OpMinp, ir.F32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.f32(), a.f32(), b.f32()
		for i := range r {
			r[i] = oneNaN(min(x[i], y[i]))
		}
	},
	{ir.OpMaxp, ir.F32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.f32(), a.f32(), b.f32()
		for i := range r {
			r[i] = oneNaN(max(x[i], y[i]))
		}
	},
	{ir.OpMin, ir.U32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.u32(), a.u32(), b.u32()
		for i := range r {
			r[i] = min(x[i], y[i])
		}
	},
	{ir.OpMin, ir.I32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.i32(), a.i32(), b.i32()
		for i := range r {
			r[i] = min(x[i], y[i])
		}
	},
	{ir.OpMax, ir.I32}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.i32(), a.i32(), b.i32()
		for i := range r {
			r[i] = max(x[i], y[i])
		}
	},
	{ir.OpSub, ir.F64}: func(d, a, b, _ *bulkValues) {
		for i := range d {
			d[i] = bitsF64(math.Float64frombits(a[i]) - math.Float64frombits(b[i]))
		}
	},
	{ir.OpMul, ir.F64}: func(d, a, b, _ *bulkValues) {
		for i := range d {
			d[i] = bitsF64(math.Float64frombits(a[i]) * math.Float64frombits(b[i]))
		}
	},
	{ir.OpAnd, ir.Bool}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.u32(), a.u32(), b.u32()
		for i := range r {
			r[i] = x[i] & y[i]
		}
	},
	{ir.OpOr, ir.Bool}: func(d, a, b, _ *bulkValues) {
		r, x, y := d.u32(), a.u32(), b.u32()
		for i := range r {
			r[i] = x[i] | y[i]
		}
	},
}

func init() {
	for _, t := range []ir.Type{ir.F32, ir.U32, ir.I32} {
		bulkLoops[bulkKey{ir.OpSelect, t}] = bulkSelect
	}
	bulkLoops[bulkKey{ir.OpSelect, ir.U64}] = bulkSelectWide
}

// bulkSelect chooses by lane, without a branch: which lanes choose what may have no pattern.
func bulkSelect(d, a, b, c *bulkValues) {
	r, x, y, z := d.u32(), a.u32(), b.u32(), c.u32()
	for i := range r {
		mask := -x[i] // all bits or none: a bool is 0 or 1
		r[i] = y[i]&mask | z[i]&^mask
	}
}

func bulkSelectWide(d, a, b, c *bulkValues) {
	x := a.u32()
	for i := bulkLanes - 1; i >= 0; i-- {
		mask := -uint64(x[i])
		d[i] = b[i]&mask | c[i]&^mask
	}
}

// bulkConversions are the loops of conversions and bit casts.
var bulkConversions = map[bulkConversion]bulkLoop{
	{ir.OpBitcast, ir.F32, ir.I32}: bulkCopy,
	{ir.OpBitcast, ir.F32, ir.U32}: bulkCopy,
	{ir.OpBitcast, ir.I32, ir.F32}: bulkCopy,
	{ir.OpBitcast, ir.U32, ir.F32}: bulkCopy,
	{ir.OpCvt, ir.I32, ir.F32}: func(d, a, _, _ *bulkValues) {
		r, x := d.f32(), a.i32()
		for i := range r {
			r[i] = float32(x[i])
		}
	},
	{ir.OpBitcast, ir.U64, ir.I64}: func(d, a, _, _ *bulkValues) { *d = *a },
	{ir.OpCvt, ir.I64, ir.F64}: func(d, a, _, _ *bulkValues) {
		for i := range d {
			d[i] = math.Float64bits(float64(int64(a[i])))
		}
	},
	{ir.OpCvt, ir.F32, ir.F64}: func(d, a, _, _ *bulkValues) {
		x := a.f32()
		for i := bulkLanes - 1; i >= 0; i-- {
			d[i] = bitsF64(float64(x[i]))
		}
	},
	{ir.OpCvt, ir.F64, ir.F32}: func(d, a, _, _ *bulkValues) {
		r := d.f32()
		for i := range r {
			r[i] = oneNaN(float32(math.Float64frombits(a[i])))
		}
	},
	{ir.OpCvt, ir.U32, ir.U64}: func(d, a, _, _ *bulkValues) {
		x := a.u32()
		for i := bulkLanes - 1; i >= 0; i-- {
			d[i] = uint64(x[i])
		}
	},
	{ir.OpCvt, ir.U64, ir.U32}: func(d, a, _, _ *bulkValues) {
		r := d.u32()
		for i := range r {
			r[i] = uint32(a[i])
		}
	},
}

func bulkCopy(d, a, _, _ *bulkValues) { *d.u32() = *a.u32() }

// bulkFma is a·b + c with one rounding. The product is exact in float64. Rounding the sum to float64 and then
// to float32 gives the wrong result only if the first comes to lie halfway between two float32
// without having been there; in most cases it does not come to lie there. A float32 below the normal ones has
// its halfway points elsewhere.
func bulkFma(d, a, b, c *bulkValues) {
	const (
		dropped = 1<<29 - 1 // the bits of a float64 that a float32 lacks
		halfway = 1 << 28
	)
	r, x, y, z := d.f32(), a.f32(), b.f32(), c.f32()
	for i := range r {
		s := float64(float64(x[i])*float64(y[i])) + float64(z[i])
		bits := math.Float64bits(s)
		exponent := bits << 1 >> 53
		switch {
		case bits&dropped != halfway && exponent-(1023-126) < 0x7FF-(1023-126):
			r[i] = float32(s) // from the least normal float32 on, no infinity and no NaN
			continue
		case exponent == 0x7FF || s == 0: // the sum of an exact product is zero only if it is exactly that
			r[i] = oneNaN(float32(s))
			continue
		}
		d.u32()[i] = uint32(exact.Eval(ir.OpFma, ir.F32, ir.F32, 0, a.get(i, false), b.get(i, false), c.get(i, false)))
	}
}
