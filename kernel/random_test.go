package kernel_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/govyre/vyre/internal/long"
	"github.com/govyre/vyre/kernel"
)

var randomSeed = flag.Uint64("seed", 0, "seed of the random kernels; 0 takes the time")

// Random kernels, compiled and run in the interpreter, against the same text compiled by the Go tool and run
// natively. They stay inside what Go defines: divisors are odd, indices masked, counts of shifts unsigned.
func TestRandomKernelsComputeWhatGoComputes(t *testing.T) {
	if !long.Enabled() {
		t.Skip("needs the Go tool and its time; run with -long")
	}
	const kernels = 60
	seed := *randomSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("again with: go test ./kernel -run %s -long -seed %d", t.Name(), seed)
	g := &generator{r: rand.New(rand.NewPCG(seed, 0))}
	src := g.file(kernels)
	pkg, err := kernel.Parse([]kernel.File{{Name: "random.go", Src: []byte(src)}}, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	native := runNatively(t, src)
	for i, k := range pkg.Kernels() {
		in, out := randomInput(), make([]int64, 64)
		launchOne(t, k, in, out)
		if got := fmt.Sprint(out); got != native[i] {
			t.Errorf("kernel %s\ncompiled %s\nnatively %s\n%s", k.Name, got, native[i], functionText(src, k.Name))
		}
	}
}

func randomInput() []int64 {
	r := rand.New(rand.NewPCG(1, 2))
	return fill(64, func(i int) int64 { return int64(r.Uint64() >> (uint(i) % 64)) })
}

func functionText(src, name string) string {
	_, rest, _ := strings.Cut(src, "func "+name+"(")
	body, _, _ := strings.Cut(rest, "\n}\n")
	return "func " + name + "(" + body + "\n}"
}

// runNatively builds the kernels with a main function in front of them, in a package that exists only in an
// overlay of the module, and returns what each wrote.
func runNatively(t *testing.T, src string) []string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	var main strings.Builder
	main.WriteString("package main\n\nimport (\n\t\"fmt\"\n\t\"github.com/govyre/vyre/gpu\"\n)\n\nfunc main() {\n")
	fmt.Fprintf(&main, "\tin := %#v\n", randomInput())
	for i := range strings.Count(src, "//vyre:kernel") {
		fmt.Fprintf(&main, "\t{\n\t\tout, in := make([]int64, 64), append([]int64(nil), in...)\n\t\tgpu.Run(gpu.Grid{Groups: gpu.Vec3{X: 1}, Group: gpu.Vec3{X: 64}}, func(t gpu.Thread) { K%d(t, in, out) })\n\t\tfmt.Println(out)\n\t}\n", i)
	}
	main.WriteString("}\n")
	dir := t.TempDir()
	overlay := map[string]map[string]string{"Replace": {}}
	for name, text := range map[string]string{"main.go": main.String(), "random.go": strings.Replace(src, "package k\n", "package main\n", 1)} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		overlay["Replace"][filepath.Join(root, "kernel", "internal", "random", name)] = file
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, text, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", "-overlay", list, "./kernel/internal/random")
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go run: %v\n%s\n%s", err, stderr.String(), src)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// generator writes random kernels.
type generator struct {
	r     *rand.Rand
	out   strings.Builder
	scope []variable
	loops int
	next  int

	callable [2]int // helpers from … up to
}

type variable struct {
	name, typ string
	fixed     bool // a loop counts on it
}

var numberTypes = []string{"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "int", "uint", "float64"}

func (g *generator) file(kernels int) string {
	g.out.WriteString("package k\n\nimport \"github.com/govyre/vyre/gpu\"\n\ntype rec struct {\n\ta int8\n\tb uint32\n\tc [2]int16\n}\n\nfunc flag(b bool) int64 {\n\tif b {\n\t\treturn 1\n\t}\n\treturn 0\n}\n")
	for i := range kernels {
		g.helper(i)
		g.scope = nil
		fmt.Fprintf(&g.out, "\n//vyre:kernel workgroup=64\nfunc K%d(t gpu.Thread, in, out []int64) {\n\ti := t.Local().X & 63\n", i)
		g.scope = append(g.scope, variable{"i", "uint32", true})
		for _, typ := range []string{"int8", "uint16", "int32", "uint64", "float64"} {
			g.declare(typ, fmt.Sprintf("%s(in[(i+%d)&63])", typ, g.r.IntN(64)), 1)
			if typ == "float64" { // small enough to convert back
				g.line(1, g.scope[len(g.scope)-1].name+" = "+"float64(int32(in[i&31]))/8")
			}
		}
		g.out.WriteString("\tvar arr [8]int32\n\tvar r, q rec\n\tvar small [3]uint8\n")
		g.block(1, 6)
		g.out.WriteString("\ts := int64(r.a) + int64(r.b)*3 + int64(r.c[0]) + int64(q.c[1])*5 + flag(r == q)\n\tfor k, v := range arr {\n\t\ts = s*7 + int64(v) + int64(k)\n\t}\n\ts += int64(small[0]) + int64(small[1])*3 + int64(small[2])\n")
		for _, v := range g.scope {
			if v.typ == "float64" {
				fmt.Fprintf(&g.out, "\tif %s > 1e6 || %s < -1e6 || %s != %s {\n\t\t%s = 3\n\t}\n", v.name, v.name, v.name, v.name, v.name)
			}
			fmt.Fprintf(&g.out, "\ts = s*31 + int64(%s)\n", v.name)
		}
		g.out.WriteString("\tout[i] = s\n}\n")
	}
	return g.out.String()
}

// helper writes a function that the next kernel may call.
func (g *generator) helper(i int) {
	g.scope = []variable{{"x", "int32", false}, {"y", "uint8", false}}
	fmt.Fprintf(&g.out, "\nfunc h%d(x int32, y uint8, arr [8]int32, r, q rec, small [3]uint8) (int32, rec) {\n\tvar i uint32 = uint32(y)\n\t_ = i\n", i)
	g.scope = append(g.scope, variable{"i", "uint32", true})
	g.callable = [2]int{i - i%2, i} // calls are at most two deep, or inlining would explode
	g.block(1, 3)
	fmt.Fprintf(&g.out, "\tif %s {\n\t\treturn arr[x&7], q\n\t}\n\t_, _ = r, small\n\treturn x + int32(y), rec{a: int8(x), c: r.c}\n}\n", g.condition(1))
	g.callable = [2]int{max(0, i-2), i + 1}
}

func (g *generator) line(indent int, s string) {
	g.out.WriteString(strings.Repeat("\t", indent) + s + "\n")
}

func (g *generator) declare(typ, value string, indent int) {
	name := fmt.Sprintf("v%d", g.next)
	g.next++
	g.line(indent, fmt.Sprintf("var %s %s = %s", name, typ, value))
	g.line(indent, "_ = "+name)
	g.scope = append(g.scope, variable{name, typ, false})
}

func (g *generator) block(indent, n int) {
	outer := len(g.scope)
	for range n {
		g.statement(indent)
	}
	if indent > 1 {
		g.scope = g.scope[:outer]
	}
}

func (g *generator) statement(indent int) {
	typ := numberTypes[g.r.IntN(len(numberTypes))]
	deep := indent > 3
	switch k := g.r.IntN(14); {
	case k < 2:
		g.declare(typ, g.expr(typ, 3), indent)
	case k < 5:
		v := g.scope[g.r.IntN(len(g.scope))]
		if v.fixed {
			return
		}
		ops := []string{"=", "+=", "-=", "*=", "^=", "|=", "&^="}
		if v.typ == "float64" {
			ops = ops[:3]
		}
		g.line(indent, fmt.Sprintf("%s %s %s", v.name, ops[g.r.IntN(len(ops))], g.expr(v.typ, 3)))
	case k == 5:
		g.line(indent, fmt.Sprintf("arr[%s&7] = %s", g.expr("int", 2), g.expr("int32", 2)))
	case k == 6:
		g.line(indent, []string{"r.a++", "r.b -= " + g.expr("uint32", 2), "r, q = q, r", "q = r", "r.c[1], r.c[0] = r.c[0], " + g.expr("int16", 2),
			"small[2], small[0] = small[1]+1, " + g.expr("uint8", 2), fmt.Sprintf("q.c[%s&1] ^= 77", g.expr("uint8", 1))}[g.r.IntN(7)])
	case k == 7 && g.callable[0] < g.callable[1]:
		name := fmt.Sprintf("v%d", g.next)
		g.next++
		g.line(indent, fmt.Sprintf("%s, w%s := h%d(%s, %s, arr, q, r, small)", name, name, g.callable[0]+g.r.IntN(g.callable[1]-g.callable[0]), g.expr("int32", 2), g.expr("uint8", 2)))
		g.line(indent, "q = w"+name)
		g.scope = append(g.scope, variable{name, "int32", false})
		g.line(indent, "_ = "+name)
	case deep:
		g.declare(typ, g.expr(typ, 2), indent)
	case k < 10:
		g.line(indent, "if "+g.condition(2)+" {")
		g.block(indent+1, 2)
		if g.r.IntN(2) == 0 {
			g.line(indent, "} else if "+g.condition(1)+" {")
			g.block(indent+1, 2)
		}
		if g.r.IntN(2) == 0 {
			g.line(indent, "} else {")
			g.block(indent+1, 2)
		}
		g.line(indent, "}")
	case k < 12:
		name := fmt.Sprintf("n%d", g.next)
		g.next++
		g.line(indent, fmt.Sprintf("for %s := range %s & 3 {", name, g.expr("int32", 1)))
		g.line(indent+1, "_ = "+name)
		g.loops++
		outer := len(g.scope)
		g.scope = append(g.scope, variable{name, "int32", false})
		g.block(indent+1, 2)
		if g.r.IntN(2) == 0 {
			g.line(indent+1, "if "+g.condition(1)+" {\n"+strings.Repeat("\t", indent+2)+[]string{"break", "continue"}[g.r.IntN(2)]+"\n"+strings.Repeat("\t", indent+1)+"}")
			g.block(indent+1, 1)
		}
		g.scope = g.scope[:outer]
		g.loops--
		g.line(indent, "}")
	default:
		g.line(indent, "switch "+g.expr("uint8", 1)+" & 3 {")
		for c := range 3 {
			g.line(indent, fmt.Sprintf("case %d:", c))
			g.block(indent+1, 1)
		}
		g.line(indent, "default:")
		g.block(indent+1, 1)
		g.line(indent, "}")
	}
}

func (g *generator) condition(depth int) string {
	typ := numberTypes[g.r.IntN(len(numberTypes))]
	op := []string{"<", "<=", ">", ">=", "==", "!="}[g.r.IntN(6)]
	c := fmt.Sprintf("%s %s %s", g.expr(typ, depth), op, g.expr(typ, depth))
	if depth > 1 && g.r.IntN(3) == 0 {
		c = fmt.Sprintf("(%s) %s !(%s)", c, []string{"&&", "||"}[g.r.IntN(2)], g.condition(depth-1))
	}
	return c
}

// expr writes an expression of the given type, which is never a constant one.
func (g *generator) expr(typ string, depth int) string {
	if depth == 0 || g.r.IntN(5) == 0 {
		return g.leaf(typ)
	}
	if typ == "float64" {
		switch g.r.IntN(4) {
		case 0:
			return fmt.Sprintf("(%s %s %s)", g.expr(typ, depth-1), []string{"+", "-", "/"}[g.r.IntN(3)], g.leaf(typ))
		case 1:
			return fmt.Sprintf("min(%s, %s, 2.5)", g.expr(typ, depth-1), g.leaf(typ))
		}
		return "float64(" + g.expr(numberTypes[g.r.IntN(10)], depth-1) + ")"
	}
	switch g.r.IntN(9) {
	case 0:
		return fmt.Sprintf("(%s %s (%s | 1))", g.expr(typ, depth-1), []string{"/", "%"}[g.r.IntN(2)], g.expr(typ, depth-1))
	case 1:
		n := []string{"uint8", "uint32", "uint64"}[g.r.IntN(3)]
		return fmt.Sprintf("(%s %s (%s %% 70))", g.expr(typ, depth-1), []string{"<<", ">>"}[g.r.IntN(2)], g.expr(n, depth-1))
	case 2:
		return fmt.Sprintf("%s(%s)", typ, g.expr(numberTypes[g.r.IntN(10)], depth-1))
	case 3:
		return fmt.Sprintf("%s(%s)", []string{"-", "^", "+"}[g.r.IntN(3)], g.expr(typ, depth-1))
	case 4:
		return fmt.Sprintf("%s(%s, %s)", []string{"min", "max"}[g.r.IntN(2)], g.expr(typ, depth-1), g.expr(typ, depth-1))
	case 5:
		return fmt.Sprintf("%s(arr[%s&7])", typ, g.expr("int", depth-1))
	}
	return fmt.Sprintf("(%s %s %s)", g.expr(typ, depth-1), []string{"+", "-", "*", "&", "|", "^", "&^"}[g.r.IntN(7)], g.expr(typ, depth-1))
}

func (g *generator) leaf(typ string) string {
	var fits []string
	for _, v := range g.scope {
		if v.typ == typ {
			fits = append(fits, v.name)
		}
	}
	if len(fits) > 0 && g.r.IntN(4) > 0 {
		return fits[g.r.IntN(len(fits))]
	}
	v := g.scope[g.r.IntN(len(g.scope))]
	if v.typ == "float64" && typ != "float64" { // what does not fit is not defined
		v = g.scope[0]
		if v.typ == "float64" {
			return typ + "(i)"
		}
	}
	return fmt.Sprintf("%s(%s)", typ, v.name)
}
