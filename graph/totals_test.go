package graph_test

import (
	"testing"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/megakernel"
)

// TestTotalsAreTheSumsOfAnswers: of every engine, and of a graph in parts; what is refused adds nothing.
func TestTotalsAreTheSumsOfAnswers(t *testing.T) {
	inParts := graph.SessionOptions{Engine: graph.WavesEngine, Parts: true}
	inParts.SetPartArcs(100)
	for name, o := range map[string]graph.SessionOptions{
		"native":    {},
		"host loop": {Topology: megakernel.HostLoop},
		"parts":     inParts,
	} {
		t.Run(name, func(t *testing.T) {
			g := randomGraph(t, 3, 200, true)
			s, err := graph.NewSession(t.Context(), openDevice(t, "cpu"), g, o)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if got := s.Totals(); got != (graph.Totals{Bytes: s.Bytes()}) {
				t.Errorf("before anything was asked: %+v", got)
			}
			var want graph.Totals
			add := func(r graph.Run) {
				want.Runs++
				want.Rounds += uint64(r.Record.Rounds)
				want.Wall += r.Result.Wall
				want.Streamed += r.Streamed
			}
			for _, seed := range []uint32{1, 7, 150} {
				r, err := s.Reach(t.Context(), graph.Query{Seeds: []uint32{seed}})
				if err != nil {
					t.Fatal(err)
				}
				add(r.Run)
			}
			if _, err := s.Reach(t.Context(), graph.Query{Seeds: []uint32{200}}); err == nil {
				t.Error("a seed that is no node was searched from")
			}
			c, err := s.Components(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			add(c.Run)
			got := s.Totals()
			if got.Runs != want.Runs || got.Rounds != want.Rounds || got.Wall != want.Wall || got.Streamed != want.Streamed || got.Bytes != s.Bytes() {
				t.Errorf("totals are %+v, the answers sum to %+v", got, want)
			}
			if got.Wall <= 0 || got.Link > got.Wall || (got.Streamed > 0) != (name == "parts") {
				t.Errorf("totals are %+v", got)
			}
		})
	}
}
