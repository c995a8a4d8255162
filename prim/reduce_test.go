package prim_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/prim"
)

// tree combines elements in the order that the documentation states, by another way than the kernel: what is absent is left
// out.
func tree[T any](x []T, op func(a, b T) T) (T, bool) {
	type some struct {
		v  T
		ok bool
	}
	both := func(a, b some) some {
		switch {
		case !a.ok:
			return b
		case !b.ok:
			return a
		}
		return some{op(a.v, b.v), true}
	}
	for len(x) > 1 {
		var next []T
		for base := 0; base < len(x); base += 4096 {
			at := func(i int) some {
				if base+i < len(x) {
					return some{x[base+i], true}
				}
				return some{}
			}
			var threads [256]some
			for j := range threads {
				var s [4]some
				for r := range s {
					k := 1024*r + 4*j
					s[r] = both(both(at(k), at(k+1)), both(at(k+2), at(k+3)))
				}
				threads[j] = both(both(s[0], s[1]), both(s[2], s[3]))
			}
			var warps [8]some
			for w := range warps {
				v := threads[32*w : 32*w+32]
				for h := 16; h > 0; h /= 2 {
					for i := range h {
						v[i] = both(v[i], v[i+h])
					}
				}
				warps[w] = v[0]
			}
			for h := 4; h > 0; h /= 2 {
				for i := range h {
					warps[i] = both(warps[i], warps[i+h])
				}
			}
			next = append(next, warps[0].v)
		}
		x = next
	}
	if len(x) == 0 {
		var none T
		return none, false
	}
	return x[0], true
}

// lengths are numbers of elements near which something changes.
func lengths() []int {
	if long.Enabled() {
		return []int{0, 1, 31, 32, 33, 4096, 8193}
	}
	return []int{0, 33, 4097, 8193}
}

func integers[T gpu.Integer](t *testing.T, d vyre.Device, n int) {
	t.Helper()
	x := make([]T, n)
	for i := range x {
		x[i] = T(chance.Uint64())
	}
	for op, f := range []func(a, b T) T{func(a, b T) T { return a + b }, func(a, b T) T { return a * b }, func(a, b T) T { return min(a, b) },
		func(a, b T) T { return max(a, b) }, func(a, b T) T { return a & b }, func(a, b T) T { return a | b }, func(a, b T) T { return a ^ b }} {
		if !long.Enabled() && chance.IntN(3) != 0 {
			continue
		}
		want, some := tree(x, f)
		got := reduce[T, T](t, d, prim.Operator(op), x)
		if some && got != want {
			t.Errorf("the %v of %d %T is %v, want %v", prim.Operator(op), n, want, got, want)
		}
		if !some && (f(got, 5) != 5 || f(got, 0) != 0) {
			t.Errorf("the %v of no %T is %v, which changes others", prim.Operator(op), want, got)
		}
	}
}

func floats[T gpu.Float](t *testing.T, d vyre.Device, n int, bits func(T) uint64) {
	t.Helper()
	x := make([]T, n)
	for i := range x {
		x[i] = T(chance.NormFloat64() * math.Exp2(float64(chance.IntN(40))))
		switch chance.IntN(100) {
		case 0:
			x[i] = T(math.Copysign(0, -1))
		case 1:
			x[i] = 0
		}
	}
	for op, f := range []func(a, b T) T{func(a, b T) T { return a + b }, func(a, b T) T { return a * b }, // NaNs are equal
		func(a, b T) T { return gpu.Min(a, b) }, func(a, b T) T { return gpu.Max(a, b) }} {
		want, some := tree(x, f)
		if !some {
			want = T([]float64{0, 1, math.Inf(1), math.Inf(-1)}[op])
		}
		if got := reduce[T, T](t, d, prim.Operator(op), x); bits(got) != bits(want) && (got == got || want == want) {
			t.Errorf("the %v of %d %T is %v, want %v", prim.Operator(op), n, want, got, want)
		}
	}
}

