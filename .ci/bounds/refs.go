package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mostBack is how many of a hundred references between files may run against the order in which the files are best read; in a
// small package fewBack may.
const (
	mostBack = 5
	fewBack  = 2
)

// reference is from a file to one that declares something that it uses.
type reference struct{ from, to string }

// references returns those between the files of a package, with what is used. Fields do not count: whoever has a value of a
// type has seen the type. exports has the files of what packages export, by import path.
func references(fset *token.FileSet, files []*ast.File, exports map[string]string) (map[reference][]string, error) {
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })}
	pkg, err := conf.Check("p", fset, files, info)
	if err != nil {
		return nil, err
	}
	list := map[reference][]string{}
	for id, of := range info.Uses {
		v, isVar := of.(*types.Var)
		if of.Pkg() != pkg || isVar && (v.IsField() || v.Parent() != pkg.Scope()) {
			continue
		}
		name := func(at token.Pos) string { return filepath.Base(fset.Position(at).Filename) }
		if r := (reference{name(id.Pos()), name(of.Pos())}); r.from != r.to && !slices.Contains(list[r], of.Name()) {
			list[r] = append(list[r], of.Name())
		}
	}
	return list, nil
}

// back returns references that run back in an order of files that has few of them. The order is made one file after another:
// first come those that refer to none of the files that are left. Where there is none, last comes a file that none of them refers
// to, and else the one follows that has most references to it, against those from it.
func back(all map[reference][]string) (list []reference) {
	left := map[string]bool{}
	for r := range all {
		left[r.from], left[r.to] = true, true
	}
	order, first, last := map[string]int{}, 0, len(left)
	for len(left) > 0 {
		in, out := degrees(all, left)
		names := slices.Sorted(maps.Keys(left))
		at := slices.IndexFunc(names, func(f string) bool { return out[f] == 0 })
		top := slices.IndexFunc(names, func(f string) bool { return in[f] == 0 })
		most := slices.MaxFunc(names, func(a, b string) int { return (in[a] - out[a]) - (in[b] - out[b]) })
		switch {
		case at >= 0:
			most = names[at]
		case top >= 0:
			last--
			order[names[top]] = last
			delete(left, names[top])
			continue
		}
		order[most] = first
		first++
		delete(left, most)
	}
	for r := range all {
		if order[r.from] < order[r.to] {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b reference) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	return list
}

// degrees counts the references to and from each of the files that are left.
func degrees(all map[reference][]string, left map[string]bool) (in, out map[string]int) {
	in, out = map[string]int{}, map[string]int{}
	for r := range all {
		if left[r.from] && left[r.to] {
			in[r.to]++
			out[r.from]++
		}
	}
	return in, out
}

// layers prints how many references of a package run back, if they are too many, or all numbers are wanted.
func layers(p listed, exports map[string]string, verbose bool) (over bool, err error) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return false, err
		}
		files = append(files, f)
	}
	all, err := references(fset, files, exports)
	if err != nil {
		return false, err
	}
	against := back(all)
	over = len(against) > max(fewBack, mostBack*len(all)/100)
	if over {
		fmt.Printf("%s: %d of %d references between files run back, the bound is %d: put what both need into a file below them\n", p.ImportPath, len(against), len(all), max(fewBack, mostBack*len(all)/100))
	} else if verbose {
		fmt.Printf("%s: %d of %d references between files run back\n", p.ImportPath, len(against), len(all))
	}
	for _, r := range against {
		if over || verbose {
			fmt.Printf("\t%s to %s: %s\n", r.from, r.to, strings.Join(slices.Sorted(slices.Values(all[r])), ", "))
		}
	}
	return over, nil
}
