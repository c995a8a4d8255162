package main

import (
	"bufio"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// frameworks writes the programs of testdata/frameworks as one module, whose vendor folder has the part of each framework's API that they call.
func frameworks(t *testing.T) *corpus {
	t.Helper()
	list, err := filepath.Glob("testdata/frameworks/*.txtar")
	if err != nil || len(list) == 0 {
		t.Fatal(list, err)
	}
	c := &corpus{dir: t.TempDir(), lines: make(map[string][]string)}
	var modules []string
	packages := make(map[string]bool)
	for _, file := range list {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c.names = append(c.names, strings.TrimSuffix(filepath.Base(file), ".txtar"))
		for s := bufio.NewScanner(strings.NewReader(string(a.Comment))); s.Scan(); {
			if path, is := strings.CutPrefix(s.Text(), "module "); is {
				modules = append(modules, path)
			}
		}
		for _, f := range a.Files {
			c.write(t, f.Name, string(f.Data))
			if path, is := strings.CutPrefix(f.Name, "vendor/"); is {
				packages[path[:strings.LastIndexByte(path, '/')]] = true
			} else {
				c.lines[f.Name] = strings.Split(string(f.Data), "\n")
			}
		}
	}
	mod, listed := "module frameworks\n\ngo 1.25\n", ""
	for _, path := range modules {
		version := "v1.0.0"
		if last := path[strings.LastIndexByte(path, '/')+1:]; len(last) == 2 && last[0] == 'v' {
			version = last + ".0.0"
		}
		if i := strings.Index(path, ".v"); strings.HasPrefix(path, "gopkg.in/") {
			version = path[i+1:] + ".0.0"
		}
		mod += "\nrequire " + path + " " + version + "\n"
		listed += "# " + path + " " + version + "\n## explicit; go 1.25\n"
		for _, name := range slices.Sorted(maps.Keys(packages)) {
			if name == path || strings.HasPrefix(name, path+"/") {
				listed += name + "\n"
			}
		}
	}
	c.write(t, "go.mod", mod)
	c.write(t, "vendor/modules.txt", listed)
	return c
}

// TestFrameworks: in a small program for each framework, whose functions do nothing, the flows that are marked are reported, and no
// others.
func TestFrameworks(t *testing.T) {
	t.Setenv("GOFLAGS", "") // -mod in it would leave the vendor folder out
	c := frameworks(t)
	r, err := newRules(nil)
	if err != nil {
		t.Fatal(err)
	}
	l := loading{Patterns: []string{"./..."}, Calls: "vta", Dir: c.dir, Levels: 3, More: 0.1, Quiet: true, rules: r}
	p, made, err := l.program(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	e := must(valuesOf(t.Context(), p, made, r, false))
	g, err := e.graph(t.Context(), near(c.dir), "")
	if err != nil {
		t.Fatal(err)
	}
	marked := make(map[string]flows)
	for _, name := range c.names {
		marked[name] = c.marked(name)
	}
	found := c.found(t, g, e.flowing(t, g, "exact", nil), marked)
	for _, name := range c.names {
		if len(marked[name].want) == 0 {
			t.Errorf("%s wants nothing", name)
		}
		for flow := range marked[name].want {
			if !found[name][flow] {
				t.Errorf("%s: %s is wanted, and not reported", name, flow)
			}
		}
		for flow := range found[name] {
			if !marked[name].want[flow] {
				t.Errorf("%s: %s is reported, and not wanted", name, flow)
			}
		}
	}
}
