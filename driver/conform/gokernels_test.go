package conform_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/conform"
	_ "github.com/govyre/vyre/driver/cpu"
	_ "github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/internal/long"
	"github.com/govyre/vyre/kernel"
)

// goSource writes random kernels in Go. They are free of races and of what Go and devices do differently: divisors
// are odd, indices are masked, and barriers and subgroup ops stand where control is uniform.
type goSource struct {
	*rand.Rand
	strings.Builder
	depth, loops int
}

const (
	goHelpers = 4
	goGroup   = 64
	goGroups  = 2
	goInputs  = 64
)

func (g *goSource) line(format string, args ...any) {
	fmt.Fprintf(g, strings.Repeat("\t", g.depth)+format+"\n", args...)
}

func (g *goSource) variable() string { return fmt.Sprintf("v%d", g.IntN(4)) }

// word is an expression of type uint32 without calls.
func (g *goSource) word(fuel int) string {
	if fuel == 0 || g.IntN(4) == 0 {
		leaves := []string{g.variable(), "q.P.A", "q.Q[" + g.variable() + "&1].B[1]", "b.last", fmt.Sprintf("(n&0 + %d)", g.Uint32()>>g.UintN(32)) /* no constant: Go computes with those exactly */, "n", "p.A", "p.B[" + g.variable() + "&1]", "uint32(p.C)",
			"a[" + g.variable() + "&3]", fmt.Sprintf("grid[%d][%s%%3]", g.IntN(2), g.variable()), "view[" + g.variable() + "&7]"}
		return "uint32(" + leaves[g.IntN(len(leaves))] + ")"
	}
	x, y := g.word(fuel-1), g.word(fuel-1)
	switch g.IntN(9) {
	case 0:
		return fmt.Sprintf("(%s / (%s | 1))", x, y)
	case 1:
		return fmt.Sprintf("(%s >> (%s & 63))", x, y)
	case 2:
		return fmt.Sprintf("(%s << (%s & 63))", x, y)
	case 3:
		return fmt.Sprintf("uint32(int32(%s) >> (%s & 31))", x, y)
	case 4:
		return fmt.Sprintf("uint32(uint8(%s) * uint8(%s))", x, y)
	case 5:
		return fmt.Sprintf("larger(%s, %s)", x, y)
	}
	return fmt.Sprintf("(%s %s %s)", x, []string{"+", "-", "*", "&", "|", "^", "&^", "%"}[g.IntN(7)], y)
}

func (g *goSource) condition() string {
	c := fmt.Sprintf("%s %s %s", g.word(1), []string{"<", "<=", "==", "!=", ">"}[g.IntN(5)], g.word(1))
	if g.IntN(4) == 0 {
		c += []string{" && ", " || "}[g.IntN(2)] + "int64(" + g.word(1) + ") > p.C"
	}
	return c
}

// statement writes a statement; uniform tells that all invocations come here.
func (g *goSource) statement(fuel int, uniform bool) {
	block := func(head string, uniform bool) {
		g.line("%s {", head)
		g.depth++
		for range 1 + g.IntN(3) {
			g.statement(fuel-1, uniform)
		}
		g.depth--
	}
	kind := g.IntN(20)
	if fuel == 0 {
		kind = g.IntN(13)
	}
	switch kind {
	case 8:
		g.line("q.Q[%s&1].%s = %s", g.variable(), []string{"A", "B[0]", "B[1]"}[g.IntN(3)], g.word(1))
	case 9:
		at := g.variable() + "&1"
		g.line("%s", []string{"q.P, p = p, q.Q[" + at + "]", "q.Q[" + at + "] = p.turned(" + g.word(1) + ")", "if q.P == q.Q[" + at + "] { v1++ }"}[g.IntN(3)])
	case 10:
		g.line("v0, small, p.C = three(%s, small, int64(%s))", g.word(1), g.word(1))
	case 11:
		g.line("b, v0 = b.put(%s)", g.word(1))
	case 12:
		g.line("for i, w := range %s { %s ^= w + uint32(i) }", []string{"a", "p.B", "grid[0]"}[g.IntN(3)], g.variable())
	case 0:
		g.line("%s, %s = helper%d(%s, %s)", "v0", "v1", g.IntN(goHelpers), g.word(1), g.word(1))
	case 1:
		g.line("p.A, p.C = %s, int64(larger(p.C, int64(%s)))", g.word(2), g.word(1))
	case 2:
		g.line("p.B[%s&1] ^= %s", g.variable(), g.word(1))
	case 3:
		g.line("a[%s&3] = %s", g.variable(), g.word(2))
	case 4:
		g.line("grid[%s&1][%d] += %s", g.variable(), g.IntN(3), g.word(1))
	case 5:
		g.line("view = in[%d:]", g.IntN(goInputs-8))
	case 6:
		g.line("%s = %s", g.variable(), g.word(3))
	case 7:
		g.line("%s ^= %s", g.variable(), g.word(3))
	case 13, 14:
		block("if "+g.condition(), false)
		if g.IntN(2) == 0 {
			block("} else", false)
		}
		g.line("}")
	case 15:
		g.line("switch %s & 3 {", g.word(1))
		for c := range 3 {
			block(fmt.Sprintf("case %d: if true", c), false)
			g.line("}")
		}
		block("default: if true", false)
		g.line("}")
		g.line("}")
	case 16:
		g.loops++
		i := g.loops
		g.line("outer%d:", i)
		g.line("for i%d := range uint32(%d) {", i, 1+g.IntN(4))
		g.depth++
		g.line("v2 += i%d", i)
		g.line("for j%d := uint32(0); j%d < %d; j%d++ {", i, i, 1+g.IntN(3), i)
		g.depth++
		g.line("v3 ^= j%d", i)
		g.line("if %s { continue outer%d }", g.condition(), i)
		g.line("if %s { break outer%d }", g.condition(), i)
		g.depth--
		g.line("}")
		g.statement(fuel-1, false)
		g.depth--
		g.line("}")
	default:
		if !uniform {
			g.line("gpu.AtomicAdd(&sums[%s&3], %s)", g.variable(), g.word(1))
			return
		}
		g.together(fuel)
	}
}

