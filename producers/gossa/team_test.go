package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestCommentsEndFindings: those of the line or of the one below, of the class, with a reason. Others are notes. gosec's are
// honoured if they name no rule, or one about the same.
func TestCommentsEndFindings(t *testing.T) {
	const text = `package p

func f() {
	a() //gossa:ignore sql the table is our own
	//gossa:ignore sql checked above
	b()
	//gossa:ignore command it is in a list
	//gossa:ignore sql both are checked
	// by hand

	c()
	d() //gossa:ignore sql
	//gossa:ignore sqli typed wrongly
	e()
	//gossa:ignore command nothing is here
	g()
	h() // #nosec
	/* #nosec G204 -- a constant */
	i()
	j() // #nosec G101
	k(` + "`" + `
	//gossa:ignore sql in a string
` + "`" + `)
	l() // gossa:ignore sql a space is before it
	m() /* x */ //gossa:ignore sql behind another comment
}
`
	dir := t.TempDir()
	(&corpus{dir: dir}).write(t, "p.go", text)
	file := filepath.Join(dir, "p.go")
	at := func(call, class string) finding {
		before, _, _ := strings.Cut(text, "\t"+call+"(")
		return finding{Class: class, Callee: call, Sink: spot{File: "p.go", Line: strings.Count(before, "\n") + 1}}
	}
	a := &answer{tree: must(newTree(dir, []string{file})), Findings: []finding{at("a", "sql"), at("b", "sql"), at("b", "command"), at("c", "command"), at("c", "sql"), at("d", "sql"),
		at("e", "sql"), at("g", "sql"), at("h", "sql"), at("i", "command"), at("i", "sql"), at("j", "sql"), at("k", "sql"), at("l", "sql"), at("m", "sql")}}
	all := *a
	if err := a.ignore([]string{file}, []string{"command", "sql"}, true); err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, f := range a.Findings {
		left = append(left, f.Callee+" "+f.Class)
	}
	if want := []string{"b command", "d sql", "e sql", "g sql", "i sql", "j sql", "k sql", "l sql"}; !reflect.DeepEqual(left, want) || a.Ignored != 5 || a.Nosec != 2 {
		t.Errorf("left: %q, %d ignored, %d with #nosec; want %q, 5, 2", left, a.Ignored, a.Nosec, want)
	}
	want := []string{"p.go:12: //gossa:ignore: it gives no reason: //gossa:ignore sql REASON", `p.go:13: //gossa:ignore: no class is called "sqli"; there are command, sql`,
		"p.go:15: //gossa:ignore: it ignores nothing: take it away"}
	if !reflect.DeepEqual(a.Notes, want) {
		t.Errorf("notes: %q\nwant %q", a.Notes, want)
	}
	all.Notes = nil
	if err := all.ignore([]string{file}, []string{"command", "sql"}, false); err != nil || len(all.Notes) != 1 {
		t.Errorf("if not all classes are asked for: %v, %q", err, all.Notes)
	}
	if err := a.ignore([]string{file + ".gone"}, nil, true); err == nil {
		t.Error("a file that is not there")
	}
}

// TestModulesHaveFlags in a file of their own, and what is wrong with it is told with its line.
func TestModulesHaveFlags(t *testing.T) {
	dir := t.TempDir()
	c := &corpus{dir: dir}
	c.write(t, "go.mod", "module m\n")
	c.write(t, "sub/x.go", "package sub\n")
	in := filepath.Join(dir, "sub")
	for text, want := range map[string]any{
		"# for all\n\n--fail-on any\n--classes=sql,command\n  --tests  \n": []string{"taint", "--fail-on=any", "--classes=sql,command", "--tests", "-C", in, "./..."},
		"--rules rules.txt\n--baseline -":                                  []string{"taint", "--rules=" + filepath.Join(dir, "rules.txt"), "--baseline=-", "-C", in, "./..."},
		"":                                                                 []string{"taint", "-C", in, "./..."},
		"--tests\n--fail-on some\n":                                        dir + "/.gossa:2: --fail-on must be one of",
		"--no-such\n":                                                      dir + "/.gossa:1: unknown flag --no-such",
		"./...\n":                                                          `.gossa:1: "./..." is not a flag`,
		"--dir /\n":                                                        ".gossa:1: --dir says where this file is looked for",
		"--levels many":                                                    ".gossa:1: --levels: expected a valid",
	} {
		c.write(t, ".gossa", text)
		got, err := withConfig([]string{"taint", "-C", in, "./..."})
		switch want := want.(type) {
		case []string:
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%q: %q, %v; want %q", text, got, err, want)
			}
		case string:
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %q, %v; want %s", text, got, err, want)
			}
		}
	}
	c.write(t, ".gossa", "no flag\n")
	if _, said := gossa(t, 2, "taint", "-C"+in, "./..."); !strings.Contains(said, ".gossa:1") {
		t.Error(said)
	}
	for _, args := range [][]string{nil, {"graph", "-C", in}, {"taint", "-C", t.TempDir()}} {
		if got, err := withConfig(args); err != nil || !reflect.DeepEqual(got, args) {
			t.Errorf("%q: %q, %v", args, got, err)
		}
	}
	for want, args := range map[string][]string{".": {"./..."}, "a": {"-C", "a"}, "b": {"-Cb"}, "c": {"--dir=c", "x"}, "d": {"--dir", "d", "--", "-C", "e"}} {
		if got := folderIn(args); got != want {
			t.Errorf("%q: folder %s, want %s", args, got, want)
		}
	}
}

