package waves

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/megakernel/arcs"
)

// lanes hands on which queries have reached the node that an arc comes from. Bit q of a word is query q of the turn.
//
// What a node gets while its arcs are looked at may be seen there or not. If it is not, the node is in the next list,
// since it got something; so nothing is lost, and a query has all its nodes in the end whatever the order.
type lanes[T uint32 | uint64] struct {
	seen   []T      // by node
	queued []uint32 // by node: 1 + the last round whose list it is in, 0 if there is none
	filter uint32
	round  uint32
}

// Arc hands on what is new, if the arc is allowed.
func (l lanes[T]) Arc(t gpu.Thread, from, to, mask uint32) bool {
	if mask&l.filter == 0 {
		return false
	}
	bits := gpu.AtomicLoad(&l.seen[from])
	if bits&^gpu.AtomicLoad(&l.seen[to]) == 0 {
		return false
	}
	if bits&^gpu.AtomicOr(&l.seen[to], bits) == 0 {
		return false
	}
	return gpu.AtomicMax(&l.queued[to], l.round+2) != l.round+2
}

// lanesAny is lanes of a graph whose arcs all have mask 1.
type lanesAny[T uint32 | uint64] struct {
	seen   []T
	queued []uint32
	filter uint32
	round  uint32
}

// Arc hands on what is new, if arcs are allowed.
func (l lanesAny[T]) Arc(t gpu.Thread, from, to, mask uint32) bool {
	return lanes[T](l).Arc(t, from, to, 1)
}

// ClearLanes forgets what the turn before reached, and begins the answers of this one.
//
//vyre:kernel workgroup=256 types=T:uint32|uint64
func ClearLanes[T uint32 | uint64](t gpu.Thread, stride, slot uint32, turn, staged []uint32, seen []T, queued, lengths, answers []uint32) {
	i := t.Global().X
	if i < uint32(len(seen)) {
		seen[i] = 0
		queued[i] = 0
	}
	if i < 3 {
		lengths[i] = 0
	}
	head := turn[0] * stride
	if i < staged[head+countWord] {
		at := (staged[head+FirstWord] + i) * slot
		answers[at] = 0
		answers[at+1] = 0
	}
}

// SeedLanes marks the seeds of all queries of the turn, and lists each node that is one once.
//
//vyre:kernel workgroup=256 types=T:uint32|uint64
func SeedLanes[T uint32 | uint64](t gpu.Thread, stride uint32, turn, staged []uint32, seen []T, queued, list, lengths, filter []uint32) {
	i := t.Global().X
	head := turn[0] * stride
	first := staged[head+FirstWord] * stride
	if i == 0 {
		filter[0] = staged[first+KindsWord]
	}
	for q := range staged[head+countWord] {
		query := first + q*stride
		if i < staged[query] {
			v := staged[query+QueryHead+i]
			gpu.AtomicOr(&seen[v], T(1)<<q)
			if gpu.AtomicMax(&queued[v], 1) == 0 {
				list[gpu.AtomicAdd(&lengths[0], 1)] = v
			}
		}
	}
}

// RoundLanes is one round of all queries of the turn in a graph without masks.
//
//vyre:kernel workgroup=256 long=targets types=T:uint32|uint64
func RoundLanes[T uint32 | uint64](t gpu.Thread, round, n uint32, offsets, targets []uint32, seen []T, queued, filter, list, lengths, weight, edges []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets}
	arcs.Round(t, lanesAny[T]{seen, queued, filter[0], round}, g, arcs.List{Nodes: list, Lengths: lengths, Weight: weight, Edges: edges}, round, n)
}

// RoundLanesOfKinds is one round of all queries of the turn in a graph with masks.
//
//vyre:kernel workgroup=256 long=targets,masks types=T:uint32|uint64
func RoundLanesOfKinds[T uint32 | uint64](t gpu.Thread, round, n uint32, offsets, targets, masks []uint32, seen []T, queued, filter, list, lengths, weight, edges []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets, Masks: masks}
	arcs.Round(t, lanes[T]{seen, queued, filter[0], round}, g, arcs.List{Nodes: list, Lengths: lengths, Weight: weight, Edges: edges}, round, n)
}

// AnswerLanes makes a set of nodes of each lane, stores it where the query's answer stands, and counts it. A warp takes
// 32 nodes at a time and votes on each query: what a vote says is a word of its answer.
//
//vyre:kernel workgroup=256 types=T:uint32|uint64
func AnswerLanes[T uint32 | uint64](t gpu.Thread, stride, slot uint32, turn, staged []uint32, seen []T, answers []uint32) {
	head := turn[0] * stride
	first, queries := staged[head+FirstWord], staged[head+countWord]
	nodes := uint32(len(seen))
	words := (nodes + 31) / 32
	low, high := uint32(0), uint32(0) // nodes of the query that has this lane's number, and of the one 32 further
	for w := t.Group().X*8 + t.Warp(); w < words; w += t.Groups().X * 8 {
		has := T(0)
		if v := 32*w + t.Lane(); v < nodes {
			has = seen[v]
		}
		for q := range queries {
			word := t.Ballot(has>>q&1 != 0)
			if t.Lane() == q%32 {
				answers[(first+q)*slot+AnswerHead+w] = word
				if q < 32 {
					low += uint32(bits.OnesCount32(word))
				} else {
					high += uint32(bits.OnesCount32(word))
				}
			}
		}
	}
	if low != 0 {
		gpu.AtomicAdd(&answers[(first+t.Lane())*slot], low)
	}
	if high != 0 {
		gpu.AtomicAdd(&answers[(first+t.Lane()+32)*slot], high)
	}
}