// together writes what all invocations of a group do at once.
func (g *goSource) together(fuel int) {
	v := g.variable()
	switch g.IntN(8) {
	case 0:
		g.line("shared[t.Local().X] = %s", g.word(2))
		g.line("t.Barrier()")
		g.line("%s ^= shared[(t.Local().X+%d)%%%d]", v, g.IntN(goGroup), goGroup)
		g.line("t.Barrier()")
	case 1:
		switch g.IntN(3) {
		case 0:
			g.line("%s ^= t.Ballot(%s)", v, g.condition())
		case 1:
			g.line("if t.%s(%s) { %s++ }", []string{"Any", "All"}[g.IntN(2)], g.condition(), v)
		default:
			g.line("if t.Elect() { %s += 5 }", v)
		}
	case 2:
		switch g.IntN(4) {
		case 0:
			g.line("if t.Barrier%s(%s) { %s++ }", []string{"Any", "All"}[g.IntN(2)], g.condition(), v)
		case 1:
			g.line("%s ^= t.BarrierAdd(%s)", v, g.word(1))
		case 2:
			g.line("p.C ^= int64(t.BarrierAdd64(uint64(%s) << 20))", g.word(1))
		default:
			g.line("%s += gpu.BarrierBroadcast(t, %s)", v, g.word(1))
		}
	case 3, 4:
		op := []string{"Reduce", "Scan", "ExclusiveScan"}[g.IntN(3)] + []string{"Add", "Mul", "Min", "Max", "And", "Or", "Xor"}[g.IntN(7)]
		if g.IntN(2) == 0 {
			g.line("%s ^= gpu.%s(t, %s)", v, op, g.word(1))
		} else {
			g.line("p.C += gpu.%s(t, int64(%s)<<30 ^ p.C)", op, g.word(1))
		}
	case 5:
		x := g.word(1)
		g.line("%s ^= %s", v, []string{
			fmt.Sprintf("gpu.Shuffle(t, %s, %s&31)", x, g.word(1)), fmt.Sprintf("gpu.ShuffleXor(t, %s, %d)", x, g.IntN(32)), fmt.Sprintf("gpu.Match(t, %s&3)", x),
			fmt.Sprintf("gpu.ShuffleUp(t, %s, n&0+%d)", x, g.IntN(32)), fmt.Sprintf("gpu.ShuffleDown(t, %s, %d)", x, g.IntN(32)),
		}[g.IntN(5)])
	case 6:
		g.line("t.Barrier()")
		g.line("gpu.Atomic%s(&shared[%s&%d], %s)", []string{"Add", "Xor", "Or", "And", "Min", "Max"}[g.IntN(6)], v, goGroup-1, g.word(1))
		g.line("t.Barrier()")
		g.line("%s ^= shared[%s&%d]", v, g.variable(), goGroup-1)
		g.line("t.Barrier()")
	default:
		g.loops++
		g.line("for r%d := uint32(0); r%d < n; r%d++ {", g.loops, g.loops, g.loops)
		g.depth++
		g.together(0)
		if fuel > 0 {
			g.statement(fuel-1, true)
		}
		g.depth--
		g.line("}")
	}
}

