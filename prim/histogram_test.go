package prim_test

import (
	"math"
	"strings"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/prim"
)

// histogram counts on a device, twice, over poisoned counts with some behind them.
func histogram[T vyre.Element](t *testing.T, d vyre.Device, bins prim.Bins[T], x []T) []uint32 {
	t.Helper()
	h := must(prim.NewHistogram(ctx, d, bins, len(x)))(t)
	in, counts := must(vyre.Upload(ctx, d, x))(t), must(vyre.Alloc[uint32](d, bins.Len()+3))(t)
	seq := d.NewSequence("histogram")
	seq.Fill(counts.Bytes(), 0xa5, 1)
	h.Record(seq, prim.N(len(x)), in, counts)
	for range 2 {
		if _, err := seq.Run(ctx); err != nil {
			t.Fatal(err)
		}
	}
	got := must(counts.Read(ctx))(t)
	for _, v := range got[bins.Len():] {
		if v != 0xa5a5a5a5 {
			t.Errorf("a histogram of %d counts wrote behind them", bins.Len())
		}
	}
	closeAll(t, seq, in, counts, h)
	return got[:bins.Len()]
}

// counted is what a loop counts, by a function that says where an element goes.
func counted[T any](x []T, counts int, bin func(T) int) []uint32 {
	want := make([]uint32, counts)
	for _, v := range x {
		if b := bin(v); b >= 0 && b < counts {
			want[b]++
		}
	}
	return want
}

func TestHistogramGivesTheKnownAnswers(t *testing.T) {
	known := map[int]string{1: "fe38d80b895e8fe9", 33: "b8fece98b559a60f", 4097: "f4a6f9a4c0727527", 1048576: "0ac6891e5046fe7c"}
	for _, name := range devices() {
		d := open(t, name)
		for _, n := range sizes(name)[1:] {
			tops := make([]uint8, n)
			for i, w := range words(n) {
				tops[i] = uint8(w >> 24)
			}
			if got := digest(histogram(t, d, prim.EachValue[uint8](), tops)); got != known[n] {
				t.Errorf("%s: the histogram of %d bytes is %s, want %s", name, n, got, known[n])
			}
			if got := digest(histogram(t, d, prim.Even[uint32](256, 0, 1<<24), words(n))); got != known[n] {
				t.Errorf("%s: that of %d words in bins of 1<<24 is %s, want %s", name, n, got, known[n])
			}
		}
	}
}

func TestHistogramsOfAllKindsOfBins(t *testing.T) {
	const n = 5000
	shorts, signed, longs, floats, doubles := make([]uint16, n), make([]int8, n), make([]int64, n), make([]float32, n), make([]float64, n)
	for i, w := range words(n) {
		shorts[i], signed[i], longs[i] = uint16(w), int8(w), int64(uint64(w)<<32|uint64(w))
		floats[i], doubles[i] = float32(int32(w))/(1<<30), float64(int32(w))/(1<<28)
		switch i % 50 {
		case 0:
			floats[i], doubles[i] = float32(math.NaN()), math.Inf(1)
		case 1:
			floats[i], doubles[i] = float32(math.Copysign(0, -1)), math.Inf(-1)
		}
	}
	for _, name := range devices() {
		d := open(t, name)
		equal := func(what string, got, want []uint32) {
			t.Helper()
			equalBits(t, name+": "+what, got, want)
		}
		equal("each short", histogram(t, d, prim.EachValue[uint16](), shorts), counted(shorts, 1<<16, func(v uint16) int { return int(v) }))
		outside := func(k float64, bins int) int {
			switch {
			case k < 0:
				return bins
			case k < float64(bins):
				return int(k)
			}
			return bins + 1
		}
		equal("even bytes", histogram(t, d, prim.Even[int8](7, -100, 25).Outside(), signed), counted(signed, 9, func(v int8) int { return outside(math.Floor(float64(int(v)+100)/25), 7) }))
		equal("even longs", histogram(t, d, prim.Even[int64](3, math.MinInt64, math.MaxInt64), longs), counted(longs, 3, func(v int64) int {
			return int((uint64(v) + 1<<63) / math.MaxInt64)
		}))
		equal("even floats", histogram(t, d, prim.Even[float32](10, -1, 0.25).Outside(), floats), counted(floats, 12, func(v float32) int { return outside(math.Floor(float64((v+1)/0.25)), 10) }))
		bounds := []float64{math.Inf(-1), -2, -0.5, 0, 1, 3}
		between := func(v float64) int {
			for b := range len(bounds) - 1 {
				if bounds[b] <= v && v < bounds[b+1] {
					return b
				}
			}
			return len(bounds)
		}
		equal("doubles between bounds", histogram(t, d, prim.Between(bounds...).Outside(), doubles), counted(doubles, 7, between))
		equal("doubles between bounds, no others", histogram(t, d, prim.Between(bounds...), doubles), counted(doubles, 5, between))
		equal("more bins than fit in shared memory", histogram(t, d, prim.Even[uint16](20000, 1000, 3), shorts), counted(shorts, 20000, func(v uint16) int { return int(math.Floor((float64(v) - 1000) / 3)) }))
	}
}

