package front_test

import (
	"context"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
	"github.com/govyre/vyre/ir/wire"
)

// compiled compiles one kernel; src is what follows the package clause and the imports.
func compiled(t *testing.T, src string) *front.Kernel {
	t.Helper()
	head := "package kernels\n\nimport \"github.com/govyre/vyre/gpu\"\n"
	if strings.Contains(src, "math.") {
		head += "import \"math\"\n"
	}
	p, err := front.Parse(t.Context(), []front.File{{Name: "k.go", Src: []byte(head + src)}}, front.Options{})
	if err != nil {
		t.Fatalf("%v\nin\n%s", err, src)
	}
	return p.Kernels()[len(p.Kernels())-1]
}

// one compiles the body of a kernel of one invocation and runs it on args, whose slices it changes.
func one(t *testing.T, params, body string, args ...any) *interp.Result {
	t.Helper()
	return launchOne(t, compiled(t, "//vyre:kernel workgroup=1\nfunc K(t gpu.Thread, "+params+") {\n"+body+"\n}\n"), args...)
}

func launchOne(t *testing.T, k *front.Kernel, args ...any) *interp.Result {
	t.Helper()
	prepared, err := interp.Prepare(k.Program)
	if err != nil {
		t.Fatal(err)
	}
	l := launch.Launch{Grid: [3]uint32{1, 1, 1}}
	for i, a := range args {
		l.Args = append(l.Args, argOf(t, k.Params[i], a))
	}
	res, err := prepared.Run(context.Background(), l, interp.Options{Detect: interp.Everything})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range res.Reports {
		if r.Kind == interp.UndefinedRead {
			t.Errorf("%v\n%s", r, text.Of(k.Program))
		}
	}
	return res
}

