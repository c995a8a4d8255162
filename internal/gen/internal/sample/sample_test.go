package sample

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/govyre/vyre"
	_ "github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/internal/gen/internal/sample/unit"
	"github.com/govyre/vyre/kernel/launchers"
)

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

// compiled takes the results of a Compile function.
func compiled[K vyre.Kernel](k K, err error) func(t *testing.T) K {
	return func(t *testing.T) K {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := k.Close(); err != nil {
				t.Error(err)
			}
		})
		return k
	}
}

// native runs the Go function of a kernel over a grid.
func native(k vyre.Kernel, groups uint32, rest int, kernel func(gpu.Thread)) {
	size := k.Workgroup()
	gpu.Run(gpu.Grid{Groups: gpu.Vec3{X: groups}, Group: gpu.Vec3{X: size[0], Y: size[1], Z: size[2]}, SharedRest: rest}, kernel)
}

func same[T any](t *testing.T, what string, got, want []T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: the device gives %v, the function natively %v", what, got, want)
	}
}

func ok(t *testing.T, _ vyre.Result, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestScalarsArriveWithTheirTypes(t *testing.T) {
	k := compiled(CompileScalars(ctx, open(t)))(t)
	half, bhalf := gpu.ToFloat16(0.5), gpu.ToBFloat16(-3)
	for _, b := range []bool{false, true} {
		got, want := make([]float64, 5), make([]float64, 5)
		res, err := k.Run(ctx, vyre.Grid{1, 1, 1}, b, -128, -32768, -1<<31, -1<<52, -7, 255, 65535, 1<<32-1, 1<<52, 9, 0.25, 1e10, half, bhalf, 77, 2.5, -8, got)
		ok(t, res, err)
		native(k, 1, 0, func(th gpu.Thread) {
			Scalars(th, b, -128, -32768, -1<<31, -1<<52, -7, 255, 65535, 1<<32-1, 1<<52, 9, 0.25, 1e10, half, bhalf, 77, 2.5, -8, want)
		})
		same(t, "sums", got, want)
	}
}

// elements is the data of Elements, in host memory.
type elements struct {
	flags, flagsOut     []bool
	ids, idsOut         []ID
	halves, halvesOut   []gpu.Float16
	lengths, lengthsOut []unit.Metre
	ints, intsOut       []int64
	pairs, pairsOut     [][2]uint16
	points, pointsOut   [][4]float32
}

func newElements(n int) *elements {
	e := &elements{flagsOut: make([]bool, n), idsOut: make([]ID, n), halvesOut: make([]gpu.Float16, n), lengthsOut: make([]unit.Metre, n),
		intsOut: make([]int64, n), pairsOut: make([][2]uint16, n), pointsOut: make([][4]float32, n)}
	for i := range n {
		f := float32(i) / 4
		e.flags = append(e.flags, i%3 == 0)
		e.ids = append(e.ids, ID(i*1000003))
		e.halves = append(e.halves, gpu.ToFloat16(f))
		e.lengths = append(e.lengths, unit.Metre(f))
		e.ints = append(e.ints, int64(i)<<40-5)
		e.pairs = append(e.pairs, [2]uint16{uint16(i), uint16(60000 + i)})
		e.points = append(e.points, [4]float32{f, f + 1, f + 2, f + 3})
	}
	return e
}

// natively computes what the kernel should.
func (e *elements) natively(k vyre.Kernel) {
	ints, intsOut := make([]int, len(e.ints)), make([]int, len(e.ints))
	for i, v := range e.ints {
		ints[i] = int(v)
	}
	native(k, 3, 0, func(th gpu.Thread) {
		Elements(th, e.flags, e.flagsOut, e.ids, e.idsOut, e.halves, e.halvesOut, e.lengths, e.lengthsOut, ints, intsOut, e.pairs, e.pairsOut, e.points, e.pointsOut)
	})
	for i, v := range intsOut {
		e.intsOut[i] = int64(v)
	}
}

func (e *elements) compare(t *testing.T, want *elements) {
	t.Helper()
	same(t, "bool", e.flagsOut, want.flagsOut)
	same(t, "ID", e.idsOut, want.idsOut)
	same(t, "Float16", e.halvesOut, want.halvesOut)
	same(t, "Metre", e.lengthsOut, want.lengthsOut)
	same(t, "int", e.intsOut, want.intsOut)
	same(t, "[2]uint16", e.pairsOut, want.pairsOut)
	same(t, "[4]float32", e.pointsOut, want.pointsOut)
}

func TestRunGivesWhatTheFunctionGives(t *testing.T) {
	k := compiled(CompileElements(ctx, open(t)))(t)
	got, want := newElements(70), newElements(70)
	res, err := k.Run(ctx, vyre.Cover(k, 70), got.flags, got.flagsOut, got.ids, got.idsOut, got.halves, got.halvesOut, got.lengths, got.lengthsOut,
		got.ints, got.intsOut, got.pairs, got.pairsOut, got.points, got.pointsOut)
	ok(t, res, err)
	want.natively(k)
	got.compare(t, want)
}

// uploaded puts a slice on a device for one test.
func uploaded[T vyre.Element](t *testing.T, d vyre.Device, s []T) *vyre.Buffer[T] {
	t.Helper()
	b, err := vyre.Upload(t.Context(), d, s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func read[T vyre.Element](t *testing.T, b *vyre.Buffer[T], into []T) {
	t.Helper()
	if err := b.ReadInto(ctx, into); err != nil {
		t.Fatal(err)
	}
}

func TestLaunchGivesWhatTheFunctionGives(t *testing.T) {
	d := open(t)
	k := compiled(CompileElements(ctx, d))(t)
	got, want := newElements(70), newElements(70)
	flags, ids, halves, lengths := uploaded(t, d, got.flagsOut), uploaded(t, d, got.idsOut), uploaded(t, d, got.halvesOut), uploaded(t, d, got.lengthsOut)
	ints, pairs, points := uploaded(t, d, got.intsOut), uploaded(t, d, got.pairsOut), uploaded(t, d, got.pointsOut)
	seq := d.NewSequence("elements")
	defer seq.Close()
	k.Launch(seq, vyre.Cover(k, 70), uploaded(t, d, got.flags), flags, uploaded(t, d, got.ids), ids, uploaded(t, d, got.halves), halves,
		uploaded(t, d, got.lengths), lengths, uploaded(t, d, got.ints), ints, uploaded(t, d, got.pairs), pairs, uploaded(t, d, got.points), points)
	res, err := seq.Run(ctx)
	ok(t, res, err)
	read(t, flags, got.flagsOut)
	read(t, ids, got.idsOut)
	read(t, halves, got.halvesOut)
	read(t, lengths, got.lengthsOut)
	read(t, ints, got.intsOut)
	read(t, pairs, got.pairsOut)
	read(t, points, got.pointsOut)
	want.natively(k)
	got.compare(t, want)
}

func TestElementsThatAKernelLeavesAloneKeepTheirValues(t *testing.T) {
	k := compiled(CompileEven(ctx, open(t)))(t)
	got, want := []uint32{9, 9, 9, 9, 9}, []uint32{9, 9, 9, 9, 9}
	res, err := k.Run(ctx, vyre.Cover(k, len(got)), got)
	ok(t, res, err)
	native(k, 1, 0, func(th gpu.Thread) { Even(th, want) })
	same(t, "out", got, want)
}

func TestInstancesOfAGenericKernelHaveALauncherEach(t *testing.T) {
	d := open(t)
	grid := vyre.Grid{1, 1, 1}

	f := compiled(CompileScaleFloat32(ctx, d))(t)
	floats := []float32{1, 2.5}
	res, err := f.Run(ctx, grid, 1.5, floats)
	ok(t, res, err)
	same(t, "float32", floats, []float32{1.5, 3.75})

	i := compiled(CompileScaleInt64(ctx, d))(t)
	ints := []int64{1, -1 << 40}
	res, err = i.Run(ctx, grid, 3, ints)
	ok(t, res, err)
	same(t, "int64", ints, []int64{3, -3 << 40})

	n := compiled(CompileScaleID(ctx, d))(t)
	ids := []ID{1, 1 << 31}
	res, err = n.Run(ctx, grid, 2, ids)
	ok(t, res, err)
	same(t, "ID", ids, []ID{2, 0})

	b := compiled(CompileFillBool(ctx, d))(t)
	bools := make([]bool, 3)
	res, err = b.Run(ctx, grid, true, bools)
	ok(t, res, err)
	same(t, "bool", bools, []bool{true, true, true})

	h := compiled(CompileFillFloat16(ctx, d))(t)
	halves := make([]gpu.Float16, 2)
	res, err = h.Run(ctx, grid, gpu.ToFloat16(7), halves)
	ok(t, res, err)
	same(t, "Float16", halves, []gpu.Float16{gpu.ToFloat16(7), gpu.ToFloat16(7)})
}

func TestSharedArrayWithoutLengthGetsItFromTheLaunch(t *testing.T) {
	k := compiled(CompileReverse(ctx, open(t)))(t)
	got := make([]int32, 16)
	for i := range got {
		got[i] = int32(i)
	}
	want := append([]int32(nil), got...)
	res, err := k.Run(ctx, vyre.Grid{2, 1, 1}, got, 8)
	ok(t, res, err)
	native(k, 2, 8, func(th gpu.Thread) { Reverse(th, want) })
	same(t, "x", got, want)
}

func TestParametersMayBeCalledLikeThingsInALauncher(t *testing.T) {
	k := compiled(CompileNames(ctx, open(t)))(t)
	got, want := make([]uint32, 9), make([]uint32, 9)
	res, err := k.Run(ctx, vyre.Grid{2, 1, 1}, 1, 2, 3, 4, 5, 6, 0, []uint32{7}, got)
	ok(t, res, err)
	native(k, 2, 0, func(th gpu.Thread) { Names(th, 1, 2, 3, 4, 5, 6, 0, []uint32{7}, want) })
	same(t, "s", got, want)
}

func TestKernelThatIsNotExportedHasALauncherThatIsNot(t *testing.T) {
	k := compiled(compileHidden(ctx, open(t)))(t)
	got, want := []uint8{1, 2, 255, 0}, []uint8{1, 2, 255, 0}
	res, err := k.Run(ctx, vyre.Grid{1, 1, 1}, got)
	ok(t, res, err)
	native(k, 1, 0, func(th gpu.Thread) { hidden(th, want) })
	same(t, "x", got, want)
}

func TestLaunchersTakeStructs(t *testing.T) {
	for _, name := range []string{"cpu", "cuda-sim"} {
		t.Run(name, func(t *testing.T) {
			d, err := vyre.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			k := compiled(CompileMove(ctx, d))(t)
			step := Step{By: [3]float32{1, 2, 3}, Scale: 0.5, grow: 7}
			got := []Particle{{Mass: 2, Alive: true, Near: [2]ID{1, 2}}, {Mass: 4}, {Pos: [3]float32{5, 6, 7}, Alive: true}}
			want, other := slices.Clone(got), slices.Clone(got)
			points, wantPoints := make([][3]float32, 3), make([][3]float32, 3)
			res, err := k.Run(ctx, vyre.Cover(k, 3), step, got, points)
			ok(t, res, err)
			native(k, 1, 0, func(th gpu.Thread) { Move(th, step, want, wantPoints) })
			same(t, "particles", got, want)
			same(t, "points", points, wantPoints)

			ps := uploaded(t, d, other)
			seq := d.NewSequence("move")
			seq.Launch(k, vyre.Cover(k, 3), append(vyre.Fields(step), ps.All(), uploaded(t, d, points).All())...)
			res, err = seq.Run(ctx)
			ok(t, res, err)
			read(t, ps, other)
			same(t, "particles on the device", other, want)
			if err := seq.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestLaunchersTakeComplexNumbers(t *testing.T) {
	w := Wave{At: 1 - 2i, Gain: [2]complex128{3i, 0.5}}
	grid := gpu.Grid{Groups: gpu.Vec3{X: 1, Y: 1, Z: 1}, Group: gpu.Vec3{X: 32, Y: 1, Z: 1}}
	x, ws := []complex64{1 + 1i, -2, 3i}, []Wave{{At: 7}, {Gain: [2]complex128{1 + 2i}}, {Gain: [2]complex128{-1i, 4}}}
	wantX, wantW := slices.Clone(x), slices.Clone(ws)
	gpu.Run(grid, func(th gpu.Thread) { Turn(th, 2-1i, w, wantX, wantW) })
	d := open(t)
	k := compiled(CompileTurn(ctx, d))(t)
	bx, bw := uploaded(t, d, x), uploaded(t, d, ws)
	seq := d.NewSequence("turn")
	seq.Launch(k, vyre.Grid{1}, append(append(vyre.Fields(2-1i), vyre.Fields(w)...), bx.All(), bw.All())...)
	res, err := seq.Run(ctx)
	ok(t, res, err)
	res, err = k.Run(ctx, vyre.Grid{1}, 2-1i, w, x, ws)
	ok(t, res, err)
	same(t, "numbers", x, wantX)
	same(t, "waves", ws, wantW)
	read(t, bx, x)
	read(t, bw, ws)
	same(t, "numbers on the device", x, wantX)
	same(t, "waves on the device", ws, wantW)
	if err := seq.Close(); err != nil {
		t.Error(err)
	}
}

func TestLaunchTakesViewsOfBuffers(t *testing.T) {
	d := open(t)
	k := compiled(CompileMix(ctx, d))(t)
	pairs := uploaded(t, d, [][2]ID{{1, 2}, {3, 4}, {5, 6}})
	seq := d.NewSequence("part")
	defer seq.Close()
	k.Launch(seq, vyre.Cover(k, 1), pairs.View(1, 2))
	res, err := seq.Run(ctx)
	ok(t, res, err)
	got := make([][2]ID, 3)
	read(t, pairs, got)
	same(t, "pairs", got, [][2]ID{{1, 2}, {4, 3}, {5, 6}})
}

func TestLaunchRefusesABufferThatIsNil(t *testing.T) {
	d := open(t)
	k := compiled(CompileMix(ctx, d))(t)
	seq := d.NewSequence("nil")
	defer seq.Close()
	k.Launch(seq, vyre.Cover(k, 1), nil)
	if err := seq.Prepare(); !errors.Is(err, vyre.InvalidArgument) {
		t.Errorf("got %v", err)
	}
}

func TestCompileWithTakesOptions(t *testing.T) {
	d := open(t)
	k := compiled(CompileMixWith(ctx, d, vyre.CompileOptions{Workgroup: [3]uint32{64, 1, 1}, Label: "wide"}))(t)
	if k.Workgroup() != [3]uint32{64, 1, 1} || k.Label() != "wide" {
		t.Errorf("kernel %s has workgroups of %v", k.Label(), k.Workgroup())
	}
	if _, err := CompileMixWith(ctx, d, vyre.CompileOptions{MaxRegisters: 3}); !errors.Is(err, vyre.InvalidArgument) {
		t.Errorf("got %v", err)
	}
}

func TestLauncherIsAKernelWhereOneIsExpected(t *testing.T) {
	for _, name := range []string{"cpu", "cuda-sim"} {
		t.Run(name, func(t *testing.T) {
			d, err := vyre.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			k := compiled(CompileEven(ctx, d))(t)
			out, err := vyre.Alloc[uint32](d, 40)
			if err != nil {
				t.Fatal(err)
			}
			seq := d.NewSequence("even")
			seq.Fill(out.All(), 1, 4)
			seq.Launch(k, vyre.Cover(k, 40), out.All())
			res, err := seq.Run(ctx)
			ok(t, res, err)
			got := make([]uint32, 40)
			read(t, out, got)
			host := slices.Repeat([]uint32{1}, 40)
			res, err = vyre.Run(ctx, k, vyre.Cover(k, 40), vyre.InOut(host))
			ok(t, res, err)
			same(t, "both ways", got, host)
			if got[38] != 38 || got[39] != 1 {
				t.Errorf("the last are %v", got[38:])
			}
			if err := seq.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestLaunchersAreFresh(t *testing.T) {
	if err := launchers.Check("."); err != nil {
		t.Error(err)
	}
}
