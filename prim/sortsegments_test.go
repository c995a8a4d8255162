package prim_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/prim"
)

// segmentsOf sorts segments of these lengths, and compares each with a sort of its own.
func segmentsOf[K gpu.Number, O uint32 | uint64](t *testing.T, d vyre.Device, shape int, down bool, lengths ...int) {
	t.Helper()
	offsets, total := []O{3}, 3 // some elements are in no segment
	for _, n := range lengths {
		total += n
		offsets = append(offsets, O(total))
	}
	keys := draw[K](total+2, shape)
	o := prim.SortOptions{Descending: down}
	s := must(prim.NewSegmentedSort[K, O](ctx, d, len(keys), o))(t)
	in, at, out := must(vyre.Upload(ctx, d, keys))(t), must(vyre.Upload(ctx, d, offsets))(t), poisoned[K](t, d, len(keys))
	seq := d.NewSequence("segments")
	var step *prim.Step
	seq.Repeat(2, func() { step = s.Record(seq, prim.N(len(lengths)), at, in, out) })
	run(t, seq)
	got := result(t, out, len(keys))
	poison := make([]K, 1)
	for i := range vyre.Bytes(poison) {
		vyre.Bytes(poison)[i] = 0xa5
	}
	want := slices.Repeat(poison, len(keys))
	for i := range lengths {
		part := keys[offsets[i]:offsets[i+1]]
		for k, from := range order(part, o) {
			want[int(offsets[i])+k] = part[from]
		}
	}
	if !same(got, want) {
		t.Errorf("%s: segments of %v elements of %T, down %v: not sorted", d.Name(), lengths, keys, down)
	}
	if err := step.SetLength(prim.N(len(lengths) + 1)); err == nil {
		t.Error("more segments than there are offsets for are taken")
	}
	closeAll(t, seq, in, at, out, s)
}

func TestSegmentsAreSortedByThemselves(t *testing.T) {
	drawing(t)
	defer prim.ForceGroups(0)
	mixes := [][]int{{}, {0}, {1}, {5, 0, 33, 32, 31, 0, 64}, {8192, 8193, 1, 8200}, {513, 512, 511}, {9000, 40, 8191, 0, 9000, 32}}
	many := make([]int, 100)
	for i := range many {
		many[i] = chance.IntN(20)
	}
	mixes = append(mixes, many)
	half := chance.IntN(2)
	for k, name := range devices() {
		d := open(t, name)
		for i, mix := range mixes {
			if !long.Enabled() && (i+k+half)%2 == 1 {
				continue
			}
			prim.ForceGroups([]uint32{0, 1, 2, 7}[chance.IntN(4)])
			down := chance.IntN(2) == 0
			switch shape := chance.IntN(len(shapes)); {
			case long.Enabled():
				segmentsOf[uint8, uint32](t, d, shape, down, mix...)
				segmentsOf[int32, uint64](t, d, shape, down, mix...)
				fallthrough
			case i/2%2 == 0:
				segmentsOf[float64, uint32](t, d, shape, down, mix...)
			default:
				segmentsOf[uint16, uint64](t, d, shape, down, mix...)
			}
		}
	}
	prim.ForceGroups(2)
	segmentsOf[uint16, uint32](t, seeded(t, chance.Uint64()), 0, false, 40, 3, 8300, 600, 8193)
}

func TestSegmentsRefuseWhatIsWrong(t *testing.T) {
	d := open(t, "cpu")
	for _, o := range []prim.SortOptions{{To: 8}, {Swap: true}} {
		if _, err := prim.NewSegmentedSort[uint32, uint32](ctx, d, 10, o); err == nil || !strings.Contains(err.Error(), "options") {
			t.Errorf("%+v: %v", o, err)
		}
	}
	s := must(prim.NewSegmentedSort[uint32, uint32](ctx, d, 10, prim.SortOptions{}))(t)
	in, out := must(vyre.Upload(ctx, d, make([]uint32, 20)))(t), must(vyre.Alloc[uint32](d, 20))(t)
	for _, offsets := range [][]uint32{{0, 5, 4}, {0, 11}} {
		at := must(vyre.Upload(ctx, d, offsets))(t)
		seq := d.NewSequence("wrong")
		s.Record(seq, prim.N(len(offsets)-1), at, in, out)
		if _, err := seq.Run(ctx); err == nil || !strings.Contains(err.Error(), "segment ends") {
			t.Errorf("offsets %v: %v", offsets, err)
		}
		closeAll(t, seq, at)
	}
	closeAll(t, in, out, s)
}