// file writes a package with one kernel.
func (g *goSource) file() string {
	g.line("package generated\n\nimport \"github.com/govyre/vyre/gpu\"\n")
	g.line("type pair struct {\n\tA uint32\n\tB [2]uint32\n\tC int64\n}\n")
	g.line("func (p pair) turned(x uint32) pair {\n\tp.B[0], p.B[1] = p.B[1], p.A\n\tp.A = x\n\treturn p\n}\n")
	g.line("type nest struct {\n\tP pair\n\tQ [2]pair\n}\n")
	g.line("type box[T uint32 | int64] struct {\n\tlast T\n\tn int\n}\n")
	g.line("func (b box[T]) put(x T) (box[T], T) {\n\told := b.last\n\tif x > old {\n\t\tb.last, b.n = x, b.n+1\n\t}\n\treturn b, old + T(b.n)\n}\n")
	g.line("func three(x uint32, s int16, w int64) (uint32, int16, int64) {\n\ts = s<<1 ^ int16(x)\n\tif s < 0 {\n\t\treturn uint32(s), -s, w >> 3\n\t}\n\treturn x + uint32(uint8(s)), s, w ^ int64(s)\n}\n")
	g.line("func larger[T uint32 | int64](x, y T) T {\n\tif x < y {\n\t\treturn y\n\t}\n\treturn x\n}\n")
	for h := range goHelpers {
		g.line("func helper%d(x, y uint32) (uint32, uint32) {", h)
		g.line("\tif x%%%d == 1 {\n\t\treturn y, x\n\t}", 2+g.IntN(5))
		g.line("\tfor i := range uint32(%d) {\n\t\tif y&i == %d {\n\t\t\treturn i + x, y * %d\n\t\t}\n\t\ty = y>>1 ^ x\n\t}", 1+g.IntN(6), g.IntN(3), g.Uint32())
		g.line("\treturn x ^ %d, y + x\n}\n", g.Uint32())
	}
	g.line("//vyre:kernel workgroup=%d", goGroup)
	g.line("func Kernel(t gpu.Thread, n uint32, in []uint32, sums []uint32, out []uint32) {")
	g.depth++
	g.line("shared := gpu.Shared[uint32](t, %d)", goGroup)
	g.line("v0, v1, v2, v3 := t.Global().X, in[t.Local().X], n, uint32(7)")
	g.line("p := pair{A: v0, C: -3}")
	g.line("var q nest")
	g.line("var b box[uint32]")
	g.line("small := int16(v1)")
	g.line("var a [4]uint32")
	g.line("var grid [2][3]uint32")
	g.line("view := in[%d:]", g.IntN(goInputs-8))
	g.line("shared[t.Local().X] = v1")
	for range 6 + g.IntN(8) {
		g.statement(3, true)
	}
	g.line("out[t.Global().X] = v0 ^ v1*3 ^ v2*5 ^ v3*7 ^ p.A ^ p.B[0] + p.B[1] ^ uint32(p.C) ^ a[v0&3] ^ a[1] ^ grid[v1&1][v2%%3] ^ view[0] ^ uint32(small) ^ uint32(b.n) ^ q.Q[v0&1].A ^ uint32(q.P.C)")
	g.depth--
	g.line("}")
	return g.String()
}

// goNative is a program that runs kernels as Go and prints what each leaves; the lists are imports and calls.
const goNative = `package main

import (
	"fmt"

	"github.com/govyre/vyre/gpu"
%[5]s)

func run(kernel func(gpu.Thread, uint32, []uint32, []uint32, []uint32)) {
	in, sums, out := make([]uint32, %[1]d), make([]uint32, 4), make([]uint32, %[2]d)
	for i := range in {
		in[i] = uint32(i) * 2654435761
	}
	gpu.Run(gpu.Grid{Groups: gpu.Vec3{X: %[3]d, Y: 1, Z: 1}, Group: gpu.Vec3{X: %[4]d, Y: 1, Z: 1}}, func(t gpu.Thread) { kernel(t, 2, in, sums, out) })
	fmt.Println(append(sums, out...))
}

func main() {
%[6]s}
`

