package waves

import "github.com/govyre/vyre/gpu"

// A query that labels answer has the number of the slot where those stand in the place of its kinds.

// MarkLabels marks the labels of the components that the seeds of the query are in.
//
//vyre:kernel workgroup=256
func MarkLabels(t gpu.Thread, stride, nodes uint32, turn, staged, labels, seen []uint32) {
	i := t.Global().X
	query := staged[turn[0]*stride+FirstWord] * stride
	if i >= staged[query] {
		return
	}
	label := labels[staged[query+KindsWord]*nodes+staged[query+QueryHead+i]]
	gpu.AtomicOr(&seen[label/32], 1<<(label%32))
}

// AnswerLabels stores which nodes have a label that is marked where the query's answer stands, and counts them. A warp takes
// four words of 32 nodes at a time, whose loads are in flight together.
//
//vyre:kernel workgroup=256
func AnswerLabels(t gpu.Thread, stride, slot, nodes uint32, turn, staged, labels, seen, answers []uint32) {
	query := staged[turn[0]*stride+FirstWord]
	from, at := staged[query*stride+KindsWord]*nodes, query*slot
	words, n := (nodes+31)/32, uint32(0)
	for w := 4 * (t.Group().X*8 + t.Warp()); w < words; w += t.Groups().X * 32 {
		v, last := 32*w+t.Lane(), nodes-1
		la, lb := labels[from+min(v, last)], labels[from+min(v+32, last)]
		lc, ld := labels[from+min(v+64, last)], labels[from+min(v+96, last)]
		a, b, c, d := bit(seen, la), bit(seen, lb), bit(seen, lc), bit(seen, ld)
		wa, wb := t.Ballot(a && v < nodes), t.Ballot(b && v+32 < nodes)
		wc, wd := t.Ballot(c && v+64 < nodes), t.Ballot(d && v+96 < nodes)
		mine := wa
		switch t.Lane() {
		case 1:
			mine = wb
		case 2:
			mine = wc
		case 3:
			mine = wd
		}
		if t.Lane() < 4 && w+t.Lane() < words {
			answers[at+AnswerHead+w+t.Lane()] = mine
			n += ones(mine)
		}
	}
	if n != 0 {
		gpu.AtomicAdd(&answers[at], n)
	}
}

// bit reports whether a node is in a set.
func bit(set []uint32, node uint32) bool { return set[node/32]>>(node%32)&1 != 0 }
