package prim_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"reflect"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/internal/testing/faults"
	"github.com/govyre/vyre/prim"
)

// primitive is what all of them have.
type primitive = prim.Primitive

// kindOfPrimitive is a row of every: how one is made for at most max elements, and what its buffers hold.
type kindOfPrimitive struct {
	name string
	make func(ctx context.Context, d vyre.Device, max int) (primitive, error)
	fill func(i, max int) int // element i of each buffer, or nil for i/3: ascending, runs of three, and places that there are
}

// of makes a row of a constructor that takes no more than the number of elements.
func of[P primitive](name string, make func(context.Context, vyre.Device, int) (P, error)) kindOfPrimitive {
	return kindOfPrimitive{name, func(ctx context.Context, d vyre.Device, max int) (primitive, error) { return make(ctx, d, max) }, nil}
}

// with makes a row of a constructor that takes something else before the number of elements.
func with[P primitive, A any](name string, make func(context.Context, vyre.Device, A, int) (P, error), a A) kindOfPrimitive {
	return of(name, func(ctx context.Context, d vyre.Device, max int) (P, error) { return make(ctx, d, a, max) })
}

// by makes a row of a constructor that takes something else after it.
func by[P primitive, A any](name string, make func(context.Context, vyre.Device, int, A) (P, error), a A) kindOfPrimitive {
	return of(name, func(ctx context.Context, d vyre.Device, max int) (P, error) { return make(ctx, d, max, a) })
}

// segments makes a row of a constructor that takes as many segments as elements.
func segments[P primitive](name string, make func(context.Context, vyre.Device, prim.Operator, int, int) (P, error)) kindOfPrimitive {
	return of(name, func(ctx context.Context, d vyre.Device, max int) (P, error) { return make(ctx, d, prim.Sum, max, max) })
}

// mixed is a row whose buffers hold each number below max once, in no order; max is not a multiple of 7.
func mixed(k kindOfPrimitive) kindOfPrimitive {
	k.fill = func(i, max int) int { return (7*i + 3) % max }
	return k
}

// every has one of each primitive, and one of each way that it works.
var every = []kindOfPrimitive{
	with("reduce", prim.NewReduce[uint32], prim.Sum),
	with("reduce of floats", prim.NewReduce[float32], prim.Sum),
	mixed(of("least", prim.NewArgMin[uint32])),
	with("scan", prim.NewScan[uint32], prim.Sum),
	with("scan of 64 bits", prim.NewExclusiveScan[uint64], prim.Max),
	with("scan of floats", prim.NewScan[float32], prim.Sum),
	segments("segmented reduce", prim.NewSegmentedReduce[uint32, uint32]),
	segments("segmented scan", prim.NewSegmentedScan[float32, uint64]),
	with("reduce by heads", prim.NewHeadReduce[uint32, uint8], prim.Sum),
	with("scan by heads", prim.NewHeadScan[uint32, uint8], prim.Sum),
	mixed(by("sort", prim.NewSort[uint32], prim.SortOptions{})),
	mixed(by("sort of pairs", prim.NewSortPairs[uint32, uint32], prim.SortOptions{})),
	mixed(by("sort of pairs by places", prim.NewSortPairs[uint64, uint8], prim.SortOptions{})),
	by("segmented sort", prim.NewSegmentedSort[float32, uint32], prim.SortOptions{Descending: true}),
	of("select", prim.NewSelect[uint32, uint8]),
	of("partition", prim.NewPartition[uint32, uint8]),
	of("places", prim.NewSelectIndices[uint32, uint8]),
	of("unique", prim.NewUnique[uint32]),
	of("unique by key", prim.NewUniqueByKey[uint32, uint64]),
	of("runs", prim.NewRunLengths[uint32, uint32]),
	with("reduce by key", prim.NewReduceByKey[uint32, uint32], prim.Sum),
	with("reduce by key of floats", prim.NewReduceByKey[uint8, float32], prim.Sum),
	with("histogram", prim.NewHistogram[uint32], prim.Even[uint32](10, 3, 2)),
	with("histogram between bounds", prim.NewHistogram[float32], prim.Between[float32](1, 2, 5, 9).Outside()),
	by("merge", prim.NewMerge[uint32], prim.MergeOptions{}),
	by("merge of pairs", prim.NewMergePairs[uint32, uint64], prim.MergeOptions{}),
	by("merge of pairs by places", prim.NewMergePairs[float32, uint8], prim.MergeOptions{}),
	by("search", prim.NewSearch[uint32, uint32], prim.SearchOptions{}),
	of("gather", prim.NewGather[uint64, uint32]),
	mixed(of("scatter", prim.NewScatter[uint32, uint64])),
	of("iota", prim.NewIota[float32]),
	with("random", prim.NewRandom[float32], prim.Normal),
	of("permutation", prim.NewPermutation[uint64]),
}

// used is a primitive with a buffer for each that its Record takes, all of max elements, but one more of offsets.
type used struct {
	of      kindOfPrimitive
	d       vyre.Device
	p       primitive
	args    []reflect.Value // of Record, the sequence first
	buffers []int           // which of them are buffers
	lengths []int           // and which lengths
	n       int             // what each length is
}

