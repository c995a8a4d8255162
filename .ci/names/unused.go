package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const modulePath = "github.com/govyre/vyre"

// Kinds of places that use an identifier, the weakest first.
const (
	byTests    = 1 << iota // tests of the package itself
	byOthers               // packages of the module, internal ones among them
	byTestsOf              // tests of other packages
	byCommands             // commands, examples, programs that write docs
	byModules              // other modules of the repository
	byExamples             // functions of tests that documentation shows
	byPages                // a page names it
)

var kinds = []string{"tests", "others", "tests of others", "commands", "modules", "Example", "page"}

// unused prints the public identifiers with what uses them outside their package. Those that only internal packages and
// other packages use come with -v. Methods that an interface asks for, and fields that are in JSON, are left out.
func unused(w io.Writer, all bool) error {
	u := uses{fset: token.NewFileSet(), parsed: map[string]*ast.File{}, of: map[token.Pos]int{}, users: map[token.Pos]map[string]bool{}, interfaces: map[string][]*types.Interface{}, public: map[token.Pos]named{}}
	modules, err := filepath.Glob("*/*/*.mod")
	if err != nil {
		return err
	}
	for _, m := range append([]string{"go.mod", "bench/go.mod"}, modules...) {
		if err := u.module(filepath.Dir(m)); err != nil {
			return fmt.Errorf("module %s: %w", filepath.Dir(m), err)
		}
	}
	if err := u.pages(); err != nil {
		return err
	}
	list := slices.SortedFunc(maps.Keys(u.public), func(a, b token.Pos) int {
		x, y := u.public[a], u.public[b]
		return cmp.Or(cmp.Compare(x.dir, y.dir), cmp.Compare(x.name, y.name))
	})
	n := 0
	for _, at := range list {
		of := u.of[at]
		if x := u.public[at]; !x.needed && (all || of&(byOthers|byTestsOf|byCommands|byModules) == 0) {
			n++
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", x.dir, x.name, places(of), strings.Join(slices.Sorted(maps.Keys(u.users[at])), " "))
		}
	}
	fmt.Fprintf(w, "names: %d listed of %d public identifiers\n", n, len(list))
	return nil
}

func places(of int) string {
	var list []string
	for i, k := range kinds {
		if of&(1<<i) != 0 {
			list = append(list, k)
		}
	}
	return strings.Join(list, ", ")
}

// named is a public identifier.
type named struct {
	dir, name string
	obj       types.Object
	needed    bool // an interface or a format asks for it by name
}

// uses gathers what uses which identifier: these are told apart by where they are declared, because a package is checked
// once for each module, and again with its tests.
type uses struct {
	fset       *token.FileSet
	parsed     map[string]*ast.File
	of         map[token.Pos]int             // kinds of places
	users      map[token.Pos]map[string]bool // packages of the module
	public     map[token.Pos]named
	interfaces map[string][]*types.Interface // by the name of a method
}

// source is what go list says of a package.
type source struct {
	ImportPath, Dir, Name, Export      string
	GoFiles, TestGoFiles, XTestGoFiles []string
	DepOnly, Standard                  bool
	Module                             *struct{ Path string }
}

func (s source) ours() bool {
	return s.Module != nil && (s.Module.Path == modulePath || strings.HasPrefix(s.Module.Path, modulePath+"/"))
}

// checker checks the packages of one module from their source, and takes others from what the compiler exports.
type checker struct {
	*uses
	listed  map[string]source
	checked map[string]*types.Package
	exports types.Importer
}

func (u *uses) module(dir string) error {
	command := exec.Command("go", "list", "-C", dir, "-deps", "-test", "-export", "-json=ImportPath,Dir,Name,Export,GoFiles,TestGoFiles,XTestGoFiles,DepOnly,Standard,Module", "./...")
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	c := checker{uses: u, listed: map[string]source{}, checked: map[string]*types.Package{}}
	var order []source
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var s source
		if err := d.Decode(&s); err != nil {
			return err
		}
		if strings.ContainsAny(s.ImportPath, " ") || strings.HasSuffix(s.ImportPath, ".test") {
			continue
		}
		c.listed[s.ImportPath] = s
		order = append(order, s)
	}
	c.exports = importer.ForCompiler(u.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(c.listed[path].Export) })
	for _, s := range order {
		if !s.ours() {
			continue
		}
		if _, err := c.Import(s.ImportPath); err != nil {
			return err
		}
		if s.DepOnly {
			continue
		}
		if err := c.tests(s, dir == "."); err != nil {
			return err
		}
	}
	return nil
}

