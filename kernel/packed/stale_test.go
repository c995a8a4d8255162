package packed_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/gen"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/kernel/packed"
)

// module has a kernel that needs one declaration of each kind, some of them in other files and in another package.
var module = map[string]string{
	"go.mod": "module example.com/m\n\ngo 1.25\n",
	"kernel.go": `package main

import (
	"example.com/m/lib"
	"github.com/govyre/vyre/gpu"
)

// Up does something.
//
//vyre:kernel workgroup=32
func Up(t gpu.Thread, x []pair) {
	i := t.Global().X
	x[i].a = more(x[i].a) + table[i&1] + x[i].b*last + lib.Twice(x[i].b)
}

type pair struct{ a, b uint32 }

//vyre:kernel workgroup=32
func Other(t gpu.Thread, x []uint32) { x[t.Global().X] = 1 }
`,
	"more.go": `package main

const (
	first = iota + 3
	last
)

var (
	table  = [2]uint32{1, 2}
	unused = 7
)

func more(v uint32) uint32 { return v + 1 }

func unrelated() int { return unused }
`,
	"lib/lib.go": `package lib

func Twice(v uint32) uint32 { return 2 * v }

func Thrice(v uint32) uint32 { return 3 * v }
`,
	"main.go": `package main

import "fmt"

func main() {
	p, err := UpProgram()
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = unrelated()
	fmt.Println("rows:", p.Rows() > 0)
}
`,
}

// write makes the files of a module. Each is an hour older than now.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		put(t, filepath.Join(dir, name), text, time.Now().Add(-time.Hour))
	}
}

func put(t *testing.T, path, text string, changed time.Time) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, changed, changed); err != nil {
		t.Fatal(err)
	}
}

// generate writes the launchers of a module.
func generate(t *testing.T, dir string) (launcher string) {
	t.Helper()
	launcher = filepath.Join(dir, gen.FileName)
	pkg, err := front.Load(t.Context(), dir, launcher)
	if err != nil {
		t.Fatal(err)
	}
	files, err := gen.Source(pkg, gen.Options{Command: command, Dir: dir, Programs: true})
	if err != nil {
		t.Fatal(err)
	}
	put(t, launcher, string(files.Launchers), time.Now().Add(-time.Hour))
	put(t, gen.DataFile(launcher), string(files.Programs), time.Now().Add(-time.Hour))
	return launcher
}

const command = "vyre gen --programs ."

// compare is what a process finds of a kernel that was linked at a time, with the programs that are there now.
func compare(t *testing.T, at time.Time, launcher, kernel string) error {
	t.Helper()
	return link(t, at, launcher).Compare(kernel)
}

func link(t *testing.T, at time.Time, launcher string) packed.Linked {
	t.Helper()
	l, err := packed.Link(at, launcher, command)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// The class: an edit after vyre gen is an error of the kernels that it changes, and of no others.
func TestProgramsWhoseSourceChangedAreStale(t *testing.T) {
	for _, c := range []struct {
		name, file, old, new string
		want                 string // of Up; "": it is fresh. Other always is
	}{
		{"nothing", "kernel.go", "", "", ""},
		{"the body", "kernel.go", "i := t.Global().X", "i := t.Global().X + 1", "the kernel has changed in "},
		{"the directive", "kernel.go", "workgroup=32\nfunc Up", "workgroup=64\nfunc Up", "the kernel has changed in "},
		{"a function that it calls", "more.go", "v + 1", "v + 2", "more, which the kernel needs, has changed in "},
		{"a constant", "more.go", "iota + 3", "iota + 4", "last, which the kernel needs, has changed in "},
		{"a field", "kernel.go", "a, b uint32", "b, a uint32", "pair, which the kernel needs, has changed in "},
		{"a table", "more.go", "{1, 2}", "{2, 1}", "table, which the kernel needs, has changed in "},
		{"a function of another package", "lib/lib.go", "2 * v", "v << 1", "Twice, which the kernel needs, has changed in "},

		{"a comment", "kernel.go", "// Up does something.", "// Up does\n// more.", ""},
		{"a comment inside", "kernel.go", "i := t.Global().X", "i := t.Global().X // its place", ""},
		{"spacing", "kernel.go", "pair struct{ a, b uint32 }", "pair struct {\n\ta, b uint32\n}", ""},
		{"another function", "more.go", "return unused", "return 2 * unused", ""},
		{"another variable of the group", "more.go", "unused = 7", "unused = 8", ""},
		{"another function of the other package", "lib/lib.go", "3 * v", "v * 3", ""},
		{"another place", "more.go", "func more(v uint32) uint32 { return v + 1 }\n\nfunc unrelated() int { return unused }\n",
			"func unrelated() int { return unused }\n\nfunc more(v uint32) uint32 {\n\treturn v + 1\n}\n", ""},
		{"line ends", "kernel.go", "\n", "\r\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, module)
			launcher := generate(t, dir)
			old := link(t, time.Now(), launcher)
			text := strings.ReplaceAll(module[c.file], c.old, c.new)
			if c.old == "" {
				text = module[c.file]
			}
			put(t, filepath.Join(dir, c.file), text, time.Now().Add(-time.Minute))
			err := compare(t, time.Now(), launcher, "Up")
			if c.want == "" && err != nil {
				t.Errorf("Up is fresh, got %v", err)
			}
			if c.want != "" && (!errors.Is(err, driver.InvalidProgram) || !strings.Contains(err.Error(), c.want+filepath.Join(dir, c.file)) ||
				!strings.Contains(err.Error(), "fix: run vyre gen --programs . in "+dir)) {
				t.Errorf("got %v, want %q and the file", err, c.want)
			}
			if err := compare(t, time.Now(), launcher, "Other"); err != nil {
				t.Errorf("Other is fresh, got %v", err)
			}
			if err := compare(t, time.Now().Add(-30*time.Minute), launcher, "Up"); err != nil {
				t.Errorf("linked before the edit, got %v", err)
			}
			if err := compare(t, time.Time{}, launcher, "Up"); err != nil {
				t.Errorf("linked at an unknown time, got %v", err)
			}
			launcher = generate(t, dir)
			if err := compare(t, time.Now(), launcher, "Up"); err != nil {
				t.Errorf("generated anew, got %v", err)
			}
			if err := old.Compare("Up"); err != nil {
				t.Errorf("the program of a binary that was built before the launcher was generated anew, got %v", err)
			}
		})
	}
}

func TestDeclarationsMayMoveToAnotherFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, module)
	launcher := generate(t, dir)
	if err := os.Rename(filepath.Join(dir, "more.go"), filepath.Join(dir, "other.go")); err != nil {
		t.Fatal(err)
	}
	if err := compare(t, time.Now(), launcher, "Up"); err != nil {
		t.Error(err)
	}
}

func TestProgramsWithoutSourceAreFresh(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, module)
	process := link(t, time.Now(), generate(t, dir))
	for _, c := range []struct{ name, gone string }{{"without the other package", "lib"}, {"without a data file", "kernels_vyre.vyp"}, {"without a launcher", gen.FileName}} {
		put(t, filepath.Join(dir, "more.go"), strings.ReplaceAll(module["more.go"], "v + 1", "v + 2"), time.Now().Add(-time.Minute))
		if c.gone == "lib" {
			put(t, filepath.Join(dir, "more.go"), module["more.go"], time.Now().Add(-time.Minute))
		}
		if err := os.RemoveAll(filepath.Join(dir, c.gone)); err != nil {
			t.Fatal(err)
		}
		if err := process.Compare("Up"); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// A launcher that another machine checked out may have other line ends.
func TestLauncherWithOtherLineEndsIsCompared(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, module)
	launcher := generate(t, dir)
	text, err := os.ReadFile(launcher)
	if err != nil {
		t.Fatal(err)
	}
	put(t, launcher, strings.ReplaceAll(string(text), "\n", "\r\n"), time.Now().Add(-time.Hour))
	put(t, filepath.Join(dir, "more.go"), strings.ReplaceAll(module["more.go"], "v + 1", "v + 2"), time.Now().Add(-time.Minute))
	if err := compare(t, time.Now(), launcher, "Up"); err == nil {
		t.Error("the kernel is stale, got no error")
	}
}

// session is a module outside the repository, in which the go command runs.
type session struct {
	t   *testing.T
	dir string
	env []string
}

func (s *session) run(name string, args ...string) string {
	s.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), append([]string{"GOWORK=off", "GOPROXY=off", "GOFLAGS=-mod=mod"}, s.env...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (s *session) expect(when string, got, want string) {
	s.t.Helper()
	if !strings.Contains(got, want) {
		s.t.Errorf("%s: printed\n%s, want %q", when, got, want)
	}
}

// edit replaces a text in kernel.go.
func (s *session) edit(old, new string) {
	s.t.Helper()
	path := filepath.Join(s.dir, "kernel.go")
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), old) {
		s.t.Fatalf("no %q in %s (%v)", old, text, err)
	}
	put(s.t, path, strings.Replace(string(text), old, new, 1), time.Now())
}

// A user edits, builds and runs with the go command.
func TestGoRunNoticesAStaleLauncher(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs; run without -short")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	s := &session{t: t, dir: t.TempDir()}
	write(t, s.dir, module)
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(s.dir, "go.sum"), string(sums), time.Now())
	s.run("go", "mod", "edit", "-require=github.com/govyre/vyre@v0.0.0", "-replace=github.com/govyre/vyre="+root)
	generate(t, s.dir)

	s.edit("i := t.Global().X", "i := t.Global().X + 1")
	stale := "vyre: compile \"Up\": invalid program: the kernel has changed in " + filepath.Join(s.dir, "kernel.go") + " since kernels_vyre.go was generated"
	s.expect("after an edit", s.run("go", "run", "."), stale)
	if !long.Enabled() {
		return
	}
	put(t, filepath.Join(s.dir, "main.go"), module["main.go"], time.Now())
	s.edit("// Up does", "// Up does")
	s.expect("saved again: go run takes the binary that it has", s.run("go", "run", "."), stale)
	s.run("go", "build", "-o", "app", ".")
	s.expect("built", s.run("./app"), stale)
	s.run("go", "build", "-trimpath", "-o", "app", ".")
	s.expect("built with -trimpath", s.run("./app"), "rows: true")
	generate(t, s.dir)
	s.expect("generated anew", s.run("go", "run", "."), "rows: true")
	s.run("go", "build", "-o", "app", ".")
	s.edit("X + 1", "X + 2")
	s.expect("an old binary after an edit", s.run("./app"), "rows: true")
	s.expect("a new one", s.run("go", "run", "."), "the kernel has changed in")
}
