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

// segments combines the elements of segments, for primitives that find segments in one way or another.
type segments struct {
	words    uint32 // of an offset
	elements uint64 // that there can be, in all segments
	size     int64  // of an element
	steps    []kernel
}

// segments compiles the launches over segments with offsets of so many bytes, of T combined by op.
func segmentsOf[T vyre.Element](ctx context.Context, m *made, what string, op Operator, offset uintptr, elements uint64) (s segments, err error) {
	s = segments{words: uint32(offset / 4), elements: elements, size: int64(sizeOf[T]())}
	program, of, scalars, err := segmentProgram[T](m, what, op, kernels.ReduceIntegerSegmentsProgram, kernels.ReduceFloatSegmentsProgram)
	if err != nil {
		return s, err
	}
	scalars["words"] = uint64(s.words)
	p, err := program(of)
	last := uint64(block.SegmentTops)
	if elements <= block.WarpSegment {
		last = block.SegmentLists
	}
	s.steps, err = m.compileSteps(ctx, p, err, scalars, last)
	return s, err
}

// segmentProgram chooses the program of integers or of floats, and what is known of its scalars.
func segmentProgram[T vyre.Element](m *made, what string, op Operator, ofIntegers, ofFloats func(string) (*ir.Program, error)) (program func(string) (*ir.Program, error), of string, scalars map[string]uint64, err error) {
	if err := m.admitOperator(op); err != nil {
		return nil, "", nil, err
	}
	scalars = map[string]uint64{"op": uint64(op)}
	switch kind := kindOf[T](); {
	case kind == floats && op > Max:
		return nil, "", nil, unsupported(what, fmt.Sprintf("%v is of integers only", op))
	case kind == others:
		return nil, "", nil, unsupported(what, "elements are integers and floats of fixed size")
	case kind == floats:
		scalars["empty"] = emptyFloat[T](op)
		return ofFloats, typeName[T](), scalars, nil
	}
	scalars["empty"], scalars["flip"] = emptyInteger[T](op), flip[T](op)
	return ofIntegers, unsignedName[T](), scalars, nil
}

// compileSteps compiles the launches over segments up to the last.
func (m *made) compileSteps(ctx context.Context, p *ir.Program, err error, scalars map[string]uint64, last uint64) (steps []kernel, _ error) {
	for step := uint64(block.SegmentLists); step <= last && err == nil; step++ {
		scalars["step"] = step
		var k kernel
		k, err = m.compile(ctx, p, err, scalars)
		steps = append(steps, k)
	}
	return steps, err
}

// admitSegments refuses numbers of segments and of elements that make no sense.
func (m *made) admitSegments(max, elements int) error {
	if uint64(elements) > mostElements || uint64(max) > 1<<32-1 {
		return m.refuse(fmt.Sprintf("%d segments of %d elements", max, elements), fmt.Sprintf("there are fewer than 1<<32 segments, and from 0 to %d elements", uint64(mostElements)))
	}
	return nil
}

// bytes is how much memory the launches take for their work: the list of tiles, and their results. One launch alone has none.
func (s *segments) bytes() (list, all int64) {
	if len(s.steps) == 1 {
		return 0, 0
	}
	tiles := block.ListedTiles(s.elements)
	list = roundUp(4 * int64(block.TileList(tiles)))
	return list, list + int64(tiles)*s.size
}

// combine appends the launches: so many segments, at most limit.
func (s *segments) combine(seq *vyre.Sequence, m *made, st *Step, limit uint64, n Length, offsets, x, out vyre.Range) (launches []*driver.Step) {
	list, sums := st.nowhere, st.nowhere
	if end, all := s.bytes(); all > 0 {
		work := driver.All(seq.Scratch(all))
		list, sums = driver.Part(work.Buffer, 0, end), driver.Part(work.Buffer, end, all-end)
		seq.Fill(driver.Part(work.Buffer, 0, 4), 0, 4)
	}
	for i, k := range s.steps {
		groups := groupsOf(32 * limit) // a warp for each segment, if there are as many
		if i > 0 {
			groups = block.ListedTiles(s.elements)
		}
		launches = append(launches, m.launch(seq, k, groups, driver.U64(limit), driver.U64(n.n), st.where(n), offsets, x, out, list, sums))
	}
	return launches
}

// SegmentedReduce combines the elements of each segment of an array. A segment gives what a Reduce of it alone gives, an
// empty one the value that changes no other.
type SegmentedReduce[T vyre.Element, I uint32 | uint64] struct {
	*made
	segments
}

// NewSegmentedReduce makes a reduction of at most max segments with offsets of type I, of at most elements integers or floats
// of fixed size in all.
func NewSegmentedReduce[T vyre.Element, I uint32 | uint64](ctx context.Context, dev vyre.Device, op Operator, max, elements int) (*SegmentedReduce[T, I], error) {
	what := fmt.Sprintf("SegmentedReduce[%s, %s]", typeName[T](), typeName[I]())
	m, err := begin(dev, what, max)
	if err != nil {
		return nil, err
	}
	if err := m.admitSegments(max, elements); err != nil {
		return nil, err
	}
	r := &SegmentedReduce[T, I]{made: m}
	if r.segments, err = segmentsOf[T](ctx, m, what, op, sizeOf[I](), uint64(elements)); err != nil {
		_ = m.Close() // the first error is the one to report
		return nil, err
	}
	return r, nil
}

func (r *SegmentedReduce[T, I]) scratchBytes() int64 {
	if unmade(nil, r) {
		return 0
	}
	_, all := r.bytes()
	return all
}

// Record appends a reduction of segments of x, k in number, to out[:k]: segment i begins at offsets[i] and ends at
// offsets[i+1]. Offsets that descend or go beyond x are a trap that tells the segment.
func (r *SegmentedReduce[T, I]) Record(seq *vyre.Sequence, k Length, offsets *vyre.Buffer[I], x, out *vyre.Buffer[T]) *Step {
	if unmade(seq, r) {
		return new(Step)
	}
	st := r.step(seq, k, min(max(offsets.Len(), 1)-1, out.Len()), x.Bytes())
	if uint64(x.Len()) > r.elements {
		seq.Refuse(r.refuse(fmt.Sprintf("%d elements in segments", x.Len()), fmt.Sprintf("make the primitive for as many elements as there can be: it is for %d", r.elements)))
	}
	for _, l := range r.combine(seq, r.made, st, st.room, k, offsets.Bytes(), x.Bytes(), out.Bytes()) {
		st.launched(l, 1)
	}
	return st
}
