package vyre_test

import (
	"slices"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/ir/text"
)

// onEach runs a test on the devices that need no hardware.
func onEach(t *testing.T, test func(t *testing.T, d vyre.Device)) {
	for _, name := range []string{"cpu", "cuda-sim"} {
		t.Run(name, func(t *testing.T) {
			d, err := vyre.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			test(t, d)
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func compile(t *testing.T, d vyre.Device, source string) vyre.Kernel {
	t.Helper()
	ps, err := text.Parse("test", "vyre 1\n"+source)
	if err != nil {
		t.Fatal(err)
	}
	k, err := d.Compile(ctx, ps[0], vyre.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

const double = `
kernel @double workgroup(32) {
  param @x: buf<f32> ro
  param @y: buf<f32> wo
  %i = global.x
  %v = load @x[%i]
  %w = add.f32 %v, %v
  store @y[%i], %w
}`

func upload[T vyre.Element](t *testing.T, d vyre.Device, s ...T) *vyre.Buffer[T] {
	t.Helper()
	b, err := vyre.Upload(t.Context(), d, s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestLaunchRefusesElementsOfAnotherType(t *testing.T) {
	onEach(t, func(t *testing.T, d vyre.Device) {
		k := compile(t, d, double)
		ints, floats := upload(t, d, int32(1), 2), upload(t, d, float32(0), 0)
		seq := d.NewSequence("types")
		seq.Launch(k, vyre.Grid{1}, ints.All(), floats.All())
		wantError(t, seq.Prepare(), vyre.InvalidArgument, "x is ro buffer of f32, the argument has elements of int32 (i32)", "as bytes")
		_, err := vyre.Run(ctx, k, vyre.Grid{1}, vyre.In([]int32{1}), vyre.Out(make([]float32, 1)))
		wantError(t, err, vyre.InvalidArgument, "x is ro buffer of f32, the argument has elements of int32 (i32)")
		_, err = vyre.Run(ctx, k, vyre.Grid{1}, vyre.In([]float32{1}), vyre.Out(make([]uint32, 1)))
		wantError(t, err, vyre.InvalidArgument, "y is wo buffer of f32, the argument has elements of uint32 (u32)")
	})
}

func TestSetArgRefusesElementsOfAnotherType(t *testing.T) {
	onEach(t, func(t *testing.T, d vyre.Device) {
		k := compile(t, d, double)
		x, y := upload(t, d, float32(1), 2), upload(t, d, float32(0), 0)
		seq := d.NewSequence("types")
		step := seq.Launch(k, vyre.Grid{1}, x.All(), y.All())
		if _, err := seq.Run(ctx); err != nil {
			t.Fatal(err)
		}
		wantError(t, step.SetArg(0, upload(t, d, uint8(1), 2, 3, 4).All()), vyre.InvalidArgument, "elements of uint8 (u8)")
		if _, err := seq.Run(ctx); err != nil {
			t.Fatal(err)
		}
		if got, err := y.Read(ctx); err != nil || !slices.Equal(got, []float32{2, 4}) {
			t.Errorf("y is %v, %v", got, err)
		}
	})
}

// A call with other types of the same size must not find the sequence kept for the first.
func TestRunChecksTheTypesOfEachCall(t *testing.T) {
	d := open(t)
	k := compile(t, d, double)
	for range 3 {
		if _, err := vyre.Run(ctx, k, vyre.Grid{1}, vyre.In([]float32{1}), vyre.Out(make([]float32, 1))); err != nil {
			t.Fatal(err)
		}
		_, err := vyre.Run(ctx, k, vyre.Grid{1}, vyre.In([]int32{1}), vyre.Out(make([]float32, 1)))
		wantError(t, err, vyre.InvalidArgument, "int32 (i32)")
	}
}

func TestBytesAndViewsPassElementsOfAnotherType(t *testing.T) {
	onEach(t, func(t *testing.T, d vyre.Device) {
		k := compile(t, d, double)
		bits := upload(t, d, uint32(0x3F800000), 0x40000000) // 1 and 2
		vectors, err := vyre.Alloc[[2]float32](d, 1)
		if err != nil {
			t.Fatal(err)
		}
		floats, err := vyre.ViewAs[float32](bits)
		if err != nil || floats.Len() != 2 {
			t.Fatalf("view is %v, %v", floats, err)
		}
		seq := d.NewSequence("bytes")
		step := seq.Launch(k, vyre.Grid{1}, bits.Bytes(), vectors.All())
		for range 2 {
			if _, err := seq.Run(ctx); err != nil {
				t.Fatal(err)
			}
			if got, err := vectors.Read(ctx); err != nil || got[0] != [2]float32{2, 4} {
				t.Errorf("doubled is %v, %v", got, err)
			}
			if err := step.SetArg(0, floats.All()); err != nil {
				t.Fatal(err)
			}
		}
		out := make([]float32, 2)
		if _, err := vyre.Run(ctx, k, vyre.Grid{1}, driver.In(vyre.Bytes([]uint32{0x40400000, 0})), vyre.Out(out)); err != nil || out[0] != 6 {
			t.Errorf("doubled is %v, %v", out, err)
		}
	})
}

func TestCopyRefusesElementsOfAnotherType(t *testing.T) {
	d := open(t)
	ints, floats := upload(t, d, int32(1)), upload(t, d, float32(1))
	seq := d.NewSequence("copy")
	seq.Copy(ints.All(), floats.All())
	wantError(t, seq.Prepare(), vyre.InvalidArgument, "elements of float32 (f32) into a range of int32 (i32)", "as bytes")
	seq = d.NewSequence("copy of bytes")
	seq.Copy(ints.Bytes(), floats.All())
	if _, err := seq.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if got, err := ints.Read(ctx); err != nil || got[0] != 0x3F800000 {
		t.Errorf("bits are %x, %v", got, err)
	}
	seq = d.NewSequence("flag")
	seq.While(floats.All(), 1, func() {})
	wantError(t, seq.Prepare(), vyre.InvalidArgument, "the flag is an element of float32 (f32)")
}

// What no buffer holds.
type (
	named   struct{ Name string }
	linked  struct{ Next *linked }
	counted struct{ N int }
	nested  struct {
		Pos   [3]float32
		Other [2]struct{ Any any }
	}
	empty struct{}
)

func refusesElements[T vyre.Element](t *testing.T, d vyre.Device, k vyre.Kernel, want string) {
	t.Helper()
	_, err := vyre.Alloc[T](d, 1)
	wantError(t, err, vyre.InvalidArgument, want)
	_, err = vyre.Upload(t.Context(), d, make([]T, 2))
	wantError(t, err, vyre.InvalidArgument, want)
	_, err = vyre.Run(ctx, k, vyre.Grid{1}, vyre.In(make([]T, 2)), vyre.Out(make([]float32, 1)))
	wantError(t, err, vyre.InvalidArgument, want)
	_, err = vyre.View[T](upload(t, d, uint64(1)).Memory())
	wantError(t, err, vyre.InvalidArgument, want)
	seq := d.NewSequence("bad")
	seq.Fill(vyre.Scratch[T](seq, 2).All(), 0, 1)
	wantError(t, seq.Prepare(), vyre.InvalidArgument, want)
	if b := vyre.Bytes(make([]T, 2)); b != nil {
		t.Errorf("the bytes of %T are %v", *new(T), b)
	}
}

func TestElementsWithPointersAreRefused(t *testing.T) {
	onEach(t, func(t *testing.T, d vyre.Device) {
		k := compile(t, d, double)
		refusesElements[string](t, d, k, "string has no place in a buffer; use types of fixed size")
		refusesElements[*int32](t, d, k, "*int32 has no place in a buffer")
		refusesElements[any](t, d, k, "interface {} has no place in a buffer")
		refusesElements[named](t, d, k, "vyre_test.named: .Name is of type string, which has no place in a buffer")
		refusesElements[linked](t, d, k, ".Next is of type *vyre_test.linked")
		refusesElements[counted](t, d, k, ".N is of type int, which has no place in a buffer")
		refusesElements[nested](t, d, k, ".Other[].Any is of type interface {}")
		refusesElements[int](t, d, k, "int has no place in a buffer")
		refusesElements[uintptr](t, d, k, "uintptr has no place in a buffer")
		refusesElements[empty](t, d, k, "an element of no bytes")
		refusesElements[[0]float32](t, d, k, "an element of no bytes")
	})
}

const chatter = `
kernel @chatter workgroup(256) {
  param @y: buf<u32> wo
  %i = global.x
  trace %i, #7
  store @y[%i], %i
}`

// However much a kernel has to say, a run keeps what there is room for, and counts the rest.
//
//ci:race !TracesAreBounded
func TestTracesAreBounded(t *testing.T) {
	const said = 400 * 256
	onEach(t, func(t *testing.T, d vyre.Device) {
		k := compile(t, d, chatter)
		y := upload(t, d, make([]uint32, said)...)
		for _, room := range []int{driver.DefaultTraces, 1, 5000, 1 << 20} {
			seq := d.NewSequence("chatter")
			st := seq.Launch(k, vyre.Grid{400}, y.All())
			if room != driver.DefaultTraces {
				if err := st.SetTrace(room); err != nil {
					t.Fatal(err)
				}
			}
			res, err := seq.Run(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if kept := min(room, said); len(res.Traces) != kept || res.TracesDropped != uint64(said-kept) {
				t.Errorf("with room for %d: %d kept, %d dropped", room, len(res.Traces), res.TracesDropped)
			}
			if err := seq.Close(); err != nil {
				t.Error(err)
			}
		}
		for _, room := range []int{0, -1, 1<<20 + 1} {
			seq := d.NewSequence("refused")
			wantError(t, seq.Launch(k, vyre.Grid{400}, y.All()).SetTrace(room), vyre.InvalidArgument, "1 to 1048576 can be had")
			_ = seq.Close()
		}
	})
}

func TestViewsShareTheMemoryOfTheirBuffer(t *testing.T) {
	d := open(t)
	b := upload(t, d, uint16(1), 2, 3, 4, 5)
	v := b.View(1, 4)
	if err := v.Write(ctx, []uint16{7, 8}); err != nil {
		t.Fatal(err)
	}
	if got, err := b.Read(ctx); err != nil || !slices.Equal(got, []uint16{1, 7, 8, 4, 5}) {
		t.Errorf("the buffer is %v, %v", got, err)
	}
	if got, err := v.View(1, 3).Read(ctx); err != nil || !slices.Equal(got, []uint16{8, 4}) {
		t.Errorf("the view of the view is %v, %v", got, err)
	}
	for _, bad := range []*vyre.Buffer[uint16]{v.View(0, 4), v.View(-1, 1), v.View(2, 1), v.View(0, 4).View(0, 0)} {
		seq := d.NewSequence("bad")
		seq.Fill(bad.Bytes(), 0, 2)
		wantError(t, seq.Prepare(), vyre.InvalidArgument, "not inside a buffer of 3")
	}
	_, err := vyre.ViewAs[float64](v)
	wantError(t, err, vyre.InvalidArgument, "6 bytes are no multiple of the 8 bytes of float64")
	_, err = vyre.ViewAs[uint32](v.View(0, 9))
	wantError(t, err, vyre.InvalidArgument, "elements [0:9) are not inside a buffer of 3")
	_, err = vyre.View[uint8](nil)
	wantError(t, err, vyre.InvalidArgument, "the buffer is nil")
}

// body is a record with padding, a nested struct and arrays.
type body struct {
	Alive bool
	Pos   [3]float64
	Spin  struct{ Axis, Rate float32 }
	Half  gpu.Float16
}

func TestBuffersKeepStructs(t *testing.T) {
	d := open(t)
	want := []body{{Alive: true, Pos: [3]float64{1, 2, 3}, Half: gpu.ToFloat16(2)}, {}}
	want[1].Spin.Rate = 5
	got, err := upload(t, d, want...).Read(ctx)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v came back as %v, %v", want, got, err)
	}
	_, err = vyre.Run(ctx, compile(t, d, double), vyre.Grid{1}, vyre.In(want), vyre.Out(make([]float32, 1)))
	wantError(t, err, vyre.InvalidArgument, "x is ro buffer of f32, the argument has elements of vyre_test.body")
}

// particle is {f32, f32[3], u32[2], u8} in 28 bytes, however that is grouped.
type particle struct {
	Mass float32
	Pos  [3]float32
	Cell struct{ Row, Col uint32 }
	Kind uint8
}

const heavier = `
kernel @heavier workgroup(32) {
  param @p: buf<{f32, f32[3], u32[2], u8; 28}> rw
  %i = global.x
  %m = load @p[%i].0
  %n = add.f32 %m, %m
  store @p[%i].0, %n
}`

func TestStructsFitRecordsOfTheirLayout(t *testing.T) {
	onEach(t, func(t *testing.T, d vyre.Device) {
		k := compile(t, d, heavier)
		ps := []particle{{Mass: 1, Kind: 3}, {Mass: 2, Pos: [3]float32{1, 2, 3}}}
		if _, err := vyre.Run(ctx, k, vyre.Grid{1}, vyre.InOut(ps)); err != nil {
			t.Fatal(err)
		}
		if ps[0] != (particle{Mass: 2, Kind: 3}) || ps[1] != (particle{Mass: 4, Pos: [3]float32{1, 2, 3}}) {
			t.Errorf("particles are %v", ps)
		}
		swapped := make([]struct {
			Pos  [3]float32
			Mass uint32
			Cell [2]uint32
			Kind uint16
		}, 1)
		if _, err := vyre.Run(ctx, k, vyre.Grid{1}, vyre.InOut(make([]struct {
			A, B    float32
			C       [2]float32
			D       [2]uint32
			E, F, G uint8
		}, 1))); err == nil {
			t.Error("a struct with more fields was taken")
		}
		for _, bad := range []vyre.Arg{vyre.InOut(swapped), vyre.InOut(make([]float32, 7)), vyre.InOut(make([][7]float32, 1)), vyre.InOut(make([]body, 1))} {
			_, err := vyre.Run(ctx, k, vyre.Grid{1}, bad)
			wantError(t, err, vyre.InvalidArgument, "p is rw buffer of {", "[3]f32 @4", "u8 @24; 28 bytes}, the argument has elements of ")
		}
		seq := d.NewSequence("copy")
		a, b := upload(t, d, ps...), upload(t, d, swapped...)
		seq.Copy(a.All(), b.All())
		wantError(t, seq.Prepare(), vyre.InvalidArgument, "into a range of vyre_test.particle")
	})
}

func TestFieldsPassesAStructScalarByScalar(t *testing.T) {
	type inner struct {
		Half gpu.Float16
		_    int32
		on   bool
	}
	got := vyre.Fields(struct {
		At [2]int8
		In inner
		N  int
	}{[2]int8{-1, 2}, inner{gpu.ToFloat16(1), 9, true}, 5})
	want := []vyre.Arg{driver.I8(-1), driver.I8(2), driver.F16(0x3C00), driver.Bool(true), driver.I64(5)}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	d := open(t)
	seq := d.NewSequence("text")
	seq.Launch(compile(t, d, "kernel @k workgroup(1) {\n  param %a: u32\n}"), vyre.Grid{1}, vyre.Fields("text")...)
	wantError(t, seq.Prepare(), vyre.InvalidArgument, "a is u32, the argument is none")
}
