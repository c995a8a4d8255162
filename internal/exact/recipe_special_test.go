package exact_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

var (
	inf     = math.Inf(1)
	nan     = math.NaN()
	negZero = math.Copysign(0, -1)
)

// TestRecipeSpecialValues holds the functions of one operand to C11 Annex F, and to
// results that are exact in both formats.
func TestRecipeSpecialValues(t *testing.T) {
	for _, c := range []struct {
		op   ir.Op
		want map[float64]float64 // a NaN operand always gives a NaN
	}{
		{ir.OpRsqrt, map[float64]float64{0: inf, negZero: -inf, 4: 0.5, inf: 0, -1: nan, -inf: nan}},
		{ir.OpExp, map[float64]float64{0: 1, negZero: 1, inf: inf, -inf: 0, 1e4: inf, -1e4: 0, 1e30: inf, -1e30: 0}},
		{ir.OpExp2, map[float64]float64{0: 1, negZero: 1, inf: inf, -inf: 0, 10: 1024, -3: 0.125, 1024: inf,
			-126: 0x1p-126, -149: 0x1p-149, -1e4: 0, 1e30: inf, -1e30: 0}},
		{ir.OpExpm1, map[float64]float64{0: 0, negZero: negZero, inf: inf, -inf: -1, 1e4: inf, -1e4: -1, 1e30: inf, -1e30: -1}},
		{ir.OpLog, map[float64]float64{0: -inf, negZero: -inf, 1: 0, inf: inf, -1: nan, -inf: nan, -0x1p-149: nan}},
		{ir.OpLog2, map[float64]float64{0: -inf, negZero: -inf, 1: 0, 8: 3, 0x1p-149: -149, 0x1p127: 127, inf: inf, -1: nan, -inf: nan}},
		{ir.OpLog10, map[float64]float64{0: -inf, negZero: -inf, 1: 0, 10: 1, 1000: 3, 1e10: 10, inf: inf, -1: nan, -inf: nan}},
		{ir.OpLog1p, map[float64]float64{0: 0, negZero: negZero, -1: -inf, inf: inf, -2: nan, -inf: nan}},
		{ir.OpSin, map[float64]float64{0: 0, negZero: negZero, inf: nan, -inf: nan}},
		{ir.OpCos, map[float64]float64{0: 1, negZero: 1, inf: nan, -inf: nan}},
		{ir.OpTan, map[float64]float64{0: 0, negZero: negZero, inf: nan, -inf: nan}},
		{ir.OpAsin, map[float64]float64{0: 0, negZero: negZero, 1: math.Pi / 2, -1: -math.Pi / 2, 1.5: nan, -2: nan, inf: nan, -inf: nan}},
		{ir.OpAcos, map[float64]float64{0: math.Pi / 2, negZero: math.Pi / 2, 1: 0, -1: math.Pi, 1.5: nan, -2: nan, inf: nan, -inf: nan}},
		{ir.OpAtan, map[float64]float64{0: 0, negZero: negZero, inf: math.Pi / 2, -inf: -math.Pi / 2}},
		{ir.OpSinh, map[float64]float64{0: 0, negZero: negZero, inf: inf, -inf: -inf, 1e4: inf, -1e4: -inf, 1e30: inf}},
		{ir.OpCosh, map[float64]float64{0: 1, negZero: 1, inf: inf, -inf: inf, 1e4: inf, -1e4: inf, -1e30: inf}},
		{ir.OpTanh, map[float64]float64{0: 0, negZero: negZero, inf: 1, -inf: -1, 1e4: 1, -1e4: -1, 1e30: 1}},
		{ir.OpCbrt, map[float64]float64{0: 0, negZero: negZero, 27: 3, -8: -2, 0x1p-147: 0x1p-49, inf: inf, -inf: -inf}},
		{ir.OpErf, map[float64]float64{0: 0, negZero: negZero, inf: 1, -inf: -1, 10: 1, -10: -1, 1e30: 1}},
	} {
		c.want[nan] = nan
		for x, want := range c.want {
			checkSpecial(t, c.op, x, 0, want)
		}
	}
}

