package prim_test

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/gpu/random"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/prim"
)

// inOrder draws keys and sorts them.
func inOrder[K gpu.Number](n, shape int, down bool) []K {
	keys := draw[K](n, shape)
	sorted := make([]K, n)
	for i, k := range order(keys, prim.SortOptions{Descending: down}) {
		sorted[i] = keys[k]
	}
	return sorted
}

// merges merges keys and pairs, with lengths that the host or the device knows, and compares with a stable sort.
func merges[K gpu.Number, V vyre.Element](t *testing.T, d vyre.Device, n, m, shape int, down bool, value func(i int) V) {
	t.Helper()
	a, b := inOrder[K](n, shape, down), inOrder[K](m, shape, down)
	aV, bV := make([]V, n), make([]V, m)
	for i := range n + m {
		if i < n {
			aV[i] = value(i)
		} else {
			bV[i-n] = value(i)
		}
	}
	all, allV := slices.Concat(a, b), slices.Concat(aV, bV)
	want, wantV := make([]K, n+m), make([]V, n+m)
	for i, k := range order(all, prim.SortOptions{Descending: down}) {
		want[i], wantV[i] = all[k], allV[k]
	}
	keys := must(prim.NewMerge[K](ctx, d, n+m, prim.MergeOptions{Descending: down}))(t)
	pairs := must(prim.NewMergePairs[K, V](ctx, d, n+m+5, prim.MergeOptions{Descending: down}))(t)
	inA, inB, inAV, inBV := must(vyre.Upload(ctx, d, a))(t), must(vyre.Upload(ctx, d, b))(t), must(vyre.Upload(ctx, d, aV))(t), must(vyre.Upload(ctx, d, bV))(t)
	out, out2, outV := poisoned[K](t, d, n+m), poisoned[K](t, d, n+m), poisoned[V](t, d, n+m)
	counts := must(vyre.Upload(ctx, d, []uint32{uint32(n), uint32(m)}))(t)
	seq := d.NewSequence("merge")
	seq.Repeat(2, func() {
		keys.Record(seq, prim.N(n), prim.N(m), inA, inB, out)
		pairs.Record(seq, prim.At(counts.View(0, 1)), prim.At(counts.View(1, 2)), inA, inAV, inB, inBV, out2, outV)
	})
	run(t, seq)
	if !same(result(t, out, n+m), want) {
		t.Errorf("%s: %d and %d of %T: not merged", d.Name(), n, m, a)
	}
	if !same(result(t, out2, n+m), want) || !same(result(t, outV, n+m), wantV) {
		t.Errorf("%s: %d and %d pairs of %T and %T: not merged", d.Name(), n, m, a, aV)
	}
	closeAll(t, seq, inA, inB, inAV, inBV, out, out2, outV, counts, keys, pairs)
}

func TestMergesTakeTheFirstOfEquals(t *testing.T) {
	drawing(t)
	defer prim.ForceGroups(0)
	lengths := []int{0, 1, 31, 33, 2047, 2048, 4095, 4096, 4097, 8191}
	length := func() int { return lengths[chance.IntN(len(lengths))] }
	each := []func(t *testing.T, d vyre.Device, n, m, shape int, down bool){
		func(t *testing.T, d vyre.Device, n, m, shape int, down bool) {
			merges[uint32](t, d, n, m, shape, down, func(i int) uint32 { return uint32(i) })
		},
		func(t *testing.T, d vyre.Device, n, m, shape int, down bool) {
			merges[float64](t, d, n, m, shape, down, func(i int) uint64 { return uint64(i) })
		},
		func(t *testing.T, d vyre.Device, n, m, shape int, down bool) {
			merges[int8](t, d, n, m, shape, down, func(i int) uint16 { return uint16(i) })
		},
		func(t *testing.T, d vyre.Device, n, m, shape int, down bool) {
			merges[uint16](t, d, n, m, shape, down, func(i int) [2]float64 { return [2]float64{float64(i)} })
		},
	}
	for _, name := range devices() {
		d := open(t, name)
		for i := range long.Count(8, 40, 400) {
			prim.ForceGroups([]uint32{0, 1, 2, 7}[chance.IntN(4)])
			each[i%len(each)](t, d, length(), length(), chance.IntN(len(shapes)), chance.IntN(2) == 0)
		}
	}
	prim.ForceGroups(2)
	each[0](t, seeded(t, chance.Uint64()), 3000, 3000, 5, false)
}

