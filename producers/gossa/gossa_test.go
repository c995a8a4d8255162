package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/ifds"
	"github.com/govyre/vyre/producers/calls/names"
)

// made makes the graph of the packages in a folder.
func made(t *testing.T, dir, how string, l limits) (*calls, *graph.CSR) {
	t.Helper()
	p, err := load(context.Background(), dir, false, "", []string{"./..."})
	if err != nil {
		t.Fatal(err)
	}
	may, err := p.resolve(t.Context(), how)
	if err != nil {
		t.Fatal(err)
	}
	c := must(copies(t.Context(), p, may, l))
	g, err := c.graph(t.Context(), p, "")
	if err != nil {
		t.Fatal(err)
	}
	return c, g
}

// unpacked writes an archive into a folder, and returns the lines that say what is wanted: those before the files that begin
// with a word of wants.
func unpacked(t *testing.T, file string) (dir string, lines []string) {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for _, f := range a.Files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for line := range strings.Lines(string(a.Comment)) {
		if word, _, _ := strings.Cut(line, " "); word == "path" || word == "arc" || word == "no" || word == "unseen" {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	if len(lines) == 0 {
		t.Fatal("nothing is wanted of", file)
	}
	return dir, lines
}

// TestArchives makes the graphs of small programs, and looks whether what is wanted of them holds.
func TestArchives(t *testing.T) {
	list, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(list) == 0 {
		t.Fatal(list, err)
	}
	for _, file := range list {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			dir, lines := unpacked(t, file)
			c, g := made(t, dir, "vta", limits{levels: 3, more: 100})
			for _, line := range lines {
				want, holds := !strings.HasPrefix(line, "no "), false
				word, rest, _ := strings.Cut(strings.TrimPrefix(line, "no "), " ")
				from, to, _ := strings.Cut(rest, " -> ")
				switch word {
				case "node":
					_, holds = find(g, rest)
				case "unseen":
					for _, u := range c.unseen {
						holds = holds || u.why == rest
					}
				case "arc", "path":
					holds = leads(t, g, from, to, word == "arc")
				}
				if holds != want {
					t.Error(line)
				}
			}
		})
	}
}

// find returns the node with a name.
func find(g *graph.CSR, name string) (uint32, bool) {
	for v := range uint32(g.Nodes()) {
		if g.Name(v) == name {
			return v, true
		}
	}
	return 0, false
}

// leads reports whether a function, or a copy of it, is reached from another, by one arc or by any number.
func leads(t *testing.T, g *graph.CSR, from, to string, once bool) bool {
	t.Helper()
	var seeds []uint32
	for v := range uint32(g.Nodes()) {
		if original(g.Name(v)) == from || g.Name(v) == from {
			seeds = append(seeds, v)
		}
	}
	if len(seeds) == 0 {
		t.Errorf("no node is called %s", from)
	}
	levels, err := graph.Levels(t.Context(), g, seeds, graph.KindCall)
	if err != nil {
		t.Fatal(err)
	}
	for v, level := range levels {
		name := g.Name(uint32(v))
		if level != graph.None && (!once || level == 1) && (name == to || original(name) == to) {
			return true
		}
	}
	return false
}

// original is the name of the function of which a name is that of a copy.
func original(name string) string {
	name, _, _ = strings.Cut(name, "{")
	return name
}

// TestCopiesOnlyTakeAway: without copies everything is reached that is with them, and more where functions are passed.
func TestCopiesOnlyTakeAway(t *testing.T) {
	fewer := false
	for _, file := range []string{"once", "closures", "unknown", "recursion"} {
		dir, _ := unpacked(t, "testdata/"+file+".txtar")
		_, with := made(t, dir, "vta", limits{levels: 3, more: 100})
		_, without := made(t, dir, "vta", limits{})
		for v := range uint32(with.Nodes()) {
			from := with.Name(v)
			if original(from) != from {
				continue
			}
			a, b := reachedNames(t, with, from), reachedNames(t, without, from)
			for name := range a {
				if !b[name] {
					t.Errorf("%s: %s reaches %s with copies only", file, from, name)
				}
			}
			fewer = fewer || len(a) < len(b)
		}
	}
	if !fewer {
		t.Error("copies took nothing away")
	}
}

func reachedNames(t *testing.T, g *graph.CSR, from string) map[string]bool {
	t.Helper()
	v, ok := find(g, from)
	if !ok {
		return nil
	}
	levels, err := graph.Levels(t.Context(), g, []uint32{v}, graph.AllKinds)
	if err != nil {
		t.Fatal(err)
	}
	names := make(map[string]bool)
	for v, level := range levels {
		if level != graph.None {
			names[original(g.Name(uint32(v)))] = true
		}
	}
	return names
}

// TestLimitsBoundCopies: what copies may add is a part of all, and calls beyond that go to the function itself.
func TestLimitsBoundCopies(t *testing.T) {
	dir, _ := unpacked(t, "testdata/once.txtar")
	for _, l := range []limits{{levels: 1, more: 100}, {levels: 3, more: 0.1}} {
		c, g := made(t, dir, "vta", l)
		if c.left == 0 {
			t.Errorf("%+v left nothing out", l)
		}
		if float64(c.ofCopies) > l.more*float64(c.instructions) {
			t.Errorf("%+v: %d instructions of copies, %d of all", l, c.ofCopies, c.instructions)
		}
		if !leads(t, g, "main.quietly", "main.loud", false) {
			t.Errorf("%+v: what has no copy calls all that it may get", l)
		}
	}
}

