package prim_test

import (
	"errors"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/driver/cuda/cusim"
	"github.com/govyre/vyre/prim"
)

// A prepared run allocates nothing on either side, and is its launches and one fill of what they find zero.
func TestPreparedRunsAllocateNothing(t *testing.T) {
	const n = 20000
	for _, name := range devices() {
		d := open(t, name)
		x, y, z := must(vyre.Upload(d, words(n)))(t), must(vyre.Alloc[uint32](d, n))(t), must(vyre.Alloc[uint32](d, n))(t)
		f, count := must(vyre.Upload(d, uniforms(n)))(t), must(vyre.Alloc[uint32](d, 1))(t)
		g, flags := must(vyre.Alloc[float32](d, n))(t), must(vyre.Upload(d, make([]uint8, n)))(t)
		reduce := must(prim.NewReduce[uint32](ctx, d, prim.Sum, n))(t)
		scan := must(prim.NewScan[uint32](ctx, d, prim.Sum, n))(t)
		floats := must(prim.NewScan[float32](ctx, d, prim.Sum, n))(t)
		sort := must(prim.NewSort[uint32](ctx, d, n, prim.SortOptions{}))(t)
		digit := must(prim.NewSort[uint32](ctx, d, n, prim.SortOptions{From: 3, To: 10}))(t)
		little := must(prim.NewSort[uint32](ctx, d, 8192, prim.SortOptions{}))(t)
		choose := must(prim.NewSelect[uint32, uint8](ctx, d, n))(t)
		runs := must(prim.NewRunLengths[uint32, uint32](ctx, d, n))(t)
		byKey := must(prim.NewReduceByKey[uint32, uint32](ctx, d, prim.Sum, n))(t)
		for _, c := range []struct {
			what     string
			launches uint64
			record   func(seq *vyre.Sequence)
		}{
			{"reduce", 1, func(seq *vyre.Sequence) { reduce.Record(seq, prim.N(n), x, count) }},
			{"scan", 1, func(seq *vyre.Sequence) { scan.Record(seq, prim.N(n), x, y) }},
			{"scan of floats", 3, func(seq *vyre.Sequence) { floats.Record(seq, prim.N(n), f, g) }}, // totals, their scan, tiles
			{"sort", 5, func(seq *vyre.Sequence) { sort.Record(seq, prim.N(n), x, y) }},             // digits, and four passes
			{"sort of a digit", 2, func(seq *vyre.Sequence) { digit.Record(seq, prim.N(n), x, y) }},
			{"sort of few", 1, func(seq *vyre.Sequence) { little.Record(seq, prim.N(8192), x, y) }},
			{"select", 1, func(seq *vyre.Sequence) { choose.Record(seq, prim.N(n), x, flags, y, count) }},
			{"runs", 1, func(seq *vyre.Sequence) { runs.Record(seq, prim.N(n), x, y, z, count) }},
			{"by key", 1, func(seq *vyre.Sequence) { byKey.Record(seq, prim.N(n), x, x, y, z, count) }},
		} {
			t.Run(name+" "+c.what, func(t *testing.T) {
				seq := d.NewSequence(c.what)
				defer seq.Close()
				c.record(seq)
				var err error
				again := func() { _, err = seq.Run(ctx) }
				again()
				again()
				before := d.Stats()
				heap := testing.AllocsPerRun(5, again)
				did := d.Stats().Sub(before)
				if err != nil {
					t.Fatal(err)
				}
				if name == "cpu" && heap > 0 { // a simulated device is no part of the host's work
					t.Errorf("a run makes %v allocations on the heap", heap)
				}
				if got := did.Get(driver.AllocRequests); got != 0 {
					t.Errorf("six runs asked for memory %d times", got)
				}
				if got := did.Get(driver.LaunchesPlain) + did.Get(driver.LaunchesGraph); got != 6*c.launches || did.Get(driver.Fills) > 6 {
					t.Errorf("six runs are %d launches and %d fills, want 6 times %d, and at most one fill each", got, did.Get(driver.Fills), c.launches)
				}
			})
		}
		closeAll(t, reduce, scan, floats, sort, digit, little, choose, runs, byKey, x, y, z, f, g, flags, count)
	}
}

// A primitive in use is not closed, and one whose memory cannot be had says how much; the same ones work later.
func TestPrimitivesInUseAndWithoutMemory(t *testing.T) {
	const n = 1 << 17
	limited := driver.OpenOptions{MemoryLimit: 1 << 20}
	sim, err := cuda.Open(cuda.Options{Driver: cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper}}), OpenOptions: limited})
	if err != nil {
		t.Fatal(err)
	}
	host, err := cpu.Open(cpu.Options{OpenOptions: limited})
	if err != nil {
		t.Fatal(err)
	}
	for _, dev := range []driver.Device{host, sim} {
		d := &vyre.Device{Device: dev}
		sort := must(prim.NewSortPairs[uint32, uint32](ctx, d, n, prim.SortOptions{}))(t)
		swap := must(prim.NewSort[uint32](ctx, d, n, prim.SortOptions{Swap: true}))(t)
		x, y := must(vyre.Upload(d, words(n/4)))(t), must(vyre.Alloc[uint32](d, n/4))(t)
		large := d.NewSequence("large")
		sort.Record(large, prim.N(n/4), x, x.View(0, n/4), y, y)
		if err := large.Prepare(); !errors.Is(err, vyre.InvalidArgument) {
			t.Errorf("%s: ranges that overlap: %v", d.Name(), err)
		}
		closeAll(t, large)
		large = d.NewSequence("large")
		values, outValues := must(vyre.Alloc[uint32](d, n/4))(t), must(vyre.Alloc[uint32](d, n/4))(t)
		sort.Record(large, prim.N(n/4), x, values, y, outValues)
		_, err := large.Run(ctx)
		if e := (*vyre.Error)(nil); !errors.As(err, &e) || e.Kind != vyre.OutOfMemory || e.Requested < sort.Bytes() || e.Available <= 0 || e.Available >= e.Requested {
			t.Errorf("%s: scratch of %d bytes: %v", d.Name(), sort.Bytes(), err)
		}
		closeAll(t, large)
		small := d.NewSequence("small")
		swap.Record(small, prim.N(n/4), x, y)
		run(t, small)
		if err := swap.Close(); !errors.Is(err, vyre.Busy) {
			t.Errorf("%s: closing a sort that a prepared sequence has: %v", d.Name(), err)
		}
		run(t, small) // nothing has happened to it
		closeAll(t, small, swap, sort, x, y, values, outValues, d)
	}
}
