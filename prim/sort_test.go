package prim_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/prim"
)

// ordinal is the place of a key in the total order: integers by value, floats by their bits.
func ordinal[K gpu.Number](key K) uint64 {
	float := func(bits, sign uint64) uint64 {
		if bits&sign != 0 {
			return ^bits & (2*sign - 1)
		}
		return bits | sign
	}
	switch k := any(key).(type) {
	case float32:
		return float(uint64(math.Float32bits(k)), 1<<31)
	case float64:
		return float(math.Float64bits(k), 1<<63)
	case int8:
		return uint64(uint8(k) ^ 1<<7)
	case int16:
		return uint64(uint16(k) ^ 1<<15)
	case int32:
		return uint64(uint32(k) ^ 1<<31)
	case int64:
		return uint64(k) ^ 1<<63
	}
	return uint64(key)
}

// order has the indices of keys in the order that the options ask for.
func order[K gpu.Number](keys []K, o prim.SortOptions) []int {
	if o.To == 0 {
		o.To = 64
	}
	part := func(k K) uint64 { return ordinal(k) >> o.From & (1<<(o.To-o.From) - 1) }
	index := make([]int, len(keys))
	for i := range index {
		index[i] = i
	}
	slices.SortStableFunc(index, func(a, b int) int {
		if o.Descending {
			a, b = b, a
		}
		return cmp.Compare(part(keys[a]), part(keys[b]))
	})
	return index
}

// shapes are the ways in which n keys are drawn; the last are those that sorts have to be careful about.
var shapes = []struct {
	name string
	key  func(i, n int) uint64
}{
	{"random", func(int, int) uint64 { return chance.Uint64() }},
	{"equal", func(int, int) uint64 { return 0x8182838485868788 }},
	{"sorted", func(i, n int) uint64 { return uint64(i) * (1 << 63 / uint64(n)) * 2 }},
	{"reversed", func(i, n int) uint64 { return uint64(n-i) * (1 << 63 / uint64(n)) * 2 }},
	{"one bit", func(i, n int) uint64 { return uint64(i*7%3%2) << 21 }},
	{"few", func(int, int) uint64 { return chance.Uint64N(5) * 0x0101010101010101 }},
	{"special", func(int, int) uint64 {
		f := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 1, -1, math.SmallestNonzeroFloat64, -math.NaN()}[chance.IntN(9)]
		return math.Float64bits(f)
	}},
}

// draw makes keys; the high bits of a shape are those of a key, so that special floats are.
func draw[K gpu.Number](n, shape int) []K {
	keys := make([]K, n)
	bytes := vyre.Bytes(keys)
	size := len(bytes) / max(n, 1)
	for i := range keys {
		v := shapes[shape].key(i, n)
		if size == 4 && shapes[shape].name == "special" {
			v = uint64(math.Float32bits(float32(math.Float64frombits(v)))) << 32
		}
		for b := range size {
			bytes[i*size+b] = byte(v >> (64 - 8*size + 8*b))
		}
	}
	return keys
}

// same reports whether two slices have the same bytes.
func same[T vyre.Element](a, b []T) bool { return slices.Equal(vyre.Bytes(a), vyre.Bytes(b)) }

// poisoned is a buffer of n elements and some more, full of a byte.
func poisoned[T vyre.Element](t *testing.T, d vyre.Device, n int) *vyre.Buffer[T] {
	t.Helper()
	x := make([]T, n+40)
	bytes := vyre.Bytes(x)
	for i := range bytes {
		bytes[i] = 0xa5
	}
	return must(vyre.Upload(t.Context(), d, x))(t)
}

// result reads n elements, and complains where what follows has changed.
func result[T vyre.Element](t *testing.T, b *vyre.Buffer[T], n int) []T {
	t.Helper()
	x := must(b.Read(ctx))(t)
	for i, v := range vyre.Bytes(x[n:]) {
		if v != 0xa5 {
			t.Fatalf("byte %d after the result is %02x", i, v)
		}
	}
	return x[:n]
}

