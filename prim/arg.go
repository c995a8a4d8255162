package prim

import (
	"context"
	"fmt"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/prim/internal/block"
	"github.com/govyre/vyre/prim/internal/kernels"
)

// Arg finds the least or the greatest element and where it is.
type Arg[T vyre.Element] struct {
	*made
	kernel kernel
}

// NewArgMin makes a search for the least of at most max elements, integers or floats. Keys have the order that Sort gives
// them, but a NaN is never found; of equal elements it is the first.
func NewArgMin[T vyre.Element](ctx context.Context, dev vyre.Device, max int) (*Arg[T], error) {
	return newArg[T](ctx, dev, "ArgMin", Min, max)
}

// NewArgMax is NewArgMin for the greatest element.
func NewArgMax[T vyre.Element](ctx context.Context, dev vyre.Device, max int) (*Arg[T], error) {
	return newArg[T](ctx, dev, "ArgMax", Max, max)
}

func newArg[T vyre.Element](ctx context.Context, dev vyre.Device, name string, op Operator, max int) (*Arg[T], error) {
	what := fmt.Sprintf("%s[%s]", name, typeName[T]())
	m, err := begin(dev, what, max)
	if err != nil {
		return nil, err
	}
	kind, word, ok := keyOf[T]()
	if !ok {
		return nil, unsupported(what, "elements are integers and floats of fixed size")
	}
	empty := emptyInteger[T](op)
	if kind == block.Float {
		empty = emptyFloat[T](op)
	}
	greatest := uint64(0)
	if op == Max {
		greatest = 1
	}
	p, err := kernels.ArgProgram(word)
	a := &Arg[T]{made: m}
	a.kernel, err = m.compile(ctx, p, err, map[string]uint64{"greatest": greatest, "kind": uint64(kind), "empty": empty}, "x")
	if err != nil {
		_ = m.Close() // the first error is the one to report
		return nil, err
	}
	return a, nil
}

func (a *Arg[T]) scratchBytes() int64 {
	if unmade(nil, a) {
		return 0
	}
	return 16*a.most() + 4
}

// most is how many workgroups there are at most.
func (a *Arg[T]) most() int64 {
	tiles := tilesOf(a.max)
	return int64(max(a.groups(a.kernel.any, tiles), a.groups(a.kernel.aligned, tiles)))
}

// Record appends a search of x[:n]: the element goes to out[0], its index to index[0]. If there is none, they are what Reduce
// gives for nothing, and 1<<64 - 1.
func (a *Arg[T]) Record(seq *vyre.Sequence, n Length, x, out *vyre.Buffer[T], index *vyre.Buffer[uint64]) *Step {
	if unmade(seq, a) {
		return new(Step)
	}
	st := a.step(seq, n, x.Len(), x.Bytes())
	most := a.most()
	work := seq.Scratch(a.scratchBytes())
	count := driver.Part(work, 16*most, 4)
	seq.Fill(count, 0, 4)
	st.launched(a.launch(seq, a.kernel, tilesOf(a.max), driver.U64(st.room), driver.U64(n.n), st.where(n), x.Bytes(), out.View(0, 1).Bytes(),
		index.View(0, 1).All(), driver.Part(work, 0, 8*most), driver.Part(work, 8*most, 8*most), count), 1)
	return st
}

// tilesOf is how many tiles so many elements have.
func tilesOf(n uint64) uint64 { return (n + block.Tile - 1) / block.Tile }
