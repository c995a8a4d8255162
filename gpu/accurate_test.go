package gpu_test

import (
	"math"
	"testing"

	"github.com/govyre/vyre/gpu"
)

// These tests see that each name is bound to its function, for both types. The bounds
// themselves are tested where the recipes are, in package exact.

// ulps returns the distance of got from want in units of want's last place, for a
// precision of p bits.
func ulps(got, want float64, p int) float64 {
	if sameNumber(got, want) {
		return 0
	}
	_, e := math.Frexp(want)
	return math.Abs(got-want) / math.Ldexp(1, e-p)
}

func TestAccurateFunctions(t *testing.T) {
	all := []float64{-30, -2.5, -1, -0.3, -1e-5, 0, 1e-5, 0.3, 1, 2.5, 30}
	positive := []float64{1e-9, 0.3, 0.9, 1, 1.1, 2.5, 700, 1e20}
	unit := []float64{-1, -0.9, -0.3, -1e-5, 0, 1e-5, 0.3, 0.9, 1}
	for _, c := range []struct {
		unary
		at []float64
	}{
		{unary{"Rsqrt", gpu.Rsqrt[float64], gpu.Rsqrt[float32], func(x float64) float64 { return 1 / math.Sqrt(x) }}, positive},
		{unary{"Exp", gpu.Exp[float64], gpu.Exp[float32], math.Exp}, all},
		{unary{"Exp2", gpu.Exp2[float64], gpu.Exp2[float32], math.Exp2}, all},
		{unary{"Expm1", gpu.Expm1[float64], gpu.Expm1[float32], math.Expm1}, all},
		{unary{"Log", gpu.Log[float64], gpu.Log[float32], math.Log}, positive},
		{unary{"Log2", gpu.Log2[float64], gpu.Log2[float32], math.Log2}, positive},
		{unary{"Log10", gpu.Log10[float64], gpu.Log10[float32], math.Log10}, positive},
		{unary{"Log1p", gpu.Log1p[float64], gpu.Log1p[float32], math.Log1p}, positive},
		{unary{"Sin", gpu.Sin[float64], gpu.Sin[float32], math.Sin}, all},
		{unary{"Cos", gpu.Cos[float64], gpu.Cos[float32], math.Cos}, all},
		{unary{"Tan", gpu.Tan[float64], gpu.Tan[float32], math.Tan}, all},
		{unary{"Asin", gpu.Asin[float64], gpu.Asin[float32], math.Asin}, unit},
		{unary{"Acos", gpu.Acos[float64], gpu.Acos[float32], math.Acos}, unit},
		{unary{"Atan", gpu.Atan[float64], gpu.Atan[float32], math.Atan}, all},
		{unary{"Sinh", gpu.Sinh[float64], gpu.Sinh[float32], math.Sinh}, all},
		{unary{"Cosh", gpu.Cosh[float64], gpu.Cosh[float32], math.Cosh}, all},
		{unary{"Tanh", gpu.Tanh[float64], gpu.Tanh[float32], math.Tanh}, all},
		{unary{"Cbrt", gpu.Cbrt[float64], gpu.Cbrt[float32], math.Cbrt}, all},
		{unary{"Erf", gpu.Erf[float64], gpu.Erf[float32], math.Erf}, all},
	} {
		for _, x := range c.at {
			if d := ulps(c.f(x), c.want(x), 53); !(d <= 4) { // package math has errors of its own
				t.Errorf("%s(%v) = %v, want %v: %.2f ulp", c.name, x, c.f(x), c.want(x), d)
			}
			x := float32(x)
			if d := ulps(float64(c.g(x)), c.want(float64(x)), 24); !(d <= 2.01) {
				t.Errorf("%s(%v) of float32 = %v, want %v: %.2f ulp", c.name, x, c.g(x), c.want(float64(x)), d)
			}
		}
	}
}

func TestAccurateFunctionsOfTwo(t *testing.T) {
	for _, c := range []struct {
		name string
		f    func(x, y float64) float64
		g    func(x, y float32) float32
		want func(x, y float64) float64
	}{
		{"Pow", gpu.Pow[float64], gpu.Pow[float32], math.Pow},
		{"Atan2", gpu.Atan2[float64], gpu.Atan2[float32], math.Atan2},
		{"Hypot", gpu.Hypot[float64], gpu.Hypot[float32], math.Hypot},
	} {
		for _, x := range []float64{0.1, 1, 1.7, 9} {
			for _, y := range []float64{-3.3, -1, 0, 0.4, 12} {
				if d := ulps(c.f(x, y), c.want(x, y), 53); !(d <= 4) {
					t.Errorf("%s(%v, %v) = %v, want %v: %.2f ulp", c.name, x, y, c.f(x, y), c.want(x, y), d)
				}
				x, y := float32(x), float32(y)
				if want := c.want(float64(x), float64(y)); !(ulps(float64(c.g(x, y)), want, 24) <= 2.01) {
					t.Errorf("%s(%v, %v) of float32 = %v, want %v", c.name, x, y, c.g(x, y), want)
				}
			}
		}
	}
}

func TestFastFunctions(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"FastExp", float64(gpu.FastExp(2.5)), math.Exp(2.5)},
		{"FastExp2", float64(gpu.FastExp2(-3.25)), math.Exp2(-3.25)},
		{"FastLog", float64(gpu.FastLog(9.5)), math.Log(9.5)},
		{"FastLog2", float64(gpu.FastLog2(9.5)), math.Log2(9.5)},
		{"FastSin", float64(gpu.FastSin(2)), math.Sin(2)},
		{"FastCos", float64(gpu.FastCos(2)), math.Cos(2)},
		{"FastTanh", float64(gpu.FastTanh(0.5)), math.Tanh(0.5)},
		{"FastSqrt", float64(gpu.FastSqrt(2)), math.Sqrt2},
		{"FastRsqrt", float64(gpu.FastRsqrt(2)), 1 / math.Sqrt2},
		{"FastRcp", float64(gpu.FastRcp(3)), 1.0 / 3},
		{"FastDiv", float64(gpu.FastDiv(22, 7)), 22.0 / 7},
		{"FastPow", float64(gpu.FastPow(1.7, 3.5)), math.Pow(1.7, 3.5)},
	} {
		if math.Abs(c.got/c.want-1) > 1e-6 {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}

// A fused multiply-add in one of the composed functions would change bits.
func TestFastCompositionsRoundEachStep(t *testing.T) {
	x := float32(3.7)
	if got, want := gpu.FastExp(x), gpu.FastExp2(float32(x*float32(math.Log2E))); got != want {
		t.Errorf("FastExp(%v) = %v, want %v", x, got, want)
	}
}
