package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestRulesNameWhatThereIs: every rule of gossa's is about a function, a field or a variable of the standard library.
func TestRulesNameWhatThereIs(t *testing.T) {
	r, err := newRules(nil)
	if err != nil {
		t.Fatal(err)
	}
	paths := make(map[string]bool)
	for _, n := range r.list {
		if n.standard() {
			paths[packageIn(n.name)] = true
		}
	}
	delete(paths, "(error)")
	loaded, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes}, slices.Sorted(maps.Keys(paths))...)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{"(error).Error": true}
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			t.Fatal(p.Errors)
		}
		listNames(p.Types, names)
	}
	for _, n := range r.list {
		if !n.standard() {
			continue
		}
		if slices.Contains(r.prefix, n) {
			if !slices.ContainsFunc(slices.Collect(maps.Keys(names)), func(name string) bool { return strings.HasPrefix(name, n.name) }) {
				t.Errorf("%s: nothing begins with %s", n.at, n.name)
			}
		} else if !names[n.name] {
			t.Errorf("%s: there is no %s", n.at, n.name)
		}
	}
}

// standard reports whether a rule is about the standard library, whose paths have no dot before the first slash.
func (r *rule) standard() bool {
	first, _, deep := strings.Cut(r.name, "/")
	return !r.exported && (!deep || !strings.Contains(first, "."))
}

// packageIn is the path at the beginning of a rule's name: up to the first dot after the last slash.
func packageIn(name string) string {
	slash := strings.LastIndexByte(name, '/') + 1
	path, _, _ := strings.Cut(name[slash:], ".")
	return name[:slash] + path
}

// TestRulesThatMakeNoSense are refused with the line and what is wrong.
func TestRulesThatMakeNoSense(t *testing.T) {
	for text, want := range map[string]string{
		"sink x.F arg 1":                "a sink has a class",
		"sink x.F arg 1 a,":             "a class has no name",
		"sink x.F result sql":           "does not say what of x.F is meant",
		"source x.F":                    "does not say what of x.F is meant",
		"source x.F arg -1":             "arguments count from 0",
		"source":                        "a source names a function",
		"fountain x.F result":           `"fountain" is no kind of rule`,
		"sanitizer x.F field":           "does not say what of x.F is meant",
		"source x.F conversion":         "does not say what of x.F is meant",
		"wrap x.F arg 1":                "a model says where something goes",
		"sanitizer x.F result a b":      `"b" after the classes`,
		"model x.F arg 1":               "a model says where something goes",
		"model x.F arg 1 -> everywhere": `not to "everywhere"`,
		strings.Repeat("a", 5000):       "a rule has at most 4096",
		"source x." + strings.Repeat("F|", 300) + "F result": ":2:8: the line is more than 256 rules",
		"root x.F arg 1":                ":2:6: a root is call",
		"root call x.F":                 `"" does not say which argument of x.F is meant`,
		"root call x.F arg 1 log":       `:2:21: "log" after the argument`,
		"root methods x.F arg 999":      ":2:22: arg 999: arguments count from 0",
		"bind x.F arg 1":                "a bind says what has the request",
		"bind x.F arg 1 from there":     ":2:21: a bind says what has the request",
		"bind x.F arg 1 from arg 1,2":   "a request comes from one argument",
		"guard x.F result":              `:2:11: "result" does not say which argument`,
		"source param x.I.M result":     `:2:20: "result" does not say which argument`,
		"source exported a,b":           "a source has one class at most",
		"source exported a b":           `:2:19: "b" after the classes`,
		"sink x.F arg 1 sql when":       "when is followed by an argument",
		"sink x.F arg 1 sql when arg 0": "when is followed by an argument",
		"package":                       ":2:1: package says which ones",
		"source .F result":              ":2:8: .F begins with a dot, and no line before says",
		"source x.F field|variable":     `"field|variable" does not say what`,
	} {
		file := filepath.Join(t.TempDir(), "rules.txt")
		if err := os.WriteFile(file, []byte("# a comment\n"+text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := newRules([]string{file})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), file+":2:") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestHostileRules end with an error: too large a file, too many rules, bytes that are no text.
func TestHostileRules(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"large": {strings.Repeat("# a comment of which there are many\n", 40_000), "a file of rules has at most 1048576"},
		"many":  {"package a b c d e f g h i j k l m n o p\n" + strings.Repeat("source .A|B|C|D|E|F|G|H|I|J|K|L|M result\n", 100), "there are more than 20000 rules"},
		"bytes": {"\x00\xff\xfe source", "is no kind of rule"},
	} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := newRules([]string{file}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if _, err := newRules([]string{t.TempDir()}); err == nil {
		t.Error("a folder is a file of rules")
	}
}

// TestRulesThatMatchNothing are errors with the place of the rule and the names that are most alike, if they are not gossa's own.
func TestRulesThatMatchNothing(t *testing.T) {
	dir := t.TempDir()
	c := &corpus{dir: dir}
	c.writeAll(t, map[string]string{"go.mod": "module m\n\ngo 1.25\n", "main.go": "package main\n\nimport (\n\t\"net/http\"\n\t\"os\"\n)\n\nfunc secret() string { return http.MethodGet }\n\nfunc main() { os.Remove(secret()) }\n"})
	p, err := load(t.Context(), dir, false, "", []string{"."})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "rules")
	for text, want := range map[string]string{
		"source m.secret result":                        "",
		"source m.secrets result":                       file + ":1:8: package m has no secrets; nearest: m.secret",
		"source net/http.(*Request).FormValues result":  "package net/http has no (*Request).FormValues; nearest: net/http.(*Request).FormValue",
		"source net/htp.(*Request).FormValue result":    "the program imports no package that has net/htp.(*Request).FormValue",
		"sink os.Remov* arg 0 path":                     "",
		"sink os.Removx* arg 0 path":                    "package os has no Removx",
		"source param net/http.Handler.ServeHTTP arg 2": "",
		"source param net/http.Server.Handler arg 0":    "",
		"guard github.com/gin-gonic/gin.F arg 0 path":   "the program imports no package that has github.com/gin-gonic/gin.F",
	} {
		c.write(t, "rules", text+"\n")
		r, err := newRules([]string{file})
		if err != nil {
			t.Fatal(err)
		}
		err = r.check(p)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestGuardsAreAboutSoManyClasses, and no more.
func TestGuardsAreAboutSoManyClasses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rules")
	for n, fails := range map[int]bool{mostGuarded: false, mostGuarded + 1: true} {
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, "guard os.Remove arg 0 own%d\n", i)
		}
		if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := newRules([]string{file})
		if (err != nil) != fails {
			t.Errorf("%d classes: %v", n, err)
		}
		if err != nil {
			continue
		}
		bits := fact(0)
		for _, one := range newChecker(nil, r).ruled {
			if one == 0 || bits&one != 0 {
				t.Errorf("%d classes: two have one fact, or one has none", n)
			}
			bits |= one
		}
	}
}