func TestReduceIsTheTreeOfItsElements(t *testing.T) {
	drawing(t)
	for _, name := range devices() {
		d := open(t, name)
		for _, n := range lengths() {
			for k, try := range []func(*testing.T, vyre.Device, int){integers[uint8], integers[int8], integers[uint16], integers[int16],
				integers[uint32], integers[int32], integers[uint64], integers[int64]} {
				if chance.IntN(8) == k || long.Enabled() && chance.IntN(3) == 0 {
					try(t, d, n)
				}
			}
			floats(t, d, n, func(v float32) uint64 { return uint64(math.Float32bits(v)) })
			floats(t, d, n, math.Float64bits)
		}
	}
}

// TestReduceOfThreeLevels has one element more than a tile of tiles.
func TestReduceOfThreeLevels(t *testing.T) {
	drawing(t)
	long.Only(t, "takes 16 million elements")
	for _, name := range devices() {
		if strings.HasPrefix(name, "cuda-sim") && !long.Whole() && chance.IntN(4) > 0 {
			continue
		}
		floats(t, open(t, name), 4096*4096+1, math.Float64bits)
	}
}

func TestReduceOfAnyGridIsTheSame(t *testing.T) {
	defer prim.ForceGroups(0)
	x := uniforms(30000)
	want, _ := tree(x, func(a, b float32) float32 { return a + b })
	for _, name := range devices() {
		d := open(t, name)
		for _, groups := range []uint32{1, 2, 7, 19} {
			prim.ForceGroups(groups)
			if got := reduce[float32, float32](t, d, prim.Sum, x); got != want {
				t.Errorf("%s: with %d groups the sum is %v, want %v", name, groups, got, want)
			}
		}
	}
}

func TestReduceOfMinusZerosAndNaNs(t *testing.T) {
	for _, name := range devices() {
		d := open(t, name)
		minus, nan := math.Copysign(0, -1), math.NaN()
		if got := reduce[float64, float64](t, d, prim.Sum, []float64{minus, minus, minus}); math.Float64bits(got) != 1<<63 {
			t.Errorf("%s: the sum of minus zeros is %v", name, got)
		}
		if got := reduce[float64, float64](t, d, prim.Min, []float64{nan, 3, nan, 2}); got != 2 {
			t.Errorf("%s: the least of 3, 2 and NaNs is %v", name, got)
		}
		if got := reduce[float64, float64](t, d, prim.Max, []float64{minus, 0, minus}); math.Float64bits(got) != 0 {
			t.Errorf("%s: the greatest of zeros is %v", name, got)
		}
		if got := reduce[float64, float64](t, d, prim.Max, []float64{nan}); got == got {
			t.Errorf("%s: the greatest of a NaN is %v", name, got)
		}
	}
}

func TestWidenedSumsDoNotWrap(t *testing.T) {
	for _, name := range devices() {
		d := open(t, name)
		if got := reduce[uint8, uint64](t, d, prim.Sum, []uint8{255, 255, 255}); got != 765 {
			t.Errorf("%s: 3 times 255 is %d", name, got)
		}
		if got := reduce[int16, int64](t, d, prim.Product, []int16{-32768, -32768, -2}); got != -2147483648 {
			t.Errorf("%s: the product is %d", name, got)
		}
		if got := reduce[float32, float64](t, d, prim.Sum, []float32{1 << 24, 1, 1, 1}); got != 1<<24+3 {
			t.Errorf("%s: the sum is %v", name, got)
		}
	}
}

