package gpu_test

import (
	"math"
	"testing"

	"github.com/govyre/vyre/gpu"
)

// halfOps is what both formats offer.
type halfOps[H any] interface {
	comparable
	Float32() float32
	Bits() uint16
	Add(H) H
	Sub(H) H
	Mul(H) H
	Div(H) H
	Neg() H
	Abs() H
	Sqrt() H
	Less(H) bool
	Equal(H) bool
}

// checkHalf compares each operation with: widen, compute in float32, round.
func checkHalf[H halfOps[H]](t *testing.T, round func(float32) H, fromBits func(uint16) H) {
	values := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.5, 3, -7.25, 100, 0.0001, -0.333, 40000, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}
	same := func(op string, a, b, got, want H) {
		t.Helper()
		if got != want && !(got.Float32() != got.Float32() && want.Float32() != want.Float32()) {
			t.Errorf("%s of %v and %v: %v, want %v", op, a.Float32(), b.Float32(), got.Float32(), want.Float32())
		}
	}
	for _, x := range values {
		a := round(x)
		f := a.Float32()
		same("bits", a, a, fromBits(a.Bits()), a)
		same("round trip", a, a, round(f), a)
		same("Neg", a, a, a.Neg(), round(-f))
		same("Abs", a, a, a.Abs(), round(float32(math.Abs(float64(f)))))
		same("Sqrt", a, a, a.Sqrt(), round(float32(math.Sqrt(float64(f)))))
		for _, y := range values {
			b := round(y)
			g := b.Float32()
			same("Add", a, b, a.Add(b), round(f+g))
			same("Sub", a, b, a.Sub(b), round(f-g))
			same("Mul", a, b, a.Mul(b), round(f*g))
			same("Div", a, b, a.Div(b), round(f/g))
			if a.Less(b) != (f < g) || a.Equal(b) != (f == g) {
				t.Errorf("%v and %v: Less %v, Equal %v", f, g, a.Less(b), a.Equal(b))
			}
		}
	}
}

func TestHalfArithmetic(t *testing.T) {
	t.Run("Float16", func(t *testing.T) { checkHalf(t, gpu.ToFloat16, gpu.Float16FromBits) })
	t.Run("BFloat16", func(t *testing.T) { checkHalf(t, gpu.ToBFloat16, gpu.BFloat16FromBits) })
}

func TestHalfRounding(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want uint16
	}{
		{"Float16 one", gpu.ToFloat16(1).Bits(), 0x3C00},
		{"Float16 tie to even, down", gpu.ToFloat16(2049).Bits(), 0x6800},
		{"Float16 tie to even, up", gpu.ToFloat16(2051).Bits(), 0x6802},
		{"Float16 largest", gpu.ToFloat16(65519).Bits(), 0x7BFF},
		{"Float16 overflow", gpu.ToFloat16(65520).Bits(), 0x7C00},
		{"Float16 least subnormal", gpu.ToFloat16(0x1p-24).Bits(), 0x0001},
		{"Float16 tie to zero", gpu.ToFloat16(-0x1p-25).Bits(), 0x8000},
		{"BFloat16 one", gpu.ToBFloat16(1).Bits(), 0x3F80},
		{"BFloat16 tie to even, down", gpu.ToBFloat16(257).Bits(), 0x4380},
		{"BFloat16 tie to even, up", gpu.ToBFloat16(259).Bits(), 0x4382},
		{"BFloat16 overflow", gpu.ToBFloat16(math.MaxFloat32).Bits(), 0x7F80},
	} {
		if c.got != c.want {
			t.Errorf("%s: %#04x, want %#04x", c.name, c.got, c.want)
		}
	}
}
