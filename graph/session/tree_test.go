package session_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/megakernel"
)

// smallest are the parents by looking at every arc: the smallest node one level above.
func smallest(g *graph.CSR, levels []uint32, kinds uint32) []uint32 {
	parents := make([]uint32, g.Nodes())
	for v := range parents {
		parents[v] = graph.None
	}
	for u := range uint32(g.Nodes()) {
		targets, masks := g.Row(u)
		for k, v := range targets {
			allowed := masks == nil && kinds&1 != 0 || masks != nil && masks[k]&kinds != 0
			if allowed && levels[u] != graph.None && levels[v] == levels[u]+1 {
				parents[v] = min(parents[v], u)
			}
		}
	}
	return parents
}

// TestTreesHaveTheSmallestParents, of both engines, between other searches, and their paths are those of Path.
func TestTreesHaveTheSmallestParents(t *testing.T) {
	for _, device := range devices() {
		for i, name := range []string{"random with masks", "random", "kron:7", "grid:9x7", "star:50"} {
			g := graphtest.RandomGraph(t, 4, long.Count(60, 300, 300), name != "random")
			if !strings.HasPrefix(name, "random") {
				g = graphtest.Generated(t, name)
			}
			for k, topology := range []megakernel.Topology{megakernel.Auto, megakernel.HostLoop, megakernel.Cooperative} {
				if k > 0 && i > 0 || device == "cuda-sim" && i > 0 {
					continue
				}
				for _, engine := range []session.Engine{session.WavesEngine, session.AutoEngine} {
					if engine == session.AutoEngine && (device != "cpu" || k > 0) {
						continue
					}
					t.Run(fmt.Sprintf("%s/%s/%v/%v", device, name, topology, engine), func(t *testing.T) {
						t.Parallel()
						dev := checked(t, device, cpu.Seeded(uint64(k)))
						before := dev.Stats().Get(metric.LiveBytes)
						s, err := session.New(t.Context(), dev, g, session.Options{Engine: engine, Queries: 2, Levels: true, Topology: topology})
						if err != nil {
							t.Fatal(err)
						}
						s.OnRun(func(r driver.Result) {
							for _, f := range r.Reports {
								t.Errorf("%s: %s", f.Kernel, f.Text)
							}
						})
						for n, q := range randomQueries(uint64(i), 3, g.Nodes()) {
							checkTree(t, s, g, q, device == "cpu" && n == 0)
						}
						if err := s.Close(); err != nil || dev.Stats().Get(metric.LiveBytes) != before {
							t.Errorf("%v, %d bytes live, %d before", err, dev.Stats().Get(metric.LiveBytes), before)
						}
						if _, err := s.Tree(t.Context(), session.Query{}); err == nil || !strings.Contains(err.Error(), "closed") {
							t.Error(err)
						}
					})
				}
			}
		}
	}
}

func checkTree(t *testing.T, s *session.Session, g *graph.CSR, q session.Query, paths bool) {
	t.Helper()
	kinds := q.Kinds
	if kinds == 0 {
		kinds = graph.AllKinds
	}
	levels, err := graph.Levels(t.Context(), g, q.Seeds, kinds)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := s.Tree(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if want := smallest(g, levels, kinds); !slices.Equal(tree.Levels(), levels) || !slices.Equal(tree.Parents(), want) {
		t.Errorf("%+v: levels %v, parents %v, want %v and %v", q, tree.Levels(), tree.Parents(), levels, want)
	}
	if tree.Run.Engine != s.Engine() {
		t.Errorf("engine %v, want %v", tree.Run.Engine, s.Engine())
	}
	if nowhere := uint32(g.Nodes()); graphtest.Must(tree.Path(nowhere)) != nil {
		t.Errorf("a path to %d: %v", nowhere, graphtest.Must(tree.Path(nowhere)))
	}
	for v := uint32(0); paths && int(v) < g.Nodes(); v += 16 { // each is a search
		path := graphtest.Must(s.Path(t.Context(), q, []uint32{v}))
		if !slices.Equal(path.Steps, graphtest.Must(tree.Path(v))) {
			t.Errorf("%+v to %d: %v, want %v", q, v, graphtest.Must(tree.Path(v)), path.Steps)
		}
		if path.Run.Engine != tree.Run.Engine || path.Run.Record.Rounds != tree.Run.Record.Rounds || !slices.Equal(path.Levels(), tree.Levels()) {
			t.Errorf("%+v to %d: the engine %v, %d levels; of the tree %v, %d", q, v, path.Run.Engine, path.Run.Record.Rounds, tree.Run.Engine, tree.Run.Record.Rounds)
		}
	}
}
