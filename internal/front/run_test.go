package front_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"
	"unsafe"

	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/front/internal/cases"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// launched is a launch of a kernel of package cases.
type launched struct {
	name   string // of the program
	fn     any    // the Go function
	groups gpu.Vec3
	rest   int
	args   []any // slices, which are copied, and scalars
}

const many = 400 // elements; no multiple of a group size

var launches = []launched{
	{name: "Arith8", fn: cases.Arith8, args: []any{pairsOf(allBytes), pairsOf2(allBytes), make([]int32, 1024)}},
	{name: "Arith16", fn: cases.Arith16, args: []any{random[uint16](1, many), random[uint16](2, many), make([]uint32, many)}},
	{name: "Narrow", fn: cases.Narrow, args: []any{random[uint8](3, many), random[int16](4, 256), make([]uint8, many), make([]int64, many)}},
	{name: "Wide", fn: cases.Wide, args: []any{random[int64](5, many), random[int64](6, many), random[uint64](7, many), make([]int64, many)}},
	{name: "Shifts", fn: cases.Shifts, args: []any{random[int32](8, many), counts(many), make([]int64, many)}},
	{name: "Convert", fn: cases.Convert, args: []any{random[int32](9, many), make([]int64, many), make([]float64, many)}},
	{name: "Saturate", fn: cases.Saturate, args: []any{fill(many, func(i int) float32 { return float32(i%29) / 2 }), make([]int64, many)}},

	{name: "Classify", fn: cases.Classify, args: []any{fill(many, func(i int) int32 { return int32(i) - 20 }), make([]int32, many)}},
	{name: "Switches", fn: cases.Switches, args: []any{fill(many, func(i int) int32 { return int32(i) - 20 }), make([]int32, many)}},
	{name: "Loops", fn: cases.Loops, args: []any{random[int32](10, many), make([]int64, many)}},
	{name: "Collatz", fn: cases.Collatz, args: []any{fill(many, func(i int) uint32 { return uint32(i) }), make([]uint32, many)}},
	{name: "ShortCircuit", fn: cases.ShortCircuit, args: []any{fill(many, func(i int) int32 { return int32(i%20) - 10 }), make([]int32, many), make([]int32, many)}},

	{name: "RangeHeads", fn: cases.RangeHeads, args: []any{random[uint32](29, 16), make([]uint32, 16)}},
	{name: "CallsFirst", fn: cases.CallsFirst, args: []any{random[uint32](30, 16), make([]uint32, 16)}},
	{name: "Copies", fn: cases.Copies, args: []any{random[uint32](31, 16), make([]uint32, 16)}},
	{name: "HiddenCopies", fn: cases.HiddenCopies, args: []any{random[uint32](32, 16), make([]uint32, 16)}},
	{name: "RoundArrays", fn: cases.RoundArrays, args: []any{random[uint32](33, 16), make([]uint32, 16)}},
	{name: "Receivers", fn: cases.Receivers, args: []any{random[uint32](35, 16), make([]uint32, 16)}},
	{name: "RecordOrder", fn: cases.RecordOrder, args: []any{random[uint32](34, 16), make([]uint32, 16)}},

	{name: "Complex", fn: cases.Complex, args: []any{complex(1.5, -0.25), complexes(1, many), complexes(2, many), make([]complex128, many), make([]complex64, 2*many),
		make([]cases.Signal, many), make([]uint32, many)}},
	{name: "ExactFloats", fn: cases.ExactFloats, groups: gpu.Vec3{X: 27*27/32 + 1, Y: 1, Z: 1}, args: []any{scales, make([]uint64, 12*27*27)}},
	{name: "LongDivision", fn: cases.LongDivision, args: []any{random[uint64](45, many), make([]uint64, 8*many)}},
	{name: "Quotients", fn: cases.Quotients, groups: gpu.Vec3{X: 1 + 7*7*7*7/32, Y: 1, Z: 1}, args: []any{edgesOfFloats, make([]complex128, 7*7*7*7), make([]complex64, 7*7*7*7)}},

	{name: "Stacked", fn: cases.Stacked, args: []any{random[uint32](47, many), make([]uint32, many)}},
	{name: "Appends", fn: cases.Appends, args: []any{random[uint32](48, many), make([]uint32, many)}},
	{name: "Capacities", fn: cases.Capacities, args: []any{random[uint32](49, many), make([]uint32, many)}},
	{name: "Promoted", fn: cases.Promoted, args: []any{random[uint32](41, many), make([]uint32, many)}},
	{name: "Variadics", fn: cases.Variadics, args: []any{random[uint32](42, many), make([]uint32, many)}},
	{name: "Codes", fn: cases.Codes, args: []any{random[uint32](43, many), make([]uint32, many)}},
	{name: "Cuts", fn: cases.Cuts, args: []any{random[uint32](46, many), make([]uint32, many)}},
	{name: "Shorter", fn: cases.Shorter, args: []any{random[uint32](47, many), make([]uint32, many)}},
	{name: "Parsed", fn: cases.Parsed, args: []any{random[uint32](48, many), make([]uint32, many)}},
	{name: "Varints", fn: cases.Varints, args: []any{random[uint32](83, many), make([]uint32, many)}},
	{name: "Bytes", fn: cases.Bytes, args: []any{random[uint32](44, many), make([]uint32, many)}},
	{name: "Runes", fn: cases.Runes, args: []any{texts(many), make([]uint32, many)}},
	{name: "Searches", fn: cases.Searches, args: []any{random[uint32](45, many), make([]uint32, many)}},
	{name: "MatrixBF16", fn: cases.MatrixBF16, groups: gpu.Vec3{X: 2}, args: matrices(19, 11, 37, brains, brains, singles)},
	{name: "MatrixF16", fn: cases.MatrixF16, groups: gpu.Vec3{X: 2}, args: matrices(19, 11, 37, halves, halves, singles)},
	{name: "MatrixHalf", fn: cases.MatrixHalf, groups: gpu.Vec3{X: 2}, args: matrices(19, 11, 37, halves, halves, halves)},
	{name: "MatrixTF32", fn: cases.MatrixTF32, groups: gpu.Vec3{X: 2}, args: matrices(19, 11, 13, singles, singles, singles)},
	{name: "MatrixF64", fn: cases.MatrixF64, groups: gpu.Vec3{X: 2}, args: matrices(19, 11, 6, doubles, doubles, doubles)},
	{name: "MatrixI8", fn: cases.MatrixI8, groups: gpu.Vec3{X: 2}, args: matrices(19, 11, 37, integers[int8], integers[int8], integers[int32])},
	{name: "MatrixU8", fn: cases.MatrixU8, groups: gpu.Vec3{X: 2}, args: matrices(19, 11, 37, integers[uint8], integers[uint8], integers[uint32])},
	{name: "MatrixB1", fn: cases.MatrixB1, groups: gpu.Vec3{X: 2}, args: matrices(19, 11, 13, integers[uint32], integers[uint32], integers[uint32])},
	{name: "MatrixTiles", fn: cases.MatrixTiles, groups: gpu.Vec3{X: 1}, args: []any{integers[int8](1000, 3), integers[int8](400, 5), make([]int32, 400)}},
	{name: "MatrixBlock44", fn: cases.MatrixBlock44, groups: gpu.Vec3{X: 2, Y: 2}, args: matrices(77, 70, 37, brains, brains, singles)},
	{name: "MatrixBlock24", fn: cases.MatrixBlock24, groups: gpu.Vec3{X: 2, Y: 2}, args: matrices(37, 42, 10, doubles, doubles, doubles)},
	{name: "MatrixBlock48", fn: cases.MatrixBlock48, groups: gpu.Vec3{X: 1}, args: []any{integers[int8](64*64, 3), integers[int8](64*60, 5), make([]int32, 64*64)}},

	{name: "Structs", fn: cases.Structs, args: []any{fill(many, func(i int) float32 { return float32(i)/8 - 9 }), make([]float32, many)}},
	{name: "Arrays", fn: cases.Arrays, args: []any{random[int32](11, many), make([]int64, many)}},
	{name: "Vectors", fn: cases.Vectors, args: []any{vectors(many), pairs16(many), make([][4]float32, many), make([]uint32, many)}},
	{name: "Views", fn: cases.Views, args: []any{random[int32](12, 50), pairs32(25), make([]int64, 70)}},
	{name: "Rows", fn: cases.Rows, args: []any{offsets(many), random[uint32](23, many*3), make([]uint64, many)}},
	{name: "Stack", fn: cases.Stack, args: []any{random[uint32](24, many), make([]uint32, many)}},
	{name: "Quads", fn: cases.Quads, args: []any{quads(many), make([]uint32, many)}},

	{name: "RecordSlices", fn: cases.RecordSlices, args: []any{random[uint32](61, many), make([]uint32, many)}},
	{name: "RowSlices", fn: cases.RowSlices, args: []any{random[uint32](62, many), make([]uint32, many)}},
	{name: "SharedSlices", fn: cases.SharedSlices, args: []any{random[uint32](63, many), make([]uint32, many)}},

	{name: "Particles", fn: cases.Particles, args: []any{float32(0.5), particles(many), make([]float32, many)}},
	{name: "Triples", fn: cases.Triples, args: []any{triples(many), make([][3]float32, many), make([][4]float64, many)}},
	{name: "Buckets", fn: cases.Buckets, args: []any{random[uint32](25, many), cases.MakeBuckets(many), make([][3]int32, many)}},
	{name: "Racks", fn: cases.Racks, args: []any{random[uint32](28, many), cases.MakeRacks(many), make([]float64, many)}},
	{name: "Clouds", fn: cases.Clouds, args: []any{cases.MakeCloud(), [2]int64{-1 << 40, 77}, make([]int64, many)}},
	{name: "Tiles", fn: cases.Tiles, groups: gpu.Vec3{X: 5}, args: []any{particles(150), make([]float32, 155)}},
	{name: "Passed", fn: cases.Passed, args: []any{uint32(7), uint32(19), particles(30), make([]float64, 50)}},

	{name: "Texts", fn: cases.Texts, args: []any{random[uint32](28, many), make([]uint32, many)}},
	{name: "Tables", fn: cases.Tables, args: []any{random[uint32](26, many), make([]float64, many)}},
	{name: "References", fn: cases.References, args: []any{random[uint32](44, many), make([]uint32, many)}},
	{name: "Stacks", fn: cases.Stacks, args: []any{random[uint32](49, many), make([]uint32, many)}},
	{name: "Machine", fn: cases.Machine, args: []any{random[uint32](50, many), make([]uint32, many)}},
	{name: "HelperRows", fn: cases.HelperRows, args: []any{random[uint32](51, many), make([]uint32, many)}},
	{name: "Turns", fn: cases.Turns, args: []any{random[uint32](52, many), make([]uint32, many)}},
	{name: "Guarded", fn: cases.Guarded, args: []any{random[uint32](53, many), make([]uint32, many)}},
	{name: "Filled", fn: cases.Filled, args: []any{random[uint32](54, many), make([]uint32, many)}},
	{name: "Computed", fn: cases.Computed, args: []any{random[uint32](55, many), make([]uint64, many)}},
	{name: "Listed", fn: cases.Listed, args: []any{random[uint32](57, many), make([]uint64, many)}},
	{name: "Lookups", fn: cases.Lookups, args: []any{uint32(65535), append(random[uint32](27, many), 7, 40000, 65535), make([]float64, many+3)}},
	{name: "Draws", fn: cases.Draws, args: []any{uint64(0x123456789ABCDEF0), uint64(1<<40 + 3), make([]uint32, many), make([]float64, many), make([]float32, many)}},

	{name: "Falls", fn: cases.Falls, args: []any{random[uint32](43, many), make([]uint32, many)}},
	{name: "Ranges", fn: cases.Ranges, args: []any{random[uint32](44, many), fill(many, func(i int) cases.Pair { return cases.Pair{A: uint32(i), B: 2} }), make([]uint32, many)}},
	{name: "Fields", fn: cases.Fields, args: []any{random[uint32](41, many), make([]uint64, 2*many)}},
	{name: "Trees", fn: cases.Trees, args: []any{random[int32](42, many), make([]int32, many)}},
	{name: "Nested", fn: cases.Nested, args: []any{random[uint32](36, many), make([]uint32, many/8)}},
	{name: "Moved", fn: cases.Moved, args: []any{fill(many, func(i int) cases.Mover {
		return cases.Mover{Pos: [2]float32{float32(i % 9), 1}, Vel: [2]float32{float32(i%5) - 2, 0.5}}
	}), make([]uint32, 3)}},

	{name: "Closures", fn: cases.Closures, args: []any{random[uint32](51, many), make([]uint32, many)}},
	{name: "Choices", fn: cases.Choices, args: []any{random[uint32](52, many), make([]uint32, many)}},
	{name: "Iterators", fn: cases.Iterators, args: []any{random[uint32](53, many), make([]uint32, many)}},
	{name: "Variables", fn: cases.Variables, args: []any{random[uint32](55, many), make([]uint32, many)}},
	{name: "Library", fn: cases.Library, args: []any{random[uint32](54, many), make([]uint32, many)}},

	{name: "Jumps", fn: cases.Jumps, args: []any{random[uint32](81, many), make([]uint32, many)}},
	{name: "Defers", fn: cases.Defers, args: []any{random[uint32](82, many), make([]uint32, many)}},
	{name: "Strings", fn: cases.Strings, args: []any{random[uint32](71, many), make([]uint32, many)}},
	{name: "TypeSwitches", fn: cases.TypeSwitches, args: []any{random[uint32](72, many), make([]uint32, many)}},
	{name: "FuncArrays", fn: cases.FuncArrays, args: []any{random[uint32](73, many), make([]uint32, many)}},
	{name: "AppendsFirst", fn: cases.AppendsFirst, args: []any{random[uint32](74, many), make([]uint32, many)}},

	{name: "Generic_int8", fn: cases.Generic[int8], args: []any{random[int8](13, many), int8(3), make([]float64, many)}},
	{name: "Generic_int32", fn: cases.Generic[int32], args: []any{random[int32](14, many), int32(-5), make([]float64, many)}},
	{name: "Generic_float32", fn: cases.Generic[float32], args: []any{fill(many, func(i int) float32 { return float32(i)/8 - 9 }), float32(1.5), make([]float64, many)}},
	{name: "Generic_float64", fn: cases.Generic[float64], args: []any{fill(many, func(i int) float64 { return float64(i)/7 - 9 }), 1.5, make([]float64, many)}},
	{name: "Folded", fn: cases.Constants, args: []any{make([]float64, 32)}},

	{name: "Math", fn: cases.Math, args: []any{floats(), make([]float64, len(floats())), make([]uint64, len(floats()))}},
	{name: "Bits", fn: cases.Bits, args: []any{append(random[uint64](15, many), 0, 1, 1<<63, math.MaxUint64), make([]uint64, many+4)}},
	{name: "Accurate_float32", fn: cases.Accurate[float32], args: []any{fill(many, func(i int) float32 { return float32(i)/8 - 9 }), make([]float32, many)}},
	{name: "Accurate_float64", fn: cases.Accurate[float64], args: []any{fill(many, func(i int) float64 { return float64(i)/8 - 9 }), make([]float64, many)}},
	{name: "Integers", fn: cases.Integers, args: []any{random[uint32](16, many), make([]uint64, many)}},
	{name: "Halves", fn: cases.Halves, args: []any{fill(many, func(i int) gpu.Float16 { return gpu.ToFloat16(float32(i)/16 - 5) }), fill(many, func(i int) gpu.BFloat16 { return gpu.ToBFloat16(float32(i)) }), make([]gpu.Float16, many), make([]float32, many)}},

	{name: "Saxpy", fn: cases.Saxpy, args: []any{float32(2.5), fill(many, func(i int) float32 { return float32(i) }), fill(many, func(i int) float32 { return 1 / float32(i+1) })}},
	{name: "Histogram", fn: cases.Histogram, groups: gpu.Vec3{X: 3}, args: []any{random[uint8](17, 5000), make([]uint32, 256)}},
	{name: "Scan", fn: cases.Scan, args: []any{random[int32](18, 256), make([]int32, 256)}},
	{name: "Ids", fn: cases.Ids, groups: gpu.Vec3{X: 3, Y: 2, Z: 2}, args: []any{make([]uint64, 64*12)}},
	{name: "Warps", fn: cases.Warps, groups: gpu.Vec3{X: 3}, args: []any{random[int32](19, 144), make([]int64, 144)}},
	{name: "Votes", fn: cases.Votes, args: []any{fill(256, func(i int) int32 { return int32(i*7%31) - 4 }), make([]uint32, 256)}},
	{name: "Waits", fn: cases.Waits, groups: gpu.Vec3{X: 4}, args: []any{[]uint32{5, 6, 7, 8}, make([]uint32, 4)}},
	{name: "Hinted", fn: cases.Hinted, args: []any{
		fill(32, func(i int) uint32 { return uint32(i) }), fill(32, func(i int) [4]float32 { return [4]float32{float32(i), 1, 2, 3} }),
		fill(32, func(i int) cases.Pair { return cases.Pair{A: uint32(3 * i), B: 1} }), make([]uint32, 8), make([]uint32, 32),
	}},
	{name: "Chained", fn: cases.Chained, groups: gpu.Vec3{X: 4}, args: []any{[]uint32{1, 20, 300, 4000}, make([]uint32, 4), make([]uint32, 4)}},
	{name: "Grids", fn: cases.Grids, groups: gpu.Vec3{X: 4}, args: []any{fill(128, func(i int) uint32 { return uint32(i % 5) }), make([]uint32, 128)}},
	{name: "Firsts", fn: cases.Firsts, groups: gpu.Vec3{X: 5}, args: []any{fill(240, func(i int) uint32 { return uint32(i % 7) }), make([]uint64, 240)}},
	{name: "Extremes", fn: cases.Extremes, groups: gpu.Vec3{X: 3}, args: []any{singles(192, 1), doubles(192, 1), singles(192, 5), doubles(192, 7), make([]float32, 6), make([]float64, 384)}},
	{name: "Atomics", fn: cases.Atomics, groups: gpu.Vec3{X: 4}, args: []any{random[int32](20, 128), random[uint64](21, 128), make([]float32, 128), make([]int64, 128)}},
	{name: "Staged", fn: cases.Staged, args: []any{random[uint16](24, 1500), make([]uint32, many)}},
	{name: "Outside", fn: cases.Outside, args: []any{random[int32](22, 20), fill(many, func(i int) int64 { return int64(i-200) * 3 }), make([]int32, many)}},
	{name: "Rest", fn: cases.Rest, groups: gpu.Vec3{X: 2}, rest: 75, args: []any{make([]uint32, 64)}},
}

