package main

import (
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"testing"
)

func embedded(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", file))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The embedded declarations are what kernels are checked against, so they must say what
// package gpu says.
func TestEmbeddedDeclarationsOfGPUAreCurrent(t *testing.T) {
	want, err := targets[0].make("../..")
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != string(embedded(t, targets[0].file)) {
		t.Errorf("%s does not say what the package says; run: go generate .", targets[0].file)
	}
}

// The standard library grows with Go, so of it the embedded declarations are only a part, but a true one.
func TestEmbeddedDeclarationsOfTheLibraryAreTrue(t *testing.T) {
	for path, file := range map[string]string{"math": "api/math.txt", "math/bits": "api/bits.txt"} {
		fset := token.NewFileSet()
		real, err := importer.ForCompiler(fset, "source", nil).Import(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.ParseFile(fset, file, embedded(t, file), parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ours, err := (&types.Config{IgnoreFuncBodies: true}).Check(path, fset, []*ast.File{f}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range ours.Scope().Names() {
			o, want := ours.Scope().Lookup(name), real.Scope().Lookup(name)
			if want == nil || !types.Identical(o.Type(), want.Type()) {
				t.Errorf("%s.%s is declared as %v, really %v", path, name, o, want)
				continue
			}
			c, isConst := o.(*types.Const)
			if isConst && !constant.Compare(c.Val(), token.EQL, want.(*types.Const).Val()) && name != "UintSize" {
				t.Errorf("%s.%s is %v, really %v", path, name, c.Val(), want.(*types.Const).Val())
			}
		}
	}
}
