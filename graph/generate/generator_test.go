package generate_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/graph/internal/graphtest"
)

// rows prints a graph: "0→1,2 1→2".
func rows(g *graph.CSR) string {
	var b strings.Builder
	for u := range uint32(g.Nodes()) {
		if row, _ := g.Row(u); len(row) > 0 {
			fmt.Fprintf(&b, " %d→%s", u, strings.Trim(strings.ReplaceAll(fmt.Sprint(row), " ", ","), "[]"))
		}
	}
	return strings.TrimSpace(b.String())
}

func TestSmallGraphs(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"chain:1", ""},
		{"chain:3", "0→1 1→2"},
		{"star:4", "0→1,2,3"},
		{"complete:3", "0→1,2 1→0,2 2→0,1"},
		{"tree:6,2", "0→1,2 1→3,4 2→5"},
		{"tree:4,1", "0→1 1→2 2→3"},
		{"tree:3,4294967294", "0→1,2"},
		{"grid:1x1", ""},
		{"grid:3x2", "0→1,3 1→0,2,4 2→1,5 3→0,4 4→1,3,5 5→2,4"},
		{"ladder:2x3", "0→3,4 1→4,5 2→3,5"},
		{"ladder:3x1", "0→1,1 1→2,2"},
		{"uniform:0", "0→" + strings.Repeat("0,", 31) + "0"},
		{"kron:0", "0→" + strings.Repeat("0,", 31) + "0"},
		{"skew:1", "0→" + strings.Repeat("0,", 2047) + "0"},
		{"icfg:1,2,1", "0→2 1→3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := generate.Graph(context.Background(), c.name, generate.Options{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			if got := rows(g); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if err := graphtest.Check(g); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"", `generate: no generator ""; there are kron:S, uniform:S, grid:WxH, road:WxH, chain:N, ladder:NxW, star:N, complete:N, tree:N,K, icfg:P,B,F, skew:N`},
		{"mesh:3", `generate: no generator "mesh"; there are`},
		{"kron", `generate: "kron" has no size; write kron:S`},
		{"kron:", `generate: "kron:": scale S is "", want a number from 0 to 31`},
		{"kron:-1", `generate: "kron:-1": scale S is "-1"`},
		{"kron:32", `generate: "kron:32": scale S is "32"`},
		{"grid:7", `generate: "grid:7" has 1 numbers, want grid:WxH`},
		{"grid:7,7", `generate: "grid:7,7" has 1 numbers, want grid:WxH`},
		{"grid:7x7x7", `generate: "grid:7x7x7" has 3 numbers`},
		{"grid:0x7", `generate: "grid:0x7": width W is "0", want a number from 1`},
		{"grid:65536x65536", `generate: "grid:65536x65536": more than 4294967294 nodes`},
		{"grid:4294967294x4294967294", `generate: "grid:4294967294x4294967294": more than 4294967294 nodes`},
		{"chain:4294967295", `generate: "chain:4294967295": length N is "4294967295"`},
		{"chain:18446744073709551617", `generate: "chain:18446744073709551617": length N`},
		{"complete:1048577", `generate: "complete:1048577": 1048577 nodes may have more than 1099511627776 arcs, which is the most`},
		{"tree:5", `generate: "tree:5" has 1 numbers, want tree:N,K`},
		{"tree:5,0", `generate: "tree:5,0": children K is "0"`},
		{"icfg:4294967294,4294967294,4294967294", `generate: "icfg:4294967294,4294967294,4294967294": more than`},
		{"icfg:1,1,1", `generate: "icfg:1,1,1": places B is "1", want a number from 2`},
		{"skew:12", `generate: "skew:12": size N is 12, want a power of two`},
	} {
		if g, err := generate.Parse(c.name); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s:\n got %v, %v\nwant %s", c.name, g, err, c.want)
		}
	}
}

