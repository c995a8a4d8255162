package graph_test

import (
	"context"
	"slices"
	"testing"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/internal/testing/long"
)

func TestKnownGraphs(t *testing.T) {
	for i, want := range graphtest.Known {
		t.Run(want.Name, func(t *testing.T) {
			if want.Long && !long.Turn(i, 0) {
				t.Skip("takes seconds, in turn; run with -long")
			}
			g, err := generate.Graph(context.Background(), want.Name, generate.Options{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			if err := g.Check(); err != nil {
				t.Fatal(err)
			}
			levels, err := graph.Levels(t.Context(), g, []uint32{want.Source}, graph.AllKinds)
			if err != nil {
				t.Fatal(err)
			}
			got, w := want, graphtest.Widths(levels)
			got.Nodes, got.Arcs, got.Shape = g.Nodes(), g.Arcs(), graphtest.ShapeOf(g)
			got.Levels, got.Reached, got.Peak = len(w), graphtest.Total(w), slices.Max(w)
			got.Weak, got.Largest = graphtest.Sizes(graphtest.Weak(g, graph.AllKinds))
			got.Digests = [3]string{graphtest.Short(graph.Digest32(g.Offsets())), graphtest.Short(graph.Digest32(g.Targets())), graphtest.Short(graph.Digest32(levels))}
			if got != want {
				t.Errorf("\n got %+v\nwant %+v", got, want)
			}
		})
	}
}

// TestUsualSeeds compares where known graphs are searched from with what their generators say.
func TestUsualSeeds(t *testing.T) {
	for _, want := range graphtest.Known {
		g, err := generate.Parse(want.Name)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Seeds(generate.Options{Seed: 1}); !slices.Equal(got, []uint32{want.Source}) {
			t.Errorf("%s: seeds %d, want %d", want.Name, got, want.Source)
		}
	}
}

// The digest of a graph does not depend on how it is stored, so it is stated as text.
func TestDigestOfGraph(t *testing.T) {
	chain, err := generate.Graph(context.Background(), "chain:4", generate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := graphtest.Short(graphtest.Must(chain.Digest(t.Context()))); got != "1155c1dbcb02dffc" {
		t.Errorf("chain:4: %s", got)
	}
	empty, err := graph.New(t.Context(), []uint32{0}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range []*graph.CSR{empty, {}} {
		if got := graphtest.Short(graphtest.Must(g.Digest(t.Context()))); got != "5349eafab4ece501" {
			t.Errorf("the empty graph: %s", got)
		}
	}
}