// sorts sorts keys alone, made for max, and compares with order.
func sorts[K gpu.Number](t *testing.T, d vyre.Device, keys []K, max int, o prim.SortOptions) {
	t.Helper()
	s := must(prim.NewSort[K](ctx, d, max, o))(t)
	in, out := must(vyre.Upload(ctx, d, keys))(t), poisoned[K](t, d, len(keys))
	seq := d.NewSequence("sort")
	s.Record(seq, prim.N(len(keys)), in, out)
	run(t, seq)
	got := result(t, out, len(keys))
	if s.Swapped() {
		got = must(in.Read(ctx))(t)
	}
	want := make([]K, len(keys))
	for i, k := range order(keys, o) {
		want[i] = keys[k]
	}
	if !same(got, want) {
		t.Errorf("%s: %d of %T, made for %d, %+v: not sorted", d.Name(), len(keys), keys, max, o)
	}
	closeAll(t, seq, in, out, s)
}

// pairs is sorts for pairs; the values are drawn from their places.
func pairs[K gpu.Number, V vyre.Element](t *testing.T, d vyre.Device, keys []K, max int, o prim.SortOptions, value func(i int) V) {
	t.Helper()
	s := must(prim.NewSortPairs[K, V](ctx, d, max, o))(t)
	values := make([]V, len(keys))
	for i := range values {
		values[i] = value(i)
	}
	in, inV := must(vyre.Upload(ctx, d, keys))(t), must(vyre.Upload(ctx, d, values))(t)
	out, outV := poisoned[K](t, d, len(keys)), poisoned[V](t, d, len(keys))
	seq := d.NewSequence("sort pairs")
	s.Record(seq, prim.N(len(keys)), in, inV, out, outV)
	run(t, seq)
	got, gotV := result(t, out, len(keys)), result(t, outV, len(keys))
	if s.Swapped() {
		got, gotV = must(in.Read(ctx))(t), must(inV.Read(ctx))(t)
	} else if !o.Swap && (!same(must(in.Read(ctx))(t), keys) || !same(must(inV.Read(ctx))(t), values)) {
		t.Error("the input has changed")
	}
	want, wantV := make([]K, len(keys)), make([]V, len(keys))
	for i, k := range order(keys, o) {
		want[i], wantV[i] = keys[k], values[k]
	}
	if !same(got, want) || !same(gotV, wantV) {
		t.Errorf("%s: %d pairs of %T and %T, made for %d, %+v: keys are right: %v, values: %v", d.Name(), len(keys), keys, values, max, o, same(got, want), same(gotV, wantV))
	}
	closeAll(t, seq, in, inV, out, outV, s)
}

func TestSortGivesTheKnownAnswers(t *testing.T) {
	known := map[int][3]string{
		0:       {"af1349b9f5f9a1a6", "af1349b9f5f9a1a6", "af1349b9f5f9a1a6"},
		1:       {"21b0a4229cff306d", "ec2bd03bf86b935f", "ec2bd03bf86b935f"},
		33:      {"4ba4d0ccedbe747b", "b8b6722b21c1487a", "dcb42d5f67032db1"},
		4097:    {"15d733e201edf71e", "394a9fdf40315448", "14fec7cd1bf9d783"},
		1048576: {"b1970f31280ffa08", "466b06d6720ef64f", "4284e7310d5f7c0d"},
	}
	for _, name := range devices() {
		d := open(t, name)
		for _, n := range sizes(name) {
			x, index := words(n), make([]uint32, n)
			for i := range index {
				index[i] = uint32(i)
			}
			got := must(prim.SortSlice(ctx, d, x, prim.SortOptions{}))(t)
			if digest(got) != known[n][0] {
				t.Errorf("%s: %d sorted: %s, want %s", name, n, digest(got), known[n][0])
			}
			for i, o := range []prim.SortOptions{{To: 8}, {To: 8, Descending: true}} {
				_, got, err := prim.SortPairsSlice(ctx, d, x, index, o)
				if err != nil {
					t.Fatal(err)
				}
				if digest(got) != known[n][i+1] {
					t.Errorf("%s: indices of %d, %+v: %s, want %s", name, n, o, digest(got), known[n][i+1])
				}
			}
		}
	}
}