// The same function gives the same bits natively, where Go says what it computes, and compiled, in the interpreter
// under every schedule. Nothing in these kernels races, reads undefined memory, or leaves a buffer but on purpose.
func TestKernelsComputeWhatGoComputes(t *testing.T) {
	pkg := loadCases(t)
	covered := make(map[string]bool)
	for _, c := range launches {
		covered[c.name] = true
		t.Run(c.name, func(t *testing.T) {
			k := pkg.Lookup(c.name)
			if k == nil {
				t.Fatal("package cases has no such kernel")
			}
			groups, want := c.natively(k)
			prepared, err := interp.Prepare(k.Program)
			if err != nil {
				t.Fatal(err)
			}
			if reflect.DeepEqual(want, c.args) {
				t.Fatal("the kernel changed nothing")
			}
			for _, o := range []interp.Options{{}, {Schedule: interp.Reversed}, {Schedule: interp.Seeded(7)}, {Detect: interp.Everything}} {
				got := copyArgs(c.args)
				l := launch.Launch{Grid: [3]uint32{groups.X, groups.Y, groups.Z}, Rest: c.rest}
				for i, a := range got {
					l.Args = append(l.Args, argsOf(t, k.Params[i], a)...)
				}
				res, err := prepared.Run(context.Background(), l, o)
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range res.Reports {
					if r.Kind != interp.OutOfBounds || c.name != "Outside" {
						t.Errorf("%v", r)
					}
				}
				for i := range got {
					compareArgs(t, fmt.Sprintf("%v, parameter %s", o.Schedule, k.Params[i].Name), got[i], want[i])
				}
			}
			if t.Failed() {
				t.Logf("the program:\n%s", text.Of(k.Program))
			}
		})
	}
	for _, k := range pkg.Kernels() {
		if !covered[k.Name] {
			t.Errorf("kernel %s of package cases is never launched", k.Name)
		}
	}
}

