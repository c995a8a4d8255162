package prim_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/prim"
)

// reduced is what a Reduce of x gives.
func reduced[T number](op prim.Operator, x []T) T {
	if v, ok := tree(x, func(a, b T) T { return combine(op, a, b) }); ok {
		return v
	}
	return emptyOf[T](op)
}

// offsets are those of k segments, of any mix of lengths, which begin at first.
func offsets[I uint32 | uint64](k, first int, seed uint64) []I {
	rng := rand.New(rand.NewPCG(seed, 9))
	lengths := []int{0, 0, 1, 2, 3, 5, 16, 17, 31, 32, 33, 100, 127, 128, 129, 1000}
	at, all := first, []I{I(first)}
	for i := range k {
		n := lengths[rng.IntN(len(lengths))]
		if i%max(k/3, 1) == k/4 {
			n = []int{4095, 4096, 4097, 8192, 9001}[rng.IntN(5)]
		}
		at += n
		all = append(all, I(at))
	}
	return all
}

func segmentSubject[T number, I uint32 | uint64](t *testing.T, d vyre.Device, op prim.Operator, k int) *subject {
	ends := append(offsets[I](k, k%3, uint64(k)), 0, 0)
	n := int(ends[k])
	data := draws[T](n+3, uint64(op)+1)
	p := must(prim.NewSegmentedReduce[T, I](ctx, d, op, k, n+1))(t)
	t.Cleanup(func() { closeAll(t, p) })
	by, x, out := hold(t, d, ends[:k+3], 0), hold(t, d, data, k%2), hold(t, d, draws[T](k+2, 77), k%2)
	return &subject{
		d: d, max: k,
		record: func(seq *vyre.Sequence, n prim.Length) *prim.Step {
			return p.Record(seq, n, by.Buffer, x.Buffer, out.Buffer)
		},
		begin: func(t *testing.T) { out.set(t) },
		check: func(t *testing.T, n int) {
			t.Helper()
			want := make([]T, n)
			for i := range want {
				want[i] = reduced(op, data[k%2:][ends[i]:ends[i+1]])
			}
			out.holds(t, "segments", want)
		},
	}
}

// segmentScanSubject is a scan of segments.
func segmentScanSubject[T number, I uint32 | uint64](t *testing.T, d vyre.Device, op prim.Operator, exclusive bool, k int) *subject {
	ends := append(offsets[I](k, k%3, uint64(k)), 0, 0)
	n := int(ends[k])
	data := draws[T](n+3, uint64(op)+1)
	make := prim.NewSegmentedScan[T, I]
	if exclusive {
		make = prim.NewExclusiveSegmentedScan[T, I]
	}
	p := must(make(ctx, d, op, k, n+1))(t)
	t.Cleanup(func() { closeAll(t, p) })
	by, x, y := hold(t, d, ends[:k+3], 0), hold(t, d, data, k%2), hold(t, d, draws[T](n+3, 77), k%2)
	return &subject{
		d: d, max: k,
		record: func(seq *vyre.Sequence, n prim.Length) *prim.Step {
			return p.Record(seq, n, by.Buffer, x.Buffer, y.Buffer)
		},
		begin: func(t *testing.T) { y.set(t) },
		check: func(t *testing.T, n int) {
			t.Helper()
			want := slices.Clone(y.fill[k%2:][:ends[n]]) // what is before the first segment stays
			for i := range n {
				copy(want[ends[i]:], scanned(op, exclusive, data[k%2:][ends[i]:ends[i+1]]))
			}
			y.holds(t, "segments", want)
		},
	}
}

