package graph_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/internal/testing/long"
)

func skew(t *testing.T, n int) (*graph.CSR, []uint32) {
	t.Helper()
	if n > 65536 {
		long.Only(t, "takes seconds")
	}
	gen, err := generate.Parse(fmt.Sprint("skew:", n))
	if err != nil {
		t.Fatal(err)
	}
	g, err := gen.Build(context.Background(), generate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return g, gen.Seeds(generate.Options{})
}

func search(t *testing.T, g *graph.CSR, seeds []uint32, filter uint32) []uint32 {
	t.Helper()
	levels, err := graph.Levels(t.Context(), g, seeds, filter)
	if err != nil {
		t.Fatal(err)
	}
	return levels
}

// closure is a search of a skewed graph.
type closure struct {
	n, arcs, seeds int
	filter         uint32
	waves, reached int
	set            string
	fold           [2]uint64
}

var closures = []closure{
	{4096, 8542, 45, generate.SkewFacts, 9, 3814, "51260039dae1802f", [2]uint64{0xf4e0c24877184a7e, 0x3d7edc10eb06dd85}},
	{4096, 8542, 45, generate.SkewKinds, 11, 3264, "de98a561edca76c5", [2]uint64{0x65fdc1ba11bcc8b3, 0x1a6e29692fe3de42}},
	{65536, 136941, 763, generate.SkewFacts, 13, 60613, "269c6a8aad08a2da", [2]uint64{0x4672003b25174d95, 0x4c1989d5349df658}},
	{65536, 136941, 763, generate.SkewKinds, 14, 53772, "072def6beb459b55", [2]uint64{0x86c9a3e81af6ba99, 0x6522667c3a964f26}},
	{1048576, 2190980, 12057, generate.SkewFacts, 16, 972183, "53d330213c111cc9", [2]uint64{0x905e431dca48d704, 0xb3eec64598b0e943}},
	{1048576, 2190980, 12057, generate.SkewKinds, 16, 861497, "d244a9349d26b87f", [2]uint64{0xb67d8b70965e1566, 0x05684b05d06f5e2c}},
}

func TestSkewClosures(t *testing.T) {
	for _, want := range closures {
		t.Run(fmt.Sprintf("%d/%#x", want.n, want.filter), func(t *testing.T) {
			g, seeds := skew(t, want.n)
			if err := g.Check(); err != nil {
				t.Fatal(err)
			}
			levels := search(t, g, seeds, want.filter)
			set, w := graph.Bitset(levels), graphtest.Widths(levels)
			got := closure{g.Nodes(), g.Arcs(), len(seeds), want.filter, len(w), graphtest.Total(w), graphtest.Short(graph.Digest64(set)), graph.Fold(set)}
			if got != want {
				t.Errorf("\n got %+v\nwant %+v", got, want)
			}
		})
	}
}

func TestSkewComponents(t *testing.T) {
	for _, c := range []struct{ n, weak, weakest, strong, strongest int }{
		{4096, 137, 3922, 3873, 221},
		{65536, 1950, 62957, 52066, 13471},
		{1048576, 30575, 1009224, 832629, 215941},
	} {
		t.Run(fmt.Sprint(c.n), func(t *testing.T) {
			g, _ := skew(t, c.n)
			if n, most := graphtest.Sizes(graphtest.Weak(g, generate.SkewKinds)); n != c.weak || most != c.weakest {
				t.Errorf("%d weak components, the largest of %d nodes, want %d and %d", n, most, c.weak, c.weakest)
			}
			if n, most := graphtest.Sizes(graphtest.Strong(g, generate.SkewKinds)); n != c.strong || most != c.strongest {
				t.Errorf("%d strong components, the largest of %d nodes, want %d and %d", n, most, c.strong, c.strongest)
			}
			if n, _ := graphtest.Sizes(graphtest.Strong(g, graph.AllKinds)); n != 1 {
				t.Errorf("%d strong components without a filter, want 1", n)
			}
		})
	}
}

// TestSkewWaves has what each wave of the large graph does.
func TestSkewWaves(t *testing.T) {
	g, seeds := skew(t, 1048576)
	for _, d := range []struct {
		what, want string
		words      []uint32
	}{
		{"offsets", "43d4cbda5d6aacde", g.Offsets()},
		{"targets", "1406b3bd834c2744", g.Targets()},
		{"masks", "9eabbd0f640d8e13", g.Masks()},
		{"seeds", "4fad51889c17e72e", seeds},
	} {
		if got := graphtest.Short(graph.Digest32(d.words)); got != d.want {
			t.Errorf("%s: %s, want %s", d.what, got, d.want)
		}
	}
	levels := search(t, g, seeds, generate.SkewFacts)
	var looked, through []int
	for u, l := range levels {
		for l != graph.None && int(l) >= len(looked) {
			looked, through = append(looked, 0), append(through, 0)
		}
		if l != graph.None {
			_, masks := g.Row(uint32(u))
			looked[l] += len(masks)
			for _, m := range masks {
				if m&generate.SkewFacts != 0 {
					through[l]++
				}
			}
		}
	}
	kinds := graphtest.Widths(search(t, g, seeds, generate.SkewKinds))
	for _, c := range []struct {
		what      string
		got, want []int
	}{
		{"nodes of facts", graphtest.Widths(levels), []int{12057, 382366, 291662, 163935, 73643, 30383, 11440, 4357, 1586, 494, 167, 54, 21, 11, 5, 2}},
		{"arcs looked at", looked, []int{542999, 607699, 458217, 258738, 117689, 50935, 18338, 7144, 2592, 779, 259, 96, 50, 21, 7, 4}},
		{"arcs allowed", through, []int{475310, 531584, 401008, 226432, 102785, 44500, 16075, 6269, 2242, 687, 218, 81, 46, 17, 6, 3}},
		{"nodes of kinds", kinds, []int{12057, 337458, 244343, 140979, 69327, 32102, 14352, 6324, 2673, 1075, 466, 192, 98, 35, 12, 4}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s:\n got %d\nwant %d", c.what, c.got, c.want)
		}
	}
	if w := graphtest.Widths(search(t, g, seeds, graph.AllKinds)); len(w) != 12 || graphtest.Total(w) != 1048576 {
		t.Errorf("without a filter %d waves reach %d nodes, want 12 and all", len(w), graphtest.Total(w))
	}
	arcs := 0
	graphtest.Allowed(g, generate.SkewKinds, func(_, _ uint32) { arcs++ })
	if arcs != 1642435 {
		t.Errorf("%d arcs of the three kinds, want 1642435", arcs)
	}
}

func TestSkewBackward(t *testing.T) {
	g, seeds := skew(t, 1048576)
	levels := search(t, graphtest.Reversed(g, generate.SkewKinds), seeds, graph.AllKinds)
	if w := graphtest.Widths(levels); len(w) != 72 || graphtest.Total(w) != 338638 {
		t.Errorf("%d waves reach %d nodes, want 72 and 338638", len(w), graphtest.Total(w))
	}
	if got := graphtest.Short(graph.Digest64(graph.Bitset(levels))); got != "451f2e1efefcbdf0" {
		t.Errorf("digest %s", got)
	}
}

func TestSkewSeedsOneByOne(t *testing.T) {
	g, seeds := skew(t, 1048576)
	sum := 0
	for _, s := range seeds[:64] {
		sum += graphtest.Total(graphtest.Widths(search(t, g, []uint32{s}, generate.SkewKinds)))
	}
	if sum != 18200632 {
		t.Errorf("the first 64 seeds reach %d nodes in sum, want 18200632", sum)
	}
}
