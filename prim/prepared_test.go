package prim_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/prim"
)

// A prepared run allocates nothing on either side, and is its launches and one fill of what they find zero.
func TestPreparedRunsAllocateNothing(t *testing.T) {
	const n = 20000
	for _, name := range devices() {
		d := open(t, name)
		x, y, z := must(vyre.Upload(t.Context(), d, words(n)))(t), must(vyre.Alloc[uint32](d, n))(t), must(vyre.Alloc[uint32](d, n))(t)
		f, count := must(vyre.Upload(t.Context(), d, uniforms(n)))(t), must(vyre.Alloc[uint32](d, 1))(t)
		g, flags := must(vyre.Alloc[float32](d, n))(t), must(vyre.Upload(t.Context(), d, make([]uint8, n)))(t)
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
				if got := did.Get(metric.AllocRequests); got != 0 {
					t.Errorf("six runs asked for memory %d times", got)
				}
				if got := did.Get(metric.LaunchesPlain) + did.Get(metric.LaunchesGraph); got != 6*c.launches || did.Get(metric.Fills) > 6 {
					t.Errorf("six runs are %d launches and %d fills, want 6 times %d, and at most one fill each", got, did.Get(metric.Fills), c.launches)
				}
			})
		}
		closeAll(t, reduce, scan, floats, sort, digit, little, choose, runs, byKey, x, y, z, f, g, flags, count)
	}
}

// A primitive in use is not closed, and one whose memory cannot be had says how much; the same ones work later.
func TestPrimitivesInUseAndWithoutMemory(t *testing.T) {
	const limit = 1 << 18
	limited := driver.OpenOptions{MemoryLimit: limit}
	sim, err := cuda.Open(cuda.Options{Driver: cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper}}), OpenOptions: limited})
	if err != nil {
		t.Fatal(err)
	}
	host, err := cpu.Open(cpu.Options{OpenOptions: limited})
	if err != nil {
		t.Fatal(err)
	}
	devices := []vyre.Device{host, sim}
	for i, of := range every {
		_, after := of.answers(t, 100)
		for k, d := range devices {
			if !shared(i, k) || testing.Short() && i%3 != 0 || long.Enabled() && !long.Turn(i, 3) {
				continue
			}
			t.Run(d.Name()+" "+of.name, func(t *testing.T) {
				k := new(keeper)
				defer closing(t, k)
				u := use(ctx, k, d, of, 100)
				if k.err != nil {
					t.Fatal(k.err)
				}
				u.withoutMemory(t, limit)
				seq := d.NewSequence(of.name)
				u.record(seq, nil)
				for range 2 {
					run(t, seq)
					if err := u.p.Close(); !errors.Is(err, vyre.Busy) {
						t.Errorf("closing what a prepared sequence has: %v", err)
					}
				}
				if err := u.differ(ctx, after); err != nil {
					t.Error(err)
				}
				closeAll(t, seq, u.p)
			})
		}
	}
	for _, d := range devices {
		closeAll(t, d)
	}
}

// withoutMemory runs a step of a primitive for as many elements as take more memory for its work than there is; that of some never
// grows above what its workgroups need.
func (u *used) withoutMemory(t *testing.T, limit int64) {
	t.Helper()
	last := int64(0)
	for max := 20000; ; max *= 4 {
		big := must(u.of.make(ctx, u.d, max))(t)
		need := prim.Bytes(big)
		if need > limit {
			few := *u
			few.p = big
			err := few.run(u.d, nil)
			if e := (*vyre.Error)(nil); !errors.As(err, &e) || e.Kind != vyre.OutOfMemory || e.Requested <= 0 || e.Available < 0 || e.Available >= e.Requested {
				t.Errorf("work of %d bytes where there are %d: %v", need, limit, err)
			}
		}
		if closeAll(t, big); need == last || need > limit {
			return
		}
		last = need
	}
}

// Two sequences of one primitive, and one of another that was made alike, run side by side, each as often as it likes.
func TestPrimitivesSideBySide(t *testing.T) {
	for k, name := range devices() {
		d := open(t, name)
		for i, of := range every {
			if !shared(i, k) || testing.Short() && i%3 != 0 {
				continue
			}
			t.Run(name+" "+of.name, func(t *testing.T) {
				max := []int{100, 9000}[i/2%2]
				_, after := of.answers(t, max)
				keep := new(keeper)
				defer closing(t, keep)
				first, second, third := use(ctx, keep, d, of, max), use(ctx, keep, d, of, max), use(ctx, keep, d, of, max)
				if keep.err != nil {
					t.Fatal(keep.err)
				}
				own := second.p
				second.p = first.p
				closeAll(t, own) // what is shared with the others stays
				var group sync.WaitGroup
				for _, u := range []*used{first, second, third} {
					seq := kept(keep, d.NewSequence(of.name), nil)
					u.record(seq, nil)
					group.Go(func() {
						for range 3 {
							if _, err := seq.Run(ctx); err != nil {
								t.Error(err)
							}
						}
					})
				}
				group.Wait()
				for _, u := range []*used{first, second, third} {
					if err := u.differ(ctx, after); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
}
