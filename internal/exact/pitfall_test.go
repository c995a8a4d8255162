package exact_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
)

// One test for each way in which the obvious Go expression is not the op. Where the
// obvious expression can be written down, the test also shows that it would be seen.

func raw32(v float32) uint64 { return uint64(math.Float32bits(v)) }

func eval32(op ir.Op, a, b, c float32) float32 {
	return math.Float32frombits(uint32(exact.Eval(op, ir.F32, ir.F32, 0, raw32(a), raw32(b), raw32(c))))
}

func TestPitfallMultiplyAddIsNotFused(t *testing.T) {
	const x = 1 + 0x1p-12
	product := eval32(ir.OpMul, x, x, 0)
	if product != 1+0x1p-11 {
		t.Fatalf("mul.f32(%v, %[1]v) = %v, not rounded", float32(x), product)
	}
	if got := eval32(ir.OpSub, product, 1+0x1p-11, 0); got != 0 {
		t.Errorf("x·x − (1+2⁻¹¹) in two ops = %v, want 0", got)
	}
	if got := eval32(ir.OpFma, x, x, -(1 + 0x1p-11)); got != 0x1p-24 {
		t.Errorf("fma(x, x, −(1+2⁻¹¹)) = %v, want 2⁻²⁴", got)
	}
}

func TestPitfallFmaRoundsTwice(t *testing.T) {
	twice := func(x, y, z float32) float32 {
		return float32(math.FMA(float64(x), float64(y), float64(z)))
	}
	for _, row := range []struct {
		name          string
		x, y, z, want float32
	}{
		{"just below a tie to even above", 1 + 0x1p-23, (1 - 0x1p-23) * 0x1p-24, 1 + 0x1p-23, 1 + 0x1p-23},
		{"just above a tie to even below", 1 + 0x1p-23, -(1 - 0x1p-23) * 0x1p-24, 1 + 2*0x1p-23, 1 + 2*0x1p-23},
		{"negative", -(1 + 0x1p-23), (1 - 0x1p-23) * 0x1p-24, -(1 + 0x1p-23), -(1 + 0x1p-23)},
		{"tiny product over a tie", 0x1p-100, 0x1p-20, 0, 0x1p-120},
		{"sum to a subnormal", 0x1.fffffep-75, 0x1.000002p-76, 0x1p-149, 0x1p-148},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := formatOf(ir.F32)
			exact := f.fused(raw32(row.x), raw32(row.y), raw32(row.z))
			if exact != raw32(row.want) {
				t.Fatalf("the row is wrong: exactly %v", math.Float32frombits(uint32(exact)))
			}
			if got := eval32(ir.OpFma, row.x, row.y, row.z); got != row.want {
				t.Errorf("fma(%v, %v, %v) = %v, want %v", row.x, row.y, row.z, got, row.want)
			}
		})
	}

	// A product of (1 + 2⁻ⁱ)(1 − 2⁻ⁱ) half units of z misses the tie by 2⁻²ⁱ of it, which
	// float64 has no room for.
	f := formatOf(ir.F32)
	rng := rand.New(rand.NewPCG(15, 16))
	seen := 0
	for range 4000 {
		i := 15 + rng.IntN(9)
		e := rng.IntN(200) - 100
		z := float32(math.Ldexp(float64(1<<23+rng.IntN(1<<23)), e-23))
		x := float32(1 + math.Ldexp(1, -i))
		y := float32(math.Ldexp(1-math.Ldexp(1, -i), e-24))
		if rng.IntN(2) == 0 {
			x = -x
		}
		want := math.Float32frombits(uint32(f.fused(raw32(x), raw32(y), raw32(z))))
		if got := eval32(ir.OpFma, x, y, z); got != want {
			t.Fatalf("fma(%v, %v, %v) = %v, want %v", x, y, z, got, want)
		}
		if twice(x, y, z) != want {
			seen++
		}
	}
	if seen < 500 {
		t.Errorf("rounding twice differs in %d of 4000 cases; the cases are too easy", seen)
	}
}

func TestPitfallSqrtThroughFloat64IsRight(t *testing.T) {
	// The square of a float32 halfway point is just not a float32, so roots come close
	// to ties but never meet one: r² ± an ulp, for many r.
	f := formatOf(ir.F32)
	rng := rand.New(rand.NewPCG(17, 18))
	for range long.Count(300, 2_000, 20_000) {
		r := float64(1<<24+2*rng.IntN(1<<23)+1) * 0x1p-24
		sq := raw32(float32(r * r))
		for _, a := range []uint64{sq - 1, sq, sq + 1} {
			if got, want := exact.Eval(ir.OpSqrt, ir.F32, ir.F32, 0, a, 0, 0), f.root(a); got != want {
				t.Fatalf("sqrt.f32(%#x) = %#x, want %#x", a, got, want)
			}
		}
	}
}