func TestFloatsAreSortedByTheirBits(t *testing.T) {
	drawing(t)
	want := []uint32{0xffc00000, 0xff800000, 0xbf800000, 0x80000000, 0, 1, 0x3f800000, 0x7f800000, 0x7fc00000}
	keys := make([]float32, len(want))
	for i, k := range chance.Perm(len(want)) {
		keys[i] = math.Float32frombits(want[k])
	}
	for _, name := range devices() {
		for i, k := range must(prim.SortSlice(ctx, open(t, name), keys, prim.SortOptions{}))(t) {
			if got := math.Float32bits(k); got != want[i] {
				t.Errorf("%s: key %d is %08x, want %08x", name, i, got, want[i])
			}
		}
	}
}

// sortCase is one kind of key with keys alone, and with values of one size.
type sortCase func(t *testing.T, d vyre.Device, n, max, shape int, o prim.SortOptions)

func caseOf[K gpu.Number, V vyre.Element](value func(i int) V) sortCase {
	return func(t *testing.T, d vyre.Device, n, max, shape int, o prim.SortOptions) {
		t.Helper()
		var key K
		if o.To > 0 {
			bits := 8 * len(vyre.Bytes([]K{key}))
			o.From %= bits
			o.To = o.From + 1 + o.To%(bits-o.From)
		}
		keys := draw[K](n, shape)
		if value == nil {
			sorts(t, d, keys, max, o)
			return
		}
		if size := len(vyre.Bytes(make([]V, 1))); size != 4 && size != 8 {
			o.Swap = false
		}
		pairs(t, d, keys, max, o, value)
	}
}

var sortCases = []sortCase{
	caseOf[uint32, uint32](nil), caseOf[uint64, uint32](nil), caseOf[float32, uint32](nil), caseOf[int8, uint32](nil), caseOf[uint16, uint32](nil),
	caseOf[uint32](func(i int) uint32 { return uint32(i) }),
	caseOf[uint64](func(i int) uint32 { return uint32(i) }),
	caseOf[float64](func(i int) uint64 { return uint64(i) * 0x100000001 }),
	caseOf[int16](func(i int) float64 { return float64(i) }),
	caseOf[uint8](func(i int) uint32 { return ^uint32(i) }),
	caseOf[float32](func(i int) [2]uint64 { return [2]uint64{uint64(i), ^uint64(i)} }),
	caseOf[int64](func(i int) uint8 { return uint8(i * 7) }),
	caseOf[int32](func(i int) uint16 { return uint16(i) }),
}

// TestSortsAreStable draws kinds of keys and values, lengths, shapes and options.
func TestSortsAreStable(t *testing.T) {
	drawing(t)
	lengths := []int{0, 1, 31, 32, 33, 511, 512, 513, 2047, 2048, 2049, 8191, 8192, 8193, 12287, 12288, 12289, 16383, 16384, 16385, 18433} // tiles have 2,048 to 8,192
	for _, name := range devices() {
		d := open(t, name)
		for i := range long.Count(13, 60, 2000) {
			n, most := lengths[chance.IntN(len(lengths))], 0
			switch chance.IntN(4) {
			case 0:
				most = 8193
			case 1:
				most = chance.IntN(20000)
			case 2:
				most = 1<<(17+chance.IntN(3)) + chance.IntN(2) // the size of a tile changes at two of them
			}
			o := prim.SortOptions{Descending: chance.IntN(2) == 0, Swap: chance.IntN(3) == 0}
			if chance.IntN(3) == 0 {
				o.From, o.To = chance.IntN(64), 1+chance.IntN(64)
			}
			sortCases[i%len(sortCases)](t, d, n, max(n, most), chance.IntN(len(shapes)), o)
		}
	}
}

