package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	reader "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/xeipuuv/gojsonschema"
	"golang.org/x/tools/txtar"

	"github.com/govyre/vyre/internal/sarif"
)

var update = flag.Bool("update", false, "write the documents of testdata/output again")

// sample writes the program of testdata/output, in a repository whose root is above its module, and returns the module's folder.
func sample(t *testing.T) string {
	t.Helper()
	root := &corpus{dir: t.TempDir()}
	for _, f := range must(txtar.ParseFile("testdata/output/program.txtar")).Files {
		root.write(t, f.Name, string(f.Data))
	}
	return filepath.Join(root.dir, "service")
}

// gossa runs a command, and returns what it prints.
func gossa(t *testing.T, want int, args ...string) (out, said string) {
	t.Helper()
	var o, e bytes.Buffer
	if status := run(t.Context(), args, &o, &e); status != want {
		t.Fatalf("gossa %q: exit status %d, want %d\n%s%s", args, status, want, o.String(), e.String())
	}
	return o.String(), e.String()
}

// TestFindingsHaveThreeForms, each of which is as in testdata/output, wherever the repository is.
func TestFindingsHaveThreeForms(t *testing.T) {
	t.Setenv("GOFLAGS", "")
	versions := regexp.MustCompile(`("version": "|"tool":"gossa )[^"2][^"]*"`)
	for form, flags := range map[string][]string{"text": nil, "json": {"--json", "--unreached"}, "sarif": {"--sarif"}} {
		got, said := gossa(t, 3, append([]string{"taint", "-q", "--fail-on", "any", "-C", sample(t), "./..."}, flags...)...)
		got = versions.ReplaceAllString(got, `${1}VERSION"`)
		if form != "text" {
			var indented bytes.Buffer
			if err := json.Indent(&indented, []byte(got), "", " "); err != nil {
				t.Fatal(err)
			}
			got = indented.String()
		}
		got += "\nstandard error:\n" + said
		file := "testdata/output/golden." + form
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if want := string(must(os.ReadFile(file))); got != want {
			t.Errorf("%s: run go test -run ThreeForms -update, and look at the difference\n%s", file, got)
		}
	}
}

// TestSARIFFollowsItsSchema: that of OASIS, with errata, as github.com/owenrumney/go-sarif carries it. That reads it, too.
func TestSARIFFollowsItsSchema(t *testing.T) {
	t.Setenv("GOFLAGS", "")
	schema := gojsonschema.NewStringLoader(publishedSchema(t))
	odd := &answer{tree: must(newTree(t.TempDir(), nil)), Notes: []string{"a\x1b[31m\xff"}}
	odd.Findings = []finding{{}, {Class: "own\x00", Callee: "\u202e", Sink: spot{File: "a b#?%.go", Line: 1}, Others: 3, Confidence: guarded, Because: []string{"x"}, Path: []step{{}}}}
	odd.against(nil, true)
	var none, strange bytes.Buffer
	if err := (&answer{tree: odd.tree}).sarif(&none); err != nil {
		t.Fatal(err)
	}
	if err := odd.sarif(&strange); err != nil {
		t.Fatal(err)
	}
	real, _ := gossa(t, 0, "taint", "-q", "--sarif", "-C", sample(t), "./...")
	for name, doc := range map[string]string{"no findings": none.String(), "odd ones": strange.String(), "a program's": real} {
		result := must(gojsonschema.Validate(schema, gojsonschema.NewStringLoader(doc)))
		for _, e := range result.Errors() {
			t.Errorf("%s: %s", name, e)
		}
		read := must(reader.FromBytes([]byte(doc)))
		if want := map[string]int{"odd ones": 2, "a program's": 3}[name]; len(read.Runs) != 1 || len(read.Runs[0].Results) != want {
			t.Errorf("%s: another reader finds %d runs, want one with %d results", name, len(read.Runs), want)
		}
	}
	wrong := strings.Replace(real, `"ruleIndex": 0`, `"ruleIndex": "0"`, 1)
	if result := must(gojsonschema.Validate(schema, gojsonschema.NewStringLoader(wrong))); result.Valid() {
		t.Error("the schema refuses nothing")
	}
}