// repository makes one of git, with the sample in its first version.
func repository(t *testing.T) (dir string, commit func(string)) {
	t.Helper()
	dir = sample(t)
	root := filepath.Dir(dir)
	if err := os.RemoveAll(filepath.Join(root, ".git")); err != nil {
		t.Fatal(err)
	}
	do := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("git", append([]string{"-C", root, "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	do("init", "-q")
	commit = func(tag string) { do("add", "-A"); do("commit", "-q", "-m", tag); do("tag", tag) }
	commit("first")
	return dir, commit
}

// TestDiffPrintsWhatIsNew, and leaves neither files nor another state of the repository.
func TestDiffPrintsWhatIsNew(t *testing.T) {
	t.Setenv("GOFLAGS", "")
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	dir, _ := repository(t)
	main := filepath.Join(dir, "main.go")
	text := string(must(os.ReadFile(main)))
	if err := os.WriteFile(main, []byte("// more\n"+strings.Replace(text, "run.It(name)", "run.It(name)\n\tdb.Exec(mode)\n\tnote(mode)", 1)+"\nfunc note(s string) {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	rules := filepath.Join(t.TempDir(), "rules") // about what the base does not have
	if err := os.WriteFile(rules, []byte("sink example.org/service.note arg 0 log\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, _ := gossa(t, 3, "diff", "first", "-q", "--fail-on", "any", "--rules", rules, "-C", dir, "./...")
	if !strings.HasPrefix(got, "main.go:29: sql (CWE-89): database/sql.(*DB).Exec ← net/http.(*Request).FormValue") || !strings.Contains(got, "\n2 findings, 3 in the base") {
		t.Error(got)
	}
	if status := string(output(t, exec.Command("git", "-C", dir, "status", "--porcelain"))); status != " M service/main.go\n" {
		t.Errorf("git sees %q", status)
	}
	if left := must(filepath.Glob(temporary + "/gossa-*")); left != nil {
		t.Errorf("left: %q", left)
	}
	for want, args := range map[string][]string{"does not know the version nowhere": {"nowhere", "-C", dir, "./..."}, "does not know the version --all": {"-C", dir, "--", "--all", "./..."}} {
		if _, said := gossa(t, 2, append([]string{"diff"}, args...)...); !strings.Contains(said, want) {
			t.Error(said)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	c := diffCmd{Base: "first", analysis: analysis{loading: loading{Dir: dir, Patterns: []string{"./..."}, Calls: "vta", Quiet: true}}}
	if _, err := c.before(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Error("interrupted:", err)
	}
	if left := must(filepath.Glob(temporary + "/gossa-*")); left != nil {
		t.Errorf("left after an interrupt: %q", left)
	}
}

// editor speaks to a server as an editor does.
type editor struct {
	t *testing.T
	*connection
	ended chan error
	close func()
}

func newEditor(t *testing.T, ask func(context.Context) (*answer, error)) *editor {
	toServer, fromEditor := io.Pipe()
	toEditor, fromServer := io.Pipe()
	e := &editor{t, &connection{in: bufio.NewReader(toEditor), out: fromEditor}, make(chan error, 1), func() { fromEditor.Close() }}
	v := &server{connection: connection{in: bufio.NewReader(toServer), out: fromServer}, ask: ask, shown: make(map[string]bool)}
	go func() { e.ended <- v.serve(t.Context()); fromServer.Close() }()
	return e
}

// wants reads a message, and looks whether it has a text.
func (e *editor) wants(texts ...string) {
	e.t.Helper()
	m, err := e.read()
	got := string(must(json.Marshal(m)))
	for _, text := range texts {
		if err != nil || !strings.Contains(got, text) {
			e.t.Fatalf("%v %s\nwant %s", err, got, text)
		}
	}
}

func (e *editor) says(id, method string) {
	e.t.Helper()
	if err := e.write(rpcMessage{ID: json.RawMessage(id), Method: method, Params: map[string]any{}}); err != nil {
		e.t.Fatal(err)
	}
}

// TestEditorsSeeFindings with their paths, in units of UTF-16; when a file was saved, what is so then. A question that another save
// overtakes is not finished.
func TestEditorsSeeFindings(t *testing.T) {
	dir := t.TempDir()
	c := &corpus{dir: dir}
	c.write(t, "a b.go", "package p\n\nvar x = `日本😀` + y()\n")
	file := filepath.Join(dir, "a b.go")
	tree := must(newTree(dir, []string{file}))
	column := len("var x = `日本😀` + y") + 1
	one := &answer{tree: tree, Findings: []finding{{Class: "sql", CWE: 89, Severity: 8.8, Callee: "y", From: "net/http.Request.Body", Sink: spot{File: "a b.go", Line: 3, Column: column},
		Path: []step{{spot{File: "a b.go", Line: 1, Column: 1}, "here"}, {spot{File: "other/x.go", Line: 1}, "there"}}}}}
	asked, overtaken := 0, make(chan bool, 1)
	e := newEditor(t, func(ctx context.Context) (*answer, error) {
		asked++
		switch asked {
		case 1:
			return one, nil
		case 2:
			<-ctx.Done()
			overtaken <- true
			return nil, ctx.Err()
		case 3:
			return nil, errors.New("it does not compile")
		}
		return &answer{tree: tree}, nil
	})
	e.says("1", "textDocument/hover")
	e.wants(fmt.Sprint(notInitialized))
	e.says("2", "initialize")
	e.wants(`"id":2`, `"save":{}`)
	e.says("", "initialized")
	e.wants(uriOf(file), `a%20b.go`, `"range":{"start":{"line":2,"character":18},"end":{"line":2,"character":20}}`, "go/sql", "sql (CWE-89): y ← net/http.Request.Body",
		`"relatedInformation":[{"location":{"uri":"`+uriOf(file)+`","range":{"start":{"line":0,"character":0},"end":{"line":0,"character":9}}},"message":"here"}]`)
	e.wants("1 finding; ")
	e.says("", "textDocument/didSave")
	e.says("3", "textDocument/hover")
	e.wants(fmt.Sprint(methodNotFound))
	e.says("", "textDocument/didSave")
	e.wants("window/showMessage", "it does not compile")
	<-overtaken
	e.says("", "textDocument/didSave")
	e.wants(uriOf(file), `"diagnostics":[]`)
	e.wants("0 findings; ")
	e.says("4", "shutdown")
	e.wants(`"id":4`)
	e.says("", "exit")
	if err := <-e.ended; err != nil {
		t.Error(err)
	}
}

// TestServeAsksPackages that its command line names.
func TestServeAsksPackages(t *testing.T) {
	t.Setenv("GOFLAGS", "")
	dir := sample(t)
	toServer, fromEditor := io.Pipe()
	toEditor, fromServer := io.Pipe()
	e := &editor{t, &connection{in: bufio.NewReader(toEditor), out: fromEditor}, make(chan error, 1), nil}
	c := serveCmd{analysis{loading: loading{Dir: dir, Patterns: []string{"./..."}, Calls: "vta", Levels: 3, More: 0.1}, Contexts: "exact"}}
	go func() { e.ended <- c.Run(t.Context(), streams{toServer, fromServer, io.Discard}) }()
	e.says("1", "initialize")
	e.wants(`"id":1`)
	e.says("", "initialized")
	e.wants("publishDiagnostics", "go/", uriOf(dir))
	go io.Copy(io.Discard, e.in)
	e.says("2", "shutdown")
	e.says("", "exit")
	if err := <-e.ended; err != nil {
		t.Error(err)
	}
}

// TestEditorsThatBreakOffAreErrors, and what is no message is one.
func TestEditorsThatBreakOffAreErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "went away",
		"Content-Length: 17000000\r\n\r\n": "want a number up to",
		"Content-Length: -1\r\n\r\n":       "want a number up to",
		"Content-Length: 4\r\n\r\n{}":      "unexpected EOF",
		"Content-Length: 2\r\n\r\n{]":      "invalid character",
		"hello\r\n":                        "header of a message",
		"Content-Length: 33\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}": "without asking",
	} {
		e := newEditor(t, nil)
		go func() { io.WriteString(e.out, text); e.close() }()
		if err := <-e.ended; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