// TestSortsLeaveEqualDigitsOut sorts keys all of which share some digits, so that any number of passes is left out.
func TestSortsLeaveEqualDigitsOut(t *testing.T) {
	drawing(t)
	for _, name := range devices() {
		d := open(t, name)
		for _, swap := range []bool{false, true} {
			s := must(prim.NewSortPairs[uint32, uint32](ctx, d, 8193, prim.SortOptions{Swap: swap}))(t)
			const n = 500
			for mask := range 16 {
				if !long.Turn(mask, 5) {
					continue
				}
				keys, values := make([]uint32, n), make([]uint32, n)
				for i := range keys {
					keys[i], values[i] = 0x12345678, uint32(i)
					for digit := range 4 {
						if mask>>digit&1 == 1 {
							keys[i] ^= chance.Uint32N(256) << (8 * digit)
						}
					}
				}
				in, inV := must(vyre.Upload(ctx, d, keys))(t), must(vyre.Upload(ctx, d, values))(t)
				out, outV := must(vyre.Alloc[uint32](d, n))(t), must(vyre.Alloc[uint32](d, n))(t)
				seq := d.NewSequence("digits")
				s.Record(seq, prim.N(n), in, inV, out, outV)
				run(t, seq)
				got := outV
				if s.Swapped() {
					got = inV
				}
				for i, v := range must(got.Read(ctx))(t) {
					if want := order(keys, prim.SortOptions{})[i]; int(v) != want {
						t.Fatalf("%s: digits %04b differ, swap %v: value %d is %d, want %d", name, mask, swap, i, v, want)
					}
				}
				closeAll(t, seq, in, inV, out, outV)
			}
			closeAll(t, s)
		}
	}
}

func TestSortsOfAnyGridAndScheduleAreTheSame(t *testing.T) {
	drawing(t)
	defer prim.ForceGroups(0)
	for _, groups := range []uint32{7, 1, 2}[:long.Count(2, 3, 3)] {
		prim.ForceGroups(groups)
		for _, name := range devices() {
			pairs(t, open(t, name), draw[uint16](20000, 0), 20000, prim.SortOptions{}, func(i int) uint32 { return uint32(i) })
		}
		schedules := []cpu.Schedule{cpu.Reversed}
		for range long.Count(1, 5, 1000) {
			schedules = append(schedules, cpu.Seeded(chance.Uint64()))
		}
		for _, schedule := range schedules {
			d := must(cpu.Open(cpu.Options{Engine: cpu.Interp, Run: cpu.RunOptions{Schedule: schedule, Detect: cpu.Everything}}))(t)
			pairs(t, d, draw[uint16](17000, 0), 17000, prim.SortOptions{To: 9}, func(i int) uint32 { return uint32(i) })
			sorts(t, d, draw[uint32](100, 0), 100, prim.SortOptions{Swap: true})
			closeAll(t, d)
		}
	}
}

