package prim

import (
	"context"
	"fmt"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/prim/internal/kernels"
)

// SortPairs sorts keys like Sort, and has a value go with each; pairs of equal keys keep their order, also in a descending sort.
//
// Values of 4 and 8 bytes are moved in every pass. Of others the indices are sorted, and the values collected at the end: that
// is one access out of order for each, where 1 and 2 bytes would waste most of every pass, and 16 double it.
type SortPairs[K, V vyre.Element] struct {
	*sorter
	gather kernel // collects values that do not go along
}

// NewSortPairs makes a sort of at most max pairs of keys, integers or floats of fixed size, and values of 1, 2, 4, 8 or 16
// bytes. Swap is for values of 4 and 8 bytes.
func NewSortPairs[K, V vyre.Element](ctx context.Context, dev vyre.Device, max int, o SortOptions) (*SortPairs[K, V], error) {
	what := fmt.Sprintf("SortPairs[%s, %s]", typeName[K](), typeName[V]())
	m, err := begin(dev, what, max)
	if err != nil {
		return nil, err
	}
	kind, bits, ok := keyOf[K]()
	if !ok {
		return nil, unsupported(what, "keys are integers and floats of fixed size")
	}
	of, ok := payload[V]()
	if !ok {
		return nil, unsupported(what, fmt.Sprintf("values of %d bytes; there are 1, 2, 4, 8 and 16", sizeOf[V]()))
	}
	width, programs := int(sizeOf[V]()), sortPrograms{kernels.SortPairsFew4Program, kernels.SortPairsGroup4Program, kernels.SortPairs4Program}
	iota := uint64(0)
	if width != 4 && width != 8 {
		if o.Swap {
			return nil, m.refuse(fmt.Sprintf("Swap, and values of %d bytes", width), "leave Swap out, or pass values of 4 or 8 bytes")
		}
		iota, width = 1, 4
		if m.max > 1<<32 {
			width = 8
		}
	}
	gather := kernels.GatherProgram
	if width == 8 {
		programs, gather = sortPrograms{kernels.SortPairsFew8Program, kernels.SortPairsGroup8Program, kernels.SortPairs8Program}, kernels.GatherLongProgram
	}
	s, err := newSorter(ctx, m, kind, bits, int(sizeOf[K]()), width, o, programs, map[string]uint64{"iota": iota})
	if err != nil {
		return nil, err
	}
	p := &SortPairs[K, V]{sorter: s}
	if iota == 1 {
		program, err := gather(of)
		if p.gather, err = m.compile(ctx, program, err, nil); err != nil {
			_ = m.Close() // the first error is the one to report
			return nil, err
		}
	}
	return p, nil
}

// gathers reports whether the indices are sorted in place of the values.
func (s *SortPairs[K, V]) gathers() bool { return s.gather.any != nil }

func (s *SortPairs[K, V]) scratchBytes() int64 {
	if unmade(nil, s) {
		return 0
	}
	if s.gathers() {
		return s.sorter.scratchBytes() + s.value*int64(s.max)
	}
	return s.sorter.scratchBytes()
}

// Record appends a sort of n pairs into outKeys[:n] and outValues[:n]. With Swap all four are destroyed but for the result.
func (s *SortPairs[K, V]) Record(seq *vyre.Sequence, n Length, keys *vyre.Buffer[K], values *vyre.Buffer[V], outKeys *vyre.Buffer[K], outValues *vyre.Buffer[V]) *Step {
	if unmade(seq, s) {
		return new(Step)
	}
	st := s.step(seq, n, min(keys.Len(), values.Len(), outKeys.Len(), outValues.Len()), keys.Bytes())
	if !s.gathers() {
		s.record(seq, st, n, keys.Bytes(), values.Bytes(), outKeys.Bytes(), outValues.Bytes())
		return st
	}
	st.apart(seq, []vyre.Range{outKeys.Bytes(), outValues.Bytes()}, st.where(n), keys.Bytes(), values.Bytes())
	indices := st.nowhere
	if s.max > 0 {
		indices = driver.All(seq.Scratch(s.value * int64(s.max)))
	}
	s.record(seq, st, n, keys.Bytes(), st.nowhere, outKeys.Bytes(), indices)
	st.launched(s.launch(seq, s.gather, groupsOf(s.max), driver.U64(st.room), driver.U64(n.n), st.where(n), values.Bytes(), indices, outValues.Bytes()), 1)
	return st
}

// SortPairsSlice returns the pairs of two slices of one length sorted: it makes a SortPairs, uploads, runs and reads.
func SortPairsSlice[K, V vyre.Element](ctx context.Context, dev vyre.Device, keys []K, values []V, o SortOptions) ([]K, []V, error) {
	o.Swap = false
	s, err := NewSortPairs[K, V](ctx, dev, len(keys), o)
	if err != nil {
		return nil, nil, err
	}
	outKeys, outValues := make([]K, len(keys)), make([]V, len(keys))
	err = once(ctx, dev, s, func(j *job) error {
		if len(values) != len(keys) {
			return s.refuse(fmt.Sprintf("%d keys and %d values", len(keys), len(values)), "pass a value for each key")
		}
		k, err := given(j, keys)
		if err != nil {
			return err
		}
		v, err := given(j, values)
		if err != nil {
			return err
		}
		toK, err := wanted(j, outKeys)
		if err != nil {
			return err
		}
		toV, err := wanted(j, outValues)
		if err == nil {
			s.Record(j.seq, N(len(keys)), k, v, toK, toV)
		}
		return err
	})
	return outKeys, outValues, err
}
