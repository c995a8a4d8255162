package main

import (
	"math/rand/v2"
	"slices"
)

// randomGraph returns n nodes with up to four arcs each, in CSR form.
func randomGraph(n uint32) (offsets, arcs []uint32) {
	rng := rand.New(rand.NewPCG(5, 6))
	offsets = append(offsets, 0)
	for range n {
		for range rng.IntN(5) {
			arcs = append(arcs, rng.Uint32N(n))
		}
		offsets = append(offsets, uint32(len(arcs)))
	}
	return offsets, arcs
}

// search is a breadth-first search from node 0 as books have it.
func search(offsets, arcs []uint32) []uint32 {
	depth := slices.Repeat([]uint32{unreached}, len(offsets)-1)
	depth[0] = 0
	for queue := []uint32{0}; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		for _, w := range arcs[offsets[v]:offsets[v+1]] {
			if depth[w] == unreached {
				depth[w] = depth[v] + 1
				queue = append(queue, w)
			}
		}
	}
	return depth
}