// TestLibrary: with --library what a package exports is a root, and its parameters are values from outside; what it does not export
// and what is internal are not.
func TestLibrary(t *testing.T) {
	c := &corpus{dir: t.TempDir(), lines: make(map[string][]string)}
	text := "package lib\n\nimport (\n\t\"context\"\n\t\"os/exec\"\n)\n\ntype T struct{ tool string }\n\nfunc (t *T) Run(ctx context.Context, name string) {\n" +
		"\texec.CommandContext(ctx, name).Run() // WANT\n\texec.Command(t.tool).Run()\n}\n\nfunc hidden(name string) { exec.Command(name).Run() }\n\nfunc Fixed() { hidden(\"ls\") }\n"
	c.writeAll(t, map[string]string{"go.mod": "module m\n\ngo 1.25\n", "lib/lib.go": text, "internal/in/in.go": strings.Replace(text, "package lib", "package in", 1),
		"main.go": "package main\n\nimport (\n\t\"m/internal/in\"\n\t\"m/lib\"\n)\n\nfunc main() { lib.Fixed(); in.Fixed() }\n"})
	for _, library := range []bool{false, true} {
		found, err := taintsOf(t, asked{dir: c.dir, patterns: []string{"./..."}, library: library})
		if err != nil {
			t.Fatal(err)
		}
		if want := library; len(found) != b2i(want) || want && found[0].at != "lib/lib.go:11" {
			t.Errorf("--library %t: %v", library, found)
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestSourcesOffByDefault: what a program is started with is asked about where somebody wants to know.
func TestSourcesOffByDefault(t *testing.T) {
	dir := t.TempDir()
	(&corpus{dir: dir}).writeAll(t, map[string]string{"go.mod": "module m\n\ngo 1.25\n",
		"main.go": "package main\n\nimport (\n\t\"os\"\n\t\"os/exec\"\n)\n\nfunc main() {\n\texec.Command(os.Args[1]).Run()\n\texec.Command(os.Getenv(\"A\")).Run()\n}\n"})
	for want, sources := range [][]string{0: nil, 2: {"cli"}} {
		if want == 1 {
			continue
		}
		found, err := taintsOf(t, asked{dir: dir, patterns: []string{"."}, sources: sources})
		if err != nil {
			t.Fatal(err)
		}
		if len(found) != want {
			t.Errorf("--sources %v: %v", sources, found)
		}
	}
	r, err := newRules(nil)
	if err == nil {
		err = r.choose([]string{"clis"})
	}
	if err == nil || !strings.Contains(err.Error(), "no rule has a source of that class; there are answer, cli, stored") {
		t.Error(err)
	}
}
