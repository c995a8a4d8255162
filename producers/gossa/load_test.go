package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"

	"github.com/govyre/vyre/producers/calls/names"
)

// broken are packages with function Pass, of which something does not type-check, and Whole, with which nothing is wrong.
var broken = map[string]struct {
	text string // beside Whole
	want string // of the first error
}{
	"name":           {text: "func Pass(s string) string { return missing(s) }", want: "undefined: missing"},
	"import":         {text: "import \"m/generated\"\n\nfunc Pass(s string) string { return generated.F(s) }", want: "could not import m/generated"},
	"import of type": {text: "import \"m/generated\"\n\ntype T struct{ x generated.T }\n\nfunc Pass(s string) string { t := T{}; t.x.Set(s); return t.x.S }", want: "could not import m/generated"},
	"syntax":         {text: "func Pass(s string) string { return s + }", want: "expected operand"},
	"statement":      {text: "func Pass(s string) string { if s { return s }; return s }", want: "non-boolean condition"},
	"twice":          {text: "var a, b = 1, 2\n\nvar b = 3\n\nfunc Pass(s string) string { return s }\n\nfunc Pass(s string) string { return s }\n\ntype t int\n\ntype t string", want: "redeclared"},
	"receiver":       {text: "func (x nowhere) M(s string) string { return s }\n\nfunc Pass(s string) string { return nowhere{}.M(s) }", want: "undefined: nowhere"},
	"value":          {text: "var v = missing()\n\nvar w = func() string { return v }()\n\nfunc Pass(s string) string { return v + s }", want: "undefined: missing"},
	"const":          {text: "const c = missing\n\nconst d = c + 1\n\nfunc Pass(s string) string { return s[c:] }", want: "undefined: missing"},
	"generic":        {text: "type box[T missing] struct{ s T }\n\nfunc in[T missing](s T) T { return s }\n\nfunc Pass(s string) string { return in(box[string]{s}.s) }", want: "undefined: missing"},
	"method":         {text: "type i interface{ M() string }\n\ntype x string\n\nfunc Pass(s string) string { var v i = x(s); return v.M() }", want: "missing method M"},
	"embedded":       {text: "type x struct { nowhere; s string }\n\nfunc Pass(s string) string { v := x{s: s}; return v.Get() }", want: "undefined: nowhere"},
	"return":         {text: "func Pass(s string) string { for s != \"\" { s = s[1:] } }", want: "missing return"},
	"label":          {text: "func Pass(s string) string { goto away; return s }", want: "label away not declared"},
	"unused":         {text: "func Pass(s string) string { x := s; return s }", want: "declared and not used: x"},
	"init":           {text: "func init() { missing() }\n\nfunc Pass(s string) string { return s }", want: "undefined: missing"},
	"signature":      {text: "type T nowhere\n\nfunc Pass(s string) string { return s }\n\nfunc Of(s string) T { return T(s) }", want: "undefined: nowhere"},
	"C":              {text: "// char *f(const char *s);\nimport \"C\"\n\ntype T struct{ c C.int }\n\nfunc Pass(s string) string { return C.GoString(C.f(C.CString(s))) }", want: "they call C"},
	"file":           {text: "func Pass(s string) string { return s }\n\nfunc Other() { \"", want: "string literal not terminated"},
}

