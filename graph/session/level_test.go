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

// TestSessionLevelsAreThoseOfASearch, between batches, of graphs that turn the direction and of others.
func TestSessionLevelsAreThoseOfASearch(t *testing.T) {
	for _, device := range devices() {
		for i, name := range []string{"random", "random with masks", "kron:7", "grid:9x7", "skew:64"} {
			g := graphtest.RandomGraph(t, 4, long.Count(80, 300, 300), name != "random")
			if !strings.HasPrefix(name, "random") {
				g = graphtest.Generated(t, name)
			}
			for k, topology := range checkedTopologies() {
				if topology != megakernel.Auto && (i != 1 || device == "cuda-sim") || device == "cuda-sim" && i > 1 {
					continue // what is simulated takes a hundred times as long, and megakernel has run them all
				}
				t.Run(fmt.Sprintf("%s/%s/%v", device, name, topology), func(t *testing.T) {
					t.Parallel()
					dev := checked(t, device, cpu.Seeded(uint64(k)))
					before := dev.Stats().Get(metric.LiveBytes)
					s, err := session.New(t.Context(), dev, g, session.Options{Engine: session.WavesEngine, Queries: 2, Levels: true, Topology: topology})
					if err != nil {
						t.Fatal(err)
					}
					const room = 64 << 10 // for control words
					if live, peak := dev.Stats().Get(metric.LiveBytes)-before, s.Memory().PeakBytes; live > peak || live+room < peak {
						t.Errorf("%d bytes live, planned %d", live, peak)
					}
					s.OnRun(func(r driver.Result) {
						for _, f := range r.Reports {
							t.Errorf("%s: %s", f.Kernel, f.Text)
						}
					})
					for _, q := range randomQueries(uint64(i), 3, g.Nodes()) {
						kinds := q.Kinds
						if kinds == 0 {
							kinds = graph.AllKinds
						}
						want, err := graph.Levels(t.Context(), g, q.Seeds, kinds)
						if err != nil {
							t.Fatal(err)
						}
						got, err := s.Levels(t.Context(), q)
						if err != nil || !slices.Equal(got, want) {
							t.Errorf("%+v: %v, %v, want %v", q, got, err, want)
						}
						r, err := s.Reach(t.Context(), q)
						if err != nil {
							t.Fatal(err)
						}
						matches(t, g, q, r)
					}
					if err := s.Close(); err != nil || dev.Stats().Get(metric.LiveBytes) != before {
						t.Errorf("%v, %d bytes live, %d before", err, dev.Stats().Get(metric.LiveBytes), before)
					}
				})
			}
		}
	}
}

func TestLevelsAreRefused(t *testing.T) {
	dev := graphtest.OpenDevice(t, "cpu")
	g := graphtest.Generated(t, "chain:50")
	without, err := session.New(t.Context(), dev, g, session.Options{Engine: session.WavesEngine})
	if err != nil {
		t.Fatal(err)
	}
	defer without.Close()
	if _, err := without.Levels(t.Context(), session.Query{}); err == nil || !strings.Contains(err.Error(), "open it with session.Options.Levels") {
		t.Errorf("%v", err)
	}
	s, err := session.New(t.Context(), dev, g, session.Options{Engine: session.WavesEngine, Levels: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Levels(t.Context(), session.Query{Seeds: []uint32{50}}); err == nil || !strings.Contains(err.Error(), "seed 0 is node 50") {
		t.Errorf("%v", err)
	}
	s.Close()
	if _, err := s.Levels(t.Context(), session.Query{}); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("%v", err)
	}
}

// TestTheReverseOfTheReverse is the graph itself, and has the arcs the other way round once.
func TestTheReverseOfTheReverse(t *testing.T) {
	for _, masks := range []bool{false, true} {
		g := graphtest.RandomGraph(t, 8, 60, masks)
		r := graphtest.Must(g.Reverse(t.Context()))
		if err := graphtest.Check(r); err != nil {
			t.Fatal(err)
		}
		if graphtest.Must(graphtest.Must(r.Reverse(t.Context())).Digest(t.Context())) != graphtest.Must(g.Digest(t.Context())) || graphtest.Must(r.Digest(t.Context())) == graphtest.Must(g.Digest(t.Context())) || r.Arcs() != g.Arcs() {
			t.Errorf("%d arcs, reversed %d", g.Arcs(), r.Arcs())
		}
		for u := range uint32(60) {
			targets, kinds := g.Row(u)
			for k, v := range targets {
				back, backKinds := r.Row(v)
				if at, found := slices.BinarySearch(back, u); !found || masks && backKinds[at] != kinds[k] {
					t.Errorf("arc %d → %d is missing", u, v)
				}
			}
		}
	}
	if n := graphtest.Must(new(graph.CSR).Reverse(t.Context())).Nodes(); n != 0 {
		t.Errorf("the reverse of nothing has %d nodes", n)
	}
}