func TestPitfallIntegerDivisionByZeroPanics(t *testing.T) {
	for _, typ := range intTypes {
		for _, a := range intEdges(typ.Bits()) {
			want := uint64(0)
			if !typ.IsSigned() {
				want = typ.Mask()
			}
			if got := exact.Eval(ir.OpDiv, typ, typ, 0, a, 0, 0); got != want {
				t.Errorf("div.%v(%#x, 0) = %#x, want %#x", typ, a, got, want)
			}
			if got := exact.Eval(ir.OpRem, typ, typ, 0, a, 0, 0); got != 0 {
				t.Errorf("rem.%v(%#x, 0) = %#x, want 0", typ, a, got)
			}
		}
	}
	if got := eval32(ir.OpDiv, -1, 0, 0); got != float32(math.Inf(-1)) {
		t.Errorf("div.f32(−1, 0) = %v, want −∞", got)
	}
}

func TestPitfallLeastIntegerByMinusOne(t *testing.T) {
	for _, typ := range []ir.Type{ir.I32, ir.I64} {
		for _, width := range []uint{6, 8, typ.Bits()} {
			least, minusOne := uint64(1)<<(width-1), ^uint64(0)>>(64-width)
			if got := at(ir.OpDiv, typ, typ, width, 0, least, minusOne, 0); got != least {
				t.Errorf("div.%v at width %d of MIN, −1 = %#x, want %#x", typ, width, got, least)
			}
			if got := at(ir.OpRem, typ, typ, width, 0, least, minusOne, 0); got != 0 {
				t.Errorf("rem.%v at width %d of MIN, −1 = %#x, want 0", typ, width, got)
			}
			if got := at(ir.OpAbs, typ, typ, width, 0, least, 0, 0); got != least {
				t.Errorf("abs.%v at width %d of MIN = %#x, want %#x", typ, width, got, least)
			}
		}
	}
}

func TestPitfallShiftCountIsNeitherMaskedNorNegative(t *testing.T) {
	for _, row := range []struct {
		name  string
		op    ir.Op
		typ   ir.Type
		a     uint64
		count uint32
		want  uint64
	}{
		{"left by the width", ir.OpShl, ir.U32, 1, 32, 0},
		{"left by more", ir.OpShl, ir.U32, 1, 33, 0},
		{"left within 64 bits", ir.OpShl, ir.I32, 0xFFFF_FFFF, 40, 0},
		{"left by minus one", ir.OpShl, ir.U64, ^uint64(0), math.MaxUint32, 0},
		{"right by the width", ir.OpShr, ir.U64, 1 << 63, 64, 0},
		{"signed right by the width", ir.OpShr, ir.I32, 0x8000_0000, 32, 0xFFFF_FFFF},
		{"signed right by minus one", ir.OpShr, ir.I64, 1 << 63, math.MaxUint32, ^uint64(0)},
		{"signed right of a positive", ir.OpShr, ir.I32, 0x7FFF_FFFF, 99, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := exact.Eval(row.op, row.typ, row.typ, 0, row.a, uint64(row.count), 0); got != row.want {
				t.Errorf("%v.%v(%#x, %d) = %#x, want %#x", row.op, row.typ, row.a, row.count, got, row.want)
			}
		})
	}
}

func TestPitfallFloatToIntegerOutOfRange(t *testing.T) {
	inf := math.Inf(1)
	for _, row := range []struct {
		name string
		v    float64
		to   ir.Type
		want uint64
	}{
		{"NaN", math.NaN(), ir.I32, 0},
		{"NaN to 64 bits", math.NaN(), ir.I64, 0},
		{"NaN to unsigned", math.NaN(), ir.U64, 0},
		{"infinity", inf, ir.I32, math.MaxInt32},
		{"infinity to 64 bits", inf, ir.I64, math.MaxInt64},
		{"minus infinity", -inf, ir.I64, 1 << 63},
		{"minus infinity to unsigned", -inf, ir.U32, 0},
		{"first beyond i32", 0x1p31, ir.I32, math.MaxInt32},
		{"least i32", -0x1p31, ir.I32, 1 << 31},
		{"first beyond u32", 0x1p32, ir.U32, math.MaxUint32},
		{"first beyond i64", 0x1p63, ir.I64, math.MaxInt64},
		{"upper half of u64", 0x1p63, ir.U64, 1 << 63},
		{"last of u64", 0x1.fffffep63, ir.U64, 0xFFFF_FF00_0000_0000},
		{"first beyond u64", 0x1p64, ir.U64, math.MaxUint64},
		{"negative to unsigned", -5, ir.U64, 0},
		{"negative fraction to unsigned", -0.75, ir.U32, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := exact.Eval(ir.OpCvt, ir.F64, row.to, 0, math.Float64bits(row.v), 0, 0); got != row.want {
				t.Errorf("cvt.f64.%v(%v) = %#x, want %#x", row.to, row.v, got, row.want)
			}
			if got := exact.Eval(ir.OpCvt, ir.F32, row.to, 0, raw32(float32(row.v)), 0, 0); got != row.want {
				t.Errorf("cvt.f32.%v(%v) = %#x, want %#x", row.to, row.v, got, row.want)
			}
		})
	}
}

