package main

import (
	"math"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/prim"
)

// squares are how many elements the result of a product of square matrices has.
var squares = []int{1 << 10, 1 << 16, 1 << 20, 1 << 22, 1 << 24, 1 << 26}

// matMul multiplies two square matrices of small whole numbers, so that each sum is exact in whatever order it is made. The second
// lies with its columns as lines if transB is set.
func matMul[T gpu.MatElem, C vyre.Element](kind uint32, transB bool) func(j *job) recorder {
	return func(j *job) recorder {
		side := int(math.Sqrt(float64(j.n)))
		d := prim.Dims{M: side, N: side, K: side}
		m, err := prim.NewMatMul[T, C](j.ctx, j.dev, prim.MatMulOptions{Dims: d, TransB: transB})
		j.keep(m, err)
		a, b, c := wholeNumbers[T](j, kind, 0), wholeNumbers[T](j, kind, uint64(j.n)), room[C](j, j.n)
		return func(seq *vyre.Sequence) []result {
			m.Record(seq, d, a, b, c)
			return []result{whole(c)}
		}
	}
}

// wholeNumbers is a buffer with whole numbers from -4 to 3, of words from some place on.
func wholeNumbers[T vyre.Element](j *job, kind uint32, from uint64) *vyre.Buffer[T] {
	b := room[T](j, j.n)
	if j.err != nil {
		return nil
	}
	x, err := vyre.View[uint8](b.Memory())
	if err != nil {
		j.fail(err)
		return nil
	}
	j.launch(func(seq *vyre.Sequence) error {
		k, err := CompileWhole(j.ctx, j.dev)
		if err == nil {
			k.Launch(seq, vyre.Grid{1024}, kind, from, j.words, x)
		}
		return err
	})
	return b
}
