package waves

import "github.com/govyre/vyre/gpu"

// A graph that is in parts: each has the rows of some nodes, from a multiple of 32 on, and offsets of all, so that other rows are
// empty and the waves of searches do not know of parts. Words of a visit: the nodes of the part, in words of 32, and the level
// that those get from which the visit goes on.
const (
	VisitFirst = 0
	VisitLast  = 1
	VisitLevel = 2
	VisitWords = 3
)

// Window makes the offsets of a part from those of the graph.
//
//vyre:kernel workgroup=256 types=O:uint32|uint64
func Window[O uint32 | uint64](t gpu.Thread, visit []uint32, starts []O, offsets []uint32) {
	v := t.Global().X
	if v >= uint32(len(offsets)) {
		return
	}
	nodes := uint32(len(offsets)) - 1
	first, last := starts[visit[VisitFirst]*32], starts[min(uint64(visit[VisitLast])*32, uint64(nodes))]
	offsets[v] = uint32(max(min(starts[v], last), first) - first)
}

// OpenPart takes what is reached in a part, and was not gone on from, for the front, and for done.
//
//vyre:kernel workgroup=256
func OpenPart(t gpu.Thread, visit, reached, done, front, lengths []uint32) {
	i := t.Global().X
	if i < 3 {
		lengths[i] = 0
	}
	if w := visit[VisitFirst] + i; w < visit[VisitLast] {
		front[w] = reached[w] &^ done[w]
		done[w] |= reached[w]
	}
}

// LevelPart gives the nodes of the front in a part their level.
//
//vyre:kernel workgroup=256
func LevelPart(t gpu.Thread, visit, front, level []uint32) {
	w, lane := visit[VisitFirst]+t.Global().X/32, t.Global().X%32
	if w < visit[VisitLast] && front[w]>>lane&1 != 0 {
		level[32*w+lane] = visit[VisitLevel]
	}
}

// ListPart lists the nodes of the front in a part. A warp takes a word at a time.
//
//vyre:kernel workgroup=256
func ListPart(t gpu.Thread, visit, front, list, lengths []uint32) {
	for w := visit[VisitFirst] + t.Group().X*8 + t.Warp(); w < visit[VisitLast]; w += t.Groups().X * 8 {
		nodes, at := front[w], uint32(0)
		if t.Lane() == 0 && nodes != 0 {
			at = gpu.AtomicAdd(&lengths[0], ones(nodes))
		}
		at = gpu.Shuffle(t, at, 0)
		put(t, list, at, nodes>>t.Lane()&1 != 0, nodes, 32*w+t.Lane())
	}
}

// CountParts adds up for each part how many nodes are reached, and were not gone on from. Part p has the words of 32 nodes from
// cuts[p] up to cuts[p+1].
//
//vyre:kernel workgroup=256
func CountParts(t gpu.Thread, cuts, reached, done, counts []uint32) {
	w := t.Global().X
	if w >= uint32(len(reached)) {
		return
	}
	if n := ones(reached[w] &^ done[w]); n != 0 {
		low, high := uint32(0), uint32(len(counts))
		for low+1 < high {
			middle := (low + high) / 2
			if cuts[middle] <= w {
				low = middle
			} else {
				high = middle
			}
		}
		gpu.AtomicAdd(&counts[low], n)
	}
}

// OwnLabels begins with every node in a component of its own.
//
//vyre:kernel workgroup=256
func OwnLabels(t gpu.Thread, parent []uint32) {
	if v := t.Global().X; v < uint32(len(parent)) {
		parent[v] = v
	}
}