func TestPitfallBuiltinMinIsMinp(t *testing.T) {
	nan, zero := float32(math.NaN()), float32(0)
	minus := float32(math.Copysign(0, -1))
	for _, row := range []struct {
		name string
		op   ir.Op
		a, b float32
		want float32
	}{
		{"min drops a NaN", ir.OpMin, nan, 1, 1},
		{"min drops a NaN on the right", ir.OpMin, 1, nan, 1},
		{"max drops a NaN", ir.OpMax, nan, -1, -1},
		{"minp keeps a NaN", ir.OpMinp, nan, 1, min(nan, 1)},
		{"maxp keeps a NaN", ir.OpMaxp, 1, nan, max(1, nan)},
		{"min of zeros", ir.OpMin, zero, minus, minus},
		{"max of zeros", ir.OpMax, minus, zero, zero},
		{"minp of zeros", ir.OpMinp, zero, minus, min(zero, minus)},
		{"maxp of zeros", ir.OpMaxp, minus, zero, max(minus, zero)},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := eval32(row.op, row.a, row.b, 0)
			if got != got && row.want != row.want {
				return
			}
			if raw32(got) != raw32(row.want) {
				t.Errorf("%v.f32(%v, %v) = %v, want %v", row.op, row.a, row.b, got, row.want)
			}
		})
	}
}

func TestPitfallRintIsHalfEvenAndKeepsTheSign(t *testing.T) {
	for _, row := range []struct{ v, want float64 }{
		{0.5, 0}, {1.5, 2}, {2.5, 2}, {3.5, 4}, {-1.5, -2}, {-2.5, -2}, {0.49999997, 0}, {8388609.5 / 2, 4194305},
		{-0.5, math.Copysign(0, -1)}, {-0.25, math.Copysign(0, -1)}, {math.Copysign(0, -1), math.Copysign(0, -1)},
		{math.Inf(-1), math.Inf(-1)},
	} {
		if got := eval32(ir.OpRint, float32(row.v), 0, 0); raw32(got) != raw32(float32(row.want)) {
			t.Errorf("rint.f32(%v) = %v, want %v", row.v, got, row.want)
		}
		got := exact.Eval(ir.OpRint, ir.F64, ir.F64, 0, math.Float64bits(row.v), 0, 0)
		if got != math.Float64bits(row.want) {
			t.Errorf("rint.f64(%v) = %v, want %v", row.v, math.Float64frombits(got), row.want)
		}
	}
}

func TestPitfallMovesKeepSignalingNaNs(t *testing.T) {
	for _, row := range []struct {
		typ, other ir.Type
		raw        uint64
	}{
		{ir.F32, ir.U32, 0x7F80_0001},
		{ir.F32, ir.I32, 0xFFA5_A5A5},
		{ir.F64, ir.U64, 0xFFF0_0000_0000_0001},
		{ir.F16, ir.U32, 0xFC01},
		{ir.BF16, ir.U32, 0x7F81},
	} {
		there := exact.Eval(ir.OpBitcast, row.typ, row.other, 0, row.raw, 0, 0)
		back := exact.Eval(ir.OpBitcast, row.other, row.typ, 0, there, 0, 0)
		if there != row.raw || back != row.raw {
			t.Errorf("bitcast.%v.%v(%#x) = %#x, back %#x", row.typ, row.other, row.raw, there, back)
		}
		for cond := range uint64(2) {
			if got := exact.Eval(ir.OpSelect, row.typ, row.typ, 0, cond, row.raw, row.raw); got != row.raw {
				t.Errorf("select.%v(%d) of %#x = %#x", row.typ, cond, row.raw, got)
			}
		}
	}
}

func TestPitfallUint64ToFloat32RoundsOnce(t *testing.T) {
	f := formatOf(ir.F32)
	seen := 0
	for bits := uint(55); bits <= 64; bits++ {
		half := uint64(1) << (bits - 25)
		for _, base := range []uint64{1 << (bits - 1), 1<<(bits-1) + 2*half, 1<<(bits-1) + 4*half} {
			// One past and one short of a tie; float64 takes both for the tie.
			for _, a := range []uint64{base + half - 1, base + half, base + half + 1} {
				for _, typ := range []ir.Type{ir.U64, ir.I64} {
					want := converted(typ, ir.F32, a)
					if got := exact.Eval(ir.OpCvt, typ, ir.F32, 0, a, 0, 0); got != want {
						t.Errorf("cvt.%v.f32(%#x) = %#x, want %#x", typ, a, got, want)
					}
				}
				exact := f.round(ratPow2(0).SetInt(integer{64, false}.value(a)), false)
				if raw32(float32(float64(a))) != exact {
					seen++
				}
			}
		}
	}
	if seen == 0 {
		t.Error("rounding twice never differs; the cases are too easy")
	}
}
