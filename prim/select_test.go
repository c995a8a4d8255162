package prim_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/prim"
)

// payloads are n elements of any type, runs of equal neighbours among them.
func payloads[T vyre.Element](n int, seed uint64) []T {
	rng := rand.New(rand.NewPCG(seed, 5))
	x := make([]T, n)
	b := vyre.Bytes(x)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	for i := 1; i < n; i++ {
		if rng.IntN(4) > 0 {
			x[i] = x[i-1]
		}
	}
	return x
}

// flagged are n flags, of which about one of every is set, in some one of its bytes.
func flagged[F prim.Flag](n, every int) []F {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(every)))
	flags := make([]F, n)
	b := vyre.Bytes(flags)
	size := len(b) / n
	for i := range flags {
		if rng.IntN(every) == 0 {
			b[i*size+rng.IntN(size)] = byte(1 + rng.IntN(255))
		}
	}
	return flags
}

func equal[T vyre.Element](a, b T) bool { return bytes.Equal(vyre.Bytes([]T{a}), vyre.Bytes([]T{b})) }

// selected is what a selection or a partition leaves, and how many are chosen.
func selected[T vyre.Element](x []T, chosen func(i int) bool, others bool) (out []T, count int) {
	var rest []T
	for i, v := range x {
		if chosen(i) {
			out = append(out, v)
		} else {
			rest = append(rest, v)
		}
	}
	count = len(out)
	if others {
		out = append(out, rest...)
	}
	return out, count
}

// selectSubject is a selection, in place or not, or a partition.
func selectSubject[T vyre.Element, F prim.Flag](t *testing.T, d vyre.Device, form string, max, every int) *subject {
	make := prim.NewSelect[T, F]
	if form == "partition" {
		make = prim.NewPartition[T, F]
	}
	p := must(make(ctx, d, max))(t)
	t.Cleanup(func() { closeAll(t, p) })
	skip := max % 2
	data, flags := payloads[T](max+2, 1), flagged[F](max+2, every)
	x, by := hold(t, d, data, skip), hold(t, d, flags, skip)
	out := x
	if form != "in place" {
		out = hold(t, d, payloads[T](max+2, 2), skip)
	}
	count := hold(t, d, []uint32{77, 78, 79}, 1)
	return &subject{
		d: d, max: max, once: form == "in place",
		record: func(seq *vyre.Sequence, n prim.Length) *prim.Step {
			return p.Record(seq, n, x.Buffer, by.Buffer, out.Buffer, count.Buffer)
		},
		begin: func(t *testing.T) { x.set(t); by.set(t); out.set(t); count.set(t) },
		check: func(t *testing.T, n int) {
			t.Helper()
			want, found := selected(data[skip:][:n], func(i int) bool { return flags[skip+i] != 0 }, form == "partition")
			out.holds(t, form, want)
			count.holds(t, "count", []uint32{uint32(found)})
		},
	}
}

// indicesSubject finds places.
func indicesSubject[I uint32 | uint64, F prim.Flag](t *testing.T, d vyre.Device, max int) *subject {
	p := must(prim.NewSelectIndices[I, F](ctx, d, max))(t)
	t.Cleanup(func() { closeAll(t, p) })
	flags := flagged[F](max+2, 3)
	by, out := hold(t, d, flags, 0), hold(t, d, payloads[I](max+2, 2), 0)
	count := hold(t, d, []uint64{77, 78}, 0)
	return &subject{
		d: d, max: max,
		record: func(seq *vyre.Sequence, n prim.Length) *prim.Step {
			return p.Record(seq, n, by.Buffer, out.Buffer, count.all)
		},
		begin: func(t *testing.T) { out.set(t); count.set(t) },
		check: func(t *testing.T, n int) {
			t.Helper()
			var want []I
			for i, f := range flags[:n] {
				if f != 0 {
					want = append(want, I(i))
				}
			}
			out.holds(t, "places", want)
			count.holds(t, "count", []uint64{uint64(len(want))})
		},
	}
}