// headSubject is a scan of segments whose first elements are flagged, or a reduction.
func headSubject[T number, F prim.Flag](t *testing.T, d vyre.Device, op prim.Operator, form string, max, every int) *subject {
	skip := max % 2
	flags, data := flagged[F](max+2, every), draws[T](max+2, 4)
	by, x, y := hold(t, d, flags, skip), hold(t, d, data, skip), hold(t, d, draws[T](max+2, 5), skip)
	count := hold(t, d, []uint32{77, 78}, 0)
	s := &subject{d: d, max: max, begin: func(t *testing.T) { y.set(t); count.set(t) }}
	s.check = func(t *testing.T, n int) {
		t.Helper()
		want, found := []T{}, []uint32{}
		for i := 0; i < n; {
			from := i
			for i++; i < n && flags[skip+i] == 0; i++ {
			}
			if segment := data[skip+from : skip+i]; form == "reduce" {
				want = append(want, reduced(op, segment))
				found = []uint32{uint32(len(want))}
			} else {
				want = append(want, scanned(op, form == "exclusive", segment)...)
			}
		}
		if form == "reduce" && n == 0 {
			found = []uint32{0}
		}
		y.holds(t, form, want)
		count.holds(t, "count", found)
	}
	if form == "reduce" {
		p := must(prim.NewHeadReduce[T, F](ctx, d, op, max))(t)
		t.Cleanup(func() { closeAll(t, p) })
		s.record = func(seq *vyre.Sequence, n prim.Length) *prim.Step {
			return p.Record(seq, n, by.Buffer, x.Buffer, y.Buffer, count.all)
		}
		return s
	}
	make := prim.NewHeadScan[T, F]
	if form == "exclusive" {
		make = prim.NewExclusiveHeadScan[T, F]
	}
	p := must(make(ctx, d, op, max))(t)
	t.Cleanup(func() { closeAll(t, p) })
	s.record = func(seq *vyre.Sequence, n prim.Length) *prim.Step {
		return p.Record(seq, n, by.Buffer, x.Buffer, y.Buffer)
	}
	return s
}

// runsSubject is a search for runs, or a reduction of them.
func runsSubject[K vyre.Element, V number](t *testing.T, d vyre.Device, op prim.Operator, max, run int) *subject {
	skip := max % 2
	keys, data := payloads[K](max+2, 3), draws[V](max+2, 8)
	if run > 0 { // runs of so many
		for i := range keys {
			keys[i] = keys[i-i%run]
		}
	}
	x, values := hold(t, d, keys, skip), hold(t, d, data, skip)
	outK, outV, lengths := hold(t, d, payloads[K](max+2, 5), skip), hold(t, d, draws[V](max+2, 6), skip), hold(t, d, payloads[uint64](max+2, 6), 0)
	count := hold(t, d, []uint32{77, 78}, 0)
	r := must(prim.NewRunLengths[K, uint64](ctx, d, max))(t)
	p := must(prim.NewReduceByKey[K, V](ctx, d, op, max))(t)
	t.Cleanup(func() { closeAll(t, r, p) })
	return &subject{
		d: d, max: max,
		record: func(seq *vyre.Sequence, n prim.Length) *prim.Step {
			if op == prim.And { // stands for lengths
				return r.Record(seq, n, x.Buffer, outK.Buffer, lengths.Buffer, count.all)
			}
			return p.Record(seq, n, x.Buffer, values.Buffer, outK.Buffer, outV.Buffer, count.all)
		},
		begin: func(t *testing.T) { outK.set(t); outV.set(t); lengths.set(t); count.set(t) },
		check: func(t *testing.T, n int) {
			t.Helper()
			var first []K
			var sizes []uint64
			var want []V
			for i := 0; i < n; {
				from := i
				for i < n && equal(keys[skip+i], keys[skip+from]) {
					i++
				}
				first, sizes = append(first, keys[skip+from]), append(sizes, uint64(i-from))
				want = append(want, reduced(op, data[skip+from:skip+i]))
			}
			outK.holds(t, "first of runs", first)
			count.holds(t, "count", []uint32{uint32(len(first))})
			if op == prim.And {
				lengths.holds(t, "lengths", sizes)
			} else {
				outV.holds(t, "results", want)
			}
		},
	}
}

