package ifds_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre"
	_ "github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/ifds"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/testing/long"
)

// called is where a value is: at a node, in a procedure that these sites called; beyond them, nobody knows who did.
type called struct {
	at    uint32
	stack string // a byte a site
}

// after yields where a value at one place goes next.
func after(g *graph.CSR, from called, kinds uint32, next func(called, uint32)) {
	procedures, sites := g.Data().Procedures, g.Data().Sites
	targets, masks := g.Row(from.at)
	for k, v := range targets {
		m, site := uint32(1), sites[g.Offsets()[from.at]+uint32(k)]
		if masks != nil {
			m = masks[k]
		}
		top := len(from.stack) - 1
		switch {
		case m&kinds == 0:
		case site == graph.NoSite && procedures[v] == procedures[from.at]:
			next(called{v, from.stack}, m)
		case site == graph.NoSite:
			next(called{v, ""}, m)
		case m&(graph.KindCall|graph.KindArgument) != 0:
			next(called{v, from.stack + string(rune(site))}, m)
		case top < 0:
			next(called{v, ""}, m)
		case from.stack[top] == byte(site):
			next(called{v, from.stack[:top]}, m)
		}
	}
}

// unrolled finds the nodes that values of some nodes come to, with all stacks of up to so many calls written out.
func unrolled(g *graph.CSR, seeds []uint32, kinds uint32, deepest int) map[uint32]bool {
	seen, nodes := map[called]bool{}, map[uint32]bool{}
	var work []called
	visit := func(c called, _ uint32) {
		if len(c.stack) <= deepest && !seen[c] {
			seen[c], nodes[c.at] = true, true
			work = append(work, c)
		}
	}
	for _, v := range seeds {
		visit(called{v, ""}, 0)
	}
	for ; len(work) > 0; work = work[1:] {
		after(g, work[0], kinds, visit)
	}
	return nodes
}

// realisable reports whether some stacks make sense of a path; what is left out of it, by mask 0, can be anything.
func realisable(g *graph.CSR, path []session.Step, kinds uint32) bool {
	now := map[called]bool{{path[0].Node, ""}: true}
	for _, s := range path[1:] {
		then := map[called]bool{}
		for c := range now {
			if s.Mask == 0 {
				then[called{s.Node, c.stack}] = true
				continue
			}
			after(g, c, kinds, func(to called, mask uint32) {
				if to.at == s.Node && mask == s.Mask {
					then[to] = true
				}
			})
		}
		now = then
	}
	return len(now) > 0
}

// randomProgram has procedures of a few nodes that call each other: earlier ones later ones, or any.
func randomProgram(t *testing.T, r *rand.Rand, recursive bool) *graph.CSR {
	procedures := 2 + r.Uint32N(4)
	size := 2 + r.Uint32N(4)
	of := make([]uint32, procedures*size)
	for v := range of {
		of[v] = uint32(v) / size
	}
	in := func(p uint32) uint32 { return p*size + r.Uint32N(size) }
	var arcs []arc
	for p := range procedures {
		for range size + r.Uint32N(size) {
			arcs = append(arcs, arc{in(p), in(p), 1 << r.Uint32N(2) * graph.KindStore, graph.NoSite})
		}
		for range r.IntN(4) {
			site, callee := uint32(len(arcs)), r.Uint32N(procedures)
			if !recursive {
				if callee = p + 1 + r.Uint32N(2); callee >= procedures {
					continue
				}
			}
			for range 1 + r.IntN(2) {
				arcs = append(arcs, arc{in(p), in(callee), graph.KindArgument, site})
			}
			for range r.IntN(3) {
				arcs = append(arcs, arc{in(callee), in(p), graph.KindReturn, site})
			}
		}
	}
	for range r.IntN(2) {
		arcs = append(arcs, arc{in(0), in(procedures - 1), graph.KindAlias, graph.NoSite})
	}
	return program(t, of, arcs)
}

func some(r *rand.Rand, g *graph.CSR, most int) []uint32 {
	list := make([]uint32, 1+r.IntN(most))
	for k := range list {
		list[k] = r.Uint32N(uint32(g.Nodes()))
	}
	return list
}

