package gen_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/gen"
	"github.com/govyre/vyre/kernel"
)

const sample = "internal/sample"

func load(t *testing.T, path string) *kernel.Package {
	t.Helper()
	pkg, err := kernel.Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

// programs matches the programs in generated text: they change with every improvement of the
// compiler, and go generate in CI compares them.
var programs = regexp.MustCompile("(?s)(: \\d+ rows, digest [0-9a-f]+\\.)|(= `.*?`)")

func TestLaunchersOfTheSampleAreWhatItsKernelsGive(t *testing.T) {
	text, err := gen.Source(load(t, sample), gen.Options{Command: "vyre gen .", Dir: sample})
	if err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile(filepath.Join(sample, gen.FileName))
	if err != nil || !bytes.Equal(programs.ReplaceAll(have, nil), programs.ReplaceAll(text, nil)) {
		t.Errorf("%s/%s is stale (%v); run go generate ./kernel/gen/...", sample, gen.FileName, err)
	}
}

func TestTextDoesNotDependOnHowTheDirectoryWasNamed(t *testing.T) {
	abs, err := filepath.Abs(sample)
	if err != nil {
		t.Fatal(err)
	}
	var texts [][]byte
	for _, dir := range []string{"./internal/../internal/sample/", abs} {
		text, err := gen.Source(load(t, dir), gen.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	if !bytes.Equal(texts[0], texts[1]) {
		t.Error("two names of one directory gave different texts")
	}
}

// parse compiles files by name, those below a directory as package example.com/<directory>.
func parse(t *testing.T, files map[string]string) *kernel.Package {
	t.Helper()
	var own []kernel.File
	o := kernel.Options{Packages: make(map[string][]kernel.File)}
	for name, src := range files {
		file := kernel.File{Name: name, Src: []byte(src)}
		if dir := filepath.ToSlash(filepath.Dir(name)); dir != "." {
			o.Packages["example.com/"+dir] = []kernel.File{file}
		} else {
			own = append(own, file)
		}
	}
	pkg, err := kernel.Parse(t.Context(), own, o)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

func TestPackagesOfOneNameAreImportedUnderTwo(t *testing.T) {
	text, err := gen.Source(parse(t, map[string]string{
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
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in\n%s", want, text)
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
			text, err := gen.Source(parse(t, map[string]string{"k.go": c.src}), gen.Options{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v and %d bytes, want %q", err, len(text), c.want)
			}
		})
	}
}