// natively runs the Go function and returns its grid and what it has made of the arguments.
func (c launched) natively(k *front.Kernel) (groups gpu.Vec3, want []any) {
	size := k.Program.Workgroup()
	groups = c.groups
	if groups.X == 0 {
		groups.X = (uint32(longest(c.args)) + size[0] - 1) / size[0]
	}
	groups.Y, groups.Z = max(groups.Y, 1), max(groups.Z, 1)
	want = copyArgs(c.args)
	grid := gpu.Grid{Groups: groups, Group: gpu.Vec3{X: size[0], Y: size[1], Z: size[2]}, SharedRest: c.rest, Cooperative: k.Program.Traits().Resident}
	gpu.Run(grid, func(th gpu.Thread) {
		in := []reflect.Value{reflect.ValueOf(th)}
		for _, a := range want {
			in = append(in, reflect.ValueOf(a))
		}
		reflect.ValueOf(c.fn).Call(in)
	})
	return groups, want
}

var loadOnce = sync.OnceValues(func() (*front.Package, error) { return front.Load(context.Background(), "internal/cases") })

func loadCases(t testing.TB) *front.Package {
	t.Helper()
	pkg, err := loadOnce()
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

// argsOf makes the arguments of the interpreter for a: one, or one for each scalar of a struct or an array.
func argsOf(t *testing.T, p front.Param, a any) []launch.Arg {
	if p.Parts == nil {
		return []launch.Arg{argOf(t, p, a)}
	}
	var args []launch.Arg
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				if v.Type().Field(i).Name != "_" {
					walk(v.Field(i))
				}
			}
		case reflect.Array:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Complex64, reflect.Complex128:
			for _, half := range []float64{real(v.Complex()), imag(v.Complex())} {
				args = append(args, scalarArg(p.Parts[len(args)].Elem, reflect.ValueOf(half)))
			}
		default:
			args = append(args, scalarArg(p.Parts[len(args)].Elem, v))
		}
	}
	walk(reflect.ValueOf(a))
	if len(args) != len(p.Parts) {
		t.Fatalf("parameter %s has %d parts, %d in Go", p.Name, len(p.Parts), len(args))
	}
	return args
}

