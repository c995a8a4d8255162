//vyre:library

package block

import "github.com/govyre/vyre/gpu"

// Operator combines two values into one. It is associative and, in reductions of arrays and segments, whose trees have neighbours
// far apart, commutative; scans and reductions of runs keep the order. A kernel gets it as a type, so that it is inlined.
type Operator[T any] interface {
	Apply(a, b T) T
	// Identity is a value that changes no other when combined with it on either side. It stands for what is absent.
	Identity() T
}

// The operators that package prim has, by number.
const (
	OpSum = iota
	OpProduct
	OpMin
	OpMax
	OpAnd
	OpOr
	OpXor
)

// Integers is the operator with this number. In a program that is specialised for one nothing is left of the others.
type Integers[T gpu.Integer] struct{ Op uint32 }

// Apply combines two integers; sums and products wrap.
func (o Integers[T]) Apply(a, b T) T {
	switch o.Op {
	case OpSum:
		return a + b
	case OpProduct:
		return a * b
	case OpMin:
		return min(a, b)
	case OpMax:
		return max(a, b)
	case OpAnd:
		return a & b
	case OpOr:
		return a | b
	}
	return a ^ b
}

// Identity is 0, 1, the greatest, the least, all ones, 0, 0.
func (o Integers[T]) Identity() T {
	var least T
	ones := ^least
	if ones < 0 { // signed: the least is the top bit alone
		least = T(1) << (bitsOf[T]() - 1)
	}
	switch o.Op {
	case OpProduct:
		return 1
	case OpMin:
		return ^least
	case OpMax:
		return least
	case OpAnd:
		return ones
	}
	return 0
}

// bitsOf is how many bits an integer of the type has.
func bitsOf[T gpu.Integer]() T {
	n := T(8)
	for v := T(1) << 7 << 1; v != 0; v = v << 4 << 4 {
		n += 8
	}
	return n
}

// Floats is the operator with this number: sum, product, min or max.
type Floats[T gpu.Float] struct{ Op uint32 }

// Apply combines two floats. Sums and products round to T; of min and max a NaN loses, and -0 is less than +0.
func (o Floats[T]) Apply(a, b T) T {
	switch o.Op {
	case OpSum:
		return a + b
	case OpProduct:
		return a * b
	case OpMin:
		return gpu.Min(a, b)
	}
	return gpu.Max(a, b)
}

// Identity is -0, 1, and a NaN for min and max.
func (o Floats[T]) Identity() T {
	zero := T(0)
	switch o.Op {
	case OpSum:
		return gpu.CopySign(zero, -1)
	case OpProduct:
		return 1
	}
	return zero / zero
}
