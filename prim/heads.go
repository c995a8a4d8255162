package prim

import (
	"context"
	"fmt"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/prim/internal/block"
)

// heads finds where segments begin that flags mark: beside the first element of each stands one that is not zero. The first
// element of all begins a segment, whatever stands beside it.
type heads struct{ selection }

func headsOf[F Flag](ctx context.Context, m *made) (h heads, err error) {
	if m.max > 1<<32-1 {
		return h, m.refuse(fmt.Sprintf("at most %d segments", m.max), "there are fewer than 1<<32 of them")
	}
	h.selection, err = m.selection(ctx, "", sizeOf[F](), block.Selection{By: block.Marked, Places: 1, End: true})
	return h, err
}

// headsBytes is how much memory the offsets take, and what finds them.
func (m *made) headsBytes() int64 { return m.selectionBytes() + 4*int64(m.max+1) }

// find appends the search, and returns the offsets.
func (h *heads) find(seq *vyre.Sequence, m *made, st *Step, n Length, flags, count vyre.Range) (offsets vyre.Range) {
	offsets = driver.All(seq.Scratch(4 * int64(m.max+1)))
	m.choose(seq, st, h.selection, n, selects{st.nowhere, st.nowhere, flags, offsets, count})
	return offsets
}

// HeadReduce is a SegmentedReduce of segments whose first elements flags mark.
type HeadReduce[T vyre.Element, F Flag] struct {
	*made
	heads
	segments
}

// NewHeadReduce makes a reduction of the segments of at most max elements, which are integers or floats of fixed size.
func NewHeadReduce[T vyre.Element, F Flag](ctx context.Context, dev vyre.Device, op Operator, max int) (*HeadReduce[T, F], error) {
	what := fmt.Sprintf("HeadReduce[%s, %s]", typeName[T](), typeName[F]())
	m, err := begin(dev, what, max)
	if err != nil {
		return nil, err
	}
	r := &HeadReduce[T, F]{made: m}
	if r.segments, err = segmentsOf[T](ctx, m, what, op, 4, m.max); err == nil {
		r.heads, err = headsOf[F](ctx, m)
	}
	if err != nil {
		_ = m.Close() // the first error is the one to report
		return nil, err
	}
	return r, nil
}

func (r *HeadReduce[T, F]) scratchBytes() int64 {
	if unmade(nil, r) {
		return 0
	}
	_, all := r.bytes()
	return r.headsBytes() + all
}

// Record appends a reduction of the segments of x[:n], which begin where flags are not zero and at the first element: what
// they give goes to out, which has room for n, and how many there are to count.
func (r *HeadReduce[T, F]) Record(seq *vyre.Sequence, n Length, flags *vyre.Buffer[F], x, out *vyre.Buffer[T], count Count) *Step {
	if unmade(seq, r) {
		return new(Step)
	}
	st := r.step(seq, n, min(flags.Len(), x.Len(), out.Len()), x.Bytes())
	found := r.counter(seq, count)
	st.apart(seq, []vyre.Range{out.Bytes(), found}, st.where(n), flags.Bytes(), x.Bytes())
	offsets := r.find(seq, r.made, st, n, flags.Bytes(), found)
	r.combine(seq, r.made, st, r.max, at(found), offsets, x.View(0, int(st.room)).Bytes(), out.Bytes())
	return st
}

// HeadScan is a SegmentedScan of segments whose first elements flags mark.
type HeadScan[T vyre.Element, F Flag] struct {
	*made
	heads
	segments *SegmentedScan[T, uint32]
}

// NewHeadScan makes an inclusive scan of the segments of at most max elements, which are integers or floats of fixed size.
func NewHeadScan[T vyre.Element, F Flag](ctx context.Context, dev vyre.Device, op Operator, max int) (*HeadScan[T, F], error) {
	s, err := NewSegmentedScan[T, uint32](ctx, dev, op, max, max)
	return newHeadScan[T, F](ctx, s, err)
}

// NewExclusiveHeadScan makes a HeadScan in which each segment begins with the value that changes no other, and leaves its last
// element out.
func NewExclusiveHeadScan[T vyre.Element, F Flag](ctx context.Context, dev vyre.Device, op Operator, max int) (*HeadScan[T, F], error) {
	s, err := NewExclusiveSegmentedScan[T, uint32](ctx, dev, op, max, max)
	return newHeadScan[T, F](ctx, s, err)
}

func newHeadScan[T vyre.Element, F Flag](ctx context.Context, s *SegmentedScan[T, uint32], err error) (*HeadScan[T, F], error) {
	if err != nil {
		return nil, err
	}
	h := &HeadScan[T, F]{made: s.made, segments: s}
	if h.heads, err = headsOf[F](ctx, s.made); err != nil {
		_ = s.Close() // the first error is the one to report
		return nil, err
	}
	return h, nil
}

func (s *HeadScan[T, F]) scratchBytes() int64 {
	if unmade(nil, s) {
		return 0
	}
	return s.headsBytes() + s.segments.scratchBytes() + countBytes
}

const countBytes = 8

// Record appends a scan of the segments of x[:n], which begin where flags are not zero and at the first element, to y[:n].
func (s *HeadScan[T, F]) Record(seq *vyre.Sequence, n Length, flags *vyre.Buffer[F], x, y *vyre.Buffer[T]) *Step {
	if unmade(seq, s) {
		return new(Step)
	}
	st := s.step(seq, n, min(flags.Len(), x.Len(), y.Len()), x.Bytes())
	st.apart(seq, []vyre.Range{y.Bytes()}, st.where(n), flags.Bytes(), x.Bytes())
	found := driver.All(seq.Scratch(countBytes))
	offsets := s.find(seq, s.made, st, n, flags.Bytes(), found)
	room := int(st.room)
	s.segments.scan(seq, st, s.max, at(found), offsets, x.View(0, room).Bytes(), y.View(0, room).Bytes())
	return st
}
