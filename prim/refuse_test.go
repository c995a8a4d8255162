package prim_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/prim"
)

// eachUsed does something with each primitive, made for 100 elements, on one device in quick tests and on all in long ones. Whatever
// is done, a step without anything wrong gives the right answers after it.
func eachUsed(t *testing.T, do func(t *testing.T, u *used, before, after [][]byte)) {
	names := devices()[:min(long.Count(1, 2, 2), len(devices()))]
	opened := make([]vyre.Device, len(names))
	for i, name := range names {
		opened[i] = open(t, name)
	}
	for _, of := range every {
		before, after := of.answers(t, 100)
		for i, name := range names {
			t.Run(name+" "+of.name, func(t *testing.T) {
				k := new(keeper)
				defer closing(t, k)
				u := use(ctx, k, opened[i], of, 100)
				if k.err != nil {
					t.Fatal(k.err)
				}
				do(t, u, before, after)
				if err := errors.Join(u.run(u.d, nil), u.differ(ctx, after)); err != nil {
					t.Errorf("after that, with nothing wrong: %v", err)
				}
			})
		}
	}
}

// refused wants an error of a kind, and a device on which nothing has changed.
func (u *used) refused(t *testing.T, what string, kind vyre.Kind, err error, before [][]byte) {
	t.Helper()
	if as := (*vyre.Error)(nil); !errors.As(err, &as) || as.Kind != kind {
		t.Errorf("%s: %v", what, err)
	}
	if err := u.differ(ctx, before); err != nil {
		t.Errorf("%s: %v", what, err)
	}
}

// TestWhatAHurriedUserRecordsIsRefused passes nothing for each buffer of each primitive in turn, lengths in no buffer and in an
// empty one, sequences and buffers of another device, and primitives that are closed. All are errors of the run, and none is a panic.
func TestWhatAHurriedUserRecordsIsRefused(t *testing.T) {
	another := open(t, devices()[0])
	eachUsed(t, func(t *testing.T, u *used, before, _ [][]byte) {
		k := new(keeper)
		defer closing(t, k)
		empty, err := vyre.Alloc[uint32](u.d, 0)
		kept(k, empty, err)
		for _, i := range u.lengths {
			for what, length := range map[string]prim.Length{"nil": prim.At[uint32](nil), "nothing": prim.At(empty), "-1": prim.N(-1), "101": prim.N(101)} {
				u.refused(t, fmt.Sprint("the length ", what, " as argument ", i), vyre.InvalidArgument, u.run(u.d, map[int]any{i: length}), before)
			}
		}
		theirs := use(ctx, k, another, u.of, 100)
		if k.err != nil {
			t.Fatal(k.err)
		}
		for _, i := range u.buffers {
			u.refused(t, fmt.Sprint("nil as argument ", i), vyre.InvalidArgument, u.run(u.d, map[int]any{i: nil}), before)
			u.refused(t, fmt.Sprint("a buffer of another device as argument ", i), vyre.InvalidArgument, u.run(u.d, map[int]any{i: theirs.args[i].Interface()}), before)
		}
		u.refused(t, "no sequence", vyre.InvalidArgument, u.run(nil, nil), before)
		u.refused(t, "a sequence of another device", vyre.InvalidArgument, u.run(another, nil), before)
		closeAll(t, theirs.p)
		theirs.refused(t, "what is closed", vyre.Closed, theirs.run(another, nil), before)
	})
}

// view is elements [from, to) of a buffer of any type.
func view(b any, from, to int) any {
	return reflect.ValueOf(b).MethodByName("View").Call([]reflect.Value{reflect.ValueOf(from), reflect.ValueOf(to)})[0].Interface()
}

// alike is a buffer as elements of the type of another.
func alike(t *testing.T, b *vyre.Buffer[uint8], other any) any {
	t.Helper()
	switch other.(type) {
	case *vyre.Buffer[uint8]:
		return b
	case *vyre.Buffer[float32]:
		return must(vyre.ViewAs[float32](b))(t)
	case *vyre.Buffer[uint32]:
		return must(vyre.ViewAs[uint32](b))(t)
	case *vyre.Buffer[uint64]:
		return must(vyre.ViewAs[uint64](b.View(0, b.Len()&^7)))(t)
	}
	t.Fatalf("a buffer of %T", other)
	return nil
}

// Ranges that overlap are refused where one of the two is written, and ranges that are too short where not all they should have is
// in them: a shorter one gives an error or the right answers. Nothing is written in either case.
func TestRangesThatOverlapOrAreTooShortAreRefused(t *testing.T) {
	eachUsed(t, func(t *testing.T, u *used, before, after [][]byte) {
		written := func(k int) bool { return string(before[k]) != string(after[k]) }
		for k, i := range u.buffers {
			for l, j := range u.buffers {
				if l == k || !written(k) && !written(l) {
					continue
				}
				others := map[int]any{i: view(u.args[i].Interface(), 0, 99), j: view(alike(t, must(u.bytes(i))(t), u.args[j].Interface()), 0, 12)}
				for _, length := range u.lengths {
					others[length] = prim.N(1)
				}
				u.refused(t, fmt.Sprintf("arguments %d and %d that overlap", i, j), vyre.InvalidArgument, u.run(u.d, others), before)
			}
			if t.Failed() {
				return
			}
			for _, n := range []int{0, 1, u.n - 1} {
				err := u.run(u.d, map[int]any{i: view(u.args[i].Interface(), 0, n)})
				switch {
				case err != nil && !errors.Is(err, vyre.Trap):
					u.refused(t, fmt.Sprintf("%d elements as argument %d", n, i), vyre.InvalidArgument, err, before)
				case err == nil && (n == 0 || u.differ(ctx, after) != nil):
					t.Errorf("%d elements as argument %d of %d are taken", n, i, u.n)
				}
				u.restore(t, before)
			}
		}
	})
}

// Lengths that the device holds, above what a primitive was made for, are traps that tell them.
func TestTooLargeLengthsOnTheDeviceTrap(t *testing.T) {
	eachUsed(t, func(t *testing.T, u *used, before, after [][]byte) {
		k := new(keeper)
		defer closing(t, k)
		for _, n := range []uint64{101, math.MaxUint32, math.MaxUint64, 1<<32 + 5} {
			long, err := vyre.Upload(t.Context(), u.d, []uint64{n})
			kept(k, long, err)
			short, err := vyre.Upload(t.Context(), u.d, []uint32{uint32(n)})
			if kept(k, short, err); k.err != nil {
				t.Fatal(k.err)
			}
			for _, i := range u.lengths {
				traps := func(length prim.Length, want uint64) {
					t.Helper()
					err := u.run(u.d, map[int]any{i: length})
					if trap := (*vyre.TrapError)(nil); !errors.As(err, &trap) || !strings.Contains(err.Error(), fmt.Sprintf("value %#x", want)) {
						t.Errorf("%d as argument %d gives %v", n, i, err)
					}
					for b, now := range must(u.memory(ctx))(t) {
						if string(before[b]) == string(after[b]) && string(now) != string(before[b]) {
							t.Errorf("%d as argument %d writes argument %d, which is only read", n, i, u.buffers[b])
						}
					}
					u.restore(t, before)
				}
				traps(prim.At(long), n)
				if uint64(uint32(n)) == n {
					traps(prim.At(short), n)
				}
			}
		}
	})
}