// TestRecipeSpecialPairs does the same for two operands.
func TestRecipeSpecialPairs(t *testing.T) {
	pi := math.Pi
	for _, c := range []struct {
		op         ir.Op
		x, y, want float64
	}{
		{ir.OpPow, 0, -3, inf}, {ir.OpPow, negZero, -3, -inf},
		{ir.OpPow, 0, -2, inf}, {ir.OpPow, negZero, -2, inf}, {ir.OpPow, negZero, -2.5, inf}, {ir.OpPow, negZero, -inf, inf},
		{ir.OpPow, 0, 3, 0}, {ir.OpPow, negZero, 3, negZero},
		{ir.OpPow, 0, 2, 0}, {ir.OpPow, negZero, 2, 0}, {ir.OpPow, negZero, 2.5, 0}, {ir.OpPow, 0, inf, 0},
		{ir.OpPow, -1, inf, 1}, {ir.OpPow, -1, -inf, 1}, {ir.OpPow, -1, 7, -1}, {ir.OpPow, -1, 1e30, 1},
		{ir.OpPow, 1, nan, 1}, {ir.OpPow, 1, inf, 1}, {ir.OpPow, 1, -1e30, 1},
		{ir.OpPow, nan, 0, 1}, {ir.OpPow, nan, negZero, 1}, {ir.OpPow, inf, 0, 1}, {ir.OpPow, -inf, negZero, 1}, {ir.OpPow, 0, 0, 1},
		{ir.OpPow, 5, 0, 1}, {ir.OpPow, -5, negZero, 1},
		{ir.OpPow, -2, 0.5, nan}, {ir.OpPow, -0x1p-149, 1.5, nan}, {ir.OpPow, nan, 1, nan}, {ir.OpPow, 2, nan, nan},
		{ir.OpPow, -1, nan, nan}, {ir.OpPow, 0, nan, nan}, {ir.OpPow, -inf, nan, nan},
		{ir.OpPow, 0.5, -inf, inf}, {ir.OpPow, -0.5, -inf, inf}, {ir.OpPow, 1.5, -inf, 0}, {ir.OpPow, -1.5, -inf, 0},
		{ir.OpPow, 0.5, inf, 0}, {ir.OpPow, -0.5, inf, 0}, {ir.OpPow, 1.5, inf, inf}, {ir.OpPow, -1.5, inf, inf},
		{ir.OpPow, -inf, -3, negZero}, {ir.OpPow, -inf, -2, 0}, {ir.OpPow, -inf, -2.5, 0}, {ir.OpPow, -inf, -inf, 0},
		{ir.OpPow, -inf, 3, -inf}, {ir.OpPow, -inf, 2, inf}, {ir.OpPow, -inf, 2.5, inf}, {ir.OpPow, -inf, inf, inf},
		{ir.OpPow, inf, -1, 0}, {ir.OpPow, inf, 0.5, inf}, {ir.OpPow, inf, -inf, 0},
		{ir.OpPow, 2, 10, 1024}, {ir.OpPow, -2, 3, -8}, {ir.OpPow, 3, 5, 243}, {ir.OpPow, 4, -0.5, 0.5}, {ir.OpPow, 2, 1e30, inf},
		{ir.OpPow, 2, -1e30, 0}, {ir.OpPow, 2, -149, 0x1p-149}, {ir.OpPow, -10, 9, -1e9}, {ir.OpPow, -10, -1e30, 0},

		{ir.OpAtan2, 0, 1, 0}, {ir.OpAtan2, negZero, 1, negZero}, {ir.OpAtan2, 0, -1, pi}, {ir.OpAtan2, negZero, -1, -pi},
		{ir.OpAtan2, 0, 0, 0}, {ir.OpAtan2, negZero, 0, negZero}, {ir.OpAtan2, 0, negZero, pi}, {ir.OpAtan2, negZero, negZero, -pi},
		{ir.OpAtan2, 2, 0, pi / 2}, {ir.OpAtan2, 2, negZero, pi / 2}, {ir.OpAtan2, -2, 0, -pi / 2}, {ir.OpAtan2, -2, negZero, -pi / 2},
		{ir.OpAtan2, 3, inf, 0}, {ir.OpAtan2, -3, inf, negZero}, {ir.OpAtan2, 3, -inf, pi}, {ir.OpAtan2, -3, -inf, -pi},
		{ir.OpAtan2, inf, 3, pi / 2}, {ir.OpAtan2, -inf, -3, -pi / 2}, {ir.OpAtan2, inf, 0, pi / 2},
		{ir.OpAtan2, inf, inf, pi / 4}, {ir.OpAtan2, -inf, inf, -pi / 4}, {ir.OpAtan2, inf, -inf, 3 * pi / 4}, {ir.OpAtan2, -inf, -inf, -3 * pi / 4},
		{ir.OpAtan2, 5, 5, pi / 4}, {ir.OpAtan2, nan, 1, nan}, {ir.OpAtan2, 1, nan, nan}, {ir.OpAtan2, nan, inf, nan}, {ir.OpAtan2, inf, nan, nan},
		{ir.OpAtan2, 0, nan, nan}, {ir.OpAtan2, nan, nan, nan}, {ir.OpAtan2, nan, 0, nan}, {ir.OpAtan2, nan, negZero, nan},

		{ir.OpHypot, 3, 4, 5}, {ir.OpHypot, -5, 12, 13}, {ir.OpHypot, 0, 0, 0}, {ir.OpHypot, negZero, negZero, 0}, {ir.OpHypot, negZero, -7, 7},
		{ir.OpHypot, inf, nan, inf}, {ir.OpHypot, nan, -inf, inf}, {ir.OpHypot, -inf, 1, inf}, {ir.OpHypot, inf, inf, inf},
		{ir.OpHypot, nan, 1, nan}, {ir.OpHypot, 0, nan, nan}, {ir.OpHypot, 0x3p-149, 0x4p-149, 0x5p-149},
		{ir.OpHypot, 0x1p-149, 0, 0x1p-149}, {ir.OpHypot, 0x3p124, 0x4p124, 0x5p124},
	} {
		checkSpecial(t, c.op, c.x, c.y, c.want)
	}
}