// segmented are primitives over segments and runs, by name; max is of segments, or of elements.
var segmented = []struct {
	name string
	max  int
	make func(t *testing.T, d vyre.Device, max int) *subject
}{
	{"reduce u32", 60, func(t *testing.T, d vyre.Device, k int) *subject {
		return segmentSubject[uint32, uint32](t, d, prim.Sum, k)
	}},
	{"reduce f32", 61, func(t *testing.T, d vyre.Device, k int) *subject {
		return segmentSubject[float32, uint64](t, d, prim.Sum, k)
	}},
	{"reduce f64 products", 40, func(t *testing.T, d vyre.Device, k int) *subject {
		return segmentSubject[float64, uint32](t, d, prim.Product, k)
	}},
	{"reduce i8 minima", 33, func(t *testing.T, d vyre.Device, k int) *subject {
		return segmentSubject[int8, uint64](t, d, prim.Min, k)
	}},
	{"reduce u16 ands", 32, func(t *testing.T, d vyre.Device, k int) *subject {
		return segmentSubject[uint16, uint32](t, d, prim.And, k)
	}},
	{"reduce i64 maxima", 31, func(t *testing.T, d vyre.Device, k int) *subject {
		return segmentSubject[int64, uint32](t, d, prim.Max, k)
	}},
	{"scan u32", 60, func(t *testing.T, d vyre.Device, k int) *subject {
		return segmentScanSubject[uint32, uint32](t, d, prim.Sum, false, k)
	}},
	{"scan f32", 61, func(t *testing.T, d vyre.Device, k int) *subject {
		return segmentScanSubject[float32, uint64](t, d, prim.Sum, true, k)
	}},
	{"scan f64", 62, func(t *testing.T, d vyre.Device, k int) *subject {
		return segmentScanSubject[float64, uint32](t, d, prim.Sum, false, k)
	}},
	{"scan i16 minima", 33, func(t *testing.T, d vyre.Device, k int) *subject {
		return segmentScanSubject[int16, uint32](t, d, prim.Min, true, k)
	}},
	{"scan u64 products", 34, func(t *testing.T, d vyre.Device, k int) *subject {
		return segmentScanSubject[uint64, uint64](t, d, prim.Product, true, k)
	}},
	{"heads, reduce f32 by u8", 8193, func(t *testing.T, d vyre.Device, n int) *subject {
		return headSubject[float32, uint8](t, d, prim.Sum, "reduce", n, 20)
	}},
	{"heads, scan u64 by u32", 8194, func(t *testing.T, d vyre.Device, n int) *subject {
		return headSubject[uint64, uint32](t, d, prim.Sum, "scan", n, 3)
	}},
	{"heads, scan f32 by u16", 2*4096 + 9, func(t *testing.T, d vyre.Device, n int) *subject {
		return headSubject[float32, uint16](t, d, prim.Sum, "exclusive", n, 1<<20)
	}},
	{"runs u32", 8193, func(t *testing.T, d vyre.Device, n int) *subject {
		return runsSubject[uint32, uint32](t, d, prim.And, n, 0)
	}},
	{"runs 16 bytes", 8194, func(t *testing.T, d vyre.Device, n int) *subject {
		return runsSubject[[4]float32, uint32](t, d, prim.And, n, 0)
	}},
	{"by key u64 f32", 8193, func(t *testing.T, d vyre.Device, n int) *subject {
		return runsSubject[uint64, float32](t, d, prim.Sum, n, 0)
	}},
	{"by key f32 f64, long", 3*4096 + 7, func(t *testing.T, d vyre.Device, n int) *subject {
		return runsSubject[float32, float64](t, d, prim.Sum, n, 5000)
	}},
	{"by key u8 i32, all equal", 2*4096 + 1, func(t *testing.T, d vyre.Device, n int) *subject {
		return runsSubject[uint8, int32](t, d, prim.Max, n, 1<<20)
	}},
	{"runs u64, longer than tiles", 5*8192 + 1, func(t *testing.T, d vyre.Device, n int) *subject {
		return runsSubject[uint64, uint32](t, d, prim.And, n, 17000)
	}},
	{"by key u32 u32", 3*4096 + 5, func(t *testing.T, d vyre.Device, n int) *subject {
		return runsSubject[uint32, uint32](t, d, prim.Sum, n, 3)
	}},
	{"by key u64 i32, longer than tiles", 5*4096 + 2, func(t *testing.T, d vyre.Device, n int) *subject {
		return runsSubject[uint64, int32](t, d, prim.Min, n, 9000)
	}},
	{"by key u16 u32 products, none equal", 2*4096 + 3, func(t *testing.T, d vyre.Device, n int) *subject {
		return runsSubject[uint16, uint32](t, d, prim.Product, n, 0)
	}},
}

func TestSegmentsOfAllKinds(t *testing.T) {
	for i, c := range segmented {
		for k, name := range devices() {
			if shared(i, k) {
				t.Run(name+" "+c.name, func(t *testing.T) {
					s := c.make(t, open(t, name), c.max)
					for _, n := range []int{0, c.max, c.max / 2, 1, c.max - 1}[:long.Count(3, 5, 5)] {
						s.simple(t, fmt.Sprint(n), n)
					}
				})
			}
		}
	}
}