// publishedSchema is in the source of the module as a constant that it does not export.
func publishedSchema(t *testing.T) string {
	t.Helper()
	dir := strings.TrimSpace(string(output(t, exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"))))
	file := must(parser.ParseFile(token.NewFileSet(), filepath.Join(dir, "schema.go"), nil, 0))
	for _, d := range file.Decls {
		for _, s := range d.(*ast.GenDecl).Specs {
			if v, is := s.(*ast.ValueSpec); is && v.Names[0].Name == "schema" {
				text := must(strconv.Unquote(v.Values[0].(*ast.BasicLit).Value))
				if !strings.Contains(text, "docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json") {
					t.Fatal("another schema")
				}
				return text
			}
		}
	}
	t.Fatal("there is no schema")
	return ""
}

// TestSARIFHasNoMoreResultsThanAreTaken: the most severe ones, and a note of the others.
func TestSARIFHasNoMoreResultsThanAreTaken(t *testing.T) {
	a := &answer{tree: must(newTree(t.TempDir(), nil))}
	for i := range mostResults + 3 {
		f := finding{Class: "command", Severity: 9.8, Sink: spot{File: fmt.Sprint(i, ".go"), Line: 1}}
		if i < 5 {
			f.Class, f.Severity = "log", 4.3
		}
		a.Findings = append(a.Findings, f)
	}
	a.against(nil, true)
	var out bytes.Buffer
	if err := a.sarif(&out); err != nil {
		t.Fatal(err)
	}
	var doc sarif.Log
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	low := slices.DeleteFunc(slices.Clone(doc.Runs[0].Results), func(r sarif.Result) bool { return r.Rule != "go/log" })
	if n := len(doc.Runs[0].Results); n != mostResults || len(low) != 2 || !strings.HasPrefix(doc.Runs[0].Invocations[0].Notifications[0].Message.Text, "3 findings are left out") {
		t.Errorf("%d results, %d of the least severe ones, %v", n, len(low), doc.Runs[0].Invocations)
	}
}

// TestGuardedFindingsAreCounted, and printed if somebody asks for them.
func TestGuardedFindingsAreCounted(t *testing.T) {
	a := &answer{Findings: []finding{{Class: "sql", Callee: "a"}, {Class: "sql", Callee: "b", Confidence: guarded, Because: []string{"validate"}}, {Class: "sql", Callee: "c", Confidence: guarded}}}
	known := map[string]bool{a.Findings[2].id(): true}
	a.against(known, false)
	if len(a.Shown) != 1 || a.Guarded != 1 || a.Known != 1 || !strings.HasPrefix(a.summary(), "1 finding, 1 in the baseline, 1 behind checks (--guarded); ") {
		t.Error(a.summary())
	}
	a.against(known, true)
	if len(a.Shown) != 2 || a.Guarded != 0 {
		t.Error(a.summary())
	}
}

// TestNotesAreFewForPeople: a document has all.
func TestNotesAreFewForPeople(t *testing.T) {
	a := &answer{Notes: make([]string, mostNotes+7)}
	for as, lines := range map[form]int{{}: mostNotes + 1, {JSON: true}: mostNotes + 1} {
		var out, said bytes.Buffer
		if err := as.print(t.Context(), streams{nil, &out, &said}, a); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(said.String(), "\n"); got != lines || !strings.Contains(said.String(), "and 7 more") {
			t.Errorf("%+v: %s", as, said.String())
		}
		if as.JSON && strings.Count(out.String(), `""`) != len(a.Notes) {
			t.Error(out.String())
		}
	}
}

// TestIdentityOutlivesEdits: of lines above, of other functions, of the name of a file. Another callee, or another procedure, is
// another finding.
func TestIdentityOutlivesEdits(t *testing.T) {
	t.Setenv("GOFLAGS", "")
	dir := sample(t)
	base := filepath.Join(t.TempDir(), "base.json")
	document, _ := gossa(t, 0, "taint", "-q", "--json", "-C", dir, "./...")
	if err := os.WriteFile(base, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	main := filepath.Join(dir, "main.go")
	text := string(must(os.ReadFile(main)))
	edit := func(text string, want int, said string) {
		t.Helper()
		if err := os.WriteFile(main, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, _ := gossa(t, want, "taint", "-q", "--fail-on", "any", "--baseline", base, "-C", dir, "./...")
		if !strings.Contains(got, said) {
			t.Errorf("%s\nwant %s", got, said)
		}
	}
	edit(strings.ReplaceAll(text, "\n\n", "\n\n\n// more\n\n"), 0, "0 findings, 3 in the baseline")
	edit(strings.Replace(text, "db.Query(\"SELECT '", "db.Exec(\"SELECT '", 1), 3, "1 finding, 2 in the baseline")
	edit(text+"\nfunc more(s string) { db.Query(s) }\n\nfunc init() { http.HandleFunc(\"/more\", func(_ http.ResponseWriter, r *http.Request) { more(r.FormValue(\"more\")) }) }\n", 3, "1 finding, 3 in the baseline")
	if err := os.WriteFile(base, []byte(`{"schema":"vyre.taint/1"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, said := gossa(t, 2, "taint", "-q", "--baseline", base, "-C", dir, "./..."); !strings.Contains(said, "gossa.findings/1") {
		t.Error(said)
	}
}
