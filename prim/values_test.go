package prim_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/kernel"
	"github.com/govyre/vyre/prim"
)

// The class of these tests: a record's memory is not its value. Bytes between fields, behind the last one, and of blank fields hold
// anything, and no primitive may find records different that Go's == finds equal. The search goes over the shapes that a
// layout can have, and over all primitives that compare elements.

// recordShape is a type of records, and a test for each primitive that compares elements, over it.
type recordShape struct {
	name  string
	tests []func(t *testing.T, d vyre.Device, n int)
}

type inner struct {
	A uint8
	B uint16
}

type flagged3 struct {
	A bool
	B [2]bool
	C uint32
}

func shapesOfRecords() []recordShape {
	return []recordShape{
		shape("byte, word", func(k uint8) struct {
			A uint8
			B uint32
		} {
			return struct {
				A uint8
				B uint32
			}{k, 7}
		}),
		shape("at the end", func(k uint8) struct {
			A uint32
			B uint8
		} {
			return struct {
				A uint32
				B uint8
			}{9, k}
		}),
		shape("blank in two bytes", func(k uint8) struct{ A, _ uint8 } { return struct{ A, _ uint8 }{A: k} }),
		shape("blank in eight", func(k uint8) struct {
			A uint16
			_ [3]uint16
		} {
			return struct {
				A uint16
				_ [3]uint16
			}{A: uint16(k)}
		}),
		shape("nothing but blanks", func(uint8) struct{ _ uint32 } { return struct{ _ uint32 }{} }),
		shape("blank record", func(k uint8) struct {
			A uint32
			_ inner
		} {
			return struct {
				A uint32
				_ inner
			}{A: uint32(k)}
		}),
		shape("both sides", func(k uint8) struct {
			A uint8
			B uint64
		} {
			return struct {
				A uint8
				B uint64
			}{1, uint64(k) << 40}
		}),
		shape("nested", func(k uint8) struct {
			A inner
			B uint32
		} {
			return struct {
				A inner
				B uint32
			}{inner{k, 3}, 5}
		}),
		shape("array of records", func(k uint8) [2]inner { return [2]inner{{1, 2}, {k, 4}} }),
		shape("array of four records", func(k uint8) [4]inner { return [4]inner{{}, {}, {}, {k, 1}} }),
		shape("array in a record", func(k uint8) struct {
			A [3]uint8
			B uint32
			C [5]uint8
		} {
			return struct {
				A [3]uint8
				B uint32
				C [5]uint8
			}{[3]uint8{0, k, 1}, 1, [5]uint8{4: k}}
		}),
		shape("bools", func(k uint8) flagged3 {
			return flagged3{k&1 != 0, [2]bool{false, k&2 != 0}, uint32(k >> 2)}
		}),
		shape("halves", func(k uint8) struct {
			A uint8
			B gpu.Float16
			C uint64
		} {
			return struct {
				A uint8
				B gpu.Float16
				C uint64
			}{k, gpu.Float16FromBits(0x3c00), 1}
		}),
		shape("floats", func(k uint8) struct {
			A float32
			B float64
		} {
			return struct {
				A float32
				B float64
			}{float32(k), 1}
		}),
		shape("no gaps", func(k uint8) struct{ A, B uint32 } { return struct{ A, B uint32 }{1, uint32(k)} }),
	}
}

// shape tests all primitives over records that of makes of few numbers.
func shape[T vyre.Element](name string, of func(k uint8) T) recordShape {
	s := recordShape{name: name}
	for _, test := range []func(t *testing.T, d vyre.Device, x, want []T, lengths []uint32){
		uniqueOfRecords[T], uniqueByRecords[T], lengthsOfRecords[T, uint32], lengthsOfRecords[T, uint64],
		reduceByRecords[T, uint32], reduceByRecords[T, uint64], reduceByRecords[T, float32],
	} {
		s.tests = append(s.tests, func(t *testing.T, d vyre.Device, n int) {
			x := dirty(n, of)
			var want []T
			var lengths []uint32
			for i, v := range x {
				if i == 0 || v != x[i-1] {
					want, lengths = append(want, v), append(lengths, 0)
				}
				lengths[len(lengths)-1]++
			}
			test(t, d, x, want, lengths)
		})
	}
	return s
}

