package cpu_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/flow"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/graph/internal/cpu"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/internal/testing/turned"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// drawn is what a test draws graphs and searches from.
func drawn(t *testing.T) *rand.Rand { return rand.New(rand.NewPCG(long.Seed(t, 1), 0)) }

// sorted goes through a map in order, so that equal seeds draw the same for each of its entries.
func sorted[V any](m map[string]V) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			if !yield(name, m[name]) {
				return
			}
		}
	}
}

var ctx = context.Background()

func arrays(g *graph.CSR) cpu.Graph {
	return cpu.Graph{Offsets: g.Offsets(), Wide: g.WideOffsets(), Targets: g.Targets(), Masks: g.Masks()}
}

// widened is the same graph with offsets of 64 bits.
func widened(g cpu.Graph) cpu.Graph {
	for _, v := range g.Offsets {
		g.Wide = append(g.Wide, uint64(v))
	}
	g.Offsets = nil
	return g
}

// engines are all ways to search a graph.
func engines(t *testing.T, g *graph.CSR) map[string]*cpu.Engine {
	t.Helper()
	back := arrays(must(g.Reverse(t.Context())))
	list := map[string]*cpu.Engine{
		"alone":             cpu.New(arrays(g), back, cpu.Options{Workers: 1}),
		"forward":           cpu.New(arrays(g), cpu.Graph{}, cpu.Options{Workers: 3}),
		"together":          cpu.New(arrays(g), back, cpu.Options{Workers: 3}),
		"greatest first":    cpu.New(arrays(g), back, cpu.Options{Workers: 5}),
		"as many as cores":  cpu.New(arrays(g), back, cpu.Options{}),
		"wide offsets":      cpu.New(widened(arrays(g)), widened(back), cpu.Options{Workers: 2}),
		"eager and forward": cpu.New(arrays(g), cpu.Graph{}, cpu.Options{Workers: 2}),
	}
	for name, e := range list {
		if name != "as many as cores" {
			e.Eager()
		}
	}
	if err := list["greatest first"].Index(ctx); err != nil {
		t.Fatal(err)
	}
	return list
}

