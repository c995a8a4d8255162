package conform

import (
	"math"

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

// bulkByTable is the loop of any op, through its evaluation function.
func bulkByTable(op ir.Op, in, out ir.Type, imm uint32) bulkLoop {
	eval, t := op.Info().Eval, ir.EvalType{In: in, Out: out, Width: uint8(in.Bits())}
	return func(dst, a, b, c *bulkValues) {
		for i := range dst {
			dst[i] = eval(t, imm, a[i], b[i], c[i])
		}
	}
}

// bulkF32 is the f32 with the low bits of v, and bulkBits the other way round, with one NaN for all,
// as evaluation functions have it.
func bulkF32(v uint64) float32 { return math.Float32frombits(uint32(v)) }

func bulkBits(f float32) uint64 {
	if f != f {
		return 0x7FC0_0000
	}
	return uint64(math.Float32bits(f))
}

func bulkBool(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// bulkLoops are the loops of the ops that recipes are made of. What is rare goes through the table.
var bulkLoops = map[bulkKey]bulkLoop{
	{ir.OpAdd, ir.F32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = bulkBits(bulkF32(a[i]) + bulkF32(b[i]))
		}
	},
	{ir.OpSub, ir.F32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = bulkBits(bulkF32(a[i]) - bulkF32(b[i]))
		}
	},
	{ir.OpMul, ir.F32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = bulkBits(bulkF32(a[i]) * bulkF32(b[i]))
		}
	},
	{ir.OpDiv, ir.F32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = bulkBits(bulkF32(a[i]) / bulkF32(b[i]))
		}
	},
	{ir.OpNeg, ir.F32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = a[i] ^ 1<<31
		}
	},
	{ir.OpAbs, ir.F32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = a[i] &^ (1 << 31)
		}
	},
	{ir.OpCopysign, ir.F32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = a[i]&^(1<<31) | b[i]&(1<<31)
		}
	},
	{ir.OpSqrt, ir.F32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = bulkBits(float32(math.Sqrt(float64(bulkF32(a[i])))))
		}
	},
	{ir.OpFloor, ir.F32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = bulkBits(float32(math.Floor(float64(bulkF32(a[i])))))
		}
	},
	{ir.OpCeil, ir.F32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = bulkBits(float32(math.Ceil(float64(bulkF32(a[i])))))
		}
	},
	{ir.OpTrunc, ir.F32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = bulkBits(float32(math.Trunc(float64(bulkF32(a[i])))))
		}
	},
	{ir.OpRint, ir.F32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = bulkBits(float32(math.RoundToEven(float64(bulkF32(a[i])))))
		}
	},
	{ir.OpEq, ir.F32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = bulkBool(bulkF32(a[i]) == bulkF32(b[i]))
		}
	},
	{ir.OpNe, ir.F32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = bulkBool(bulkF32(a[i]) != bulkF32(b[i]))
		}
	},
	{ir.OpLt, ir.F32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = bulkBool(bulkF32(a[i]) < bulkF32(b[i]))
		}
	},
	{ir.OpFma, ir.F32}: bulkFma,
	{ir.OpAdd, ir.U32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = uint64(uint32(a[i] + b[i]))
		}
	},
	{ir.OpSub, ir.U32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = uint64(uint32(a[i] - b[i]))
		}
	},
	{ir.OpMul, ir.U32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = uint64(uint32(a[i] * b[i]))
		}
	},
	{ir.OpAnd, ir.U32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = a[i] & b[i]
		}
	},
	{ir.OpOr, ir.U32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = a[i] | b[i]
		}
	},
	{ir.OpXor, ir.U32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = a[i] ^ b[i]
		}
	},
	{ir.OpEq, ir.U32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = bulkBool(a[i] == b[i])
		}
	},
	{ir.OpNe, ir.U32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = bulkBool(a[i] != b[i])
		}
	},
	{ir.OpShl, ir.U32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = uint64(uint32(a[i] << b[i]))
		}
	},
	{ir.OpAdd, ir.I32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = uint64(uint32(a[i] + b[i]))
		}
	},
	{ir.OpSub, ir.I32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = uint64(uint32(a[i] - b[i]))
		}
	},
	{ir.OpMul, ir.I32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = uint64(uint32(a[i] * b[i]))
		}
	},
	{ir.OpAnd, ir.I32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = a[i] & b[i]
		}
	},
	{ir.OpOr, ir.I32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = a[i] | b[i]
		}
	},
	{ir.OpXor, ir.I32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = a[i] ^ b[i]
		}
	},
	{ir.OpEq, ir.I32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = bulkBool(a[i] == b[i])
		}
	},
	{ir.OpNe, ir.I32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = bulkBool(a[i] != b[i])
		}
	},
	{ir.OpShl, ir.I32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = uint64(uint32(a[i] << b[i]))
		}
	},
	{ir.OpLt, ir.U32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = bulkBool(a[i] < b[i])
		}
	},
	{ir.OpLt, ir.I32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = bulkBool(int32(a[i]) < int32(b[i]))
		}
	},
	{ir.OpShr, ir.U32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = a[i] >> b[i]
		}
	},
	{ir.OpShr, ir.I32}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = uint64(uint32(int32(a[i]) >> b[i]))
		}
	},
	{ir.OpAdd, ir.U64}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = a[i] + b[i]
		}
	},
	{ir.OpSub, ir.U64}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = a[i] - b[i]
		}
	},
	{ir.OpMul, ir.U64}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = a[i] * b[i]
		}
	},
	{ir.OpAnd, ir.U64}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = a[i] & b[i]
		}
	},
	{ir.OpOr, ir.U64}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = a[i] | b[i]
		}
	},
	{ir.OpShl, ir.U64}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = a[i] << b[i]
		}
	},
	{ir.OpShr, ir.U64}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = a[i] >> b[i]
		}
	},
	{ir.OpAnd, ir.Bool}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = a[i] & b[i]
		}
	},
	{ir.OpOr, ir.Bool}: func(d, a, b, c *bulkValues) {
		for i := range d {
			d[i] = a[i] | b[i]
		}
	},
}

