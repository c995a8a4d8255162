package kernel

import (
	"context"

	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/ir"
)

// File is one Go source file; Name is in positions.
type File struct {
	Name string
	Src  []byte
}

// Options tunes Parse. The zero value compiles one package that imports nothing but package gpu, math, math/bits and libraries.
type Options struct {
	Packages map[string][]File // sources of further packages by import path, for helper functions
}

// Program compiles the text of one Go file and returns the program of the kernel that is called name; "" takes the
// only one. Positions name the file kernel.go. A device compiles the program: vyre.Device.Compile.
func Program(src, name string) (*ir.Program, error) {
	return front.Program(src, name)
}

// LoadProgram is Program for a .go file on disk, or for the package in a directory.
func LoadProgram(ctx context.Context, path, name string) (*ir.Program, error) {
	p, err := front.Load(ctx, path)
	if err != nil {
		return nil, err
	}
	return p.Program(name)
}

// Parse compiles the kernels of the package that files make up. Programs are in the order of files and lines, instances of one
// generic kernel in the order of its directive. The error, if any, is an ir.Diags with every finding, sorted by position, or
// that of the context.
func Parse(ctx context.Context, files []File, o Options) ([]*ir.Program, error) {
	packages := make(map[string][]front.File, len(o.Packages))
	for path, of := range o.Packages {
		packages[path] = sources(of)
	}
	return programs(front.Parse(ctx, sources(files), front.Options{Packages: packages}))
}

// Load compiles the kernels of a .go file, or of the package in a directory. Of a file, its siblings of the same package are
// added when it does not stand alone. Imports of other packages of the same module are read from disk, and so are libraries of
// other modules: the go command says where they are. It ends soon after the context, with its error.
func Load(ctx context.Context, path string) ([]*ir.Program, error) {
	return programs(front.Load(ctx, path))
}

func sources(files []File) []front.File {
	list := make([]front.File, len(files))
	for i, f := range files {
		list[i] = front.File(f)
	}
	return list
}

func programs(p *front.Package, err error) ([]*ir.Program, error) {
	if err != nil {
		return nil, err
	}
	list := make([]*ir.Program, len(p.Kernels()))
	for i, k := range p.Kernels() {
		list[i] = k.Program
	}
	return list, nil
}
