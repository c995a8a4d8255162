package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/graph"
)

// findingsOf analyses a program of some files.
func findingsOf(t *testing.T, files map[string]string) ([]finding, *emitted) {
	t.Helper()
	e, g := valuesIn(t, files)
	return must(e.findings(t.Context(), g, "cpu", "exact", nil)), e
}

// valuesIn makes the graph of a program of some files.
func valuesIn(t *testing.T, files map[string]string) (*emitted, *graph.CSR) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := must(newRules(nil))
	p, c, err := loading{Patterns: []string{"./..."}, Calls: "vta", Dir: dir, Levels: 3, More: 0.1, Quiet: true, rules: r}.program(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	e := must(valuesOf(t.Context(), p, c, r, false))
	return e, must(e.graph(t.Context(), near(dir), ""))
}

const dependency = `package dep

import (
	"os"
	"os/exec"
)

// Same is what its caller may suppose of it, and it hides a source and a sink.
func Same(s string) string { exec.Command(os.Getenv("HIDDEN"), s); return s }

func Fill(to *string, from string) { *to = from }
`

// TestDependenciesAreSupposed: results are made of all arguments, and so is what pointers lead to. What they do
// themselves is no finding, and a finding through one says so.
func TestDependenciesAreSupposed(t *testing.T) {
	list, _ := findingsOf(t, map[string]string{
		"go.mod":     "module main\n\ngo 1.25\n\nrequire example.com/dep v1.0.0\n\nreplace example.com/dep => ./dep\n",
		"dep/go.mod": "module example.com/dep\n\ngo 1.25\n",
		"dep/dep.go": dependency,
		"main.go": `package main

import (
	"os"
	"os/exec"

	"example.com/dep"
)

func main() {
	exec.Command(dep.Same(os.Getenv("A")))
	var filled string
	dep.Fill(&filled, os.Getenv("B"))
	exec.Command(filled)
	exec.Command(os.Getenv("C"))
}
`,
	})
	if len(list) != 3 {
		t.Fatalf("%d findings, want 3: %+v", len(list), list)
	}
	for i, want := range []struct {
		line int
		by   []string
	}{{11, []string{"example.com/dep.Same"}}, {14, []string{"example.com/dep.Fill"}}, {15, nil}} {
		f := list[i]
		if f.Sink.File != "main.go" || f.Sink.Line != want.line || !slices.Equal(f.Because, want.by) || (f.Confidence == exact) != (want.by == nil) {
			t.Errorf("got %+v, want line %d because of %v", f, want.line, want.by)
		}
	}
}

// TestFindingIsAPlace: sources and copies of functions do not make more of them; the nearest source is named, and its
// path has a step a line.
func TestFindingIsAPlace(t *testing.T) {
	list, _ := findingsOf(t, map[string]string{"go.mod": "module main\n\ngo 1.25\n", "main.go": `package main

import (
	"os"
	"os/exec"
)

type job struct{ name string }

func run(j *job) {
	exec.Command(string([]byte(j.name)))
}

func isValid(s string) bool { return len(s) > 3 }

func main() {
	far := os.Getenv("A")
	for range 3 {
		far += "x"
	}
	if len(os.Args) > 1 {
		run(&job{far + far})
	}
	near, _ := os.LookupEnv("B")
	j := job{}
	j.name = near
	run(&j)
	if isValid(near) {
		exec.Command(near)
	}
}
`})
	if len(list) != 2 {
		t.Fatalf("%d findings, want 2: %+v", len(list), list)
	}
	f := list[0]
	if f.Sink.Line != 11 || f.From != "os.LookupEnv" || f.Others != 1 || f.CWE != 78 || f.Confidence != exact || f.Sink.Procedure != "main.run" || f.Callee != "os/exec.Command" {
		t.Errorf("%+v", f)
	}
	var lines []int
	words := ""
	for _, s := range f.Path {
		lines = append(lines, s.Line)
		words += s.Words + "; "
	}
	if !slices.Equal(lines, []int{24, 11}) || !strings.Contains(words, "stored in field name") || !strings.Contains(words, "passed to main.run as j") {
		t.Errorf("lines %v: %s", lines, words)
	}
	if g := list[1]; g.Sink.Line != 29 || g.Confidence != guarded || !slices.Contains(g.Because, "checked by isValid") {
		t.Errorf("%+v", g)
	}
}

