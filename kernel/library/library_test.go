package library_test

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/gen"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/internal/testing/needs"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/kernel"
	"github.com/govyre/vyre/kernel/library"
)

// thrice is a library as library_vyre.go would have one: embedded, and known by its import path.
//
//go:embed thrice_test.go
var thrice embed.FS

// modules are a program of a user, a library that it requires, and another that this one requires: three modules. One has a
// path without a dot, as packages of the standard library have.
var modules = map[string]string{
	"tiles/go.mod": "module example.com/tiles\n\ngo 1.25\n",
	"tiles/tiles.go": `//vyre:library

// Package tiles has a part for kernels and a part for hosts.
package tiles

import "words"

func Area(w, h uint32) uint32 { return words.Double(w*h) / 2 }
`,
	"tiles/host.go": "package tiles\n\nimport \"os\"\n\nfunc Name() string { return os.Args[0] }\n",
	"words/go.mod":  "module words\n\ngo 1.25\n",
	"words/words.go": `//vyre:library

package words

func Double(v uint32) uint32 { return 2 * v }
`,
	"app/go.mod": `module example.com/app

go 1.25

require (
	example.com/tiles v0.0.0
	words v0.0.0
)

replace (
	example.com/tiles => ../tiles
	words => ../words
)
`,
	"app/kernel.go": `package main

import (
	"example.com/tiles"
	"github.com/govyre/vyre/gpu"
)

//vyre:kernel workgroup=32
func Areas(t gpu.Thread, x []uint32) {
	i := t.Global().X
	x[i] = tiles.Area(i, 3)
}
`,
	"app/main.go": `package main

import (
	"context"
	"fmt"

	_ "example.com/tiles"
	"github.com/govyre/vyre"
	"github.com/govyre/vyre/kernel"
)

const text = "package k\nimport (\"example.com/tiles\"; \"github.com/govyre/vyre/gpu\")\n" +
	"//vyre:kernel workgroup=32\nfunc K(t gpu.Thread, x []uint32) { x[t.Global().X] = tiles.Area(t.Global().X, 3) }\n"

func main() {
	ctx := context.Background()
	dev, err := vyre.Open("cpu")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer dev.Close()
	k, err := CompileAreas(ctx, dev)
	if err != nil {
		fmt.Println(err)
		return
	}
	x := make([]uint32, 32)
	_, err = k.Run(ctx, vyre.Grid{1}, x)
	fmt.Println(x[31], err)
	p, err := kernel.Program(text, "K")
	fmt.Println(p != nil, err)
}
`,
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func edit(t *testing.T, name, old, new string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil || !strings.Contains(string(text), old) {
		t.Fatalf("no %q in %s (%v)", old, name, err)
	}
	if err := os.WriteFile(name, []byte(strings.ReplaceAll(string(text), old, new)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// outside writes the modules where no go.work and no flag of this one is in the way.
func outside(t *testing.T) (dir string) {
	t.Helper()
	needs.Tool(t, "go")
	for _, v := range []string{"GOWORK=off", "GOPROXY=off", "GOFLAGS=-mod=mod"} {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
	dir = t.TempDir()
	write(t, dir, modules)
	return dir
}

// The class: a package that kernels call and that is in another module. It is compiled if its files say that they are a library.
func TestLibraryOfAnotherModule(t *testing.T) {
	dir := outside(t)
	app := filepath.Join(dir, "app", "kernel.go")
	pkg, err := front.Load(t.Context(), app)
	if err != nil {
		t.Fatal(err)
	}
	if !pkg.InLibrary("tiles/tiles.go") || !pkg.InLibrary("words/words.go") || pkg.InLibrary(app) {
		t.Error("positions in libraries name the files by their packages")
	}
	first := pkg.Kernels()[0]
	if len(first.Made) != 1 {
		t.Errorf("made of %v: another module is not compared when the program runs", first.Made)
	}
	files, err := gen.Source(pkg, gen.Options{Dir: filepath.Join(dir, "app")})
	if err != nil || strings.Contains(string(files.Programs)+string(files.Launchers), dir) {
		t.Errorf("%v; or the files depend on where the module is", err)
	}

	edit(t, filepath.Join(dir, "words", "words.go"), "2 * v", "v << 1")
	pkg, err = front.Load(t.Context(), app)
	if err != nil || pkg.Kernels()[0].Source == first.Source {
		t.Errorf("an edit of a library leaves the digest of the kernel's source as it was (%v)", err)
	}

	edit(t, filepath.Join(dir, "words", "words.go"), "//vyre:library\n\n", "")
	_, err = front.Load(t.Context(), app)
	var ds ir.Diags
	if !errors.As(err, &ds) || ds[0].Code != "VK018" || !strings.Contains(err.Error(), "tiles/tiles.go:8:") || !strings.Contains(err.Error(), "words.Double") {
		t.Errorf("without the directive: %v, want VK018 at the call", err)
	}
	edit(t, filepath.Join(dir, "words", "words.go"), "package words", "//vyre:library\n\npackage words")
	if _, err = front.Load(t.Context(), app); err != nil {
		t.Errorf("with the directive again: %v", err)
	}
}

func TestDirectiveIsBeforeThePackageClause(t *testing.T) {
	src := "package k\n\n//vyre:library\n\nimport \"github.com/govyre/vyre/gpu\"\n\n//vyre:kernel workgroup=32\nfunc K(t gpu.Thread, x []uint32) {}\n"
	_, err := kernel.Program(src, "")
	if err == nil || !strings.Contains(err.Error(), "kernel.go:3:1: this directive does not stand before the package clause [VK001]") {
		t.Errorf("got %v", err)
	}
}

// A program finds the libraries that it imports, and no other.
func TestRegisteredLibraryIsCompiledWithKernels(t *testing.T) {
	src := "package k\n\nimport (\n\tthrice \"example.com/deep/thrice\"\n\t\"github.com/govyre/vyre/gpu\"\n)\n\n" +
		"//vyre:kernel workgroup=32\nfunc K(t gpu.Thread, x []uint32) { x[t.Global().X] = thrice.Of(t.Global().X) }\n"
	if _, err := kernel.Program(src, ""); err == nil || !strings.Contains(err.Error(), "be imported by the program that compiles") {
		t.Errorf("before it is registered: %v", err)
	}
	library.Register("example.com/deep/thrice", thrice)
	p, err := kernel.Program(src, "")
	if err != nil {
		t.Fatal(err)
	}
	if at := fmt.Sprint(p.Edit().Debug.Positions); !strings.Contains(at, "thrice/thrice_test.go") {
		t.Errorf("positions are %s", at)
	}
}

// A user's program has launchers of kernels that call a library, and compiles a kernel when it runs.
func TestGoRunsAProgramWithALibrary(t *testing.T) {
	long.Only(t, "builds a program")
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	dir := outside(t)
	for _, lib := range []string{"tiles", "words"} {
		l, err := front.FindLibrary(filepath.Join(dir, lib))
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir, map[string]string{lib + "/" + gen.LibraryFile: string(gen.Library(l, "vyre gen ."))})
	}
	app := filepath.Join(dir, "app")
	pkg, err := front.Load(t.Context(), filepath.Join(app, "kernel.go"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := gen.Source(pkg, gen.Options{Dir: app})
	if err != nil {
		t.Fatal(err)
	}
	write(t, app, map[string]string{gen.FileName: string(files.Launchers), gen.DataFile(gen.FileName): string(files.Programs), "go.sum": string(sums)})
	for _, args := range [][]string{
		{"mod", "edit", "-require=github.com/govyre/vyre@v0.0.0", "-replace=github.com/govyre/vyre=" + root}, {"run", "-ldflags=-s -w", "."},
	} {
		cmd := exec.Command("go", args...)
		cmd.Dir = app
		out, err := cmd.CombinedOutput()
		if err != nil || args[0] == "run" && !strings.HasSuffix(string(out), "93 <nil>\ntrue <nil>\n") {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}
