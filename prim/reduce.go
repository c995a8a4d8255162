package prim

import (
	"context"
	"fmt"
	"math"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/prim/internal/block"
	"github.com/govyre/vyre/prim/internal/kernels"
)

// Operator says how two elements are combined.
type Operator uint32

// The operators. Integers wrap. Of min and max of floats a NaN loses, and -0 is less than +0; and, or and xor are of
// integers only.
const (
	Sum     Operator = block.OpSum
	Product Operator = block.OpProduct
	Min     Operator = block.OpMin
	Max     Operator = block.OpMax
	And     Operator = block.OpAnd
	Or      Operator = block.OpOr
	Xor     Operator = block.OpXor
)

var operatorNames = [...]string{"sum", "product", "min", "max", "and", "or", "xor"}

func (o Operator) String() string {
	if int(o) < len(operatorNames) {
		return operatorNames[o]
	}
	return fmt.Sprintf("operator %d", uint32(o))
}

// Reduce combines elements of type T into one of type A, the accumulator. The bits of the result depend on the elements and
// their number alone: floats are added in the order of a tree that is the same on every device.
type Reduce[T, A vyre.Element] struct {
	*made
	op     Operator
	kernel kernel
}

// NewReduce makes a reduction of at most max elements whose accumulator is of their own type. It takes integers and floats of
// fixed size.
func NewReduce[T vyre.Element](ctx context.Context, dev vyre.Device, op Operator, max int) (*Reduce[T, T], error) {
	return NewReduceTo[T, T](ctx, dev, op, max)
}

// NewReduceTo makes a reduction of at most max elements, each of which is converted to A first: to T itself, from shorter
// integers to those of 64 bits with the same sign, or from float32 to float64.
func NewReduceTo[T, A vyre.Element](ctx context.Context, dev vyre.Device, op Operator, max int) (*Reduce[T, A], error) {
	what := fmt.Sprintf("Reduce[%s, %s]", typeName[T](), typeName[A]())
	m, err := begin(dev, what, max)
	if err != nil {
		return nil, err
	}
	if err := m.admitOperator(op); err != nil {
		return nil, err
	}
	var zero T
	var empty uint64
	switch any(zero).(type) {
	case float32, float64:
		if op > Max {
			return nil, unsupported(what, fmt.Sprintf("%v is of integers only", op))
		}
		empty = emptyFloat[A](op)
	default:
		empty = emptyInteger[A](op)
	}
	p, err := reduceProgram[T, A](what)
	r := &Reduce[T, A]{made: m, op: op}
	r.kernel, err = m.compile(ctx, p, err, map[string]uint64{"op": uint64(op), "empty": empty}, "x")
	if err != nil {
		_ = m.Close() // the first error is the one to report
		return nil, err
	}
	return r, nil
}

func reduceProgram[T, A vyre.Element](what string) (*ir.Program, error) {
	t, a := typeName[T](), typeName[A]()
	if t == a {
		switch t {
		case "float32", "float64":
			return kernels.ReduceFloatsProgram(t)
		case "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64":
			return kernels.ReduceIntegersProgram(t)
		}
	}
	switch t + " " + a {
	case "uint8 uint64", "uint16 uint64", "uint32 uint64":
		return kernels.WidenUnsignedProgram(t)
	case "int8 int64", "int16 int64", "int32 int64":
		return kernels.WidenSignedProgram(t)
	case "float32 float64":
		return kernels.WidenFloatsProgram()
	}
	return nil, unsupported(what, "elements are integers and floats of fixed size; the accumulator is of their type, or has 64 bits")
}

// emptyInteger has the bits of the result of no integers.
func emptyInteger[A vyre.Element](op Operator) uint64 {
	width := 8 * uint(sizeOf[A]())
	ones := uint64(1)<<(width-1)<<1 - 1
	least := uint64(0)
	if typeName[A]()[0] == 'i' {
		least = 1 << (width - 1)
	}
	switch op {
	case Product:
		return 1
	case Min:
		return ones &^ least
	case Max:
		return least
	case And:
		return ones
	}
	return 0
}

// emptyFloat has the bits of the result of no floats.
func emptyFloat[A vyre.Element](op Operator) uint64 {
	v := 0.0
	switch op {
	case Product:
		v = 1
	case Min:
		v = math.Inf(1)
	case Max:
		v = math.Inf(-1)
	}
	if sizeOf[A]() == 4 {
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(v)
}

func (r *Reduce[T, A]) scratchBytes() int64 {
	if unmade(nil, r) {
		return 0
	}
	sums, counts := r.scratch()
	return sums + counts
}

// scratch is how many bytes the results of tiles take, a multiple of 16, and their counts.
func (r *Reduce[T, A]) scratch() (sums, counts int64) {
	return roundUp(int64(block.SumsLen(r.max)) * int64(sizeOf[A]())), 4 * int64(block.CountsLen(r.max))
}

// Record appends a reduction of x[:n] into out[0], of nothing into the value that changes no other.
func (r *Reduce[T, A]) Record(seq *vyre.Sequence, n Length, x *vyre.Buffer[T], out *vyre.Buffer[A]) *Step {
	if unmade(seq, r) {
		return new(Step)
	}
	st := r.step(seq, n, x.Len(), x.Bytes())
	sums, counts := r.scratch()
	work := st.nowhere
	if sums+counts > 0 {
		work = driver.All(seq.Scratch(sums + counts))
		seq.Fill(driver.Part(work.Buffer, sums, counts), 0, 4)
	}
	tiles := tilesOf(r.max)
	st.launched(r.launch(seq, r.kernel, tiles, driver.U64(st.room), driver.U64(n.n), st.where(n), x.All(), out.View(0, 1).All(),
		driver.Part(work.Buffer, 0, sums), driver.Part(work.Buffer, min(sums, work.Len), counts)), 1)
	return st
}

// ReduceSlice combines the elements of a slice: it makes a Reduce, uploads, runs and reads.
func ReduceSlice[T vyre.Element](ctx context.Context, dev vyre.Device, op Operator, x []T) (result T, err error) {
	r, err := NewReduce[T](ctx, dev, op, len(x))
	if err != nil {
		return result, err
	}
	out := make([]T, 1)
	err = once(ctx, dev, r, func(j *job) error {
		in, err := given(j, x)
		if err != nil {
			return err
		}
		to, err := wanted(j, out)
		if err == nil {
			r.Record(j.seq, N(len(x)), in, to)
		}
		return err
	})
	return out[0], err
}

func roundUp(bytes int64) int64 { return (bytes + vectorBytes - 1) &^ (vectorBytes - 1) }
