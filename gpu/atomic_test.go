package gpu_test

import (
	"math"
	"testing"

	"github.com/govyre/vyre/gpu"
)

// Every invocation of 4 groups of 64 changes one cell by an operation whose total does
// not depend on the order.
func contend[T gpu.Word | gpu.Float](t *testing.T, name string, start, want T, op func(p *T, i T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		x := []T{77, start, 77}
		gpu.Run(grid(4, 64), func(t gpu.Thread) { op(&x[1], T(t.GlobalIndex())) })
		if x[1] != want || x[0] != 77 || x[2] != 77 {
			t.Errorf("got %v, want [77 %v 77]", x, want)
		}
	})
}

func contendWord[T gpu.Word](t *testing.T, typ string) {
	t.Helper()
	contend(t, typ+" sub", 0, ^T(32640)+1, func(p *T, i T) { gpu.AtomicSub(p, i) })
	contend(t, typ+" and", ^T(0), ^T(127), func(p *T, i T) { gpu.AtomicAnd(p, ^(i & 127)) })
	contend(t, typ+" or", 0, 255, func(p *T, i T) { gpu.AtomicOr(p, i) })
	contend(t, typ+" xor", 9, 9, func(p *T, i T) { gpu.AtomicXor(p, i) })
	contendNumber[T](t, typ)
}

func contendNumber[T gpu.Word | gpu.Float](t *testing.T, typ string) {
	t.Helper()
	contend(t, typ+" min", 300, 5, func(p *T, i T) { gpu.AtomicMin(p, i+5) })
	contend(t, typ+" max", 0, 255, func(p *T, i T) { gpu.AtomicMax(p, i) })
	contend(t, typ+" add", 1, 32641, func(p *T, i T) { gpu.AtomicAdd(p, i) })
	contend(t, typ+" add by compare and exchange", 1, 32641, func(p *T, i T) {
		for {
			old := gpu.AtomicLoad(p)
			if gpu.AtomicCompareExchange(p, old, old+i) == old {
				return
			}
		}
	})
	contend(t, typ+" ordered", 1, 32641, func(p *T, i T) { gpu.AtomicAddOrdered(p, i, gpu.AcqRel, gpu.Device) })
}

type (
	hits  uint32
	score float32
)

func TestAtomicsUnderContention(t *testing.T) {
	contendWord[uint32](t, "uint32")
	contendWord[int32](t, "int32")
	contendWord[uint64](t, "uint64")
	contendWord[int64](t, "int64")
	contendWord[uint](t, "uint")
	contendWord[int](t, "int")
	contendWord[hits](t, "defined uint32")
	contendNumber[float32](t, "float32")
	contendNumber[float64](t, "float64")
	contendNumber[score](t, "defined float32")
}

func checkReturns[T gpu.Word](t *testing.T, typ string) {
	t.Helper()
	const o, s = gpu.SeqCst, gpu.System
	for _, c := range []struct {
		name  string
		op    func(p *T) T
		old   T
		after T
	}{
		{"load", func(p *T) T { return gpu.AtomicLoad(p) }, 12, 12},
		{"load ordered", func(p *T) T { return gpu.AtomicLoadOrdered(p, o, s) }, 12, 12},
		{"store", func(p *T) T { gpu.AtomicStore(p, 3); return 12 }, 12, 3},
		{"store ordered", func(p *T) T { gpu.AtomicStoreOrdered(p, 3, o, s); return 12 }, 12, 3},
		{"add", func(p *T) T { return gpu.AtomicAdd(p, 5) }, 12, 17},
		{"sub", func(p *T) T { return gpu.AtomicSub(p, 5) }, 12, 7},
		{"sub ordered", func(p *T) T { return gpu.AtomicSubOrdered(p, 5, o, s) }, 12, 7},
		{"min", func(p *T) T { return gpu.AtomicMin(p, 5) }, 12, 5},
		{"min ordered", func(p *T) T { return gpu.AtomicMinOrdered(p, 5, o, s) }, 12, 5},
		{"max", func(p *T) T { return gpu.AtomicMax(p, 5) }, 12, 12},
		{"max ordered", func(p *T) T { return gpu.AtomicMaxOrdered(p, 50, o, s) }, 12, 50},
		{"and", func(p *T) T { return gpu.AtomicAnd(p, 6) }, 12, 4},
		{"and ordered", func(p *T) T { return gpu.AtomicAndOrdered(p, 6, o, s) }, 12, 4},
		{"or", func(p *T) T { return gpu.AtomicOr(p, 6) }, 12, 14},
		{"or ordered", func(p *T) T { return gpu.AtomicOrOrdered(p, 6, o, s) }, 12, 14},
		{"xor", func(p *T) T { return gpu.AtomicXor(p, 6) }, 12, 10},
		{"xor ordered", func(p *T) T { return gpu.AtomicXorOrdered(p, 6, o, s) }, 12, 10},
		{"exchange", func(p *T) T { return gpu.AtomicExchange(p, 6) }, 12, 6},
		{"exchange ordered", func(p *T) T { return gpu.AtomicExchangeOrdered(p, 6, o, s) }, 12, 6},
		{"compare and exchange", func(p *T) T { return gpu.AtomicCompareExchange(p, 12, 6) }, 12, 6},
		{"compare and exchange that fails", func(p *T) T { return gpu.AtomicCompareExchange(p, 13, 6) }, 12, 12},
		{"compare and exchange ordered", func(p *T) T { return gpu.AtomicCompareExchangeOrdered(p, 12, 6, o, s) }, 12, 6},
	} {
		x := []T{12}
		if old := c.op(&x[0]); old != c.old || x[0] != c.after {
			t.Errorf("%s %s: returned %v and left %v, want %v and %v", typ, c.name, old, x[0], c.old, c.after)
		}
	}
}

