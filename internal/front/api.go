package front

import (
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	gopath "path"
	"sync"

	"github.com/govyre/vyre/kernel/library"
)

const (
	gpuPath  = "github.com/govyre/vyre/gpu"
	mathPath = "math"
	bitsPath = "math/bits"
)

// declarations holds what the type checker has to know of the packages that kernels
// import: their exported declarations, without bodies. So a compiled program needs
// neither a Go installation nor a source tree to read kernels.
//
//go:embed api/*.txt
var declarations embed.FS

// standardLibrary is the parts of the standard library that kernels call and whose source this package has: it says
// what the functions of the same names compute, by ways of its own.
//
//go:embed std
var standardLibrary embed.FS

// standard returns the source of a package of the standard library, none of one that kernels cannot call.
func standard(path string) []File {
	src, err := standardLibrary.ReadFile("std/" + path + ".txt")
	if err != nil {
		return nil
	}
	return []File{{Name: path + "/" + gopath.Base(path) + ".go", Src: src}}
}

var knownFiles = map[string]string{gpuPath: "api/gpu.txt", mathPath: "api/math.txt", bitsPath: "api/bits.txt"}

var knownPackages = sync.OnceValue(func() map[string]*types.Package {
	pkgs := make(map[string]*types.Package)
	fset := token.NewFileSet()
	for path, name := range knownFiles {
		src, err := declarations.ReadFile(name)
		if err != nil {
			panic(fmt.Sprintf("BUG: %s is not embedded: %v", name, err))
		}
		f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
		if err != nil {
			panic(fmt.Sprintf("BUG: embedded declarations: %v", err))
		}
		cfg := types.Config{IgnoreFuncBodies: true, Sizes: types.SizesFor("gc", "amd64")}
		p, err := cfg.Check(path, fset, []*ast.File{f}, nil)
		if err != nil {
			panic(fmt.Sprintf("BUG: embedded declarations: %v", err))
		}
		pkgs[path] = p
	}
	return pkgs
})

// registered returns the source of a library that this program imports; none of any other.
func registered(path string) ([]File, error) {
	list, err := library.Files(path)
	var files []File
	for _, f := range list {
		files = append(files, File(f))
	}
	return files, err
}

// known returns a package whose declarations are embedded, or nil.
func known(path string) *types.Package {
	if path == "unsafe" {
		return types.Unsafe
	}
	if _, ok := knownFiles[path]; !ok {
		return nil
	}
	return knownPackages()[path]
}
