package gen_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/gen"
)

const swappable = `package k

import "github.com/govyre/vyre/gpu"

//vyre:kernel workgroup=32
func Set(t gpu.Thread, v uint8, x []uint8) { x[t.Global().X] = v }

//vyre:kernel workgroup=32 types=T:int32|float32
func Fill[T int32 | float32](t gpu.Thread, v T, x []T) { x[t.Global().X] = v }
`

// importer knows the packages that kernels import, and takes all others for empty.
type importer []*types.Package

func (known importer) Import(path string) (*types.Package, error) {
	for _, p := range known {
		if p.Path() == path {
			return p, nil
		}
	}
	p := types.NewPackage(path, path[strings.LastIndexByte(path, '/')+1:])
	p.MarkComplete()
	return p, nil
}

// signatureErrors returns what Go finds wrong with the assertions of launchers beside a source.
func signatureErrors(t *testing.T, launchers []byte, src string, known importer) (found []string) {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	for name, text := range map[string]string{"k.go": src, gen.FileName: string(launchers)} {
		f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	cfg := types.Config{Importer: known, Error: func(err error) {
		var e types.Error
		if errors.As(err, &e) && strings.HasPrefix(strings.Split(string(launchers), "\n")[fset.Position(e.Pos).Line-1], "var _ func") {
			found = append(found, e.Msg)
		}
	}}
	// What fails is told to Error; of empty packages much does.
	_, _ = cfg.Check("k", fset, files, nil)
	return found
}

func TestLaunchersDoNotBuildForAnotherSignature(t *testing.T) {
	pkg := parse(t, map[string]string{"k.go": swappable})
	files, err := gen.Source(pkg, gen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	launchers := files.Launchers
	known := importer(pkg.Types.Imports())
	if found := signatureErrors(t, launchers, swappable, known); len(found) != 0 {
		t.Errorf("as they were made: %q", found)
	}
	for _, c := range []struct{ name, old, new string }{
		{"parameters that change places", "v uint8, x []uint8", "x []uint8, v uint8"},
		{"a parameter of another type", "v uint8", "v int8"},
		{"a parameter more", "x []uint8)", "x []uint8, n uint32)"},
		{"parameters of a generic kernel that change places", "v T, x []T", "x []T, v T"},
		{"a kernel that is gone", "func Set(", "func Put("},
	} {
		if found := signatureErrors(t, launchers, strings.Replace(swappable, c.old, c.new, 1), known); len(found) == 0 {
			t.Errorf("%s: the launchers still build", c.name)
		}
	}
}
