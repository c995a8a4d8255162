//vyre:library

package block

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/prim/internal/block"
)

// Operator combines two values into one. It is associative and, in ReduceAll, whose tree has neighbours far apart, commutative;
// scans keep the order. A kernel gets it as a type, so that it is inlined.
type Operator[T any] interface {
	Apply(a, b T) T
	// Identity is a value that changes no other when combined with it on either side. It stands for what is absent.
	Identity() T
}

// Numbers of the operators of Integers and Floats.
const (
	OpSum     = block.OpSum
	OpProduct = block.OpProduct
	OpMin     = block.OpMin
	OpMax     = block.OpMax
	OpAnd     = block.OpAnd
	OpOr      = block.OpOr
	OpXor     = block.OpXor
)

// Integers is the operator with this number. Nothing of the others is left in a program whose number is a constant.
type Integers[T gpu.Integer] struct{ Op uint32 }

// Apply combines two integers; sums and products wrap.
func (o Integers[T]) Apply(a, b T) T { return block.Integers[T]{Op: o.Op}.Apply(a, b) }

// Identity is 0, 1, the greatest, the least, all ones, 0, 0.
func (o Integers[T]) Identity() T { return block.Integers[T]{Op: o.Op}.Identity() }

// Floats is the operator with this number: sum, product, min or max.
type Floats[T gpu.Float] struct{ Op uint32 }

// Apply combines two floats. Sums and products round to T; of min and max a NaN loses, and -0 is less than +0.
func (o Floats[T]) Apply(a, b T) T { return block.Floats[T]{Op: o.Op}.Apply(a, b) }

// Identity is -0, 1, and a NaN for min and max.
func (o Floats[T]) Identity() T { return block.Floats[T]{Op: o.Op}.Identity() }

// Predicate chooses elements. A kernel gets it as a type, so that it is inlined.
type Predicate[T any] interface{ Chosen(v T) bool }

// Binning says which bin an element belongs to: one of n, or n for less than all, or n+1 for more than all, or for none.
// bounds is what HistogramAll got.
type Binning[T any] interface {
	Bin(x T, n uint32, bounds []T) uint32
}