func TestHistogramsAdd(t *testing.T) {
	for _, name := range devices() {
		d := open(t, name)
		h := must(prim.NewHistogram(ctx, d, prim.EachValue[uint8]().Adding(), 100))(t)
		in, counts := must(vyre.Upload(ctx, d, []uint8{3, 3, 5, 7}))(t), must(vyre.Upload(ctx, d, make([]uint32, 256)))(t)
		length := must(vyre.Upload(ctx, d, []uint32{2}))(t)
		seq := d.NewSequence("adding")
		seq.Repeat(3, func() { h.Record(seq, prim.At(length), in, counts) })
		h.Record(seq, prim.N(4), in, counts)
		if _, err := seq.Run(ctx); err != nil {
			t.Fatal(err)
		}
		got := must(counts.Read(ctx))(t)
		if got[3] != 8 || got[5] != 1 || got[7] != 1 {
			t.Errorf("%s: three times two threes, and once all, are %v", name, got[:8])
		}
		closeAll(t, seq, in, counts, length, h)
	}
}

func TestHistogramRefusesBinsWithoutOrder(t *testing.T) {
	d := open(t, "cpu")
	nan := math.NaN()
	for want, err := range map[string]error{
		"Histogram[uint8] of at most 1\" on cpu: invalid argument: 0 bins": second(prim.NewHistogram(ctx, d, prim.Even[uint8](0, 0, 1), 1)),
		"16777217 bins":                    second(prim.NewHistogram(ctx, d, prim.Even[uint32](1<<24+1, 0, 1), 1)),
		"bins of width 0":                  second(prim.NewHistogram(ctx, d, prim.Even[uint8](3, 0, 0), 1)),
		"bins of width -1":                 second(prim.NewHistogram(ctx, d, prim.Even[int32](3, 0, -1), 1)),
		"bins of width NaN":                second(prim.NewHistogram(ctx, d, prim.Even(3, 0, nan), 1)),
		"bins of width -0":                 second(prim.NewHistogram(ctx, d, prim.Even(3, 0, math.Copysign(0, -1)), 1)),
		"bins from NaN on":                 second(prim.NewHistogram(ctx, d, prim.Even(3, nan, 1), 1)),
		"bound 1 is 3, and bound 2 is 2":   second(prim.NewHistogram(ctx, d, prim.Between(1.0, 3, 2), 1)),
		"bound 0 is -1, and bound 1 is -1": second(prim.NewHistogram(ctx, d, prim.Between[int8](-1, -1), 1)),
		"bound 0 is 0, and bound 1 is -0":  second(prim.NewHistogram(ctx, d, prim.Between(0, math.Copysign(0, -1)), 1)),
		"bound 1 is NaN":                   second(prim.NewHistogram(ctx, d, prim.Between(1.0, nan, 2), 1)),
		"bound 2 is NaN":                   second(prim.NewHistogram(ctx, d, prim.Between(1.0, 2, nan), 1)),
		"Histogram[float64] of at most 1\" on cpu: invalid argument: 0 bins": second(prim.NewHistogram(ctx, d, prim.Between(1.0), 1)),
		"-1 bins":             second(prim.NewHistogram(ctx, d, prim.Between[float32](), 1)),
		"at most -1 elements": second(prim.NewHistogram(ctx, d, prim.EachValue[uint8](), -1)),
		"Histogram[prim_test.quad]\": unsupported: elements are integers and floats of fixed size": second(prim.NewHistogram(ctx, d, prim.Even(3, quad{}, quad{1}), 1)),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}
