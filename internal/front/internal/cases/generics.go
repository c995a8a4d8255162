package cases

import "github.com/govyre/vyre/gpu"

type number interface {
	~int8 | ~uint8 | ~int32 | ~int64 | ~float32 | ~float64
}

type pair[T number] struct{ a, b T }

func (p pair[T]) swap() pair[T] { return pair[T]{p.b, p.a} }
func mapPair[T, U number](p pair[T], k U) pair[U] {
	return pair[U]{U(p.a) * k, U(p.b) + 1}
}

type scorer interface{ score() int64 }
type byte2 uint8

func (b byte2) score() int64 { return int64(b) * 2 }

type neg int32

func (n neg) score() int64 { return -int64(n) }

func twice[S scorer](s S) int64 { return s.score() + s.score() }

// Generic is one kernel for several element types.
//
//vyre:kernel workgroup=32 types=T:int8|int32|float32|float64
func Generic[T number](t gpu.Thread, x []T, k T, out []float64) {
	i := t.Global().X
	if i >= uint32(len(x)) {
		return
	}
	v := x[i] + 1
	v *= k
	if v > 100 {
		v = 100
	}
	p := pair[T]{v, x[i]}.swap()
	q := mapPair(p, int64(3))
	r := mapPair[T, float32](p, 0.5)
	var sum T
	for range 3 {
		sum += p.a
	}
	out[i] = float64(sum) + float64(q.a) + float64(r.a) + float64(larger(p.a, p.b)) + float64(twice(byte2(i))+twice(neg(i)))
}

func larger[T number](a, b T) T {
	if a > b {
		return a
	}
	return max(b, T(7))
}

const scale = 1 << 3

type level uint8

const (
	low level = iota + 1
	mid
	high = low + mid*scale
)

// Constants folds what Go folds.
//
//vyre:kernel workgroup=32 name=Folded
func Constants(t gpu.Thread, out []float64) {
	const third = 1.0 / 3
	i := t.Global().X
	if i < uint32(len(out)) {
		out[i] = third*3 + float64(float32(third)) + float64(high) + 1e300*1e-290 + float64(-7/2) + float64('a') + float64(len("text")+len([5]int{}))
		out[i] += float64(uint8(255)) * (1 << 62 >> 60)
	}
}
