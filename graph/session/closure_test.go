package session_test

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/flow"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/megakernel"
)

var inputsFlag = flag.String("inputs", "", "folder with usroads.bin, gnutella31.bin and sfcedge.bin: pairs of little-endian u32, for closures")

// knownClosure is a graph whose closure is known: its pairs, with those of no arc or without, components, arcs between
// them, heights and tiles, as far as these are not 0.
type knownClosure struct {
	name             string
	kinds            uint32
	pairs, plus      uint64
	components       int
	between, heights int
	tiles            uint64
}

var knownClosures = []knownClosure{
	{"chain:1000", 0, 500500, 499500, 1000, 999, 1000, 0}, {"tree:1000,3", 0, 6457, 5457, 1000, 999, 0, 0},
	{"road:64x64", 0, 14669880, 14669776, 156, 0, 1, 0}, {"ladder:100x16", 0, 1109760, 1108160, 1600, 0, 100, 0},
	{"kron:10", 0, 647520, 647211, 310, 0, 0, 95}, {"skew:4096", 0x7, 1129122, 1125251, 0, 0, 0, 0},
	{"skew:4096", 0x10, 10075620, 10073993, 0, 0, 0, 0}, {"icfg:4,16,4", 0, 15091, 14897, 0, 0, 0, 0},
}

// measuredClosures are those that are measured.
var measuredClosures = []knownClosure{
	{"usroads", 0, 871494852, 871365688, 129164, 165435, 1625, 6292581},
	{"gnutella31", 0, 884228296, 884179859, 48438, 55349, 14, 23962},
	{"sfcedge", 0, 80672970, 80498014, 174956, 221802, 544, 1627788},
	{"ladder:1000x16", 0, 126216960, 126200960, 16000, 31968, 1000, 138624},
	{"skew:16384", 0, 268435456, 268435456, 1, 0, 1, 0},
}

// graph generates it, or reads a file of -inputs: nodes are numbered by rank, and equal pairs count once.
func (k knownClosure) graph(t testing.TB) *graph.CSR {
	t.Helper()
	if strings.Contains(k.name, ":") {
		return graphtest.Must(generate.Graph(t.Context(), k.name, generate.Options{Seed: 1, Directed: true}))
	}
	b, err := os.ReadFile(filepath.Join(*inputsFlag, k.name+".bin"))
	if err != nil {
		t.Fatal(err)
	}
	var pairs [][2]uint32
	var ids []uint32
	for ; len(b) >= 8; b = b[8:] {
		p := [2]uint32{binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])}
		pairs, ids = append(pairs, p), append(ids, p[0], p[1])
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	slices.SortFunc(pairs, func(a, b [2]uint32) int { return slices.Compare(a[:], b[:]) })
	pairs = slices.Compact(pairs)
	g, err := graph.FromFunc(t.Context(), uint32(len(ids)), uint64(len(pairs)), false, func(p graph.Portion, emit graph.Emit) {
		for from, to := p.Of(uint64(len(pairs))); from < to; from++ {
			u, _ := slices.BinarySearch(ids, pairs[from][0])
			v, _ := slices.BinarySearch(ids, pairs[from][1])
			emit(uint32(u), uint32(v), 1)
		}
	})
	return graphtest.Must(g, err)
}

func (k knownClosure) check(t *testing.T, c *session.Closure) {
	t.Helper()
	if c.Pairs() != k.pairs || c.PairsPlus() != k.plus {
		t.Errorf("%s: %d pairs, %d of an arc or more, want %d, %d", k.name, c.Pairs(), c.PairsPlus(), k.pairs, k.plus)
	}
	got := knownClosure{k.name, k.kinds, k.pairs, k.plus, c.Components(), c.Between(), c.Heights(), c.Tiles()}
	for _, of := range []struct{ got, want *int }{{&got.components, &k.components}, {&got.between, &k.between}, {&got.heights, &k.heights}} {
		if *of.want != 0 && *of.got != *of.want {
			t.Errorf("%+v, want %+v", got, k)
		}
	}
	if k.tiles != 0 && got.tiles != k.tiles {
		t.Errorf("%d tiles, want %d", got.tiles, k.tiles)
	}
}