func TestAtomicsReturnWhatWasThere(t *testing.T) {
	checkReturns[uint32](t, "uint32")
	checkReturns[int32](t, "int32")
	checkReturns[uint64](t, "uint64")
	checkReturns[int64](t, "int64")
	checkReturns[int](t, "int")
	checkReturns[uint](t, "uint")
	checkReturns[hits](t, "defined uint32")
}

func TestAtomicsGoBySignedness(t *testing.T) {
	s, u := []int64{-1}, []uint64{math.MaxUint64}
	gpu.AtomicMin(&s[0], 1)
	gpu.AtomicMin(&u[0], 1)
	if s[0] != -1 || u[0] != 1 {
		t.Errorf("min of -1 and 1: signed %d, unsigned %d", s[0], u[0])
	}
	d := []int32{math.MinInt32}
	if old := gpu.AtomicAdd(&d[0], -1); old != math.MinInt32 || d[0] != math.MaxInt32 {
		t.Errorf("MinInt32 - 1: returned %d and left %d", old, d[0])
	}
}

func TestFloatCompareExchangeComparesBits(t *testing.T) {
	x := []float32{0}
	if old := gpu.AtomicCompareExchange(&x[0], float32(math.Copysign(0, -1)), 1); old != 0 || x[0] != 0 {
		t.Errorf("-0 matched +0: returned %v and left %v", old, x[0])
	}
	nan := math.Float64frombits(0x7FF8_0000_0000_1234)
	y := []float64{nan}
	if gpu.AtomicCompareExchange(&y[0], nan, 1); y[0] != 1 {
		t.Errorf("a NaN did not match itself: left %v", y[0])
	}
}

// One invocation waits for another of its group by an atomic: both make progress.
func TestInvocationMayWaitForAnotherWarp(t *testing.T) {
	flag, data, got := make([]uint32, 1), make([]uint32, 1), make([]uint32, 32)
	gpu.Run(grid(1, 64), func(t gpu.Thread) {
		if t.Warp() == 1 {
			for gpu.AtomicLoadOrdered(&flag[0], gpu.Acquire, gpu.Workgroup) == 0 {
			}
			got[t.Lane()] = data[0]
		} else if t.Lane() == 31 {
			data[0] = 42
			gpu.AtomicStoreOrdered(&flag[0], 1, gpu.Release, gpu.Workgroup)
		}
	})
	for l, v := range got {
		if v != 42 {
			t.Errorf("lane %d read %d", l, v)
		}
	}
}

// Extremes of floats are those of the builtins, and one thing for all orders: 0 has two signs, a NaN wins and loses its payload.
func TestExtremesOfFloatsAreThoseOfTheBuiltins(t *testing.T) {
	zero, nan := math.Copysign(0, -1), math.Float64frombits(0xFFF8_0000_0000_1234)
	list := []float64{0, zero, 1, -1, math.Inf(1), math.Inf(-1), math.MaxFloat64, math.SmallestNonzeroFloat64, nan}
	const bits32, bits64 = 0x7FC0_0000, 0x7FF8_0000_0000_0000
	for _, a := range list {
		for _, b := range list {
			for name, f := range map[string]struct {
				wide   func(p *float64, v float64) float64
				narrow func(p *float32, v float32) float32
				want   float64
			}{
				"min": {gpu.AtomicMin[float64], gpu.AtomicMin[float32], min(a, b)},
				"max": {gpu.AtomicMax[float64], gpu.AtomicMax[float32], max(a, b)},
			} {
				x, y := a, float32(a)
				wide, narrow := math.Float64bits(f.want), math.Float32bits(float32(f.want))
				if f.want != f.want {
					wide, narrow = bits64, bits32
				}
				if old := f.wide(&x, b); math.Float64bits(old) != math.Float64bits(a) || math.Float64bits(x) != wide {
					t.Errorf("%s of %v and %v: returned %v and left %x", name, a, b, old, math.Float64bits(x))
				}
				if f.narrow(&y, float32(b)); math.Float32bits(y) != narrow {
					t.Errorf("%s of %v and %v as float32 left %x, want %x", name, a, b, math.Float32bits(y), narrow)
				}
			}
		}
	}
}
