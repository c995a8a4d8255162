package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/govyre/vyre/internal/testing/long"
)

// others is a module that a program requires. Its bodies are not read.
var others = map[string]string{
	"other/go.mod": "module other\n\ngo 1.25\n",
	"other/lib/lib.go": `package lib

type Handler interface{ Handle(s string) string }

type Func func(s string) string

func (f Func) Handle(s string) string { return f(s) }

type Server struct {
	Hook func(s string)
	Next Handler
	List []func(s string)
}

func (v *Server) Serve() { v.Hook("") }

var Default Handler

var List []func(s string)

func Do[T interface{ Notify() }](x T) { x.Notify() }

var hooks []func(s string)

func Register(f func(s string)) { hooks = append(hooks, f) }

func Run(list ...func(s string)) {}

func Pick(f, g func(s string)) func(s string) { return f }

func Keep(x any) {}

func Look() any { return nil }

func Get() Handler { return Default }

func Each[T any](list []T, f func(T)) {
	for _, x := range list {
		f(x)
	}
}

func notify(x any) {
	if n, is := x.(interface{ Notify() }); is {
		n.Notify()
	}
}
`,
}

const ownRules = "source m.source result\nsink m.sink arg 0 log\n"

// calledBack are programs in which a sink is where only a function of another module leads: each of them calls sink once.
var calledBack = map[string]string{
	"argument":            `lib.Register(func(s string) { sink(source()) })`,
	"list":                `lib.Run(nil, func(s string) { sink(source()) })`,
	"function by name":    `lib.Register(named)`,
	"method value":        `lib.Register(T{}.Deep)`,
	"field":               `v := lib.Server{}; v.Hook = func(s string) { sink(source()) }; v.Serve()`,
	"field of a literal":  `_ = &lib.Server{Next: T{}}`,
	"variable":            `lib.Default = T{}`,
	"type of a function":  `lib.Default = lib.Func(func(s string) string { sink(source()); return s })`,
	"interface":           `lib.Keep(T{})`,
	"interface in a body": `lib.Keep(N{})`,
	"generic":             `lib.Each([]string{source()}, func(s string) { sink(source()) })`,
	"passed through":      `lib.Pick(func(s string) { sink(s) }, nil)(source())`,
	"given back":          `lib.Default = S{}; lib.Get().Handle(source())`,
	"asserted":            `lib.Keep(S{}); lib.Look().(lib.Handler).Handle(source())`,
	"list in a field":     `_ = lib.Server{List: []func(string){func(s string) { sink(source()) }}}`,
	"list in a variable":  `lib.List = append(lib.List, func(s string) { sink(source()) })`,
	"type argument":       `lib.Do(N{})`,
	"map":                 `lib.Keep(map[string]func(){}); m := map[string]lib.Handler{"": T{}}; lib.Keep(m)`,
}

func calledBackMain(body string) string {
	return "package main\n\nimport \"other/lib\"\n\nvar _ = lib.Keep\n\nfunc source() string { return \"\" }\n\nfunc sink(s string) { println(s) }\n\n" +
		"type T struct{}\n\nfunc (T) Handle(s string) string { sink(source()); return s }\n\nfunc (T) Deep(s string) { sink(source()) }\n\n" +
		"type S struct{}\n\nfunc (S) Handle(s string) string { sink(s); return s }\n\n" +
		"type N struct{}\n\nfunc (N) Notify() { sink(source()) }\n\nfunc named(s string) { sink(source()) }\n\nfunc main() { " + body + " }\n"
}

// TestWhatDependenciesCallBack is followed though their bodies are not read. What is given to none of them is not reached.
func TestWhatDependenciesCallBack(t *testing.T) {
	t.Setenv("GOFLAGS", "")
	dir := t.TempDir()
	files := map[string]string{"go.mod": "module m\n\ngo 1.25\n\nrequire other v0.0.0\n\nreplace other => ./other\n"}
	for name, text := range others {
		files[name] = text
	}
	rules := ""
	for name, body := range calledBack {
		at := strings.ReplaceAll(name, " ", "-")
		files[at+"/main.go"] = calledBackMain(body)
		rules += strings.ReplaceAll(ownRules, "m.", "m/"+at+".")
	}
	files["nothing/main.go"] = calledBackMain(`var f = func(s string) { sink(source()) }; _ = f; _ = lib.Handler(nil); _ = T{}`)
	files["rules"] = rules + strings.ReplaceAll(ownRules, "m.", "m/nothing.")
	writeModule(t, dir, files)
	out, _ := gossa(t, 0, "taint", "-q", "--rules", filepath.Join(dir, "rules"), "-C", dir, "./...")
	found := regexp.MustCompile(`(?m)^([^/\s]+)/main.go:\d+: log`).FindAllStringSubmatch(out, -1)
	var names []string
	for _, f := range found {
		names = append(names, strings.ReplaceAll(f[1], "-", " "))
	}
	for name := range calledBack {
		if !slices.Contains(names, name) {
			t.Errorf("%s: nothing is found", name)
		}
	}
	if slices.Contains(names, "nothing") {
		t.Errorf("what no other module gets is reached:\n%s", out)
	}
}

