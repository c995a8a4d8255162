package graph_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/govyre/vyre/graph"
)

// Arcs between numbers that are no nodes are refused, however many portions see one, and the function may be used again.
func TestFromFuncRefusesWhatIsNoNode(t *testing.T) {
	const n = 1 << 15 // enough for several portions
	star := func(bad bool) func(graph.Portion, graph.Emit) {
		return func(part graph.Portion, emit graph.Emit) {
			for v, last := part.Of(n); v < last; v++ {
				to := uint32(v)
				if bad && v%1000 == 999 {
					to = n
				}
				emit(0, to, 1)
			}
		}
	}
	for _, bad := range []bool{true, false, true} {
		g, err := graph.FromFunc(context.Background(), n, n, false, star(bad))
		switch {
		case bad && (err == nil || !strings.Contains(err.Error(), "arc 0 → 32768: there are 32768 nodes")):
			t.Error(err)
		case !bad && (err != nil || g.Arcs() != n):
			t.Error(g, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := graph.FromFunc(ctx, n, n, false, star(false)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