// Where Go panics or leaves the result open, a kernel has one result.
func TestKernelsDefineWhatGoLeavesOpen(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		name         string
		params, body string
		args         []any
		want         any // what the last argument holds then
	}{
		{"a load out of bounds gives zero", "i int, x []int32, out []int32",
			`out[0] = x[i]; out[1] = x[uint32(i)]; out[2] = x[i+int(out[3])+10]; out[3] = x[i<<40]`,
			[]any{-1, []int32{7, 8}, []int32{1, 1, 1, 1}}, []int32{0, 0, 0, 0}},
		{"a store out of bounds is dropped", "i int, out []int32",
			`out[i] = 9; out[i+4] = 9; out[uint8(i)] = 9; out[int64(i)<<32] = 9; out[1] = 3`,
			[]any{-1, []int32{1, 2, 4}}, []int32{1, 3, 4}},
		{"an atomic out of bounds gives zero", "i uint32, x []uint32, out []uint32",
			`out[0] = gpu.AtomicAdd(&x[i], 5); out[1] = gpu.AtomicAdd(&x[i-2], 5); out[2] = x[0]`,
			[]any{uint32(2), []uint32{7, 8}, []uint32{1, 1, 1}}, []uint32{0, 7, 12}},
		{"a lane beyond the array is out of bounds, whatever lies behind", "i int, k int, x [][2]int32, out [][4]int32",
			`x[i][k] = 9; out[0][k] = 9; out[0][0] = x[0][k]; out[0][1] = x[i+(1<<62)][0]; out[0][2] = x[1<<40][1]; out[1][0] = x[i][-k-1+k]`,
			[]any{0, 2, [][2]int32{{1, 2}, {3, 4}}, [][4]int32{{5, 5, 5, 5}, {6, 6, 6, 6}}}, [][4]int32{{0, 0, 0, 5}, {0, 6, 6, 6}}},
		{"bounds of a slice expression are clamped", "a int, b int32, x []int32, out []int32",
			`out[0] = int32(len(x[a:b]))
			out[1] = int32(len(x[b:a]))
			out[2] = int32(len(x[1:b]))
			v := x[1:3]
			out[3] = int32(len(v[a:b]))
			out[4] = v[1] + v[2] + v[b] + v[a]
			v[2] = 99
			v[a] = 99
			out[5] = x[3]
			out[6] = int32(len(v[uint64(b):][:a]))
			out[7] = int32(len(x[2:][:1]))`,
			[]any{-5, int32(100), []int32{1, 2, 4, 8, 16}, make([]int32, 8)}, []int32{5, 0, 4, 2, 4, 8, 0, 1}},
		{"integer division is total", "x int32, y int8, z uint8, w uint64, out []int64",
			`out[0] = int64(x / (x - x)); out[1] = int64(x % (x - x))
			out[2] = int64(y / int8(x)); out[3] = int64(z / (z - z)); out[4] = int64(uint32(w / (w - w)))
			out[5] = int64(-x / x)
			var m int32 = math.MinInt32
			out[6] = int64(m / x); out[7] = int64(m % x)`,
			[]any{int32(-1), int8(-128), uint8(3), uint64(3), make([]int64, 8)},
			[]int64{0, 0, -128, 255, math.MaxUint32, -1, math.MinInt32, 0}},
		{"a negative shift count shifts everything out", "n int, m int8, x int32, out []int32",
			`out[0] = x << n; out[1] = x >> n; out[2] = x << m; out[3] = x >> m; out[4] = int32(uint32(x) >> n)`,
			[]any{-1, int8(-128), int32(-6), make([]int32, 5)}, []int32{0, -1, 0, -1, 0}},
		{"a float saturates to the range of an integer", "nan, big, low float32, d float64, out []int64",
			`out[0] = int64(int8(big)) + int64(int8(low))*1000 + int64(int8(nan)); out[1] = int64(uint8(big)) + int64(uint8(low))
			out[2] = int64(int16(big)); out[3] = int64(uint16(big)) + int64(uint16(nan)); out[4] = int64(int32(big)); out[5] = int64(uint32(low))
			out[6] = int64(big); out[7] = int64(uint64(d)) + int64(int(d)); out[8] = int64(int8(d))`,
			[]any{nan, inf, float32(-1e9), -1e300, make([]int64, 9)},
			[]int64{127 - 128000, 255, 32767, 65535, math.MaxInt32, 0, math.MaxInt64, math.MinInt64, -128}},
		{"an index of an inner array is checked by itself", "j int, out []int32",
			`var m [3][4]int32
			for r := range 3 {
				for c := range 4 {
					m[r][c] = int32(10*r + c)
				}
			}
			m[0][j] = 99
			m[j-1][1] = 98
			out[0] = m[1][0]; out[1] = m[0][j] + m[j][0] + m[-j][1]; out[2] = m[2][j-4]; out[3] = m[1][j-1]`,
			[]any{4, make([]int32, 4)}, []int32{10, 0, 20, 13}},
		{"an array declared in a loop starts at zero each time", "n int, out []int32",
			`for k := range n {
				var big [40]int32
				var small [4]struct{ a int8; b float32 }
				out[0] += big[k] + int32(small[k].a) + int32(small[k].b)
				big[k+1]++
				small[k+1].a = 5
				small[k+1].b = 6
			}`,
			[]any{3, make([]int32, 1)}, []int32{0}},
		{"min and max let a NaN win, their gpu forms let it lose", "nan float32, out []float32",
			`out[0] = min(nan, 1); out[1] = max(1, nan, 2); out[2] = gpu.Min(nan, 1); out[3] = gpu.Max(2, nan)
			if out[0] != out[0] && out[1] != out[1] { out[0], out[1] = 7, 8 }`,
			[]any{nan, make([]float32, 4)}, []float32{7, 8, 1, 2}},
		{"conversions of a NaN give zero", "nan float64, out []int32",
			`out[0] = int32(nan); out[1] = int32(uint8(nan)); out[2] = int32(int64(nan))`,
			[]any{math.NaN(), []int32{1, 1, 1}}, []int32{0, 0, 0}},
		{"the results of a helper are zero where it panics", "x int32, out []int32",
			`out[0] = positive(x)
			out[1] = 5
			}
			func positive(x int32) int32 {
				if x > 0 {
					return x
				}
				panic("not positive")`,
			[]any{int32(-1), []int32{1, 1}}, []int32{1, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			one(t, c.params, c.body, c.args...)
			if got := c.args[len(c.args)-1]; !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %v, want %v\n%s", got, c.want, c.body)
			}
		})
	}
}

