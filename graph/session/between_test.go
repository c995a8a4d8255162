package session_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/testing/long"
)

// TestBetweenIsWhatLiesOnWays: a node is there if a seed reaches it alone, and it alone reaches a target.
func TestBetweenIsWhatLiesOnWays(t *testing.T) {
	dev := graphtest.OpenDevice(t, "cpu")
	some := false
	seeds := func(yield func(uint64) bool) {
		for seed := range uint64(6) { // which show something; a share of a sweep may not
			if !yield(seed) {
				return
			}
		}
		for seed := range long.Seeds(t, 0, 20, 600) {
			if !yield(seed) {
				return
			}
		}
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 4))
		g := graphtest.RandomGraph(t, seed, 33+int(seed%60), seed%2 == 0)
		q := session.Query{Seeds: append(graphtest.SomeNodes(r, g, 2), r.Uint32N(uint32(g.Nodes()))), Kinds: []uint32{16, 0, 6}[seed%3], Count: seed%4 == 0}
		targets := append(graphtest.SomeNodes(r, g, 2), r.Uint32N(uint32(g.Nodes())))
		if seed%60 == 1 {
			targets = nil
		}
		var want []uint32
		for v := range uint32(g.Nodes()) {
			from, err := graph.Levels(t.Context(), g, q.Seeds, settled(q.Kinds))
			if err != nil {
				t.Fatal(err)
			}
			to, err := graph.Levels(t.Context(), g, []uint32{v}, settled(q.Kinds))
			if err != nil {
				t.Fatal(err)
			}
			if from[v] != graph.None && slices.ContainsFunc(targets, func(w uint32) bool { return to[w] != graph.None }) {
				want = append(want, v)
			}
		}
		some = some || len(want) > 0 && len(want) < g.Nodes()
		for _, engine := range []session.Engine{session.NativeEngine, session.WavesEngine} {
			before := dev.Stats().Get(metric.LiveBytes)
			got, err := session.Between(t.Context(), dev, g, q, targets, session.Options{Engine: engine})
			if err != nil {
				t.Fatal(err)
			}
			if nodes := slices.Collect(got.Nodes()); !slices.Equal(nodes, want) || got.Count() != len(want) {
				t.Errorf("seed %d, %v: %d of %v, want %v", seed, engine, got.Count(), nodes, want)
			}
			if live := dev.Stats().Get(metric.LiveBytes); live != before {
				t.Errorf("seed %d, %v: %d bytes live, %d before", seed, engine, live, before)
			}
		}
	}
	if !some {
		t.Error("between was always all or nothing: the test shows nothing")
	}
	g := graphtest.Generated(t, "chain:5")
	if _, err := session.Between(t.Context(), dev, g, session.Query{Seeds: []uint32{0}}, []uint32{5}, session.Options{}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("node %d, the graph has 5", 5)) {
		t.Errorf("a target that is no node: %v", err)
	}
}