// TestEqualInputGivesAnEqualFile, byte for byte, by every algorithm, of every kind, however many packages are built at once.
func TestEqualInputGivesAnEqualFile(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, name := range []string{"closures", "spelled"} {
		dir, _ := unpacked(t, "testdata/"+name+".txtar")
		var first map[string][]byte
		for run := range 8 {
			runtime.GOMAXPROCS(1 + run%4)
			files := everyFile(t, dir)
			if first == nil {
				first = files
			}
			for kind, file := range files {
				if !bytes.Equal(file, first[kind]) {
					t.Errorf("%s, run %d: two files of %s differ", name, run, kind)
				}
			}
		}
	}
}

// everyFile makes every kind of graph, by every algorithm.
func everyFile(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := make(map[string][]byte)
	p, err := load(t.Context(), dir, false, "", []string{"./..."})
	if err != nil {
		t.Fatal(err)
	}
	for _, how := range []string{"cha", "rta", "vta"} {
		may, err := p.resolve(t.Context(), how)
		if err != nil {
			t.Fatal(err)
		}
		c := must(copies(t.Context(), p, may, limits{levels: 3, more: 0.5}))
		for kind, build := range map[string]func() (*graph.CSR, error){
			"calls":   func() (*graph.CSR, error) { return c.graph(t.Context(), p, "") },
			"control": func() (*graph.CSR, error) { return c.control(t.Context(), p, "") },
			"values": func() (*graph.CSR, error) {
				return must(valuesOf(t.Context(), p, c, nil, false)).graph(t.Context(), names.AppendPosition, "")
			},
			"types": func() (*graph.CSR, error) {
				return must(valuesOf(t.Context(), p, c, nil, true)).graph(t.Context(), names.AppendPosition, "")
			},
		} {
			var b bytes.Buffer
			g, err := build()
			if err == nil {
				_, err = g.Encode(t.Context(), &b)
			}
			if err != nil {
				t.Fatal(err)
			}
			files[how+" "+kind] = b.Bytes()
		}
	}
	return files
}

// TestControlReturnsToTheCall: with exact contexts a function that two others call returns to the one that called it, and a
// deferred call is made before the function returns.
func TestControlReturnsToTheCall(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module main\n\ngo 1.25\n", "main.go": `package main

func helper() {}
func x()      {}
func y()      {}
func late()   {}

func a() { helper(); x() }
func b() { defer late(); go y(); helper() }

func main() { a(); b() }
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, err := load(t.Context(), dir, false, "", []string{"."})
	if err != nil {
		t.Fatal(err)
	}
	may, err := p.resolve(t.Context(), "vta")
	if err != nil {
		t.Fatal(err)
	}
	made := must(copies(t.Context(), p, may, limits{}))
	g, err := made.control(t.Context(), p, "")
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	made.report(&said, g, false)
	if want := fmt.Sprintf("8 functions, 0 copies of them with 0.0 %% more instructions; %d nodes, %d arcs\n", g.Nodes(), g.Arcs()); !strings.HasPrefix(said.String(), want) {
		t.Errorf("it is said to have %s, want %s", said.String(), want)
	}
	first := func(f string) uint32 {
		for v := range uint32(g.Nodes()) {
			if strings.HasPrefix(g.Name(v), f+": 0.0 ") {
				return v
			}
		}
		t.Fatal("no instruction of", f)
		return 0
	}
	for _, from := range []string{"main.a", "main.b", "main.main"} {
		seeds := []uint32{first(from)}
		exact, err := ifds.Solve(t.Context(), g, seeds, ifds.Options{})
		if err != nil {
			t.Fatal(err)
		}
		all, err := graph.Levels(t.Context(), g, seeds, graph.AllKinds)
		if err != nil {
			t.Fatal(err)
		}
		for _, to := range []string{"main.x", "main.y", "main.late"} {
			want := from == "main.main" || (from == "main.a") == (to == "main.x")
			if got := exact.Holds(first(to)); got != want {
				t.Errorf("%s comes to %s with exact contexts: %t", from, to, got)
			}
			if from == "main.a" && all[first(to)] == graph.None && to == "main.y" {
				t.Errorf("%s does not come to %s without contexts", from, to)
			}
		}
	}
}

// TestTestsAddToALibrary: what a library has for others is reached, whether or not its tests are as well.
func TestTestsAddToALibrary(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module lib\n\ngo 1.25\n", "lib.go": "package lib\n\nfunc Use() {}\n",
		"lib_test.go": "package lib\n\nimport \"testing\"\n\nfunc TestNothing(*testing.T) {}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tests := range []bool{false, true} {
		_, c, err := loading{Patterns: []string{"."}, Calls: "rta", Dir: dir, Tests: tests, Quiet: true}.program(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if c.byName["lib.Use"] == nil || (c.byName["lib.TestNothing"] != nil) != tests {
			t.Errorf("tests %t: lib.Use is reached: %t, the test: %t", tests, c.byName["lib.Use"] != nil, c.byName["lib.TestNothing"] != nil)
		}
	}
}