// TestLengthsOnTheDevice runs a recorded step for lengths that the device holds, and one that is too large.
func TestLengthsOnTheDevice(t *testing.T) {
	for _, name := range devices() {
		d := open(t, name)
		x := words(9000)
		r := must(prim.NewReduce[uint32](ctx, d, prim.Sum, len(x)))(t)
		in, out := must(vyre.Upload(ctx, d, x))(t), must(vyre.Alloc[uint32](d, 1))(t)
		n := must(vyre.Alloc[uint64](d, 1))(t)
		seq := d.NewSequence("length on the device")
		step := r.Record(seq, prim.At(n), in.View(1, len(x)), out) // at no multiple of 16 bytes
		for _, k := range []uint64{0, 1, 4096, 8999, 5} {
			if err := n.Write(ctx, []uint64{k}); err != nil {
				t.Fatal(err)
			}
			if _, err := seq.Run(ctx); err != nil {
				t.Fatal(err)
			}
			want := uint32(0)
			for _, v := range x[1 : 1+k] {
				want += v
			}
			if got := must(out.Read(ctx))(t)[0]; got != want {
				t.Errorf("%s: the sum of %d is %d, want %d", name, k, got, want)
			}
		}
		for _, k := range []uint64{9000, 1 << 40} {
			if err := n.Write(ctx, []uint64{k}); err != nil {
				t.Fatal(err)
			}
			_, err := seq.Run(ctx)
			var trap *vyre.TrapError
			if !errors.As(err, &trap) || trap.Value != k || !strings.Contains(err.Error(), "9000") {
				t.Errorf("%s: a length of %d, of at most 8999, gives %v", name, k, err)
			}
		}
		if err := step.SetLength(prim.N(9)); err != nil {
			t.Fatal(err)
		}
		if _, err := seq.Run(ctx); err != nil {
			t.Error(err)
		}
		for _, k := range []int{-1, 9000, 9001} {
			if err := step.SetLength(prim.N(k)); !errors.Is(err, vyre.InvalidArgument) || !strings.Contains(err.Error(), fmt.Sprint(k)) {
				t.Errorf("%s: length %d of the host gives %v", name, k, err)
			}
		}
		closeAll(t, seq, in, out, n, r)
	}
}

func TestWhatCannotBeReducedIsRefused(t *testing.T) {
	d := open(t, "cpu")
	for what, err := range map[string]error{
		"xor of floats":  second(prim.NewReduce[float32](ctx, d, prim.Xor, 1)),
		"no operator":    second(prim.NewReduce[uint32](ctx, d, 7, 1)),
		"structs":        second(prim.NewReduce[quad](ctx, d, prim.Sum, 1)),
		"a narrower sum": second(prim.NewReduceTo[uint64, uint32](ctx, d, prim.Sum, 1)),
		"another sign":   second(prim.NewReduceTo[uint8, int64](ctx, d, prim.Sum, 1)),
		"a negative max": second(prim.NewReduce[uint32](ctx, d, prim.Sum, -1)),
		"no device":      second(prim.NewReduce[uint32](ctx, nil, prim.Sum, 1)),
	} {
		if !errors.Is(err, vyre.InvalidArgument) && !errors.Is(err, vyre.Unsupported) {
			t.Errorf("%s gives %v", what, err)
		}
	}
	if err := second(prim.NewReduce[float32](ctx, d, 7, 1)); !strings.Contains(err.Error(), "operator 7; fix: pass Sum") {
		t.Errorf("no operator, of floats, gives %v", err)
	}
	r := must(prim.NewReduce[uint32](ctx, d, prim.Sum, 10))(t)
	x, out := must(vyre.Alloc[uint32](d, 5))(t), must(vyre.Alloc[uint32](d, 1))(t)
	seq := d.NewSequence("refused")
	r.Record(seq, prim.N(6), x, out)
	r.Record(seq, prim.N(11), x, out)
	if err := seq.Prepare(); err == nil || !strings.Contains(err.Error(), "length 6") || !strings.Contains(err.Error(), "length 11") {
		t.Errorf("lengths above what there is give %v", err)
	}
	closeAll(t, seq, x, out, r, r)
}

func second[T any](_ T, err error) error { return err }

func TestReduceSlice(t *testing.T) {
	for _, name := range devices() {
		if got := must(prim.ReduceSlice(ctx, open(t, name), prim.Max, words(777)))(t); got != slices.Max(words(777)) {
			t.Errorf("%s: the greatest word is %08x", name, got)
		}
	}
}
