package session

import (
	"context"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/cpu"
)

// hostCosts are what a search takes on the host's cores, by the size of the graph: the next greater one that was measured counts.
type hostCosts struct {
	start float64 // nanoseconds of a search that finds nothing
	sizes []hostCost
}

// hostCost is what a node and an arc take at most in a graph of so many nodes and measuredDegree arcs each, in nanoseconds.
type hostCost struct {
	nodes     int
	node, arc float64
}

const measuredDegree = 8

// search returns what a search of a whole graph takes at most, in nanoseconds, unless it is larger than what was measured.
func (c *hostCosts) search(nodes, arcs int) (ns float64, known bool) {
	for _, m := range c.sizes {
		if nodes <= m.nodes && arcs <= measuredDegree*m.nodes {
			return c.start + float64(nodes)*m.node + float64(arcs)*m.arc, true
		}
	}
	return 0, false
}

// measuredHost are the costs of this host, measured when they are first asked for, which takes some 100 ms.
var measuredHost = sync.OnceValue(func() *hostCosts {
	c := &hostCosts{start: searchTime(cpu.Graph{Offsets: []uint32{0, 0}})}
	for _, n := range []int{1 << 10, 1 << 13, 1 << 16} {
		r := rand.New(rand.NewPCG(1, uint64(n)))
		// Nothing takes longer for each node than one at a time, each wherever in memory; nor for each arc than to anywhere.
		node := (searchTime(scatteredHost(r, n)) - c.start) / float64(n)
		arc := (searchTime(uniformHost(r, n)) - c.start) / float64(measuredDegree*n)
		c.sizes = append(c.sizes, hostCost{n, max(node, 0), max(arc, 0)})
	}
	return c
})

// scatteredHost has node 0 at its beginning.
func scatteredHost(r *rand.Rand, n int) cpu.Graph {
	order := r.Perm(n)
	at := slices.Index(order, 0)
	order[0], order[at] = order[at], order[0]
	g := cpu.Graph{Offsets: make([]uint32, n+1), Targets: make([]uint32, 0, n)}
	next := make([]uint32, n)
	for k := range n - 1 {
		next[order[k]] = uint32(order[k+1])
	}
	for v := range n {
		if v != order[n-1] {
			g.Targets = append(g.Targets, next[v])
		}
		g.Offsets[v+1] = uint32(len(g.Targets))
	}
	return g
}

func uniformHost(r *rand.Rand, n int) cpu.Graph {
	g := cpu.Graph{Offsets: make([]uint32, n+1), Targets: make([]uint32, measuredDegree*n)}
	for v := range n {
		g.Offsets[v+1] = uint32(measuredDegree * (v + 1))
	}
	for k := range g.Targets {
		g.Targets[k] = uint32(r.IntN(n))
	}
	return g
}

// searchTime is the middle time of a search from node 0 to its set, in nanoseconds, after one that is not timed.
func searchTime(g cpu.Graph) float64 {
	e := cpu.New(g, cpu.Graph{}, cpu.Options{})
	var times []time.Duration
	for range 6 {
		began := time.Now()
		level := make([]uint32, len(g.Offsets)-1)
		if _, err := e.Levels(context.Background(), []uint32{0}, graph.AllKinds, level); err != nil {
			panic("BUG: a measured search: " + err.Error())
		}
		reachedWords(level, make([]uint32, (len(level)+31)/32))
		times = append(times, time.Since(began))
	}
	times = times[1:]
	slices.Sort(times)
	return float64(times[len(times)/2])
}

// reachedWords makes a set of the nodes that have a level, and counts them. What a level is cannot be guessed, so nothing is
// decided by it.
func reachedWords(level, words []uint32) (count int) {
	for w := range words {
		set := uint32(0)
		for b, l := range level[32*w : min(32*w+32, len(level))] {
			set |= uint32((uint64(l)+1)>>32^1) << b // 0 for graph.None
		}
		words[w] = set
		count += bits.OnesCount32(set)
	}
	return count
}
