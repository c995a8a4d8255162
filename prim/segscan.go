package prim

import (
	"context"
	"fmt"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/prim/internal/block"
	"github.com/govyre/vyre/prim/internal/kernels"
)

// SegmentedScan leaves the running combinations of each segment of an array. A segment gives what a Scan of it alone gives.
type SegmentedScan[T vyre.Element, I uint32 | uint64] struct {
	*made
	elements uint64 // that there can be, in all segments
	steps    []kernel
}

// NewSegmentedScan makes an inclusive scan of at most max segments with offsets of type I, of at most elements integers or
// floats of fixed size in all.
func NewSegmentedScan[T vyre.Element, I uint32 | uint64](ctx context.Context, dev vyre.Device, op Operator, max, elements int) (*SegmentedScan[T, I], error) {
	return newSegmentedScan[T, I](ctx, dev, op, max, elements, false)
}

// NewExclusiveSegmentedScan makes a SegmentedScan in which each segment begins with the value that changes no other, of
// floats +0, 1, +Inf or -Inf, and leaves its last element out.
func NewExclusiveSegmentedScan[T vyre.Element, I uint32 | uint64](ctx context.Context, dev vyre.Device, op Operator, max, elements int) (*SegmentedScan[T, I], error) {
	return newSegmentedScan[T, I](ctx, dev, op, max, elements, true)
}

func newSegmentedScan[T vyre.Element, I uint32 | uint64](ctx context.Context, dev vyre.Device, op Operator, max, elements int, exclusive bool) (*SegmentedScan[T, I], error) {
	what := fmt.Sprintf("SegmentedScan[%s, %s]", typeName[T](), typeName[I]())
	m, err := begin(dev, what, max)
	if err != nil {
		return nil, err
	}
	if err := m.admitSegments(max, elements); err != nil {
		return nil, err
	}
	s := &SegmentedScan[T, I]{made: m, elements: uint64(elements)}
	program, of, scalars, err := segmentProgram[T](m, what, op, kernels.ScanIntegerSegmentsProgram, kernels.ScanFloatSegmentsProgram)
	if err != nil {
		return nil, err
	}
	p, err := program(of)
	scalars["words"], scalars["exclusive"] = uint64(sizeOf[I]()/4), bit(exclusive)
	last := uint64(block.SegmentRest)
	if s.elements <= block.Tile {
		last = block.SegmentLists
	}
	if s.steps, err = m.compileSteps(ctx, p, err, scalars, last); err != nil {
		_ = m.Close() // the first error is the one to report
		return nil, err
	}
	return s, nil
}

func (s *SegmentedScan[T, I]) scratchBytes() int64 {
	if unmade(nil, s) {
		return 0
	}
	_, all := s.work(driver.Range{})
	return all
}

// work are the parts of a step's work: the list of tiles, their totals, the scan of those, and the last of each tile.
func (s *SegmentedScan[T, I]) work(in driver.Range) (parts []vyre.Arg, all int64) {
	long := block.LongTiles(s.elements)
	tiles := int64(long) * int64(sizeOf[T]())
	for _, size := range []int64{4 * int64(block.TileList(long)), 2 * tiles, 2 * tiles, tiles} {
		part := driver.Part(in.Buffer, all, size)
		if size == 0 {
			part.Off = 0
		}
		parts = append(parts, part)
		all += roundUp(size)
	}
	return parts, all
}

// Record appends a scan of segments of x, k in number, to the same places of y: segment i begins at offsets[i] and ends at
// offsets[i+1]. Offsets that descend or go beyond x are a trap that tells the segment.
func (s *SegmentedScan[T, I]) Record(seq *vyre.Sequence, k Length, offsets *vyre.Buffer[I], x, y *vyre.Buffer[T]) *Step {
	if unmade(seq, s) {
		return new(Step)
	}
	st := s.step(seq, k, max(offsets.Len(), 1)-1, x.Bytes())
	n := min(x.Len(), y.Len())
	if uint64(n) > s.elements {
		seq.Refuse(s.refuse(fmt.Sprintf("%d elements in segments", n), fmt.Sprintf("make the primitive for as many elements as there can be: it is for %d", s.elements)))
	}
	for _, l := range s.scan(seq, st, st.room, k, offsets.Bytes(), x.View(0, n).Bytes(), y.View(0, n).Bytes()) {
		st.launched(l, 1)
	}
	return st
}

// scan appends the launches: so many segments, at most limit.
func (s *SegmentedScan[T, I]) scan(seq *vyre.Sequence, st *Step, limit uint64, k Length, offsets, x, y vyre.Range) (launches []*driver.Step) {
	work := driver.All(seq.Scratch(s.scratchBytes()))
	seq.Fill(driver.Part(work.Buffer, 0, 4), 0, 4)
	parts, _ := s.work(work)
	for i, of := range s.steps {
		tiles := groupsOf(s.max)
		if i > 0 {
			tiles = (block.LongTiles(s.elements) + block.Warps - 1) / block.Warps
		}
		args := []vyre.Arg{driver.U64(limit), driver.U64(k.n), st.where(k), offsets, x, y}
		launches = append(launches, s.launch(seq, of, tiles, append(args, parts...)...))
	}
	return launches
}
