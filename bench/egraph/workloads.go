package main

import (
	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/internal/testing/egraphs"
	"github.com/govyre/vyre/ir"
)

// workload makes a graph of n rows, the same each time.
type workload struct {
	name string
	n    int
	make func(n int) *egraph.Graph
}

// workloads are those of at most so many rows.
func workloads(most int) (all []workload) {
	all = []workload{{"W2 chain", min(most, 65_536), egraphs.Chain}, {"W3 hot", min(most, 1_000_000), egraphs.Hot}, {"W4 cold", min(most, 1_000_000), egraphs.Cold}}
	for n := min(most, 1_000); n <= min(most, 10_000_000); n *= 10 {
		all = append(all, workload{"W1 mixed", n, egraphs.Mixed})
	}
	return all
}

// links is the length of the chains that make rounds in which nearly nothing happens.
const links = 32

// chained is a graph with two chains besides, over leaves that a later union makes equal: a round a link.
func chained(g *egraph.Graph) (ends [2]egraph.Class) {
	f := g.Head(egraph.HeadInfo{Name: "link", Type: ir.U32})
	for i, name := range []string{"one end", "other end"} {
		ends[i] = g.Leaf(name, ir.U32)
		c := ends[i]
		for range links {
			c = g.Add(f, c)
		}
	}
	return ends
}