// native compiles sources and runs their kernels with gpu.Run; the packages exist only for the build.
func native(t *testing.T, sources []string) []string {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	var imports, calls strings.Builder
	for i, source := range sources {
		texts[fmt.Sprintf("internal/generated/k%d/kernel.go", i)] = source
		fmt.Fprintf(&imports, "\tk%[1]d \"github.com/govyre/vyre/driver/conform/internal/generated/k%[1]d\"\n", i)
		fmt.Fprintf(&calls, "\trun(k%d.Kernel)\n", i)
	}
	texts["internal/generated/native/main.go"] = fmt.Sprintf(goNative, goInputs, goGroup*goGroups, goGroups, goGroup, &imports, &calls)
	replace := map[string]string{}
	for path, text := range texts {
		file := filepath.Join(dir, strings.ReplaceAll(path, "/", "_"))
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(root, path)] = file
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "run", "-overlay", file, "./internal/generated/native").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// goLaunch is the launch that goNative makes of a kernel.
func goLaunch() conform.Launch {
	in := make([]byte, 4*goInputs)
	for i := range uint32(goInputs) {
		binary.LittleEndian.PutUint32(in[4*i:], i*2654435761)
	}
	return conform.Launch{Grid: [3]uint32{goGroups, 1, 1}, Args: []conform.Arg{{Bits: 2}, {Data: in}, {Data: make([]byte, 16)}, {Data: make([]byte, 4*goGroup*goGroups)}}}
}

func TestRandomGoKernelsAgreeWithGo(t *testing.T) {
	first, devices := firstSeed(t), goDevices(t)
	var sources, outcomes []string
	for k := range uint64(long.Count(20, 150, 1000)) {
		seed := first + k
		source := (&goSource{Rand: rand.New(rand.NewPCG(seed, 0x676F))}).file()
		pkg, err := kernel.Parse([]kernel.File{{Name: "kernel.go", Src: []byte(source)}}, kernel.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, source)
		}
		r := &conform.RandomProgram{Case: conform.Case{Program: pkg.Kernels()[0].Program, Launch: goLaunch()}}
		if err := r.Agree(t.Context(), devices...); err != nil {
			t.Errorf("seed %d: %v\n%s", seed, err, source)
		}
		got, err := devices[0].Run(t.Context(), r.Program, r.Launch)
		if err != nil {
			t.Fatal(err)
		}
		var words []uint32
		for _, b := range got.Buffers[2:] {
			for ; len(b) > 0; b = b[4:] {
				words = append(words, binary.LittleEndian.Uint32(b))
			}
		}
		sources, outcomes = append(sources, source), append(outcomes, fmt.Sprint(words))
	}
	if _, err := exec.LookPath("go"); err != nil {
		return // on a machine that only runs tests
	}
	const together = 50 // in one program of Go
	for from := 0; from < len(sources); from += together {
		some := sources[from:min(from+together, len(sources))]
		for i, want := range native(t, some) {
			if got := outcomes[from+i]; got != want {
				t.Errorf("seed %d: devices give\n%s, Go gives\n%s\n%s", first+uint64(from+i), got, want, some[i])
			}
		}
	}
}

// A generator whose kernels hide their work shows nothing: a change of one initial value has to be seen.
func TestRandomGoKernelsShowWhatTheyCompute(t *testing.T) {
	seen := 0
	d := goDevices(t)[0]
	run := func(source string) string {
		pkg, err := kernel.Parse([]kernel.File{{Name: "kernel.go", Src: []byte(source)}}, kernel.Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, source)
		}
		out, err := d.Run(context.Background(), pkg.Kernels()[0].Program, conform.Launch{Grid: [3]uint32{goGroups, 1, 1},
			Args: []conform.Arg{{Bits: 2}, {Data: make([]byte, 4*goInputs)}, {Data: make([]byte, 16)}, {Data: make([]byte, 4*goGroup*goGroups)}}})
		if err != nil {
			t.Fatal(err)
		}
		return string(out.Buffers[3])
	}
	for seed := range uint64(20) {
		source := (&goSource{Rand: rand.New(rand.NewPCG(seed, 1))}).file()
		if run(source) != run(strings.Replace(source, "n, uint32(7)", "n, uint32(8)", 1)) {
			seen++
		}
	}
	if seen < 15 {
		t.Errorf("only %d of 20 kernels show another initial value", seen)
	}
}

// goDevices are the devices that need no GPU.
func goDevices(t *testing.T) (list []conform.Device) {
	for _, name := range []string{"cpu", "cuda-sim"} {
		d, err := driver.Open(name, driver.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		list = append(list, conform.On(d))
	}
	return list
}
