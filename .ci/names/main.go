// Command names counts the public identifiers of the module, and looks for types of internal packages in what is
// public: a user could not name them. A few, by which the module's own packages work together, may be there. Both are about packages that another module may import.
//
//	go run ./.ci/names [-v] [-unused]
//
// With -unused it lists the identifiers that their own package alone uses, and with -v all, each with what uses it.
// It fails above the bound, and where an internal type is in a signature or a field without a public name of its own.
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// most is how many identifiers may be public.
const most = 2992

// own are types by which packages of the module work together. They are in public signatures, because Go has no other way
// between packages, and nobody else can make one.
var own = []string{"ir/internal/inner.Key", "internal/compile.Choice", "internal/driven.Search", "internal/cu.Driver"}

var (
	verbose = flag.Bool("v", false, "print the count of each package")
	idle    = flag.Bool("unused", false, "list identifiers that nothing outside their package uses")
)

func main() {
	flag.Parse()
	if *idle {
		if err := unused(os.Stdout, *verbose); err != nil {
			fmt.Fprintln(os.Stderr, "names:", err)
			os.Exit(1)
		}
		return
	}
	c := counter{counts: make(map[string]int), aliases: make(map[string]bool)}
	for _, look := range []func(dir string, f *ast.File){c.alias, c.file} { // aliases of all packages first
		if err := c.each(look); err != nil {
			fmt.Fprintln(os.Stderr, "names:", err)
			os.Exit(1)
		}
	}
	all := 0
	for _, dir := range slices.Sorted(func(yield func(string) bool) {
		for d := range c.counts {
			if !yield(d) {
				return
			}
		}
	}) {
		all += c.counts[dir]
		if *verbose {
			fmt.Printf("%5d %s\n", c.counts[dir], dir)
		}
	}
	fmt.Printf("names: %d public identifiers of at most %d\n", all, most)
	for _, s := range c.internal {
		fmt.Println(s)
	}
	if all > most || len(c.internal) > 0 {
		os.Exit(1)
	}
}

// counter gathers what is public.
type counter struct {
	counts   map[string]int
	aliases  map[string]bool // types of internal packages that have a public name, as path.Name
	internal []string        // places with others
	fset     *token.FileSet
}

// each parses the files of public packages. Folders that start with a dot, tests, commands, examples, modules in this one
// and what is internal are left out.
func (c *counter) each(look func(dir string, f *ast.File)) error {
	c.fset = token.NewFileSet()
	return filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			_, module := os.Stat(filepath.Join(name, "go.mod"))
			if name != "." && (strings.HasPrefix(d.Name(), ".") || module == nil) ||
				slices.Contains([]string{"internal", "testdata", "cmd", "examples", "docs"}, d.Name()) {
				return fs.SkipDir
			}
			return nil
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(c.fset, name, nil, parser.SkipObjectResolution)
		if err == nil && f.Name.Name != "main" {
			look(filepath.Dir(name), f)
		}
		return err
	})
}

// imports are the internal packages that a file imports, by the names it has for them.
func imports(f *ast.File) map[string]string {
	of := make(map[string]string)
	for _, s := range f.Imports {
		p, err := strconv.Unquote(s.Path.Value)
		if err != nil || !strings.Contains(p+"/", "/internal/") {
			continue
		}
		if s.Name != nil {
			of[s.Name.Name] = p
		} else {
			of[path.Base(p)] = p
		}
	}
	return of
}

// alias notes the public names of internal types.
func (c *counter) alias(_ string, f *ast.File) {
	of := imports(f)
	for _, d := range f.Decls {
		if d, ok := d.(*ast.GenDecl); ok {
			for _, s := range d.Specs {
				if t, ok := s.(*ast.TypeSpec); ok && t.Assign.IsValid() && t.Name.IsExported() {
					if sel, ok := t.Type.(*ast.SelectorExpr); ok {
						if x, ok := sel.X.(*ast.Ident); ok && of[x.Name] != "" {
							c.aliases[of[x.Name]+"."+sel.Sel.Name] = true
						}
					}
				}
			}
		}
	}
}

// file counts the identifiers of a file, and looks at their types.
func (c *counter) file(dir string, f *ast.File) {
	of := imports(f)
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d.Recv.List[0].Type))) {
				c.counts[dir]++
				c.look(of, d.Type)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				c.spec(dir, of, s)
			}
		}
	}
}

func (c *counter) spec(dir string, of map[string]string, s ast.Spec) {
	switch s := s.(type) {
	case *ast.TypeSpec:
		if !s.Name.IsExported() {
			return
		}
		c.counts[dir]++
		switch t := s.Type.(type) {
		case *ast.StructType:
			c.fields(dir, of, t.Fields)
		case *ast.InterfaceType:
			c.fields(dir, of, t.Methods)
		}
	case *ast.ValueSpec:
		for _, n := range s.Names {
			if n.IsExported() {
				c.counts[dir]++
				if s.Type != nil {
					c.look(of, s.Type)
				}
			}
		}
	}
}

func (c *counter) fields(dir string, of map[string]string, l *ast.FieldList) {
	for _, f := range l.List {
		public := len(f.Names) == 0 // embedded, by a name that the selector has
		for _, n := range f.Names {
			if n.IsExported() {
				c.counts[dir]++
				public = true
			}
		}
		if public {
			c.look(of, f.Type)
		}
	}
}

// look finds types of internal packages that have no public name.
func (c *counter) look(of map[string]string, n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && of[x.Name] != "" && !c.aliases[of[x.Name]+"."+sel.Sel.Name] {
				if slices.ContainsFunc(own, func(s string) bool { return strings.HasSuffix(of[x.Name]+"."+sel.Sel.Name, "/"+s) }) {
					return true
				}
				c.internal = append(c.internal, fmt.Sprintf("%s: %s.%s is public and in an internal package", c.fset.Position(n.Pos()), x.Name, sel.Sel.Name))
			}
		}
		return true
	})
}

// receiver is the name of the type that a method is of.
func receiver(t ast.Expr) string {
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}
