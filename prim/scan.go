package prim

import (
	"context"
	"fmt"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/prim/internal/block"
	"github.com/govyre/vyre/prim/internal/kernels"
)

// Scan leaves the running combinations of elements: y[i] is x[0] to x[i] combined, or x[0] to x[i-1] of an exclusive one.
// The bits of the result depend on the elements and their number alone. Integers go in one pass; floats are added in an
// order that is the same on every device.
type Scan[T vyre.Element] struct {
	*made
	float      bool
	exclusive  bool
	to, within kernel // from one range to another; in place
	totals, up kernel // of floats: the totals of tiles, and the scan of totals
}

// NewScan makes an inclusive scan of at most max elements, which are integers or floats of fixed size.
func NewScan[T vyre.Element](ctx context.Context, dev vyre.Device, op Operator, max int) (*Scan[T], error) {
	return newScan[T](ctx, dev, op, max, false)
}

// NewExclusiveScan makes a scan of at most max elements that begins with the value which changes no other, of floats +0, 1,
// +Inf or -Inf, and leaves the last element out.
func NewExclusiveScan[T vyre.Element](ctx context.Context, dev vyre.Device, op Operator, max int) (*Scan[T], error) {
	return newScan[T](ctx, dev, op, max, true)
}

func newScan[T vyre.Element](ctx context.Context, dev vyre.Device, op Operator, max int, exclusive bool) (*Scan[T], error) {
	what := fmt.Sprintf("Scan[%s]", typeName[T]())
	m, err := begin(dev, what, max)
	if err != nil {
		return nil, err
	}
	s := &Scan[T]{made: m, exclusive: exclusive}
	if err := m.admitOperator(op); err != nil {
		return nil, err
	}
	switch kind := kindOf[T](); {
	case kind == floats && op > Max:
		return nil, unsupported(what, fmt.Sprintf("%v is of integers only", op))
	case kind == others:
		return nil, unsupported(what, "elements are integers and floats of fixed size")
	case kind == floats:
		s.float = true
		err = s.compileFloats(ctx, op)
	default:
		err = s.compileIntegers(ctx, op)
	}
	if err != nil {
		_ = m.Close() // the first error is the one to report
		return nil, err
	}
	return s, nil
}

func (s *Scan[T]) compileIntegers(ctx context.Context, op Operator) (err error) {
	program := kernels.ScanIntegersProgram
	if sizeOf[T]() == 8 {
		program = func(string) (*ir.Program, error) { return kernels.ScanLongsProgram() }
	}
	s.registers = 48 // five workgroups on a multiprocessor of 65,536 registers
	p, err := program(unsignedName[T]())
	scalars := map[string]uint64{"op": uint64(op), "exclusive": bit(s.exclusive), "flip": flip[T](op)}
	s.to, s.within, err = s.both(ctx, p, err, scalars)
	return err
}

func (s *Scan[T]) scratchBytes() int64 {
	if unmade(nil, s) {
		return 0
	}
	if s.float {
		_, bytes := s.levels(driver.Range{})
		return bytes
	}
	return 8 * int64(block.StateLen(s.max, int(sizeOf[T]())))
}

// Record appends a scan of x[:n] into y[:n]. The two may be the same range.
func (s *Scan[T]) Record(seq *vyre.Sequence, n Length, x, y *vyre.Buffer[T]) *Step {
	if unmade(seq, s) {
		return new(Step)
	}
	st := s.step(seq, n, min(x.Len(), y.Len()), x.Bytes())
	if s.float {
		s.recordFloats(seq, st, n, x.Bytes(), y.Bytes())
		return st
	}
	state := driver.All(seq.Scratch(s.scratchBytes()))
	span := block.ScanTile(int(sizeOf[T]()))
	tiles := (s.max + span - 1) / span
	if !alone(tiles) {
		seq.Fill(state, 0, 4)
	}
	length := []vyre.Arg{driver.U64(st.room), driver.U64(n.n), st.where(n)}
	st.launched(s.move(seq, s.to, s.within, tiles, length, x.Bytes(), y.Bytes(), state), 1)
	return st
}

// ScanSlice scans a slice into another of its length: it makes a Scan, uploads, runs and reads.
func ScanSlice[T vyre.Element](ctx context.Context, dev vyre.Device, op Operator, x []T) ([]T, error) {
	s, err := NewScan[T](ctx, dev, op, len(x))
	return scanSlice(ctx, dev, s, err, x)
}

// ExclusiveScanSlice is ScanSlice of an exclusive scan.
func ExclusiveScanSlice[T vyre.Element](ctx context.Context, dev vyre.Device, op Operator, x []T) ([]T, error) {
	s, err := NewExclusiveScan[T](ctx, dev, op, len(x))
	return scanSlice(ctx, dev, s, err, x)
}

func scanSlice[T vyre.Element](ctx context.Context, dev vyre.Device, s *Scan[T], err error, x []T) ([]T, error) {
	if err != nil {
		return nil, err
	}
	y := make([]T, len(x))
	return y, once(ctx, dev, s, func(j *job) error {
		in, err := given(j, x)
		if err != nil {
			return err
		}
		out, err := wanted(j, y)
		if err == nil {
			s.Record(j.seq, N(len(x)), in, out)
		}
		return err
	})
}
