package waves

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/megakernel/arcs"
)

// Words in front of the seeds of a query, and in front of the bits of an answer. The head of query k has the turn of
// number k, too: which queries it answers.
const (
	QueryHead  = 4 // how many seeds; the kinds allowed; the first query of the turn, and how many it answers
	AnswerHead = 2 // how many nodes; 0
)

// Words of that head.
const (
	KindsWord = 1
	FirstWord = 2
	countWord = 3
)

// claim marks nodes that are reached along arcs that have a kind in common with the filter.
type claim struct {
	seen   []uint32
	filter uint32
}

// Arc marks node to, if the arc is allowed. It marks nothing else, so that several claims of a thread, with no branch between
// them, are in flight together.
func (c claim) Arc(t gpu.Thread, from, to, mask uint32) bool {
	bit := uint32(1) << (to % 32)
	if mask&c.filter == 0 {
		bit = 0
	}
	return gpu.AtomicOr(&c.seen[to/32], bit)&bit != bit
}

// claimAny is claim of a graph whose arcs all have mask 1.
type claimAny struct {
	seen   []uint32
	filter uint32
}

// Arc marks node to, if arcs are allowed.
func (c claimAny) Arc(t gpu.Thread, from, to, mask uint32) bool {
	return claim(c).Arc(t, from, to, 1)
}

// Clear forgets what the query before reached, and begins an answer.
//
//vyre:kernel workgroup=256
func Clear(t gpu.Thread, stride, slot uint32, turn, staged, seen, lengths, answers []uint32) {
	i := t.Global().X
	if i < uint32(len(seen)) {
		seen[i] = 0
	}
	if i < 3 {
		lengths[i] = 0
	}
	if i < AnswerHead {
		answers[staged[turn[0]*stride+FirstWord]*slot+i] = 0
	}
}

// Seed lists the seeds of the query, each once, and marks them.
//
//vyre:kernel workgroup=256
func Seed(t gpu.Thread, stride uint32, turn, staged, seen, list, lengths, filter []uint32) {
	i := t.Global().X
	query := staged[turn[0]*stride+FirstWord] * stride
	if i == 0 {
		filter[0] = staged[query+KindsWord]
	}
	if i >= staged[query] {
		return
	}
	v := staged[query+QueryHead+i]
	if bit := uint32(1) << (v % 32); gpu.AtomicOr(&seen[v/32], bit)&bit == 0 {
		list[gpu.AtomicAdd(&lengths[0], 1)] = v
	}
}

// Round is one round of the search in a graph without masks.
//
//vyre:kernel workgroup=256 long=targets
func Round(t gpu.Thread, round, n uint32, offsets, targets, seen, filter, list, lengths, weight, edges []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets}
	arcs.Round(t, claimAny{seen, filter[0]}, g, arcs.List{Nodes: list, Lengths: lengths, Weight: weight, Edges: edges}, round, n)
}

// RoundOfKinds is one round of the search in a graph with masks.
//
//vyre:kernel workgroup=256 long=targets,masks
func RoundOfKinds(t gpu.Thread, round, n uint32, offsets, targets, masks, seen, filter, list, lengths, weight, edges []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets, Masks: masks}
	arcs.Round(t, claim{seen, filter[0]}, g, arcs.List{Nodes: list, Lengths: lengths, Weight: weight, Edges: edges}, round, n)
}

// Stay is rounds of one group alone in a graph without masks.
//
//vyre:kernel workgroup=256 long=targets
func Stay(t gpu.Thread, round, n, limit, many uint32, offsets, targets, seen, filter, list, lengths, edges []uint32, result []uint64) {
	g := arcs.Graph{Offsets: offsets, Targets: targets}
	arcs.Stay(t, claimAny{seen, filter[0]}, g, arcs.List{Nodes: list, Lengths: lengths, Edges: edges}, round, n, limit, many, result)
}

// StayOfKinds is rounds of one group alone in a graph with masks.
//
//vyre:kernel workgroup=256 long=targets,masks
func StayOfKinds(t gpu.Thread, round, n, limit, many uint32, offsets, targets, masks, seen, filter, list, lengths, edges []uint32, result []uint64) {
	g := arcs.Graph{Offsets: offsets, Targets: targets, Masks: masks}
	arcs.Stay(t, claim{seen, filter[0]}, g, arcs.List{Nodes: list, Lengths: lengths, Edges: edges}, round, n, limit, many, result)
}

// Drain is the search without rounds in a graph without masks.
//
//vyre:kernel workgroup=256 long=targets
func Drain(t gpu.Thread, offsets, targets, seen, filter, list, lengths []uint32, slots []uint64, control []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets}
	arcs.Drain(t, claimAny{seen, filter[0]}, g, list, lengths[0], arcs.Queue{Slots: slots, Control: control})
}

// DrainOfKinds is the search without rounds in a graph with masks.
//
//vyre:kernel workgroup=256 long=targets,masks
func DrainOfKinds(t gpu.Thread, offsets, targets, masks, seen, filter, list, lengths []uint32, slots []uint64, control []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets, Masks: masks}
	arcs.Drain(t, claim{seen, filter[0]}, g, list, lengths[0], arcs.Queue{Slots: slots, Control: control})
}

// Answer stores what was reached where the query's answer stands, and counts it.
//
//vyre:kernel workgroup=256
func Answer(t gpu.Thread, stride, slot uint32, turn, staged, seen, answers []uint32) {
	at := staged[turn[0]*stride+FirstWord] * slot
	words, n := uint32(len(seen)), uint32(0)
	for i := t.Group().X*256 + t.Local().X; i < words; i += t.Groups().X * 256 {
		answers[at+AnswerHead+i] = seen[i]
		n += uint32(bits.OnesCount32(seen[i]))
	}
	if n = gpu.ReduceAdd(t, n); t.Lane() == 0 {
		gpu.AtomicAdd(&answers[at], n)
	}
}

// Next goes on to the next turn.
//
//vyre:kernel workgroup=32
func Next(t gpu.Thread, turn []uint32) {
	if t.Global().X == 0 {
		turn[0]++
	}
}