// dirty are n records in runs of equal neighbours, with junk in all bytes that belong to no field.
func dirty[T vyre.Element](n int, of func(k uint8) T) []T {
	rng := rand.New(rand.NewPCG(uint64(n), 3))
	x := make([]T, n)
	k := uint8(0)
	for i := range x {
		if rng.IntN(4) == 0 {
			k = uint8(rng.IntN(5))
		}
		v := of(k)
		x[i] = v
		b := vyre.Bytes(x[i : i+1])
		for at := range b { // a byte that may be anything is one that no value of it makes the record another
			was, free := b[at], true
			for _, bit := range []byte{1, 2, 128} {
				if b[at] = was ^ bit; x[i] != v {
					free = false
				}
			}
			b[at] = was
			if free {
				b[at] = byte(rng.Uint32())
			}
		}
	}
	return x
}

// foundOf are the first elements of a buffer, as many as a count says.
func foundOf[T vyre.Element](t *testing.T, b *vyre.Buffer[T], count *vyre.Buffer[uint32]) []T {
	t.Helper()
	n := must(count.Read(ctx))(t)[0]
	return must(b.View(0, int(n)).Read(ctx))(t)
}

// runOf runs what record appends, and closes the primitive.
func runOf(t *testing.T, d vyre.Device, p interface{ Close() error }, record func(seq *vyre.Sequence)) {
	t.Helper()
	seq := d.NewSequence(t.Name())
	record(seq)
	run(t, seq)
	closeAll(t, seq, p)
}

func expect[T vyre.Element](t *testing.T, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s of %T: %d found, want %d", what, want, len(got), len(want))
	}
	for i := range got { // zeros between the fields
		var zero T
		if zero != got[i] {
			continue
		}
		if slices.ContainsFunc(vyre.Bytes(got[i:i+1]), func(b byte) bool { return b != 0 }) {
			t.Errorf("%s of %T: element %d has junk between its fields", what, want, i)
		}
	}
}

func uniqueOfRecords[T vyre.Element](t *testing.T, d vyre.Device, x, want []T, _ []uint32) {
	t.Helper()
	p := must(prim.NewUnique[T](ctx, d, len(x)))(t)
	in, out, count := must(vyre.Upload(ctx, d, x))(t), must(vyre.Alloc[T](d, len(x)))(t), must(vyre.Alloc[uint32](d, 1))(t)
	runOf(t, d, p, func(seq *vyre.Sequence) { p.Record(seq, prim.N(len(x)), in, out, count) })
	expect(t, "Unique", foundOf(t, out, count), want)
	closeAll(t, in, out, count)
}

func uniqueByRecords[T vyre.Element](t *testing.T, d vyre.Device, x, want []T, _ []uint32) {
	t.Helper()
	p := must(prim.NewUniqueByKey[T, uint32](ctx, d, len(x)))(t)
	in, out, count := must(vyre.Upload(ctx, d, x))(t), must(vyre.Alloc[T](d, len(x)))(t), must(vyre.Alloc[uint32](d, 1))(t)
	values, kept := must(vyre.Upload(ctx, d, words(len(x))))(t), must(vyre.Alloc[uint32](d, len(x)))(t)
	runOf(t, d, p, func(seq *vyre.Sequence) { p.Record(seq, prim.N(len(x)), in, values, out, kept, count) })
	expect(t, "UniqueByKey", foundOf(t, out, count), want)
	if w := words(1); foundOf(t, kept, count)[0] != w[0] {
		t.Errorf("UniqueByKey of %T keeps another first value", want)
	}
	closeAll(t, in, out, count, values, kept)
}

