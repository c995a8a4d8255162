package front

import (
	"context"
	"fmt"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/govyre/vyre/ir"
)

// Load compiles the kernels of a .go file, or of the package in a directory. Of a file, its
// siblings of the same package are added when it does not stand alone, or has tables, which they may fill. Imports of other
// packages of the same module are read from disk, and so are libraries of other modules: the go command says where they are.
// A file of a directory, or a sibling, that without lists is treated as missing: what generates a file must not depend on what
// the file held before. It ends soon after the context, with its error.
func Load(ctx context.Context, name string, without ...string) (*Package, error) {
	dir := name
	if st, err := os.Stat(name); err == nil && !st.IsDir() {
		dir = filepath.Dir(name)
	}
	m := findModule(dir)
	for {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("kernel: load %s: %w", name, err)
		}
		s, pkg, err := m.load(ctx, name, without)
		if err == nil || s == nil || !m.find(ctx, s.missing()) {
			return pkg, err
		}
	}
}

// load is Load with the libraries that were found so far. It returns what the error is of, if it is of the source.
func (m *module) load(ctx context.Context, name string, without []string) (*source, *Package, error) {
	st, err := os.Stat(name)
	if err != nil {
		return nil, nil, fmt.Errorf("kernel: load %s: %w", name, err)
	}
	if st.IsDir() {
		files, err := readPackage(name, "", without...)
		if err != nil {
			return nil, nil, fmt.Errorf("kernel: load %s: %w", name, err)
		}
		if len(files) == 0 {
			return nil, nil, fmt.Errorf("kernel: load %s: the directory has no Go files for %s/%s", name, build.Default.GOOS, build.Default.GOARCH)
		}
		s := m.source(ctx)
		pkg, err := s.compile(files, nil)
		return s, pkg, err
	}
	src, err := readSource(name)
	if err != nil {
		return nil, nil, fmt.Errorf("kernel: load %s: %w", name, err)
	}
	alone := m.source(ctx)
	pkg, err := alone.compile([]File{{name, src}}, nil)
	wrong := alone.goFindings()
	if wrong == 0 && !alone.globals.asked || alone.ended() {
		return alone, pkg, err
	}
	files, readErr := readPackage(filepath.Dir(name), packageName(name, src), without...)
	if readErr != nil || len(files) < 2 {
		return alone, pkg, err
	}
	clean := filepath.Clean(name)
	for i := range files {
		if filepath.Clean(files[i].Name) == clean {
			files[i].Name = name // positions say what the caller said
		}
	}
	together := m.source(ctx)
	all, allErr := together.compile(files, func(file string) bool { return file == name })
	if !together.ended() && together.goFindings() >= max(wrong, 1) && !together.collides(alone) { // the siblings were not what it needs
		return alone, pkg, err
	}
	return together, all, allErr
}

// collides reports whether the siblings declare all that the file alone lacks, and a name that it declares too.
func (s *source) collides(alone *source) bool {
	undefined := func(d ir.Diag) bool { return strings.HasPrefix(d.Msg, "undefined: ") }
	return slices.ContainsFunc(alone.found.list, undefined) && !slices.ContainsFunc(s.found.list, undefined) &&
		slices.ContainsFunc(s.found.list, func(d ir.Diag) bool { return strings.HasSuffix(d.Msg, " redeclared in this block") })
}

// readSource reads a file as far as one byte more than is ever compiled: some names never end.
func readSource(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxSource+1))
}

func packageName(name string, src []byte) string {
	f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.PackageClauseOnly)
	if err != nil {
		return ""
	}
	return f.Name.Name
}

// readPackage reads the files of dir that the Go tool would build, without tests; only those of
// package pkg if that is not "", and none of without. ReadDir sorts, so the order is always the same.
func readPackage(dir, pkg string, without ...string) ([]File, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []File
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || !info.Mode().IsRegular() {
			continue // as the Go tool does; opening a pipe waits
		}
		if slices.ContainsFunc(without, func(file string) bool {
			other, err := os.Stat(file)
			return err == nil && os.SameFile(info, other)
		}) {
			continue
		}
		if ok, err := build.Default.MatchFile(dir, name); err != nil || !ok {
			continue
		}
		full := filepath.Join(dir, name)
		src, err := readSource(full)
		if err != nil {
			return nil, err
		}
		if pkg == "" || packageName(full, src) == pkg {
			files = append(files, File{full, src})
		}
	}
	return files, nil
}
