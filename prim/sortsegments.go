package prim

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/prim/internal/block"
	"github.com/govyre/vyre/prim/internal/kernels"
)

// SegmentedSort sorts each segment of a range by itself, whatever their lengths. Segment i is keys[offsets[i]:offsets[i+1]].
//
// Up to 32 keys are sorted by a warp, up to 8,192 by a workgroup. All longer segments are sorted together: by their keys, and
// then by their segments, which are few. Where there are none, these passes find nothing to do.
type SegmentedSort[K vyre.Element, O uint32 | uint64] struct {
	*made
	segments, collect, place, gather kernel
	keys, of                         *sorter // of long segments: by key, and then by segment
}

// NewSegmentedSort makes a sort of segments with at most max keys in all, integers or floats of fixed size. It sorts by all of
// a key, and takes neither From and To nor Swap. O is the type of the offsets.
func NewSegmentedSort[K vyre.Element, O uint32 | uint64](ctx context.Context, dev vyre.Device, max int, o SortOptions) (*SegmentedSort[K, O], error) {
	what := fmt.Sprintf("SegmentedSort[%s, %s]", typeName[K](), typeName[O]())
	m, err := begin(dev, what, max)
	if err != nil {
		return nil, err
	}
	kind, name, ok := keyOf[K]()
	switch {
	case !ok:
		return nil, unsupported(what, "keys are integers and floats of fixed size")
	case o.From != 0 || o.To != 0 || o.Swap:
		return nil, m.refuse(fmt.Sprintf("options %+v", o), "segments are sorted by all of a key, into another range")
	case m.max > 1<<32:
		return nil, m.refuse(fmt.Sprintf("%d keys", m.max), "sort at most 1<<32 at a time")
	}
	s := &SegmentedSort[K, O]{made: m}
	p, err := kernels.SortSegmentsProgram(name)
	s.segments, err = m.compile(ctx, p, err, map[string]uint64{"kind": uint64(kind), "down": bit(o.Descending), "wide": bit(sizeOf[O]() == 8)})
	if err == nil && s.long() > 0 {
		err = s.compileLong(ctx, kind, name, o)
	}
	if err != nil {
		_ = m.Close() // the first error is the one to report
		return nil, err
	}
	return s, nil
}

// compileLong compiles what sorts long segments.
func (s *SegmentedSort[K, O]) compileLong(ctx context.Context, kind uint32, name string, o SortOptions) error {
	p, err := kernels.CollectLongProgram(name)
	if s.collect, err = s.compile(ctx, p, err, nil); err != nil {
		return err
	}
	p, err = kernels.PlaceLongProgram(name)
	if s.place, err = s.compile(ctx, p, err, nil); err != nil {
		return err
	}
	programs := sortPrograms{kernels.SortPairsFew4Program, kernels.SortPairsGroup4Program, kernels.SortPairs4Program}
	s.keys, err = newSorter(ctx, s.made, kind, name, int(sizeOf[K]()), 4, o, programs, map[string]uint64{"iota": 1})
	if err != nil || s.long() == 1 {
		return err
	}
	p, err = kernels.GatherProgram("uint32")
	if s.gather, err = s.compile(ctx, p, err, nil); err != nil {
		return err
	}
	s.of, err = newSorter(ctx, s.made, block.Unsigned, "uint32", 4, 4, SortOptions{To: bits.Len64(s.long() - 1)}, programs, map[string]uint64{"iota": 0})
	return err
}

// long is how many long segments there are at most.
func (s *SegmentedSort[K, O]) long() uint64 { return block.MaxLong(s.max) }

func (s *SegmentedSort[K, O]) scratchBytes() int64 {
	if unmade(nil, s) {
		return 0
	}
	all := segmentWork{}
	s.layout(&all)
	if s.keys != nil {
		all.end += s.keys.scratchBytes()
	}
	if s.of != nil {
		all.end += s.of.scratchBytes()
	}
	return all.end
}

