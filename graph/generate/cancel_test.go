package generate_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/internal/testing/underway"
)

// ofEachFamily are graphs with some 100,000 arcs.
var ofEachFamily = []string{"kron:12", "uniform:12", "grid:50000x1", "road:300x300", "chain:100000", "ladder:10x10000", "star:100000", "complete:300", "tree:100000,3",
	"icfg:64,64,16", "skew:65536"}

// TestMakingAGraphCanBeCancelled: whatever the family, the context is looked at once in some thousand arcs, and within as many of
// its end the work ends.
func TestMakingAGraphCanBeCancelled(t *testing.T) {
	_, unknown := generate.Parse("nothing:1")
	if n := strings.Count(fmt.Sprint(unknown), ","); n+1 < len(ofEachFamily) {
		t.Fatalf("%d families, and the table has %d: %v", n+1, len(ofEachFamily), unknown)
	}
	for _, name := range ofEachFamily {
		gen, err := generate.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		counting, cancel := underway.Counting()
		defer cancel()
		g, err := gen.Build(counting, generate.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		all := counting.Times()
		if most := 2 * g.Arcs() / 40_000; all < most {
			t.Errorf("%s: %d arcs, and %d looks at the context", name, g.Arcs(), all)
		}
		for _, at := range []int{1, all / 3, all / 2, all * 3 / 4} {
			ctx, cancel := underway.At(max(at, 1), 0)
			g, err := gen.Build(ctx, generate.Options{Seed: 1})
			cancel()
			if g != nil || !errors.Is(err, context.Canceled) {
				t.Errorf("%s, cancelled at look %d of %d: %v", name, at, all, err)
			}
			if more := ctx.Times() - at; more > 4*runtime.GOMAXPROCS(0)+8 {
				t.Errorf("%s, cancelled at look %d of %d: %d more looks", name, at, all, more)
			}
		}
	}
}