// TestWhatDoesNotTypeCheckIsLeftOut: what main does with the rest is found, and what goes through a function that is left out comes
// out of its result. No C compiler is there.
func TestWhatDoesNotTypeCheckIsLeftOut(t *testing.T) {
	t.Setenv("GOFLAGS", "")
	t.Setenv("CC", "no-compiler")
	c := &corpus{dir: t.TempDir()}
	c.write(t, "go.mod", "module m\n\ngo 1.25\n")
	rules := ""
	for name, b := range broken {
		dir := strings.ReplaceAll(name, " ", "-")
		c.write(t, dir+"/lib/lib.go", "package lib\n\n"+b.text+"\n")
		c.write(t, dir+"/lib/whole.go", "package lib\n\nfunc Whole(s string) string { return s }\n")
		c.write(t, dir+"/main.go", "package main\n\nimport \"m/"+dir+"/lib\"\n\nfunc secret() string { return \"\" }\n\nfunc log(s string) { println(s) }\n\n"+
			"func main() {\n\ts := secret()\n\tlog(lib.Pass(s)) // line 11\n\tlog(lib.Whole(s)) // line 12\n}\n")
		rules += "source m/" + dir + ".secret result\nsink m/" + dir + ".log arg 0 log\n"
	}
	c.write(t, "rules", rules)
	r := must(newRules([]string{filepath.Join(c.dir, "rules")}))
	for name, b := range broken {
		t.Run(name, func(t *testing.T) {
			dir := strings.ReplaceAll(name, " ", "-")
			p, made, err := loading{Patterns: []string{"./" + dir}, Calls: "vta", Dir: c.dir, Levels: 3, More: 0.1, Quiet: true}.program(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if missing := strings.Contains(b.want, "m/generated"); missing != slices.ContainsFunc(p.left, func(l leftOut) bool { return strings.HasPrefix(l.String(), "m/generated is missing: ") }) {
				t.Errorf("missing: %v", p.left)
			}
			if i := slices.IndexFunc(p.left, func(l leftOut) bool { return l.Package == "m/"+dir+"/lib" }); i < 0 || !strings.Contains(p.left[i].String(), b.want) {
				t.Errorf("left out: %v, want %s", p.left, b.want)
			}
			e := must(valuesOf(t.Context(), p, made, r, false))
			g := must(e.graph(t.Context(), near(c.dir), ""))
			var at []string
			for _, p := range e.flowing(t, g, "exact", nil) {
				at = append(at, g.Position(p.sink))
			}
			slices.Sort(at)
			if !strings.Contains(strings.Join(at, " "), "main.go:11:") || !strings.Contains(strings.Join(at, " "), "main.go:12:") {
				t.Errorf("found %v, want main.go:11 and 12", at)
			}
		})
	}
}

// TestCgoIsListedWithoutACompiler, unless somebody has turned it off.
func TestCgoIsListedWithoutACompiler(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(must(exec.LookPath("go")), filepath.Join(dir, "go")); err != nil {
		t.Skip(err)
	}
	t.Setenv("PATH", dir)
	t.Setenv("CC", "")
	for set, want := range map[string]bool{"": true, "0": false} {
		t.Setenv("CGO_ENABLED", set)
		if got := slices.Contains(envOf(t, dir), "CGO_ENABLED=1"); got != want {
			t.Errorf("CGO_ENABLED=%q: it is turned on: %v, want %v", set, got, want)
		}
	}
	t.Setenv("CGO_ENABLED", "")
	t.Setenv("GOARCH", "riscv64")
	if slices.Contains(envOf(t, dir), "CGO_ENABLED=1") {
		t.Error("it is turned on for another architecture")
	}
}

func envOf(t *testing.T, dir string) []string {
	env, _ := goEnv(t.Context(), dir)
	return env
}

// TestImportCyclesAreNamed, and what is not of them is looked at.
func TestImportCyclesAreNamed(t *testing.T) {
	t.Setenv("GOFLAGS", "")
	c := &corpus{dir: t.TempDir()}
	c.writeAll(t, map[string]string{"go.mod": "module m\n\ngo 1.25\n", "main.go": "package main\n\nimport \"m/a\"\n\nfunc main() { f(); a.A() }\n\nfunc f() {}\n",
		"a/a.go": "package a\n\nimport \"m/b\"\n\nfunc A() { b.B() }\n", "b/b.go": "package b\n\nimport \"m/a\"\n\nfunc B() { a.A() }\n"})
	p, err := load(t.Context(), c.dir, false, "", []string{"./..."})
	if err != nil {
		if !strings.Contains(err.Error(), "import cycle not allowed") {
			t.Error(err)
		}
		return
	}
	if !slices.ContainsFunc(p.left, func(l leftOut) bool { return strings.Contains(l.Error, "import cycle") }) {
		t.Error(p.left)
	}
}

// TestGeneratedCodeIsBounded: megabytes of it end within a multiple of what the type checker needs for them.
func TestGeneratedCodeIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	var table strings.Builder
	table.WriteString("package main\n\ntype row struct{ name, value string; next []int }\n\nvar table = map[string]row{\n")
	for i := range 30_000 {
		fmt.Fprintf(&table, "\t\"key %d\": {\"name of %d\", \"value of %d\", []int{%d, %d, %d}},\n", i, i, i, i, i+1, i+2)
	}
	table.WriteString("}\n\nfunc choose(s string) string {\n\tswitch s {\n")
	for i := range 20_000 {
		fmt.Fprintf(&table, "\tcase \"key %d\": return table[\"key %d\"].value + s\n", i, i)
	}
	table.WriteString("\t}\n\treturn s\n}\n")
	c := &corpus{dir: t.TempDir()}
	c.writeAll(t, map[string]string{"go.mod": "module m\n\ngo 1.25\n", "table.go": table.String(),
		"main.go": "package main\n\nimport (\n\t\"os\"\n\t\"os/exec\"\n)\n\nfunc main() { exec.Command(choose(os.Args[1])).Run() }\n"})
	var out, said bytes.Buffer
	if status := run(t.Context(), []string{"taint", "-q", "-C", c.dir, "./..."}, &out, &said); status != 0 || said.Len() > 0 {
		t.Errorf("%d bytes of source: exit status %d, %s", table.Len(), status, said.String())
	}
}

