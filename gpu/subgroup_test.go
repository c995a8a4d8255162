package gpu_test

import (
	"math"
	"math/bits"
	"testing"

	"github.com/govyre/vyre/gpu"
)

// eachLane runs op in one group and returns what each invocation got.
func eachLane[T any](size uint32, op func(t gpu.Thread) T) []T {
	out := make([]T, size)
	gpu.Run(grid(1, size), func(t gpu.Thread) { out[t.LocalIndex()] = op(t) })
	return out
}

// Group sizes with and without a short last warp.
var sizes = []uint32{1, 2, 17, 31, 32, 33, 100}

// checkLanes runs op in groups of all sizes and reports the first result that is not want of the
// lane and the number of lanes of its warp.
func checkLanes[T comparable](t *testing.T, op func(t gpu.Thread) T, want func(l, lanes uint32) T) {
	t.Helper()
	for _, size := range sizes {
		for i, got := range eachLane(size, op) {
			l := uint32(i) % 32
			lanes := min(32, size-uint32(i)/32*32)
			if w := want(l, lanes); got != w {
				t.Errorf("group of %d: invocation %d got %v, want %v", size, i, got, w)
				return
			}
		}
	}
}

func TestVotes(t *testing.T) {
	t.Run("ballot", func(t *testing.T) {
		checkLanes(t, func(t gpu.Thread) uint32 { return t.Ballot(t.Lane()%3 == 0) },
			func(_, lanes uint32) uint32 { return 0x49249249 & uint32(1<<lanes-1) })
	})
	t.Run("any", func(t *testing.T) {
		checkLanes(t, func(t gpu.Thread) bool { return t.Any(t.Lane() == 20) }, func(_, lanes uint32) bool { return lanes > 20 })
	})
	t.Run("all", func(t *testing.T) {
		checkLanes(t, func(t gpu.Thread) bool { return t.All(t.Lane() < 20) }, func(_, lanes uint32) bool { return lanes <= 20 })
	})
	t.Run("elect", func(t *testing.T) {
		checkLanes(t, gpu.Thread.Elect, func(l, _ uint32) bool { return l == 0 })
	})
	t.Run("match", func(t *testing.T) {
		checkLanes(t, func(t gpu.Thread) uint32 { return gpu.Match(t, int64(t.Lane()%2)<<40) }, func(l, lanes uint32) uint32 {
			return 0x55555555 << (l % 2) & uint32(1<<lanes-1)
		})
	})
}

func TestShuffles(t *testing.T) {
	for _, d := range []uint32{0, 1, 5, 31, 32, 33, 1 << 31, math.MaxUint32} {
		value := func(t gpu.Thread) float64 { return float64(t.Lane()) + 0.5 }
		want := func(from uint64, lanes uint32) float64 {
			if from >= uint64(lanes) {
				return 0
			}
			return float64(from) + 0.5
		}
		checkLanes(t, func(t gpu.Thread) float64 { return gpu.Shuffle(t, value(t), d) },
			func(_, lanes uint32) float64 { return want(uint64(d), lanes) })
		checkLanes(t, func(t gpu.Thread) float64 { return gpu.ShuffleXor(t, value(t), d) },
			func(l, lanes uint32) float64 { return want(uint64(l^d), lanes) })
		checkLanes(t, func(t gpu.Thread) float64 { return gpu.ShuffleDown(t, value(t), d) },
			func(l, lanes uint32) float64 { return want(uint64(l)+uint64(d), lanes) })
		checkLanes(t, func(t gpu.Thread) float64 { return gpu.ShuffleUp(t, value(t), d) }, func(l, lanes uint32) float64 {
			if d > l {
				return 0
			}
			return want(uint64(l-d), lanes)
		})
	}
}

func TestShuffleMovesAnyScalar(t *testing.T) {
	type mark uint8
	checkLanes(t, func(t gpu.Thread) mark { return gpu.ShuffleXor(t, mark(t.Lane()+1), 0) }, func(l, _ uint32) mark { return mark(l + 1) })
	checkLanes(t, func(t gpu.Thread) bool { return gpu.ShuffleXor(t, true, 0) }, func(_, _ uint32) bool { return true })
	checkLanes(t, func(t gpu.Thread) gpu.Float16 {
		return gpu.ShuffleXor(t, gpu.Float16FromBits(uint16(0x7C01+t.Lane())), 0)
	}, func(l, _ uint32) gpu.Float16 { return gpu.Float16FromBits(uint16(0x7C01 + l)) })
	checkLanes(t, func(t gpu.Thread) uint32 { // a signalling NaN keeps its payload
		return math.Float32bits(gpu.ShuffleXor(t, math.Float32frombits(0x7F800001+t.Lane()), 0))
	}, func(l, _ uint32) uint32 { return 0x7F800001 + l })
}

// fold is what a reduction or scan of integers gives: op over the values of the first n lanes.
func fold[T any](n uint32, id T, value func(l uint32) T, op func(a, b T) T) T {
	for l := range n {
		id = op(id, value(l))
	}
	return id
}

type intOps[T gpu.Integer] struct {
	name                 string
	reduce, scan, scanEx func(t gpu.Thread, v T) T
	op                   func(a, b T) T
	id                   T
}