// TestStepsNameProcedures without the folders of their packages.
func TestStepsNameProcedures(t *testing.T) {
	for name, want := range map[string]string{
		"main.run":                              "main.run",
		"example.org/a/b.F":                     "b.F",
		"(*example.org/a/b.T).M":                "(*b.T).M",
		"(example.org/a/b.T).M{f: example/c.G}": "(b.T).M",
		"(*shop.query).where":                   "(*shop.query).where",
		"example.org/a.Map[[]example.org/b.T]":  "a.Map[[]example.org/b.T]",
		"example.org/a/b.F$1":                   "b.F$1",
	} {
		if got := short(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestLadder: where handlers of many types may each have any other, some fields become one for all values. The rest
// stay exact.
func TestLadder(t *testing.T) {
	var text strings.Builder
	text.WriteString("package main\n\nimport (\n\t\"os\"\n\t\"os/exec\"\n)\n\ntype handler interface{ do(s string) string; s() string }\n\ntype last struct{ t string }\n\nfunc (l *last) s() string { return \"\" }\n\nfunc (l *last) do(s string) string { l.t = s; return \"\" }\n")
	const n = 30
	for i := range n {
		fmt.Fprintf(&text, "\ntype h%d struct{ a%d, b%d, next%d handler; s%d string }\n\nfunc (h *h%d) s() string { return h.s%d }\n\nfunc (h *h%d) do(s string) string { h.s%d = s; return h.next%d.do(h.s%d) + h.a%d.do(\"\") + h.b%d.s() }\n", i, i, i, i, i, i, i, i, i, i, i, i, i)
	}
	text.WriteString("\nfunc main() {\n\tvar h handler = &last{}\n\tfor range os.Args {\n")
	for i := range n {
		fmt.Fprintf(&text, "\t\th = &h%d{next%d: h, a%d: h, b%d: h}\n", i, i, i, i)
	}
	text.WriteString("\t}\n\th.do(os.Getenv(\"A\"))\n\texec.Command(h.s())\n\texec.Command(os.Getenv(\"B\"))\n}\n")
	list, e := findingsOf(t, map[string]string{"go.mod": "module main\n\ngo 1.25\n", "main.go": text.String()})
	t.Logf("rung %d, %d steps, %d fields of %d, flat %v", e.heap.rung, e.heap.steps, len(e.heap.demoted), len(e.heap.texts), e.instead)
	if e.heap.rung == 0 || e.instead {
		t.Error("no field is demoted, or all are")
	}
	if len(list) != 2 || list[1].Confidence != exact {
		t.Errorf("%+v", list)
	}
}

// TestFieldsOfAllValuesAreSaid: a finding through a field that is one for all values, such as one behind a long path, names it.
func TestFieldsOfAllValuesAreSaid(t *testing.T) {
	var text strings.Builder
	text.WriteString("package main\n\nimport (\n\t\"os\"\n\t\"os/exec\"\n)\n\n")
	path := "v"
	for i := range mostDepth + 3 {
		fmt.Fprintf(&text, "type t%d struct{ f%d t%d }\n\n", i, i, i+1)
		path += fmt.Sprintf(".f%d", i)
	}
	fmt.Fprintf(&text, "type t%d struct{ last string }\n\nfunc set(v *t0, s string) { %[2]s.last = s }\n\nfunc get(v *t0) string { return %[2]s.last }\n\n"+
		"func main() {\n\tv := new(t0)\n\tset(v, os.Getenv(\"A\"))\n\texec.Command(get(v))\n}\n", mostDepth+3, path)
	list, _ := findingsOf(t, map[string]string{"go.mod": "module main\n\ngo 1.25\n", "main.go": text.String()})
	if len(list) != 1 || list[0].Confidence != approximated || !slices.Contains(list[0].Because, "field last of all values") {
		t.Errorf("%+v", list)
	}
}

// TestNamesOfChecks: a name says that a function checks only if it looks at the value, and if not all is known of what it accepts. net/http
// checks what begins as plain text.
func TestNamesOfChecks(t *testing.T) {
	list, _ := findingsOf(t, map[string]string{"go.mod": "module main\n\ngo 1.25\n", "main.go": `package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
)

type store interface{ get(name string) error }

type disk struct{}

func (disk) get(name string) error {
	_, err := os.Open("/srv/" + strings.ReplaceAll(name, "/", ""))
	return err
}

func checkStored(s store, name, token string) error {
	if err := s.get(name); err != nil {
		return err
	}
	if token != os.Args[0] {
		return errors.New("no")
	}
	return nil
}

func checkLength(name string) bool { return len(name) > 3 }

func isValid(name string) bool { return strings.HasPrefix(name, "/") }

func isAllowed(name string) bool { return checkLength(name) && name[0] != '-' }

func main() {
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		var s store = disk{}
		a, b, c, d := r.FormValue("a"), r.FormValue("b"), r.FormValue("c"), r.FormValue("d")
		if checkStored(s, a, r.FormValue("t")) == nil {
			exec.Command("sh", "-c", a)
		}
		if checkLength(b) {
			exec.Command("sh", "-c", b)
		}
		if isValid(c) {
			exec.Command("sh", "-c", c)
		}
		if isAllowed(d) {
			exec.Command("sh", "-c", d)
		}
	})
	http.HandleFunc("/page", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "no %s", r.FormValue("a"))
		fmt.Fprintf(w, "<p>%s</p>", r.FormValue("a"))
	})
	http.HandleFunc("/html", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "<p>%s</p>", r.FormValue("a"))
	})
}
`})
	guards := make(map[string]bool)
	for _, f := range list {
		if f.Class != "path" {
			guards[fmt.Sprint(f.Class, f.Sink.Line)] = f.Confidence == guarded
		}
	}
	want := map[string]bool{"command42": false, "command45": true, "command48": false, "command51": true, "xss55": true, "xss56": true, "xss59": false}
	if !maps.Equal(guards, want) {
		t.Errorf("guarded are %v, want %v", guards, want)
	}
}

// TestSourcesAreCountedTogetherAsTheyAreApart: one search finds the nearest source and how many others there are, or two do. Behind a
// check of unknown content there is one more.
func TestSourcesAreCountedTogetherAsTheyAreApart(t *testing.T) {
	files := map[string]string{"go.mod": "module m\n\ngo 1.25\n", "main.go": `package main

import (
	"net/http"
	"os/exec"
)

func isSafe(s string) bool { return len(s) > 3 && s[0] != '-' }

func run(s string) { exec.Command(s).Run() }

func main() {
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		run(r.FormValue("a"))
		run(r.Host)
		b := r.UserAgent() + r.Referer()
		w.Write([]byte(b))
		if c := r.RequestURI; isSafe(c) {
			exec.Command(c).Run()
		}
	})
	http.ListenAndServe(":1", nil)
}
`}
	most := mostTogether
	t.Cleanup(func() { mostTogether = most })
	together, _ := findingsOf(t, files)
	mostTogether = 0
	apart, _ := findingsOf(t, files)
	if !reflect.DeepEqual(together, apart) {
		t.Errorf("together:\n%+v\napart:\n%+v", together, apart)
	}
	var others []int
	for _, f := range together {
		others = append(others, f.Others)
	}
	if !slices.Equal(others, []int{1, 0, 1}) {
		t.Errorf("%d others: %+v", others, together)
	}
}
