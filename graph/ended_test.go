package graph_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/megakernel"
)

// TestAnalysesGoOnAfterAContextEnds wherever that was.
func TestAnalysesGoOnAfterAContextEnds(t *testing.T) {
	g := generated(t, "grid:64x64")
	for _, topology := range []megakernel.Topology{megakernel.Auto, megakernel.HostLoop} {
		s, err := graph.NewSession(t.Context(), openDevice(t, "cpu"), g, graph.SessionOptions{Engine: graph.WavesEngine, Topology: topology})
		if err != nil {
			t.Fatal(err)
		}
		ended := 0
		for after := time.Microsecond; after < 10*time.Millisecond; after *= 2 {
			ctx, cancel := context.WithTimeout(t.Context(), after)
			_, err := s.TopologicalLevels(ctx, 0)
			cancel()
			if errors.Is(err, context.DeadlineExceeded) {
				ended++
				_, err = s.TopologicalLevels(t.Context(), 0)
			}
			if err != nil {
				t.Fatalf("%v, after %v: %v", topology, after, err)
			}
		}
		if ended == 0 {
			t.Errorf("%v: no context ended in time", topology)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
