package graph_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/graph/internal/graphtest"
)

// TestParallelBuildsAreOneGraph: however many cores place arcs, and with few or many portions.
func TestParallelBuildsAreOneGraph(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, name := range []string{"kron:10", "uniform:10", "grid:200x100", "road:300x100", "icfg:40,16,9", "skew:8192", "ladder:3000x7", "tree:20000,3", "road:1x20000", "kron:0"} {
		runtime.GOMAXPROCS(1)
		one, err := generate.Graph(context.Background(), name, generate.Options{Seed: 9})
		if err != nil {
			t.Fatal(err)
		}
		for _, cores := range []int{2, 5} {
			runtime.GOMAXPROCS(cores)
			many, err := generate.Graph(context.Background(), name, generate.Options{Seed: 9})
			if err != nil {
				t.Fatal(err)
			}
			if err := many.Check(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if graphtest.Must(many.Digest(t.Context())) != graphtest.Must(one.Digest(t.Context())) || graphtest.Must(many.Symmetric(t.Context())) != graphtest.Must(one.Symmetric(t.Context())) {
				t.Errorf("%s: another graph on %d cores", name, cores)
			}
		}
	}
}
