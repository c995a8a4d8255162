package graph_test

import (
	"context"
	"encoding/hex"
	"slices"

	"github.com/govyre/vyre/graph"
)

func short(d [32]byte) string { return hex.EncodeToString(d[:8]) }

// widths counts the nodes of each level.
func widths(levels []uint32) []int {
	var w []int
	for _, l := range levels {
		if l == graph.None {
			continue
		}
		for int(l) >= len(w) {
			w = append(w, 0)
		}
		w[l]++
	}
	return w
}

func total(w []int) (n int) {
	for _, c := range w {
		n += c
	}
	return n
}

// shape is what the rows say without a search.
type shape struct{ selfLoops, duplicates, sinks, maxDegree int }

func shapeOf(g *graph.CSR) (s shape) {
	for u := range uint32(g.Nodes()) {
		row, _ := g.Row(u)
		s.maxDegree = max(s.maxDegree, len(row))
		if len(row) == 0 {
			s.sinks++
		}
		for i, v := range row {
			if v == u {
				s.selfLoops++
			}
			if i > 0 && row[i-1] == v {
				s.duplicates++
			}
		}
	}
	return s
}

// allowed yields the arcs that a filter allows.
func allowed(g *graph.CSR, filter uint32, yield func(u, v uint32)) {
	for u := range uint32(g.Nodes()) {
		targets, masks := g.Row(u)
		for i, v := range targets {
			if masks == nil && filter&1 != 0 || masks != nil && masks[i]&filter != 0 {
				yield(u, v)
			}
		}
	}
}

// parts returns how many components there are of which nodes have these labels, and the size of the largest.
func parts(labels []uint32) (count, largest int) {
	size := make([]int, len(labels))
	for _, label := range labels {
		size[label]++
	}
	for _, s := range size {
		if s > 0 {
			count++
		}
		largest = max(largest, s)
	}
	return count, largest
}

// weak returns the smallest node of the weak component of each node, by union and find.
func weak(g *graph.CSR, filter uint32) []uint32 {
	parent := make([]uint32, g.Nodes())
	for i := range parent {
		parent[i] = uint32(i)
	}
	find := func(u uint32) uint32 {
		for parent[u] != u {
			parent[u] = parent[parent[u]]
			u = parent[u]
		}
		return u
	}
	allowed(g, filter, func(u, v uint32) {
		a, b := find(u), find(v)
		parent[max(a, b)] = min(a, b)
	})
	for u := range parent {
		parent[u] = find(uint32(u))
	}
	return parent
}

// strong does the same for strong components (Tarjan, "Depth-first search and linear graph algorithms", 1972), with a
// stack of its own.
func strong(g *graph.CSR, filter uint32) []uint32 {
	n := g.Nodes()
	labels := make([]uint32, n)
	index, low, next := make([]uint32, n), make([]uint32, n), make([]int, n)
	open := make([]bool, n)
	var path, stack []uint32
	seen := uint32(0)
	enter := func(u uint32) {
		seen++
		index[u], low[u], open[u] = seen, seen, true
		path, stack = append(path, u), append(stack, u)
	}
	leave := func(u uint32) {
		path = path[:len(path)-1]
		if len(path) > 0 {
			low[path[len(path)-1]] = min(low[path[len(path)-1]], low[u])
		}
		if low[u] != index[u] {
			return
		}
		at := len(stack) - 1
		for stack[at] != u {
			at--
		}
		least := slices.Min(stack[at:])
		for _, v := range stack[at:] {
			open[v], labels[v] = false, least
		}
		stack = stack[:at]
	}
	for root := range uint32(n) {
		if index[root] == 0 {
			enter(root)
		}
		for len(path) > 0 {
			u := path[len(path)-1]
			targets, masks := g.Row(u)
			i := next[u]
			if i == len(targets) {
				leave(u)
				continue
			}
			next[u]++
			switch v := targets[i]; {
			case masks == nil && filter&1 == 0 || masks != nil && masks[i]&filter == 0:
			case index[v] == 0:
				enter(v)
			case open[v]:
				low[u] = min(low[u], index[v])
			}
		}
	}
	return labels
}

// reversed turns every allowed arc round.
func reversed(g *graph.CSR, filter uint32) *graph.CSR {
	offsets := make([]uint32, g.Nodes()+1)
	allowed(g, filter, func(_, v uint32) { offsets[v+1]++ })
	for u := range g.Nodes() {
		offsets[u+1] += offsets[u]
	}
	targets, at := make([]uint32, offsets[g.Nodes()]), slices.Clone(offsets)
	allowed(g, filter, func(u, v uint32) {
		targets[at[v]] = u
		at[v]++
	})
	r, err := graph.New(context.Background(), offsets, targets, nil)
	if err != nil {
		panic(err)
	}
	return r
}