// segmentWork is where in its memory a step has what, beside what its sorts take.
type segmentWork struct{ total, n, long, keys, sorted, of, ofSorted, ofEnd, indices, last, end int64 }

func (s *SegmentedSort[K, O]) layout(w *segmentWork) {
	if s.long() == 0 {
		return
	}
	at := int64(0)
	take := func(place *int64, bytes int64) {
		*place = at
		at += roundUp(bytes)
	}
	keys, words := int64(sizeOf[K]())*int64(s.max), 4*int64(s.max)
	take(&w.total, 8)
	take(&w.n, 8)
	take(&w.long, 16*int64(s.long()))
	take(&w.keys, keys)
	take(&w.sorted, keys)
	take(&w.indices, words)
	take(&w.of, words)
	if s.long() > 1 {
		take(&w.ofSorted, words)
		take(&w.ofEnd, words)
		take(&w.last, words)
	}
	w.end = at
}

// Record appends a sort of n segments of keys into out; offsets has n+1 elements, which do not descend. Elements in no segment
// are not written.
func (s *SegmentedSort[K, O]) Record(seq *vyre.Sequence, n Length, offsets *vyre.Buffer[O], keys, out *vyre.Buffer[K]) *Step {
	if unmade(seq, s) {
		return new(Step)
	}
	all := *s.made
	all.max = uint64(max(0, offsets.Len()-1)) // as many segments as there are offsets for
	st := all.step(seq, n, int(all.max), keys.Bytes())
	elements := min(s.max, uint64(min(keys.Len(), out.Len())))
	short, wide := offsets.Bytes(), st.nowhere
	if sizeOf[O]() == 8 {
		short, wide = wide, short
	}
	var w segmentWork
	s.layout(&w)
	long, total, work := st.nowhere, st.nowhere, st.nowhere
	if s.long() > 0 {
		work = driver.All(seq.Scratch(w.end))
		long, total = driver.Part(work.Buffer, w.long, 16*int64(s.long())), driver.Part(work.Buffer, w.total, 8)
		seq.Fill(total, 0, 4)
	}
	args := []vyre.Arg{driver.U64(st.room), driver.U64(n.n), st.where(n), short, wide, driver.U64(elements), keys.Bytes(), out.Bytes(), long, total}
	st.launched(s.launch(seq, s.segments, (all.max+15)/16, args...), 1)
	if s.long() > 0 {
		s.recordLong(seq, w, work, long, total, keys.Bytes(), out.Bytes())
	}
	return st
}

// recordLong appends the sort of long segments.
func (s *SegmentedSort[K, O]) recordLong(seq *vyre.Sequence, w segmentWork, work, long, total, in, out vyre.Range) {
	part := func(at, bytes int64) vyre.Range { return driver.Part(work.Buffer, at, bytes) }
	bytes, words := int64(sizeOf[K]())*int64(s.max), 4*int64(s.max)
	count, keys, of, indices := part(w.n, 8), part(w.keys, bytes), part(w.of, words), part(w.indices, words)
	s.launch(seq, s.collect, groupsOf(s.max), in, long, total, keys, of, count)
	n := at(count)
	inner := &Step{of: s.made, room: s.max, nowhere: vyre.Range{Buffer: work.Buffer}}
	s.keys.record(seq, inner, n, keys, inner.nowhere, part(w.sorted, bytes), indices)
	if s.of != nil {
		ofSorted, last := part(w.ofSorted, words), part(w.last, words)
		s.launch(seq, s.gather, groupsOf(s.max), driver.U64(s.max), driver.U64(0), count, of, indices, ofSorted)
		s.of.record(seq, inner, n, ofSorted, indices, part(w.ofEnd, words), last)
		indices = last
	}
	s.launch(seq, s.place, groupsOf(s.max), keys, long, total, indices, out)
}