// changing is a program of several packages and a module that it requires, which change by chance.
type changing struct {
	rng   *rand.Rand
	dir   string
	files map[string]string
}

func newChanging(t *testing.T, seed uint64) *changing {
	c := &changing{rng: rand.New(rand.NewPCG(seed, 1)), dir: t.TempDir(), files: map[string]string{
		"go.mod":  "module m\n\ngo 1.25\n\nrequire other v0.0.0\n\nreplace other => ./other\n",
		"a/a.go":  "package a\n\nimport \"other/lib\"\n\ntype T struct{ Name string }\n\nfunc (t *T) Handle(s string) string { return t.Name + s }\n\nfunc New(s string) lib.Handler { return &T{s} }\n\n// more\n",
		"b/b.go":  "package b\n\nimport (\n\t\"m/a\"\n\t\"other/lib\"\n\t\"other/more\"\n)\n\nfunc Make(s string) string { return more.Same(a.New(s).Handle(\"\")) }\n\nfunc init() { lib.Register(func(s string) {}) }\n\n// more\n",
		"main.go": "package main\n\nimport (\n\t\"m/b\"\n\t\"m/c\"\n)\n\nfunc source() string { return \"\" }\n\nfunc sink(s string) { println(s) }\n\nfunc main() {\n\tsink(b.Make(source()))\n\tsink(c.In(source()).Get())\n}\n\n// more\n",
		"c/c.go": "package c\n\ntype Getter interface{ Get() string }\n\ntype base struct{ v string }\n\nfunc (b base) Get() string { return b.v }\n\ntype other struct{ v string }\n\n" +
			"func (other) Get() string { return \"\" }\n\ntype inner = base\n\ntype Box struct{ inner }\n\nfunc In(s string) Getter { return &Box{inner{s}} }\n\n// more\n",
		"other/more/more.go": "package more\n\nimport \"other/lib\"\n\ntype T struct{ lib.Server }\n\nfunc Same(s string) string { return s }\n\n// more\n",
		"rules":              ownRules,
	}}
	for name, text := range others {
		c.files[name] = text + "\n// more\n"
	}
	c.files["other/go.mod"] = others["other/go.mod"]
	writeModule(t, c.dir, c.files)
	return c
}

// changes of a file: what stands for the second text, which is put in its place.
var changes = [][3]string{
	{"a/a.go", "return t.Name + s", `return "" + s`},
	{"a/a.go", "return t.Name + s", `sank(t.Name); return s`},
	{"a/a.go", "func New(s string) lib.Handler { return &T{s} }", "func New(s string) lib.Handler { return lib.Func(func(r string) string { return s + r }) }"},
	{"a/a.go", "// more", "func sank(s string) { lib.Register(func(string) { println(s) }) }\n\n// more"},
	{"b/b.go", "lib.Register(func(s string) {})", "lib.Keep(a.New(\"\")); lib.Default = a.New(\"\")"},
	{"b/b.go", "more.Same(a.New(s).Handle(\"\"))", "lib.Get().Handle(s)"},
	{"b/b.go", "// more", "func missing() { nowhere() }\n\n// more"},
	{"b/b.go", "func Make(s string) string", "func Make(s string, rest ...string) string"},
	{"b/b.go", "\"other/lib\"\n", "\"other/lib\"\n\n"},
	{"c/c.go", "type inner = base", "type inner = other"},
	{"c/c.go", "interface{ Get() string }", "interface{ Get() string; Put(s string) }"},
	{"c/c.go", "// more", "func (b *Box) Put(s string) { b.v = s }\n\n// more"},
	{"c/c.go", "func (other) Get() string { return \"\" }\n", "// other has none\n"},
	{"rules", "source m.source result\n", "source m.source result\nsource m/b.Make result\n"},
	{"rules", "sink m.sink arg 0 log\n", "sink m.sink arg 0 log\nsink m/c.In arg 0 sql\n"},
	{"main.go", "func source() string { return \"\" }", "func source() string { return more() }\n\nfunc more() string { return \"\" }"},
	{"main.go", "sink(b.Make(source()))", "f := func() { sink(b.Make(source())) }; f()"},
	{"main.go", "// more", "func init() { sink(source()) }\n\n// more"},
	{"other/lib/lib.go", "type Handler interface{ Handle(s string) string }", "type Handler interface{ Handle(s string) string; other }\n\ntype other interface{}"},
	{"other/lib/lib.go", "return Default", "return nil"},
	{"other/lib/lib.go", "// more", "var wrong = nowhere()\n\n// more"},
	{"other/lib/lib.go", "// more", "type plain struct{ Server }\n\nfunc Plain() *plain { return nil }\n\n// more"},
	{"other/more/more.go", "func Same(s string) string { return s }", "func Same[S ~string](s S) S { return s }"},
	{"other/more/more.go", "import \"other/lib\"", "// int f(int);\nimport \"C\"\n\nimport \"other/lib\"\n\nfunc inC(x C.int) C.int { return C.f(x) }"},
	{"other/more/more.go", "// more", "import \"late\"\n\n// more"},
	{"other/more/more.go", "// more", "func init() {}\n\n// more"},
}

