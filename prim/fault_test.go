package prim_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/testing/faults"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/prim"
)

// keeper closes what there is, last made first, and takes the first error of what is made.
type keeper struct {
	closers []interface{ Close() error }
	err     error
}

func (k *keeper) close() (err error) {
	for _, c := range slices.Backward(k.closers) {
		err = errors.Join(err, c.Close())
	}
	return err
}

// kept returns what has been made, for k to close.
func kept[P interface{ Close() error }](k *keeper, p P, err error) P {
	if err == nil {
		k.closers = append(k.closers, p)
	} else if k.err == nil {
		k.err = err
	}
	return p
}

// chained is what a chain works on: it chooses elements, sorts and sums them up, in one sequence, where each count is known to the
// device alone.
type chained struct {
	x, out, sorted, sums *vyre.Buffer[uint32]
	flags                *vyre.Buffer[uint8]
	count                *vyre.Buffer[uint32]
	seq                  *vyre.Sequence
}

// newChain makes the primitives, for max elements, and records them.
func newChain(ctx context.Context, dev vyre.Device, k *keeper, max int, x []uint32, flags []uint8) (c chained, err error) {
	made := func(n int) *vyre.Buffer[uint32] {
		b, err := vyre.Alloc[uint32](dev, n)
		return kept(k, b, err)
	}
	in, err := vyre.Upload(ctx, dev, x)
	c.x = kept(k, in, err)
	by, err := vyre.Upload(ctx, dev, flags)
	c.flags = kept(k, by, err)
	c.out, c.sorted, c.sums, c.count = made(len(x)), made(len(x)), made(len(x)), made(1)
	choose, err := prim.NewSelect[uint32, uint8](ctx, dev, max)
	kept(k, choose, err)
	sort, err := prim.NewSort[uint32](ctx, dev, max, prim.SortOptions{})
	kept(k, sort, err)
	scan, err := prim.NewScan[uint32](ctx, dev, prim.Sum, max)
	if kept(k, scan, err); k.err != nil {
		return c, k.err
	}
	c.seq = kept(k, dev.NewSequence("chain"), nil)
	choose.Record(c.seq, prim.N(len(x)), c.x, c.flags, c.out, c.count)
	sort.Record(c.seq, prim.At(c.count), c.out, c.sorted)
	scan.Record(c.seq, prim.At(c.count), c.sorted, c.sums)
	return c, nil
}

// chainTwice runs the chain twice, and again after a run that failed, and closes what there is in any case.
func chainTwice(ctx context.Context, d driver.Device, max int) (err error) {
	k := new(keeper)
	defer func() { err = errors.Join(err, k.close()) }()
	x, flags, want := make([]uint32, 70), make([]uint8, 70), []uint32(nil)
	for i := range x {
		x[i], flags[i] = uint32(i*i*2654435761), uint8(i%3)
		if flags[i] != 0 {
			want = append(want, x[i])
		}
	}
	slices.Sort(want)
	for i := range want[1:] {
		want[i+1] += want[i]
	}
	c, err := newChain(ctx, d, k, max, x, flags)
	if err != nil {
		return err
	}
	run := func() error {
		if _, err := c.seq.Run(ctx); err != nil {
			return err
		}
		var count [1]uint32
		if err := c.count.ReadInto(ctx, count[:]); err != nil {
			return err
		}
		got := make([]uint32, len(x))
		if err := c.sums.ReadInto(ctx, got); err != nil {
			return err
		}
		if n := int(count[0]); n != len(want) || !slices.Equal(got[:n], want) {
			return fmt.Errorf("%w: %d elements, %v, and not %v", faults.ErrWrong, n, got, want)
		}
		return nil
	}
	return faults.Twice(ctx, run)
}

// objectOf makes an object of one primitive.
func objectOf(of kindOfPrimitive, max int, want [][]byte) faults.Maker {
	return func(ctx context.Context, d driver.Device) (o faults.Object, err error) {
		k := new(keeper)
		o.Close = k.close
		u := use(ctx, k, d, of, max)
		if k.err != nil {
			return o, k.err
		}
		seq := kept(k, u.d.NewSequence(of.name), nil)
		u.record(seq, nil)
		o.Run = func(ctx context.Context) error {
			if _, err := seq.Run(ctx); err != nil {
				return err
			}
			return u.differ(ctx, want)
		}
		return o, nil
	}
}

// Every call of the driver that making, running and closing a primitive takes fails in turn, those that ask for memory for its work
// among them. Up to 100 elements are the work of one workgroup; 9,000 take all launches of every primitive.
func TestAnyCallOfAPrimitiveMayFail(t *testing.T) {
	share := long.Count(4, 1, 1) // quick tests take every fourth primitive, and short ones every eighth
	if testing.Short() {
		share *= 2
	}
	for i, of := range every {
		for max, every := range map[int]int{100: long.Count(127, 149, 1), 9000: long.Count(0, 193, 1)} {
			if every == 0 || i%share != 0 {
				continue
			}
			if of.name == "segmented sort" && max > 100 && !long.Exhaustive() {
				every *= 20 // it has so many times as many calls
			}
			t.Run(fmt.Sprint(of.name, " ", max), func(t *testing.T) {
				_, want := of.answers(t, max)
				config := cusim.Config{Models: []cusim.Model{cusim.Tiny}, Eager: i%2 == 0}
				n := faults.EachCall(t, config, every, objectOf(of, max, want).Session(), 719, cu.OutOfMemory)
				if t.Logf("%d times", n); n == 0 {
					t.Error("no call failed")
				}
			})
		}
	}
}

// A sort of up to 8,192 elements is one launch; one of more is several, with memory of their own, and takes the simulator longer.
func TestAnyCallOfAChainMayFail(t *testing.T) {
	for _, c := range []struct{ max, short, quick, long int }{{100, 251, 167, 41}, {10000, 503, 503, 149}} {
		every := c.quick
		switch {
		case long.Exhaustive():
			every = 1
		case long.Enabled():
			every = c.long
		case testing.Short():
			every = c.short
		}
		for _, eager := range []bool{false, true} {
			config := cusim.Config{Models: []cusim.Model{cusim.Tiny}, Eager: eager}
			n := faults.EachCall(t, config, every, faults.OnDevice(func(ctx context.Context, dev driver.Device) error { return chainTwice(ctx, dev, c.max) }), 719, cu.OutOfMemory)
			if t.Logf("at most %d elements, eager %v: %d times", c.max, eager, n); n < 2 {
				t.Errorf("only %d calls failed", n)
			}
		}
	}
}

// The class: an error does not say that nothing was done. Primitives run again after any call failed, before or after its effect: what
// they keep between launches is as a run needs it.
func TestAPrimitiveIsRightAfterAFailure(t *testing.T) {
	first := long.Seed(t, 1)
	for i, of := range every {
		if !long.Enabled() && i%7 != 0 {
			continue
		}
		_, want := of.answers(t, 100)
		config := cusim.Config{Models: []cusim.Model{cusim.Tiny}, Eager: i%2 == 0}
		faults.Sweep{Config: config, Faults: faults.Sizes(3, 10000/len(every)+1), Seed: first + uint64(i), Make: objectOf(of, 100, want)}.Run(t)
	}
}
