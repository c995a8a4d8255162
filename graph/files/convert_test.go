package files_test

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/files"
)

// held is what each format has a place for, as docs/graph.md says. What all of them hold is not listed: direction, arcs that are
// there twice, and arcs from a node to itself.
var held = map[files.Format][]string{
	files.Edges:  {"kinds", "nodes without arcs"},
	files.WEdges: {"weights", "nodes without arcs"},
	files.Named:  {"kinds", "weights", "names", "names of kinds", "nodes without arcs"},
	files.Matrix: {"weights", "nodes without arcs"},
	files.GAP:    {"nodes without arcs"},
	files.WGAP:   {"weights", "nodes without arcs"},
	files.DIMACS: {"weights", "nodes without arcs"},
	files.Vyre: {"kinds", "weights", "names", "positions", "node kinds", "tags", "procedures", "call sites", "names of kinds",
		"attributes", "provenance", "nodes without arcs"},
	files.Dot:  {"kinds", "names", "names of kinds", "nodes without arcs"},
	files.JSON: {"kinds", "weights", "names", "nodes without arcs"},
	files.CSV:  {"kinds", "weights", "names"},
}

// property is a graph that has something beside its arcs, and what takes that away.
type property struct {
	name string
	g    *graph.CSR
	drop func(*graph.CSR) *graph.CSR
}

