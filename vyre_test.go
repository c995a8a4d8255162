package vyre_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/ir/text"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ctx = context.Background()

func open(t *testing.T) vyre.Device {
	t.Helper()
	d, err := vyre.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func wantError(t *testing.T, err error, kind vyre.Kind, texts ...string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Fatalf("got error %v, want one of kind %v", err, kind)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("error does not say %q: %v", text, err)
		}
	}
}

type celsius float32

func TestValueHasTheTypeOfItsArgument(t *testing.T) {
	for _, c := range []struct {
		name string
		got  driver.Scalar
		want driver.Scalar
	}{
		{"bool", vyre.Value(true), driver.Bool(true)},
		{"int8", vyre.Value(int8(-1)), driver.I8(-1)},
		{"uint8", vyre.Value(uint8(255)), driver.U8(255)},
		{"int16", vyre.Value(int16(-2)), driver.I16(-2)},
		{"uint16", vyre.Value(uint16(65535)), driver.U16(65535)},
		{"int32", vyre.Value(int32(-3)), driver.I32(-3)},
		{"uint32", vyre.Value(uint32(1 << 31)), driver.U32(1 << 31)},
		{"int64", vyre.Value(int64(-4)), driver.I64(-4)},
		{"uint64", vyre.Value(uint64(1 << 63)), driver.U64(1 << 63)},
		{"int", vyre.Value(-5), driver.I64(-5)},
		{"uint", vyre.Value(uint(5)), driver.U64(5)},
		{"float32", vyre.Value(float32(1.5)), driver.F32(1.5)},
		{"float64", vyre.Value(2.5), driver.F64(2.5)},
		{"float16", vyre.Value(gpu.ToFloat16(1)), driver.F16(0x3C00)},
		{"bfloat16", vyre.Value(gpu.ToBFloat16(1)), driver.BF16(0x3F80)},
		{"named", vyre.Value(celsius(20)), driver.F32(20)},
	} {
		if c.got != c.want {
			t.Errorf("%s: value is %v, want %v", c.name, c.got, c.want)
		}
	}
}