// scalarArg is a scalar as a launch takes it: of a narrow integer the value widened.
func scalarArg(e ir.Type, v reflect.Value) launch.Arg {
	switch {
	case v.Kind() == reflect.Bool:
		if v.Bool() {
			return launch.Arg{Bits: 1}
		}
		return launch.Arg{}
	case v.CanInt():
		return launch.Arg{Bits: uint64(v.Int()) & e.Value().Mask()}
	case v.CanUint():
		return launch.Arg{Bits: v.Uint()}
	case e == ir.F32:
		return launch.Arg{Bits: uint64(math.Float32bits(float32(v.Float())))}
	}
	return launch.Arg{Bits: math.Float64bits(v.Float())}
}

// argOf makes an argument of the interpreter that shares the memory of a slice.
func argOf(t *testing.T, p front.Param, a any) launch.Arg {
	v := reflect.ValueOf(a)
	if v.Kind() == reflect.Slice {
		if !p.Buffer {
			t.Fatalf("parameter %s is no buffer", p.Name)
		}
		return launch.Arg{Mem: bytesOf(v)}
	}
	return scalarArg(p.Elem, v)
}

func bytesOf(v reflect.Value) []byte {
	if v.Len() == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(v.UnsafePointer()), v.Len()*int(v.Type().Elem().Size()))
}