func properties(t *testing.T) (list []property) {
	t.Helper()
	arcs := func(nodes int64, masks []uint32, pairs ...uint32) *graph.CSR {
		b := graph.Block{Masks: masks}
		for i := 0; i < len(pairs); i += 2 {
			b.From, b.To = append(b.From, pairs[i]), append(b.To, pairs[i+1])
		}
		g, _, err := graph.FromBlocks(t.Context(), nodes, []graph.Block{b}, graph.BuildOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	with := func(g *graph.CSR, set func(*graph.Data)) *graph.CSR {
		d := g.Data()
		set(&d)
		g, err := g.With(d)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	plain := arcs(4, nil, 0, 1, 0, 3, 1, 2, 2, 0)
	add := func(name string, set, unset func(*graph.Data)) {
		list = append(list, property{name, with(plain, set), func(g *graph.CSR) *graph.CSR { return with(g, unset) }})
	}
	same := func(g *graph.CSR) *graph.CSR { return g }
	list = append(list,
		property{"nothing", plain, same},
		property{"duplicates", arcs(3, nil, 0, 1, 0, 1, 0, 1, 1, 2, 1, 2), same},
		property{"self loops", arcs(3, nil, 0, 0, 1, 1, 1, 2, 2, 2), same},
		property{"direction", arcs(4, nil, 3, 2, 2, 1, 1, 0), same},
		property{"both directions", arcs(3, nil, 0, 1, 1, 0, 1, 2, 2, 1), same},
		property{"nodes without arcs", arcs(9, nil, 5, 3, 3, 7), same},
		property{"nodes without arcs", arcs(40, nil, 38, 37), same},
		property{"nodes without arcs", arcs(5, nil), same},
		property{"nothing", arcs(0, nil), same},
		property{"kinds", arcs(4, []uint32{1, 4096, 8, 5}, 0, 1, 0, 3, 1, 2, 2, 0), func(g *graph.CSR) *graph.CSR {
			bare, err := graph.New(t.Context(), g.Offsets(), g.Targets(), nil)
			if err != nil {
				t.Fatal(err)
			}
			return bare
		}},
	)
	add("weights", func(d *graph.Data) { d.Weights = []uint32{5, 0, 1<<31 - 1, 1} }, func(d *graph.Data) { d.Weights = nil })
	add("names", func(d *graph.Data) { d.Names = graph.NewStrings([]string{"web", "a b", "c,\"d\"\n", "7"}) }, func(d *graph.Data) { d.Names = graph.Strings{} })
	add("positions", func(d *graph.Data) { d.Positions = graph.NewStrings([]string{"a.go:1:2", "", "x", "y"}) }, func(d *graph.Data) { d.Positions = graph.Strings{} })
	add("node kinds", func(d *graph.Data) { d.NodeKinds = []uint32{1, 2, 3, 4} }, func(d *graph.Data) { d.NodeKinds = nil })
	add("tags", func(d *graph.Data) { d.Tags = []uint32{0, 2, 0, 4} }, func(d *graph.Data) { d.Tags = nil })
	add("procedures", func(d *graph.Data) { d.Procedures = []uint32{0, 0, 1, 1} }, func(d *graph.Data) { d.Procedures = nil })
	add("call sites", func(d *graph.Data) { d.Sites = []uint32{graph.NoSite, 1, 0, graph.NoSite} }, func(d *graph.Data) { d.Sites = nil })
	add("names of kinds", func(d *graph.Data) { d.KindNames = [32]string{0: "flows", 17: "x"} }, func(d *graph.Data) { d.KindNames = [32]string{} })
	add("attributes", func(d *graph.Data) { d.Attributes = map[string]string{"a": "b"} }, func(d *graph.Data) { d.Attributes = nil })
	add("provenance", func(d *graph.Data) { d.Provenance = graph.Provenance{Producer: "p"} }, func(d *graph.Data) { d.Provenance = graph.Provenance{} })
	return list
}

// sameGraph compares all that graphs have.
func sameGraph(a, b *graph.CSR) bool {
	list := func(s graph.Strings) (all []string) {
		for i := range s.Len() {
			all = append(all, s.At(i))
		}
		return all
	}
	whole := func(g *graph.CSR) any {
		d := g.Data()
		names, positions := list(d.Names), list(d.Positions)
		d.Names, d.Positions = graph.Strings{}, graph.Strings{}
		return fmt.Sprintf("%s %q %q %+v", text(g), names, positions, d)
	}
	return must(a.Digest(context.Background())) == must(b.Digest(context.Background())) && reflect.DeepEqual(whole(a), whole(b))
}

// TestConversionsKeepWhatBothFormatsHold stands for everything that may get lost on the way from one format to another without a
// word: a graph with each property goes through each pair of formats, and what comes out is what went in, but for what one of the
// two has no place for. The conversion that loses it names it, and names nothing else.
func TestConversionsKeepWhatBothFormatsHold(t *testing.T) {
	kept := func(p property, f files.Format) (*graph.CSR, []string) {
		all := slices.Contains([]string{"nothing", "duplicates", "self loops", "direction", "both directions"}, p.name)
		if all || slices.Contains(held[f], p.name) {
			return p.g, nil
		}
		return p.drop(p.g), []string{p.name}
	}
	pass := func(t *testing.T, g, want *graph.CSR, f files.Format, lost []string) *graph.CSR {
		t.Helper()
		var b bytes.Buffer
		said, err := files.Write(context.Background(), &b, g, f)
		if err != nil || !slices.Equal(said, lost) {
			t.Fatalf("to %s: said to be lost: %q, %v; want %q", f, said, err, lost)
		}
		if !slices.Contains(readable, f) {
			return nil
		}
		content := b.String()
		back, _, err := files.Read(t.Context(), &b, "x."+string(f), files.Options{Workers: 1})
		if err != nil {
			t.Fatalf("%s is written, and not read: %v\n%s", f, err, content)
		}
		if !sameGraph(back, want) {
			t.Fatalf("through %s: %s %+v\nwant %s %+v\n%q", f, text(back), back.Data(), text(want), want.Data(), content)
		}
		return back
	}
	for i, p := range properties(t) {
		for _, from := range readable {
			want, lost := kept(p, from)
			first := pass(t, p.g, want, from, lost)
			for _, to := range files.Formats() {
				t.Run(fmt.Sprintf("%d %s/%s/%s", i, strings.ReplaceAll(p.name, " ", "-"), from, to), func(t *testing.T) {
					want, lost := kept(property{p.name, first, p.drop}, to)
					if !sameGraph(first, p.g) { // it is gone already
						want, lost = first, nil
					}
					pass(t, first, want, to, lost)
				})
			}
		}
	}
}

// TestWeightsOfOneAreNoWeights: formats that must have weights write 1 where a graph has none, and that is read as none.
func TestWeightsOfOneAreNoWeights(t *testing.T) {
	g, _, err := read(t, "x.wel", "0 1 1\n1 2 1.0\n", files.Options{})
	if err != nil || g.Data().Weights != nil {
		t.Errorf("%v, %v", g.Data().Weights, err)
	}
}