// Import has the signature that package types asks for.
func (c *checker) Import(name string) (*types.Package, error) {
	s, ok := c.listed[name]
	switch {
	case name == "unsafe":
		return types.Unsafe, nil
	case !ok || !s.ours():
		return c.exports.Import(name)
	case c.checked[name] != nil:
		return c.checked[name], nil
	}
	p, err := c.check(s.ImportPath, s, s.GoFiles, c)
	if err != nil {
		return nil, err
	}
	c.checked[name] = p
	for _, n := range p.Scope().Names() {
		if t, ok := p.Scope().Lookup(n).Type().Underlying().(*types.Interface); ok {
			c.asks(t)
		}
	}
	for _, q := range p.Imports() {
		if !strings.HasPrefix(q.Path(), modulePath) {
			for _, n := range q.Scope().Names() {
				if t, ok := q.Scope().Lookup(n).Type().Underlying().(*types.Interface); ok && token.IsExported(n) {
					c.asks(t)
				}
			}
		}
	}
	if s.Module.Path == modulePath && isPublic(name) && s.Name != "main" {
		c.declared(strings.TrimPrefix(strings.TrimPrefix(name, modulePath), "/"), p)
	}
	return p, nil
}

func isPublic(name string) bool {
	for _, e := range strings.Split(name, "/") {
		if slices.Contains([]string{"internal", "testdata", "cmd", "examples", "docs"}, e) {
			return false
		}
	}
	return true
}

// asks notes the methods of an interface.
func (c *checker) asks(t *types.Interface) {
	for i := range t.NumMethods() {
		if n := t.Method(i).Name(); !slices.Contains(c.interfaces[n], t) {
			c.interfaces[n] = append(c.interfaces[n], t)
		}
	}
}

// tests checks the tests of a package, inside it and outside.
func (c *checker) tests(s source, root bool) error {
	var importer types.Importer = c
	if len(s.TestGoFiles) > 0 {
		p, err := c.check(s.ImportPath, s, slices.Concat(s.GoFiles, s.TestGoFiles), c)
		if err != nil {
			return err
		}
		importer = with{c, p}
	}
	if len(s.XTestGoFiles) > 0 {
		// An outer test may see names that inner ones export, and types through other packages: errors of that do not matter.
		if _, err := c.check(s.ImportPath+"_test", s, s.XTestGoFiles, importer); err != nil {
			return err
		}
	}
	return nil
}

// with has one package as its own tests see it.
type with struct {
	*checker
	p *types.Package
}

func (w with) Import(name string) (*types.Package, error) {
	if name == w.p.Path() {
		return w.p, nil
	}
	return w.checker.Import(name)
}

// check checks files and notes what they use.
func (c *checker) check(name string, s source, files []string, from types.Importer) (*types.Package, error) {
	var list []*ast.File
	for _, f := range files {
		full := filepath.Join(s.Dir, f)
		if c.parsed[full] == nil {
			parsed, err := parser.ParseFile(c.fset, full, nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			c.parsed[full] = parsed
		}
		list = append(list, c.parsed[full])
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: from, Error: func(error) {}}
	p, err := conf.Check(name, c.fset, list, info)
	if err != nil && !strings.HasSuffix(name, "_test") {
		return nil, err
	}
	examples := shown(list)
	for id, obj := range info.Uses {
		at := origin(obj)
		kind := c.place(s, id.Pos(), obj, examples)
		if c.of[at] |= kind; kind&byOthers != 0 {
			if c.users[at] == nil {
				c.users[at] = map[string]bool{}
			}
			c.users[at][strings.TrimPrefix(s.ImportPath, modulePath+"/")] = true
		}
	}
	return p, nil
}

func origin(obj types.Object) token.Pos {
	switch o := obj.(type) {
	case *types.Func:
		return o.Origin().Pos()
	case *types.Var:
		return o.Origin().Pos()
	}
	return obj.Pos()
}

// shown are the bodies of Example functions.
func shown(files []*ast.File) (list []*ast.FuncDecl) {
	for _, f := range files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(d.Name.Name, "Example") {
				list = append(list, d)
			}
		}
	}
	return list
}