func TestClosuresHaveTheKnownPairs(t *testing.T) {
	list := knownClosures
	if long.Enabled() {
		list = append(slices.Clone(list), measuredClosures[3:]...)
	}
	if *inputsFlag != "" {
		list = append(slices.Clone(list), measuredClosures[:3]...)
	}
	for _, k := range list {
		g := k.graph(t)
		for _, device := range append([]string{"host"}, devices()...) {
			if device == "cuda-sim" && k.name != "tree:1000,3" && k.name != "icfg:4,16,4" {
				continue // it takes a hundred times as long
			}
			t.Run(fmt.Sprintf("%s/%#x/%s", k.name, k.kinds, device), func(t *testing.T) {
				o := session.Options{Engine: session.WavesEngine, Queries: 1, Seeds: 1}
				if device == "cuda-sim" {
					o.Topology = megakernel.HostLoop
				}
				if device == "host" {
					device, o.Engine = "cpu", session.NativeEngine
				}
				s := graphtest.Must(session.New(t.Context(), graphtest.OpenDevice(t, device), g, o))
				defer s.Close()
				c, err := s.Closure(t.Context(), session.ClosureOptions{Kinds: k.kinds})
				if err != nil {
					t.Fatal(err)
				}
				k.check(t, c)
			})
		}
	}
}

// closureOf is the oracle: which nodes reach which, each itself among them, and how many pairs have a path of an arc or
// more.
func closureOf(g *graph.CSR, kinds uint32) (rows [][]bool, plus uint64) {
	n := g.Nodes()
	next := make([][]uint32, n)
	graphtest.Allowed(g, settled(kinds), func(u, v uint32) { next[u] = append(next[u], v) })
	for u := range n {
		row, cyclic := make([]bool, n), false
		row[u] = true
		for list := []uint32{uint32(u)}; len(list) > 0; list = list[1:] {
			for _, v := range next[list[0]] {
				cyclic = cyclic || int(v) == u
				if !row[v] {
					row[v], list = true, append(list, v)
					plus++
				}
			}
		}
		if cyclic {
			plus++
		}
		rows = append(rows, row)
	}
	return rows, plus
}

// isClosure compares all that a closure says with the oracle, rows and columns of some nodes.
func isClosure(t *testing.T, c *session.Closure, kinds uint32, every int) {
	t.Helper()
	ctx := t.Context()
	g := graphtest.Must(c.Graph(ctx))
	rows, plus := closureOf(g, kinds)
	pairs := uint64(0)
	for _, row := range rows {
		for _, yes := range row {
			if yes {
				pairs++
			}
		}
	}
	if c.Pairs() != pairs || c.PairsPlus() != plus {
		t.Fatalf("%d pairs, %d of an arc or more, want %d, %d", c.Pairs(), c.PairsPlus(), pairs, plus)
	}
	all := make([]uint32, g.Nodes())
	for v := range all {
		all[v] = uint32(v)
	}
	words, n, err := c.Cut(ctx, all, all)
	if err != nil || n != pairs {
		t.Fatalf("%v, %d pairs of all nodes, want %d", err, n, pairs)
	}
	each := (len(all) + 63) / 64
	for u := range all {
		for v := range all {
			if words[u*each+v/64]>>(v%64)&1 != 0 != rows[u][v] {
				t.Fatalf("%d → %d: want %v", u, v, rows[u][v])
			}
		}
	}
	for u := 0; u < len(all); u += every {
		row, column := graphtest.Must(c.Row(ctx, uint32(u))), graphtest.Must(c.Column(ctx, uint32(u)))
		for v := range all {
			if row.Contains(uint32(v)) != rows[u][v] || column.Contains(uint32(v)) != rows[v][u] {
				t.Fatalf("row or column of %d at %d: %v, %v, want %v, %v", u, v, row.Contains(uint32(v)), column.Contains(uint32(v)), rows[u][v], rows[v][u])
			}
		}
		if v := all[(u*7+3)%len(all)]; graphtest.Must(c.Reaches(uint32(u), v)) != rows[u][v] {
			t.Fatalf("%d reaches %d: want %v", u, v, rows[u][v])
		}
	}
}