func copyArgs(args []any) []any {
	out := make([]any, len(args))
	for i, a := range args {
		out[i] = a
		if v := reflect.ValueOf(a); v.Kind() == reflect.Slice {
			c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(c, v)
			out[i] = c.Interface()
		}
	}
	return out
}

func compareArgs(t *testing.T, what string, got, want any) {
	t.Helper()
	g, w := reflect.ValueOf(got), reflect.ValueOf(want)
	if g.Kind() != reflect.Slice || bytes.Equal(bytesOf(g), bytesOf(w)) {
		return
	}
	for i := range g.Len() {
		a, b := g.Index(i).Interface(), w.Index(i).Interface()
		if fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("%s: element %d is %v, natively %v", what, i, a, b)
			return
		}
	}
}

func longest(args []any) int {
	n := 0
	for _, a := range args {
		if v := reflect.ValueOf(a); v.Kind() == reflect.Slice {
			n = max(n, v.Len())
		}
	}
	return n
}

func random[T int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64](seed uint64, n int) []T {
	r := rand.New(rand.NewPCG(seed, 1))
	return fill(n, func(int) T { return T(r.Uint64() >> (r.Uint64() & 31)) })
}

// scales are floats of all sizes: edges, subnormal ones, and any.
var scales = append([]float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, -1, 0.5, 3, -7.25, 1e300, -math.MaxFloat64,
	math.SmallestNonzeroFloat64, -3e-320, 0x1p-1022, 0x1p-1021, 0x1.fffffffffffffp-1023, 0x1p52, 0x1p53 - 1},
	fill(8, func(i int) float64 { return math.Float64frombits(uint64(i+1) * 0x9E3779B97F4A7C15) })...)