// TestRecipeExtremes has the ends of f64 that f32 does not reach.
func TestRecipeExtremes(t *testing.T) {
	for _, c := range []struct {
		op         ir.Op
		x, y, want float64
	}{
		{ir.OpExp2, -1074, 0, 0x1p-1074}, {ir.OpExp2, -1022, 0, 0x1p-1022}, {ir.OpExp2, 1023, 0, 0x1p1023}, {ir.OpExp2, -1e300, 0, 0},
		{ir.OpLog2, 0x1p-1074, 0, -1074}, {ir.OpLog2, 0x1p1023, 0, 1023}, {ir.OpCbrt, 0x1p-1074, 0, 0x1p-358},
		{ir.OpCbrt, -0x1p1023, 0, -0x1p341}, {ir.OpExp, 1e300, 0, inf}, {ir.OpSinh, -1e300, 0, -inf}, {ir.OpErf, -1e300, 0, -1},
		{ir.OpPow, 2, -1074, 0x1p-1074}, {ir.OpPow, 0x1p-1074, -0.5, 0x1p537}, {ir.OpPow, 1 + 0x1p-52, 1e300, inf}, {ir.OpPow, -2, 0x1p53 + 2, inf},
		{ir.OpHypot, 0x3p-1074, 0x4p-1074, 0x5p-1074}, {ir.OpHypot, 0x3p1020, 0x4p1020, 0x5p1020}, {ir.OpAtan2, 0x1p-1074, 0x1p-1000, 0x1p-74},
	} {
		checkBits(t, c.op, ir.F64, c.x, c.y, c.want)
	}
}

func checkSpecial(t *testing.T, op ir.Op, x, y, want float64) {
	t.Helper()
	checkBits(t, op, ir.F64, x, y, want)
	checkBits(t, op, ir.F32, x, y, want)
}

