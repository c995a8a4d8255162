package front

import (
	"bytes"
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/kernel/library"
)

// module is where the packages of a Go module lie; the zero module has none. Libraries are those of other modules that
// find has found.
type module struct {
	path, root string
	libraries  map[string][]File
}

// findModule looks for go.mod in dir and upward.
func findModule(dir string) *module {
	m := &module{libraries: make(map[string][]File)}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return m
	}
	for {
		if text, err := os.ReadFile(filepath.Join(abs, "go.mod")); err == nil {
			m.path, m.root = modulePath(string(text)), abs
			return m
		}
		up := filepath.Dir(abs)
		if up == abs {
			return m
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

// packageFiles returns the sources of an import path inside the module: of a library, what it lets others call.
func (m *module) packageFiles(importPath string) ([]File, error) {
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
	if called := libraryFiles(files); len(called) > 0 {
		return called, err
	}
	return files, err
}

// source is an empty compilation that knows the packages of the module, and libraries.
func (m *module) source(ctx context.Context) *source {
	s := newSource(ctx, m.packageFiles)
	s.libs = func(path string) ([]File, error) {
		if files := m.libraries[path]; files != nil {
			return files, nil
		}
		return registered(path)
	}
	return s
}

// find looks for packages of other modules, and reports whether one of them is a library. The go command knows
// where they are: it reads go.mod, go.work and folders named vendor.
func (m *module) find(ctx context.Context, paths []string) (found bool) {
	if m.path == "" || len(paths) == 0 {
		return false
	}
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-find", "-e", "-f", "{{if not .Standard}}{{.ImportPath}}\t{{.Dir}}{{end}}", "--"}, paths...)...)
	cmd.Dir = m.root
	out, err := cmd.Output()
	if err != nil {
		return false // then they are packages that the compiler was not given
	}
	for line := range strings.Lines(string(out)) {
		importPath, dir, _ := strings.Cut(strings.TrimRight(line, "\r\n"), "\t")
		if dir == "" || m.libraries[importPath] != nil {
			continue
		}
		files, err := readPackage(dir, "")
		if files = libraryFiles(files); err != nil || len(files) == 0 {
			continue
		}
		for i, f := range files {
			files[i].Name = library.FileName(importPath, filepath.Base(f.Name))
		}
		m.libraries[importPath], found = files, true
	}
	return found
}

// missing are the imports without source, if a kernel needs one of them.
func (s *source) missing() (paths []string) {
	if !slices.ContainsFunc([]ir.Diag(s.found.list), func(d ir.Diag) bool { return d.Code == noForeign.code }) {
		return nil
	}
	for _, p := range s.imports {
		if !slices.Contains(paths, p) {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	return paths
}

// libraryFiles are those files of a package that kernels of other modules may call.
func libraryFiles(files []File) (called []File) {
	for _, f := range files {
		if bytes.Contains(f.Src, []byte(libraryMarker)) && marksLibrary(f) {
			called = append(called, f)
		}
	}
	return called
}

func marksLibrary(f File) bool {
	parsed, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Src, parser.PackageClauseOnly|parser.ParseComments)
	if err != nil {
		return false
	}
	for _, g := range parsed.Comments {
		for _, c := range g.List {
			if c.Text == libraryMarker && c.Pos() < parsed.Package {
				return true
			}
		}
	}
	return false
}

// Library is a package whose functions kernels of other modules may call.
type Library struct {
	Name, Path string
	Files      []string // that have the directive, by their names in the directory
	Kernels    bool     // the package seems to have kernels, too
}

// FindLibrary reads which library is in a directory; nil if none is.
func FindLibrary(dir string) (*Library, error) {
	all, err := readPackage(dir, "")
	files := libraryFiles(all)
	if err != nil || len(files) == 0 {
		return nil, err
	}
	m := findModule(dir)
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	rest, err := filepath.Rel(m.root, abs)
	if m.path == "" || err != nil {
		return nil, fmt.Errorf("kernel: load %s: a library is in a module, so that others can import it; fix: run go mod init", dir)
	}
	l := &Library{Name: packageName(files[0].Name, files[0].Src), Path: path.Join(m.path, filepath.ToSlash(rest))}
	for _, f := range files {
		l.Files = append(l.Files, filepath.Base(f.Name))
	}
	l.Kernels = slices.ContainsFunc(all, func(f File) bool { return bytes.Contains(f.Src, []byte("\n"+marker+" ")) })
	return l, nil
}
