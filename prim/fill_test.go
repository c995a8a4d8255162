package prim_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/gpu/random"
	"github.com/govyre/vyre/prim"
)

// drawn are n numbers from a place on, and what lies behind them, which was poisoned.
func drawn[T vyre.Element](t *testing.T, d vyre.Device, dist prim.Distribution, n int, from prim.Source) []T {
	t.Helper()
	r := must(prim.NewRandom[T](ctx, d, dist, n))(t)
	out := must(vyre.Alloc[T](d, n+5))(t)
	seq := d.NewSequence("draw")
	seq.Fill(out.Bytes(), 0xa5, 1)
	step := r.Record(seq, prim.N(n), prim.Source{Seed: 9}, out)
	if err := seq.Prepare(); err != nil {
		t.Fatal(err)
	}
	if err := step.SetSource(from); err != nil {
		t.Fatal(err)
	}
	if _, err := seq.Run(ctx); err != nil {
		t.Fatal(err)
	}
	got := must(out.Read(ctx))(t)
	for _, b := range vyre.Bytes(got[n:]) {
		if b != 0xa5 {
			t.Fatalf("%d numbers were drawn, and what lies behind them was written", n)
		}
	}
	closeAll(t, seq, out, r)
	return got[:n]
}

// equalBits compares slices by their bytes.
func equalBits[T vyre.Element](t *testing.T, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(vyre.Bytes(got), vyre.Bytes(want)) {
		for i := range want {
			if i >= len(got) || !slices.Equal(vyre.Bytes(got[i:i+1]), vyre.Bytes(want[i:i+1])) {
				t.Errorf("%s: element %d of %d is %v, want %v", what, i, len(want), got[i], want[i])
				return
			}
		}
	}
}

func TestDrawsAreWhatTheHostDraws(t *testing.T) {
	for _, name := range devices() {
		d := open(t, name)
		for _, n := range []int{1, 7, 1029} {
			for _, from := range []prim.Source{{Seed: 1}, {Seed: 0x0123456789abcdef, Stream: 7, From: 1<<34 + 1}, {Seed: 2, Stream: 1 << 60, From: 6}, {Seed: 3, From: 3}} {
				word := func(i uint64) uint32 { return random.Word(from.Seed, from.Stream, i) }
				words, below, uniform, normal := make([]uint32, n), make([]uint32, n), make([]float32, n), make([]float32, n)
				longs, under, doubles, gauss := make([]uint64, n), make([]uint64, n), make([]float64, n), make([]float64, n)
				for k := range n {
					i := from.From + uint64(k)
					words[k], below[k], uniform[k] = word(i), random.Below(word(i), 10), random.Uniform(word(i))
					longs[k] = uint64(word(2*i+1))<<32 | uint64(word(2*i))
					under[k], doubles[k] = random.Below64(word(2*i), word(2*i+1), 1<<40), random.Uniform64(word(2*i), word(2*i+1))
					p := i &^ 1
					a, b := random.Normal(word(p), word(p+1))
					x, y := random.Normal64(word(2*p), word(2*p+1), word(2*p+2), word(2*p+3))
					if normal[k], gauss[k] = a, x; i%2 == 1 {
						normal[k], gauss[k] = b, y
					}
				}
				equalBits(t, "words", drawn[uint32](t, d, prim.Words, n, from), words)
				equalBits(t, "below", drawn[uint32](t, d, prim.Below(10), n, from), below)
				equalBits(t, "uniform", drawn[float32](t, d, prim.Uniform, n, from), uniform)
				equalBits(t, "normal", drawn[float32](t, d, prim.Normal, n, from), normal)
				equalBits(t, "words of 64 bits", drawn[uint64](t, d, prim.Words, n, from), longs)
				equalBits(t, "below, of 64 bits", drawn[uint64](t, d, prim.Below(1<<40), n, from), under)
				equalBits(t, "uniform of 64 bits", drawn[float64](t, d, prim.Uniform, n, from), doubles)
				equalBits(t, "normal of 64 bits", drawn[float64](t, d, prim.Normal, n, from), gauss)
			}
		}
		if got := drawn[uint32](t, d, prim.Words, 1, prim.Source{Seed: 0x0123456789abcdef, Stream: 7, From: 1<<34 + 1}); got[0] != 0x38a0d4e6 {
			t.Errorf("the known word is %08x", got[0])
		}
		if got := drawn[uint32](t, d, prim.Below(10), 8, prim.Source{Seed: 1}); !slices.Equal(got, []uint32{8, 8, 5, 7, 6, 8, 4, 6}) {
			t.Errorf("the known numbers below 10 are %v", got)
		}
	}
}

func TestThereAreNoNumbersBelowZero(t *testing.T) {
	d := open(t, "cpu")
	for _, err := range []error{second(prim.NewRandom[uint32](ctx, d, prim.Below(0), 10)), second(prim.NewRandom[uint64](ctx, d, prim.Below(0), 10))} {
		if !errors.Is(err, vyre.InvalidArgument) || !strings.Contains(err.Error(), "no numbers below 0") {
			t.Error(err)
		}
	}
}

type quad [4]float32

func TestGatherAndScatterMoveAnyPayload(t *testing.T) {
	for _, name := range devices() {
		d := open(t, name)
		moves[uint8](t, d)
		moves[int16](t, d)
		moves[float32](t, d)
		moves[float64](t, d)
		moves[quad](t, d)
	}
}

