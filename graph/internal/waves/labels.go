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

// AnswerLabels stores which nodes have a label that is marked where the query's answer stands, and counts them.
//
//vyre:kernel workgroup=256
func AnswerLabels(t gpu.Thread, stride, slot, nodes uint32, turn, staged, labels, seen, answers []uint32) {
	query := staged[turn[0]*stride+FirstWord]
	from, at := staged[query*stride+KindsWord]*nodes, query*slot
	words, n := (nodes+31)/32, uint32(0)
	for w := t.Group().X*8 + t.Warp(); w < words; w += t.Groups().X * 8 {
		has := false
		if v := 32*w + t.Lane(); v < nodes {
			label := labels[from+v]
			has = seen[label/32]>>(label%32)&1 != 0
		}
		word := t.Ballot(has)
		if t.Lane() == 0 {
			answers[at+AnswerHead+w] = word
			n += ones(word)
		}
	}
	if n != 0 {
		gpu.AtomicAdd(&answers[at], n)
	}
}
