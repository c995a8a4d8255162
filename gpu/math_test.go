package gpu_test

import (
	"math"
	"testing"

	"github.com/govyre/vyre/gpu"
)

var (
	inf  = math.Inf(1)
	nan  = math.NaN()
	zero = math.Copysign(0, -1) // −0
)

// sameNumber treats all NaNs as equal and tells −0 from +0.
func sameNumber(a, b float64) bool {
	return a != a && b != b || a == b && math.Signbit(a) == math.Signbit(b)
}

type unary struct {
	name string
	f    func(float64) float64
	g    func(float32) float32
	want func(float64) float64
}

func TestExactFloatFunctions(t *testing.T) {
	values := []float64{0, zero, 0.5, -0.5, 1, 1.5, -2.5, 2.5, 1e-30, -3e9, 4e15 + 0.5, inf, -inf, nan}
	for _, u := range []unary{
		{"Sqrt", gpu.Sqrt[float64], gpu.Sqrt[float32], math.Sqrt},
		{"Abs", gpu.Abs[float64], gpu.Abs[float32], math.Abs},
		{"Floor", gpu.Floor[float64], gpu.Floor[float32], math.Floor},
		{"Ceil", gpu.Ceil[float64], gpu.Ceil[float32], math.Ceil},
		{"Trunc", gpu.Trunc[float64], gpu.Trunc[float32], math.Trunc},
		{"RoundEven", gpu.RoundEven[float64], gpu.RoundEven[float32], math.RoundToEven},
		{"CanonNaN", gpu.CanonNaN[float64], gpu.CanonNaN[float32], func(x float64) float64 { return x }},
	} {
		for _, x := range values {
			if got, want := u.f(x), u.want(x); !sameNumber(got, want) {
				t.Errorf("%s(%v) = %v, want %v", u.name, x, got, want)
			}
			x := float32(x)
			if got, want := u.g(x), float32(u.want(float64(x))); !sameNumber(float64(got), float64(want)) {
				t.Errorf("%s(%v) of float32 = %v, want %v", u.name, x, got, want)
			}
		}
	}
}

func TestMinMaxCopySign(t *testing.T) {
	type volt float64
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"a NaN loses in Min", gpu.Min(nan, 3), 3},
		{"a NaN loses in Max", gpu.Max(3, nan), 3},
		{"two NaNs", gpu.Min(nan, nan), nan},
		{"−0 is below +0 in Min", gpu.Min(0, zero), zero},
		{"−0 is below +0 in Max", gpu.Max(zero, 0), 0},
		{"infinity against NaN", gpu.Max(nan, -inf), -inf},
		{"CopySign", gpu.CopySign(3, zero), -3},
		{"a defined type", float64(gpu.Max(volt(1), volt(2))), 2},
	} {
		if !sameNumber(c.got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}

func TestFMARoundsOnce(t *testing.T) {
	// (1 + 2⁻²³)(1 − 2⁻²³) − 1 is −2⁻⁴⁶: two roundings lose it.
	if got := gpu.FMA[float32](1+0x1p-23, 1-0x1p-23, -1); got != -0x1p-46 {
		t.Errorf("float32: %g, want %g", got, -0x1p-46)
	}
	if got := gpu.FMA[float64](1+0x1p-52, 1-0x1p-52, -1); got != -0x1p-104 {
		t.Errorf("float64: %g, want %g", got, -0x1p-104)
	}
	// The product is a tie of float32, the addend breaks it; a float64 sum would lose the addend.
	if got, want := gpu.FMA[float32](1+0x1p-12, 1+0x1p-12, 0x1p-60), float32(1+0x1p-11+0x1p-23); got != want {
		t.Errorf("broken tie: %x, want %x", got, want)
	}
}

func TestCanonNaNHasOnePattern(t *testing.T) {
	if got := math.Float32bits(gpu.CanonNaN(math.Float32frombits(0xFFC12345))); got != 0x7FC00000 {
		t.Errorf("float32: %#x", got)
	}
	if got := math.Float64bits(gpu.CanonNaN(math.Float64frombits(0xFFF8000000012345))); got != 0x7FF8000000000000 {
		t.Errorf("float64: %#x", got)
	}
}

func TestFloatClasses(t *testing.T) {
	for _, c := range []struct {
		x                float64
		nan, inf, finite bool
	}{
		{1, false, false, true}, {zero, false, false, true}, {math.MaxFloat64, false, false, true},
		{inf, false, true, false}, {-inf, false, true, false}, {nan, true, false, false},
	} {
		if gpu.IsNaN(c.x) != c.nan || gpu.IsInf(c.x) != c.inf || gpu.IsFinite(c.x) != c.finite {
			t.Errorf("%v: NaN %v, Inf %v, finite %v", c.x, gpu.IsNaN(c.x), gpu.IsInf(c.x), gpu.IsFinite(c.x))
		}
	}
}
