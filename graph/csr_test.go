package graph_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/graph/internal/graphtest"
)

func TestNewNamesWhatIsWrong(t *testing.T) {
	type words = []uint32
	for _, c := range []struct {
		name                    string
		offsets, targets, masks words
		want                    string
	}{
		{"no offsets", nil, nil, nil, "no offsets; a graph of n nodes has n+1"},
		{"start", words{1, 1}, words{0}, nil, "offsets start at 1, not at 0"},
		{"falls", words{0, 2, 1}, words{0, 1}, nil, "row 1: offset 1 after 2"},
		{"too few targets", words{0, 1, 2}, words{0}, nil, "the last offset is 2, and there are 1 targets"},
		{"falls beyond the targets", words{0, 9, 1}, words{0}, nil, "row 1: offset 1 after 9"},
		{"too many targets", words{0, 1}, words{0, 0}, nil, "the last offset is 1, and there are 2 targets"},
		{"no such node", words{0, 0, 2}, words{0, 2}, nil, "arc 1 of row 1: target 2, but n = 2"},
		{"descends", words{0, 2, 2}, words{1, 0}, nil, "arc 1 of row 0: target 0 after 1; rows ascend"},
		{"masks too few", words{0, 2}, words{0, 0}, words{1}, "1 masks for 2 arcs"},
		{"mask of nothing", words{0, 1}, words{0}, words{0}, "arc 0 of row 0, to 0: mask 0 can never be allowed"},
		{"masks descend", words{0, 2}, words{0, 0}, words{4, 2}, "arc 1 of row 0, to 0: mask 0x2 after 0x4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := graph.New(t.Context(), c.offsets, c.targets, c.masks)
			if err == nil || !strings.HasPrefix(err.Error(), "graph: "+c.want) {
				t.Errorf("got %v and %v, want graph: %s…", g, err, c.want)
			}
		})
	}
}

func TestMasksOfOneAreNone(t *testing.T) {
	plain, err := graph.New(t.Context(), []uint32{0, 1, 1}, []uint32{1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ones, err := graph.New(t.Context(), []uint32{0, 1, 1}, []uint32{1}, []uint32{1})
	if err != nil {
		t.Fatal(err)
	}
	twos, err := graph.New(t.Context(), []uint32{0, 1, 1}, []uint32{1}, []uint32{2})
	if err != nil {
		t.Fatal(err)
	}
	if ones.Masks() != nil || graphtest.Must(plain.Digest(t.Context())) != graphtest.Must(ones.Digest(t.Context())) {
		t.Error("masks that are all 1 make another graph")
	}
	if twos.Masks() == nil || graphtest.Must(plain.Digest(t.Context())) == graphtest.Must(twos.Digest(t.Context())) {
		t.Error("masks that are all 2 make the same graph")
	}
}

func TestLevelsFollowsAllowedArcs(t *testing.T) {
	// 0 → 1 by kind 1, 0 → 2 by kind 2, 1 → 2 by kind 3
	g, err := graph.New(t.Context(), []uint32{0, 2, 3, 3}, []uint32{1, 2, 2}, []uint32{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		filter uint32
		seeds  []uint32
		want   []uint32
	}{
		{graph.AllKinds, []uint32{0}, []uint32{0, 1, 1}},
		{1, []uint32{0}, []uint32{0, 1, 2}},
		{2, []uint32{0}, []uint32{0, graph.None, 1}},
		{4, []uint32{0}, []uint32{0, graph.None, graph.None}},
		{0, []uint32{1}, []uint32{graph.None, 0, graph.None}},
		{1, []uint32{1, 1, 0}, []uint32{0, 0, 1}},
		{1, nil, []uint32{graph.None, graph.None, graph.None}},
	} {
		if got := search(t, g, c.seeds, c.filter); !slices.Equal(got, c.want) {
			t.Errorf("filter %#x from %d: levels %d, want %d", c.filter, c.seeds, got, c.want)
		}
	}
	if _, err := graph.Levels(t.Context(), g, []uint32{0, 3}, 1); err == nil || err.Error() != "graph: seed 1 is node 3, but n = 3" {
		t.Errorf("a seed that is no node: %v", err)
	}
}

// A graph without masks has arcs of mask 1, for every filter.
func TestArcsWithoutMaskAreOfKindOne(t *testing.T) {
	g, err := generate.Graph(context.Background(), "chain:3", generate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := search(t, g, []uint32{0}, graph.AllKinds&^1); !slices.Equal(got, []uint32{0, graph.None, graph.None}) {
		t.Errorf("a filter without kind 1: %d", got)
	}
}

func TestNoNodes(t *testing.T) {
	var g graph.CSR
	if g.Nodes() != 0 || g.Arcs() != 0 || !slices.Equal(g.Offsets(), []uint32{0}) {
		t.Errorf("%d nodes, %d arcs, offsets %d", g.Nodes(), g.Arcs(), g.Offsets())
	}
	if levels := search(t, &g, nil, graph.AllKinds); len(levels) != 0 || len(graph.Bitset(levels)) != 0 {
		t.Errorf("levels %d", levels)
	}
}