func TestMergesRefuseWhatIsTooLong(t *testing.T) {
	d := open(t, "cpu")
	m := must(prim.NewMerge[uint32](ctx, d, 10, prim.MergeOptions{}))(t)
	a, out := must(vyre.Upload(ctx, d, make([]uint32, 20)))(t), must(vyre.Alloc[uint32](d, 20))(t)
	count := must(vyre.Upload(ctx, d, []uint32{6}))(t)
	seq := d.NewSequence("too long")
	m.Record(seq, prim.N(5), prim.N(6), a, a, out)
	if err := seq.Prepare(); err == nil || !strings.Contains(err.Error(), "5 and 6") {
		t.Errorf("5 and 6 of 10: %v", err)
	}
	closeAll(t, seq)
	seq = d.NewSequence("too long on the device")
	m.Record(seq, prim.N(5), prim.At(count), a, a, out)
	if _, err := seq.Run(ctx); err == nil || !strings.Contains(err.Error(), "value 0xb") {
		t.Errorf("5 and 6 of 10: %v", err)
	}
	closeAll(t, seq, a, out, count, m)
}

func searches[K gpu.Number, I uint32 | uint64](t *testing.T, d vyre.Device, n, m, shape int, o prim.SearchOptions) {
	t.Helper()
	x, queries := inOrder[K](n, shape, o.Descending), draw[K](m, shape)
	copy(queries, x) // some that are there
	s := must(prim.NewSearch[K, I](ctx, d, m, o))(t)
	in, q, out := must(vyre.Upload(ctx, d, x))(t), must(vyre.Upload(ctx, d, queries))(t), poisoned[I](t, d, m)
	seq := d.NewSequence("search")
	ofRange, ofQueries := s.Record(seq, prim.N(n), prim.N(m), in, q, out)
	check := func(n, m int) {
		t.Helper()
		run(t, seq)
		for i, got := range must(out.Read(ctx))(t)[:m] {
			want := sort.Search(n, func(k int) bool {
				c := cmp.Compare(ordinal(x[k]), ordinal(queries[i]))
				if o.Descending {
					c = -c
				}
				return c > 0 || c == 0 && !o.Upper
			})
			if int(got) != want {
				t.Fatalf("%s: %v in %d of %T, %+v: %d, want %d", d.Name(), queries[i], n, x, o, got, want)
			}
		}
	}
	check(n, m)
	result(t, out, m)
	if err := ofRange.SetLength(prim.N(n / 2)); err != nil {
		t.Fatal(err)
	}
	if err := ofQueries.SetLength(prim.N(m / 2)); err != nil {
		t.Fatal(err)
	}
	check(n/2, m/2)
	if err := ofQueries.SetLength(prim.N(m + 1)); err == nil {
		t.Error("more queries than there is room for are taken")
	}
	closeAll(t, seq, in, q, out, s)
}

func TestSearchFindsBounds(t *testing.T) {
	drawing(t)
	for _, name := range devices() {
		d := open(t, name)
		for i := range 4 {
			o := prim.SearchOptions{Upper: i&1 == 1, Descending: i&2 == 2}
			for _, n := range []int{0, 1, 33, 1000} {
				searches[uint32, uint32](t, d, n, 700, chance.IntN(len(shapes)), o)
			}
			searches[float32, uint64](t, d, 500, 300, len(shapes)-1, o)
			searches[int16, uint32](t, d, 500, 0, 0, o)
		}
	}
}

// TestPermutationsAreSortsOfDraws compares with a sort of words 2i and 2i+1.
func TestPermutationsAreSortsOfDraws(t *testing.T) {
	for _, name := range devices() {
		d := open(t, name)
		for _, n := range []int{0, 1, 2, 1000, 8193} {
			p := must(prim.NewPermutation[uint32](ctx, d, n))(t)
			out := poisoned[uint32](t, d, n)
			seq := d.NewSequence("permutation")
			step := p.Record(seq, prim.N(n), prim.Source{Seed: 1}, out)
			for _, from := range []prim.Source{{Seed: 1}, {Seed: 3, Stream: 5, From: 7}} {
				if err := step.SetSource(from); err != nil {
					t.Fatal(err)
				}
				run(t, seq)
				keys := make([]uint64, n)
				for i := range keys {
					k := from.From + uint64(i)
					keys[i] = uint64(random.Word(from.Seed, from.Stream, 2*k+1))<<32 | uint64(random.Word(from.Seed, from.Stream, 2*k))
				}
				got := result(t, out, n)
				for i, k := range order(keys, prim.SortOptions{}) {
					if int(got[i]) != k {
						t.Fatalf("%s: number %d of %d is %d, want %d", name, i, n, got[i], k)
					}
				}
			}
			closeAll(t, seq, out, p)
		}
	}
}
