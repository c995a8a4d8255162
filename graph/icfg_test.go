package graph_test

import (
	"context"
	"testing"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/internal/testing/long"
)

// tabulation follows facts along paths on which every return goes to the call that was made (Reps, Horwitz and Sagiv,
// 1995). A path edge is a place with a fact that follows from a fact at the entry of its procedure.
type tabulation struct {
	g       *graph.CSR
	facts   uint32
	edges   map[edge]bool
	work    []edge
	callers map[uint32][]edge   // of an entry: entry of the caller's procedure, call
	exits   map[uint32][]uint32 // of an entry: the exits that follow
}

type edge struct{ entry, node uint32 }

func tabulate(g *graph.CSR, facts uint32) *tabulation {
	t := &tabulation{g: g, facts: facts, edges: map[edge]bool{}, callers: map[uint32][]edge{}, exits: map[uint32][]uint32{}}
	t.add(edge{0, 0})
	for len(t.work) > 0 {
		e := t.work[len(t.work)-1]
		t.work = t.work[:len(t.work)-1]
		t.follow(e)
	}
	return t
}

func (t *tabulation) add(e edge) {
	if !t.edges[e] {
		t.edges[e] = true
		t.work = append(t.work, e)
	}
}

func (t *tabulation) follow(e edge) {
	targets, masks := t.g.Row(e.node)
	leaves := false
	for i, v := range targets {
		switch masks[i] {
		case graph.KindCall:
			t.add(edge{v, v})
			t.callers[v] = append(t.callers[v], e)
			for _, exit := range t.exits[v] {
				t.back(exit, e)
			}
		case graph.KindCallReturn:
			leaves = true
		default:
			t.add(edge{e.entry, v})
		}
	}
	if leaves {
		t.exits[e.entry] = append(t.exits[e.entry], e.node)
		for _, call := range t.callers[e.entry] {
			t.back(e.node, call)
		}
	}
}

// back goes from an exit to the place after a call.
func (t *tabulation) back(exit uint32, call edge) {
	targets, _ := t.g.Row(exit)
	for _, v := range targets {
		if v/(t.facts+1) == call.node/(t.facts+1)+1 {
			t.add(edge{call.entry, v})
		}
	}
}

func (t *tabulation) pairs() int {
	nodes := map[uint32]bool{}
	for e := range t.edges {
		nodes[e.node] = true
	}
	return len(nodes)
}

// programs are known programs; inside and calls count arcs between places.
type program struct {
	name                              string
	facts                             uint32
	inside, calls, nodes              int
	reached, levels, pairs, pathEdges int
}

func TestKnownPrograms(t *testing.T) {
	for _, want := range []program{
		{"icfg:4,16,4", 4, 68, 9, 320, 136, 37, 136, 160},
		{"icfg:64,32,8", 8, 2281, 237, 18432, 6811, 81, 6604, 7224},
		{"icfg:1024,64,16", 16, 73919, 7897, 1114112, 318223, 214, 317586, 336551},
	} {
		t.Run(want.name, func(t *testing.T) {
			if want.nodes > 1<<20 {
				long.Only(t, "takes seconds")
			}
			g, err := generate.Graph(context.Background(), want.name, generate.Options{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			if err := g.Check(); err != nil {
				t.Fatal(err)
			}
			w := graphtest.Widths(search(t, g, []uint32{0}, graph.AllKinds))
			tab := tabulate(g, want.facts)
			got := program{name: want.name, facts: want.facts, nodes: g.Nodes(), reached: graphtest.Total(w), levels: len(w),
				pairs: tab.pairs(), pathEdges: len(tab.edges)}
			// Fact 0 goes along every arc between places.
			for u := 0; u < g.Nodes(); u += int(want.facts) + 1 {
				targets, masks := g.Row(uint32(u))
				for i, v := range targets {
					switch {
					case v%(want.facts+1) != 0:
					case masks[i] == graph.KindControl:
						got.inside++
					case masks[i] == graph.KindCall:
						got.calls++
					}
				}
			}
			if got != want {
				t.Errorf("\n got %+v\nwant %+v", got, want)
			}
		})
	}
}

// TestFactsAreSets looks for an arc that is there twice: a flow function is a relation.
func TestFactsAreSets(t *testing.T) {
	for seed := range uint64(20) {
		g, err := generate.Graph(context.Background(), "icfg:9,17,3", generate.Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		if d := graphtest.ShapeOf(g).Duplicates; d != 0 {
			t.Errorf("seed %d: %d arcs are there twice", seed, d)
		}
	}
}
