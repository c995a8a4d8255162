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

// wideName is what stands for elements of 16 bytes.
const wideName = "block.Wide"

// payload names the type that stands for all elements of a size, in kernels that only move them.
func payload[T vyre.Element]() (name string, ok bool) {
	switch size := sizeOf[T](); size {
	case 1, 2, 4, 8:
		return fmt.Sprint("uint", 8*size), true
	case 16:
		return wideName, true
	}
	return "", false
}

// Move gathers or scatters elements of 1, 2, 4, 8 or 16 bytes, by indices of 32 or 64 bits.
type Move[T vyre.Element, I uint32 | uint64] struct {
	*made
	kernel  kernel
	scatter bool
}

// NewGather makes a primitive that collects at most max elements: out[i] = x[indices[i]].
func NewGather[T vyre.Element, I uint32 | uint64](ctx context.Context, dev vyre.Device, max int) (*Move[T, I], error) {
	return newMove[T, I](ctx, dev, "Gather", max, kernels.GatherProgram, kernels.GatherLongProgram)
}

// NewScatter makes a primitive that distributes at most max elements: out[indices[i]] = x[i]. Where an index stands twice, one
// of the two elements is written.
func NewScatter[T vyre.Element, I uint32 | uint64](ctx context.Context, dev vyre.Device, max int) (*Move[T, I], error) {
	m, err := newMove[T, I](ctx, dev, "Scatter", max, kernels.ScatterProgram, kernels.ScatterLongProgram)
	if err == nil {
		m.scatter = true
	}
	return m, err
}

func newMove[T vyre.Element, I uint32 | uint64](ctx context.Context, dev vyre.Device, name string, max int, short, long func(string) (*ir.Program, error)) (*Move[T, I], error) {
	what := fmt.Sprintf("%s[%s, %s]", name, typeName[T](), typeName[I]())
	m, err := begin(dev, what, max)
	if err != nil {
		return nil, err
	}
	of, ok := payload[T]()
	if !ok {
		return nil, unsupported(what, fmt.Sprintf("elements of %d bytes; there are 1, 2, 4, 8 and 16", sizeOf[T]()))
	}
	if sizeOf[I]() == 8 {
		short = long
	}
	p, err := short(of)
	v := &Move[T, I]{made: m}
	if v.kernel, err = m.compile(ctx, p, err, nil); err != nil {
		_ = m.Close() // the first error is the one to report
		return nil, err
	}
	return v, nil
}

func (m *Move[T, I]) scratchBytes() int64 { return 0 }

// Record appends a move of n elements, to out[:n] or from x[:n], by indices[:n]. An index that is out of range is a trap that
// tells it.
func (m *Move[T, I]) Record(seq *vyre.Sequence, n Length, x *vyre.Buffer[T], indices *vyre.Buffer[I], out *vyre.Buffer[T]) *Step {
	if unmade(seq, m) {
		return new(Step)
	}
	room := out
	if m.scatter {
		room = x
	}
	st := m.step(seq, n, min(room.Len(), indices.Len()), x.Bytes())
	st.launched(m.launch(seq, m.kernel, groupsOf(m.max), driver.U64(st.room), driver.U64(n.n), st.where(n), x.Bytes(), indices.All(), out.Bytes()), 1)
	return st
}

// groupsOf is how many workgroups have an invocation for each of so many elements.
func groupsOf(n uint64) uint64 { return (n + block.Threads - 1) / block.Threads }

// Iota writes numbers that ascend by a step.
type Iota[T vyre.Element] struct {
	*made
	kernel kernel
}

// NewIota makes a primitive that counts: at most max integers, which wrap, or floats.
func NewIota[T vyre.Element](ctx context.Context, dev vyre.Device, max int) (*Iota[T], error) {
	what := fmt.Sprintf("Iota[%s]", typeName[T]())
	m, err := begin(dev, what, max)
	if err != nil {
		return nil, err
	}
	kind, of, ok := keyOf[T]()
	if !ok {
		return nil, unsupported(what, "elements are integers and floats of fixed size")
	}
	if kind == block.Float {
		of = typeName[T]()
	}
	p, err := kernels.IotaProgram(of)
	c := &Iota[T]{made: m}
	if c.kernel, err = m.compile(ctx, p, err, nil); err != nil {
		_ = m.Close() // the first error is the one to report
		return nil, err
	}
	return c, nil
}

func (c *Iota[T]) scratchBytes() int64 { return 0 }

// Record appends out[i] = start + i*step for i below n; of floats the product is rounded, and then the sum.
func (c *Iota[T]) Record(seq *vyre.Sequence, n Length, start, step T, out *vyre.Buffer[T]) *Step {
	if unmade(seq, c) {
		return new(Step)
	}
	st := c.step(seq, n, out.Len(), out.Bytes())
	st.launched(c.launch(seq, c.kernel, groupsOf(c.max), driver.U64(st.room), driver.U64(n.n), st.where(n), c.scalar(start), c.scalar(step), out.Bytes()), 1)
	return st
}

// scalar passes a number as the type that the kernel has for it.
func (c *Iota[T]) scalar(v T) vyre.Arg {
	return driver.Scalar{Type: c.kernel.any.Signature()[3].Type, Bits: bitsOf(v)}
}
