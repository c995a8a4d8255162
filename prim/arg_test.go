package prim_test

import (
	"math"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/prim"
)

// arg runs ArgMin and ArgMax, and compares with a loop.
func arg[T vyre.Element](t *testing.T, d vyre.Device, x []T, less func(a, b T) bool, nan func(T) bool) {
	t.Helper()
	for _, greatest := range []bool{false, true} {
		make := prim.NewArgMin[T]
		if greatest {
			make = prim.NewArgMax[T]
		}
		a := must(make(ctx, d, len(x)))(t)
		in, out, index := must(vyre.Upload(ctx, d, x))(t), must(vyre.Alloc[T](d, 1))(t), must(vyre.Alloc[uint64](d, 1))(t)
		seq := d.NewSequence("arg")
		a.Record(seq, prim.N(len(x)), in, out, index)
		for range 2 {
			if _, err := seq.Run(ctx); err != nil {
				t.Fatal(err)
			}
			want := uint64(math.MaxUint64)
			for i, v := range x {
				if nan == nil || !nan(v) {
					if want == math.MaxUint64 || !greatest && less(v, x[want]) || greatest && less(x[want], v) {
						want = uint64(i)
					}
				}
			}
			if got := must(index.Read(ctx))(t)[0]; got != want {
				t.Errorf("of %d elements, greatest %v: index %d, want %d", len(x), greatest, got, want)
			} else if want != math.MaxUint64 && must(out.Read(ctx))(t)[0] != x[want] {
				t.Errorf("the element at %d is not the one that was found", want)
			}
		}
		closeAll(t, seq, in, out, index, a)
	}
}

func TestArgFindsTheFirstOfTheLeastAndTheGreatest(t *testing.T) {
	for _, name := range devices() {
		d := open(t, name)
		for _, n := range []int{0, 33, 4097} {
			x := words(n)
			arg(t, d, x, func(a, b uint32) bool { return a < b }, nil)
			few, signed, floats, doubles := make([]uint8, n), make([]int16, n), make([]float32, n), make([]float64, n)
			for i, v := range x {
				few[i], signed[i] = uint8(v%7), int16(v)
				floats[i], doubles[i] = math.Float32frombits(v), math.Float64frombits(uint64(v)<<32|uint64(v))
				if v%16 == 0 {
					floats[i], doubles[i] = float32(math.NaN()), math.Copysign(0, -1)
				}
			}
			arg(t, d, few, func(a, b uint8) bool { return a < b }, nil)
			arg(t, d, signed, func(a, b int16) bool { return a < b }, nil)
			arg(t, d, floats, func(a, b float32) bool {
				return a < b || a == b && math.Signbit(float64(a)) && !math.Signbit(float64(b))
			}, func(v float32) bool { return v != v })
			arg(t, d, doubles, func(a, b float64) bool { return a < b || a == b && math.Signbit(a) && !math.Signbit(b) }, func(v float64) bool { return v != v })
		}
	}
}
