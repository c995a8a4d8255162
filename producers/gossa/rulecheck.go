package main

import (
	"cmp"
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// check looks whether what the rules of files name is in the packages of a program. Shipped rules are for packages that
// a program may have, in any version.
//
// Errors: rules that name nothing, with the names that are most alike.
func (r *rules) check(p *program) error {
	packages := make(map[string]*types.Package)
	for _, of := range p.ssa.AllPackages() {
		packages[of.Pkg.Path()] = of.Pkg
	}
	names := make(map[string]map[string]bool) // of packages
	var wrong []string
	for _, n := range r.list[r.shipped:] {
		if n.exported || n.name == "(error).Error" {
			continue
		}
		path := pathIn(n.name, packages)
		if path == "" {
			wrong = append(wrong, fmt.Sprintf("%s: the program imports no package that has %s%s", n.at, n.name, alike(n.name, maps.Keys(packages))))
			continue
		}
		if names[path] == nil {
			names[path] = make(map[string]bool)
			listNames(packages[path], names[path])
		}
		if !n.in(names[path], slices.Contains(r.prefix, n)) {
			wrong = append(wrong, fmt.Sprintf("%s: package %s has no %s%s", n.at, path, strings.TrimPrefix(n.name, path+"."), alike(n.name, maps.Keys(names[path]))))
		}
		if len(wrong) > mostWrong {
			break
		}
	}
	return lines("rules match nothing", wrong)
}

// mostWrong is how many rules are looked at that match nothing.
const mostWrong = 50

// in reports whether a rule is about one of some names.
func (r *rule) in(names map[string]bool, prefix bool) bool {
	if !prefix {
		return names[r.name]
	}
	for name := range names {
		if strings.HasPrefix(name, r.name) {
			return true
		}
	}
	return false
}

// pathIn is the longest path of a package that a name begins with; a path may have dots itself.
func pathIn(name string, packages map[string]*types.Package) (path string) {
	for at, c := range name {
		if c == '.' && packages[name[:at]] != nil {
			path = name[:at]
		}
	}
	return path
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
				names[asMethod(p.Path()+"."+name+"."+f.Name())] = true // of source param
			}
		case *types.Interface:
			for m := range u.Methods() {
				names[methodName(m)] = true
			}
		}
	}
}

// alike says which names are most like one: at most three, and none that has little in common with it.
func alike(name string, names func(func(string) bool)) string {
	type near struct {
		name string
		far  int
	}
	var list []near
	for other := range names {
		if far := distance(lowered(name), lowered(other), len(name)/3+1); far <= len(name)/3+1 {
			list = append(list, near{other, far})
		}
	}
	slices.SortFunc(list, func(a, b near) int { return cmp.Or(a.far-b.far, strings.Compare(a.name, b.name)) })
	if len(list) == 0 {
		return ""
	}
	var said []string
	for _, n := range list[:min(3, len(list))] {
		said = append(said, n.name)
	}
	return "; nearest: " + strings.Join(said, ", ")
}

func lowered(name string) string { return strings.ToLower(name[:min(len(name), 200)]) }

// distance is how many bytes differ (Levenshtein), or more than most.
func distance(a, b string, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			differ := 1
			if a[i] == b[j] {
				differ = 0
			}
			before, row[j+1] = row[j+1], min(before+differ, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