func init() {
	for _, t := range []ir.Type{ir.F32, ir.U32, ir.I32, ir.U64} {
		bulkLoops[bulkKey{ir.OpSelect, t}] = bulkSelect
	}
}

// bulkSelect chooses by lane, without a branch: which lanes choose what may have no pattern.
func bulkSelect(d, a, b, c *bulkValues) {
	for i := range d {
		mask := -bulkBool(a[i] != 0)
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
		for i := range d {
			d[i] = uint64(math.Float32bits(float32(int32(a[i]))))
		}
	},
	{ir.OpCvt, ir.U32, ir.U64}: bulkCopy,
	{ir.OpCvt, ir.U64, ir.U32}: func(d, a, _, _ *bulkValues) {
		for i := range d {
			d[i] = uint64(uint32(a[i]))
		}
	},
}

func bulkCopy(d, a, _, _ *bulkValues) { *d = *a }

// bulkFma is a·b + c with one rounding. The product is exact in float64. Rounding the sum to float64 and then
// to float32 gives the wrong result only if the first comes to lie halfway between two float32
// without having been there; in most cases it does not come to lie there. A float32 below the normal ones has
// its halfway points elsewhere.
func bulkFma(d, a, b, c *bulkValues) {
	const (
		dropped = 1<<29 - 1 // the bits of a float64 that a float32 lacks
		halfway = 1 << 28
	)
	for i := range d {
		s := float64(float64(bulkF32(a[i]))*float64(bulkF32(b[i]))) + float64(bulkF32(c[i]))
		bits := math.Float64bits(s)
		// Exponents from that of the least normal float32 on, and that of zero. The sum of an exact product
		// is zero only if it is exactly that.
		if bits&dropped != halfway && bits<<1>>53-1 >= 1023-126-1 {
			d[i] = bulkBits(float32(s))
			continue
		}
		d[i] = ir.Eval(ir.OpFma, ir.F32, ir.F32, 0, a[i], b[i], c[i])
	}
}