var edgesOfFloats = []float64{0, math.Copysign(0, -1), 1.5, -3, math.Inf(1), math.Inf(-1), math.NaN()}

func complexes(seed uint64, n int) []complex64 {
	r := rand.New(rand.NewPCG(seed, 2))
	return fill(n, func(int) complex64 { return complex(float32(r.IntN(64)-32)/8, float32(r.IntN(64)-32)/8) })
}

func fill[T any](n int, f func(i int) T) []T {
	s := make([]T, n)
	for i := range s {
		s[i] = f(i)
	}
	return s
}

// allBytes has the edges of a byte; pairsOf and pairsOf2 are both sides of all pairs.
var allBytes = fill(32, func(i int) int8 { return int8(i*8 + i%3 - 1) })

func pairsOf(b []int8) []int8  { return fill(len(b)*len(b), func(i int) int8 { return b[i/len(b)] }) }
func pairsOf2(b []int8) []int8 { return fill(len(b)*len(b), func(i int) int8 { return b[i%len(b)] }) }

func counts(n int) []uint32 {
	return fill(n, func(i int) uint32 { return []uint32{0, 1, 7, 8, 15, 31, 32, 33, 63, 64, 65, 1 << 20}[i%12] })
}

func vectors(n int) [][4]float32 {
	return fill(n, func(i int) [4]float32 {
		return [4]float32{float32(i), float32(i) / 2, -float32(i), float32(i * i)}
	})
}

