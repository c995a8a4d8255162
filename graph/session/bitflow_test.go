package session_test

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/testing/long"
)

// roundRobinBits goes over all nodes until no set changes: what comes to a node is the union or the intersection of what leaves
// those before it, and of the boundary at entries. No complements, and no list of what changed.
func roundRobinBits(g *graph.CSR, f session.BitFlow) (in, out []uint64) {
	n, kinds := g.Nodes(), f.Kinds
	if kinds == 0 {
		kinds = graph.AllKinds
	}
	type arc struct{ from, to int }
	var arcs []arc
	graphtest.Allowed(g, kinds, func(u, v uint32) {
		if f.Backward {
			u, v = v, u
		}
		arcs = append(arcs, arc{int(u), int(v)})
	})
	in, out = make([]uint64, n*f.Words), make([]uint64, n*f.Words)
	top := uint64(0)
	if f.Must {
		top = ^top
	}
	transfer := func() {
		for i := range in {
			out[i] = f.Gen[i] | in[i]&^f.Kill[i]
		}
	}
	for i := range in {
		in[i] = top
	}
	transfer()
	for changed := true; changed; {
		next := slices.Repeat([]uint64{top}, len(in))
		meet := func(i int, x uint64) {
			if f.Must {
				next[i] &= x
			} else {
				next[i] |= x
			}
		}
		for _, v := range f.Entries {
			for w := range f.Words {
				if f.Boundary == nil {
					meet(int(v)*f.Words+w, 0)
				} else {
					meet(int(v)*f.Words+w, f.Boundary[w])
				}
			}
		}
		for _, a := range arcs {
			for w := range f.Words {
				meet(a.to*f.Words+w, out[a.from*f.Words+w])
			}
		}
		changed = !slices.Equal(next, in)
		in = next
		transfer()
	}
	return in, out
}

func randomBits(r *rand.Rand, g *graph.CSR) session.BitFlow {
	f := session.BitFlow{Words: 1 + r.IntN(3), Backward: r.IntN(2) == 0, Must: r.IntN(2) == 0, Kinds: []uint32{0, 1, 6}[r.IntN(3)], Entries: graphtest.SomeNodes(r, g, 3)}
	some := func(n int) []uint64 {
		list := make([]uint64, n)
		for i := range list {
			for list[i] = ^uint64(0); bits.OnesCount64(list[i]) > 8; { // few: an eighth or less
				list[i] &= r.Uint64()
			}
		}
		return list
	}
	f.Gen, f.Kill = some(g.Nodes()*f.Words), some(g.Nodes()*f.Words)
	if r.IntN(2) == 0 {
		f.Boundary = some(f.Words)
	}
	return f
}

func checkBits(t *testing.T, s *session.Session, g *graph.CSR, f session.BitFlow) {
	t.Helper()
	got, err := s.BitFlow(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	in, out := roundRobinBits(g, f)
	for v := range uint32(g.Nodes()) {
		at := int(v) * f.Words
		if !slices.Equal(got.In(v), in[at:at+f.Words]) || !slices.Equal(got.Out(v), out[at:at+f.Words]) {
			t.Fatalf("backward %v, must %v, %d words, entries %v: node %d: %x to %x, want %x to %x", f.Backward, f.Must, f.Words, f.Entries, v, got.In(v), got.Out(v), in[at:at+f.Words], out[at:at+f.Words])
		}
	}
	if got.Run.Engine != s.Engine() {
		t.Errorf("engine %v, want %v", got.Run.Engine, s.Engine())
	}
}

func TestBitFlowsAreThoseOfRoundRobin(t *testing.T) {
	analysed(t, func(t *testing.T, s *session.Session, g *graph.CSR) {
		r := rand.New(rand.NewPCG(uint64(g.Nodes()), uint64(g.Arcs())))
		for range 2 {
			checkBits(t, s, g, randomBits(r, g))
		}
	})
}

func TestBitFlowsOfManyGraphs(t *testing.T) {
	dev := graphtest.OpenDevice(t, "cpu")
	for seed := range long.Seeds(t, 600, 1500, 30000) {
		r := rand.New(rand.NewPCG(seed, 31))
		g := graphtest.RandomGraph(t, seed, 1+r.IntN(60), seed%2 == 0)
		if seed%5 == 0 {
			g = graphtest.Both(t, g)
		}
		s, err := session.New(t.Context(), dev, g, session.Options{Levels: seed%3 == 0})
		if err != nil {
			t.Fatal(err)
		}
		checkBits(t, s, g, randomBits(r, g))
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestBitFlowsAreRefused(t *testing.T) {
	refusedFor(t, func(s *session.Session) error {
		_, err := s.BitFlow(t.Context(), session.BitFlow{Words: 1, Gen: make([]uint64, 63), Kill: make([]uint64, 63)})
		return err
	})
	s, err := session.New(t.Context(), graphtest.OpenDevice(t, "cpu"), graphtest.Generated(t, "chain:5"), session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	five := make([]uint64, 5)
	for want, f := range map[string]session.BitFlow{
		"sets of 0 words":                     {Gen: five, Kill: five},
		"sets of 500000000 words for 5 nodes": {Words: 500_000_000},
		"5 words are made and 4 killed":       {Words: 1, Gen: five, Kill: five[1:]},
		"a boundary of 2 words, sets have 1":  {Words: 1, Gen: five, Kill: five, Boundary: five[:2]},
		"entry 1 is node 5, the graph has 5":  {Words: 1, Gen: five, Kill: five, Entries: []uint32{4, 5}},
	} {
		if _, err := s.BitFlow(t.Context(), f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
