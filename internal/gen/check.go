package gen

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/govyre/vyre/kernel"
)

// sourceConst is what the digest of a kernel's source is called in a generated file.
func sourceConst(launcher string) string { return uncapital(launcher) + "Source" }

// Check compares a file that Source wrote with the kernels as they are now, by the digests of their
// source: another version of the compiler finds the same launchers fresh. The error, if any, joins one
// for each kernel.
func Check(pkg *kernel.Package, name string, text []byte) error {
	made, err := sourcesIn(name, text)
	if err != nil {
		return err
	}
	var stale []error
	for _, k := range pkg.Kernels() {
		at := sourceConst(launcherName(k))
		was, ok := made[at]
		delete(made, at)
		switch {
		case !ok:
			stale = append(stale, fmt.Errorf("%s has no launcher of kernel %s", name, k.Name))
		case was != fmt.Sprintf("%x", k.Source):
			stale = append(stale, fmt.Errorf("kernel %s, or a part of it, has changed since its launcher in %s was made", k.Name, name))
		}
	}
	for _, at := range slices.Sorted(maps.Keys(made)) {
		stale = append(stale, fmt.Errorf("%s has a launcher of a kernel that is not there any more: %s", name, capital(strings.TrimSuffix(at, "Source"))))
	}
	return errors.Join(stale...)
}

// sourcesIn returns the digests in a generated file by the names of their constants.
func sourcesIn(name string, text []byte) (map[string]string, error) {
	f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	found := make(map[string]string)
	for _, d := range f.Decls {
		d, ok := d.(*ast.GenDecl)
		if !ok || d.Tok != token.CONST {
			continue
		}
		for _, spec := range d.Specs {
			spec := spec.(*ast.ValueSpec)
			if len(spec.Names) != 1 || len(spec.Values) != 1 || !strings.HasSuffix(spec.Names[0].Name, "Source") {
				continue
			}
			if lit, ok := spec.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
				digest, err := strconv.Unquote(lit.Value)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", name, err)
				}
				found[spec.Names[0].Name] = digest
			}
		}
	}
	return found, nil
}
