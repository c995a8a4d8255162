package front_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
)

// project writes an archive to disk and makes it the current directory.
func project(t *testing.T, archive string) {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

const app = `
-- go.mod --
module example.com/app // the application

go 1.25
-- kernels/double.go --
package kernels

import (
	"example.com/app/lib"
	"github.com/govyre/vyre/gpu"
)

//vyre:kernel workgroup=32
func Double(t gpu.Thread, x []int32) {
	x[0] = lib.Twice(x[1]) + local(2)
}
-- kernels/helpers.go --
package kernels

import "net/http"

func local(v int32) int32 { return v + 1 }

// Serve is for the host; its imports are not known here and do not matter.
func Serve(s *http.Server) error {
	for _, f := range []func() error{s.ListenAndServe} {
		if err := f(); err != nil {
			return err
		}
	}
	return s.Close()
}
-- kernels/double_test.go --
package kernels

this is no Go
-- kernels/other_windows_plan9.go --
//go:build ignore

package main
-- lib/lib.go --
package lib

func Twice(v int32) int32 { return 2 * v }
-- alone/a.go --
package main

import "github.com/govyre/vyre/gpu"

//vyre:kernel workgroup=32
func A(t gpu.Thread, x []int32) { x[0] = 1 }

func main() {}
-- alone/b.go --
package main

import "github.com/govyre/vyre/gpu"

//vyre:kernel workgroup=32
func B(t gpu.Thread, x []int32) { x[0] = 2 }

func main() {}
-- alone/typo.go --
package main

import "github.com/govyre/vyre/gpu"

//vyre:kernel workgroup=32
func C(t gpu.Thread, x []int32) { x[0] = y }

func main() {}
-- broken/k.go --
package broken

import (
	"example.com/elsewhere"
	"github.com/govyre/vyre/gpu"
)

//vyre:kernel workgroup=32
func K(t gpu.Thread, x []int32) {
	x[0] = elsewhere.Value(1)
	x[1] = 1.5
}
-- empty/readme.txt --
nothing
`

func names(p *front.Package) (list []string) {
	for _, k := range p.Kernels() {
		list = append(list, k.Name)
	}
	return list
}

func TestLoadOfADirectoryTakesItsPackage(t *testing.T) {
	project(t, app)
	p, err := front.Load(t.Context(), "kernels")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(names(p), " "); got != "Double" || p.Name != "kernels" {
		t.Errorf("package %s with kernels %s", p.Name, got)
	}
	if file := p.Kernels()[0].Pos.File; file != filepath.Join("kernels", "double.go") {
		t.Errorf("positions name the file %s", file)
	}
}

func TestLoadOfAFileAddsTheSiblingsItNeeds(t *testing.T) {
	project(t, app)
	p, err := front.Load(t.Context(), "kernels/double.go")
	if err != nil {
		t.Fatal(err)
	}
	x := []int32{0, 5}
	launchOne(t, p.Lookup("Double"), x)
	if x[0] != 13 {
		t.Errorf("got %d, want 13", x[0])
	}
}

func TestLoadOfAFileThatStandsAloneIgnoresItsSiblings(t *testing.T) {
	project(t, app)
	p, err := front.Load(t.Context(), "alone/b.go")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(names(p), " "); got != "B" {
		t.Errorf("kernels %s", got)
	}
}

// The Go tool passes over what is no file, whatever its name; a link to something endless would be read for ever.
func TestLoadTakesOnlyFilesOfADirectory(t *testing.T) {
	project(t, app)
	if err := os.Mkdir(filepath.Join("kernels", "folder.go"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("/dev/zero"); err == nil {
		if err := os.Symlink("/dev/zero", filepath.Join("kernels", "endless.go")); err != nil {
			t.Fatal(err)
		}
		if _, err := front.Load(t.Context(), "/dev/zero"); err == nil || !strings.Contains(err.Error(), "more than 16 MiB of source") {
			t.Errorf("a file without an end: %v", err)
		}
	}
	if _, err := front.Load(t.Context(), "kernels"); err != nil {
		t.Error(err)
	}
}

func TestLoadTellsWhatIsMissing(t *testing.T) {
	project(t, app)
	for path, want := range map[string]string{
		"nowhere":       "kernel: load nowhere: ",
		"alone/typo.go": "alone/typo.go:6:42: undefined: y",
		"empty":         "kernel: load empty: the directory has no Go files",
		"broken/k.go":   "broken/k.go:11:9: cannot use 1.5",
	} {
		_, err := front.Load(t.Context(), path)
		if err == nil || !strings.HasPrefix(filepath.ToSlash(err.Error()), want) || strings.Contains(err.Error(), "redeclared") {
			t.Errorf("Load(%q): %v, want %s…", path, err, want)
		}
	}
}

// A name that a file and its sibling declare is the mistake, not what the file alone lacks.
func TestLoadOfAFileTellsWhatItsSiblingDeclaresToo(t *testing.T) {
	dir := t.TempDir()
	const k = "package k\n\nimport \"github.com/govyre/vyre/gpu\"\n\n//vyre:kernel workgroup=32\n" +
		"func K(t gpu.Thread, x []int32) { x[0] = twice(x[1]) + thrice(x[2]) }\n\nfunc again() {}\n"
	const others = "package k\n\nfunc twice(v int32) int32 { return 2 * v }\n\nfunc again() {}\n"
	const more = "func thrice(v int32) int32 { return 3 * v }\n"
	for _, c := range []struct{ name, sibling, want string }{
		{"a.go", others + more, "k.go:8:6: again redeclared in this block"},
		{"z.go", others + more, "z.go:5:6: again redeclared in this block"},
		{"a.go", others, "k.go:6:"}, // undefined: thrice
	} {
		for name, text := range map[string]string{"k.go": k, c.name: c.sibling} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, err := front.Load(t.Context(), filepath.Join(dir, "k.go"))
		if err == nil || !strings.HasPrefix(err.Error(), filepath.Join(dir, c.want)) {
			t.Errorf("with sibling %s: %v, want %s…", c.name, err, c.want)
		}
		if err := os.Remove(filepath.Join(dir, c.name)); err != nil {
			t.Fatal(err)
		}
	}
}

// A package whose sources are given is compiled with the kernels; one whose are not is refused where it is called.
func TestParseTakesFurtherPackages(t *testing.T) {
	files := []front.File{{Name: "k.go", Src: []byte(`package k

import (
	"example.com/lib"
	"github.com/govyre/vyre/gpu"
)

//vyre:kernel workgroup=32
func K(t gpu.Thread, x []int32) { x[0] = lib.Twice(x[1]) }
`)}}
	lib := []front.File{{Name: "lib.go", Src: []byte("package lib\n\nfunc Twice(v int32) int32 { return 2 * v }\n")}}
	if _, err := front.Parse(t.Context(), files, front.Options{Packages: map[string][]front.File{"example.com/lib": lib}}); err != nil {
		t.Error(err)
	}
	_, err := front.Parse(t.Context(), files, front.Options{})
	var ds ir.Diags
	if !errors.As(err, &ds) || len(ds) != 1 || ds[0].Code != "VK018" {
		t.Errorf("without the package: %v, want VK018", err)
	}
	lib[0].Src = []byte("package lib\n\nfunc Twice(v int32) int32 { return 2 * w }\n")
	_, err = front.Parse(t.Context(), files, front.Options{Packages: map[string][]front.File{"example.com/lib": lib}})
	if err == nil || !strings.HasPrefix(err.Error(), "lib.go:3:40: undefined: w") {
		t.Errorf("with an error in the package: %v", err)
	}
}

// Compilations share nothing but the embedded declarations, which they only read.
//
//ci:race InParallel
func TestCompilationsRunInParallel(t *testing.T) {
	src := sources(t)
	var wg sync.WaitGroup
	for range long.Count(2, 4, 8) {
		wg.Go(func() {
			n := 0
			for _, text := range src { // in no order, so each of them takes others
				if n++; n > len(src)/long.Count(4, 3, 1) {
					break
				}
				front.Parse(t.Context(), []front.File{{Name: "k.go", Src: []byte(text)}}, front.Options{})
			}
		})
	}
	wg.Wait()
}