// TestTaintIsThatOfAllStacks of calls: exactly where no procedure is recursive, and where one is, nothing is missing that few
// calls lead to; every path there is realisable, and so every finding is one.
func TestTaintIsThatOfAllStacks(t *testing.T) {
	dev, err := vyre.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	for seed := range long.Seeds(t, 150, 500, 20000) {
		r := rand.New(rand.NewPCG(seed, 9))
		recursive := seed%2 == 0
		g := randomProgram(t, r, recursive)
		q := session.TaintQuery{Sinks: some(r, g, 5), Paths: 100, Sanitizers: []session.Sanitizer{{Nodes: some(r, g, 1), Labels: []string{"b"}}}}
		if r.IntN(3) == 0 {
			q.Kinds = graph.AllKinds &^ graph.KindStore
		}
		for _, label := range []string{"a", "b", "c"} {
			q.Sources = append(q.Sources, session.Source{Label: label, Nodes: some(r, g, 2)})
		}
		got, err := ifds.Taint(t.Context(), dev, g, q, session.Options{})
		if err != nil {
			t.Fatal(err)
		}
		parts, err := q.Parts(dev, g)
		if err != nil {
			t.Fatal(err)
		}
		kinds := q.Kinds
		if kinds == 0 {
			kinds = graph.AllKinds
		}
		found := map[[2]uint32]bool{}
		for _, f := range got.Findings {
			found[[2]uint32{f.Sink, uint32(f.Label)}] = true
		}
		wanted := 0
		for _, part := range parts {
			g := must(part.Graph(t.Context(), g))
			for _, label := range part.Labels {
				nodes := unrolled(g, part.Seeds(q, label), kinds, 6)
				for _, v := range slices.Compact(slices.Sorted(slices.Values(q.Sinks))) {
					if nodes[v] {
						wanted++
						if !found[[2]uint32{v, uint32(label)}] {
							t.Errorf("seed %d: label %d does not come to %d", seed, label, v)
						}
					}
				}
				for _, f := range got.Findings {
					if f.Label == label && (f.Path == nil || f.Path[len(f.Path)-1].Node != f.Sink || !slices.Contains(part.Seeds(q, label), f.Path[0].Node) || !realisable(g, f.Path, kinds)) {
						t.Errorf("seed %d: label %d comes to %d by %v", seed, label, f.Sink, f.Path)
					}
				}
			}
		}
		if !recursive && wanted != len(got.Findings) {
			t.Errorf("seed %d: %v, want %d of them", seed, got.Findings, wanted)
		}
		plain, err := session.Taint(t.Context(), dev, g, q, session.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range plain.Findings {
			delete(found, [2]uint32{f.Sink, uint32(f.Label)})
		}
		if len(found) > 0 {
			t.Errorf("seed %d: without contexts there is no %v", seed, found)
		}
		if t.Failed() {
			t.FailNow()
		}
	}
}

func TestTaintGoesBackToItsCallOnly(t *testing.T) {
	dev, err := vyre.Open("cuda-sim:0")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	q := session.TaintQuery{Sources: []session.Source{{Label: "a", Nodes: []uint32{a0}}}, Sinks: []uint32{a1, b1}, Paths: 5}
	got, err := ifds.Taint(t.Context(), dev, small(t), q, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []session.Step{{Node: a0}, {Node: p0, Mask: graph.KindCall}, {Node: p1, Mask: graph.KindAssign}, {Node: a1, Mask: graph.KindCallReturn}}
	if len(got.Findings) != 1 || got.Findings[0].Sink != a1 || !slices.Equal(got.Findings[0].Path, want) || got.Counts[0] != 1 {
		t.Errorf("%+v", got)
	}
	q.Sinks = []uint32{6}
	if _, err := ifds.Taint(t.Context(), dev, small(t), q, session.Options{}); err == nil || !strings.Contains(err.Error(), "a sink is node 6") {
		t.Error(err)
	}
}

// TestPathsThatDoubleAtEachCallEnd at the greatest length, and pass by what does not fit.
func TestPathsThatDoubleAtEachCallEnd(t *testing.T) {
	dev, err := vyre.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	const deep = 40
	var of []uint32
	var arcs []arc
	node := func(p, k uint32) uint32 { return 3*p + k }
	for p := range uint32(deep) {
		of = append(of, p, p, p)
		for k := range uint32(2) {
			if p == deep-1 {
				arcs = append(arcs, arc{node(p, k), node(p, k+1), graph.KindAssign, graph.NoSite})
				continue
			}
			arcs = append(arcs, arc{node(p, k), node(p+1, 0), graph.KindCall, 2*p + k}, arc{node(p+1, 2), node(p, k+1), graph.KindCallReturn, 2*p + k})
		}
	}
	g := program(t, of, arcs)
	q := session.TaintQuery{Sources: []session.Source{{Label: "a", Nodes: []uint32{0}}}, Sinks: []uint32{2}, Paths: 1}
	got, err := ifds.Taint(t.Context(), dev, g, q, session.Options{})
	if err != nil || len(got.Findings) != 1 {
		t.Fatal(got, err)
	}
	path := got.Findings[0].Path
	if len(path) > ifds.MaxSteps || !realisable(g, path, graph.AllKinds) {
		t.Errorf("%d steps: %s", len(path), fmt.Sprint(path[:min(len(path), 9)]))
	}
}

// TestTaintIsTheSameOnDevices finds the same findings by kernels and on the host, with the same paths where no procedure calls itself.
func TestTaintIsTheSameOnDevices(t *testing.T) {
	for _, name := range devices() {
		dev := openDevice(t, name)
		for seed := range long.Seeds(t, 3, 12, 300) {
			r := rand.New(rand.NewPCG(seed, 10))
			recursive := seed%2 == 0
			g := randomProgram(t, r, recursive)
			q := session.TaintQuery{Sinks: some(r, g, 6), Paths: 100, Sources: []session.Source{{Label: "a", Nodes: some(r, g, 2)}, {Label: "b", Nodes: some(r, g, 2)}}}
			want, err := ifds.Taint(t.Context(), dev, g, q, session.Options{Engine: session.NativeEngine})
			if err != nil {
				t.Fatal(err)
			}
			got, err := ifds.Taint(t.Context(), dev, g, q, session.Options{Engine: session.WavesEngine})
			if err != nil {
				t.Fatal(err)
			}
			if got.Tabulated != session.WavesEngine || want.Tabulated != session.NativeEngine || got.Why == "" {
				t.Errorf("%v, %v because %s", want.Tabulated, got.Tabulated, got.Why)
			}
			equal := slices.EqualFunc(got.Findings, want.Findings, func(a, b session.Finding) bool {
				return a.Sink == b.Sink && a.Label == b.Label && (recursive || slices.Equal(a.Path, b.Path))
			})
			if !equal || !slices.Equal(got.Counts, want.Counts) {
				t.Fatalf("%s, seed %d: %v, want %v", name, seed, got, want)
			}
			for _, f := range got.Findings {
				if !realisable(g, f.Path, graph.AllKinds) {
					t.Errorf("%s, seed %d: %v", name, seed, f.Path)
				}
			}
		}
	}
}

// must is a result that has no error here.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
