package front

import (
	"context"
	"fmt"
	"go/ast"
	"go/types"

	"github.com/govyre/vyre/ir"
)

// File is one Go source file; Name stands in positions.
type File struct {
	Name string
	Src  []byte
}

// Options tunes Parse. The zero value compiles one package that imports nothing but
// package gpu, math and math/bits.
type Options struct {
	Packages map[string][]File // sources of further packages by import path, for helper functions
}

// Package is the kernels of one Go package, compiled. It is immutable.
type Package struct {
	Name    string
	Types   *types.Package // as checked, for what refers to its types
	kernels []*Kernel
	library map[string]bool // names of files
}

// InLibrary reports whether a file, by its name in positions, is of a library: then the name does not say where it is.
func (p *Package) InLibrary(file string) bool { return p.library[file] }

// Kernel is one compiled kernel: a marked function, or one instance of a generic one.
type Kernel struct {
	Name      string // of the program: the function's, or what the directive says
	Func      string // of the Go function
	Doc       string // its doc comment, directives left out
	TypeArg   string // the type argument of an instance, "" for a plain function
	Directive Directive
	Params    []Param // those of the function after gpu.Thread
	Pos       ir.Pos  // of the function's name
	Program   *ir.Program
	Source    [32]byte      // digest of the function and of all that it needs, comments and spacing aside
	Made      []Declaration // these declarations, the function first, except those of libraries
}

// Param is a parameter of a kernel as its Go caller sees it.
type Param struct {
	Name   string
	GoType string  // in the form of Go source, qualified by package names: "[]float32"
	Elem   ir.Type // type of the scalar, or of one element of the buffer; None if that is a struct
	Lanes  int     // 2 or 4 for a slice of such arrays that is a buffer of scalars, else 1
	Buffer bool
	Big    bool       // may hold 2³¹ elements and more
	Type   types.Type // as checked; a type argument is already in place
	First  int        // the first parameter of the program that belongs to it
	Parts  []Part     // of a struct or an array by value: what its parameters of the program hold; else nil
}

// Part is a scalar of a parameter that is a struct or an array.
type Part struct {
	Path string // as Go selects it: ".Pos[1].X"
	Elem ir.Type
	Half string // of a complex number there: real or imag
}

// Of is the part of a parameter, in Go.
func (p Part) Of(param string) string {
	if p.Half != "" {
		return p.Half + "(" + param + p.Path + ")"
	}
	return param + p.Path
}

// Parse compiles the kernels of the package that files make up. The error, if any, is
// an ir.Diags with every finding, sorted by position, or that of the context.
func Parse(ctx context.Context, files []File, o Options) (*Package, error) {
	s := newSource(ctx, func(path string) ([]File, error) { return o.Packages[path], nil })
	return s.compile(files, nil)
}

// Kernels returns the kernels in the order of their files and lines; instances of one
// generic kernel in the order of its directive.
func (p *Package) Kernels() []*Kernel { return p.kernels }

// Lookup returns the kernel whose program has the given name, or nil.
func (p *Package) Lookup(name string) *Kernel {
	for _, k := range p.kernels {
		if k.Name == name {
			return k
		}
	}
	return nil
}

// compile parses, checks and lowers. If wanted is not nil, only kernels of files that it
// accepts are compiled.
func (s *source) compile(files []File, wanted func(file string) bool) (*Package, error) {
	pkg, err := s.compileAll(files, wanted)
	if s.ended() { // what was found by then is not all
		return nil, fmt.Errorf("kernel: compile: %w", s.ctx.Err())
	}
	return pkg, err
}

// compileAll is compile until the context ends.
func (s *source) compileAll(files []File, wanted func(file string) bool) (*Package, error) {
	parsed := s.parse(files)
	if s.ended() {
		return nil, s.ctx.Err()
	}
	s.bound(parsed)
	if len(s.found.list) > 0 {
		return nil, s.found.sorted()
	}
	var kernels []*marked
	for _, f := range parsed {
		if wanted == nil || wanted(s.pos(f.FileStart).File) {
			kernels = append(kernels, s.marked(f)...)
		}
	}
	pkg := s.check(ownPath, parsed)
	if s.ended() {
		return nil, s.ctx.Err()
	}
	if s.report(s.reach(kernels)) {
		return nil, s.found.sorted()
	}
	out := &Package{Name: pkg.Name(), Types: pkg, library: make(map[string]bool)}
	for file, t := range s.texts {
		out.library[file.Name()] = t.library
	}
	names, declared := make(map[string]bool), s.declarations()
	for _, m := range kernels {
		if s.ended() {
			return nil, s.ctx.Err()
		}
		lowered := s.lowerAll(m, names)
		made, digest := s.made(m, declared)
		for _, k := range lowered {
			k.Made, k.Source = made, digest
		}
		out.kernels = append(out.kernels, lowered...)
	}
	if len(s.found.list) > 0 {
		return nil, s.found.sorted()
	}
	return out, nil
}

// marked is a function with a kernel directive.
type marked struct {
	decl      *ast.FuncDecl
	directive Directive
	at        ir.Pos // of the directive
}
