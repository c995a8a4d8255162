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

// maxBins bounds the bins of a histogram.
const maxBins = 1 << 24

// Bins says which bin an element belongs to.
type Bins[T vyre.Element] struct {
	n       int
	least   T
	width   T
	bounds  []T
	kind    binKind
	outside bool
	adds    bool
}

type binKind uint8

const (
	directBins binKind = iota
	evenBins
	boundedBins
)

// EachValue has a bin for each value of a short integer: 256 or 65,536.
func EachValue[T uint8 | uint16]() Bins[T] {
	return Bins[T]{n: 1 << (8 * sizeOf[T]()), kind: directBins}
}

// Even has n bins of one width from a least value on: bin k for (x - least) / width from k up to, but not including, k+1.
// Distances of integers are exact; of floats the difference and the quotient are rounded.
func Even[T vyre.Element](n int, least, width T) Bins[T] {
	return Bins[T]{n: n, least: least, width: width, kind: evenBins}
}

// Between has bins between bounds that ascend: bin k from bounds[k] up to, but not including, bounds[k+1].
func Between[T vyre.Element](bounds ...T) Bins[T] {
	return Bins[T]{n: len(bounds) - 1, bounds: bounds, kind: boundedBins}
}

// Outside adds two counts behind those of the bins: of elements that are less than all, and of those that are more, or NaN.
// Without it they are not counted.
func (b Bins[T]) Outside() Bins[T] { b.outside = true; return b }

// Adding lets a step add to the counts that are there, and not set them.
func (b Bins[T]) Adding() Bins[T] { b.adds = true; return b }

// Len is how many counts there are.
func (b Bins[T]) Len() int {
	if b.outside {
		return b.n + 2
	}
	return b.n
}

// Histogram counts how many elements belong to each bin.
type Histogram[T vyre.Element] struct {
	*made
	bins   Bins[T]
	kernel kernel
	bounds *vyre.Buffer[T] // on the device, or nil
}

// NewHistogram makes a histogram of at most max elements, fewer than 1<<32.
//
// Errors: no bins, or more than 1<<24; a width of 0 or less; bounds that do not ascend, or are NaN.
func NewHistogram[T vyre.Element](ctx context.Context, dev vyre.Device, bins Bins[T], max int) (*Histogram[T], error) {
	what := fmt.Sprintf("Histogram[%s]", typeName[T]())
	m, err := begin(dev, what, max)
	if err != nil {
		return nil, err
	}
	kind, _, ok := keyOf[T]()
	switch {
	case !ok:
		return nil, unsupported(what, "elements are integers and floats of fixed size")
	case m.max >= 1<<32:
		return nil, m.refuse(fmt.Sprintf("%d elements", max), "counts have 32 bits: take several steps that add")
	case bins.n < 1 || bins.n > maxBins:
		return nil, m.refuse(fmt.Sprintf("%d bins", bins.n), fmt.Sprintf("there are from 1 to %d", maxBins))
	}
	if err := bins.check(m, kind); err != nil {
		return nil, err
	}
	bind := map[string]uint64{"bins": uint64(bins.n), "all": uint64(bins.Len())}
	var p *ir.Program
	switch name := typeName[T](); {
	case bins.kind == directBins:
		p, err = kernels.HistogramDirectProgram(name)
	case bins.kind == boundedBins:
		p, err = kernels.HistogramBetweenProgram(name)
	case kind == block.Float:
		p, err = kernels.HistogramFloatsProgram(name)
	default:
		p, err = kernels.HistogramIntegersProgram(name)
	}
	if bins.kind == evenBins {
		bind["least"], bind["width"] = bitsOf(bins.least), bitsOf(bins.width)
	}
	h := &Histogram[T]{made: m, bins: bins}
	h.kernel, err = m.compile(ctx, p, err, bind, "x")
	if err == nil && bins.kind == boundedBins {
		h.bounds, err = vyre.Upload(ctx, dev, bins.bounds)
	}
	if err != nil {
		_ = m.Close() // the first error is the one to report
		return nil, err
	}
	return h, nil
}

// check refuses bins that have no order.
func (b *Bins[T]) check(m *made, kind uint32) error {
	switch b.kind {
	case evenBins:
		if w := bitsOf(b.width); w == 0 || !above(b.width, *new(T), kind) {
			return m.refuse(fmt.Sprintf("bins of width %v", b.width), "a width is greater than 0")
		}
		if kind == block.Float && b.least != b.least {
			return m.refuse(fmt.Sprintf("bins from %v on", b.least), "begin at a number")
		}
	case boundedBins:
		for i, v := range b.bounds {
			if v != v {
				return m.refuse(fmt.Sprintf("bound %d is %v", i, v), "a NaN has no place")
			}
			if i > 0 && !above(v, b.bounds[i-1], kind) {
				return m.refuse(fmt.Sprintf("bound %d is %v, and bound %d is %v", i-1, b.bounds[i-1], i, v), "bounds ascend")
			}
		}
	}
	return nil
}

// above reports whether a number is greater than another.
func above[T vyre.Element](a, b T, kind uint32) bool {
	switch kind {
	case block.Float:
		return floatOf(a) > floatOf(b)
	case block.Signed:
		return int64(bitsOf(a)<<(64-8*sizeOf[T]())) > int64(bitsOf(b)<<(64-8*sizeOf[T]()))
	}
	return bitsOf(a) > bitsOf(b)
}

func (h *Histogram[T]) scratchBytes() int64 { return 0 }

// Close gives the kernels and the bounds up, like that of all primitives.
func (h *Histogram[T]) Close() error {
	if h.bounds != nil {
		if err := h.bounds.Close(); err != nil {
			return err
		}
	}
	return h.made.Close()
}

// Record appends a histogram of x[:n] into counts[:bins.Len()].
func (h *Histogram[T]) Record(seq *vyre.Sequence, n Length, x *vyre.Buffer[T], counts *vyre.Buffer[uint32]) *Step {
	if unmade(seq, h) {
		return new(Step)
	}
	st := h.step(seq, n, x.Len(), x.Bytes())
	to := counts.View(0, h.bins.Len()).All()
	if !h.bins.adds {
		seq.Fill(to, 0, 4)
	}
	args := []vyre.Arg{driver.U64(st.room), driver.U64(n.n), st.where(n)}
	if h.bounds != nil {
		args = append(args, h.bounds.All())
	}
	st.launched(h.launch(seq, h.kernel, tilesOf(h.max), append(args, x.All(), to)...), 1)
	return st
}
