package main

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/graph/flow"
	"github.com/govyre/vyre/megakernel/arcs"
)

// Widest is the greatest weight that all arcs of some path from a seed have at least.
type Widest = flow.Max[uint32, narrower]

type narrower struct{}

// Along holds what comes through to the weight of the arc.
func (narrower) Along(x uint32, a flow.Arc) uint32 { return min(x, a.Weight) }

// RoundWidest is a round of Widest.
//
//vyre:kernel workgroup=256
func RoundWidest(t gpu.Thread, round, n, has uint32, offsets, targets, masks, weights []uint32, facts []uint32, queued, filter, list, lengths, vote, edges []uint32) {
	g := flow.Graph{Has: has, Offsets: offsets, Targets: targets, Masks: masks, Weights: weights}
	s := flow.State[uint32]{Facts: facts, Queued: queued, Filter: filter[0]}
	flow.Round(t, Widest{}, g, s, arcs.List{Nodes: list, Lengths: lengths, Weight: vote, Edges: edges}, round, n)
}
