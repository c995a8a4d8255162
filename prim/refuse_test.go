package prim_test

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/internal/long"
	"github.com/govyre/vyre/prim"
)

// everyPrimitive makes one of each, for at most 100 elements.
func everyPrimitive(t *testing.T, d *vyre.Device) []io.Closer {
	t.Helper()
	return []io.Closer{
		must(prim.NewReduce[uint32](ctx, d, prim.Sum, 100))(t),
		must(prim.NewArgMin[uint32](ctx, d, 100))(t),
		must(prim.NewScan[uint32](ctx, d, prim.Sum, 100))(t),
		must(prim.NewScan[float32](ctx, d, prim.Sum, 100))(t),
		must(prim.NewSegmentedReduce[uint32, uint32](ctx, d, prim.Sum, 100, 100))(t),
		must(prim.NewSegmentedScan[uint32, uint32](ctx, d, prim.Sum, 100, 100))(t),
		must(prim.NewHeadReduce[uint32, uint8](ctx, d, prim.Sum, 100))(t),
		must(prim.NewHeadScan[uint32, uint8](ctx, d, prim.Sum, 100))(t),
		must(prim.NewSort[uint32](ctx, d, 100, prim.SortOptions{}))(t),
		must(prim.NewSortPairs[uint32, uint32](ctx, d, 100, prim.SortOptions{}))(t),
		must(prim.NewSegmentedSort[uint32, uint32](ctx, d, 100, prim.SortOptions{}))(t),
		must(prim.NewSelect[uint32, uint8](ctx, d, 100))(t),
		must(prim.NewPartition[uint32, uint8](ctx, d, 100))(t),
		must(prim.NewSelectIndices[uint32, uint8](ctx, d, 100))(t),
		must(prim.NewUnique[uint32](ctx, d, 100))(t),
		must(prim.NewUniqueByKey[uint32, uint32](ctx, d, 100))(t),
		must(prim.NewRunLengths[uint32, uint32](ctx, d, 100))(t),
		must(prim.NewReduceByKey[uint32, uint32](ctx, d, prim.Sum, 100))(t),
		must(prim.NewHistogram(ctx, d, prim.Even[uint32](10, 0, 10), 100))(t),
		must(prim.NewMerge[uint32](ctx, d, 100, prim.MergeOptions{}))(t),
		must(prim.NewMergePairs[uint32, uint64](ctx, d, 100, prim.MergeOptions{}))(t),
		must(prim.NewSearch[uint32, uint32](ctx, d, 100, prim.SearchOptions{}))(t),
		must(prim.NewGather[uint32, uint32](ctx, d, 100))(t),
		must(prim.NewScatter[uint32, uint32](ctx, d, 100))(t),
		must(prim.NewIota[uint32](ctx, d, 100))(t),
		must(prim.NewRandom[uint32](ctx, d, prim.Words, 100))(t),
		must(prim.NewPermutation[uint32](ctx, d, 100))(t),
	}
}

// recorded runs a step of a primitive: all its buffers are different ones of 100 elements of d, and lengths are 1; but the
// argument of one place, unless that is 0, is another one.
func recorded(t *testing.T, d, on *vyre.Device, p io.Closer, place int, other reflect.Value) error {
	t.Helper()
	record := reflect.ValueOf(p).MethodByName("Record")
	seq := on.NewSequence("hurried")
	args, made := []reflect.Value{reflect.ValueOf(seq)}, []io.Closer{seq}
	for k := 1; k < record.Type().NumIn(); k++ {
		of := record.Type().In(k)
		arg := reflect.New(of).Elem()
		var b io.Closer
		switch of {
		case reflect.TypeFor[prim.Length]():
			arg.Set(reflect.ValueOf(prim.N(1)))
		case reflect.TypeFor[*vyre.Buffer[uint8]]():
			b = must(vyre.Upload(d, make([]uint8, 100)))(t)
		case reflect.TypeFor[*vyre.Buffer[float32]]():
			b = must(vyre.Upload(d, make([]float32, 100)))(t)
		case reflect.TypeFor[*vyre.Buffer[uint64]]():
			b = must(vyre.Upload(d, make([]uint64, 100)))(t)
		case reflect.TypeFor[*vyre.Buffer[uint32]](), reflect.TypeFor[prim.Count]():
			b = must(vyre.Upload(d, make([]uint32, 100)))(t)
		}
		if b != nil {
			made = append(made, b)
			arg.Set(reflect.ValueOf(b))
		}
		if k == place {
			arg = other
		}
		args = append(args, arg)
	}
	record.Call(args)
	_, err := seq.Run(ctx)
	closeAll(t, made...)
	return err
}

// TestWhatAHurriedUserRecordsIsRefused passes nothing for each buffer of each primitive in turn, lengths in no buffer and in an
// empty one, sequences of another device, and primitives that are closed. All are errors of the run, and none is a panic.
func TestWhatAHurriedUserRecordsIsRefused(t *testing.T) {
	for _, name := range devices()[:min(long.Count(1, 2, 2), len(devices()))] {
		d, another := open(t, name), open(t, name)
		empty := must(vyre.Alloc[uint32](d, 0))(t)
		for _, p := range everyPrimitive(t, d) {
			refused := func(what string, kind vyre.Kind, err error) {
				t.Helper()
				if as := (*vyre.Error)(nil); !errors.As(err, &as) || as.Kind != kind {
					t.Errorf("%s: %T, %s: %v", name, p, what, err)
				}
			}
			if err := recorded(t, d, d, p, 0, reflect.Value{}); err != nil {
				t.Errorf("%s: %T: %v", name, p, err)
			}
			record := reflect.ValueOf(p).MethodByName("Record").Type()
			for place := 1; place < record.NumIn(); place++ {
				switch of := record.In(place); {
				case of == reflect.TypeFor[prim.Length]():
					refused("a length in nil", vyre.InvalidArgument, recorded(t, d, d, p, place, reflect.ValueOf(prim.At[uint32](nil))))
					refused("a length in nothing", vyre.InvalidArgument, recorded(t, d, d, p, place, reflect.ValueOf(prim.At(empty))))
				case of.Kind() == reflect.Pointer || of.Kind() == reflect.Interface:
					refused(fmt.Sprintf("argument %d is nil", place), vyre.InvalidArgument, recorded(t, d, d, p, place, reflect.Zero(of)))
				}
			}
			refused("another device", vyre.InvalidArgument, recorded(t, d, another, p, 0, reflect.Value{}))
			closeAll(t, p)
			refused("closed", vyre.Closed, recorded(t, d, d, p, 0, reflect.Value{}))
		}
		closeAll(t, empty)
	}
}
