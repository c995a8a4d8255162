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
		leaves := []string{g.variable(), fmt.Sprintf("(n&0 + %d)", g.Uint32()>>g.UintN(32)) /* no constant: Go computes with those exactly */, "n", "p.A", "p.B[" + g.variable() + "&1]", "uint32(p.C)",
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
	kind := g.IntN(15)
	if fuel == 0 {
		kind = g.IntN(8)
	}
	switch kind {
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
	case 6, 7:
		g.line("%s = %s", g.variable(), g.word(3))
	case 8, 9:
		block("if "+g.condition(), false)
		if g.IntN(2) == 0 {
			block("} else", false)
		}
		g.line("}")
	case 10:
		g.line("switch %s & 3 {", g.word(1))
		for c := range 3 {
			block(fmt.Sprintf("case %d: if true", c), false)
			g.line("}")
		}
		block("default: if true", false)
		g.line("}")
		g.line("}")
	case 11:
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
	switch g.IntN(4) {
	case 0:
		g.line("shared[t.Local().X] = %s", g.word(2))
		g.line("t.Barrier()")
		g.line("%s = shared[(t.Local().X+%d)%%%d]", g.variable(), g.IntN(goGroup), goGroup)
		g.line("t.Barrier()")
	case 1:
		g.line("%s ^= t.Ballot(%s)", g.variable(), g.condition())
	case 2:
		g.line("if t.BarrierAny(%s) { %s++ }", g.condition(), g.variable())
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
	g.line("var a [4]uint32")
	g.line("var grid [2][3]uint32")
	g.line("view := in[%d:]", g.IntN(goInputs-8))
	g.line("shared[t.Local().X] = v1")
	for range 6 + g.IntN(8) {
		g.statement(3, true)
	}
	g.line("out[t.Global().X] = v0 ^ v1*3 ^ v2*5 ^ v3*7 ^ p.A ^ p.B[0] + p.B[1] ^ uint32(p.C) ^ a[v0&3] ^ a[1] ^ grid[v1&1][v2%%3] ^ view[0]")
	g.depth--
	g.line("}")
	return g.String()
}

// goNative is a program that runs the kernel as Go and prints what it leaves.
var goNative = fmt.Sprintf(`package main

import (
	"fmt"

	"github.com/govyre/vyre/driver/conform/internal/generated"
	"github.com/govyre/vyre/gpu"
)

func main() {
	in, sums, out := make([]uint32, %[1]d), make([]uint32, 4), make([]uint32, %[2]d)
	for i := range in {
		in[i] = uint32(i) * 2654435761
	}
	gpu.Run(gpu.Grid{Groups: gpu.Vec3{X: %[3]d, Y: 1, Z: 1}, Group: gpu.Vec3{X: %[4]d, Y: 1, Z: 1}}, func(t gpu.Thread) {
		generated.Kernel(t, 2, in, sums, out)
	})
	fmt.Println(append(sums, out...))
}
`, goInputs, goGroup*goGroups, goGroups, goGroup)

// native compiles a source and runs its kernel with gpu.Run; the packages exist only for the build.
func native(t *testing.T, source string) string {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	for path, text := range map[string]string{"internal/generated/kernel.go": source, "internal/generated/native/main.go": goNative} {
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
	return strings.TrimSpace(string(out))
}

func TestRandomGoKernelsAgreeWithGo(t *testing.T) {
	natives, devices := 1, 20
	if long.Enabled() {
		natives, devices = 20, 150
	}
	if _, err := exec.LookPath("go"); err != nil {
		natives = 0 // on a machine that only runs tests
	}
	first := firstSeed(t)
	for k := range devices {
		seed := first + uint64(k)
		source := (&goSource{Rand: rand.New(rand.NewPCG(seed, 0x676F))}).file()
		pkg, err := kernel.Parse([]kernel.File{{Name: "kernel.go", Src: []byte(source)}}, kernel.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, source)
		}
		p := pkg.Kernels()[0].Program
		in := make([]byte, 4*goInputs)
		for i := range uint32(goInputs) {
			binary.LittleEndian.PutUint32(in[4*i:], i*2654435761)
		}
		launch := conform.Launch{Grid: [3]uint32{goGroups, 1, 1}, Args: []conform.Arg{{Bits: 2}, {Data: in}, {Data: make([]byte, 16)}, {Data: make([]byte, 4*goGroup*goGroups)}}}
		r := &conform.RandomProgram{Case: conform.Case{Program: p, Launch: launch}}
		if err := r.Agree(context.Background(), goDevices(t)...); err != nil {
			t.Errorf("seed %d: %v\n%s", seed, err, source)
			continue
		}
		if k >= natives {
			continue
		}
		got, err := goDevices(t)[0].Run(context.Background(), p, launch)
		if err != nil {
			t.Fatal(err)
		}
		var words []uint32
		for _, b := range got.Buffers[2:] {
			for ; len(b) > 0; b = b[4:] {
				words = append(words, binary.LittleEndian.Uint32(b))
			}
		}
		if want := native(t, source); fmt.Sprint(words) != want {
			t.Errorf("seed %d: devices give\n%v, Go gives\n%s\n%s", seed, words, want, source)
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