func pairs16(n int) [][2]uint16 {
	return fill(n, func(i int) [2]uint16 { return [2]uint16{uint16(i * 7), uint16(i * 1000)} })
}

func pairs32(n int) [][2]int32 {
	return fill(n, func(i int) [2]int32 { return [2]int32{int32(i * 7 % 11), int32(i * 5 % 13)} })
}

func floats() []float64 {
	edges := []float64{0, math.Copysign(0, -1), 0.5, -0.5, 0.49999999999999994, 1.5, 2.5, -2.5, math.Inf(1), math.Inf(-1), math.NaN(),
		math.MaxFloat64, math.SmallestNonzeroFloat64, 1 << 52, 1<<53 + 1, -1e300, 4503599627370495.5}
	return append(edges, fill(64, func(i int) float64 { return float64(i)/3 - 11 })...)
}

func quads(n int) [][4]uint16 {
	return fill(n, func(i int) [4]uint16 {
		return [4]uint16{uint16(i), uint16(i * 7), uint16(i * 1000), uint16(i * i)}
	})
}

// offsets are those of rows with 0 to 5 entries.
func offsets(n int) []uint32 {
	sum := uint32(0)
	return fill(n+1, func(i int) uint32 {
		s := sum
		sum += uint32(i * 7 % 6)
		return s
	})
}