// use makes a primitive of a kind, and buffers for it, that k closes and whose first error k has.
func use(ctx context.Context, k *keeper, d vyre.Device, of kindOfPrimitive, max int) *used {
	u := &used{of: of, d: d}
	made, err := of.make(ctx, d, max)
	if err != nil {
		kept[io.Closer](k, nil, err)
		return u
	}
	u.p = kept(k, made, nil)
	record := reflect.ValueOf(u.p).MethodByName("Record").Type()
	for i := range record.NumIn() {
		arg := reflect.New(record.In(i)).Elem()
		switch record.In(i) {
		case reflect.TypeFor[prim.Length]():
			u.lengths = append(u.lengths, i)
		case reflect.TypeFor[*vyre.Buffer[uint8]]():
			fillFor[uint8](k, u, arg, max)
		case reflect.TypeFor[*vyre.Buffer[float32]]():
			fillFor[float32](k, u, arg, max)
		case reflect.TypeFor[*vyre.Buffer[uint64]]():
			fillFor[uint64](k, u, arg, max)
		case reflect.TypeFor[*vyre.Buffer[uint32]](), reflect.TypeFor[prim.Count]():
			fillFor[uint32](k, u, arg, max)
		}
		if arg.Kind() == reflect.Pointer && i > 0 || arg.Kind() == reflect.Interface {
			u.buffers = append(u.buffers, i)
		}
		u.args = append(u.args, arg)
	}
	u.n = (max - 1) / len(u.lengths) // offsets are one more than segments
	for _, i := range u.lengths {
		u.args[i].Set(reflect.ValueOf(prim.N(u.n)))
	}
	return u
}

// fillFor makes the buffer of an argument.
func fillFor[T uint8 | uint32 | uint64 | float32](k *keeper, u *used, arg reflect.Value, max int) {
	x := make([]T, max)
	for i := range x {
		x[i] = T(i / 3)
		if u.of.fill != nil {
			x[i] = T(u.of.fill(i, max))
		}
	}
	b, err := vyre.Upload(context.Background(), u.d, x)
	arg.Set(reflect.ValueOf(kept(k, b, err)))
}

// record appends a step to a sequence, with other arguments in some places.
func (u *used) record(seq *vyre.Sequence, others map[int]any) {
	args := append([]reflect.Value{reflect.ValueOf(seq)}, u.args[1:]...)
	for i, other := range others {
		args[i] = reflect.Zero(args[i].Type())
		if other != nil {
			args[i] = reflect.ValueOf(other)
		}
	}
	reflect.ValueOf(u.p).MethodByName("Record").Call(args)
}

// run runs such a step once, in a sequence of the device. Without a device the sequence is nil.
func (u *used) run(on vyre.Device, others map[int]any) error {
	var seq *vyre.Sequence
	if on != nil {
		seq = on.NewSequence(u.of.name)
	}
	defer seq.Close()
	u.record(seq, others)
	_, err := seq.Run(ctx)
	return err
}

// bytes of a buffer among the arguments.
func (u *used) bytes(i int) (*vyre.Buffer[uint8], error) {
	return vyre.View[uint8](u.args[i].Interface().(prim.Count).Bytes().Buffer)
}

// restore makes all buffers hold what they held.
func (u *used) restore(t *testing.T, want [][]byte) {
	t.Helper()
	for k, i := range u.buffers {
		if err := must(u.bytes(i))(t).Write(ctx, want[k]); err != nil {
			t.Fatal(err)
		}
	}
}

// memory reads what all buffers hold.
func (u *used) memory(ctx context.Context) (all [][]byte, err error) {
	for _, i := range u.buffers {
		b, err := u.bytes(i)
		if err != nil {
			return nil, err
		}
		x := make([]byte, b.Len())
		if err := b.ReadInto(ctx, x); err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	return all, nil
}

// differ tells which buffer is the first that is not as wanted.
func (u *used) differ(ctx context.Context, want [][]byte) error {
	got, err := u.memory(ctx)
	if err != nil {
		return err
	}
	for i, b := range got {
		if !bytes.Equal(b, want[i]) {
			at := 0
			for b[at] == want[i][at] {
				at++
			}
			return fmt.Errorf("%w: byte %d of argument %d is %d, and not %d", faults.ErrWrong, at, u.buffers[i], b[at], want[i][at])
		}
	}
	return nil
}

// answers are what the buffers hold before a step of each primitive and after it, on the CPU: other tests compare that with oracles.
func (k kindOfPrimitive) answers(t *testing.T, max int) (before, after [][]byte) {
	t.Helper()
	keep := new(keeper)
	u := use(ctx, keep, open(t, "cpu"), k, max)
	defer closing(t, keep)
	if keep.err != nil {
		t.Fatal(keep.err)
	}
	before = must(u.memory(ctx))(t)
	if err := u.run(u.d, nil); err != nil {
		t.Fatal(err)
	}
	return before, must(u.memory(ctx))(t)
}

// closing closes what k has.
func closing(t *testing.T, k *keeper) {
	t.Helper()
	if err := k.close(); err != nil {
		t.Error(err)
	}
}