func opsOf[T gpu.Integer](least, greatest T) []intOps[T] {
	return []intOps[T]{
		{"add", gpu.ReduceAdd[T], gpu.ScanAdd[T], gpu.ExclusiveScanAdd[T], func(a, b T) T { return a + b }, 0},
		{"mul", gpu.ReduceMul[T], gpu.ScanMul[T], gpu.ExclusiveScanMul[T], func(a, b T) T { return a * b }, 1},
		{"min", gpu.ReduceMin[T], gpu.ScanMin[T], gpu.ExclusiveScanMin[T], func(a, b T) T { return min(a, b) }, greatest},
		{"max", gpu.ReduceMax[T], gpu.ScanMax[T], gpu.ExclusiveScanMax[T], func(a, b T) T { return max(a, b) }, least},
		{"and", gpu.ReduceAnd[T], gpu.ScanAnd[T], gpu.ExclusiveScanAnd[T], func(a, b T) T { return a & b }, ^T(0)},
		{"or", gpu.ReduceOr[T], gpu.ScanOr[T], gpu.ExclusiveScanOr[T], func(a, b T) T { return a | b }, 0},
		{"xor", gpu.ReduceXor[T], gpu.ScanXor[T], gpu.ExclusiveScanXor[T], func(a, b T) T { return a ^ b }, 0},
	}
}

func checkIntegers[T gpu.Integer](t *testing.T, name string, least, greatest T) {
	value := func(l uint32) T { return T(bits.Reverse32(l*0x9E3779B9) | 1) }
	for _, o := range opsOf(least, greatest) {
		t.Run(name+" "+o.name, func(t *testing.T) {
			checkLanes(t, func(t gpu.Thread) T { return o.reduce(t, value(t.Lane())) },
				func(_, lanes uint32) T { return fold(lanes, o.id, value, o.op) })
			checkLanes(t, func(t gpu.Thread) T { return o.scan(t, value(t.Lane())) },
				func(l, _ uint32) T { return fold(l+1, o.id, value, o.op) })
			checkLanes(t, func(t gpu.Thread) T { return o.scanEx(t, value(t.Lane())) },
				func(l, _ uint32) T { return fold(l, o.id, value, o.op) })
		})
	}
}

func TestIntegerReductionsAndScans(t *testing.T) {
	type weight int16
	checkIntegers[uint32](t, "uint32", 0, math.MaxUint32)
	checkIntegers[int32](t, "int32", math.MinInt32, math.MaxInt32)
	checkIntegers[uint64](t, "uint64", 0, math.MaxUint64)
	checkIntegers[int](t, "int", math.MinInt, math.MaxInt)
	checkIntegers[uint8](t, "uint8", 0, math.MaxUint8)
	checkIntegers[weight](t, "defined int16", math.MinInt16, math.MaxInt16)
}

// The order of float operations is part of their meaning. These values give another
// sum in every other order: 2²⁴ swallows an odd 1 that it meets alone.
func TestFloatSumsFollowTheDefinedOrder(t *testing.T) {
	value := func(l uint32) float32 {
		if l%7 == 3 {
			return 1 << 24
		}
		return float32(l) + 1.0/3
	}
	butterfly := func(lanes uint32) float32 {
		v := [32]float32{}
		for l := range v {
			v[l] = float32(math.Copysign(0, -1)) // the identity, for lanes that do not exist
			if l < int(lanes) {
				v[l] = value(uint32(l))
			}
		}
		for d := 16; d > 0; d /= 2 {
			w := v
			for l := range v {
				v[l] = w[l] + w[l^d]
			}
		}
		return v[0]
	}
	doubling := func(l uint32) float32 {
		v := [32]float32{}
		for k := range v {
			v[k] = value(uint32(k))
		}
		for d := 1; d < 32; d *= 2 {
			w := v
			for k := d; k < 32; k++ {
				v[k] = w[k-d] + w[k]
			}
		}
		return v[l]
	}
	if butterfly(32) == fold(32, 0, value, func(a, b float32) float32 { return a + b }) {
		t.Fatal("the values do not tell the orders apart")
	}
	checkLanes(t, func(t gpu.Thread) float32 { return gpu.ReduceAdd(t, value(t.Lane())) },
		func(_, lanes uint32) float32 { return butterfly(lanes) })
	checkLanes(t, func(t gpu.Thread) float32 { return gpu.ScanAdd(t, value(t.Lane())) },
		func(l, _ uint32) float32 { return doubling(l) })
	checkLanes(t, func(t gpu.Thread) float32 { return gpu.ExclusiveScanAdd(t, value(t.Lane())) }, func(l, _ uint32) float32 {
		if l == 0 {
			return 0
		}
		return doubling(l - 1)
	})
}

func TestSumOfNegativeZerosStaysNegative(t *testing.T) {
	checkLanes(t, func(t gpu.Thread) bool { return math.Signbit(gpu.ReduceAdd(t, math.Copysign(0, -1))) },
		func(_, _ uint32) bool { return true })
	checkLanes(t, func(t gpu.Thread) bool { return math.Signbit(gpu.ExclusiveScanAdd(t, math.Copysign(0, -1))) },
		func(l, _ uint32) bool { return l != 0 })
}
