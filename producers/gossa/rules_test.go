package main

import (
	"go/types"
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
		paths[packageIn(n.name)] = true
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
		if slices.Contains(r.prefix, n) {
			if !slices.ContainsFunc(slices.Collect(maps.Keys(names)), func(name string) bool { return strings.HasPrefix(name, n.name) }) {
				t.Errorf("%s: nothing begins with %s", n.at, n.name)
			}
		} else if !names[n.name] {
			t.Errorf("%s: there is no %s", n.at, n.name)
		}
	}
}

// packageIn is the path at the beginning of a rule's name: up to the first dot after the last slash.
func packageIn(name string) string {
	slash := strings.LastIndexByte(name, '/') + 1
	path, _, _ := strings.Cut(name[slash:], ".")
	return name[:slash] + path
}

// listNames puts down what rules can be about in a package.
func listNames(p *types.Package, names map[string]bool) {
	for _, name := range p.Scope().Names() {
		o := p.Scope().Lookup(name)
		names[p.Path()+"."+name] = true
		n, is := o.Type().(*types.Named)
		if _, isType := o.(*types.TypeName); !is || !isType {
			continue
		}
		for m := range n.Methods() {
			names[methodName(m)] = true
		}
		switch u := n.Underlying().(type) {
		case *types.Struct:
			for f := range u.Fields() {
				names[p.Path()+"."+name+"."+f.Name()] = true
			}
		case *types.Interface:
			for m := range u.Methods() {
				names[methodName(m)] = true
			}
		}
	}
}

// TestRulesThatMakeNoSense are refused with the line and what is wrong.
func TestRulesThatMakeNoSense(t *testing.T) {
	for text, want := range map[string]string{
		"sink x.F arg 1":               "a sink has one class",
		"sink x.F arg 1 a,b":           "a sink has one class",
		"sink x.F result sql":          "does not say what of x.F is meant",
		"source x.F":                   "does not say what of x.F is meant",
		"source x.F arg -1":            "arguments count from 0",
		"source":                       "a source names a function",
		"fountain x.F result":          `"fountain" is no kind of rule`,
		"sanitizer x.F field":          "does not say what of x.F is meant",
		"source x.F conversion":        "does not say what of x.F is meant",
		"wrap x.F arg 1":               "a pass says where something goes",
		"sanitizer x.F result a b":     `"b" after the classes`,
		"pass x.F arg 1":               "a pass says where something goes",
		"pass x.F arg 1 -> everywhere": `not to "everywhere"`,
	} {
		file := filepath.Join(t.TempDir(), "rules.txt")
		if err := os.WriteFile(file, []byte("# a comment\n"+text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := newRules([]string{file})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), file+":2: ") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