func lengthsOfRecords[T vyre.Element, C uint32 | uint64](t *testing.T, d vyre.Device, x, want []T, lengths []uint32) {
	t.Helper()
	p := must(prim.NewRunLengths[T, C](ctx, d, len(x)))(t)
	in, out, count := must(vyre.Upload(ctx, d, x))(t), must(vyre.Alloc[T](d, len(x)))(t), must(vyre.Alloc[uint32](d, 1))(t)
	long := must(vyre.Alloc[C](d, len(x)))(t)
	runOf(t, d, p, func(seq *vyre.Sequence) { p.Record(seq, prim.N(len(x)), in, out, long, count) })
	expect(t, "RunLengths", foundOf(t, out, count), want)
	if got := foundOf(t, long, count); !slices.EqualFunc(got, lengths, func(a C, b uint32) bool { return uint64(a) == uint64(b) }) {
		t.Errorf("RunLengths of %T: other lengths", want)
	}
	closeAll(t, in, out, count, long)
}

func reduceByRecords[T vyre.Element, V uint32 | uint64 | float32](t *testing.T, d vyre.Device, x, want []T, lengths []uint32) {
	t.Helper()
	p := must(prim.NewReduceByKey[T, V](ctx, d, prim.Sum, len(x)))(t)
	in, out, count := must(vyre.Upload(ctx, d, x))(t), must(vyre.Alloc[T](d, len(x)))(t), must(vyre.Alloc[uint32](d, 1))(t)
	values, sums := must(vyre.Upload(ctx, d, slices.Repeat([]V{1}, len(x))))(t), must(vyre.Alloc[V](d, len(x)))(t)
	runOf(t, d, p, func(seq *vyre.Sequence) { p.Record(seq, prim.N(len(x)), in, values, out, sums, count) })
	expect(t, "ReduceByKey", foundOf(t, out, count), want)
	if got := foundOf(t, sums, count); !slices.EqualFunc(got, lengths, func(a V, b uint32) bool { return a == V(b) }) {
		t.Errorf("ReduceByKey of %T: other sums", want)
	}
	closeAll(t, in, out, count, values, sums)
}

func TestRecordsAreEqualIfTheirFieldsAre(t *testing.T) {
	list := []vyre.Device{interpreted(t)}
	for _, name := range devices() {
		list = append(list, open(t, name))
	}
	type pair struct{ shape, test, device int }
	shapes := shapesOfRecords()
	var all []pair
	for i, s := range shapes {
		for k := range s.tests {
			for d := range list {
				all = append(all, pair{i, k, d})
			}
		}
	}
	all = some(t, all, 4, len(all), 31)
	for _, c := range all {
		t.Run(fmt.Sprint(shapes[c.shape].name, " ", c.test, " ", list[c.device].Name()), func(t *testing.T) {
			shapes[c.shape].tests[c.test](t, list[c.device], 100)
		})
	}
}

// interpreted is device cpu without machine code.
func interpreted(t *testing.T) vyre.Device {
	d := must(cpu.Open(cpu.Options{Engine: cpu.Interp}))(t)
	t.Cleanup(func() { d.Close() })
	return d
}

