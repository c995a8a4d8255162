package launchers_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/govyre/vyre/aot"
	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/gen"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/kernel/launchers"
)

const twoKernels = `package k

import "github.com/govyre/vyre/gpu"

func more(v uint32) uint32 { return v + 1 }

// Up adds one.
//
//vyre:kernel workgroup=32
func Up(t gpu.Thread, x []uint32) { x[t.Global().X] = more(x[t.Global().X]) }

//vyre:kernel workgroup=32
func Copy(t gpu.Thread, x, y []uint32) { y[t.Global().X] = x[t.Global().X] }
`

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// generated writes the kernels and their launchers into a directory.
func generated(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	write(t, dir, "k.go", twoKernels)
	pkg, err := front.Load(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	files, err := gen.Source(pkg, gen.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, gen.FileName, string(files.Launchers))
	write(t, dir, gen.DataFile(gen.FileName), string(files.Programs))
	return dir
}

func TestCheckNamesKernelsThatChanged(t *testing.T) {
	for _, c := range []struct {
		name, old, new string
		want           []string // none: the launchers are fresh
	}{
		{"nothing", "", "", nil},
		{"a comment", "Up adds", "Up now adds", nil},
		{"a body", "y[t.Global().X] = x[", "y[t.Global().X] = 2*x[", []string{"kernel Copy, or a part of it, has changed"}},
		{"a helper", "v + 1", "v + 2", []string{"kernel Up, or a part of it, has changed"}},
		{"parameters of one type that change places", "x, y []uint32", "y, x []uint32", []string{"kernel Copy, or a part of it, has changed"}},
		{"a new name", "func Copy(", "func Move(", []string{"no launcher of kernel Move", "not there any more: Copy"}},
		{"a kernel that does not compile", "x[t.Global().X] }", "z }", []string{"undefined: z"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := generated(t)
			write(t, dir, "k.go", strings.Replace(twoKernels, c.old, c.new, 1))
			err := launchers.Check(dir)
			if (err == nil) != (c.want == nil) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %q", err, want)
				}
			}
		})
	}
}

func TestCheckRefusesWhatVyreGenHasNotWritten(t *testing.T) {
	data := gen.DataFile(gen.FileName)
	for _, c := range []struct {
		name, want string
		harm       func(dir string) error
	}{
		{"without launchers", gen.FileName, func(dir string) error { return os.Remove(filepath.Join(dir, gen.FileName)) }},
		{"without programs", data, func(dir string) error { return os.Remove(filepath.Join(dir, data)) }},
		{"with another file", data + ": it is damaged", func(dir string) error { return os.WriteFile(filepath.Join(dir, data), []byte("x"), 0o600) }},
		{"with a file that is cut", data + ": it is damaged", func(dir string) error { return os.Truncate(filepath.Join(dir, data), 100) }},
	} {
		dir := generated(t)
		if err := c.harm(dir); err != nil {
			t.Fatal(err)
		}
		if err := launchers.Check(dir); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "run vyre gen "+dir) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestCheckOfLaunchersThatHaveABundle finds kernels that differ from those in the bundle, and a bundle that is gone or damaged.
func TestCheckOfLaunchersThatHaveABundle(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "k.go", twoKernels)
	pkg, err := front.Load(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	programs := map[string]*ir.Program{}
	for _, k := range pkg.Kernels() {
		programs[k.Name] = k.Program
	}
	made, err := aot.Build(t.Context(), programs, aot.Options{Targets: []string{"sm_80"}})
	if err != nil {
		t.Fatal(err)
	}
	files, err := gen.Source(pkg, gen.Options{Dir: dir, Bundle: "k.vyk", Command: gen.Command(dir, filepath.Join(dir, gen.FileName), "k.vyk", false)})
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, gen.FileName, string(files.Launchers))
	for _, c := range []struct{ name, source, bundle, want string }{
		{"as made", twoKernels, string(made), ""},
		{"a comment", strings.Replace(twoKernels, "Up adds", "Up now adds", 1), string(made), ""},
		{"a body", strings.Replace(twoKernels, "y[t.Global().X] = x[", "y[t.Global().X] = 2*x[", 1), string(made), "k.vyk has another version of kernel Copy; make it again with vyre bundle"},
		{"a new name", strings.Replace(twoKernels, "func Copy(", "func Move(", 1), string(made), "k.vyk has no kernel Move; make it again"},
		{"damaged", twoKernels, string(made[:len(made)-1]), "k.vyk: "},
		{"gone", twoKernels, "", "make it with vyre bundle"},
	} {
		write(t, dir, "k.go", c.source)
		if write(t, dir, "k.vyk", c.bundle); c.bundle == "" {
			if err := os.Remove(filepath.Join(dir, "k.vyk")); err != nil {
				t.Fatal(err)
			}
		}
		if err := launchers.Check(dir); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func ExampleCheck() {
	fmt.Println(launchers.Check("../../examples/saxpy"))
	// Output: <nil>
}
