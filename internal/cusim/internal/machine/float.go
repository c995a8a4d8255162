package machine

import (
	"math"

	"github.com/govyre/vyre/internal/cusim/internal/asm"
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

var formats = map[asm.Type]format{asm.F16: half, asm.F16x2: half, asm.BF16: bfloat, asm.BF16x2: bfloat, asm.F32: single, asm.F64: double}

// quiet replaces NaNs by the one of the format.
func (f format) quiet(x uint64) uint64 {
	if f.isNaN(x) {
		return f.nan()
	}
	return x
}

func f32(x uint64) float32 { return math.Float32frombits(uint32(x)) }
func f64(x uint64) float64 { return math.Float64frombits(x) }

func bits32(v float32) uint64 { return single.quiet(uint64(math.Float32bits(v))) }
func bits64(v float64) uint64 { return double.quiet(math.Float64bits(v)) }

// float1 are ops on one float.
func float1(in *asm.Inst) fn1 {
	f := formats[in.Type]
	mode := roundings[in.One("rn", "rz", "rm", "rp")]
	if in.Has("approx") {
		return approximate1(in.Op)
	}
	switch in.Op {
	case "neg":
		return func(a uint64) uint64 { return f.quiet(a ^ f.sign()) }
	case "abs":
		return func(a uint64) uint64 { return f.quiet(a &^ f.sign()) }
	case "sqrt":
		switch {
		case mode != nearest:
			return func(a uint64) uint64 { return f.sqrt(a, mode) }
		case f == single: // rounding twice is harmless: 53 digits are more than 2·24+1
			return func(a uint64) uint64 { return bits32(float32(math.Sqrt(float64(f32(a))))) }
		}
		return func(a uint64) uint64 { return bits64(math.Sqrt(f64(a))) }
	case "rcp":
		one := f.from(1, nearest)
		div := quotient(f, mode)
		return func(a uint64) uint64 { return div(one, a) }
	}
	return nil
}

// approximate1 are the approximations. The hardware's are not specified to the bit; these are what package
// ir evaluates the op to that is printed as them.
func approximate1(op string) fn1 {
	ops := map[string]ir.Op{"rcp": ir.OpFastRcp, "sqrt": ir.OpFastSqrt, "rsqrt": ir.OpFastRsqrt, "sin": ir.OpFastSin,
		"cos": ir.OpFastCos, "lg2": ir.OpFastLog2, "ex2": ir.OpFastExp2, "tanh": ir.OpFastTanh}
	o := ops[op]
	return func(a uint64) uint64 { return exact.Eval(o, ir.F32, ir.F32, 0, a, 0, 0) }
}

// quotient is division in a format.
func quotient(f format, mode rounding) fn2 {
	switch {
	case mode != nearest:
		return func(a, b uint64) uint64 { return f.div(a, b, mode) }
	case f == single:
		return func(a, b uint64) uint64 { return bits32(float32(f32(a) / f32(b))) }
	}
	return func(a, b uint64) uint64 { return bits64(f64(a) / f64(b)) }
}

// float2 are ops on two floats.
func float2(in *asm.Inst) fn2 {
	f := formats[in.Type]
	mode := roundings[in.One("rn", "rz", "rm", "rp")]
	switch in.Op {
	case "add":
		return sum(f, mode)
	case "sub":
		add := sum(f, mode)
		return func(a, b uint64) uint64 { return add(a, b^f.sign()) }
	case "mul":
		switch {
		case mode != nearest:
			return func(a, b uint64) uint64 { return f.mul(a, b, mode) }
		case f == single:
			return func(a, b uint64) uint64 { return bits32(float32(f32(a) * f32(b))) }
		case f == double:
			return func(a, b uint64) uint64 { return bits64(float64(f64(a) * f64(b))) }
		}
		return func(a, b uint64) uint64 { return f.from(f.value(a)*f.value(b), nearest) } // the product is exact
	case "div":
		if in.Has("approx") || in.Has("full") {
			return func(a, b uint64) uint64 { return exact.Eval(ir.OpFastDiv, ir.F32, ir.F32, 0, a, b, 0) }
		}
		return quotient(f, mode)
	case "min", "max":
		return extreme(f, in.Op == "max", in.Has("NaN"))
	case "copysign": // the sign of the first operand on the second
		return func(a, b uint64) uint64 { return a&f.sign() | b&^f.sign() }
	}
	return nil
}

// sum is addition in a format.
func sum(f format, mode rounding) fn2 {
	switch {
	case mode != nearest:
		return func(a, b uint64) uint64 { return f.add(a, b, mode) }
	case f == single:
		return func(a, b uint64) uint64 { return bits32(float32(f32(a) + f32(b))) }
	case f == double:
		return func(a, b uint64) uint64 { return bits64(float64(f64(a) + f64(b))) }
	}
	// Rounding to 53 digits first is harmless for formats of up to 25.
	return func(a, b uint64) uint64 { return f.from(float64(f.value(a)+f.value(b)), nearest) }
}

// extreme is the lesser or greater of two floats, −0 being less than +0. A NaN loses or wins.
func extreme(f format, greater, nanWins bool) fn2 {
	// Numbers in the order of their bits: negative ones turned over.
	order := func(x uint64) uint64 {
		if x&f.sign() != 0 {
			return ^x & maskOf(f.bits)
		}
		return x | f.sign()
	}
	return func(a, b uint64) uint64 {
		nanA, nanB := f.isNaN(a), f.isNaN(b)
		switch {
		case nanA && nanB, (nanA || nanB) && nanWins:
			return f.nan()
		case nanA:
			return b
		case nanB:
			return a
		}
		if (order(a) > order(b)) == greater {
			return a
		}
		return b
	}
}

// float3 are ops on three floats.
func float3(in *asm.Inst) fn3 {
	f := formats[in.Type]
	mode := roundings[in.One("rn", "rz", "rm", "rp")]
	switch {
	case mode != nearest || f == half || f == bfloat:
		return func(a, b, c uint64) uint64 { return f.fma(a, b, c, mode) }
	case f == double:
		return func(a, b, c uint64) uint64 { return bits64(math.FMA(f64(a), f64(b), f64(c))) }
	}
	return func(a, b, c uint64) uint64 { return bits32(fusedSingle(f32(a), f32(b), f32(c))) }
}

// fusedSingle rounds x·y+z once. In float64 the product is exact; the sum is rounded to odd there, which makes
// the second rounding right.
func fusedSingle(x, y, z float32) float32 {
	p := float64(float64(x) * float64(y))
	s := float64(p + float64(z))
	if math.IsInf(s, 0) || math.IsNaN(s) {
		return float32(s)
	}
	// What the sum lost, by Knuth's error-free addition.
	t := float64(s - p)
	lost := float64(float64(p-float64(s-t)) + float64(float64(z)-t))
	if lost == 0 {
		return float32(s)
	}
	b := math.Float64bits(s)
	if b&1 == 1 {
		return float32(s)
	}
	// Toward the exact sum, which makes the last bit odd.
	if (lost > 0) == (s > 0) {
		b++
	} else {
		b--
	}
	return float32(math.Float64frombits(b))
}

// compareFloat is a comparison of floats. Words that end in u hold for NaNs too.
func compareFloat(cmp string, f format) func(a, b uint64) bool {
	nan := func(a, b uint64) bool { return f.isNaN(a) || f.isNaN(b) }
	switch cmp {
	case "num":
		return func(a, b uint64) bool { return !nan(a, b) }
	case "nan":
		return nan
	}
	unordered := len(cmp) == 3
	var holds func(x, y float64) bool
	switch cmp[:2] {
	case "eq":
		holds = func(x, y float64) bool { return x == y }
	case "ne":
		holds = func(x, y float64) bool { return x != y }
	case "lt":
		holds = func(x, y float64) bool { return x < y }
	case "le":
		holds = func(x, y float64) bool { return x <= y }
	case "gt":
		holds = func(x, y float64) bool { return x > y }
	default:
		holds = func(x, y float64) bool { return x >= y }
	}
	if f == single {
		return func(a, b uint64) bool {
			if nan(a, b) {
				return unordered
			}
			return holds(float64(f32(a)), float64(f32(b)))
		}
	}
	return func(a, b uint64) bool {
		if nan(a, b) {
			return unordered
		}
		return holds(f.value(a), f.value(b))
	}
}

// property is what testp asks for. Its zeros are normal.
func property(word string, f format) func(a uint64) bool {
	magnitude := func(a uint64) uint64 { return a & (f.sign() - 1) }
	normal := uint64(1) << (f.prec - 1)
	switch word {
	case "finite":
		return func(a uint64) bool { return magnitude(a) < f.inf() }
	case "infinite":
		return f.isInf
	case "number":
		return func(a uint64) bool { return !f.isNaN(a) }
	case "notanumber":
		return f.isNaN
	case "normal":
		return func(a uint64) bool { return magnitude(a) == 0 || magnitude(a) >= normal && magnitude(a) < f.inf() }
	}
	return func(a uint64) bool { return magnitude(a) != 0 && magnitude(a) < normal }
}

// saturated clamps a float to [0, 1]; a NaN becomes 0.
func (f format) saturated(x uint64) uint64 {
	switch {
	case f.isNaN(x) || x&f.sign() != 0:
		return 0
	case x > f.from(1, nearest):
		return f.from(1, nearest)
	}
	return x
}

// The modifiers .ftz and .sat around a function.

func dressed1(in *asm.Inst, g fn1) fn1 {
	f := formats[in.Type]
	if in.Has("ftz") {
		inner := g
		g = func(a uint64) uint64 { return f.flush(inner(f.flush(a))) }
	}
	return packed1(in.Type, g)
}

func dressed2(in *asm.Inst, g fn2) fn2 {
	f := formats[in.Type]
	if in.Has("ftz") {
		inner := g
		g = func(a, b uint64) uint64 { return f.flush(inner(f.flush(a), f.flush(b))) }
	}
	if in.Has("sat") {
		inner := g
		g = func(a, b uint64) uint64 { return f.saturated(inner(a, b)) }
	}
	return packed2(in.Type, g)
}

func dressed3(in *asm.Inst, g fn3) fn3 {
	f := formats[in.Type]
	if in.Has("ftz") {
		inner := g
		g = func(a, b, c uint64) uint64 { return f.flush(inner(f.flush(a), f.flush(b), f.flush(c))) }
	}
	if in.Has("sat") {
		inner := g
		g = func(a, b, c uint64) uint64 { return f.saturated(inner(a, b, c)) }
	}
	return packed3(in.Type, g)
}

// Packed types do the same on both halves.

func isPacked(t asm.Type) bool { return t == asm.F16x2 || t == asm.BF16x2 }

func packed1(t asm.Type, g fn1) fn1 {
	if !isPacked(t) {
		return g
	}
	return func(a uint64) uint64 { return g(a&0xFFFF) | g(a>>16)<<16 }
}

func packed2(t asm.Type, g fn2) fn2 {
	if !isPacked(t) {
		return g
	}
	return func(a, b uint64) uint64 { return g(a&0xFFFF, b&0xFFFF) | g(a>>16, b>>16)<<16 }
}

func packed3(t asm.Type, g fn3) fn3 {
	if !isPacked(t) {
		return g
	}
	return func(a, b, c uint64) uint64 {
		return g(a&0xFFFF, b&0xFFFF, c&0xFFFF) | g(a>>16, b>>16, c>>16)<<16
	}
}