// uniqueSubject keeps the first of runs.
func uniqueSubject[K, V vyre.Element](t *testing.T, d vyre.Device, max int, byKey bool) *subject {
	skip := max % 2
	dataK, dataV := payloads[K](max+2, 3), payloads[V](max+2, 4)
	keys, values := hold(t, d, dataK, skip), hold(t, d, dataV, skip)
	outK, outV := hold(t, d, payloads[K](max+2, 5), skip), hold(t, d, payloads[V](max+2, 6), skip)
	count := hold(t, d, []uint32{77, 78}, 0)
	s := &subject{
		d: d, max: max,
		begin: func(t *testing.T) { outK.set(t); outV.set(t); count.set(t) },
		check: func(t *testing.T, n int) {
			t.Helper()
			head := func(i int) bool { return i == 0 || !equal(dataK[skip+i], dataK[skip+i-1]) }
			want, found := selected(dataK[skip:][:n], head, false)
			outK.holds(t, "keys", want)
			count.holds(t, "count", []uint32{uint32(found)})
			if byKey {
				want, _ := selected(dataV[skip:][:n], head, false)
				outV.holds(t, "values", want)
			}
		},
	}
	if byKey {
		p := must(prim.NewUniqueByKey[K, V](ctx, d, max))(t)
		t.Cleanup(func() { closeAll(t, p) })
		s.record = func(seq *vyre.Sequence, n prim.Length) *prim.Step {
			return p.Record(seq, n, keys.Buffer, values.Buffer, outK.Buffer, outV.Buffer, count.all)
		}
		return s
	}
	p := must(prim.NewUnique[K](ctx, d, max))(t)
	t.Cleanup(func() { closeAll(t, p) })
	s.record = func(seq *vyre.Sequence, n prim.Length) *prim.Step {
		return p.Record(seq, n, keys.Buffer, outK.Buffer, count.all)
	}
	return s
}

// choices are the primitives that choose, by name, for max elements.
var choices = []struct {
	name string
	make func(t *testing.T, d vyre.Device, max int) *subject
}{
	{"select u32 by u8", func(t *testing.T, d vyre.Device, max int) *subject {
		return selectSubject[uint32, uint8](t, d, "select", max, 2)
	}},
	{"select u8 by u16", func(t *testing.T, d vyre.Device, max int) *subject {
		return selectSubject[uint8, uint16](t, d, "select", max, 5)
	}},
	{"select u64 by u32, in place", func(t *testing.T, d vyre.Device, max int) *subject {
		return selectSubject[uint64, uint32](t, d, "in place", max, 3)
	}},
	{"select f16 bits by u64, in place", func(t *testing.T, d vyre.Device, max int) *subject {
		return selectSubject[uint16, uint64](t, d, "in place", max, 1)
	}},
	{"select 16 bytes by u8, in place", func(t *testing.T, d vyre.Device, max int) *subject {
		return selectSubject[[4]float32, uint8](t, d, "in place", max, 2)
	}},
	{"select u32 by u8, in place", func(t *testing.T, d vyre.Device, max int) *subject {
		return selectSubject[uint32, uint8](t, d, "in place", max, 2)
	}},
	{"partition 16 bytes by u8", func(t *testing.T, d vyre.Device, max int) *subject {
		return selectSubject[[2]uint64, uint8](t, d, "partition", max, 2)
	}},
	{"partition f32 by u64", func(t *testing.T, d vyre.Device, max int) *subject {
		return selectSubject[float32, uint64](t, d, "partition", max, 9)
	}},
	{"places of 32 bits by u8", func(t *testing.T, d vyre.Device, max int) *subject { return indicesSubject[uint32, uint8](t, d, max) }},
	{"places of 64 bits by u64", func(t *testing.T, d vyre.Device, max int) *subject { return indicesSubject[uint64, uint64](t, d, max) }},
	{"unique u8", func(t *testing.T, d vyre.Device, max int) *subject {
		return uniqueSubject[uint8, uint8](t, d, max, false)
	}},
	{"unique u16", func(t *testing.T, d vyre.Device, max int) *subject {
		return uniqueSubject[int16, uint8](t, d, max, false)
	}},
	{"unique u32", func(t *testing.T, d vyre.Device, max int) *subject {
		return uniqueSubject[uint32, uint8](t, d, max, false)
	}},
	{"unique f64", func(t *testing.T, d vyre.Device, max int) *subject {
		return uniqueSubject[float64, uint8](t, d, max, false)
	}},
	{"unique 16 bytes", func(t *testing.T, d vyre.Device, max int) *subject {
		return uniqueSubject[[4]uint32, uint8](t, d, max, false)
	}},
	{"unique u64 with f32", func(t *testing.T, d vyre.Device, max int) *subject {
		return uniqueSubject[uint64, float32](t, d, max, true)
	}},
	{"unique u8 with 16 bytes", func(t *testing.T, d vyre.Device, max int) *subject {
		return uniqueSubject[uint8, [2]float64](t, d, max, true)
	}},
}