// TestLoadingEndsWhenItIsInterrupted, whenever that is, and works again.
func TestLoadingEndsWhenItIsInterrupted(t *testing.T) {
	dir, _ := unpacked(t, "testdata/once.txtar")
	began := time.Now()
	if _, err := load(t.Context(), dir, false, "", []string{"./..."}); err != nil {
		t.Fatal(err)
	}
	all := time.Since(began)
	for i := range 12 {
		ctx, cancel := context.WithTimeout(t.Context(), all*time.Duration(i)/12)
		_, err := load(ctx, dir, false, "", []string{"./..."})
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %d/12 of the time: %v", i, err)
		}
	}
	if _, err := load(t.Context(), dir, false, "", []string{"./..."}); err != nil {
		t.Error("after that:", err)
	}
}

var mutants = flag.Int("mutants", 300, "how many programs with an error TestNoErrorInSourceIsAFault makes")

// TestNoErrorInSourceIsAFault: programs of which a piece was taken away, or is there twice, are checked, pruned and followed.
func TestNoErrorInSourceIsAFault(t *testing.T) {
	list := must(filepath.Glob("testdata/want/*.txtar"))
	r := must(newRules(nil))
	rng := rand.New(rand.NewPCG(1, 35))
	dir, left := t.TempDir(), 0
	for i := range *mutants {
		a := must(txtar.ParseFile(list[rng.IntN(len(list))]))
		of := &packages.Package{ID: "m", PkgPath: "m", Name: "main"}
		for _, f := range a.Files {
			if filepath.Dir(f.Name) == "." && strings.HasSuffix(f.Name, ".go") {
				of.GoFiles = append(of.GoFiles, filepath.Join(dir, f.Name))
				if err := os.WriteFile(filepath.Join(dir, f.Name), mutant(rng, f.Data), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		p := &program{standard: map[string]bool{}, own: map[string]bool{"m": true}}
		b, err := build(t.Context(), []*packages.Package{of}, &program{})
		if err != nil {
			t.Fatalf("mutant %d: %v\n%s", i, err, must(os.ReadFile(of.GoFiles[0])))
		}
		p.ssa, p.names = b.prog, names.New(b.prog)
		left += b.of[of].out
		p.findRoots(b.packages([]*packages.Package{of}))
		made := must(copies(t.Context(), p, must(p.resolve(t.Context(), "vta")), limits{levels: 3, more: 1}))
		e := must(valuesOf(t.Context(), p, made, r, false))
		if _, err := e.graph(t.Context(), near(dir), ""); err != nil {
			t.Fatal(err)
		}
	}
	if left == 0 {
		t.Error("nothing was left out")
	}
}

// mutant takes some words or lines of a text away, or has them twice.
func mutant(rng *rand.Rand, text []byte) []byte {
	for range 1 + rng.IntN(3) {
		if len(text) < 40 {
			break
		}
		from := 14 + rng.IntN(len(text)-15)
		to := min(from+1+rng.IntN(1<<rng.IntN(7)), len(text))
		if rng.IntN(2) == 0 {
			text = slices.Concat(text[:from], text[to:])
		} else {
			text = slices.Concat(text[:to], text[from:])
		}
	}
	return text
}

// TestProgramsWithNothingToLookAt are an error where all are, and a note beside others. Functions that nothing reaches are listed.
func TestProgramsWithNothingToLookAt(t *testing.T) {
	t.Setenv("GOFLAGS", "")
	c := &corpus{dir: t.TempDir()}
	c.writeAll(t, map[string]string{"go.mod": "module m\n\ngo 1.25\n",
		"lib/lib.go":  "package lib\n\ntype T struct{}\n\nfunc (T) Handle(s string) { println(s) }\n\nfunc Used(s string) { println(s) }\n\nfunc Of[E any](e E) E { return e }\n\nfunc Not[E any](e E) E { return e }\n",
		"a/main.go":   "package main\n\nfunc main() {}\n",
		"b/main.go":   "package main\n\nimport (\n\t\"errors\"\n\n\t\"m/lib\"\n)\n\nvar t lib.T\n\nfunc main() { println(errors.New(\"\"), t) }\n",
		"c/main.go":   "package main\n\nimport \"m/lib\"\n\nfunc main() { missing() }\n\nvar t lib.T\n\nfunc f() {}\n",
		"d/main.go":   "package main\n\nimport \"m/lib\"\n\nfunc main() { func() { lib.Used(lib.Of(\"\")) }() }\n",
		"e/main.go":   "package main\n\nimport \"errors\"\n\nfunc main() { errors.New(\"\") }\n\nfunc unused() {}\n",
		"f/main.go":   "package main\n\nimport (\n\t\"errors\"\n\n\t_ \"m/f/lib\"\n)\n\nfunc main() { errors.New(\"\") }\n",
		"f/lib/li.go": "package lib\n\nfunc init() { println() }\n"})
	for want, args := range map[string][]string{
		"m/a: main calls nothing":                       {"./a"},
		"m/b: main reaches no function of its module":   {"./b"},
		"m/a: main calls nothing\nm/b: main reaches no": {"./a", "./b"},
		"main.go:5:15: undefined: missing":              {"./c"},
	} {
		if _, said := gossa(t, 1, append([]string{"taint", "-q", "-C", c.dir}, args...)...); !strings.Contains(said, want) {
			t.Errorf("%s\nwant %s", said, want)
		}
	}
	for _, name := range []string{"./d", "./e", "./f", "./lib"} {
		if _, said := gossa(t, 0, "taint", "-q", "-C", c.dir, name); said != "" {
			t.Errorf("%s: %s", name, said)
		}
	}
	out, said := gossa(t, 0, "taint", "-q", "--unreached", "-C", c.dir, "./a", "./c", "./d")
	if !strings.Contains(said, "m/a: main calls nothing") || !strings.Contains(said, "m/c: main does not type-check: c/main.go:5:15: undefined: missing") {
		t.Errorf("notes: %s", said)
	}
	if !strings.Contains(out, "lib/lib.go:5: not reached: (m/lib.T).Handle\n") || strings.Contains(out, "Used") || strings.Contains(out, "lib.Of") || !strings.HasSuffix(out, "0 findings; 4 functions reached, 3 not\n") {
		t.Error(out)
	}
}

// TestProgressIsSaidFromASecondOn, seldom, and no more when the work is done or interrupted.
func TestProgressIsSaidFromASecondOn(t *testing.T) {
	const unit = 5 * time.Millisecond
	var quick, slow bytes.Buffer
	_, end := withProgress(t.Context(), &quick, time.Hour)
	end()
	ctx, end := withProgress(t.Context(), &slow, unit)
	progressOf(ctx).at(3, 70, "packages")
	time.Sleep(12 * unit)
	progressOf(ctx).begin("searching")
	time.Sleep(30 * unit)
	end()
	end()
	said := slow.String()
	if quick.Len() > 0 || !strings.HasPrefix(said, "gossa: loading, 3 of 70 packages after 1 s\ngossa: loading, 3 of 70 packages after 2 s\n") || !strings.Contains(said, "gossa: searching after ") {
		t.Errorf("%q, %q", quick.String(), said)
	}
	if n := strings.Count(said, "\n"); n > 12 {
		t.Errorf("%d lines", n)
	}
	progressOf(t.Context()).begin("nothing is said")
	ctx, cancel := context.WithCancel(t.Context())
	_, end = withProgress(ctx, &slow, unit)
	cancel()
	end()
}