func TestPanicTrapsAndEndsTheInvocation(t *testing.T) {
	out := []int32{0}
	res := one(t, "x int32, out []int32", "if x > 2 {\n panic(\"too \" + \"large\") }\n out[0] = 1", int32(3), out)
	switch {
	case res.Trap == nil:
		t.Fatal("no trap")
	case res.Trap.Code != 1 || res.Trap.Message != "too large" || res.Trap.Pos.Line != 7:
		t.Errorf("trap %+v, want code 1, the text, and line 7", res.Trap)
	}
	if out[0] != 0 {
		t.Error("the invocation went on after a panic")
	}
}

func TestAssertTrapsAndGoesOn(t *testing.T) {
	out := []int32{0}
	res := one(t, "x int32, out []int32", "gpu.Assert(x > 5, \"too small\")\n out[0] = 1", int32(3), out)
	if res.Trap == nil || res.Trap.Code != 2 || res.Trap.Message != "too small" || out[0] != 1 {
		t.Errorf("trap %+v, out %v; want code 2 and the store behind", res.Trap, out)
	}
	if res := one(t, "x int32, out []int32", "gpu.Assert(x > 5, \"too small\")\n out[0] = 1", int32(6), out); res.Trap != nil {
		t.Errorf("trap %+v of an assertion that holds", res.Trap)
	}
	if res := one(t, "x int32, out []int32", "gpu.Assert(x > 5, \"too small\", uint64(x)+4)\n out[0] = 1", int32(3), out); res.Trap == nil || res.Trap.Value != 7 {
		t.Errorf("trap %+v, want value 7", res.Trap)
	}
}

func TestTraceTellsItsTagAndValues(t *testing.T) {
	res := one(t, "x int32, out []int32", "gpu.Trace(t, \"first\")\n gpu.Trace(t, \"second\", uint64(x), 7)\n out[0] = 1", int32(3), []int32{0})
	if len(res.Traces) != 2 || res.Traces[1].Tag != 1 || !slices.Equal(res.Traces[1].Values[:res.Traces[1].Count], []uint64{3, 7}) {
		t.Errorf("traces %+v", res.Traces)
	}
}

// A buffer gets the least right that the reachable code needs.
func TestAccessIsInferredOverHelpers(t *testing.T) {
	k := compiled(t, `
//vyre:kernel workgroup=32
func K(t gpu.Thread, unused, read, atomicRead []int32, written, atomicWritten []int32, both, changed, deadRead, throughView []int32, quads [][4]float32) {
	i := t.Global().X
	written[i] = get(read, i) + gpu.AtomicLoad(&atomicRead[i]) + int32(len(unused))
	gpu.AtomicStore(&atomicWritten[i], 1)
	both[i]++
	gpu.AtomicMax(&changed[i], 3)
	v := throughView[2:]
	put(v[1:], 5)
	quads[i] = [4]float32{}
	deadRead[i] = 1
	return
	written[0] = deadRead[i]
}

func get(x []int32, i uint32) int32 { return x[i] }

func put(x []int32, v int32) { x[0] = v }
`)
	want := map[string]ir.Access{"unused": ir.RO, "read": ir.RO, "atomicRead": ir.RO, "written": ir.WO, "atomicWritten": ir.WO,
		"both": ir.RW, "changed": ir.RW, "deadRead": ir.WO, "throughView": ir.WO, "quads": ir.WO}
	for _, p := range k.Program.Params() {
		if p.Access != want[p.Name] {
			t.Errorf("%s is %v, want %v", p.Name, p.Access, want[p.Name])
		}
	}
}

