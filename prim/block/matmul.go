//vyre:library

package block

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/prim/internal/product"
)

// MatMulBytes is how many bytes each of the two shared arrays of MatMul has.
const MatMulBytes = product.SharedBytes

// Epilogue makes an element of C from a sum, that of a row of A and a column of B, and from what the kernel has beside them. A kernel
// gets it as a type, so that it is inlined.
type Epilogue[A, X, C any] interface {
	Apply(row, col uint32, sum A, extra []X) C
}

// MatMul multiplies a and b, and leaves what the epilogue makes of each sum in c, whose rows begin stride elements after one another.
// It takes one launch of any grid along x; a workgroup makes 128 rows and columns at a time. The sums are those of prim.MatMul, and
// the slices have all elements of the shapes. ofA has as many columns as ofB has rows. as and bs are shared memory of MatMulBytes.
func MatMul[T gpu.MatElem, A gpu.AccElem, X, C any, E Epilogue[A, X, C]](t gpu.Thread, e E, a []T, ofA gpu.Shape, b []T, ofB gpu.Shape, c []C, stride uint32, extra []X, as, bs []T) {
	product.Apply[T, A, X, C, E](t, e, a, ofA, b, ofB, c, stride, extra, as, bs)
}