// samePaths compares paths with those of Session.Path.
func samePaths(t *testing.T, s *session.Session, c *session.Closure, kinds uint32, pairs int) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(pairs), 1))
	n := graphtest.Must(c.Graph(t.Context())).Nodes()
	for range pairs {
		u, v := r.Uint32N(uint32(n)), r.Uint32N(uint32(n))
		want, err := s.Path(t.Context(), session.Query{Seeds: []uint32{u}, Kinds: kinds}, []uint32{v})
		got, failed := c.Path(t.Context(), u, v)
		if err != nil || failed != nil || !slices.Equal(got, want.Steps) {
			t.Fatalf("%d → %d: %v, %v, path %v, want %v", u, v, err, failed, got, want.Steps)
		}
	}
}

// wideClosure has a component with more successors than lanes share, cycles, and over two columns of tiles.
func wideClosure(t *testing.T) *graph.CSR {
	const n = 2300
	return graphtest.Must(graph.FromFunc(t.Context(), n, 3*n, false, func(p graph.Portion, emit graph.Emit) {
		if !p.First() {
			return
		}
		for v := uint32(1); v < n; v++ {
			if v%3 == 0 {
				emit(0, v, 1)
			}
			if v%7 != 0 && v+5 < n {
				emit(v, v+5, 1)
			}
			if v%50 == 0 {
				emit(v, v-20, 1)
			}
		}
	}))
}

func TestClosuresAreThoseOfSearches(t *testing.T) {
	analysed(t, func(t *testing.T, s *session.Session, g *graph.CSR) {
		for _, kinds := range filters {
			c, err := s.Closure(t.Context(), session.ClosureOptions{Kinds: kinds, Rows: true})
			if err != nil {
				t.Fatal(err)
			}
			isClosure(t, c, kinds, 1+g.Nodes()/9)
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Row(t.Context(), 0); err == nil || !strings.Contains(err.Error(), "closure is closed") {
				t.Errorf("a row after Close: %v", err)
			}
		}
	})
	for _, engine := range []session.Engine{session.NativeEngine, session.WavesEngine} {
		g := wideClosure(t)
		s := graphtest.Must(session.New(t.Context(), checked(t, "cpu", cpu.Seeded(3)), g, session.Options{Engine: engine, Levels: true, Queries: 1}))
		defer s.Close()
		s.OnRun(func(r driver.Result) {
			for _, f := range r.Reports {
				t.Errorf("%s: %s", f.Kernel, f.Text)
			}
		})
		c := graphtest.Must(s.Closure(t.Context(), session.ClosureOptions{Rows: true}))
		isClosure(t, c, 0, 300)
		samePaths(t, s, c, 0, 40)
	}
}