func TestParametersAreToldAsGoAndAsTheProgramSeesThem(t *testing.T) {
	k := compiled(t, `
type meters float64

type span struct{ from, to meters }

// Doc says what it does.
//
//vyre:kernel workgroup=4x2 big=x long=z name=other
func K(t gpu.Thread, x []uint8, m meters, q [][2]int, _ gpu.BFloat16, spans []span, z []uint8) {
	x[len(x)-1] = uint8(q[1][0]) + uint8(m) + z[len(z)-1]
}
`)
	if k.Name != "other" || k.Func != "K" || k.Doc != "Doc says what it does.\n" || k.Pos.Line != 12 {
		t.Errorf("name %s, func %s, doc %q, line %d", k.Name, k.Func, k.Doc, k.Pos.Line)
	}
	if w := k.Program.Workgroup(); w != [3]uint32{4, 2, 1} {
		t.Errorf("workgroup %v", w)
	}
	want := []front.Param{
		{Name: "x", GoType: "[]uint8", Elem: ir.U8, Lanes: 1, Buffer: true, Big: true},
		{Name: "m", GoType: "meters", Elem: ir.F64, Lanes: 1, First: 1},
		{Name: "q", GoType: "[][2]int", Elem: ir.I64, Lanes: 2, Buffer: true, First: 2},
		{Name: "_", GoType: "gpu.BFloat16", Elem: ir.BF16, Lanes: 1, First: 3},
		{Name: "spans", GoType: "[]span", Lanes: 1, Buffer: true, First: 4},
		{Name: "z", GoType: "[]uint8", Elem: ir.U8, Lanes: 1, Buffer: true, First: 5},
	}
	for i, p := range k.Params {
		p.Type = nil
		if !reflect.DeepEqual(p, want[i]) {
			t.Errorf("parameter %d is %+v, want %+v", i, p, want[i])
		}
	}
	if p := k.Program.Params()[0]; p.MaxLen != 1<<40 {
		t.Errorf("big slice has MaxLen %d", p.MaxLen)
	}
	if params := k.Program.Params(); params[len(params)-1].MaxLen != 1<<32-1 {
		t.Errorf("long slice has MaxLen %d", params[len(params)-1].MaxLen)
	}
}

// The rows of a helper stand at the helper's lines and name the calls that lead there.
func TestPositionsKeepTheChainOfCalls(t *testing.T) {
	k := compiled(t, `
//vyre:kernel workgroup=1
func K(t gpu.Thread, x []float32) {
	x[0] = outer(x[1])
}

func outer(v float32) float32 { return inner(v) + 1 }

func inner(v float32) float32 { return gpu.Sqrt(v) }
`)
	for r := range ir.Row(k.Program.Rows()) {
		if k.Program.Op(r) != ir.OpSqrt {
			continue
		}
		var chain []int
		for p, ok := k.Program.Pos(r), true; ok; {
			chain = append(chain, p.Line)
			if ok = p.Call != nil; ok {
				p = *p.Call
			}
		}
		if !slices.Equal(chain, []int{12, 10, 7}) {
			t.Errorf("chain of lines %v, want 12 in 10 in 7", chain)
		}
		return
	}
	t.Error("no sqrt in the program")
}

// Five compilations give one program, whatever the order in which maps are walked.
func TestCompilingIsDeterministic(t *testing.T) {
	pkg := loadCases(t)
	for range 4 {
		again, err := front.Load(t.Context(), "internal/cases")
		if err != nil {
			t.Fatal(err)
		}
		for i, k := range again.Kernels() {
			if first := pkg.Kernels()[i]; k.Name != first.Name || k.Program.Digest() != first.Program.Digest() || text.Of(k.Program) != text.Of(first.Program) {
				t.Errorf("kernel %s differs from kernel %s of the first compilation", k.Name, first.Name)
			}
		}
	}
}

// The cases of a switch and the links of a chain of ifs do not nest, so their number is not bounded by
// the depth that a program may have.
func TestManyCasesDoNotNest(t *testing.T) {
	var sw, chain strings.Builder
	for i := range 1000 {
		sw.WriteString("case " + strconv.Itoa(i) + ":\n y += " + strconv.Itoa(i*i%97) + "\n")
		chain.WriteString("if x == " + strconv.Itoa(i) + " {\n y += " + strconv.Itoa(i*i%89) + "\n} else ")
	}
	out := []int32{0}
	one(t, "x int32, out []int32", "y := int32(0)\nswitch x {\n"+sw.String()+"}\n"+chain.String()+"{ y = -1 }\nout[0] = y", int32(777), out)
	if want := int32(777*777%97 + 777*777%89); out[0] != want {
		t.Errorf("got %d, want %d", out[0], want)
	}
}

