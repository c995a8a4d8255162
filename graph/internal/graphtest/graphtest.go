// Package graphtest has what tests of graphs and of sessions share: graphs, what is known of them, and answers by other means.
package graphtest

import (
	"bytes"
	"context"
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/govyre/vyre/driver"
	_ "github.com/govyre/vyre/driver/cpu"
	_ "github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/graph/internal/flows"
	"github.com/govyre/vyre/graph/internal/limits"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/testing/long"
)

func Short(d [32]byte) string { return hex.EncodeToString(d[:8]) }

// Widths counts the nodes of each level.
func Widths(levels []uint32) []int {
	var w []int
	for _, l := range levels {
		if l == graph.None {
			continue
		}
		for int(l) >= len(w) {
			w = append(w, 0)
		}
		w[l]++
	}
	return w
}

func Total(w []int) (n int) {
	for _, c := range w {
		n += c
	}
	return n
}

// Shape is what the rows say without a search.
type Shape struct{ SelfLoops, Duplicates, Sinks, MaxDegree int }

func ShapeOf(g *graph.CSR) (s Shape) {
	for u := range uint32(g.Nodes()) {
		row, _ := g.Row(u)
		s.MaxDegree = max(s.MaxDegree, len(row))
		if len(row) == 0 {
			s.Sinks++
		}
		for i, v := range row {
			if v == u {
				s.SelfLoops++
			}
			if i > 0 && row[i-1] == v {
				s.Duplicates++
			}
		}
	}
	return s
}

// Allowed yields the arcs that a filter allows.
func Allowed(g *graph.CSR, filter uint32, yield func(u, v uint32)) {
	for u := range uint32(g.Nodes()) {
		targets, masks := g.Row(u)
		for i, v := range targets {
			if masks == nil && filter&1 != 0 || masks != nil && masks[i]&filter != 0 {
				yield(u, v)
			}
		}
	}
}

// Sizes returns how many components there are of which nodes have these labels, and the size of the largest.
func Sizes(labels []uint32) (count, largest int) {
	size := make([]int, len(labels))
	for _, label := range labels {
		size[label]++
	}
	for _, s := range size {
		if s > 0 {
			count++
		}
		largest = max(largest, s)
	}
	return count, largest
}

// Weak returns the smallest node of the weak component of each node, by union and find.
func Weak(g *graph.CSR, filter uint32) []uint32 {
	parent := make([]uint32, g.Nodes())
	for i := range parent {
		parent[i] = uint32(i)
	}
	find := func(u uint32) uint32 {
		for parent[u] != u {
			parent[u] = parent[parent[u]]
			u = parent[u]
		}
		return u
	}
	Allowed(g, filter, func(u, v uint32) {
		a, b := find(u), find(v)
		parent[max(a, b)] = min(a, b)
	})
	for u := range parent {
		parent[u] = find(uint32(u))
	}
	return parent
}

// Strong does the same for strong components (Tarjan, "Depth-first search and linear graph algorithms", 1972), with a
// stack of its own.
func Strong(g *graph.CSR, filter uint32) []uint32 {
	n := g.Nodes()
	labels := make([]uint32, n)
	index, low, next := make([]uint32, n), make([]uint32, n), make([]int, n)
	open := make([]bool, n)
	var path, stack []uint32
	seen := uint32(0)
	enter := func(u uint32) {
		seen++
		index[u], low[u], open[u] = seen, seen, true
		path, stack = append(path, u), append(stack, u)
	}
	leave := func(u uint32) {
		path = path[:len(path)-1]
		if len(path) > 0 {
			low[path[len(path)-1]] = min(low[path[len(path)-1]], low[u])
		}
		if low[u] != index[u] {
			return
		}
		at := len(stack) - 1
		for stack[at] != u {
			at--
		}
		least := slices.Min(stack[at:])
		for _, v := range stack[at:] {
			open[v], labels[v] = false, least
		}
		stack = stack[:at]
	}
	for root := range uint32(n) {
		if index[root] == 0 {
			enter(root)
		}
		for len(path) > 0 {
			u := path[len(path)-1]
			targets, masks := g.Row(u)
			i := next[u]
			if i == len(targets) {
				leave(u)
				continue
			}
			next[u]++
			switch v := targets[i]; {
			case masks == nil && filter&1 == 0 || masks != nil && masks[i]&filter == 0:
			case index[v] == 0:
				enter(v)
			case open[v]:
				low[u] = min(low[u], index[v])
			}
		}
	}
	return labels
}

