package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestWhatCannotBeLoadedIsAnError that says what to do, and leaves no file. A command line that makes no sense has exit status 2.
func TestWhatCannotBeLoadedIsAnError(t *testing.T) {
	t.Setenv("GOPROXY", "off") // no network
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOTOOLCHAIN", "local")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"broken/go.mod": "module main\n\ngo 1.25\n", "broken/main.go": "package main\n\nfunc main() { missing() }\n",
		"alone/go.mod": "module main\n\ngo 1.25\n", "alone/main.go": "package main\n\nimport \"example.com/x\"\n\nfunc main() { x.X() }\n",
		"newer/go.mod": "module newer\n\ngo 1.99\n", "newer/main.go": "package main\n\nfunc main() {}\n",
		"none/go.mod": "module none\n\ngo 1.25\n", "unmodular/main.go": "package main\n\nfunc main() {}\n",
		"tagged/go.mod": "module tagged\n\ngo 1.25\n", "tagged/main.go": "//go:build special\n\npackage main\n\nfunc main() {}\n",
		"work/go.work": "go 1.25\n\nuse ./a\n", "work/a/go.mod": "module a\n\ngo 1.25\n", "work/a/a.go": "package a\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, in := filepath.Join(dir, "app.vyg"), func(name string) string { return filepath.Join(dir, name) }
	for _, c := range []struct {
		status int
		want   string
		args   []string
	}{
		{1, "do not compile:\n" + filepath.Join(dir, "broken", "main.go") + ":3:15: undefined: missing\n", []string{"-C", in("broken"), "."}},
		{1, "cannot be loaded:\nstat " + filepath.Join(dir, "broken", "nowhere"), []string{"-C", in("broken"), "./nowhere"}},
		{1, "main.go:3:8: could not import example.com/x (main.go:3:8: no required module provides package example.com/x; to add it:\n\tgo get example.com/x)", []string{"-C", in("alone"), "."}},
		{1, "go.mod in " + in("newer") + " wants Go 1.99, and the go command there is " + runtime.Version() + "; take go1.99 or later, and make gossa anew with it", []string{"-C", in("newer"), "."}},
		{1, "no packages match ./... in " + in("none"), []string{"-C", in("none"), "./..."}},
		{1, "go.mod file not found", []string{"-C", in("unmodular"), "."}},
		{1, "there is no go.mod in " + in("unmodular"), []string{"-C", in("unmodular"), "./..."}},
		{1, "files for other build tags (--tags)", []string{"-C", in("tagged"), "./..."}},
		{1, "patterns name packages of modules that " + in("work/go.work") + " uses", []string{"-C", in("work"), "./..."}},
		{1, in("nothing"), []string{"-C", in("nothing"), "."}},
		{1, "main.go is no folder", []string{"-C", in("broken/main.go"), "."}},
		{1, in("nothing"), []string{"-C", in("alone"), ".", "-o", in("nothing/app.vyg")}},
		{2, "a graph of tain ./... goes to a file", []string{"tain", "./..."}},
		{2, "--classes sq: no rule has a sink of that class; there are command,", []string{"taint", "-C", in("broken"), ".", "--classes", "sq"}},
		{2, "negative", []string{"-C", in("broken"), ".", "--levels=-1"}},
		{2, "no format", []string{"-C", in("broken"), ".", "-o", out + ".pdf"}},
		{2, "gossa graph --help", []string{"-C", in("broken")}},
		{2, "--calls", []string{"-C", in("broken"), ".", "--calls", "guessed"}},
	} {
		if !slices.Contains(c.args, "-o") && c.args[0] == "-C" {
			c.args = append(c.args, "-o", out)
		}
		var said, rest bytes.Buffer
		if status := run(t.Context(), c.args, &rest, &said); status != c.status || !strings.Contains(said.String(), c.want) || rest.Len() > 0 {
			t.Errorf("%q: exit status %d, %s%s\nwant %d, %s", c.args, status, said.String(), rest.String(), c.status, c.want)
		}
	}
	var help bytes.Buffer
	if status := run(t.Context(), nil, &help, &help); status != 2 || !strings.Contains(help.String(), "gossa") {
		t.Errorf("without arguments: exit status %d, %s", status, help.String())
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a file was written")
	}
}

// TestPackagesAreThoseOfTheGoCommand: with build tags, a vendor folder, a workspace, and what cgo makes.
func TestPackagesAreThoseOfTheGoCommand(t *testing.T) {
	const sink = "package lib\n\nfunc Run(s string) { println(s) }\n"
	program := func(lib string) string {
		return "package main\n\nimport \"" + lib + "\"\n\nfunc secret() string { return \"\" }\n\nfunc main() { lib.Run(secret()) }\n"
	}
	rulesFile := filepath.Join(t.TempDir(), "rules")
	if err := os.WriteFile(rulesFile, []byte("source m.secret result\nsink lib.Run arg 0 log\nsink m/lib.Run arg 0 log\nsink example.org/lib.Run arg 0 log\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		files    map[string]string
		tags     string
		patterns []string
	}{
		"tags": {map[string]string{"go.mod": "module m\n\ngo 1.25\n", "main.go": "//go:build special\n\n" + program("m/lib"), "lib/lib.go": sink}, "other,special", []string{"./..."}},
		"vendor": {map[string]string{"go.mod": "module m\n\ngo 1.25\n\nrequire example.org/lib v1.0.0\n", "main.go": program("example.org/lib"),
			"vendor/modules.txt":            "# example.org/lib v1.0.0\n## explicit; go 1.25\nexample.org/lib\n",
			"vendor/example.org/lib/lib.go": sink}, "", []string{"./..."}},
		"workspace": {map[string]string{"go.work": "go 1.25\n\nuse ./m\nuse ./lib\n", "m/go.mod": "module m\n\ngo 1.25\n", "m/main.go": program("lib"),
			"lib/go.mod": "module lib\n\ngo 1.25\n", "lib/lib.go": sink}, "", []string{"./m/...", "./lib/..."}},
		"cgo": {map[string]string{"go.mod": "module m\n\ngo 1.25\n", "main.go": program("m/lib"),
			"lib/lib.go": "package lib\n\n// static int one(void) { return 1; }\nimport \"C\"\n\nfunc Run(s string) { C.one(); println(s) }\n"}, "", []string{"./..."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("GOFLAGS", "") // -mod in it would leave a vendor folder out
			dir := t.TempDir()
			(&corpus{dir: dir}).writeAll(t, c.files)
			r, err := newRules([]string{rulesFile})
			if err != nil {
				t.Fatal(err)
			}
			p, made, err := loading{Patterns: c.patterns, Tags: c.tags, Calls: "vta", Dir: dir, Levels: 3, More: 0.1, Quiet: true}.program(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			e := must(valuesOf(t.Context(), p, made, r, false))
			g, err := e.graph(t.Context(), near(dir), "")
			if err != nil {
				t.Fatal(err)
			}
			if got := e.flowing(t, g, "exact", nil); len(got) != 1 {
				t.Errorf("%d flows, want 1", len(got))
			}
		})
	}
}
