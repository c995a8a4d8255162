package prim

import (
	"context"
	"reflect"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// kind is what a primitive does with elements of a type.
type kind int

const (
	others kind = iota // move them
	integers
	floats
)

// kindOf says whether T is an integer of fixed size, or a float, by that very name.
func kindOf[T any]() kind {
	var zero T
	switch any(zero).(type) {
	case uint8, uint16, uint32, uint64, int8, int16, int32, int64:
		return integers
	case float32, float64:
		return floats
	}
	return others
}

// unsignedName is the type of unsigned integers that has the bits of T.
func unsignedName[T any]() string {
	return map[uintptr]string{1: "uint8", 2: "uint16", 4: "uint32", 8: "uint64"}[sizeOf[T]()]
}

// flip is what makes the order of unsigned integers that of T, where an operator goes by it.
func flip[T any](op Operator) uint64 {
	switch reflect.TypeFor[T]().Kind() {
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if op == Min || op == Max {
			return 1 << (8*sizeOf[T]() - 1)
		}
	}
	return 0
}

func bit(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

// admitOperator refuses numbers that are none.
func (m *made) admitOperator(op Operator) error {
	if op > Xor {
		return m.refuse(op.String(), "pass Sum, Product, Min, Max, And, Or or Xor")
	}
	return nil
}

// both compiles a program whose x and y are different ranges, or the same.
func (m *made) both(ctx context.Context, p *ir.Program, err error, scalars map[string]uint64, wide ...string) (to, within kernel, _ error) {
	to, err = m.compile(ctx, p, err, scalars, append(wide, "x", "y")...)
	within, err = m.compileAs(ctx, p, err, build.Specialisation{Scalars: scalars, Same: map[string]string{"y": "x"}}, append(wide, "x")...)
	return to, within, err
}

// move launches what both has made: arguments of the length, x, y or one of them, and others.
func (m *made) move(seq *vyre.Sequence, to, within kernel, tiles uint64, length []vyre.Arg, x, y vyre.Range, others ...vyre.Arg) *driver.Step {
	args := append(length[:len(length):len(length)], x)
	if x != y {
		return m.launch(seq, to, tiles, append(append(args, y), others...)...)
	}
	return m.launch(seq, within, tiles, append(args, others...)...)
}
