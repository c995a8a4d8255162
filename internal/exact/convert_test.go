package exact_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
)

// mayConvert says which pairs cvt has.
func mayConvert(from, to ir.Type) bool {
	switch {
	case from == to, to == ir.Bool:
		return false
	case from == ir.Bool:
		return !to.IsHalf()
	case from.IsHalf():
		return to == ir.F32
	case to.IsHalf():
		return from == ir.F32
	}
	return true
}

// mayCast says which pairs bitcast has.
func mayCast(from, to ir.Type) bool {
	switch {
	case from == to:
		return false
	case from.IsHalf():
		return to == ir.U32
	case to.IsHalf():
		return from == ir.U32
	}
	return from.Bits() == to.Bits()
}

func TestConversionsThatExist(t *testing.T) {
	for from := ir.Bool; from <= ir.BF16; from++ {
		for to := ir.Bool; to <= ir.BF16; to++ {
			if got, want := ir.CanConvert(to, from), mayConvert(from, to); got != want {
				t.Errorf("cvt from %v to %v: %v, want %v", from, to, got, want)
			}
			if from == ir.Bool || to == ir.Bool {
				continue
			}
			if got, want := ir.CanBitcast(to, from), mayCast(from, to); got != want {
				t.Errorf("bitcast from %v to %v: %v, want %v", from, to, got, want)
			}
		}
	}
}

func isFloat(t ir.Type) bool { return t.IsFloat() || t.IsHalf() }

// converted is cvt by exact numbers.
func converted(from, to ir.Type, a uint64) uint64 {
	var v *big.Rat
	var negative bool
	if isFloat(from) {
		f := formatOf(from)
		negative = f.negative(a)
		switch {
		case f.isNaN(a) && isFloat(to):
			return formatOf(to).nan()
		case f.isNaN(a):
			return 0
		case f.isInf(a) && isFloat(to):
			return formatOf(to).signed(negative, formatOf(to).inf())
		case f.isInf(a):
			// Beyond every integer; the clamp does the rest.
			v = ratPow2(2000)
			if negative {
				v.Neg(v)
			}
		default:
			v = f.rat(a)
		}
	} else {
		v = new(big.Rat).SetInt(integer{from.Bits(), from.IsSigned()}.value(a))
	}
	if isFloat(to) {
		return formatOf(to).round(v, negative)
	}
	n := integer{to.Bits(), to.IsSigned()}
	whole := new(big.Int).Quo(v.Num(), v.Denom())
	if isFloat(from) {
		whole = n.clamp(whole)
	}
	return n.raw(whole)
}

// convertEdges adds, to the edges of the type, the neighbours of what the others can hold.
func convertEdges(from ir.Type) []uint64 {
	v := edges(from)
	switch {
	case from == ir.Bool:
	case from.IsInt():
		// Halfway cases of both float formats at every magnitude, and their neighbours.
		for bits := uint(2); bits <= from.Bits(); bits++ {
			for _, p := range []uint{24, 53} {
				if bits <= p {
					continue
				}
				half := uint64(1) << (bits - p - 1)
				for _, base := range []uint64{1 << (bits - 1), 1<<(bits-1) + 2*half, 1<<(bits-1) + 4*half, -(2 * half) & (1<<bits - 1)} {
					for _, x := range []uint64{base + half, base + half - 1, base + half + 1} {
						v = append(v, x&from.Mask(), -x&from.Mask())
					}
				}
			}
		}
	default:
		f := formatOf(from)
		for _, e := range []int{7, 8, 15, 16, 31, 32, 52, 53, 62, 63, 64} {
			if e > f.emax {
				continue
			}
			x := uint64(e-f.emin+1) << (f.p - 1)
			for d := range uint64(3) {
				v = append(v, x-d, x+d, x-d|f.sign(), x+d|f.sign())
			}
		}
	}
	return v
}

func TestEveryLegalConversion(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	carried(ir.OpCvt, func(from, to ir.Type) {
		t.Run(from.String()+" to "+to.String(), func(t *testing.T) {
			values := convertEdges(from)
			for range 1000 {
				values = append(values, rng.Uint64()>>rng.UintN(64)&from.Mask(), rng.Uint64()&from.Mask())
			}
			for _, a := range values {
				if got, want := exact.Eval(ir.OpCvt, from, to, 0, a, 0, 0), converted(from, to, a); got != want {
					t.Fatalf("cvt.%v.%v(%#x) = %#x, want %#x", from, to, a, got, want)
				}
			}
		})
	})
}

