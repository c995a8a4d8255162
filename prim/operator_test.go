package prim_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/prim"
	"github.com/govyre/vyre/prim/internal/block"
)

// custom is an operator of functions.
type custom[T any] struct {
	apply func(a, b T) T
	none  T
}

func (c custom[T]) Apply(a, b T) T { return c.apply(a, b) }
func (c custom[T]) Identity() T    { return c.none }

func TestOperatorsThatAreWrongAreShownWithValues(t *testing.T) {
	mean := custom[uint32]{func(a, b uint32) uint32 {
		switch math.MaxUint32 {
		case int(a):
			return b
		case int(b):
			return a
		}
		return (a + b) / 2
	}, math.MaxUint32}
	first := custom[uint32]{func(a, b uint32) uint32 {
		if a != 0 {
			return a
		}
		return b
	}, 0}
	sum := block.Floats[float32]{Op: block.OpSum}
	for want, err := range map[string]error{
		"not associative: of 4, 2 and 2 it makes 2 from the left, and 3 from the right": prim.CheckScanOperator(mean, 2, 4),
		"its identity 1 makes 4 and 4 of 3":                                             prim.CheckReduceOperator(custom[uint8]{func(a, b uint8) uint8 { return a + b }, 1}, 3),
		"not commutative: of 6 and 5 it makes 6, and 5":                                 prim.CheckReduceOperator(first, 5, 6),
		"not associative: of -1e+08, 1e+08 and 1 it makes 1 from":                       prim.CheckScanOperator(sum, 1, 1e8, -1e8),
	} {
		if !errors.Is(err, vyre.InvalidArgument) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	many := make([]uint32, 5000) // of which samples are enough
	for i := range many {
		many[i] = uint32(i)
	}
	if err := prim.CheckScanOperator(mean, many...); err == nil {
		t.Error("means of thousands are accepted")
	}
	if err := prim.CheckScanOperator(first, many...); err != nil {
		t.Error(err)
	}
	// Those that the package has are right for integers.
	for op := range uint32(block.OpXor + 1) {
		if err := prim.CheckReduceOperator(block.Integers[int16]{Op: op}, 0, 1, -1, 77, math.MinInt16, math.MaxInt16); err != nil {
			t.Error(err)
		}
		if err := prim.CheckReduceOperator(block.Integers[uint64]{Op: op}, 0, 1, 77, 1<<63, math.MaxUint64); err != nil {
			t.Error(err)
		}
	}
}
