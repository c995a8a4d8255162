package prim

import (
	"fmt"
	"math/rand/v2"
	"reflect"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/prim/block"
)

// CheckScanOperator looks for values that show that an operator for kernels around package block is wrong for scans: three for which
// it is not associative, or one that its identity changes. It runs Apply on the host, on triples of the values and the
// identity: all of them, or samples of many. It proves nothing; it belongs into a test of the operator. Operators that round
// are not associative: scans of floats have an order of their own.
func CheckScanOperator[T vyre.Element](op block.Operator[T], values ...T) error {
	return checkOperator(op, values, false)
}

// CheckReduceOperator is CheckScanOperator for reductions of arrays and segments: the operator has to be commutative, too.
func CheckReduceOperator[T vyre.Element](op block.Operator[T], values ...T) error {
	return checkOperator(op, values, true)
}

// mostTriples is how many of them are looked at.
const mostTriples = 1 << 15

func checkOperator[T vyre.Element](op block.Operator[T], values []T, commutes bool) error {
	no := func(format string, args ...any) error {
		return &vyre.Error{Op: "check", Label: fmt.Sprintf("%T", op), Kind: vyre.InvalidArgument, Msg: fmt.Sprintf(format, args...)}
	}
	mask := meaning(reflect.TypeFor[T]())
	same := func(a, b T) bool { return sameBits(vyre.Bytes([]T{a}), vyre.Bytes([]T{b}), mask) }
	none := op.Identity()
	for _, v := range values {
		if l, r := op.Apply(none, v), op.Apply(v, none); !same(l, v) || !same(r, v) {
			return no("its identity %v makes %v and %v of %v, on its left and on its right", none, l, r, v)
		}
	}
	values = append(values[:len(values):len(values)], none)
	n := len(values)
	all := n*n <= mostTriples && n*n*n <= mostTriples
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range mostTriples {
		if all && i == n*n*n {
			break
		}
		a, b, c := values[i%n], values[i/n%n], values[i/n/n%n]
		if !all {
			a, b, c = values[rng.IntN(n)], values[rng.IntN(n)], values[rng.IntN(n)]
		}
		if l, r := op.Apply(op.Apply(a, b), c), op.Apply(a, op.Apply(b, c)); !same(l, r) {
			return no("it is not associative: of %v, %v and %v it makes %v from the left, and %v from the right", a, b, c, l, r)
		}
		if l, r := op.Apply(a, b), op.Apply(b, a); commutes && !same(l, r) {
			return no("it is not commutative: of %v and %v it makes %v, and %v the other way round", a, b, l, r)
		}
	}
	return nil
}
