package calls_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/govyre/vyre/producers/calls"
	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/callgraph/cha"
	"golang.org/x/tools/go/callgraph/rta"
	"golang.org/x/tools/go/callgraph/vta"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
	"golang.org/x/tools/txtar"
)

// loaded is the SSA of a program in an archive, and its main function.
func loaded(t *testing.T, dir string) (*ssa.Program, *ssa.Function) {
	t.Helper()
	initial, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Dir: dir}, ".")
	if err != nil || packages.PrintErrors(initial) > 0 {
		t.Fatal(err)
	}
	prog, built := ssautil.AllPackages(initial, ssa.InstantiateGenerics)
	prog.Build()
	return prog, built[0].Func("main")
}

func unpacked(t *testing.T, archive string) string {
	t.Helper()
	a, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range a.Files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestEqualInputGivesAnEqualFile, byte for byte, however many packages are built at once: also where instances have types with
// other names, wrappers have equal names, and functions have types of their own. And no two functions have one name.
func TestEqualInputGivesAnEqualFile(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	dir := unpacked(t, "../gossa/testdata/spelled.txtar")
	var first map[string][]byte
	for run := range 6 {
		runtime.GOMAXPROCS(1 + run%4)
		files := make(map[string][]byte)
		for how, make := range map[string]func(*ssa.Program, *ssa.Function) *callgraph.Graph{
			"cha": func(p *ssa.Program, _ *ssa.Function) *callgraph.Graph { return cha.CallGraph(p) },
			"vta": func(p *ssa.Program, _ *ssa.Function) *callgraph.Graph {
				return vta.CallGraph(ssautil.AllFunctions(p), nil)
			},
			"rta": func(_ *ssa.Program, main *ssa.Function) *callgraph.Graph {
				return rta.Analyze([]*ssa.Function{main}, true).CallGraph
			},
		} {
			prog, main := loaded(t, dir)
			g, err := calls.FromGraph(t.Context(), make(prog, main))
			if err != nil {
				t.Fatal(err)
			}
			distinct(t, g)
			var b bytes.Buffer
			if _, err := g.Encode(t.Context(), &b); err != nil {
				t.Fatal(err)
			}
			files[how] = b.Bytes()
		}
		if first == nil {
			first = files
		}
		for how, file := range files {
			if !bytes.Equal(file, first[how]) {
				t.Errorf("run %d: two files of %s differ", run, how)
			}
		}
	}
}

func distinct(t *testing.T, g *calls.Graph) {
	t.Helper()
	names := make(map[string]bool)
	for v := range uint32(g.Nodes()) {
		if names[g.Name(v)] {
			t.Errorf("two functions are called %s", g.Name(v))
		}
		names[g.Name(v)] = true
	}
}