func particles(n int) []cases.Particle {
	return fill(n, func(i int) cases.Particle {
		x := float32(i) / 4
		p := cases.Particle{Pos: [3]float32{x, -x, x * x}, Vel: [3]float32{1, x, 2 - x}, Kind: uint8(i * 7), Mass: float64(i % 9), Tag: uint16(i * 300), Alive: i%3 == 0}
		p.Near.Index, p.Near.Far = int32(i*5%17), i%2 == 0
		return p
	})
}

func triples(n int) [][3]float32 {
	return fill(n, func(i int) [3]float32 { return [3]float32{float32(i), float32(i) / 2, float32(-i)} })
}

// doubles are n floats, some of them special, in another order for each number.
func doubles(n, order int) []float64 {
	special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), math.SmallestNonzeroFloat64, math.MaxFloat64}
	return fill(n, func(i int) float64 {
		if k := i * order % 19; k < len(special) && (k != 4 || i >= 128) { // a NaN only in the last group: it hides the others
			return special[k]
		}
		return float64(i*order%37) - 18
	})
}

// singles are the same as float32.
func singles(n, order int) []float32 {
	wide := doubles(n, order)
	return fill(n, func(i int) float32 { return float32(wide[i]) })
}

// texts is words whose bytes are likely to be UTF-8, or nearly so.
func texts(n int) []uint32 {
	list := random[uint32](46, n)
	for i := range list {
		switch i % 4 {
		case 0:
			list[i] &= 0x7F7F7F7F
		case 1:
			list[i] = list[i]&0x3F3F3F07 | 0x808080F0
		case 2:
			list[i] = list[i]&0x3F3F0F7F | 0x8080E000
		}
	}
	return list
}

// matrices are the arguments of a product: m×k, n×k with less than it has, and m×n.
func matrices[A, B, C any](m, n, k int, a func(n, order int) []A, b func(n, order int) []B, c func(n, order int) []C) []any {
	return []any{uint32(m), uint32(n), uint32(k), a(m*k, 7), b(n*k-2, 5), c(m*n, 3)}
}

func integers[T int8 | uint8 | int32 | uint32](n, order int) []T { return random[T](uint64(order), n) }

func halves(n, order int) []gpu.Float16 {
	wide := doubles(n, order)
	return fill(n, func(i int) gpu.Float16 { return gpu.ToFloat16(float32(wide[i])) })
}

func brains(n, order int) []gpu.BFloat16 {
	wide := doubles(n, order)
	return fill(n, func(i int) gpu.BFloat16 { return gpu.ToBFloat16(float32(wide[i])) })
}