// A copy of records does everything that a primitive without one does: lengths on the device, setters, graphs, grids.
func TestRecordsWithPaddingInAllForms(t *testing.T) {
	type two struct {
		A uint8
		B uint32
	}
	d := open(t, "cpu")
	const n = 5000
	p := must(prim.NewUnique[two](ctx, d, n))(t)
	x := dirty(n, func(k uint8) two { return two{k, 1} })
	in, out := must(vyre.Upload(ctx, d, x))(t), must(vyre.Alloc[two](d, n))(t)
	count := must(vyre.Alloc[uint32](d, 1))(t)
	s := &subject{d: d, max: n, record: func(seq *vyre.Sequence, l prim.Length) *prim.Step {
		return p.Record(seq, l, in, out, count)
	}}
	other := slices.Repeat([]two{{9, 9}}, n)
	s.begin = func(t *testing.T) {
		if err := out.Write(ctx, other); err != nil {
			t.Fatal(err)
		}
	}
	s.check = func(t *testing.T, n int) {
		t.Helper()
		want := slices.Compact(slices.Clone(x[:n]))
		if got := must(count.Read(ctx))(t)[0]; int(got) != len(want) {
			t.Fatalf("count %d, want %d", got, len(want))
		}
		got := must(out.Read(ctx))(t)
		if !slices.Equal(got, append(want, other[len(want):]...)) {
			t.Error("other records than the first of their runs")
		}
		for i := range want {
			if b := vyre.Bytes(got[i : i+1]); b[1]|b[2]|b[3] != 0 {
				t.Fatalf("record %d has junk between its fields", i)
			}
		}
	}
	s.exercise(t)
	closeAll(t, p, in, out, count)
}

func TestRecordsWithPaddingAreNotComparedInPlace(t *testing.T) {
	type two struct {
		A uint8
		B uint32
	}
	d := open(t, "cpu")
	p := must(prim.NewUnique[two](ctx, d, 8))(t)
	x, count := must(vyre.Alloc[two](d, 8))(t), must(vyre.Alloc[uint32](d, 1))(t)
	seq := d.NewSequence("in place")
	p.Record(seq, prim.N(8), x, x, count)
	if _, err := seq.Run(ctx); err == nil || !strings.Contains(err.Error(), "shares bytes") {
		t.Errorf("a Unique into its own elements gives %v", err)
	}
	closeAll(t, seq, p, x, count)
}

// An operator on records gives what it gives, whatever lies between the fields.
func TestOperatorChecksLeaveOutPadding(t *testing.T) {
	if err := prim.CheckReduceOperator[padded](later{}, padded{1, 2}, padded{3, 1}, padded{2, 2}); err != nil {
		t.Error(err)
	}
}

type padded struct {
	A uint8
	B uint64
}

// later is a maximum that leaves junk between fields.
type later struct{}

var junk byte

func (later) Apply(a, b padded) padded {
	x := []padded{{max(a.A, b.A), max(a.B, b.B)}}
	junk++
	copy(vyre.Bytes(x)[1:8], []byte{junk, 1, 2, 3})
	return x[0]
}

func (later) Identity() padded { return padded{} }

// A kernel stores records into memory that held something else: what it stores equal is found equal.
func TestRecordsOfAKernelInUsedMemory(t *testing.T) {
	type two struct {
		A uint8
		B uint32
	}
	const source = `package p
import "github.com/govyre/vyre/gpu"
type two struct { A uint8; B uint32 }
//vyre:kernel workgroup=32
func Fill(t gpu.Thread, x []two) {
	if i := t.Global().X; i < uint32(len(x)) {
		x[i].A, x[i].B = 1, i/4
	}
}
`
	const n = 64
	p := must(kernel.Program(source, "Fill"))(t)
	for _, name := range devices() {
		d := open(t, name)
		k, unique := must(d.Compile(ctx, p, vyre.CompileOptions{}))(t), must(prim.NewUnique[two](ctx, d, n))(t)
		x, out, count := must(vyre.Alloc[two](d, n))(t), must(vyre.Alloc[two](d, n))(t), must(vyre.Alloc[uint32](d, 1))(t)
		if err := must(vyre.ViewAs[uint32](x))(t).Write(ctx, words(2*n)); err != nil {
			t.Fatal(err)
		}
		runOf(t, d, unique, func(seq *vyre.Sequence) {
			seq.Launch(k, vyre.Cover(k, n), x.All())
			unique.Record(seq, prim.N(n), x, out, count)
		})
		if got := must(count.Read(ctx))(t)[0]; got != n/4 {
			t.Errorf("%s: %d runs, want %d", name, got, n/4)
		}
		closeAll(t, k, x, out, count)
	}
}