func TestChoicesOfAllKinds(t *testing.T) {
	for i, c := range choices {
		for k, name := range devices() {
			if shared(i, k) {
				t.Run(name+" "+c.name, func(t *testing.T) {
					s := c.make(t, open(t, name), 8193+i/2%2)
					for _, n := range some(t, tileEdges, 2, 4, uint64(i)) {
						s.simple(t, fmt.Sprint(n), n)
					}
				})
			}
		}
	}
}

func TestChoicesInEveryWay(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	for i, k := range []int{0, 5, 6, 8, 15} {
		for _, name := range some(t, devices(), 1, 2, uint64(i)) {
			t.Run(name+" "+choices[k].name, func(t *testing.T) { choices[k].make(t, open(t, name), 2*4096+5).exercise(t) })
		}
	}
}

// A group that writes where another has read does so after it, under any schedule.
func TestChoicesUnderSeededSchedules(t *testing.T) {
	for seed := range long.Seeds(t, 2, 6, 1000) {
		for _, k := range []int{2, 4, 5, 7} {
			s := choices[k].make(t, seeded(t, seed), 4*4096+1)
			prim.ForceGroups(uint32(2 + 5*seed%7))
			s.simple(t, fmt.Sprint(choices[k].name, " ", seed), s.max)
			prim.ForceGroups(0)
		}
	}
}

func TestSelectGivesTheKnownAnswers(t *testing.T) {
	known := map[int]struct {
		count  uint32
		digest string
	}{0: {0, "af1349b9f5f9a1a6"}, 1: {0, "af1349b9f5f9a1a6"}, 33: {17, "b3d06f33b50c6d9c"}, 4097: {2088, "d541114ace7069a1"}, 1048576: {523751, "6d99219ce732d34e"}}
	for _, name := range devices() {
		for _, n := range sizes(name) {
			d := open(t, name)
			x := words(n)
			odd := make([]uint8, n)
			for i := range odd {
				odd[i] = uint8(x[i] & 1)
			}
			got := must(prim.SelectSlice(ctx, d, x, odd))(t)
			if want := known[n]; uint32(len(got)) != want.count || digest(got) != want.digest {
				t.Errorf("%s, %d: %d chosen, digest %s, want %d, %s", name, n, len(got), digest(got), want.count, want.digest)
			}
		}
	}
}

func TestChoicesRefuse(t *testing.T) {
	d := open(t, "cpu")
	for want, err := range map[string]error{
		"elements of 12 bytes":   second(prim.NewSelect[[3]float32, uint8](ctx, d, 1)),
		"elements of 32 bytes":   second(prim.NewUnique[[4]float64](ctx, d, 1)),
		"elements of 20 bytes":   second(prim.NewUniqueByKey[uint8, [5]uint32](ctx, d, 1)),
		"at most -1":             second(prim.NewPartition[uint8, uint8](ctx, d, -1)),
		"places of 32 bits":      second(prim.NewSelectIndices[uint32, uint8](ctx, d, 1<<33)),
		"the device is nil":      second(prim.NewUnique[uint8](ctx, nil, 1)),
		"2 elements and 3 flags": second(prim.SelectSlice(ctx, d, []uint32{1, 2}, []uint8{1, 0, 1})),
		"2 elements and 1 flags": second(prim.SelectSlice(ctx, d, []uint32{1, 2}, []uint8{1})),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	p := must(prim.NewSelect[uint32, uint8](ctx, d, 10))(t)
	defer p.Close()
	b, f := must(vyre.Alloc[uint32](d, 40))(t), must(vyre.Alloc[uint8](d, 40))(t)
	defer b.Close()
	defer f.Close()
	for want, record := range map[string]func(seq *vyre.Sequence){
		"a count in a *vyre.Buffer[uint8]": func(seq *vyre.Sequence) {
			p.Record(seq, prim.N(5), b.View(0, 10), f.View(0, 10), b.View(10, 20), f.View(30, 40))
		},
		"length 11 is above 10": func(seq *vyre.Sequence) { p.Record(seq, prim.N(11), b.View(0, 20), f, b.View(20, 39), b.View(39, 40)) },
		"a range of 4 elements": func(seq *vyre.Sequence) { p.Record(seq, prim.N(5), b.View(0, 10), f, b.View(10, 14), b.View(39, 40)) },
		"shares bytes":          func(seq *vyre.Sequence) { p.Record(seq, prim.N(5), b.View(0, 10), f, b.View(4, 14), b.View(39, 40)) },
	} {
		seq := d.NewSequence("refused")
		record(seq)
		if err := seq.Prepare(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
		seq.Close()
	}
}