// checkBits wants the value rounded to the format, zeros with their sign, and any NaN.
func checkBits(t *testing.T, op ir.Op, typ ir.Type, x, y, want float64) {
	t.Helper()
	got := math.Float64frombits(exact.Eval(op, typ, typ, 0, raw(typ, x), raw(typ, y), 0))
	if typ == ir.F32 {
		got = float64(math.Float32frombits(uint32(exact.Eval(op, typ, typ, 0, raw(typ, x), raw(typ, y), 0))))
		want = float64(float32(want))
	}
	if got != got && want != want {
		return
	}
	if math.Float64bits(got) != math.Float64bits(want) {
		args := fmt.Sprint(x)
		if op.Info().Args == 2 {
			args = fmt.Sprint(x, ", ", y)
		}
		t.Errorf("%v.%v(%s) = %v, want %v", op, typ, args, got, want)
	}
}

func raw(typ ir.Type, x float64) uint64 {
	if typ == ir.F32 {
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

// TestOddAndEvenFunctionsHaveTheSameBitsOnBothSides: the sign is put on at the end, and no rounding looks at it.
func TestOddAndEvenFunctionsHaveTheSameBitsOnBothSides(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, typ := range []ir.Type{ir.F32, ir.F64} {
		sign := uint64(1) << (typ.Bits() - 1)
		for _, f := range []struct {
			op   ir.Op
			flip uint64
		}{
			{ir.OpSin, sign}, {ir.OpCos, 0}, {ir.OpTan, sign}, {ir.OpAsin, sign}, {ir.OpAtan, sign}, {ir.OpSinh, sign}, {ir.OpCosh, 0},
			{ir.OpTanh, sign}, {ir.OpCbrt, sign}, {ir.OpErf, sign},
		} {
			for range 5000 {
				x := raw(typ, draw64(r)) &^ sign
				right := exact.Eval(f.op, typ, typ, 0, x, 0, 0)
				left := exact.Eval(f.op, typ, typ, 0, x|sign, 0, 0)
				if left != right^f.flip && !isNaN(typ, right) {
					t.Fatalf("%v.%v: %x gives %x, and with the other sign %x", f.op, typ, x, right, left)
				}
			}
		}
	}
}

func isNaN(typ ir.Type, bits uint64) bool {
	switch typ {
	case ir.F32:
		f := math.Float32frombits(uint32(bits))
		return f != f
	case ir.F64:
		f := math.Float64frombits(bits)
		return f != f
	}
	return false
}

// TestRecipesDoNotAllocate includes both sides of every if.
func TestRecipesDoNotAllocate(t *testing.T) {
	for _, f := range accurates {
		for _, typ := range []ir.Type{ir.F32, ir.F64} {
			for _, x := range []float64{0.5, -3, 1e30} {
				a, b := raw(typ, x), raw(typ, 1.5)
				if n := testing.AllocsPerRun(10, func() { exact.Eval(f.op, typ, typ, 0, a, b, 0) }); n != 0 {
					t.Errorf("%v.%v(%v) allocates %v times", f.op, typ, x, n)
				}
			}
		}
	}
}

// TestRsqrtIsDivOfSqrt: rsqrt is defined by two roundings, not by a bound.
func TestRsqrtIsDivOfSqrt(t *testing.T) {
	for _, typ := range []ir.Type{ir.F32, ir.F64} {
		for _, x := range []float64{2, 3, 0.1, 0x1p-149, 0x1p-1074, 0x1.fffffep127, 1e-40, 7e300} {
			root := exact.Eval(ir.OpSqrt, typ, typ, 0, raw(typ, x), 0, 0)
			want := exact.Eval(ir.OpDiv, typ, typ, 0, raw(typ, 1), root, 0)
			if got := exact.Eval(ir.OpRsqrt, typ, typ, 0, raw(typ, x), 0, 0); got != want {
				t.Errorf("rsqrt.%v(%v) = %x, want %x", typ, x, got, want)
			}
		}
	}
}
