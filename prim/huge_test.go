package prim_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/prim"
)

// Made for more than 1<<32 elements a primitive works, on a device with memory for it, or is refused by name and number: where it
// counts or names places in 32 bits. What is beyond its ranges is refused when it is recorded.
func TestMoreElementsThan32BitsCount(t *testing.T) {
	const huge = 1<<33 + 5
	d := open(t, "cpu")
	type primitive interface {
		Close() error
		Bytes() int64
	}
	type maker func(context.Context, *vyre.Device) (primitive, error)
	refused := map[string]maker{
		"Histogram[uint32]": func(ctx context.Context, d *vyre.Device) (primitive, error) {
			return prim.NewHistogram(ctx, d, prim.Even[uint32](10, 0, 10), huge)
		},
		"RunLengths[uint32, uint32]": func(ctx context.Context, d *vyre.Device) (primitive, error) {
			return prim.NewRunLengths[uint32, uint32](ctx, d, huge)
		},
		"ReduceByKey[uint32, uint32]": func(ctx context.Context, d *vyre.Device) (primitive, error) {
			return prim.NewReduceByKey[uint32, uint32](ctx, d, prim.Sum, huge)
		},
		"SelectIndices[uint32, uint8]": func(ctx context.Context, d *vyre.Device) (primitive, error) {
			return prim.NewSelectIndices[uint32, uint8](ctx, d, huge)
		},
		"SegmentedReduce[uint32, uint64]": func(ctx context.Context, d *vyre.Device) (primitive, error) {
			return prim.NewSegmentedReduce[uint32, uint64](ctx, d, prim.Sum, huge, 100)
		},
		"SegmentedSort[uint32, uint64]": func(ctx context.Context, d *vyre.Device) (primitive, error) {
			return prim.NewSegmentedSort[uint32, uint64](ctx, d, huge, prim.SortOptions{})
		},
		"MergePairs[uint32, uint16]": func(ctx context.Context, d *vyre.Device) (primitive, error) {
			return prim.NewMergePairs[uint32, uint16](ctx, d, huge, prim.MergeOptions{})
		},
		"Permutation[uint32]": func(ctx context.Context, d *vyre.Device) (primitive, error) {
			return prim.NewPermutation[uint32](ctx, d, huge)
		},
	}
	for name, make := range refused {
		_, err := make(ctx, d)
		var e *vyre.Error
		if !errors.As(err, &e) || e.Kind != vyre.InvalidArgument || !strings.Contains(err.Error(), name) || e.Fix == "" {
			t.Errorf("%s of more than 1<<33 elements: %v", name, err)
		}
	}
	x, count := must(vyre.Alloc[uint32](d, 100))(t), must(vyre.Alloc[uint64](d, 1))(t)
	defer closeAll(t, x, count)
	flags := must(vyre.Alloc[uint8](d, 100))(t)
	defer closeAll(t, flags)
	recorded := func(p primitive, err error, least int64, record func(seq *vyre.Sequence, n prim.Length)) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer closeAll(t, p)
		if p.Bytes() < least {
			t.Errorf("%T takes %d bytes, fewer than %d", p, p.Bytes(), least)
		}
		seq := d.NewSequence("huge")
		defer seq.Close()
		record(seq, prim.N(huge-1))
		if err := seq.Prepare(); err == nil || !strings.Contains(err.Error(), "8589934596") || !strings.Contains(err.Error(), "100") {
			t.Errorf("%T of 8589934596 elements in a range of 100: %v", p, err)
		}
	}
	reduce, err := prim.NewReduce[uint32](ctx, d, prim.Sum, huge)
	recorded(reduce, err, huge/4096*4, func(seq *vyre.Sequence, n prim.Length) { reduce.Record(seq, n, x, x.View(0, 1)) })
	scan, err := prim.NewScan[uint32](ctx, d, prim.Sum, huge)
	recorded(scan, err, huge/8192*8, func(seq *vyre.Sequence, n prim.Length) { scan.Record(seq, n, x, x) })
	sort, err := prim.NewSort[uint32](ctx, d, huge, prim.SortOptions{})
	recorded(sort, err, 4*huge, func(seq *vyre.Sequence, n prim.Length) { sort.Record(seq, n, x, x) })
	choose, err := prim.NewSelect[uint32, uint8](ctx, d, huge)
	recorded(choose, err, huge/8192*8, func(seq *vyre.Sequence, n prim.Length) { choose.Record(seq, n, x, flags, x, count) })
}
