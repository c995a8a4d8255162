package exact_test

import (
	"math"
	"testing"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

var halves = []struct {
	name   string
	typ    ir.Type
	widen  func(uint16) float32
	narrow func(float32) uint16
}{
	{"f16", ir.F16, exact.F16ToF32, exact.F32ToF16},
	{"bf16", ir.BF16, exact.BF16ToF32, exact.F32ToBF16},
}

func TestHalvesWidenExactlyAndReturn(t *testing.T) {
	for _, h := range halves {
		t.Run(h.name, func(t *testing.T) {
			f := formatOf(h.typ)
			for i := range 1 << 16 {
				raw := uint16(i)
				v := h.widen(raw)
				if f.isNaN(uint64(raw)) {
					if v == v || uint64(h.narrow(v)) != f.nan() {
						t.Fatalf("NaN %#x widens to %v and comes back as %#x", raw, v, h.narrow(v))
					}
					continue
				}
				if got := uint64(math.Float32bits(v)); got != f.widen(uint64(raw)) {
					t.Fatalf("%#x widens to %#x, want %#x", raw, got, f.widen(uint64(raw)))
				}
				if h.narrow(v) != raw {
					t.Fatalf("%#x widens to %v and comes back as %#x", raw, v, h.narrow(v))
				}
			}
		})
	}
}

// Narrowing is monotonic, so every halfway point with its two neighbours decides it.
func TestHalvesNarrowAtEveryHalfwayPoint(t *testing.T) {
	for _, h := range halves {
		t.Run(h.name, func(t *testing.T) {
			f := formatOf(h.typ)
			for raw := uint16(0); uint64(raw) < f.inf(); raw++ {
				// In float64, since the last halfway point of bf16 has an end beyond float32.
				lo, hi := float64(h.widen(raw)), float64(h.widen(raw+1))
				if uint64(raw+1) == f.inf() {
					hi = math.Ldexp(1, f.emax+1)
				}
				mid := float32((lo + hi) / 2)
				even := raw + raw&1
				for _, row := range []struct {
					v    float32
					want uint16
				}{
					{math.Nextafter32(mid, 0), raw},
					{mid, even},
					{math.Nextafter32(mid, math.MaxFloat32), raw + 1},
				} {
					if got := h.narrow(row.v); got != row.want {
						t.Fatalf("%v, next to the middle of %#x and %#x, narrows to %#x, want %#x", row.v, raw, raw+1, got, row.want)
					}
					if got := h.narrow(-row.v); got != row.want|0x8000 {
						t.Fatalf("%v, next to the middle of −%#x and −%#x, narrows to %#x, want %#x", -row.v, raw, raw+1, got, row.want|0x8000)
					}
				}
			}
		})
	}
}

func TestHalvesNarrowSpecialValues(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, row := range []struct {
		name      string
		v         float32
		f16, bf16 uint16
	}{
		{"one", 1, 0x3C00, 0x3F80},
		{"infinity", inf, 0x7C00, 0x7F80},
		{"minus infinity", -inf, 0xFC00, 0xFF80},
		{"largest float32", math.MaxFloat32, 0x7C00, 0x7F80},
		{"just below the overflow of f16", 65519.996, 0x7BFF, 0x4780},
		{"overflow of f16", 65520, 0x7C00, 0x4780},
		{"smallest float32", math.SmallestNonzeroFloat32, 0, 0},
		{"minus zero", float32(math.Copysign(0, -1)), 0x8000, 0x8000},
		{"NaN with sign and payload", math.Float32frombits(0xFFC0_1234), 0x7E00, 0x7FC0},
		{"signaling NaN with its payload below the cut", math.Float32frombits(0x7F80_0001), 0x7E00, 0x7FC0},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := exact.F32ToF16(row.v); got != row.f16 {
				t.Errorf("f16 of %v = %#x, want %#x", row.v, got, row.f16)
			}
			if got := exact.F32ToBF16(row.v); got != row.bf16 {
				t.Errorf("bf16 of %v = %#x, want %#x", row.v, got, row.bf16)
			}
		})
	}
}

func TestHalfUnaryOpsExhaustively(t *testing.T) {
	for _, h := range halves {
		t.Run(h.name, func(t *testing.T) {
			f := formatOf(h.typ)
			for a := range uint64(1 << 16) {
				want := [...]struct {
					op   ir.Op
					want uint64
				}{
					{ir.OpNeg, a ^ 0x8000},
					{ir.OpAbs, a & 0x7FFF},
					{ir.OpSqrt, uint64(h.narrow(float32(math.Sqrt(float64(h.widen(uint16(a)))))))},
				}
				for _, row := range want {
					if got := exact.Eval(row.op, h.typ, h.typ, 0, a, 0, 0); got != row.want {
						t.Fatalf("%v.%v(%#x) = %#x, want %#x", row.op, h.typ, a, got, row.want)
					}
				}
				if a%64 == 0 {
					if got, want := exact.Eval(ir.OpSqrt, h.typ, h.typ, 0, a, 0, 0), f.root(a); got != want {
						t.Fatalf("sqrt.%v(%#x) = %#x, want %#x", h.typ, a, got, want)
					}
				}
			}
		})
	}
}
