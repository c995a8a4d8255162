package kernel

import (
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"sync"
)

const (
	gpuPath  = "github.com/govyre/vyre/gpu"
	mathPath = "math"
	bitsPath = "math/bits"

	randomPath = gpuPath + "/random"
	arcsPath   = "github.com/govyre/vyre/megakernel/arcs"
	queuePath  = "github.com/govyre/vyre/megakernel/queue"

	frontiersPath = "github.com/govyre/vyre/megakernel/frontiers"
	blockPath     = "github.com/govyre/vyre/prim/block"
	flowPath      = "github.com/govyre/vyre/graph/flow"
)

// declarations holds what the type checker has to know of the packages that kernels
// import: their exported declarations, without bodies. So a compiled program needs
// neither a Go installation nor a source tree to read kernels.
//
//go:generate go run ./internal/declare
//go:embed api/*.txt api/block/*.txt
var declarations embed.FS

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

// sourceOf returns the text of a package that every kernel may call and that is compiled with it; none of any other.
func sourceOf(path string) []File {
	var files []File
	names := sources[path]
	if path == blockPath {
		names = filesOf("block")
	}
	for _, name := range names {
		src, err := declarations.ReadFile("api/" + name + ".txt")
		if err != nil {
			panic(fmt.Sprintf("BUG: the source of %s is not embedded: %v", path, err))
		}
		files = append(files, File{Name: name + ".go", Src: src})
	}
	return files
}

// filesOf lists the embedded files of a directory.
func filesOf(dir string) (names []string) {
	entries, err := declarations.ReadDir("api/" + dir)
	if err != nil {
		panic(fmt.Sprintf("BUG: %s is not embedded: %v", dir, err))
	}
	for _, e := range entries {
		names = append(names, dir+"/"+strings.TrimSuffix(e.Name(), ".txt"))
	}
	return names
}

// sources lists the files of packages that are compiled with the kernels which call them.
var sources = map[string][]string{randomPath: {"random"}, arcsPath: {"arcs", "rounds", "stay", "warp", "drain", "both"}, queuePath: {"ring"}, frontiersPath: {"work"},
	flowPath: {"flow"}}

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