func TestClosuresThatDoNotFit(t *testing.T) {
	g := wideClosure(t)
	for _, engine := range []session.Engine{session.NativeEngine, session.WavesEngine} {
		dev := graphtest.OpenDevice(t, "cpu")
		asked := func(budget uint64, parts bool) (*session.Session, *session.Closure, error) {
			s := graphtest.Must(session.New(t.Context(), dev, g, session.Options{Engine: engine, Queries: 1, Seeds: 1, Budget: budget, Parts: parts}))
			t.Cleanup(func() { s.Close() })
			if _, err := s.StrongComponents(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
			before := dev.Stats().Get(metric.AllocRequests)
			c, err := s.Closure(t.Context(), session.ClosureOptions{Rows: true})
			if n := dev.Stats().Get(metric.AllocRequests); err != nil && n != before {
				t.Errorf("%v: %d buffers were asked for before it was clear that memory suffices", engine, n-before)
			}
			return s, c, err
		}
		s, c, err := asked(0, false)
		if err != nil {
			t.Fatal(err)
		}
		most := s.Bytes()
		over := (*driver.Error)(nil)
		s, _, err = asked(most/2, false)
		if !errors.As(err, &over) || over.Kind != driver.OutOfMemory || over.Requested <= over.Available {
			t.Fatalf("%v: half the memory: %v", engine, err)
		}
		least := most/2 - uint64(over.Available) + uint64(over.Requested) // which has nothing left for edits
		if _, _, err = asked(least-1, false); !errors.As(err, &over) || over.Requested != over.Available+1 {
			t.Errorf("%v: one byte too little: %v", engine, err)
		}
		_, tight, err := asked(least, false)
		if err != nil {
			t.Fatalf("%v: just enough: %v", engine, err)
		}
		if _, err := s.Reach(t.Context(), session.Query{Seeds: []uint32{3}}); err != nil {
			t.Errorf("%v: after an error: %v", engine, err)
		}
		_, blocks, err := asked(least-tiles128(c.Tiles()/4), true)
		if err != nil {
			t.Fatal(err)
		}
		if blocks.Parts() < 2 || blocks.Pairs() != c.Pairs() || tight.Pairs() != c.Pairs() {
			t.Errorf("%v: %d blocks, %d and %d pairs, want %d", engine, blocks.Parts(), blocks.Pairs(), tight.Pairs(), c.Pairs())
		}
		isClosure(t, blocks, 0, 500)
		for _, c := range []*session.Closure{c, tight, blocks} {
			if _, err := c.Add(t.Context(), []flow.Arc{{From: 2200, To: 7}}); err != nil {
				if c == tight && errors.As(err, &over) && over.Kind == driver.OutOfMemory {
					continue // more tiles, and no room
				}
				t.Fatal(err)
			}
		}
		if blocks.Pairs() != c.Pairs() {
			t.Errorf("%v: %d pairs in blocks after an edit, %d whole", engine, blocks.Pairs(), c.Pairs())
		}
		for _, c := range []*session.Closure{c, tight, blocks} {
			isClosure(t, c, 0, 500)
		}
	}
}

func tiles128(n uint64) uint64 { return 128 * n }

func TestWrongEditsChangeNothing(t *testing.T) {
	g := graphtest.RandomGraph(t, 4, 40, true)
	for _, engine := range []session.Engine{session.NativeEngine, session.WavesEngine} {
		s := graphtest.Must(session.New(t.Context(), graphtest.OpenDevice(t, "cpu"), g, session.Options{Engine: engine, Queries: 1}))
		c := graphtest.Must(s.Closure(t.Context(), session.ClosureOptions{Rows: true}))
		there := flow.Arc{To: g.Targets()[0], Mask: g.Masks()[0]}
		for g.First(there.From+1) == 0 {
			there.From++
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		for _, w := range []struct {
			name string
			do   func() error
			want string
		}{
			{"an end that is no node", func() error { _, err := c.Add(t.Context(), []flow.Arc{there, {From: 3, To: 40}}); return err }, "arc 1, 3 → 40 with mask 0x1: the graph has 40 nodes"},
			{"an arc that is not there", func() error {
				_, err := c.Remove(t.Context(), []flow.Arc{there, {From: 39, To: 39, Mask: 0x4000}})
				return err
			}, "arc 1, 39 → 39 with mask 0x4000 is not in the graph"},
			{"an arc more often than it is there", func() error { _, err := c.Remove(t.Context(), slices.Repeat([]flow.Arc{there}, 9)); return err }, "is not in the graph"},
			{"a node that is not there", func() error { _, err := c.Reaches(0, 40); return err }, "node 40, the graph has 40"},
			{"a cut of one", func() error { _, _, err := c.Cut(t.Context(), []uint32{1}, []uint32{77}); return err }, "node 77"},
			{"a context that has ended", func() error { _, err := c.Add(ended, []flow.Arc{there}); return err }, "context canceled"},
			{"no context", func() error {
				var none context.Context
				_, err := c.Row(none, 0)
				return err
			}, "context"},
			{"counts alone", func() error {
				counts := graphtest.Must(s.Closure(t.Context(), session.ClosureOptions{}))
				_, err := counts.Row(t.Context(), 0)
				return errors.Join(err, counts.Close())
			}, "set ClosureOptions.Rows"},
			{"nothing", func() error { _, err := (*session.Closure)(nil).Reaches(0, 0); return err }, "nil"},
		} {
			before := c.Pairs()
			if err := w.do(); err == nil || !strings.Contains(err.Error(), w.want) {
				t.Errorf("%v, %s: %v, want %q", engine, w.name, err, w.want)
			}
			if c.Pairs() != before || graphtest.Must(c.Graph(t.Context())) != g {
				t.Errorf("%v, %s: the closure changed", engine, w.name)
			}
			isClosure(t, c, 0, 7)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{func() error { _, err := c.Row(t.Context(), 0); return err }(), func() error { _, err := c.Add(t.Context(), nil); return err }()} {
			if e := (*driver.Error)(nil); !errors.As(err, &e) || e.Kind != driver.Closed {
				t.Errorf("%v, a closed session: %v", engine, err)
			}
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}
