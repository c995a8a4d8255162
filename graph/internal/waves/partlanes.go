package waves

import "github.com/govyre/vyre/gpu"

// Lanes of a graph in parts. A visit lists whatever gets something, wherever it is; what is outside of the part has no arcs there,
// and waits for a visit of its own.

// CloseLanes takes what a visit listed out of its queue: nodes of the part have been gone on from, those of others have to be once
// more. Where no part is visited, that is all of them. A warp takes 32 nodes at a time.
//
//vyre:kernel workgroup=256
func CloseLanes(t gpu.Thread, visit, queued, reached, done []uint32) {
	nodes := uint32(len(queued))
	for w := t.Group().X*8 + t.Warp(); w < uint32(len(reached)); w += t.Groups().X * 8 {
		v, listed := 32*w+t.Lane(), false
		if v < nodes {
			listed = queued[v] != 0
		}
		if listed {
			queued[v] = 0
		}
		set := t.Ballot(listed)
		if t.Lane() != 0 || set == 0 {
			continue
		}
		reached[w] |= set
		if w >= visit[VisitFirst] && w < visit[VisitLast] {
			done[w] |= set
		} else {
			done[w] &^= set
		}
	}
}

// AnswerLane makes a set of the nodes that the lane has whose turn it is, and counts them for it.
//
//vyre:kernel workgroup=256 types=T:uint32|uint64
func AnswerLane[T uint32 | uint64](t gpu.Thread, turn []uint32, seen []T, set, counts []uint32) {
	nodes, lane, n := uint32(len(seen)), turn[0], uint32(0)
	for w := t.Group().X*8 + t.Warp(); w < (nodes+31)/32; w += t.Groups().X * 8 {
		has := false
		if v := 32*w + t.Lane(); v < nodes {
			has = seen[v]>>lane&1 != 0
		}
		word := t.Ballot(has)
		if t.Lane() == 0 {
			set[w] = word
		}
		n += ones(word)
	}
	if n != 0 && t.Lane() == 0 {
		gpu.AtomicAdd(&counts[lane], n)
	}
}