// TestSortsOfLengthsOnTheDevice runs a sort in a loop, for lengths that the device holds.
func TestSortsOfLengthsOnTheDevice(t *testing.T) {
	drawing(t)
	for _, name := range devices() {
		d := open(t, name)
		for _, most := range []int{1000, 9000} {
			keys := draw[uint32](most, 0)
			s := must(prim.NewSort[uint32](ctx, d, most, prim.SortOptions{}))(t)
			in, out, n := must(vyre.Upload(ctx, d, keys))(t), poisoned[uint32](t, d, most), must(vyre.Alloc[uint32](d, 1))(t)
			seq := d.NewSequence("length on the device")
			seq.Repeat(2, func() { s.Record(seq, prim.At(n), in, out) })
			for _, k := range []int{0, 1, most - 1, most} {
				if err := n.Write(ctx, []uint32{uint32(k)}); err != nil {
					t.Fatal(err)
				}
				run(t, seq)
				want := slices.Sorted(slices.Values(keys[:k]))
				if got := must(out.Read(ctx))(t); !slices.Equal(got[:k], want) {
					t.Errorf("%s: %d of %d: not sorted", name, k, most)
				} else if k < most && k > 1 && got[k] != 0xa5a5a5a5 {
					t.Errorf("%s: the key after %d has changed", name, k)
				}
			}
			if err := n.Write(ctx, []uint32{uint32(most) + 1}); err != nil {
				t.Fatal(err)
			}
			_, err := seq.Run(ctx)
			var trap *vyre.TrapError
			if !errors.As(err, &trap) || trap.Value != uint64(most)+1 || !strings.Contains(err.Error(), fmt.Sprint(most)) {
				t.Errorf("%s: of %d more than %d: %v", name, most+1, most, err)
			}
			closeAll(t, seq, in, out, n, s)
		}
	}
}

func TestSortsRefuseWhatIsWrong(t *testing.T) {
	d := open(t, "cpu")
	type odd [2]uint8
	pairs := func(keys, values int) error {
		_, _, err := prim.SortPairsSlice(ctx, d, make([]uint32, keys), make([]uint8, values), prim.SortOptions{})
		return err
	}
	for _, c := range []struct {
		err  error
		kind driver.Kind
		text string
	}{
		{errorOf(prim.NewSort[uint16](ctx, d, 10, prim.SortOptions{From: 3, To: 17})), vyre.InvalidArgument, "bits 3 up to 17"},
		{errorOf(prim.NewSort[uint16](ctx, d, 10, prim.SortOptions{From: 8, To: 8})), vyre.InvalidArgument, "bits 8 up to 8"},
		{errorOf(prim.NewSort[uint16](ctx, d, 10, prim.SortOptions{From: -1, To: 8})), vyre.InvalidArgument, "bits -1"},
		{errorOf(prim.NewSort[odd](ctx, d, 10, prim.SortOptions{})), vyre.Unsupported, "keys are"},
		{errorOf(prim.NewSort[uint16](ctx, d, -1, prim.SortOptions{})), vyre.InvalidArgument, "-1 elements"},
		{errorOf(prim.NewSort[uint16](ctx, nil, 1, prim.SortOptions{})), vyre.InvalidArgument, "device is nil"},
		{errorOf(prim.NewSortPairs[odd, uint8](ctx, d, 10, prim.SortOptions{})), vyre.Unsupported, "keys are"},
		{errorOf(prim.NewSortPairs[uint8, [3]uint8](ctx, d, 10, prim.SortOptions{})), vyre.Unsupported, "values of 3 bytes"},
		{errorOf(prim.NewSortPairs[uint8, uint8](ctx, d, 10, prim.SortOptions{Swap: true})), vyre.InvalidArgument, "Swap"},
		{pairs(1, 2), vyre.InvalidArgument, "1 keys and 2 values"},
		{pairs(2, 1), vyre.InvalidArgument, "2 keys and 1 values"},
	} {
		var e *vyre.Error
		if !errors.As(c.err, &e) || e.Kind != c.kind || !strings.Contains(e.Error(), c.text) {
			t.Errorf("%v, want %v with %q", c.err, c.kind, c.text)
		}
	}
	s := must(prim.NewSort[uint32](ctx, d, 10, prim.SortOptions{}))(t)
	in, out := must(vyre.Upload(ctx, d, make([]uint32, 20)))(t), must(vyre.Alloc[uint32](d, 9))(t)
	for n, text := range map[int]string{11: "above 10", 10: "range of 9"} {
		seq := d.NewSequence("too long")
		s.Record(seq, prim.N(n), in, out)
		if err := seq.Prepare(); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("a length of %d: %v", n, err)
		}
		closeAll(t, seq)
	}
	closeAll(t, in, out, s)
}

func errorOf[T any](_ T, err error) error { return err }
