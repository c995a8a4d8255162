package graph_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/internal/limits"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/testing/long"
)

// answersOf asks a session everything.
func answersOf(t *testing.T, g *graph.CSR, queries []session.Query, engine session.Engine) (lists [][]uint32, facts []uint64) {
	t.Helper()
	s, err := session.New(t.Context(), graphtest.OpenDevice(t, "cpu"), g, session.Options{Engine: engine, Levels: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	all, err := s.Batch(t.Context(), queries)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		lists = append(lists, slices.Collect(r.Nodes()))
	}
	levels, err := s.Levels(t.Context(), queries[0])
	if err != nil {
		t.Fatal(err)
	}
	weak, err := s.Components(t.Context(), queries[0].Kinds)
	if err != nil {
		t.Fatal(err)
	}
	d, err := s.Dominators(t.Context(), queries[0].Seeds, queries[0].Kinds)
	if err != nil {
		t.Fatal(err)
	}
	gen, kill := make([]uint64, g.Nodes()), make([]uint64, g.Nodes())
	for v := range gen {
		gen[v], kill[v] = 1<<(v%64), 1<<(v*7%64)
	}
	for _, backward := range []bool{false, true} {
		sets, err := s.BitFlow(t.Context(), session.BitFlow{Words: 1, Gen: gen, Kill: kill, Backward: backward, Kinds: queries[0].Kinds})
		if err != nil {
			t.Fatal(err)
		}
		for v := range uint32(g.Nodes()) {
			facts = append(facts, sets.In(v)...)
		}
	}
	others, more := graphtest.OtherAnswers(t, s, queries[0])
	return append(append(lists, levels, graphtest.Must(weak.Labels(t.Context(), nil)), d.Immediate()), others...), append(facts, more...)
}

// TestOffsetsOf64BitsChangeNothing: what is made of the same arcs with offsets of either width has the same digest, rows and
// answers.
func TestOffsetsOf64BitsChangeNothing(t *testing.T) {
	for seed := range long.Seeds(t, 4, 12, 400) {
		r := rand.New(rand.NewPCG(seed, 64))
		made := func() *graph.CSR {
			g := graphtest.RandomGraph(t, seed, 70, seed%2 == 0)
			if seed%3 == 0 {
				g = graphtest.Both(t, g)
			}
			return g
		}
		narrow := made()
		queries := make([]session.Query, []int{1, 3}[r.IntN(2)])
		for i := range queries {
			queries[i] = session.Query{Seeds: graphtest.SomeNodes(r, narrow, 3), Kinds: []uint32{0, 1, 6}[r.IntN(3)]}
		}
		want, facts := answersOf(t, narrow, queries, session.NativeEngine)
		t.Run("", func(t *testing.T) {
			graphtest.WideFrom(t, 0)
			wide := made()
			if wide.Offsets() != nil || len(wide.WideOffsets()) != wide.Nodes()+1 {
				t.Fatal("the offsets have 32 bits")
			}
			if graphtest.Must(wide.Digest(t.Context())) != graphtest.Must(narrow.Digest(t.Context())) || graphtest.Must(graphtest.Must(wide.Reverse(t.Context())).Digest(t.Context())) != graphtest.Must(graphtest.Must(narrow.Reverse(t.Context())).Digest(t.Context())) {
				t.Error("digests differ")
			}
			got, gotFacts := answersOf(t, wide, queries, session.NativeEngine)
			for i := range want {
				if !slices.Equal(got[i], want[i]) {
					t.Errorf("seed %d: answer %d is %v, want %v", seed, i, got[i], want[i])
				}
			}
			if !slices.Equal(gotFacts, facts) {
				t.Errorf("seed %d: facts are %v, want %v", seed, gotFacts, facts)
			}
		})
	}
}

// TestWhatMakesGraphsMakesWideOnes: generators, blocks with all that is done to arcs, and files, which are as large as they
// have to be and read at either width.
func TestWhatMakesGraphsMakesWideOnes(t *testing.T) {
	for _, name := range []string{"kron:7", "road:20x20", "icfg:4,16,4", "skew:4096", "star:50", "complete:20", "chain:1"} {
		narrow := graphtest.Generated(t, name)
		t.Run(name, func(t *testing.T) {
			before := limits.NarrowArcs
			graphtest.WideFrom(t, uint64(narrow.Arcs())-min(1, uint64(narrow.Arcs())))
			wide := graphtest.Generated(t, name)
			if (wide.WideOffsets() == nil) != (narrow.Arcs() == 0) || graphtest.Must(wide.Digest(t.Context())) != graphtest.Must(narrow.Digest(t.Context())) {
				t.Fatalf("offsets of 64 bits: %v, digests %x and %x", wide.WideOffsets() != nil, graphtest.Must(wide.Digest(t.Context())), graphtest.Must(narrow.Digest(t.Context())))
			}
			for _, o := range []graph.BuildOptions{{Symmetric: true}, {Dedup: true}, {NoSelf: true}, {Symmetric: true, Dedup: true, NoSelf: true}} {
				a, did, err := wide.Rebuild(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				b, same, err := narrow.Rebuild(t.Context(), o)
				if err != nil || graphtest.Must(a.Digest(t.Context())) != graphtest.Must(b.Digest(t.Context())) || did != same {
					t.Errorf("%+v: %x and %x, %+v and %+v, %v", o, graphtest.Must(a.Digest(t.Context())), graphtest.Must(b.Digest(t.Context())), did, same, err)
				}
			}
			if a, b := graphtest.Must(wide.Without(t.Context(), []uint32{0, 3})), graphtest.Must(narrow.Without(t.Context(), []uint32{0, 3})); graphtest.Must(a.Digest(t.Context())) != graphtest.Must(b.Digest(t.Context())) {
				t.Error("without some nodes digests differ")
			}
			var file bytes.Buffer
			if _, err := wide.Encode(t.Context(), &file); err != nil {
				t.Fatal(err)
			}
			for _, arcs := range []uint64{before, 0} {
				limits.NarrowArcs = arcs
				g, err := graph.Decode("x.vyg", file.Bytes())
				if err != nil || g.Verify(t.Context()) != nil {
					t.Fatal(err, g.Verify(t.Context()))
				}
				if graphtest.Must(g.Digest(t.Context())) != graphtest.Must(narrow.Digest(t.Context())) || !slices.Equal(g.Targets(), narrow.Targets()) || g.First(uint32(g.Nodes())) != narrow.Arcs() {
					t.Error("the file has another graph")
				}
				if again, _ := g.With(g.Data()); again.Check() != nil {
					t.Error(again.Check())
				}
			}
		})
	}
}

// TestNewChecksWideOffsets as it does others.
func TestNewChecksWideOffsets(t *testing.T) {
	for _, c := range []struct {
		starts []uint64
		want   string
	}{
		{[]uint64{0, 2, 1}, "row 1: offset 1 after 2"},
		{[]uint64{1, 1, 1}, "offsets start at 1, not at 0"},
		{[]uint64{0, 0, 1 << 32}, "row 1: 4294967296 arcs, at most 4294967295 are in one"},
		{[]uint64{0, 1<<32 - 1, 1 << 32}, "the last offset is 4294967296, and there are 1 targets"},
		{[]uint64{}, "no offsets"},
	} {
		if _, err := graph.New(t.Context(), c.starts, []uint32{0}, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got %v, want %s", c.starts, err, c.want)
		}
	}
	g, err := graph.New(t.Context(), []uint64{0, 1, 1}, []uint32{1}, nil)
	if err != nil || g.WideOffsets() != nil || !slices.Equal(g.Offsets(), []uint32{0, 1, 1}) {
		t.Errorf("a small graph has offsets %v and %v, %v", g.Offsets(), g.WideOffsets(), err)
	}
}