// Reversed turns every allowed arc round.
func Reversed(g *graph.CSR, filter uint32) *graph.CSR {
	offsets := make([]uint32, g.Nodes()+1)
	Allowed(g, filter, func(_, v uint32) { offsets[v+1]++ })
	for u := range g.Nodes() {
		offsets[u+1] += offsets[u]
	}
	targets, at := make([]uint32, offsets[g.Nodes()]), slices.Clone(offsets)
	Allowed(g, filter, func(u, v uint32) {
		targets[at[v]] = u
		at[v]++
	})
	r, err := graph.New(context.Background(), offsets, targets, nil)
	if err != nil {
		panic(err)
	}
	return r
}

// Must is for answers of which a test looks at nothing but the answer.
func Must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// OpenDevice opens a device that the test closes.
func OpenDevice(t *testing.T, name string) driver.Device {
	t.Helper()
	dev, err := driver.Open(long.Device(name), driver.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return dev
}

func Generated(t *testing.T, name string) *graph.CSR {
	t.Helper()
	g, err := generate.Graph(context.Background(), name, generate.Options{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// SmallGraphs are one of each generator, and shapes that break things.
var SmallGraphs = []string{"kron:5", "uniform:5", "grid:9x7", "road:9x7", "chain:33", "ladder:9x4", "star:70", "complete:9", "tree:40,3", "icfg:4,8,3", "skew:64",
	"chain:1", "chain:31", "chain:32", "self loops", "no arcs", "random", "random with masks"}

func SmallGraph(t *testing.T, name string) *graph.CSR {
	t.Helper()
	made := func(offsets, targets []uint32) *graph.CSR {
		g, err := graph.New(t.Context(), offsets, targets, nil)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	switch name {
	case "self loops":
		return made([]uint32{0, 1, 2, 4}, []uint32{0, 1, 2, 2})
	case "no arcs":
		return made(make([]uint32, 41), nil)
	case "random", "random with masks":
		return RandomGraph(t, 9, 70, name != "random")
	}
	return Generated(t, name)
}

// Both adds every arc the other way round.
func Both(t *testing.T, g *graph.CSR) *graph.CSR {
	t.Helper()
	r := Must(g.Reverse(t.Context()))
	offsets, targets, masks := []uint32{0}, []uint32{}, []uint32{}
	for u := range uint32(g.Nodes()) {
		var row []uint64
		for _, h := range []*graph.CSR{g, r} {
			to, kinds := h.Row(u)
			for k, v := range to {
				mask := uint32(1)
				if kinds != nil {
					mask = kinds[k]
				}
				row = append(row, uint64(v)<<32|uint64(mask))
			}
		}
		slices.Sort(row)
		for _, arc := range row {
			targets, masks = append(targets, uint32(arc>>32)), append(masks, uint32(arc))
		}
		offsets = append(offsets, uint32(len(targets)))
	}
	h, err := graph.New(t.Context(), offsets, targets, masks)
	if err != nil || !Must(h.Symmetric(t.Context())) {
		t.Fatal(err)
	}
	return h
}

func SomeNodes(r *rand.Rand, g *graph.CSR, most int) []uint32 {
	list := make([]uint32, r.IntN(most+1))
	for k := range list {
		list[k] = r.Uint32N(uint32(g.Nodes()))
	}
	return list
}

// RandomGraph has n nodes with up to three arcs each, and a hub; with masks of five kinds, or without any.
func RandomGraph(t *testing.T, seed uint64, n int, masks bool) *graph.CSR {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 77))
	offsets, targets, kinds := []uint32{0}, []uint32{}, []uint32{}
	for v := range n {
		degree := rng.IntN(4)
		if v == n/2 {
			degree = min(n, 100)
		}
		row := make([]uint32, degree)
		for k := range row {
			row[k] = rng.Uint32N(uint32(n))
		}
		slices.Sort(row)
		row = slices.Compact(row)
		for range row {
			kinds = append(kinds, 1+rng.Uint32N(31))
		}
		targets = append(targets, row...)
		offsets = append(offsets, uint32(len(targets)))
	}
	if !masks {
		kinds = nil
	}
	g, err := graph.New(t.Context(), offsets, targets, kinds)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// OtherAnswers are strong components, topological levels and parents, and what may come to a node, for the kinds of a query; all of
// them name the engine of the session.
func OtherAnswers(t *testing.T, s *session.Session, q session.Query) (lists [][]uint32, facts []uint64) {
	t.Helper()
	strong, err := s.StrongComponents(t.Context(), q.Kinds)
	if err != nil {
		t.Fatal(err)
	}
	order, err := s.TopologicalLevels(t.Context(), q.Kinds)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := s.Tree(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	p, err := flows.RoundComesProgram()
	if err != nil {
		t.Fatal(err)
	}
	x, err := session.NewFixpoint(t.Context(), s, flows.Comes{}, p, session.FixpointOptions{})
	if err != nil {
		t.Fatal(err)
	}
	values := make([]uint64, len(q.Seeds))
	for i, v := range q.Seeds {
		values[i] = 0xABCD << (v % 32)
	}
	fixed, err := x.Run(t.Context(), session.Start[uint64]{Seeds: q.Seeds, Values: values, Kinds: q.Kinds})
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil || !fixed.Settled() {
		t.Errorf("%v, settled: %v", err, fixed.Settled())
	}
	for _, r := range []session.Run{strong.Run, order.Run, tree.Run, fixed.Run} {
		if r.Engine != s.Engine() {
			t.Errorf("an answer of %v, the session's engine is %v", r.Engine, s.Engine())
		}
	}
	return [][]uint32{Must(strong.Labels(t.Context(), nil)), order.Levels(), tree.Parents()}, fixed.Facts()
}

// KnownGraph is what every engine, and every later version, has to agree with.
type KnownGraph struct {
	Name            string
	Nodes, Arcs     int
	Shape           Shape
	Source          uint32
	Levels, Reached int
	Peak            int
	Weak, Largest   int
	Digests         [3]string // of offsets, targets, levels
	Long            bool
}

var Known = []KnownGraph{
	{"kron:10", 1024, 32768, Shape{292, 11726, 130, 2056}, 1008, 4, 894, 475, 131, 894,
		[3]string{"adc1becc8c84ce60", "e5650f407da08a02", "43db932ba9d96b30"}, false},
	{"kron:16", 65536, 2097152, Shape{1098, 277863, 18764, 26055}, 47220, 5, 46748, 35479, 18777, 46748,
		[3]string{"eded3e00fb55eb6f", "7941a5365ffa9680", "5e9a239adb003f8f"}, true},
	{"uniform:10", 1024, 32768, Shape{36, 542, 0, 51}, 0, 4, 1024, 653, 1, 1024,
		[3]string{"372c75cd39ada598", "4d4c214a4ed83203", "1972db14922a8ace"}, false},
	{"uniform:16", 65536, 2097152, Shape{36, 490, 0, 62}, 0, 5, 65536, 33400, 1, 65536,
		[3]string{"c129d142c629d3d7", "f81b31efe91f759e", "ef1e918afbedfe59"}, true},
	{"grid:1024x1024", 1048576, 4190208, Shape{0, 0, 0, 4}, 0, 2047, 1048576, 1024, 1, 1048576,
		[3]string{"cd9c247a87f228be", "0490c0975f15e796", "276c2da298cc2775"}, true},
	{"road:64x64", 4096, 9662, Shape{0, 0, 104, 4}, 0, 137, 3830, 66, 156, 3830,
		[3]string{"26339c96c2cb81fc", "704285070d3b58ce", "60a2bc5e20835e61"}, false},
	{"road:1024x1024", 1048576, 2515338, Shape{0, 0, 23853, 4}, 0, 2127, 998571, 985, 32292, 998571,
		[3]string{"b83a04c3bd4d0452", "856ac7fddcd3a582", "47df0abb89aef484"}, true},
	{"road:4096x4096", 16777216, 40254576, Shape{0, 0, 377888, 4}, 0, 8471, 15980264, 3914, 513871, 15980264,
		[3]string{"73b2a54efb3fcaf5", "9a2233e8f9ee8d2f", "9006104585d4d45a"}, true},
	{"chain:1048576", 1048576, 1048575, Shape{0, 0, 1, 1}, 0, 1048576, 1048576, 1, 1, 1048576,
		[3]string{"8553e18fc2937848", "d31a662933ec5dee", "e133ca7b9aabc213"}, true},
	{"ladder:65536x16", 1048576, 2097120, Shape{0, 0, 16, 2}, 0, 65536, 1048456, 16, 1, 1048576,
		[3]string{"c44455dcc5e96878", "c96e27b6441e76fc", "edce4fb99c8fbe6b"}, true},
}

// WideFrom has graphs that are made from now on get offsets of 64 bits, if they have more arcs than that, until the test is over.
func WideFrom(t *testing.T, arcs uint64) {
	t.Helper()
	before := limits.NarrowArcs
	limits.NarrowArcs = arcs
	t.Cleanup(func() { limits.NarrowArcs = before })
}

// Check says what is wrong with a graph, as reading a file of it does.
func Check(g *graph.CSR) error {
	var b bytes.Buffer
	if _, err := g.Encode(context.Background(), &b); err != nil {
		return err
	}
	back, err := graph.Decode("", b.Bytes())
	if err != nil {
		return err
	}
	return back.Verify(context.Background())
}