// graphs are small ones of every family, and random ones with kinds.
func graphs(t *testing.T, rng *rand.Rand) map[string]*graph.CSR {
	t.Helper()
	list := make(map[string]*graph.CSR)
	for _, name := range []string{"kron:9", "uniform:9", "grid:33x31", "road:40x40", "chain:70", "ladder:40x5", "star:200", "complete:30", "tree:300,3", "icfg:8,16,4", "skew:1024", "chain:1", "star:1"} {
		g, err := generate.Graph(context.Background(), name, generate.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		list[name] = g
	}
	for k := range long.Count(12, 100, 1000) {
		list[fmt.Sprint("random ", k)] = randomGraph(t, rng, 1+rng.IntN(200), rng.IntN(800))
	}
	return list
}

// randomGraph has parallel arcs, loops and masks.
func randomGraph(t *testing.T, rng *rand.Rand, nodes, arcs int) *graph.CSR {
	t.Helper()
	rows := make([][][2]uint32, nodes)
	for range arcs {
		u := rng.IntN(nodes)
		rows[u] = append(rows[u], [2]uint32{uint32(rng.IntN(nodes)), 1 + rng.Uint32N(15)})
	}
	offsets, targets, masks := []uint32{0}, []uint32(nil), []uint32(nil)
	for _, row := range rows {
		slices.SortFunc(row, func(a, b [2]uint32) int { return slices.Compare(a[:], b[:]) })
		for _, arc := range row {
			targets, masks = append(targets, arc[0]), append(masks, arc[1])
		}
		offsets = append(offsets, uint32(len(targets)))
	}
	g, err := graph.New(t.Context(), offsets, targets, masks)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// oracle is a breadth-first search with a queue.
func oracle(g *graph.CSR, seeds []uint32, filter uint32) []uint32 {
	level := make([]uint32, g.Nodes())
	for v := range level {
		level[v] = cpu.None
	}
	var queue []uint32
	for _, v := range seeds {
		if level[v] == cpu.None {
			level[v] = 0
			queue = append(queue, v)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		targets, masks := g.Row(queue[0])
		for k, v := range targets {
			if mask := maskOf(masks, k); mask&filter != 0 && level[v] == cpu.None {
				level[v] = level[queue[0]] + 1
				queue = append(queue, v)
			}
		}
	}
	return level
}

// smallestParents are the smallest nodes one level above, by looking at every arc.
func smallestParents(g *graph.CSR, level []uint32, filter uint32) []uint32 {
	parents := make([]uint32, g.Nodes())
	for v := range parents {
		parents[v] = cpu.None
	}
	for u := range uint32(g.Nodes()) {
		targets, masks := g.Row(u)
		for k, v := range targets {
			if maskOf(masks, k)&filter != 0 && level[u] != cpu.None && level[v] == level[u]+1 {
				parents[v] = min(parents[v], u)
			}
		}
	}
	return parents
}

func maskOf(masks []uint32, k int) uint32 {
	if masks == nil {
		return 1
	}
	return masks[k]
}

func randomSeeds(rng *rand.Rand, g *graph.CSR, n int) []uint32 {
	seeds := make([]uint32, n)
	for k := range seeds {
		seeds[k] = rng.Uint32N(uint32(g.Nodes()))
	}
	return seeds
}

func TestLevelsAreThoseOfAQueue(t *testing.T) {
	rng := drawn(t)
	for name, g := range sorted(graphs(t, rng)) {
		for how, e := range sorted(engines(t, g)) {
			for _, filter := range []uint32{graph.AllKinds, 1, 6, 1 << 30} {
				for _, seeds := range [][]uint32{nil, {0}, {0, 0}, randomSeeds(rng, g, 3), randomSeeds(rng, g, g.Nodes())} {
					want, got := oracle(g, seeds, filter), make([]uint32, g.Nodes())
					stats, err := e.Levels(ctx, seeds, filter, got)
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(got, want) {
						t.Fatalf("%s, %s, filter %#x, %d seeds: levels differ", name, how, filter, len(seeds))
					}
					parents := make([]uint32, g.Nodes())
					if err := e.Parents(ctx, got, filter, parents); err != nil {
						t.Fatal(err)
					}
					if smallest := smallestParents(g, want, filter); !slices.Equal(parents, smallest) {
						t.Fatalf("%s, %s, filter %#x, from %v: parents %v, want %v", name, how, filter, seeds, parents, smallest)
					}
					reached := uint64(0)
					for _, l := range want {
						if l != cpu.None {
							reached++
						}
					}
					if stats.Reached != reached {
						t.Errorf("%s, %s, filter %#x: %d reached, want %d", name, how, filter, stats.Reached, reached)
					}
				}
			}
		}
	}
}

//ci:race LevelsGo|Lanes|Labels
func TestLevelsGoBackwardWhereThatIsLess(t *testing.T) {
	for name, want := range map[string]bool{"kron:12": true, "uniform:12": true, "chain:5000": false, "grid:64x64": false} {
		g, err := generate.Graph(context.Background(), name, generate.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		e := cpu.New(arrays(g), arrays(must(g.Reverse(t.Context()))), cpu.Options{Workers: 2})
		e.Eager()
		seeds, got := graphSeed(g), make([]uint32, g.Nodes())
		stats, err := e.Levels(ctx, seeds, graph.AllKinds, got)
		rounds, _ := turned.Search(g, must(g.Reverse(t.Context())), seeds, graph.AllKinds, 8, 1)
		if back := strings.Count(rounds, "B"); stats.Backward != back || stats.Rounds != len(rounds) {
			t.Errorf("%s: %+v, want %s", name, stats, rounds)
		}
		if err != nil || stats.Backward > 0 != want || !slices.Equal(got, oracle(g, seeds, graph.AllKinds)) {
			t.Errorf("%s: %+v, %v", name, stats, err)
		}
	}
}

// graphSeed is the node with the most arcs.
func graphSeed(g *graph.CSR) []uint32 {
	best := uint32(0)
	for v := range uint32(g.Nodes()) {
		if g.Offsets()[v+1]-g.Offsets()[v] > g.Offsets()[best+1]-g.Offsets()[best] {
			best = v
		}
	}
	return []uint32{best}
}

func TestLanesAreQueriesAlone(t *testing.T) {
	rng := drawn(t)
	for name, g := range sorted(graphs(t, rng)) {
		for how, e := range sorted(engines(t, g)) {
			for _, filter := range []uint32{graph.AllKinds, 2} {
				queries := make([][]uint32, []int{0, 1, 3, 64}[rng.IntN(4)])
				for q := range queries {
					queries[q] = randomSeeds(rng, g, rng.IntN(3))
				}
				seen := make([]uint64, g.Nodes())
				if _, err := e.Lanes(ctx, queries, filter, seen); err != nil {
					t.Fatal(err)
				}
				for q, seeds := range queries {
					for v, level := range oracle(g, seeds, filter) {
						if seen[v]>>q&1 != 0 != (level != cpu.None) {
							t.Fatalf("%s, %s, filter %#x: query %d of %d at node %d", name, how, filter, q, len(queries), v)
						}
					}
				}
			}
		}
	}
}

func TestLabelsAreThoseOfUnionFind(t *testing.T) {
	rng := drawn(t)
	for name, g := range sorted(graphs(t, rng)) {
		for how, e := range sorted(engines(t, g)) {
			for _, filter := range []uint32{graph.AllKinds, 1, 6} {
				got := make([]uint32, g.Nodes())
				if err := e.Components(ctx, filter, got); err != nil {
					t.Fatal(err)
				}
				if want := unionFind(g, filter); !slices.Equal(got, want) {
					t.Fatalf("%s, %s, filter %#x: labels differ", name, how, filter)
				}
			}
		}
	}
}

// unionFind labels components with their smallest nodes.
func unionFind(g *graph.CSR, filter uint32) []uint32 {
	parent := make([]uint32, g.Nodes())
	for v := range parent {
		parent[v] = uint32(v)
	}
	find := func(v uint32) uint32 {
		for parent[v] != v {
			v = parent[v]
		}
		return v
	}
	for u := range uint32(g.Nodes()) {
		targets, masks := g.Row(u)
		for k, v := range targets {
			if maskOf(masks, k)&filter != 0 {
				a, b := find(u), find(v)
				parent[max(a, b)] = min(a, b)
			}
		}
	}
	for v := range parent {
		parent[v] = find(uint32(v))
	}
	return parent
}

func TestWhatIsNotThereIsRefused(t *testing.T) {
	g := randomGraph(t, drawn(t), 10, 30)
	e := cpu.New(arrays(g), cpu.Graph{}, cpu.Options{})
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for what, err := range map[string]error{
		"a seed that is no node":  second(e.Levels(ctx, []uint32{3, 10}, 1, make([]uint32, 10))),
		"too few levels":          second(e.Levels(ctx, nil, 1, make([]uint32, 9))),
		"a lane's seed":           second(e.Lanes(ctx, [][]uint32{{1}, {11}}, 1, make([]uint64, 10))),
		"too many lanes":          second(e.Lanes(ctx, make([][]uint32, 65), 1, make([]uint64, 10))),
		"too many labels":         e.Components(ctx, 1, make([]uint32, 11)),
		"a context that is over":  second(e.Levels(ended, []uint32{1}, 1, make([]uint32, 10))),
		"lanes of such a context": second(e.Lanes(ended, [][]uint32{{1}}, 1, make([]uint64, 10))),
		"labels of one":           e.Components(ended, 1, make([]uint32, 10)),
	} {
		if err == nil {
			t.Error(what)
		}
	}
	if err := e.Components(ended, 1, make([]uint32, 10)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := e.Levels(ctx, []uint32{3}, 1, make([]uint32, 10)); err != nil {
		t.Error("after errors:", err)
	}
}

// TestACallWithoutAContextOrAnEngineIsRefused, and one whose context has ended; nothing is written.
func TestACallWithoutAContextOrAnEngineIsRefused(t *testing.T) {
	g := randomGraph(t, drawn(t), 10, 30)
	e := cpu.New(arrays(g), cpu.Graph{}, cpu.Options{})
	var none context.Context
	ended, cancel := context.WithCancel(ctx)
	cancel()
	words, sets := make([]uint32, 10), make([]uint64, 10)
	along, join := func(f uint32, _ flow.Arc) uint32 { return f + 1 }, func(a, b uint32) uint32 { return a | b }
	for what, call := range map[string]func(context.Context, *cpu.Engine) error{
		"Bits":       func(ctx context.Context, e *cpu.Engine) error { return second(e.Bits(ctx, 1, sets, sets, 1, sets)) },
		"Components": func(ctx context.Context, e *cpu.Engine) error { return e.Components(ctx, 1, words) },
		"Dominators": func(ctx context.Context, e *cpu.Engine) error {
			return second(e.Dominators(ctx, []uint32{3}, 1, words))
		},
		"Index":             func(ctx context.Context, e *cpu.Engine) error { return e.Index(ctx) },
		"Lanes":             func(ctx context.Context, e *cpu.Engine) error { return second(e.Lanes(ctx, [][]uint32{{3}}, 1, sets)) },
		"Levels":            func(ctx context.Context, e *cpu.Engine) error { return second(e.Levels(ctx, []uint32{3}, 1, words)) },
		"Parents":           func(ctx context.Context, e *cpu.Engine) error { return e.Parents(ctx, words, 1, words) },
		"StrongComponents":  func(ctx context.Context, e *cpu.Engine) error { return e.StrongComponents(ctx, 1, words) },
		"TopologicalLevels": func(ctx context.Context, e *cpu.Engine) error { return second(e.TopologicalLevels(ctx, 1, words)) },
		"Fixpoint": func(ctx context.Context, e *cpu.Engine) error {
			_, _, err := cpu.Fixpoint(ctx, e, along, join, nil, 1, []uint32{3}, false, words, 9)
			return err
		},
	} {
		for _, c := range []struct {
			ctx  context.Context
			e    *cpu.Engine
			kind driver.Kind
			says string
		}{
			{none, e, driver.InvalidArgument, "the context is nil; fix: pass context.Background()"},
			{ended, e, driver.Canceled, "nothing was started"},
			{ctx, nil, driver.InvalidArgument, "the engine is nil"},
			{ctx, new(cpu.Engine), driver.InvalidArgument, "make one with New"},
		} {
			if err := call(c.ctx, c.e); !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: got %v, want %v: %s", what, err, c.kind, c.says)
			}
		}
	}
	if slices.ContainsFunc(words, func(w uint32) bool { return w != 0 }) {
		t.Errorf("refused calls wrote %v", words)
	}
	if _, err := e.Levels(ctx, []uint32{3}, 1, words); err != nil {
		t.Error("after errors:", err)
	}
}

func second[T any](_ T, err error) error { return err }

// must is a result that has no error here.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestPathsAreThoseOfRoundsOverAllArcs, also where every list is shared out among workers.
func TestPathsAreThoseOfRoundsOverAllArcs(t *testing.T) {
	rng := drawn(t)
	for name, g := range sorted(graphs(t, rng)) {
		weights := make([]uint32, g.Arcs())
		for i := range weights {
			weights[i] = rng.Uint32N(4) * rng.Uint32N(100)
		}
		seeds := randomSeeds(rng, g, 2)
		want := slices.Repeat([]uint64{cpu.Far}, g.Nodes())
		for _, v := range seeds {
			want[v] = 0
		}
		for again := true; again; {
			again = false
			for u := range uint32(g.Nodes()) {
				targets, _ := g.Row(u)
				for k, v := range targets {
					if x := want[u] + uint64(weights[g.First(u)+k]); want[u] != cpu.Far && x < want[v] {
						want[v], again = x, true
					}
				}
			}
		}
		var before []uint32
		for how, e := range sorted(engines(t, g)) {
			got, parent := make([]uint64, g.Nodes()), make([]uint32, g.Nodes())
			if _, err := e.Paths(ctx, seeds, graph.AllKinds, weights, 1+rng.Uint64N(200), got); err != nil || !slices.Equal(got, want) {
				t.Fatalf("%s, %s: %v, distances differ", name, how, err)
			}
			if err := e.PathParents(ctx, seeds, graph.AllKinds, weights, got, parent); err != nil {
				t.Fatal(err)
			}
			if before != nil && !slices.Equal(parent, before) {
				t.Fatalf("%s, %s: parents differ from those of another engine", name, how)
			}
			before = parent
		}
	}
}