// place is the kind of the place that uses an identifier.
func (c *checker) place(s source, at token.Pos, obj types.Object, examples []*ast.FuncDecl) (kind int) {
	name := c.fset.Position(at).Filename
	test := strings.HasSuffix(name, "_test.go")
	if test && slices.ContainsFunc(examples, func(d *ast.FuncDecl) bool { return d.Pos() <= at && at < d.End() }) {
		kind |= byExamples
	}
	same := obj.Pkg() != nil && (obj.Pkg().Path() == s.ImportPath)
	sub := strings.TrimPrefix(s.ImportPath, modulePath+"/")
	switch {
	case same && test:
		kind |= byTests
	case same:
	case test && s.Module.Path == modulePath:
		kind |= byTestsOf
	case s.Module.Path != modulePath:
		kind |= byModules
	case s.Name == "main" || strings.HasPrefix(sub, "examples/") || strings.HasPrefix(sub, "docs/"):
		kind |= byCommands
	default:
		kind |= byOthers
	}
	return kind
}

// declared notes what a package has of public names.
func (c *checker) declared(dir string, p *types.Package) {
	for _, n := range p.Scope().Names() {
		obj := p.Scope().Lookup(n)
		if !obj.Exported() {
			continue
		}
		c.note(dir, n, obj, false)
		t, ok := obj.(*types.TypeName)
		if !ok || t.IsAlias() {
			continue
		}
		switch under := t.Type().Underlying().(type) {
		case *types.Struct:
			for i := range under.NumFields() {
				if f := under.Field(i); f.Exported() && f.Pkg() == p && !f.Embedded() {
					c.note(dir, n+"."+f.Name(), f, strings.Contains(under.Tag(i), "json:"))
				}
			}
		case *types.Interface:
			for i := range under.NumExplicitMethods() {
				if m := under.ExplicitMethod(i); m.Exported() {
					c.note(dir, n+"."+m.Name(), m, false)
				}
			}
		}
		if t, ok := t.Type().(*types.Named); ok {
			for i := range t.NumMethods() {
				if m := t.Method(i); m.Exported() {
					c.note(dir, n+"."+m.Name(), m, c.implements(t, m.Name()))
				}
			}
		}
	}
}

func (c *checker) note(dir, name string, obj types.Object, needed bool) {
	if dir == "" {
		dir = "."
	}
	if _, ok := c.public[obj.Pos()]; !ok {
		c.public[obj.Pos()] = named{dir, name, obj, needed}
	}
}

// implements reports whether an interface asks for a method of the type.
func (c *checker) implements(t *types.Named, name string) bool {
	if slices.Contains([]string{"String", "Error", "Unwrap", "Is", "As", "Format"}, name) {
		return true
	}
	return slices.ContainsFunc(c.interfaces[name], func(i *types.Interface) bool {
		return types.Implements(t, i) || types.Implements(types.NewPointer(t), i)
	})
}

// pages looks for identifiers in pages, as a reader finds them: behind the name of the package, or for methods and fields
// behind a point.
func (u *uses) pages() error {
	out, err := exec.Command("git", "ls-files", "*.md").Output()
	if err != nil {
		return err
	}
	words := map[string]bool{}
	for _, f := range strings.Fields(string(out)) {
		if strings.HasSuffix(f, "CHANGELOG.md") || strings.HasSuffix(f, "RATIONALE.md") {
			continue
		}
		text, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		for _, w := range strings.FieldsFunc(string(text), func(r rune) bool {
			return r != '.' && r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
		}) {
			parts := strings.Split(w, ".")
			for i, p := range parts[1:] {
				words[parts[i]+"."+p] = true
				words["."+p] = true
			}
		}
	}
	for at, x := range u.public {
		_, member, is := strings.Cut(x.name, ".")
		if is && words["."+member] || !is && words[path.Base(x.obj.Pkg().Path())+"."+x.name] {
			u.of[at] |= byPages
		}
	}
	return nil
}