func TestSegmentsInEveryWay(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	for i, k := range []int{1, 11, 14, 18, 7, 13, 16, 21}[:long.Count(4, 8, 8)] {
		for _, name := range some(t, devices(), 1, 2, uint64(i)) {
			t.Run(name+" "+segmented[k].name, func(t *testing.T) { segmented[k].make(t, open(t, name), segmented[k].max).exercise(t) })
		}
	}
}

func TestSegmentsUnderSeededSchedules(t *testing.T) {
	for seed := range long.Seeds(t, 1, 3, 1000) {
		for _, k := range []int{1, 3, 7, 11, 17, 19, 20, 21} {
			s := segmented[k].make(t, seeded(t, seed), segmented[k].max)
			prim.ForceGroups(uint32(2 + 5*seed%7))
			s.simple(t, fmt.Sprint(segmented[k].name, " ", seed), s.max)
			prim.ForceGroups(0)
		}
	}
}

// Segments so long that the results of their tiles are more than a tile.
func TestVeryLongSegments(t *testing.T) {
	long.OnlyExhaustive(t, "takes more than a minute")
	d := open(t, "cpu")
	n := 4096*4096 + 5000
	x := draws[float32](n, 1)
	p := must(prim.NewSegmentedReduce[float32, uint32](ctx, d, prim.Sum, 2, n))(t)
	in, by, out := must(vyre.Upload(ctx, d, x))(t), must(vyre.Upload(ctx, d, []uint32{0, uint32(n - 3), uint32(n)}))(t), must(vyre.Alloc[float32](d, 2))(t)
	defer closeAll(t, p, in, by, out)
	seq := d.NewSequence("long")
	defer seq.Close()
	p.Record(seq, prim.N(2), by, in, out)
	run(t, seq)
	equalBits(t, "sums", must(out.Read(ctx))(t), []float32{reduced(prim.Sum, x[:n-3]), reduced(prim.Sum, x[n-3:])})

	s := must(prim.NewExclusiveSegmentedScan[float32, uint32](ctx, d, prim.Sum, 2, n))(t)
	y := must(vyre.Alloc[float32](d, n))(t)
	defer closeAll(t, s, y)
	scan := d.NewSequence("long scan")
	defer scan.Close()
	s.Record(scan, prim.N(2), by, in, y)
	run(t, scan)
	equalBits(t, "running sums", must(y.Read(ctx))(t), append(scanned(prim.Sum, true, x[:n-3]), scanned(prim.Sum, true, x[n-3:])...))
}

func TestRunLengthsGiveTheKnownAnswers(t *testing.T) {
	known := map[int][3]string{
		1: {"1", "9c440fc9ec62df97", "c610e85212d0697c"}, 33: {"33", "4fc724c77a6267a0", "0b87bc4436a3b446"},
		4097: {"3991", "33b40b9e1bc381bb", "dc37c1a94e7531ea"}, 1048576: {"65536", "4384f4a54a417e5d", "93ec5fd86402945e"},
	}
	for _, name := range devices() {
		for _, n := range sizes(name) {
			if n == 0 {
				continue
			}
			x := words(n)
			for i := range x {
				x[i] &= 65535
			}
			slices.Sort(x)
			values, lengths, err := prim.RunLengthsSlice(ctx, open(t, name), x)
			if got := [3]string{fmt.Sprint(len(values)), digest(values), digest(lengths)}; err != nil || got != known[n] {
				t.Errorf("%s, %d: %v, %v, want %v", name, n, got, err, known[n])
			}
		}
	}
}

