package gen_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/gen"
)

const sample = "internal/sample"

func load(t *testing.T, path string) *front.Package {
	t.Helper()
	pkg, err := front.Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

// The programs change with every improvement of the compiler, and go generate in CI compares them.
func TestLaunchersOfTheSampleAreWhatItsKernelsGive(t *testing.T) {
	files, err := gen.Source(load(t, sample), gen.Options{Command: "vyre gen .", Dir: sample})
	if err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile(filepath.Join(sample, gen.FileName))
	if err != nil || !bytes.Equal(have, files.Launchers) {
		t.Errorf("%s/%s is stale (%v); run go generate ./internal/gen/...", sample, gen.FileName, err)
	}
}

func TestFilesDoNotDependOnHowTheDirectoryWasNamed(t *testing.T) {
	abs, err := filepath.Abs(sample)
	if err != nil {
		t.Fatal(err)
	}
	var all []gen.Files
	for _, dir := range []string{"./internal/../internal/sample/", abs} {
		files, err := gen.Source(load(t, dir), gen.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, files)
	}
	if !bytes.Equal(all[0].Launchers, all[1].Launchers) || !bytes.Equal(all[0].Programs, all[1].Programs) {
		t.Error("two names of one directory gave different files")
	}
}

// A package may have several generated files: each has a data file and a variable of its own.
func TestNamesFollowTheFile(t *testing.T) {
	pkg := parse(t, map[string]string{"k.go": swappable})
	for file, want := range map[string][2]string{
		"kernels_vyre.go": {"kernels_vyre.vyp", "vyreKernels"}, "kernels_vyre_test.go": {"kernels_vyre_test.vyp", "vyreTestKernels"},
		"user_vyre_test.go": {"user_vyre_test.vyp", "vyreTestUser"}, "only.go": {"only.vyp", "vyreOnly"}, "a-b.c.go": {"a-b.c.vyp", "vyreABC"},
	} {
		files, err := gen.Source(pkg, gen.Options{File: file})
		if err != nil {
			t.Fatal(err)
		}
		text := string(files.Launchers)
		if gen.DataFile(file) != want[0] || !strings.Contains(text, "//go:embed "+want[0]+"\nvar "+want[1]+"Data string\n") {
			t.Errorf("%s: want %q in\n%s", file, want, text)
		}
	}
}

// The class: an edit that leaves the kernels what they are. The data file is then the same, byte by byte.
func TestDataChangesWithProgramsOnly(t *testing.T) {
	data := func(src string) string {
		files, err := gen.Source(parse(t, map[string]string{"k.go": src}), gen.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return string(files.Programs)
	}
	src := strings.Replace(swappable, "{ x[t.Global().X] = v }", "{\n\tx[t.Global().X] = v // stores\n}\n\n// Why is the rest here?\nfunc rest() int { return 1 }\n", 1)
	want := data(src)
	for _, c := range []struct {
		old, new string
		same     bool
	}{
		{"", "", true}, {"// stores", "// sets one", true}, {"// Why is the rest here?", "// Explained.", true}, {"return 1", "return 2", true},
		{"= v // stores", "= v + 1 // stores", false}, {"// stores", "// stores\n\t// and moves what follows", false},
	} {
		if same := data(strings.Replace(src, c.old, c.new, 1)) == want; same != c.same {
			t.Errorf("%q for %q: the same is %v", c.new, c.old, same)
		}
	}
}

// parse compiles files by name, those below a directory as package example.com/<directory>.
func parse(t *testing.T, files map[string]string) *front.Package {
	t.Helper()
	var own []front.File
	o := front.Options{Packages: make(map[string][]front.File)}
	for name, src := range files {
		file := front.File{Name: name, Src: []byte(src)}
		if dir := filepath.ToSlash(filepath.Dir(name)); dir != "." {
			o.Packages["example.com/"+dir] = []front.File{file}
		} else {
			own = append(own, file)
		}
	}
	pkg, err := front.Parse(t.Context(), own, o)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

func TestPackagesOfOneNameAreImportedUnderTwo(t *testing.T) {
	files, err := gen.Source(parse(t, map[string]string{
		"k.go": `package k

import (
	"example.com/a/unit"
	other "example.com/b/unit"
	"github.com/govyre/vyre/gpu"
)

//vyre:kernel workgroup=32
func Copy(t gpu.Thread, x []unit.T, y []other.T) { y[t.Global().X] = other.T(x[t.Global().X]) }
`,
		"a/unit/unit.go": "package unit\n\ntype T int32\n",
		"b/unit/unit.go": "package unit\n\ntype T int64\n",
	}), gen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\"example.com/a/unit\"\n", "unit_ \"example.com/b/unit\"\n", "x []unit.T, y []unit_.T)"} {
		if !strings.Contains(string(files.Launchers), want) {
			t.Errorf("no %s in\n%s", want, files.Launchers)
		}
	}
}

func TestSourceRefusesWhatHasNoLauncher(t *testing.T) {
	const head = "package k\n\nimport \"github.com/govyre/vyre/gpu\"\n\n"
	for _, c := range []struct{ name, src, want string }{
		{"no kernel", "package k\n", "package k has no kernel"},
		{"elements as wide as the host's int", head + "type N int\n\n//vyre:kernel workgroup=1\nfunc F(t gpu.Thread, x []N) { x[0] = 1 }\n",
			"kernel F: a buffer of N cannot be a Go slice on every host; give parameter x elements"},
		{"arrays of int", head + "//vyre:kernel workgroup=1\nfunc F(t gpu.Thread, x [][2]int) { x[0][0] = 1 }\n",
			"a buffer of [2]int cannot"},
		{"arrays of a defined type over int", head + "type N int\n\n//vyre:kernel workgroup=1\nfunc F(t gpu.Thread, x [][2]N) { x[0][0] = 1 }\n",
			"a buffer of [2]N cannot"},
		{"instance that is called like a kernel", head +
			"//vyre:kernel workgroup=1 types=T:int32|int64\nfunc F[T int32 | int64](t gpu.Thread, x []T) { x[0] = 1 }\n\n" +
			"//vyre:kernel workgroup=1\nfunc FInt32(t gpu.Thread, x []int32) { x[0] = 1 }\n",
			"the launchers of kernels F_int32 and FInt32 would share the name FInt32"},
		{"names that differ in their first letter", head +
			"//vyre:kernel workgroup=1\nfunc F(t gpu.Thread, x []int32) { x[0] = 1 }\n\n//vyre:kernel workgroup=1\nfunc f(t gpu.Thread, x []int32) { x[0] = 1 }\n",
			"the launchers of kernels F and f"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files, err := gen.Source(parse(t, map[string]string{"k.go": c.src}), gen.Options{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v and %d bytes, want %q", err, len(files.Launchers), c.want)
			}
		})
	}
}
