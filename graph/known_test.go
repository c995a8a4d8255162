package graph_test

import (
	"context"
	"slices"
	"testing"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/internal/long"
)

// known is what every engine, and every later version, has to agree with.
type known struct {
	name            string
	nodes, arcs     int
	shape           shape
	source          uint32
	levels, reached int
	peak            int
	weak, largest   int
	digests         [3]string // of offsets, targets, levels
	long            bool
}

var knownGraphs = []known{
	{"kron:10", 1024, 32768, shape{292, 11726, 130, 2056}, 1008, 4, 894, 475, 131, 894,
		[3]string{"adc1becc8c84ce60", "e5650f407da08a02", "43db932ba9d96b30"}, false},
	{"kron:16", 65536, 2097152, shape{1098, 277863, 18764, 26055}, 47220, 5, 46748, 35479, 18777, 46748,
		[3]string{"eded3e00fb55eb6f", "7941a5365ffa9680", "5e9a239adb003f8f"}, true},
	{"uniform:10", 1024, 32768, shape{36, 542, 0, 51}, 0, 4, 1024, 653, 1, 1024,
		[3]string{"372c75cd39ada598", "4d4c214a4ed83203", "1972db14922a8ace"}, false},
	{"uniform:16", 65536, 2097152, shape{36, 490, 0, 62}, 0, 5, 65536, 33400, 1, 65536,
		[3]string{"c129d142c629d3d7", "f81b31efe91f759e", "ef1e918afbedfe59"}, true},
	{"grid:1024x1024", 1048576, 4190208, shape{0, 0, 0, 4}, 0, 2047, 1048576, 1024, 1, 1048576,
		[3]string{"cd9c247a87f228be", "0490c0975f15e796", "276c2da298cc2775"}, true},
	{"road:64x64", 4096, 9662, shape{0, 0, 104, 4}, 0, 137, 3830, 66, 156, 3830,
		[3]string{"26339c96c2cb81fc", "704285070d3b58ce", "60a2bc5e20835e61"}, false},
	{"road:1024x1024", 1048576, 2515338, shape{0, 0, 23853, 4}, 0, 2127, 998571, 985, 32292, 998571,
		[3]string{"b83a04c3bd4d0452", "856ac7fddcd3a582", "47df0abb89aef484"}, true},
	{"road:4096x4096", 16777216, 40254576, shape{0, 0, 377888, 4}, 0, 8471, 15980264, 3914, 513871, 15980264,
		[3]string{"73b2a54efb3fcaf5", "9a2233e8f9ee8d2f", "9006104585d4d45a"}, true},
	{"chain:1048576", 1048576, 1048575, shape{0, 0, 1, 1}, 0, 1048576, 1048576, 1, 1, 1048576,
		[3]string{"8553e18fc2937848", "d31a662933ec5dee", "e133ca7b9aabc213"}, true},
	{"ladder:65536x16", 1048576, 2097120, shape{0, 0, 16, 2}, 0, 65536, 1048456, 16, 1, 1048576,
		[3]string{"c44455dcc5e96878", "c96e27b6441e76fc", "edce4fb99c8fbe6b"}, true},
}

func TestKnownGraphs(t *testing.T) {
	for _, want := range knownGraphs {
		t.Run(want.name, func(t *testing.T) {
			if want.long && !long.Enabled() {
				t.Skip("takes seconds; run with -long")
			}
			g, err := generate.Graph(context.Background(), want.name, generate.Options{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			if err := g.Check(); err != nil {
				t.Fatal(err)
			}
			levels, err := graph.Levels(t.Context(), g, []uint32{want.source}, graph.AllKinds)
			if err != nil {
				t.Fatal(err)
			}
			got, w := want, widths(levels)
			got.nodes, got.arcs, got.shape = g.Nodes(), g.Arcs(), shapeOf(g)
			got.levels, got.reached, got.peak = len(w), total(w), slices.Max(w)
			got.weak, got.largest = parts(weak(g, graph.AllKinds))
			got.digests = [3]string{short(graph.Digest32(g.Offsets())), short(graph.Digest32(g.Targets())), short(graph.Digest32(levels))}
			if got != want {
				t.Errorf("\n got %+v\nwant %+v", got, want)
			}
		})
	}
}

// TestUsualSeeds compares where known graphs are searched from with what their generators say.
func TestUsualSeeds(t *testing.T) {
	for _, want := range knownGraphs {
		g, err := generate.Parse(want.name)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Seeds(generate.Options{Seed: 1}); !slices.Equal(got, []uint32{want.source}) {
			t.Errorf("%s: seeds %d, want %d", want.name, got, want.source)
		}
	}
}

// The digest of a graph does not depend on how it is stored, so it is stated as text.
func TestDigestOfGraph(t *testing.T) {
	chain, err := generate.Graph(context.Background(), "chain:4", generate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := short(must(chain.Digest(t.Context()))); got != "1155c1dbcb02dffc" {
		t.Errorf("chain:4: %s", got)
	}
	empty, err := graph.New(t.Context(), []uint32{0}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range []*graph.CSR{empty, {}} {
		if got := short(must(g.Digest(t.Context()))); got != "5349eafab4ece501" {
			t.Errorf("the empty graph: %s", got)
		}
	}
}