// The largest graphs are refused where memory is short, before any is taken: this test would not end otherwise.
func TestBuildRefusesBeforeItAllocates(t *testing.T) {
	for _, c := range []struct {
		name string
		need uint64
	}{
		{"chain:4294967294", 4*4294967295 + 4*4294967293},
		{"complete:65536", 4*65537 + 4*65536*65535},
		{"kron:26", 4*(1<<26+1) + 4*32<<26},
		{"skew:1048576", 4*1048577 + 8*2390807}, // a node that several rules meet is counted for each
	} {
		g, err := generate.Parse(c.name)
		if err != nil {
			t.Fatal(err)
		}
		made, err := g.Build(context.Background(), generate.Options{MaxBytes: 20 << 20})
		want := fmt.Sprintf("generate: %q may take %d bytes, the limit is %d", c.name, g.MaxBytes(), 20<<20)
		if err == nil || err.Error() != want {
			t.Errorf("got %v, %v\nwant %s", made, err, want)
		}
		if g.MaxBytes() != c.need {
			t.Errorf("%s needs %d bytes, want %d", c.name, g.MaxBytes(), c.need)
		}
	}
}

// TestSizesAreBounds compares what generators promise with what they make.
func TestSizesAreBounds(t *testing.T) {
	for _, name := range []string{"kron:7", "uniform:7", "grid:1x9", "grid:9x1", "grid:9x7", "road:31x7", "chain:9", "ladder:5x4",
		"star:9", "complete:9", "tree:40,3", "icfg:5,9,1", "icfg:7,31,6", "icfg:2,2,3", "skew:2", "skew:8192"} {
		g, err := generate.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		if g.String() != name {
			t.Errorf("%q is %q as text", name, g)
		}
		for seed := range uint64(4) {
			made, err := g.Build(context.Background(), generate.Options{Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			if err := graphtest.Check(made); err != nil {
				t.Errorf("%s, seed %d: %v", name, seed, err)
			}
			if uint64(made.Nodes()) != g.Nodes() || uint64(made.Bytes()) > g.MaxBytes() {
				t.Errorf("%s, seed %d: %d nodes in %d bytes, promised %d in %d at most", name, seed, made.Nodes(), made.Bytes(), g.Nodes(), g.MaxBytes())
			}
			for _, s := range g.Seeds(generate.Options{Seed: seed}) {
				if uint64(s) >= g.Nodes() {
					t.Errorf("%s, seed %d: searched from node %d of %d", name, seed, s, g.Nodes())
				}
			}
		}
	}
}

// TestBuildHoldsTheGraphOnly counts what building allocates, on one core and on several: no list of arcs stands in between, and
// each core holds one row while rows with masks are sorted.
func TestBuildHoldsTheGraphOnly(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, cores := range []int{1, 2, 16} {
		runtime.GOMAXPROCS(cores)
		for _, name := range []string{"grid:200x200", "road:200x200", "uniform:12", "kron:12", "skew:65536", "icfg:20,20,40"} {
			g, err := generate.Parse(name)
			if err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			made, err := g.Build(context.Background(), generate.Options{Seed: 1})
			runtime.ReadMemStats(&after)
			if err != nil {
				t.Fatal(err)
			}
			const slack, ofCore = 64 << 10, 4 << 10 // sizes of allocations rounded up; goroutines, and closures of their portions
			d := made.Data()
			has := uint64(made.Bytes()) + 4*uint64(len(d.Procedures)+len(d.Sites))
			may, list := has+slack+uint64(cores)*(ofCore+rowKeys(made)), 8*uint64(made.Arcs())
			if used := after.TotalAlloc - before.TotalAlloc; used > may {
				t.Errorf("%s on %d cores has %d bytes, building it took %d, want at most %d", name, cores, has, used, may)
			}
			if may-has >= list {
				t.Errorf("%s on %d cores: %d bytes more than the graph would hold a list of its arcs", name, cores, may-has)
			}
		}
	}
}

// rowKeys is the most that a core holds to sort rows: a key of 8 bytes for each arc of the longest row, after one half as long
// whose memory did not do.
func rowKeys(g *graph.CSR) (bytes uint64) {
	if g.Masks() == nil {
		return 0
	}
	for v := range g.Nodes() {
		row, _ := g.Row(uint32(v))
		bytes = max(bytes, 8*uint64(len(row)))
	}
	return bytes + bytes/2
}

// TestDirected compares the graph without arcs back with the one that has them.
func TestDirected(t *testing.T) {
	for _, name := range []string{"kron:6", "uniform:6"} {
		both, err := generate.Graph(context.Background(), name, generate.Options{Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		one, err := generate.Graph(context.Background(), name, generate.Options{Seed: 3, Directed: true})
		if err != nil {
			t.Fatal(err)
		}
		count := map[[2]uint32]int{}
		for u := range uint32(both.Nodes()) {
			targets, _ := both.Row(u)
			for _, v := range targets {
				count[[2]uint32{u, v}]++
			}
			targets, _ = one.Row(u)
			for _, v := range targets {
				count[[2]uint32{u, v}]--
				count[[2]uint32{v, u}]--
			}
		}
		for arc, n := range count {
			if n != 0 {
				t.Errorf("%s: arc %d is there %d times too often", name, arc, n)
			}
		}
	}
}

func TestSeedsMakeOtherGraphs(t *testing.T) {
	for _, name := range []string{"kron:8", "uniform:8", "road:32x32", "icfg:8,16,4"} {
		seen := map[[32]byte]uint64{}
		for seed := range uint64(8) {
			g, err := generate.Graph(context.Background(), name, generate.Options{Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			d, err := g.Digest(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if other, ok := seen[d]; ok {
				t.Errorf("%s: seeds %d and %d make the same graph", name, other, seed)
			}
			seen[d] = seed
		}
	}
}

func TestNoGenerator(t *testing.T) {
	var g generate.Generator
	if made, err := g.Build(context.Background(), generate.Options{}); err == nil {
		t.Errorf("made %v of nothing", made)
	}
	if g.Nodes() != 0 || g.MaxBytes() != 0 || g.Seeds(generate.Options{}) != nil || g.String() == "" {
		t.Errorf("the zero generator promises %d nodes", g.Nodes())
	}
}

//ci:inputs 30000
func FuzzParse(f *testing.F) {
	for _, name := range []string{"kron:4", "grid:3x4", "tree:9,2", "icfg:2,5,3", "skew:64", "road:4294967294x2"} {
		f.Add(name, uint64(1))
	}
	f.Fuzz(func(t *testing.T, name string, seed uint64) {
		g, err := generate.Parse(name)
		if err != nil {
			return
		}
		again, err := generate.Parse(g.String())
		if err != nil || again != g {
			t.Fatalf("%q is %q as text, which is %v, %v", name, g, again, err)
		}
		if g.MaxBytes() > 1<<16 {
			return
		}
		made, err := g.Build(context.Background(), generate.Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		if err := graphtest.Check(made); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkGenerate(b *testing.B) {
	for _, name := range []string{"grid:1024x1024", "road:1024x1024", "skew:1048576", "uniform:16", "kron:16"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := generate.Graph(context.Background(), name, generate.Options{Seed: 1}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestKronOrder(t *testing.T) {
	for id, want := range []uint32{1008, 843, 401, 800} {
		if got := generate.KronOrder(10, 1, uint32(id)); got != want {
			t.Errorf("%d goes to %d, want %d", id, got, want)
		}
	}
	for scale := range uint64(12) {
		seen := make([]bool, 1<<scale)
		for id := range uint32(1) << scale {
			to := generate.KronOrder(scale, 5, id)
			if seen[to] {
				t.Fatalf("scale %d: two ids go to %d", scale, to)
			}
			seen[to] = true
		}
	}
}