// change makes one, or takes it back: each of them in turn where there is time for that, before others by chance.
func (c *changing) change(t *testing.T, i int) string {
	if i >= len(changes) || !long.Enabled() {
		i = c.rng.IntN(len(changes))
	}
	k := changes[i]
	text := c.files[k[0]]
	switch {
	case strings.Contains(text, k[2]):
		text = strings.Replace(text, k[2], k[1], 1)
	default:
		text = strings.Replace(text, k[1], k[2], 1)
	}
	c.files[k[0]] = text
	if err := os.WriteFile(filepath.Join(c.dir, k[0]), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s: %s", k[0], k[2])
}

// asked is what gossa prints of the program with a cache, or without one.
func (c *changing) asked(t *testing.T, cache string) string {
	t.Helper()
	t.Setenv("GOSSACACHE", cache)
	out, said := gossa(t, 0, "taint", "-q", "--json", "--unreached", "--guarded", "--rules", filepath.Join(c.dir, "rules"), "-C", c.dir, "./...")
	return out + said
}

// TestAWarmRunPrintsWhatAColdOnePrints after each of several changes, of the program's own packages and of those that it requires.
func TestAWarmRunPrintsWhatAColdOnePrints(t *testing.T) {
	t.Setenv("GOFLAGS", "")
	quick := quickSearch
	t.Cleanup(func() { quickSearch = quick })
	quickSearch = -1
	rounds := long.Count(4, len(changes)+10, 200)
	c, cache := newChanging(t, 7), t.TempDir()
	seen := make(map[string]bool)
	for i := range rounds {
		what := "nothing"
		if i > 0 {
			what = c.change(t, i-1)
		}
		cold := c.asked(t, "off")
		if warm := c.asked(t, cache); warm != cold {
			t.Fatalf("after %d changes, the last one of %s:\n%s\nwithout a cache:\n%s", i, what, warm, cold)
		}
		seen[cold] = true
	}
	if len(seen) < 2 {
		t.Error("no change changes anything")
	}
	if len(keptTypes(cache)) == 0 || len(must(filepath.Glob(filepath.Join(cache, "searches", "*")))) == 0 {
		t.Error("no types or no searches are kept")
	}
}

func keptTypes(cache string) []string { return must(filepath.Glob(filepath.Join(cache, "types", "*"))) }

// TestBrokenTypesAreMadeAgain: files of types that are cut off, changed, empty, of another package, or no such files. Several runs
// at once get the same.
func TestBrokenTypesAreMadeAgain(t *testing.T) {
	t.Setenv("GOFLAGS", "")
	c, cache := newChanging(t, 1), t.TempDir()
	cold := c.asked(t, cache)
	files := keptTypes(cache)
	whole := make(map[string]string)
	for _, file := range files {
		whole[file] = string(must(os.ReadFile(file)))
	}
	another := whole[files[len(files)-1]]
	foreign := "{}\nno types"
	cases := []func(string) string{
		func(s string) string { return s[:len(s)/2] },
		func(s string) string { return s[:len(s)-3] + "xyz" },
		func(s string) string { return strings.Replace(another, "\n", "\n ", 1) },
		func(string) string { return digest([]byte(foreign)) + "\n" + foreign },
		func(s string) string {
			if s == another {
				return ""
			}
			return another
		},
	}
	for k := 0; k < len(cases); k += len(files) {
		for n, file := range files {
			if err := os.WriteFile(file, []byte(cases[(k+n)%len(cases)](whole[file])), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, answer := range must(filepath.Glob(filepath.Join(cache, "*"))) {
			os.Remove(answer) // but for the folder of types
		}
		if got := c.asked(t, cache); got != cold {
			t.Errorf("case %d: %s", k, got)
		}
		for _, file := range files {
			if string(must(os.ReadFile(file))) != whole[file] {
				t.Errorf("case %d: %s is not made again", k, file)
			}
		}
	}
	empty := t.TempDir()
	t.Setenv("GOSSACACHE", empty)
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			out, said := gossa(t, 0, "taint", "-q", "--json", "--unreached", "--guarded", "--rules", filepath.Join(c.dir, "rules"), "-C", c.dir, "./...")
			if out+said != cold {
				t.Errorf("beside another run: %s", out+said)
			}
		})
	}
	all.Wait()
}
