package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/session"
)

// verify searches again, on one core of the host.
func (c *reachCmd) verify(ctx context.Context, a *answer) error {
	for i, count := range a.each {
		levels, err := graph.Levels(ctx, a.searched, a.from[i:i+1], a.kinds)
		if err != nil {
			return err
		}
		if want := countOf(graph.Bitset(levels)); want != count {
			return difference{fmt.Errorf("from node %d %d nodes are reached, on the host %d", a.from[i], count, want)}
		}
	}
	if a.each != nil {
		return nil
	}
	levels, err := graph.Levels(ctx, a.searched, a.from, a.kinds)
	if err != nil {
		return err
	}
	if c.Between {
		reverse, err := a.searched.Reverse(ctx)
		if err != nil {
			return err
		}
		to, err := graph.Levels(ctx, reverse, a.targets, a.kinds)
		if err != nil {
			return err
		}
		for v := range levels {
			if to[v] == graph.None {
				levels[v] = graph.None
			}
		}
	}
	if c.bounded() {
		if err := a.verifyNear(levels, c.arcs()); err != nil {
			return err
		}
	}
	if want := graph.Bitset(levels); !slices.Equal(want, a.words) || a.levels != nil && !slices.Equal(levels, a.levels) {
		return difference{fmt.Errorf("%d nodes are reached, on the host %d", a.count, countOf(want))}
	}
	if err := a.verifyParents(levels); err != nil {
		return err
	}
	if c.Between || c.bounded() {
		return nil // a set has no path
	}
	return a.verifyPath(levels, c.Back)
}

// verifyNear leaves the levels of nodes that are near, and compares the kinds of arcs by which each is reached.
func (a *answer) verifyNear(levels []uint32, arcs uint32) error {
	kinds := make(map[uint32]uint32, len(a.near))
	for u, at := range levels {
		if at == graph.None || at >= arcs {
			continue
		}
		targets, masks := a.searched.Row(uint32(u))
		for k, v := range targets {
			mask := uint32(1)
			if masks != nil {
				mask = masks[k]
			}
			if levels[v] == at+1 && mask&a.kinds != 0 {
				kinds[v] |= mask
			}
		}
	}
	for v, at := range levels {
		if at > arcs {
			levels[v] = graph.None
		}
	}
	for _, n := range a.near {
		if n.Kinds != kinds[n.Node] {
			return difference{fmt.Errorf("node %d is reached by arcs of kinds %#x, on the host of %#x", n.Node, n.Kinds, kinds[n.Node])}
		}
	}
	return nil
}

// verifyParents looks for the node before each, if they were asked for: the smallest one a level above it with an arc to it.
func (a *answer) verifyParents(levels []uint32) error {
	if a.parents == nil {
		return nil
	}
	want := slices.Repeat([]uint32{graph.None}, len(levels)) // of seeds, too
	for u := range uint32(len(levels)) {
		targets, _ := a.searched.Row(u)
		for i, v := range targets {
			if levels[u] != graph.None && levels[v] == levels[u]+1 && want[v] == graph.None && a.allowed(u, i) {
				want[v] = u
			}
		}
	}
	for v := range want {
		if want[v] != a.parents[v] {
			return difference{fmt.Errorf("the parent of node %d is %d, on the host %d", v, a.parents[v], want[v])}
		}
	}
	return nil
}

// verifyPath goes along the path: it has an arc for every level down to the nearest target.
func (a *answer) verifyPath(levels []uint32, back bool) error {
	nearest := uint32(graph.None)
	for _, v := range a.targets {
		nearest = min(nearest, levels[v])
	}
	path := a.path
	if back {
		path = turned(path)
	}
	if nearest == graph.None && len(path) == 0 {
		return nil
	}
	if uint64(len(path)) != uint64(nearest)+1 {
		return difference{fmt.Errorf("a path of %d nodes, on the host the nearest target has level %d", len(path), nearest)}
	}
	for i, step := range path {
		if levels[step.Node] != uint32(i) || i > 0 && !a.leads(path[i-1].Node, step) {
			return difference{fmt.Errorf("step %d of the path, node %d with kinds %#x, is no arc between levels on the host", i, step.Node, step.Mask)}
		}
	}
	return nil
}

// leads reports whether an allowed arc with the step's kinds goes from a node to the step's.
func (a *answer) leads(from uint32, step session.Step) bool {
	targets, masks := a.searched.Row(from)
	for i, v := range targets {
		if v == step.Node && a.allowed(from, i) && (masks == nil && step.Mask == 1 || masks != nil && masks[i] == step.Mask) {
			return true
		}
	}
	return false
}

// allowed reports whether arc i of a node's row has a kind that was asked for.
func (a *answer) allowed(u uint32, i int) bool {
	_, masks := a.searched.Row(u)
	return masks == nil && a.kinds&1 != 0 || masks != nil && masks[i]&a.kinds != 0
}
