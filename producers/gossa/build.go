package main

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
)

// builder checks packages, each after those that it imports, and makes their SSA while others are being checked. Syntax, and
// what the type checker says of it, take as much memory as SSA; so they go as soon as a package is built.
type builder struct {
	prog  *ssa.Program
	p     *program // of which packages bodies are read
	ended int      // packages
	of    map[*packages.Package]*checked
	slots chan struct{} // of those who work, one a processor
	ready chan *checked // a package comes after those that it imports
}

// checked is a package with its types.
type checked struct {
	*packages.Package
	types  *types.Package
	info   types.Info
	files  []*ast.File
	wrong  []error
	out    int // functions that are left out; see prune
	callsC bool
	light  bool            // bodies are not read
	called map[string]bool // then, names of methods that its interfaces have
	leaks  bool            // others may see types of it that are not known
	done   chan struct{}   // closed when the rest is there
}

// build makes the SSA of packages; all that they import is among them. What does not type-check is left out.
func build(ctx context.Context, all []*packages.Package, p *program) (_ *builder, err error) {
	b := &builder{
		p:     p,
		prog:  ssa.NewProgram(token.NewFileSet(), ssa.InstantiateGenerics),
		of:    make(map[*packages.Package]*checked, len(all)),
		slots: make(chan struct{}, runtime.GOMAXPROCS(0)),
		ready: make(chan *checked, len(all)),
	}
	for _, p := range all {
		b.of[p] = &checked{Package: p, light: b.p.isLight(p.PkgPath), done: make(chan struct{})}
	}
	first, kept, last := b.split(all)
	if err := b.stage(ctx, first, true); err != nil {
		return nil, err
	}
	if err := b.types(ctx, kept); err != nil {
		return nil, err
	}
	return b, b.stage(ctx, last, true)
}

// stage checks packages of which all others that they import are known, and makes their SSA.
func (b *builder) stage(ctx context.Context, list []*packages.Package, made bool) (failed error) {
	for _, p := range list {
		go b.check(ctx, b.of[p])
	}
	for n := 0; n < len(list); {
		batch := []*checked{<-b.ready}
		for more := true; more; {
			select {
			case c := <-b.ready:
				batch = append(batch, c)
			default:
				more = false
			}
		}
		n += len(batch)
		progressOf(ctx).at(b.ended+n, len(b.of), "packages")
		if !made {
			continue
		}
		if err := b.batch(batch); err != nil && ctx.Err() == nil && failed == nil {
			failed = err // others are waited for
		}
	}
	b.ended += len(list)
	if err := ctx.Err(); err != nil {
		return err
	}
	return failed
}

// packages are the SSA of some.
func (b *builder) packages(of []*packages.Package) (list []*ssa.Package) {
	for _, p := range of {
		if t := b.of[p].types; t != nil {
			list = append(list, b.prog.Package(t))
		}
	}
	return list
}

// check does what comes before SSA, and says that it is done, whatever came of it.
func (b *builder) check(ctx context.Context, c *checked) {
	defer close(c.done)
	defer func() { b.ready <- c }()
	for _, p := range c.Imports {
		<-b.of[p].done
	}
	b.slots <- struct{}{}
	defer func() { <-b.slots }()
	if ctx.Err() != nil {
		return
	}
	if c.PkgPath == "unsafe" {
		c.types = types.Unsafe
		return
	}
	c.parse(b.prog.Fset)
	if len(c.files) == 0 {
		return
	}
	c.types = types.NewPackage(c.PkgPath, c.Name)
	c.info = types.Info{Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object),
		Implicits: make(map[ast.Node]types.Object), Instances: make(map[*ast.Ident]types.Instance),
		Selections: make(map[*ast.SelectorExpr]*types.Selection), FileVersions: make(map[*ast.File]string)}
	config := types.Config{Importer: importer{b, c}, Sizes: c.TypesSizes, FakeImportC: true, Error: func(err error) { c.wrong = append(c.wrong, err) }}
	if c.Module != nil && c.Module.GoVersion != "" {
		config.GoVersion = "go" + c.Module.GoVersion
	}
	if c.light {
		config.IgnoreFuncBodies = true
		c.withoutBodies()
	}
	err := types.NewChecker(&config, b.prog.Fset, c.types, &c.info).Files(c.files)
	if err != nil && len(c.wrong) == 0 {
		c.wrong = append(c.wrong, err)
	}
	if b.unsure(c) {
		b.prune(c)
	}
}

// parse reads files. Nobody asks for comments, or for what an identifier is in the parser's own opinion.
func (c *checked) parse(files *token.FileSet) {
	for _, name := range c.GoFiles {
		source, err := os.ReadFile(name)
		if err == nil {
			var file *ast.File
			file, err = parser.ParseFile(files, name, source, parser.AllErrors|parser.SkipObjectResolution)
			if file != nil && file.Name.Name == c.Name { // another one is not of this package
				c.files = append(c.files, file)
			}
		}
		if err != nil {
			c.wrong = append(c.wrong, err)
		}
	}
}

// withoutBodies takes bodies of functions away.
func (c *checked) withoutBodies() {
	c.called = make(map[string]bool)
	for _, file := range c.files {
		interfaceMethods(file, c.called)
		for _, d := range file.Decls {
			if f, is := d.(*ast.FuncDecl); is && f.Body != nil {
				f.Body = &ast.BlockStmt{Lbrace: f.Body.Lbrace, Rbrace: f.Body.Lbrace}
			}
		}
	}
}

// interfaceMethods are the names of methods that interfaces have in packages of which bodies are not read.
func (b *builder) interfaceMethods() map[string]bool {
	all := map[string]bool{"Error": true}
	for _, c := range b.of {
		maps.Copy(all, c.called)
	}
	return all
}

// importer finds packages as one of them names them.
type importer struct {
	*builder
	by *checked
}

func (i importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	p := i.by.Imports[path]
	switch {
	case p == nil && len(i.by.Errors) > 0:
		return nil, errors.New(said(i.by.Errors[0]))
	case p == nil:
		return nil, fmt.Errorf("the go command does not list %s among what %s imports", path, i.by.PkgPath)
	case i.of[p].types == nil && len(p.Errors) > 0:
		return nil, errors.New(said(p.Errors[0]))
	case i.of[p].types == nil:
		return nil, errors.New("no file of it can be read")
	}
	return i.of[p].types, nil
}

// batch makes the SSA of packages, of which nothing else may be created meanwhile.
//
// Errors: what golang.org/x/tools/go/ssa makes nothing of.
func (b *builder) batch(list []*checked) (err error) {
	var all sync.WaitGroup
	var one sync.Mutex
	made := slices.DeleteFunc(slices.Clone(list), func(c *checked) bool { return c.types == nil })
	for _, c := range made {
		if c.light {
			b.prog.CreatePackage(c.types, nil, nil, true)
		} else {
			b.prog.CreatePackage(c.types, c.files, &c.info, true)
		}
	}
	for _, c := range made {
		all.Go(func() {
			b.slots <- struct{}{}
			defer func() { <-b.slots }()
			defer func() {
				if fault := recover(); fault != nil {
					one.Lock()
					err = fmt.Errorf("package %s: no SSA can be made of it: %v; leave it out of the packages that you name, and report it", c.PkgPath, fault)
					one.Unlock()
				}
			}()
			b.prog.Package(c.types).Build()
		})
	}
	all.Wait()
	for _, c := range made {
		c.release(b.prog)
	}
	return err
}
