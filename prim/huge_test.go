package prim_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
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
	type maker func(context.Context, vyre.Device) (primitive, error)
	refused := map[string]maker{
		"Histogram[uint32]": func(ctx context.Context, d vyre.Device) (primitive, error) {
			return prim.NewHistogram(ctx, d, prim.Even[uint32](10, 0, 10), huge)
		},
		"RunLengths[uint32, uint32]": func(ctx context.Context, d vyre.Device) (primitive, error) {
			return prim.NewRunLengths[uint32, uint32](ctx, d, huge)
		},
		"ReduceByKey[uint32, uint32]": func(ctx context.Context, d vyre.Device) (primitive, error) {
			return prim.NewReduceByKey[uint32, uint32](ctx, d, prim.Sum, huge)
		},
		"SelectIndices[uint32, uint8]": func(ctx context.Context, d vyre.Device) (primitive, error) {
			return prim.NewSelectIndices[uint32, uint8](ctx, d, huge)
		},
		"SegmentedReduce[uint32, uint64]": func(ctx context.Context, d vyre.Device) (primitive, error) {
			return prim.NewSegmentedReduce[uint32, uint64](ctx, d, prim.Sum, huge, 100)
		},
		"SegmentedSort[uint32, uint64]": func(ctx context.Context, d vyre.Device) (primitive, error) {
			return prim.NewSegmentedSort[uint32, uint64](ctx, d, huge, prim.SortOptions{})
		},
		"MergePairs[uint32, uint16]": func(ctx context.Context, d vyre.Device) (primitive, error) {
			return prim.NewMergePairs[uint32, uint16](ctx, d, huge, prim.MergeOptions{})
		},
		"Permutation[uint32]": func(ctx context.Context, d vyre.Device) (primitive, error) {
			return prim.NewPermutation[uint32](ctx, d, huge)
		},
	}
	for what, err := range map[string]error{
		"Reduce":   second(prim.NewReduce[uint32](ctx, d, prim.Sum, math.MaxInt)),
		"Sort":     second(prim.NewSort[uint32](ctx, d, 1<<62+3, prim.SortOptions{})),
		"Merge":    second(prim.NewMerge[uint32](ctx, d, 1<<40+1, prim.MergeOptions{})),
		"Segments": second(prim.NewSegmentedReduce[uint32, uint64](ctx, d, prim.Sum, 1, math.MaxInt)),
	} {
		if !errors.Is(err, vyre.InvalidArgument) || !strings.Contains(err.Error(), "1099511627776") {
			t.Errorf("%s of more elements than a range has: %v", what, err)
		}
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
		if prim.Bytes(p) < least {
			t.Errorf("%T takes %d bytes, fewer than %d", p, prim.Bytes(p), least)
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

// What has more than 1<<32 elements has all of them, on a device with memory for it; on others the same is done with few.
func TestAllOfMoreElementsThan32BitsCount(t *testing.T) {
	for _, name := range devices() {
		d := open(t, name)
		n := 3*8192 + 5
		if !strings.Contains(name, "sim") && name != "cpu" && d.Caps().TotalMemory > 32<<30 {
			n = 1<<32 + 5
		}
		t.Run(fmt.Sprint(name, " ", n), func(t *testing.T) {
			marks := []int{0, n / 2, n - 5, n - 1} // n-5 is 1<<32
			x, y, flags := must(vyre.Alloc[uint8](d, n))(t), must(vyre.Alloc[uint8](d, n))(t), must(vyre.Alloc[uint8](d, n))(t)
			sum, count := must(vyre.Alloc[uint64](d, 1))(t), must(vyre.Alloc[uint64](d, 1))(t)
			reduce := must(prim.NewReduceTo[uint8, uint64](ctx, d, prim.Sum, n))(t)
			scan := must(prim.NewScan[uint8](ctx, d, prim.Sum, n))(t)
			choose := must(prim.NewSelect[uint8, uint8](ctx, d, n))(t)
			split := must(prim.NewPartition[uint8, uint8](ctx, d, n))(t)
			sort := must(prim.NewSort[uint8](ctx, d, n, prim.SortOptions{}))(t)
			defer closeAll(t, x, y, flags, sum, count, reduce, scan, choose, split, sort)
			zero := d.NewSequence("zero")
			zero.Fill(x.All(), 1, 1)
			zero.Fill(flags.All(), 0, 1)
			run(t, zero)
			closeAll(t, zero)
			for i, k := range marks {
				if err := errors.Join(x.View(k, k+1).Write(ctx, []uint8{uint8(2 + i)}), flags.View(k, k+1).Write(ctx, []uint8{9})); err != nil {
					t.Fatal(err)
				}
			}
			step := func(what string, record func(seq *vyre.Sequence)) {
				t.Helper()
				seq := d.NewSequence(what)
				defer seq.Close()
				seq.Fill(y.All(), 0, 1)
				record(seq)
				run(t, seq)
			}
			has := func(what string, from int, want ...uint8) {
				t.Helper()
				if got := must(y.View(from, from+len(want)).Read(ctx))(t); !slices.Equal(got, want) {
					t.Errorf("%s: elements from %d on are %v, want %v", what, from, got, want)
				}
			}
			counted := func(what string, b *vyre.Buffer[uint64], want int) {
				t.Helper()
				if got := must(b.Read(ctx))(t)[0]; got != uint64(want) {
					t.Errorf("%s gives %d, want %d", what, got, want)
				}
			}
			step("reduce", func(seq *vyre.Sequence) { reduce.Record(seq, prim.N(n), x, sum) })
			counted("reduce", sum, n+1+2+3+4)
			step("scan", func(seq *vyre.Sequence) { scan.Record(seq, prim.N(n), x, y) })
			has("scan", n-3, uint8(n-2+1+2+3), uint8(n-1+1+2+3), uint8(n+1+2+3+4))
			step("select", func(seq *vyre.Sequence) { choose.Record(seq, prim.N(n), x, x, y, count) })
			counted("select", count, n)
			has("select", n-6, 1, 4, 1, 1, 1, 5)
			has("select", n/2-1, 1, 3, 1)
			step("partition", func(seq *vyre.Sequence) { split.Record(seq, prim.N(n), x, flags, y, count) })
			counted("partition", count, len(marks))
			has("partition", 0, 2, 3, 4, 5, 1)
			has("partition", n-2, 1, 1)
			step("sort", func(seq *vyre.Sequence) { sort.Record(seq, prim.N(n), x, y) })
			has("sort", n-6, 1, 1, 2, 3, 4, 5)
		})
	}
}
