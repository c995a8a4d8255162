package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/session"
)

// TestVerifyFindsDifferences: an answer with one wrong bit, count, level, parent or step is one that --verify refuses.
func TestVerifyFindsDifferences(t *testing.T) {
	// 0 → 1, 2; 1 → 3 by kind 2; 2 → 3; 3; 4 is not reached.
	g, err := graph.New(t.Context(), []uint32{0, 2, 3, 4, 4, 4}, []uint32{1, 2, 3, 3}, []uint32{1, 1, 2, 1})
	if err != nil {
		t.Fatal(err)
	}
	right := func() *answer {
		return &answer{g: g, searched: g, from: []uint32{0}, seeds: []uint32{0}, targets: []uint32{3}, kinds: 1, words: []uint64{0b1101 | 0b10}, count: 4,
			levels: []uint32{0, 1, 1, 2, graph.None}, parents: []uint32{graph.None, 0, 0, 2, graph.None},
			path: []session.Step{{Node: 0}, {Node: 2, Mask: 1}, {Node: 3, Mask: 1}}}
	}
	if err := (&reachCmd{}).verify(t.Context(), right()); err != nil {
		t.Fatalf("the right answer: %v", err)
	}
	for name, c := range map[string]struct {
		wrong func(a *answer)
		want  string
	}{
		"a node too many":       {func(a *answer) { a.words[0] |= 16 }, "nodes are reached"},
		"a node too few":        {func(a *answer) { a.words[0] &^= 2 }, "nodes are reached"},
		"a level":               {func(a *answer) { a.levels[3] = 3 }, "nodes are reached"},
		"a parent":              {func(a *answer) { a.parents[3] = 1 }, "the parent of node 3 is 1, on the host 2"},
		"no path":               {func(a *answer) { a.path = nil }, "a path of 0 nodes"},
		"an arc of other kinds": {func(a *answer) { a.path[1].Node, a.path[2].Mask = 1, 2 }, "step 2 of the path"},
		"a node between":        {func(a *answer) { a.path[1].Node = 3 }, "step 1 of the path"},
		"a count of many":       {func(a *answer) { a.each = []int{3} }, "from node 0 3 nodes are reached, on the host 4"},
	} {
		a := right()
		c.wrong(a)
		err := (&reachCmd{}).verify(t.Context(), a)
		if differs := (difference{}); !errors.As(err, &differs) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want a difference: %s", name, err, c.want)
		}
	}
}
