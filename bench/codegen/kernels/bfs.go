package kernels

import "github.com/govyre/vyre/gpu"

// BFSLevel is one level of a breadth-first search: every node of the frontier marks those of its successors
// that were not visited before. Sets of nodes are bitmaps.
//
//vyre:kernel workgroup=256
func BFSLevel(t gpu.Thread, rows, arcs, frontier, visited, next []uint32) {
	v := t.Global().X
	if frontier[v/32]>>(v%32)&1 == 0 {
		return
	}
	end := rows[v+1]
	for j := rows[v]; j < end; j++ {
		w := arcs[j]
		bit := uint32(1) << (w % 32)
		if visited[w/32]&bit == 0 {
			gpu.AtomicOr(&next[w/32], bit)
		}
	}
}