// At a tiny width the types keep their proportion: i64 at 8 bits converts to i32 at 4.
func TestIntegerConversionsAtTinyWidths(t *testing.T) {
	for _, from := range intTypes {
		for _, to := range intTypes {
			if from == to {
				continue
			}
			for _, width := range []uint{6, 8} {
				n := integer{width, from.IsSigned()}
				m := integer{width * to.Bits() / from.Bits(), to.IsSigned()}
				for _, a := range all(width) {
					if got, want := at(ir.OpCvt, from, to, width, 0, a, 0, 0), m.raw(n.value(a)); got != want {
						t.Fatalf("cvt.%v.%v at width %d of %#x = %#x, want %#x", from, to, width, a, got, want)
					}
				}
			}
		}
	}
}

func TestFloatToTinyIntegersClamps(t *testing.T) {
	for _, to := range []ir.Type{ir.I32, ir.U32} {
		for _, width := range []uint{6, 8} {
			n := integer{width, to.IsSigned()}
			for q := -1200; q <= 1200; q++ {
				v := float32(q) / 4
				want := n.raw(n.clamp(big.NewInt(int64(q / 4))))
				if got := at(ir.OpCvt, ir.F32, to, width, 0, uint64(math.Float32bits(v)), 0, 0); got != want {
					t.Fatalf("cvt.f32.%v at width %d of %v = %#x, want %#x", to, width, v, got, want)
				}
			}
		}
	}
}

func TestBitcastKeepsEveryBit(t *testing.T) {
	carried(ir.OpBitcast, func(from, to ir.Type) {
		for _, a := range edges(from) {
			if got := exact.Eval(ir.OpBitcast, from, to, 0, a, 0, 0); got != a&to.Mask() {
				t.Fatalf("bitcast.%v.%v(%#x) = %#x", from, to, a, got)
			}
		}
	})
}

// TestEveryF32Conversion compares operands from all over, with -exhaustive all 2³², with the machine's own float64
// arithmetic, which is exact for these targets.
func TestEveryF32Conversion(t *testing.T) {
	stride := uint64(65_537) // prime, so that all low bits occur
	switch {
	case long.Exhaustive():
		stride = 1
	case long.Enabled():
		stride = 251
	}
	clamp := func(v, lo, hi float64) float64 {
		if v != v {
			return 0
		}
		return math.Trunc(math.Max(lo, math.Min(hi, v)))
	}
	var wg sync.WaitGroup
	workers := uint64(runtime.GOMAXPROCS(0))
	for w := range workers {
		wg.Go(func() {
			for a := w * stride; a < 1<<32; a += workers * stride {
				v := float64(math.Float32frombits(uint32(a)))
				for _, row := range [...]struct {
					to   ir.Type
					want uint64
				}{
					{ir.I32, uint64(uint32(int64(clamp(v, math.MinInt32, math.MaxInt32))))},
					{ir.U32, uint64(clamp(v, 0, math.MaxUint32))},
					{ir.F16, scaledHalf(v, 11, -14, 15)},
					{ir.BF16, scaledHalf(v, 8, -126, 127)},
				} {
					if got := exact.Eval(ir.OpCvt, ir.F32, row.to, 0, a, 0, 0); got != row.want {
						t.Errorf("cvt.f32.%v(%#x) = %#x, want %#x", row.to, a, got, row.want)
						return
					}
				}
			}
		})
	}
	wg.Wait()
}

// scaledHalf rounds by scaling the unit in the last place to 1, in float64, where
// nothing but the rounding to an integer is inexact.
func scaledHalf(v float64, p, emin, emax int) uint64 {
	f := format{p, emin, emax}
	if v != v {
		return f.nan()
	}
	negative := math.Signbit(v)
	v = math.Abs(v)
	if v >= 0x1p129 {
		return f.signed(negative, f.inf())
	}
	_, e := math.Frexp(v)
	e = max(e-1, emin)
	if v == 0 {
		e = emin
	}
	units := math.RoundToEven(v * math.Float64frombits(uint64(1023+p-1-e)<<52))
	return f.signed(negative, min(uint64(e-emin)<<(p-1)+uint64(units), f.inf()))
}