func TestSegmentsRefuse(t *testing.T) {
	d := open(t, "cpu")
	for want, err := range map[string]error{
		"fixed size":           second(prim.NewSegmentedReduce[[2]float32, uint32](ctx, d, prim.Sum, 1, 1)),
		"xor is of integers":   second(prim.NewSegmentedReduce[float32, uint32](ctx, d, prim.Xor, 1, 1)),
		"operator 9":           second(prim.NewSegmentedReduce[float32, uint32](ctx, d, 9, 1, 1)),
		"2 segments of -1":     second(prim.NewSegmentedReduce[uint8, uint32](ctx, d, prim.Sum, 2, -1)),
		"at most -3":           second(prim.NewReduceByKey[uint8, uint32](ctx, d, prim.Sum, -3)),
		"elements of 12 bytes": second(prim.NewReduceByKey[[3]uint32, uint32](ctx, d, prim.Sum, 3)),
		"elements of 24 bytes": second(prim.NewRunLengths[[3]uint64, uint32](ctx, d, 3)),
		"lengths of 32 bits":   second(prim.NewRunLengths[uint8, uint32](ctx, d, 1<<32)),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

// Offsets that fall or end past the data are traps that tell the segment or an offset, of 32 bits and of 64, whatever is done with segments; and
// nothing but the segments' results is written.
func TestOffsetsThatFallOrEndPastTheDataTrap(t *testing.T) {
	for _, name := range devices() {
		d := open(t, name)
		badOffsets[uint32](t, d, 1<<32-1)
		badOffsets[uint64](t, d, 1<<64-1, 1<<63, 1<<32, 1<<32+6) // what is cut to 32 bits would be a place
	}
}

func badOffsets[I uint32 | uint64](t *testing.T, d vyre.Device, ends ...I) {
	t.Helper()
	reduce := must(prim.NewSegmentedReduce[uint32, I](ctx, d, prim.Sum, 3, 10))(t)
	scan := must(prim.NewSegmentedScan[uint32, I](ctx, d, prim.Sum, 3, 10))(t)
	floats := must(prim.NewExclusiveSegmentedScan[float32, I](ctx, d, prim.Sum, 3, 10))(t)
	sort := must(prim.NewSegmentedSort[uint32, I](ctx, d, 10, prim.SortOptions{}))(t)
	x, out, f, to := hold(t, d, words(14), 1), hold(t, d, words(14), 1), hold(t, d, uniforms(14), 1), hold(t, d, uniforms(14), 1)
	wrong := [][]I{{0, 5, 4, 10}, {0, 5, 11, 10}, {0, 5, 11, 12}, {3, 0, 0, 0}, {11, 11, 11, 11}}
	for _, v := range ends { // where the first, a middle and the last segment end
		wrong = append(wrong, []I{0, v, 8, 10}, []I{0, 5, v, 10}, []I{0, 5, 8, v}, []I{v, v, v, v})
	}
	for what, record := range map[string]func(seq *vyre.Sequence, by *vyre.Buffer[I]){
		"reduce": func(seq *vyre.Sequence, by *vyre.Buffer[I]) {
			reduce.Record(seq, prim.N(3), by, x.View(0, 10), out.View(0, 10))
		},
		"scan": func(seq *vyre.Sequence, by *vyre.Buffer[I]) {
			scan.Record(seq, prim.N(3), by, x.View(0, 10), out.View(0, 10))
		},
		"scan of floats": func(seq *vyre.Sequence, by *vyre.Buffer[I]) {
			floats.Record(seq, prim.N(3), by, f.View(0, 10), to.View(0, 10))
		},
		"sort": func(seq *vyre.Sequence, by *vyre.Buffer[I]) {
			sort.Record(seq, prim.N(3), by, x.View(0, 10), out.View(0, 10))
		},
	} {
		by := must(vyre.Alloc[I](d, 4))(t)
		seq := d.NewSequence(what)
		record(seq, by)
		for _, offsets := range append(wrong, []I{0, 5, 5, 10}) {
			if err := by.Write(ctx, offsets); err != nil {
				t.Fatal(err)
			}
			_, err := seq.Run(ctx)
			var trap *vyre.TrapError
			switch {
			case offsets[3] == 10 && offsets[2] == 5:
				if err != nil {
					t.Errorf("%s, %s: right offsets %d after wrong ones give %v", d.Name(), what, offsets, err)
				}
			case !errors.As(err, &trap) || trap.Value > 2 && (what != "sort" || !slices.Contains(offsets, I(trap.Value))): // it tells an offset
				t.Errorf("%s, %s: offsets %d give %v", d.Name(), what, offsets, err)
			}
			got, gotF := must(out.all.Read(ctx))(t), must(to.all.Read(ctx))(t)
			if got[0] != out.fill[0] || !slices.Equal(got[11:], out.fill[11:]) || gotF[0] != to.fill[0] || !slices.Equal(gotF[11:], to.fill[11:]) {
				t.Errorf("%s, %s: offsets %d write beyond the results", d.Name(), what, offsets)
			}
		}
		x.holds(t, what, nil)
		f.holds(t, what, nil)
		closeAll(t, seq, by)
	}
	closeAll(t, reduce, scan, floats, sort)
}
