package gpu_test

import (
	"math"
	"math/big"
	"math/bits"
	"testing"

	"github.com/govyre/vyre/gpu"
)

// checkWord compares the wide operations on T with arbitrary precision, over edge values.
func checkWord[T gpu.Word](t *testing.T, name string, least, greatest T, toBig func(T) *big.Int) {
	t.Helper()
	w := uint(bits.OnesCount64(uint64(greatest)))
	if least < 0 {
		w++
	}
	clamp := func(x *big.Int) *big.Int {
		if lo := toBig(least); x.Cmp(lo) < 0 {
			return lo
		}
		if hi := toBig(greatest); x.Cmp(hi) > 0 {
			return hi
		}
		return x
	}
	values := []T{0, 1, 2, 3, least, least + 1, greatest, greatest - 1, greatest / 2, greatest / 3, least / 3, ^T(0)}
	for _, a := range values {
		for _, b := range values {
			x, y := toBig(a), toBig(b)
			for _, c := range []struct {
				op   string
				got  T
				want *big.Int
			}{
				{"MulHigh", gpu.MulHigh(a, b), new(big.Int).Rsh(new(big.Int).Mul(x, y), w)},
				{"AddSat", gpu.AddSat(a, b), clamp(new(big.Int).Add(x, y))},
				{"SubSat", gpu.SubSat(a, b), clamp(new(big.Int).Sub(x, y))},
				{"MulSat", gpu.MulSat(a, b), clamp(new(big.Int).Mul(x, y))},
			} {
				if toBig(c.got).Cmp(c.want) != 0 {
					t.Errorf("%s: %s(%v, %v) = %v, want %v", name, c.op, a, b, c.got, c.want)
				}
			}
		}
	}
}

func TestWideIntegerOperations(t *testing.T) {
	type id uint32
	checkWord[int32](t, "int32", math.MinInt32, math.MaxInt32, func(x int32) *big.Int { return big.NewInt(int64(x)) })
	checkWord[int64](t, "int64", math.MinInt64, math.MaxInt64, big.NewInt)
	checkWord[int](t, "int", math.MinInt, math.MaxInt, func(x int) *big.Int { return big.NewInt(int64(x)) })
	checkWord[uint32](t, "uint32", 0, math.MaxUint32, func(x uint32) *big.Int { return big.NewInt(int64(x)) })
	checkWord[uint64](t, "uint64", 0, math.MaxUint64, func(x uint64) *big.Int { return new(big.Int).SetUint64(x) })
	checkWord[uint](t, "uint", 0, math.MaxUint, func(x uint) *big.Int { return new(big.Int).SetUint64(uint64(x)) })
	checkWord[id](t, "defined uint32", 0, math.MaxUint32, func(x id) *big.Int { return big.NewInt(int64(x)) })
}

func TestIntegerOperations(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want any
	}{
		{"AbsDiff", gpu.AbsDiff(uint32(3), math.MaxUint32), uint32(math.MaxUint32 - 3)},
		{"AbsDiff of uint64", gpu.AbsDiff(uint64(math.MaxUint64), 3), uint64(math.MaxUint64 - 3)},
		{"AbsDiffI32", gpu.AbsDiffI32(math.MinInt32, math.MaxInt32), uint32(math.MaxUint32)},
		{"AbsDiffI64", gpu.AbsDiffI64(math.MaxInt64, math.MinInt64), uint64(math.MaxUint64)},
		{"ExtractBits", gpu.ExtractBits(uint32(0xABCD1234), 8, 12), uint32(0xD12)},
		{"ExtractBits extends the sign", gpu.ExtractBits(int64(0xF00), 8, 4), int64(-1)},
		{"ExtractBits of all", gpu.ExtractBits(int32(-5), 0, 32), int32(-5)},
		{"InsertBits", gpu.InsertBits(uint64(math.MaxUint64), 0xF12, 4, 8), uint64(0xFFFF_FFFF_FFFF_F12F)},
		{"PermuteBytes", gpu.PermuteBytes(0x33221100, 0x77665544, 0x7052), uint32(0x77005522)},
		{"PermuteBytes copies the top bit", gpu.PermuteBytes(0x00008000, 0, 0x0908), uint32(0x00FF0000)},
		{"Dot4", gpu.Dot4(0xFF020304, 0x02010203, 10), uint32(510 + 2 + 6 + 12 + 10)},
		{"Dot4I", gpu.Dot4I(-0x00FDFCFC, 0x02010203, -10), int32(2*-1 + 1*2 + 2*3 + 3*4 - 10)},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %#x, want %#x", c.name, c.got, c.want)
		}
	}
}

func TestFieldsBeyondTheirType(t *testing.T) {
	for _, f := range [][2]int{{0, 0}, {-1, 2}, {31, 2}, {0, 33}, {math.MaxInt, 1}, {1, math.MaxInt}} {
		wantMatch(t, panicOf(t, func() { gpu.ExtractBits(uint32(1), f[0], f[1]) }), "ExtractBits of .* within the 32 bits")
		wantMatch(t, panicOf(t, func() { gpu.InsertBits(uint32(1), 1, f[0], f[1]) }), "InsertBits of .* within the 32 bits")
	}
}
