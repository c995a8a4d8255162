package main

import "github.com/govyre/vyre/gpu"

// Expand takes one step of a breadth-first search over a graph in CSR form: the arcs of node v
// lead to arcs[offsets[v]:offsets[v+1]]. Nodes whose depth is level give level+1 to their
// neighbours that are not reached, whose depth is 0xFFFFFFFF, and found counts those.
//
//vyre:kernel workgroup=128
func Expand(t gpu.Thread, level uint32, offsets, arcs, depth, found []uint32) {
	v := t.Global().X
	if v >= uint32(len(depth)) || gpu.AtomicLoad(&depth[v]) != level {
		return
	}
	for k := offsets[v]; k < offsets[v+1]; k++ {
		// Several arcs may lead to one node. The exchange lets exactly one of them find it.
		if gpu.AtomicCompareExchange(&depth[arcs[k]], ^uint32(0), level+1) == ^uint32(0) {
			gpu.AtomicAdd(&found[0], 1)
		}
	}
}
