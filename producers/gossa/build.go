package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"os"
	"runtime"
	"sync"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
)

// builder checks packages, each after those that it imports, and makes their SSA while others are being checked. Syntax, and
// what the type checker says of it, take as much memory as SSA; so they go as soon as a package is built.
type builder struct {
	prog  *ssa.Program
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
	passed bool          // it and all that it imports are as they should be
	done   chan struct{} // closed when the rest is there
}

// build makes the SSA of packages; all that they import is among them.
//
// Errors: that packages do not compile, with what is wrong in those of which the imports do.
func build(ctx context.Context, all []*packages.Package) (*builder, error) {
	b := &builder{
		prog:  ssa.NewProgram(token.NewFileSet(), ssa.InstantiateGenerics),
		of:    make(map[*packages.Package]*checked, len(all)),
		slots: make(chan struct{}, runtime.GOMAXPROCS(0)),
		ready: make(chan *checked, len(all)),
	}
	for _, p := range all {
		b.of[p] = &checked{Package: p, done: make(chan struct{})}
	}
	for _, p := range all {
		go b.check(ctx, b.of[p])
	}
	for n := 0; n < len(all); {
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
		b.batch(batch)
	}
	var wrong []string
	for _, p := range all {
		for _, err := range b.of[p].wrong {
			if list, is := err.(scanner.ErrorList); is {
				for _, e := range list {
					wrong = append(wrong, e.Error())
				}
				continue
			}
			wrong = append(wrong, err.Error())
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return b, lines("the packages do not compile", wrong)
}

// packages are the SSA of some.
func (b *builder) packages(of []*packages.Package) (list []*ssa.Package) {
	for _, p := range of {
		list = append(list, b.prog.Package(b.of[p].types))
	}
	return list
}

// check does what comes before SSA, and says that it is done, whatever came of it.
func (b *builder) check(ctx context.Context, c *checked) {
	defer close(c.done)
	defer func() { b.ready <- c }()
	for _, p := range c.Imports {
		<-b.of[p].done
		if !b.of[p].passed {
			return
		}
	}
	b.slots <- struct{}{}
	defer func() { <-b.slots }()
	if ctx.Err() != nil {
		return
	}
	if c.PkgPath == "unsafe" {
		c.types, c.passed = types.Unsafe, true
		return
	}
	c.parse(b.prog.Fset)
	if len(c.wrong) > 0 {
		return
	}
	c.types = types.NewPackage(c.PkgPath, c.Name)
	c.info = types.Info{Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object),
		Implicits: make(map[ast.Node]types.Object), Instances: make(map[*ast.Ident]types.Instance),
		Selections: make(map[*ast.SelectorExpr]*types.Selection), FileVersions: make(map[*ast.File]string)}
	config := types.Config{Importer: importer{b, c}, Sizes: c.TypesSizes, Error: func(err error) { c.wrong = append(c.wrong, err) }}
	if c.Module != nil && c.Module.GoVersion != "" {
		config.GoVersion = "go" + c.Module.GoVersion
	}
	err := types.NewChecker(&config, b.prog.Fset, c.types, &c.info).Files(c.files)
	if err != nil && len(c.wrong) == 0 {
		c.wrong = append(c.wrong, err)
	}
	c.passed = len(c.wrong) == 0
}

// parse reads files. Nobody asks for comments, or for what an identifier is in the parser's own opinion.
func (c *checked) parse(files *token.FileSet) {
	for _, name := range c.CompiledGoFiles {
		source, err := os.ReadFile(name)
		if err == nil {
			var file *ast.File
			file, err = parser.ParseFile(files, name, source, parser.AllErrors|parser.SkipObjectResolution)
			c.files = append(c.files, file)
		}
		if err != nil {
			c.wrong = append(c.wrong, err)
		}
	}
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
	if p == nil {
		return nil, fmt.Errorf("the go command does not list %s among what %s imports", path, i.by.PkgPath)
	}
	return i.of[p].types, nil
}

// batch makes the SSA of packages, of which nothing else may be created meanwhile.
func (b *builder) batch(list []*checked) {
	for _, c := range list {
		if c.passed {
			b.prog.CreatePackage(c.types, c.files, &c.info, true)
		}
	}
	var all sync.WaitGroup
	for _, c := range list {
		if c.passed {
			all.Go(func() {
				b.slots <- struct{}{}
				defer func() { <-b.slots }()
				b.prog.Package(c.types).Build()
			})
		}
	}
	all.Wait()
	for _, c := range list {
		c.release(b.prog)
	}
}
