package main

import (
	"encoding/csv"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/govyre/vyre/internal/testing/long"
)

var evaluation = flag.String("evaluation", "", "with -long: write the table of findings in programs of others to this `FILE`")

// reported is a finding as evaluations look at it.
type reported struct {
	class    string
	at, from string // FILE:LINE of the sink, and of a source
}

// asked is what an evaluation asks of packages.
type asked struct {
	dir      string
	patterns []string
	sources  []string // classes, beside those that are on by default
	samples  bool     // every function is a root, because most have no caller
	library  bool     // what is exported is one
}

// taintsOf are the findings in packages.
func taintsOf(t *testing.T, a asked) (list []reported, err error) {
	t.Helper()
	r, err := newRules(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.choose(a.sources); err != nil {
		t.Fatal(err)
	}
	p, err := loadLight(t, a.dir, a.patterns)
	if err != nil {
		return nil, err
	}
	if a.samples {
		everyFunction(p)
	}
	if a.library {
		p.export()
	}
	made, err := loading{Calls: "vta", Levels: 3, More: 0.1, rules: r}.calls(t.Context(), p)
	if err != nil {
		return nil, err
	}
	e, err := valuesOf(t.Context(), p, made, r, false)
	if err != nil {
		return nil, err
	}
	g, err := e.graph(t.Context(), near(a.dir), "")
	if err != nil {
		return nil, err
	}
	found, err := e.findings(t.Context(), g, "cpu", "exact", nil)
	if err != nil {
		return nil, err
	}
	shown := make(map[reported]bool) // without sources
	for _, f := range found {
		if f.Confidence != guarded {
			shown[reported{class: f.Class, at: f.Sink.line()}] = true
		}
	}
	for _, p := range e.flowing(t, g, "exact", nil) {
		one := reported{p.class, line(g.Position(p.sink)), line(g.Position(p.source.Nodes[0]))}
		if shown[reported{class: one.class, at: one.at}] && !slices.Contains(list, one) {
			list = append(list, one)
		}
	}
	return list, nil
}

// loadLight loads packages as gossa taint does.
func loadLight(t *testing.T, dir string, patterns []string) (*program, error) {
	l, err := list(t.Context(), dir, false, "", patterns)
	if err != nil {
		return nil, err
	}
	l.p.light = true
	return l.load(t.Context())
}

// everyFunction makes all functions of the packages roots.
func everyFunction(p *program) {
	p.roots = nil
	for f := range p.names.Functions() {
		if slices.Contains(p.named, f.Pkg) && !isTemplate(f) {
			p.roots = append(p.roots, f)
		}
	}
	p.names.Sort(p.roots)
}

// evaluated is a row of the table.
type evaluated struct {
	what               string
	wanted, found      int
	others, knownFalse int
}

// other counts a finding that a suite does not want. Each has a mark.
func (e *evaluated) other(t *testing.T, mark, at string) {
	t.Helper()
	e.others++
	switch mark {
	case "want":
	case "false":
		e.knownFalse++
	default:
		t.Errorf("new: %s of %s; read it, and mark it in testdata/suites.txt", at, e.what)
	}
}

// writeEvaluation writes rows as a file of docs/evidence.
func writeEvaluation(file string, rows []evaluated) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	commit, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return err
	}
	fmt.Fprintf(f, "# measures: findings of gossa in programs of others\n# machine: any: findings are counted, with %s\n# driver: none\n# commit: %s\n# date: %s\n"+
		"# command: `go -C producers/gossa test -run Evaluation -long -programs -checkouts FOLDER -codeql FOLDER -evaluation FILE -v -timeout 0 .`\n",
		runtime.Version(), strings.TrimSpace(string(commit)), time.Now().UTC().Format(time.DateOnly))
	w := csv.NewWriter(f)
	w.Write([]string{"", "expected lines", "reported of these", "others", "of these known to be false"})
	for _, r := range rows {
		w.Write([]string{r.what, fmt.Sprint(r.wanted), fmt.Sprint(r.found), fmt.Sprint(r.others), fmt.Sprint(r.knownFalse)})
	}
	w.Flush()
	if err := w.Error(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// writeModule writes files into a folder, with a go.mod if there is none.
func writeModule(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	if _, is := files["go.mod"]; !is {
		files["go.mod"] = "module samples\n\ngo 1.25\n"
	}
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// inFolder are the lines that are in files below a folder.
func inFolder(list []reported, folder string, classes ...string) (lines []string) {
	for _, r := range list {
		if strings.HasPrefix(r.at, folder+"/") && slices.Contains(classes, r.class) && !slices.Contains(lines, r.at) {
			lines = append(lines, r.at)
		}
	}
	return lines
}

func sortedRules(m map[string][]string) []string { return slices.Sorted(maps.Keys(m)) }

// TestEvaluation counts the findings in programs that others have written, and marked.
func TestEvaluation(t *testing.T) {
	long.Only(t, "asks of hundreds of programs of others, which come by a network")
	var rows []evaluated
	t.Run("gosec", func(t *testing.T) { rows = append(rows, evaluateGosec(t)...) })
	t.Run("CodeQL", func(t *testing.T) { rows = append(rows, evaluateCodeql(t)...) })
	t.Run("programs", func(t *testing.T) { rows = append(rows, evaluatePrograms(t)...) })
	for _, r := range rows {
		t.Logf("%s: %d of %d, %d others", r.what, r.found, r.wanted, r.others)
	}
	if *evaluation != "" {
		if err := writeEvaluation(*evaluation, rows); err != nil {
			t.Fatal(err)
		}
	}
}
