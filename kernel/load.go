package kernel

import (
	"context"
	"fmt"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Load compiles the kernels of a .go file, or of the package in a directory. Of a file, its
// siblings of the same package are added when it does not stand alone. Imports of other
// packages of the same module are read from disk; nothing else is. A file of a directory, or a sibling, that without lists is
// treated as missing: what generates a file must not depend on what the file held before. It ends soon after the context, with
// its error.
func Load(ctx context.Context, name string, without ...string) (*Package, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("kernel: load %s: %w", name, err)
	}
	st, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("kernel: load %s: %w", name, err)
	}
	dir := name
	if !st.IsDir() {
		dir = filepath.Dir(name)
	}
	m := findModule(dir)
	if st.IsDir() {
		files, err := readPackage(dir, "", without...)
		if err != nil {
			return nil, fmt.Errorf("kernel: load %s: %w", name, err)
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("kernel: load %s: the directory has no Go files for %s/%s", name, build.Default.GOOS, build.Default.GOARCH)
		}
		return newSource(ctx, m.packageFiles).compile(files, nil)
	}
	src, err := readSource(name)
	if err != nil {
		return nil, fmt.Errorf("kernel: load %s: %w", name, err)
	}
	alone := newSource(ctx, m.packageFiles)
	pkg, err := alone.compile([]File{{name, src}}, nil)
	if err == nil || alone.goFindings() == 0 || alone.ended() {
		return pkg, err
	}
	files, readErr := readPackage(dir, packageName(name, src), without...)
	if readErr != nil || len(files) < 2 {
		return pkg, err
	}
	clean := filepath.Clean(name)
	for i := range files {
		if filepath.Clean(files[i].Name) == clean {
			files[i].Name = name // positions say what the caller said
		}
	}
	together := newSource(ctx, m.packageFiles)
	all, allErr := together.compile(files, func(file string) bool { return file == name })
	if together.ended() {
		return nil, allErr
	}
	if together.goFindings() >= alone.goFindings() { // the siblings were not what it needs
		return pkg, err
	}
	return all, allErr
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

// module is where the packages of a Go module lie; the zero module has none.
type module struct{ path, root string }

// findModule looks for go.mod in dir and upward.
func findModule(dir string) module {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return module{}
	}
	for {
		if text, err := os.ReadFile(filepath.Join(abs, "go.mod")); err == nil {
			return module{modulePath(string(text)), abs}
		}
		up := filepath.Dir(abs)
		if up == abs {
			return module{}
		}
		abs = up
	}
}

// modulePath returns what the module directive of a go.mod states.
func modulePath(text string) string {
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		if f := strings.Fields(line); len(f) == 2 && f[0] == "module" {
			return strings.Trim(f[1], "\"`")
		}
	}
	return ""
}

// packageFiles returns the sources of an import path inside the module.
func (m module) packageFiles(importPath string) ([]File, error) {
	if m.path == "" {
		return nil, nil
	}
	rest, ok := strings.CutPrefix(importPath, m.path)
	if !ok || rest != "" && rest[0] != '/' || path.Clean("/"+rest) != "/"+strings.TrimPrefix(rest, "/") {
		return nil, nil
	}
	files, err := readPackage(filepath.Join(m.root, filepath.FromSlash(rest)), "")
	if os.IsNotExist(err) {
		return nil, nil
	}
	return files, err
}
