// Command writes lists the places that write files by themselves, and not by package internal/atomicfile:
//
//	go run ./.ci/writes
//
// It knows the functions of package os that create, fill or rename a file. Temporary folders and os.CreateTemp are not
// among them, since no user has a file there. Tests and testdata are left out.
package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// writers are functions of package os.
var writers = []string{"Create", "OpenFile", "Rename", "WriteFile"}

// exempt are folders that write by themselves, with the reason.
var exempt = map[string]string{
	"internal/atomicfile": "the function itself",
	"internal/imagecache": "private files, which replace links; see Cache.write",
	"examples":            "programs to copy, which cannot import what is internal",
}

func main() {
	found, err := list(".")
	for _, at := range found {
		fmt.Println(at)
	}
	if err == nil && len(found) > 0 {
		err = errors.New("write files by internal/atomicfile, so that an interrupted write loses nothing")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "writes:", err)
		os.Exit(1)
	}
}

// list returns "file:line:column: os.Name" of each use.
func list(root string) (found []string, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && (exempt[filepath.ToSlash(path)] != "" || name == "testdata" || name == ".git" || name == ".cache"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		some, err := uses(path)
		found = append(found, some...)
		return err
	})
	return found, err
}

// uses returns those of a file, whatever it calls package os.
func uses(path string) (found []string, err error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	local := ""
	for _, spec := range f.Imports {
		if at, err := strconv.Unquote(spec.Path.Value); err == nil && at == "os" {
			if local = "os"; spec.Name != nil {
				local = spec.Name.Name
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := s.X.(*ast.Ident); ok && x.Name == local && slices.Contains(writers, s.Sel.Name) {
			found = append(found, fmt.Sprintf("%v: os.%s", fset.Position(s.Pos()), s.Sel.Name))
		}
		return true
	})
	return found, nil
}
