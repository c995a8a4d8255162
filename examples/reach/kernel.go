package main

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/megakernel/arcs"
)

// Reach marks the nodes that can be reached. What happens along an arc is all there is to say: the
// arc is worth following if the node it leads to was not marked before.
type Reach struct{ seen []uint32 }

// Arc marks node to.
func (r Reach) Arc(t gpu.Thread, from, to, mask uint32) bool {
	bit := uint32(1) << (to % 32)
	return gpu.AtomicOr(&r.seen[to/32], bit)&bit == 0
}

// Begin marks the node that the search begins at, and lists it for the first round.
//
//vyre:kernel workgroup=128
func Begin(t gpu.Thread, seed uint32, seen, list, lengths []uint32) {
	i := t.Global().X
	if i < uint32(len(seen)) {
		seen[i] = 0
		if i == seed/32 {
			seen[i] = 1 << (seed % 32)
			list[0] = seed
		}
	}
	if i < 3 {
		lengths[i] = 0
		if i == 0 {
			lengths[i] = 1
		}
	}
}

// Round is one round of the search.
//
//vyre:kernel workgroup=256
func Round(t gpu.Thread, round, n uint32, offsets, targets, seen, list, lengths, weight, edges []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets}
	arcs.Round(t, Reach{seen}, g, arcs.List{Nodes: list, Lengths: lengths, Weight: weight, Edges: edges}, round, n)
}

// Stay is rounds of one group alone.
//
//vyre:kernel workgroup=256
func Stay(t gpu.Thread, round, n, limit, many uint32, offsets, targets, seen, list, lengths, edges []uint32, result []uint64) {
	g := arcs.Graph{Offsets: offsets, Targets: targets}
	arcs.Stay(t, Reach{seen}, g, arcs.List{Nodes: list, Lengths: lengths, Edges: edges}, round, n, limit, many, result)
}

// Drain is the whole search, without rounds.
//
//vyre:kernel workgroup=256
func Drain(t gpu.Thread, offsets, targets, seen, list, lengths []uint32, slots []uint64, control []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets}
	arcs.Drain(t, Reach{seen}, g, list, lengths[0], arcs.Queue{Slots: slots, Control: control})
}
