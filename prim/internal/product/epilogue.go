//vyre:library

package product

import "github.com/govyre/vyre/gpu"

// Epilogue makes an element of C from a sum.
type Epilogue[A, X, C any] interface {
	Apply(row, col uint32, sum A, extra []X) C
}

// applied leaves what an epilogue makes.
type applied[A, X, C any, E Epilogue[A, X, C]] struct {
	e     E
	c     []C
	extra []X
}

func (f applied[A, X, C, E]) Finish(row, col uint32, i uint64, sum A) {
	f.c[i] = f.e.Apply(row, col, sum, f.extra)
}

// Apply makes one matrix C, whose rows begin so many elements after one another, by an epilogue.
func Apply[T gpu.MatElem, A gpu.AccElem, X, C any, E Epilogue[A, X, C]](t gpu.Thread, e E, a []T, ofA gpu.Shape, b []T, ofB gpu.Shape, c []C, stride uint32, extra []X, as, bs []T) {
	p := Plan{Size{ofA.Rows, ofB.Cols, min(ofA.Cols, ofB.Rows), 1}, most, most, ofA.Transposed, ofB.Transposed, false,
		Layout{uint64(ofA.Stride), 0}, Layout{uint64(ofB.Stride), 0}, Layout{uint64(stride), 0}}
	f := applied[A, X, C, E]{e, c, extra}
	var x T
	switch any(x).(type) { // elements of a chunk
	case float64:
		Multiply[T, A](t, f, p, 2, a, b, as, bs)
	case float32, uint32:
		Multiply[T, A](t, f, p, 4, a, b, as, bs)
	case int8, uint8:
		Multiply[T, A](t, f, p, 16, a, b, as, bs)
	default:
		Multiply[T, A](t, f, p, 8, a, b, as, bs)
	}
}
