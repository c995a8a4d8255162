// Command bounds counts the methods of each type, interfaces among them, and the fields of each struct. It fails where a
// type has more than 25 methods or a struct more than 15 fields: such a type does several jobs, which are easier to read
// apart. It fails as well where files of a package have no order: of the references from file to file, at most 5 % (or two, in
// a small package) may run back in the order that it finds.
//
//	go run ./.ci/bounds [-v] [package…]
//
// Without packages it looks at ./graph/... and ./egraph/.... Tests are left out, and so are generated files. An embedded type is one field,
// and its methods are its own. With -v all numbers are printed, the largest first.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const (
	mostMethods = 25
	mostFields  = 15
)

// count is how many methods or fields a type has.
type count struct {
	name string // with the folder of its package
	what string
	n    int
	most int // the bound
}

func (c count) beyond() bool { return c.n > c.most }

func main() {
	verbose := flag.Bool("v", false, "print all numbers")
	flag.Parse()
	packages := flag.Args()
	if len(packages) == 0 {
		packages = []string{"./graph/...", "./egraph/..."}
	}
	over, err := run(packages, *verbose)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bounds:", err)
		os.Exit(2)
	}
	if over {
		os.Exit(1)
	}
}

// listed is what go list says about a package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	DepOnly                 bool
}

// list asks for packages, and where those that they need export what.
func list(packages []string) (all []listed, exports map[string]string, err error) {
	command := exec.Command("go", append([]string{"list", "-deps", "-export", "-json=ImportPath,Dir,Export,GoFiles,DepOnly"}, packages...)...)
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		return nil, nil, fmt.Errorf("go list: %w", err)
	}
	exports = map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p listed
		if err := d.Decode(&p); err != nil {
			return nil, nil, err
		}
		if exports[p.ImportPath] = p.Export; !p.DepOnly {
			all = append(all, p)
		}
	}
	return all, exports, nil
}

// run prints the counts of packages that are beyond the bounds, or all, and reports whether there are such.
func run(packages []string, verbose bool) (over bool, err error) {
	found, exports, err := list(packages)
	if err != nil {
		return false, err
	}
	var all []count
	for _, p := range found {
		counts, err := folder(p.Dir)
		if err != nil {
			return false, err
		}
		all = append(all, counts...)
		many, err := layers(p, exports, verbose)
		if err != nil {
			return false, err
		}
		over = over || many
	}
	slices.SortFunc(all, func(a, b count) int {
		return cmp.Or(cmp.Compare(a.what, b.what), cmp.Compare(b.n, a.n), cmp.Compare(a.name, b.name))
	})
	for _, c := range all {
		over = over || c.beyond()
		switch {
		case c.beyond():
			fmt.Printf("%s has %d %s, the bound is %d: cut it into the things that it is made of\n", c.name, c.n, c.what, c.most)
		case verbose:
			fmt.Printf("%s has %d %s\n", c.name, c.n, c.what)
		}
	}
	return over, nil
}

// folder counts the types of one package.
func folder(dir string) ([]count, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	wd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	short, err := filepath.Rel(wd, dir)
	if err != nil {
		return nil, err
	}
	methods, fields := map[string]int{}, map[string]int{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		if !ast.IsGenerated(f) {
			add(f, methods, fields)
		}
	}
	var list []count
	for name, n := range methods {
		list = append(list, count{short + "." + name, "methods", n, mostMethods})
	}
	for name, n := range fields {
		list = append(list, count{short + "." + name, "fields", n, mostFields})
	}
	return list, nil
}

// add counts what a file declares.
func add(f *ast.File, methods, fields map[string]int) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil {
				methods[receiver(d.Recv.List[0].Type)]++
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				t, ok := s.(*ast.TypeSpec)
				if !ok {
					continue
				}
				switch of := t.Type.(type) {
				case *ast.StructType:
					fields[t.Name.Name] += size(of.Fields)
				case *ast.InterfaceType:
					methods[t.Name.Name] += size(of.Methods)
				}
			}
		}
	}
}

// receiver is the name of the type that a method is of.
func receiver(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.StarExpr:
		return receiver(of.X)
	case *ast.IndexExpr:
		return receiver(of.X)
	case *ast.IndexListExpr:
		return receiver(of.X)
	case *ast.Ident:
		return of.Name
	}
	return "?"
}

func size(list *ast.FieldList) (n int) {
	for _, f := range list.List {
		n += max(len(f.Names), 1)
	}
	return n
}
