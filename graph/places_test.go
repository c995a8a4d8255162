package graph_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/graph"
)

// TestPlacesAreWhatALookAtEveryPositionFinds, in random graphs whose files have folders and names in common.
func TestPlacesAreWhatALookAtEveryPositionFinds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	texts := []string{"", "a.go", "x:y.go:3", "C:/x/a.go:2:1", "a.go:0", "a.go:-1:2", ":4"}
	for range 300 {
		file := strings.Repeat("b/", rng.IntN(3)) + []string{"a.go", "ba.go", "b.go"}[rng.IntN(3)]
		texts = append(texts, graph.Position{File: file, Line: rng.IntN(9), Column: rng.IntN(4)}.String())
	}
	g, err := graph.New(t.Context(), make([]uint32, len(texts)+1), nil, nil)
	if err == nil {
		g, err = g.With(graph.Data{Positions: graph.NewStrings(texts)})
	}
	if err != nil {
		t.Fatal(err)
	}
	places, err := graph.NewPlaces(g)
	if err != nil {
		t.Fatal(err)
	}
	for _, ask := range append(texts, "b.go:5:3", "a.go:4", "b/a.go", "y.go:3", "x/a.go:2", "none.go:1") {
		at := graph.ParsePosition(ask)
		var want []uint32
		best, there := 1<<30, false
		for v, s := range texts {
			p := graph.ParsePosition(s)
			if at.File == "" || s == "" || p.File != at.File && !strings.HasSuffix(p.File, "/"+at.File) {
				continue
			}
			there = true
			away := 100*max(p.Line-at.Line, at.Line-p.Line) + max(p.Column-at.Column, at.Column-p.Column)
			best = min(best, away)
			if (at.Line == 0 || p.Line == at.Line) && (at.Column == 0 || p.Column == at.Column) {
				want = append(want, uint32(v))
			}
		}
		if got := places.At(at); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", ask, got, want)
		}
		p, ok := places.Nearest(at)
		away := 100*max(p.Line-at.Line, at.Line-p.Line) + max(p.Column-at.Column, at.Column-p.Column)
		if ok != there || ok && away != best {
			t.Errorf("%s: the nearest is %v, %v", ask, p, ok)
		}
	}
}

func ExamplePlaces() {
	fmt.Println(graph.ParsePosition("cmd/main.go:10:6").Line, graph.ParsePosition("cmd/main.go").Line)
	// Output: 10 0
}
