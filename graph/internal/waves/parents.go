package waves

import "github.com/govyre/vyre/gpu"

// Parents gives every node that has a level, and is no seed, the first of the nodes one level above from which an allowed arc
// leads to it. The arrays are those of the reverse graph, whose rows ascend, so that it is the smallest one.
//
//vyre:kernel workgroup=256 long=masks,sources
func Parents(t gpu.Thread, masked uint32, offsets, sources, masks, filter, level, parent []uint32) {
	v := t.Global().X
	if v >= uint32(len(parent)) {
		return
	}
	found, at := uint32(none), level[v]
	if at != none && at != 0 {
		kinds := filter[0]
		for k := offsets[v]; k < offsets[v+1] && found == none; k++ {
			u := sources[k]
			if level[u]+1 == at && level[u] != none && (masked == 0 && kinds&1 != 0 || masked != 0 && masks[k]&kinds != 0) {
				found = u
			}
		}
	}
	parent[v] = found
}
