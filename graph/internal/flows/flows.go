// Package flows has analyses that tests run as fixpoints: with every join, of 32 bits and of 64, with weights and kinds.
package flows

import (
	"math"

	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/graph/flow"
	"github.com/govyre/vyre/megakernel/arcs"
)

//go:generate go run ../../../internal/gen/generate --programs .

// Shortest is the least sum of weights of a path.
type Shortest = flow.Min[uint64, longer]

type longer struct{}

// Along adds the weight; the greatest number stays.
func (longer) Along(x uint64, a flow.Arc) uint64 {
	if sum := x + uint64(a.Weight); sum >= x {
		return sum
	}
	return math.MaxUint64
}

// Widest is the greatest weight that all arcs of a path have at least.
type Widest = flow.Max[uint32, narrower]

type narrower struct{}

// Along holds the width to that of the arc.
func (narrower) Along(x uint32, a flow.Arc) uint32 { return min(x, a.Weight) }

// Comes is which of 64 things come to a node: they pass arcs of kind 1, and arcs of kind 2 only if they are even.
type Comes = flow.Or[uint64, comes]

type comes struct{}

// Along keeps what passes, and adds a thing that the arc makes.
func (comes) Along(x uint64, a flow.Arc) uint64 {
	if a.Mask&1 == 0 {
		x &= 0x5555_5555_5555_5555
	}
	return x | 1<<(a.To*7%64)
}

// Stays is which of 32 things hold on all paths.
type Stays = flow.And[uint32, stays]

type stays struct{}

// Along kills one thing, and another one on the way to every third node.
func (stays) Along(x uint32, a flow.Arc) uint32 {
	x &^= 1 << (a.From % 32)
	if a.To%3 == 0 {
		x |= 1 << (a.To % 32)
	}
	return x
}

// Falls never ends on a cycle: it is monotone, but comes down by one at each arc.
type Falls = flow.Min[uint64, falls]

type falls struct{}

// Along takes one away.
func (falls) Along(x uint64, a flow.Arc) uint64 {
	if x == 0 {
		return 0
	}
	return x - 1
}

// RoundShortest is a round of Shortest.
//
//vyre:kernel workgroup=256
func RoundShortest(t gpu.Thread, round, n, has uint32, offsets, targets, masks, weights []uint32, facts []uint64, queued, filter, list, lengths, vote, edges []uint32) {
	g := flow.Graph{Has: has, Offsets: offsets, Targets: targets, Masks: masks, Weights: weights}
	s := flow.State[uint64]{Facts: facts, Queued: queued, Filter: filter[0]}
	flow.Round(t, Shortest{}, g, s, arcs.List{Nodes: list, Lengths: lengths, Weight: vote, Edges: edges}, round, n)
}

// RoundWidest is a round of Widest.
//
//vyre:kernel workgroup=256
func RoundWidest(t gpu.Thread, round, n, has uint32, offsets, targets, masks, weights []uint32, facts []uint32, queued, filter, list, lengths, vote, edges []uint32) {
	g := flow.Graph{Has: has, Offsets: offsets, Targets: targets, Masks: masks, Weights: weights}
	s := flow.State[uint32]{Facts: facts, Queued: queued, Filter: filter[0]}
	flow.Round(t, Widest{}, g, s, arcs.List{Nodes: list, Lengths: lengths, Weight: vote, Edges: edges}, round, n)
}

// RoundComes is a round of Comes.
//
//vyre:kernel workgroup=256
func RoundComes(t gpu.Thread, round, n, has uint32, offsets, targets, masks, weights []uint32, facts []uint64, queued, filter, list, lengths, vote, edges []uint32) {
	g := flow.Graph{Has: has, Offsets: offsets, Targets: targets, Masks: masks, Weights: weights}
	s := flow.State[uint64]{Facts: facts, Queued: queued, Filter: filter[0]}
	flow.Round(t, Comes{}, g, s, arcs.List{Nodes: list, Lengths: lengths, Weight: vote, Edges: edges}, round, n)
}

// RoundStays is a round of Stays.
//
//vyre:kernel workgroup=256
func RoundStays(t gpu.Thread, round, n, has uint32, offsets, targets, masks, weights []uint32, facts []uint32, queued, filter, list, lengths, vote, edges []uint32) {
	g := flow.Graph{Has: has, Offsets: offsets, Targets: targets, Masks: masks, Weights: weights}
	s := flow.State[uint32]{Facts: facts, Queued: queued, Filter: filter[0]}
	flow.Round(t, Stays{}, g, s, arcs.List{Nodes: list, Lengths: lengths, Weight: vote, Edges: edges}, round, n)
}

// RoundFalls is a round of Falls.
//
//vyre:kernel workgroup=256
func RoundFalls(t gpu.Thread, round, n, has uint32, offsets, targets, masks, weights []uint32, facts []uint64, queued, filter, list, lengths, vote, edges []uint32) {
	g := flow.Graph{Has: has, Offsets: offsets, Targets: targets, Masks: masks, Weights: weights}
	s := flow.State[uint64]{Facts: facts, Queued: queued, Filter: filter[0]}
	flow.Round(t, Falls{}, g, s, arcs.List{Nodes: list, Lengths: lengths, Weight: vote, Edges: edges}, round, n)
}