// Payloads of other sizes than 1, 2, 4, 8 and 16 bytes are refused by their size, whatever would move them.
func TestPayloadsOfOtherSizesAreRefused(t *testing.T) {
	for _, name := range devices() {
		d := open(t, name)
		odd[[3]uint8](t, d, "3 bytes")
		odd[[3]uint32](t, d, "12 bytes")
		odd[[5]uint8](t, d, "5 bytes")
	}
}

func odd[V vyre.Element](t *testing.T, d vyre.Device, size string) {
	t.Helper()
	for what, err := range map[string]error{
		"Gather":      second(prim.NewGather[V, uint32](ctx, d, 10)),
		"Scatter":     second(prim.NewScatter[V, uint64](ctx, d, 10)),
		"MergePairs":  second(prim.NewMergePairs[uint32, V](ctx, d, 10, prim.MergeOptions{})),
		"SortPairs":   second(prim.NewSortPairs[uint32, V](ctx, d, 10, prim.SortOptions{})),
		"Select":      second(prim.NewSelect[V, uint8](ctx, d, 10)),
		"Partition":   second(prim.NewPartition[V, uint8](ctx, d, 10)),
		"Unique":      second(prim.NewUnique[V](ctx, d, 10)),
		"UniqueByKey": second(prim.NewUniqueByKey[uint8, V](ctx, d, 10)),
		"RunLengths":  second(prim.NewRunLengths[V, uint32](ctx, d, 10)),
		"ReduceByKey": second(prim.NewReduceByKey[V, float32](ctx, d, prim.Sum, 10)),
	} {
		if !errors.Is(err, vyre.Unsupported) || !strings.Contains(err.Error(), size) || !strings.Contains(err.Error(), what+"[") {
			t.Errorf("%s: %s of %s: %v", d.Name(), what, size, err)
		}
	}
}

// moves gathers by a permutation, and scatters back.
func moves[T vyre.Element](t *testing.T, d vyre.Device) {
	t.Helper()
	const n = 1000
	x, order := make([]T, n), make([]uint64, n)
	for i := range vyre.Bytes(x) {
		vyre.Bytes(x)[i] = byte(i * 7 / 3)
	}
	for i := range order {
		order[i] = uint64(i * 617 % n)
	}
	short := make([]uint32, n)
	for i, v := range order {
		short[i] = uint32(v)
	}
	in, by, byShort := must(vyre.Upload(t.Context(), d, x))(t), must(vyre.Upload(t.Context(), d, order))(t), must(vyre.Upload(t.Context(), d, short))(t)
	there, back := must(vyre.Alloc[T](d, n))(t), must(vyre.Alloc[T](d, n))(t)
	gather, scatter := must(prim.NewGather[T, uint64](ctx, d, n))(t), must(prim.NewScatter[T, uint32](ctx, d, n))(t)
	seq := d.NewSequence("moves")
	gather.Record(seq, prim.N(n), in, by, there)
	scatter.Record(seq, prim.N(n), there, byShort, back)
	if _, err := seq.Run(ctx); err != nil {
		t.Fatal(err)
	}
	want := make([]T, n)
	for i := range want {
		want[i] = x[order[i]]
	}
	equalBits(t, "gathered", must(there.Read(ctx))(t), want)
	equalBits(t, "scattered back", must(back.Read(ctx))(t), x)
	closeAll(t, seq, in, by, byShort, there, back, gather, scatter)
}

func TestIndicesOutOfRangeTrapAndWriteNothing(t *testing.T) {
	for _, name := range devices() {
		d := open(t, name)
		x, at, out := must(vyre.Upload(t.Context(), d, []uint32{1, 2, 3}))(t), must(vyre.Upload(t.Context(), d, []uint32{2, 3, 0}))(t), must(vyre.Upload(t.Context(), d, []uint32{7, 7, 7}))(t)
		for _, make := range []func() (*prim.Move[uint32, uint32], error){
			func() (*prim.Move[uint32, uint32], error) { return prim.NewGather[uint32, uint32](ctx, d, 3) },
			func() (*prim.Move[uint32, uint32], error) { return prim.NewScatter[uint32, uint32](ctx, d, 3) },
		} {
			m := must(make())(t)
			seq := d.NewSequence("out of range")
			m.Record(seq, prim.N(3), x, at, out)
			_, err := seq.Run(ctx)
			var trap *vyre.TrapError
			if !errors.As(err, &trap) || trap.Value != 3 || !strings.Contains(err.Error(), "out of range") {
				t.Errorf("an index out of range gives %v", err)
			}
			closeAll(t, seq, m)
		}
		if got := must(out.Read(ctx))(t); got[0]+got[1]+got[2] == 0 {
			t.Errorf("read %v", got)
		}
		closeAll(t, x, at, out)
	}
}

func TestIotaCounts(t *testing.T) {
	for _, name := range devices() {
		d := open(t, name)
		counts(t, d, 250, 3, []uint8{250, 253, 0, 3})
		counts(t, d, -1, -2, []int64{-1, -3, -5})
		counts(t, d, 0.5, math.MaxFloat32, []float32{0.5, math.MaxFloat32, float32(math.Inf(1))})
	}
}

func counts[T vyre.Element](t *testing.T, d vyre.Device, start, step T, want []T) {
	t.Helper()
	c := must(prim.NewIota[T](ctx, d, len(want)))(t)
	out := must(vyre.Alloc[T](d, len(want)))(t)
	seq := d.NewSequence("iota")
	c.Record(seq, prim.N(len(want)), start, step, out)
	if _, err := seq.Run(ctx); err != nil {
		t.Fatal(err)
	}
	equalBits(t, "counted", must(out.Read(ctx))(t), want)
	closeAll(t, seq, out, c)
}