func roundTrip[T vyre.Element](t *testing.T, d vyre.Device, s ...T) {
	t.Helper()
	b, err := vyre.Upload(t.Context(), d, s)
	if err != nil {
		t.Fatal(err)
	}
	got, err := b.Read(ctx)
	if err != nil || !slices.Equal(got, s) {
		t.Errorf("%v came back as %v, %v", s, got, err)
	}
	if b.Len() != len(s) {
		t.Errorf("%v has length %d", s, b.Len())
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

func TestBuffersKeepEveryElementType(t *testing.T) {
	d := open(t)
	roundTrip(t, d, int8(-1), 2)
	roundTrip(t, d, uint8(1), 255)
	roundTrip(t, d, int16(-1), 2)
	roundTrip(t, d, uint16(1), 65535)
	roundTrip(t, d, int32(-1), math.MinInt32)
	roundTrip(t, d, uint32(1), math.MaxUint32)
	roundTrip(t, d, int64(-1), math.MinInt64)
	roundTrip(t, d, uint64(1), math.MaxUint64)
	roundTrip(t, d, float32(1), float32(math.Inf(1)))
	roundTrip(t, d, 1.0, math.SmallestNonzeroFloat64)
	roundTrip(t, d, true, false, true)
	roundTrip(t, d, gpu.ToFloat16(1), gpu.ToFloat16(2))
	roundTrip(t, d, gpu.ToBFloat16(1), gpu.ToBFloat16(2))
	roundTrip(t, d, celsius(1), 2)
	roundTrip(t, d, [2]float64{1, 2}, [2]float64{3, 4})
	roundTrip(t, d, [4]float32{1, 2, 3, 4}, [4]float32{5, 6, 7, 8})
	roundTrip(t, d, [4]uint8{1, 2, 3, 4})
	roundTrip(t, d, [2]gpu.Float16{gpu.ToFloat16(1), gpu.ToFloat16(2)})
	roundTrip[float32](t, d)
}

func TestBufferReadsAndWritesItsStart(t *testing.T) {
	d := open(t)
	b, err := vyre.Upload(t.Context(), d, []uint32{1, 2, 3, 4})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Write(ctx, []uint32{9, 8}); err != nil {
		t.Fatal(err)
	}
	got := make([]uint32, 3)
	if err := b.ReadInto(ctx, got); err != nil || !slices.Equal(got, []uint32{9, 8, 3}) {
		t.Errorf("read %v, %v", got, err)
	}
	wantError(t, b.Write(ctx, make([]uint32, 5)), vyre.InvalidArgument, "elements [0:5) are not inside a buffer of 4")
	if r := b.Slice(1, 3); r.Off != 4 || r.Len != 8 {
		t.Errorf("elements 1 to 3 are %v", r)
	}
}

func TestBufferRefusesSizesThatCannotBe(t *testing.T) {
	d := open(t)
	_, err := vyre.Alloc[float64](d, -1)
	wantError(t, err, vyre.InvalidArgument, "-1 elements")
	_, err = vyre.Alloc[float64](d, math.MaxInt)
	wantError(t, err, vyre.InvalidArgument)
	raw, err := d.Alloc(7, driver.AllocOptions{Label: "raw"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = vyre.View[uint32](raw)
	wantError(t, err, vyre.InvalidArgument, `"raw"`, "7 bytes are no multiple of the 4 bytes of uint32")
	if v, err := vyre.View[uint8](raw); err != nil || v.Len() != 7 || v.Memory() != raw {
		t.Errorf("view is %v, %v", v, err)
	}
	s := d.NewSequence("s")
	s.Fill(vyre.Scratch[float64](s, math.MaxInt).All(), 0, 1)
	wantError(t, s.Prepare(), vyre.OutOfMemory)
	s = d.NewSequence("s")
	s.Fill(vyre.Scratch[float64](s, -2).All(), 0, 1)
	wantError(t, s.Prepare(), vyre.InvalidArgument, "-16 bytes")
}

// What is no buffer, since making it failed or nobody made it, is refused by name wherever it is used.
func TestNoBufferIsRefusedWhereItIsUsed(t *testing.T) {
	d := open(t)
	const says = "the buffer is nil"
	for name, b := range map[string]*vyre.Buffer[uint32]{"nil": nil, "zero": {}} {
		t.Run(name, func(t *testing.T) {
			for _, r := range []vyre.Range{b.All(), b.Bytes(), b.Slice(0, 4), b.View(1, 2).Bytes()} {
				s := d.NewSequence("s")
				s.Fill(r, 0, 4)
				wantError(t, s.Prepare(), vyre.InvalidArgument, says)
			}
			_, err := b.Read(ctx)
			wantError(t, err, vyre.InvalidArgument, says)
			wantError(t, b.ReadInto(ctx, make([]uint32, 1)), vyre.InvalidArgument, says)
			wantError(t, b.Write(ctx, make([]uint32, 1)), vyre.InvalidArgument, says)
			wantError(t, b.Close(), vyre.InvalidArgument, says)
			_, err = vyre.ViewAs[float32](b)
			wantError(t, err, vyre.InvalidArgument, says)
			_, err = vyre.View[uint32](b.Memory())
			wantError(t, err, vyre.InvalidArgument, says)
			if b.Len() != 0 {
				t.Errorf("it has %d elements", b.Len())
			}
		})
	}
	var none vyre.Device // as Open returns it with an error
	_, err := vyre.Alloc[uint32](none, 1)
	wantError(t, err, vyre.InvalidArgument, "the device is nil")
	_, err = vyre.Upload(ctx, none, []uint32{1})
	wantError(t, err, vyre.InvalidArgument, "the device is nil")
	_, err = vyre.Compile(ctx, none, nil, vyre.CompileOptions{})
	wantError(t, err, vyre.InvalidArgument, "the device is nil")
}

func TestCoverCountsGroupsAxisByAxis(t *testing.T) {
	d := open(t)
	b := build.New("tile", build.Workgroup(16, 8))
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	k, err := d.Compile(ctx, p, vyre.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		items []int
		want  vyre.Grid
	}{
		{"nothing said", nil, vyre.Grid{1, 1, 1}},
		{"a row", []int{17}, vyre.Grid{2, 1, 1}},
		{"exactly", []int{32, 8}, vyre.Grid{2, 1, 1}},
		{"one more", []int{33, 9}, vyre.Grid{3, 2, 1}},
		{"three axes", []int{1, 1, 5}, vyre.Grid{1, 1, 5}},
		{"no items", []int{0, 9}, vyre.EmptyGrid()},
		{"no items on the second axis", []int{9, 0}, vyre.EmptyGrid()},
	} {
		if got := vyre.Cover(k, c.items...); got != c.want {
			t.Errorf("%s: grid is %v, want %v", c.name, got, c.want)
		}
	}
	seq := d.NewSequence("four axes")
	defer seq.Close()
	seq.Launch(k, vyre.Cover(k, 1, 1, 1, 1))
	wantError(t, seq.Prepare(), vyre.InvalidArgument, "more than three axes", "pass the items along x, y and z")
	for _, items := range [][]int{{-5}, {9, -1}, {0, 9, math.MinInt}} {
		_, err := vyre.Run(ctx, k, vyre.Cover(k, items...))
		wantError(t, err, vyre.InvalidArgument, "a negative number of items", "pass 0 to launch nothing")
	}
	var none *launcher
	_, err = vyre.Run(ctx, k, vyre.Cover(nil, 5))
	wantError(t, err, vyre.InvalidArgument, "the grid says nothing")
	_, err = vyre.Run(ctx, k, vyre.Cover(none, 5))
	wantError(t, err, vyre.InvalidArgument, "the grid says nothing")
}

const addBoth = `vyre 1
kernel @both workgroup(32) {
  param @x: buf<u32> rw
  param @y: buf<i32> rw
  %i = global.x
  %v = load @x[%i]
  %a = add.u32 %v, 1_u32
  store @x[%i], %a
  %w = load @y[%i]
  %b = add.i32 %w, 10_i32
  store @y[%i], %b
}`

// TestRunRefusesSlicesThatShareMemory compares with Go, where both parameters are one slice.
func TestRunRefusesSlicesThatShareMemory(t *testing.T) {
	for _, name := range []string{"cpu", "cuda-sim"} {
		t.Run(name, func(t *testing.T) {
			d, err := vyre.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			ps, err := text.Parse("both", addBoth)
			if err != nil {
				t.Fatal(err)
			}
			k, err := d.Compile(ctx, ps[0], vyre.CompileOptions{})
			if err != nil {
				t.Fatal(err)
			}
			x := make([]uint32, 40)
			signed := func(x []uint32) []int32 { return unsafe.Slice((*int32)(unsafe.Pointer(&x[0])), len(x)) }
			for _, y := range [][]int32{signed(x), signed(x[39:]), signed(x[3:11])} {
				_, err := vyre.Run(ctx, launcher{k}, vyre.Grid{1}, vyre.InOut(x), vyre.InOut(y))
				wantError(t, err, vyre.InvalidArgument, "both", "is written and shares host memory with", "pass separate slices, or a copy")
			}
			if slices.Max(x) != 0 {
				t.Errorf("a refused run left %v", x)
			}
			if _, err := vyre.Run(ctx, launcher{k}, vyre.Grid{1}, vyre.InOut(x[:16]), vyre.InOut(signed(x[16:]))); err != nil || x[15] != 1 || x[16] != 10 {
				t.Errorf("a run over two halves leaves %v, %v", x, err)
			}
		})
	}
}

func TestOpenNamesWhatThereIs(t *testing.T) {
	_, err := vyre.Open("abacus")
	wantError(t, err, vyre.Unavailable, `open "abacus"`, "cpu")
	_, err = vyre.Open("cpu:1")
	wantError(t, err, vyre.Unavailable, "one cpu device")
	infos, err := vyre.List() // the error says why a GPU is missing, if one is
	if err != nil && !errors.Is(err, vyre.Unavailable) || !slices.ContainsFunc(infos, func(i vyre.Info) bool { return i.Name == "cpu" }) {
		t.Errorf("list is %v, %v", infos, err)
	}
}

func TestAutoObeysTheEnvironment(t *testing.T) {
	t.Setenv(driver.EnvDevice, "cpu")
	d, err := vyre.Open("auto")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if d.Name() != "cpu" || d.Origin().Name != "cpu" {
		t.Errorf("device is %s, origin %+v", d.Name(), d.Origin())
	}
	t.Setenv(driver.EnvDevice, "abacus")
	_, err = vyre.Open("auto")
	wantError(t, err, vyre.Unavailable, "VYRE_DEVICE=abacus")
}

// launcher is what vyre gen writes around a kernel.
type launcher struct{ vyre.Kernel }

func TestLaunchTakesALauncherForItsKernel(t *testing.T) {
	for _, name := range []string{"cpu", "cuda-sim"} {
		t.Run(name, func(t *testing.T) {
			d, err := vyre.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			ps, err := text.Parse("ones", fillOnes)
			if err != nil {
				t.Fatal(err)
			}
			k, err := d.Compile(ctx, ps[0], vyre.CompileOptions{})
			if err != nil {
				t.Fatal(err)
			}
			ones := launcher{k}
			y, err := vyre.Alloc[uint32](d, 40)
			if err != nil {
				t.Fatal(err)
			}
			seq := d.NewSequence("launcher")
			seq.Launch(ones, vyre.Cover(ones, y.Len()), y.All())
			if _, err := seq.Run(ctx); err != nil {
				t.Fatal(err)
			}
			got, err := y.Read(ctx)
			if err != nil || slices.Contains(got, 0) {
				t.Errorf("a sequence gives %v, %v", got, err)
			}
			host := make([]uint32, 70)
			if _, err := vyre.Run(ctx, ones, vyre.Cover(ones, len(host)), vyre.Out(host)); err != nil || slices.Contains(host, 0) {
				t.Errorf("one run gives %v, %v", host, err)
			}
		})
	}
}

func TestLaunchRefusesALauncherThatWasNotCompiled(t *testing.T) {
	d := open(t)
	seq := d.NewSequence("nothing")
	defer seq.Close()
	seq.Launch(launcher{}, vyre.Cover(launcher{}, 5))
	wantError(t, seq.Prepare(), vyre.InvalidArgument, "launcher holds no kernel", "pass what Compile returned")
	_, err := vyre.Run(ctx, launcher{}, vyre.Cover(launcher{}, 5))
	wantError(t, err, vyre.InvalidArgument, "launcher holds no kernel")
}
