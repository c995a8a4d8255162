package calls_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/callgraph/cha"
	"golang.org/x/tools/go/callgraph/rta"
	"golang.org/x/tools/go/callgraph/static"
	"golang.org/x/tools/go/callgraph/vta"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/govyre/vyre/driver"
	_ "github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/producers/calls"
)

func program(t *testing.T) *ssa.Package {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "main.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := ssautil.BuildPackage(&types.Config{}, fset, types.NewPackage("example", "main"), []*ast.File{f}, ssa.BuilderMode(0))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func rows(t *testing.T, g *callgraph.Graph) *calls.Graph {
	t.Helper()
	made, err := calls.FromGraph(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// said is the arcs of a function, with their kinds.
func said(g *calls.Graph, name string) string {
	var list []string
	for v := range uint32(g.Nodes()) {
		if g.Name(v) != name {
			continue
		}
		targets, masks := g.Row(v)
		for i, to := range targets {
			kinds := graph.KindCall // of a graph where all have that
			if masks != nil {
				kinds = masks[i]
			}
			list = append(list, g.Name(to)+" "+strings.Join(g.KindNames(kinds), "+"))
		}
	}
	return strings.Join(list, ", ")
}

// TestArcsAreCalls: one arc a callee, with the kinds of all calls of it.
func TestArcsAreCalls(t *testing.T) {
	p := program(t)
	g := rows(t, vta.CallGraph(ssautil.AllFunctions(p.Prog), cha.CallGraph(p.Prog)))
	for name, want := range map[string]string{
		"example.main":          "(example.line).area dynamic, (example.square).area dynamic, example.goodbye call, example.hello call, example.recursive call, example.twice call",
		"example.twice":         "example.hello dynamic",
		"example.recursive":     "example.recursive call",
		"(example.square).area": "example.multiply call",
		"example.goodbye":       "",
	} {
		if got := said(g, name); got != want {
			t.Errorf("%s calls %s, want %s", name, got, want)
		}
	}
	v, ok := g.Node(p.Func("multiply"))
	if !ok || g.Name(v) != "example.multiply" || g.Position(v) != "main.go:13:6" || g.Function(v) != p.Func("multiply") {
		t.Errorf("multiply is node %d, %s at %s", v, g.Name(v), g.Position(v))
	}
}

// TestEveryAlgorithm: all nodes and all pairs of caller and callee of each are there, and again the same.
func TestEveryAlgorithm(t *testing.T) {
	p := program(t)
	for name, make := range map[string]func() *callgraph.Graph{
		"cha":    func() *callgraph.Graph { return cha.CallGraph(p.Prog) },
		"vta":    func() *callgraph.Graph { return vta.CallGraph(ssautil.AllFunctions(p.Prog), nil) },
		"static": func() *callgraph.Graph { return static.CallGraph(p.Prog) },
		"rta":    func() *callgraph.Graph { return rta.Analyze([]*ssa.Function{p.Func("main")}, true).CallGraph },
	} {
		cg := make()
		g := rows(t, cg)
		pairs, arcs := map[string]bool{}, map[string]bool{}
		for _, n := range cg.Nodes {
			for _, e := range n.Out {
				pairs[fmt.Sprint(n.Func, e.Callee.Func)] = true
			}
		}
		for v := range uint32(g.Nodes()) {
			targets, _ := g.Row(v)
			for _, to := range targets {
				arcs[fmt.Sprint(g.Function(v), g.Function(to))] = true
			}
		}
		if g.Nodes() != len(cg.Nodes) || g.Arcs() != len(pairs) || fmt.Sprint(arcs) != fmt.Sprint(pairs) {
			t.Errorf("%s: %d nodes and arcs %v, want %d and %v", name, g.Nodes(), arcs, len(cg.Nodes), pairs)
		}
		if must(g.Digest(t.Context())) != must(rows(t, make()).Digest(t.Context())) {
			t.Errorf("%s: made again, the graph has another digest", name)
		}
	}
}

// TestReachByKinds: what main reaches, and what of it without dynamic calls.
func TestReachByKinds(t *testing.T) {
	p := program(t)
	g := rows(t, vta.CallGraph(ssautil.AllFunctions(p.Prog), nil))
	dev, err := driver.Open("cpu", driver.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	s, err := session.New(t.Context(), dev, g.CSR, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	main, _ := g.Node(p.Func("main"))
	for kinds, want := range map[uint32][]string{
		graph.KindCall:                 {"goodbye", "hello", "main", "recursive", "twice"},
		graph.KindCall | calls.Dynamic: {"area", "area", "goodbye", "hello", "main", "multiply", "recursive", "twice"},
	} {
		r, err := s.Reach(t.Context(), session.Query{Seeds: []uint32{main}, Kinds: kinds})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for v := range r.Nodes() {
			if f := g.Function(v); f.Synthetic == "" {
				got = append(got, f.Name())
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("kinds %#x: %v, want %v", kinds, got, want)
		}
	}
}

// TestRoots: a root that is no function has a name, and what it calls says that nothing does.
func TestRoots(t *testing.T) {
	p := program(t)
	cg := callgraph.New(nil)
	callgraph.AddEdge(cg.Root, nil, cg.CreateNode(p.Func("main")))
	g := rows(t, cg)
	if got, want := said(g, "root"), "example.main root"; got != want {
		t.Errorf("the root calls %q, want %q", got, want)
	}
	if v, ok := g.Node(nil); !ok || g.Function(v) != nil {
		t.Errorf("the root is node %d, %v", v, ok)
	}
	if _, ok := g.Node(p.Func("hello")); ok {
		t.Error("a function that the graph does not have has a node")
	}
}

// TestForeignNode: an edge into another graph is refused by name.
func TestForeignNode(t *testing.T) {
	p := program(t)
	cg, other := callgraph.New(p.Func("main")), callgraph.New(p.Func("hello"))
	callgraph.AddEdge(cg.Root, nil, other.Root)
	if _, err := calls.FromGraph(t.Context(), cg); err == nil || err.Error() != "calls: example.main calls example.hello, which is not among the graph's nodes" {
		t.Error(err)
	}
}