// Local memory is bounded, so helpers that run one after the other share it.
func TestHelpersShareLocalMemory(t *testing.T) {
	src := `
//vyre:kernel workgroup=1
func K(t gpu.Thread, x []int32) {
	s := int32(0)
	for i := range x {
		s += work(int32(i)) + work(s)*2
	}
	x[0] = s + work(3)
}

func work(n int32) int32 {
	var a [1000]int32
	a[n&7] = n + 1
	return a[n&3] + inner(n)
}

func inner(n int32) int32 {
	var b [1000]int32
	b[n&7] = 5
	return b[1]
}
`
	k := compiled(t, src)
	if n := len(k.Program.Arrays()); n != 2 {
		t.Errorf("%d local arrays, want 2", n)
	}
	x := []int32{0, 0, 0}
	launchOne(t, k, x)
	work := func(n int32) int32 {
		s := int32(0)
		if n&7 == n&3 {
			s = n + 1
		}
		if n&7 == 1 {
			s += 5
		}
		return s
	}
	s := int32(0)
	for i := range int32(3) {
		s += work(i) + work(s)*2
	}
	if want := s + work(3); x[0] != want {
		t.Errorf("got %d, want %d", x[0], want)
	}
}

func TestEveryFunctionOfPackageGPUIsKnown(t *testing.T) {
	if missing := front.UnknownToTables(); len(missing) > 0 {
		t.Errorf("the compiler does not know gpu.%s", strings.Join(missing, ", gpu."))
	}
}

// What the compiler writes can be printed, read back and sent.
func TestCompiledProgramsSurviveTheirTextAndWireForms(t *testing.T) {
	odd := compiled(t, `
//vyre:kernel workgroup=32
func Größe(t gpu.Thread, σ []float32, _, _ int32) {
	π := σ[0]
	σ[1] = π + gpu.Shared[float32](t, 3)[π2()]
}

func π2() int { return 2 }
`)
	for _, k := range append(loadCases(t).Kernels(), odd) {
		back, err := text.Parse(k.Name, text.Of(k.Program))
		if err != nil || back[0].Digest() != k.Program.Digest() {
			t.Errorf("%s: text: %v\n%s", k.Name, err, text.Of(k.Program))
			continue
		}
		encoded, err := wire.Encode(k.Program)
		if err != nil {
			t.Errorf("%s: encode: %v", k.Name, err)
			continue
		}
		if back, _, err := wire.Decode(encoded); err != nil || back.Digest() != k.Program.Digest() {
			t.Errorf("%s: decode: %v", k.Name, err)
		}
	}
}

func TestAppendBeyondTheArrayIsAFailedAssertion(t *testing.T) {
	for _, body := range []string{
		"s := make([]int32, 2, 4)\n for range x {\n s = append(s, x) }\n out[0] = int32(len(s)) + s[3]",
		"var a [4]int32\n s := append(a[:1], a[:]...)\n out[0] = int32(len(s)) + 3",
		"var a [4]int32\n s := append(a[:3], 1, 2)\n out[0] = int32(len(s)*2) - s[3]",
	} {
		out := []int32{0}
		if res := one(t, "x int32, out []int32", body, int32(3), out); res.Trap == nil || res.Trap.Code != 2 || res.Trap.Value != 5 || out[0] != 7 {
			t.Errorf("%s: trap %+v, out %v; want code 2, the length 5, and 7", body, res.Trap, out)
		}
		out[0] = 0
		if res := one(t, "x int32, out []int32", body, int32(2), out); strings.Contains(body, "range x") && res.Trap != nil {
			t.Errorf("%s: trap %+v of one that has room", body, res.Trap)
		}
	}
}
