package cycles

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/megakernel/arcs"
)

// Peeling takes away nodes to which no arc comes, with the arcs that leave them, until there are none. What is left is on a
// cycle or behind one. A node that was taken has a label: the round in which that was, which is the length of the
// longest path to it.

// none is the label of a node that has none: an open one.
const none = ^uint32(0)

// Clear begins a list, with no arc counted and no node labelled.
//
//vyre:kernel workgroup=256
func Clear(t gpu.Thread, label, count, lengths []uint32) {
	i := t.Global().X
	if i < uint32(len(count)) {
		count[i], label[i] = 0, none
	}
	if i < 3 {
		lengths[i] = 0
	}
}

// Count counts for each open node the allowed arcs that come to it from open nodes. A warp takes 32 rows, the long ones with all
// its lanes. Where masked is 0 all masks are 1.
//
//vyre:kernel workgroup=256
func Count(t gpu.Thread, masked uint32, offsets, targets, masks, filter, label, count []uint32) {
	c := counting{masked: masked, filter: filter[0], targets: targets, masks: masks, count: count}
	nodes := uint32(len(count))
	for base := 32 * (t.Group().X*8 + t.Warp()); base < nodes; base += t.Groups().X * 256 {
		v := base + t.Lane()
		first, last := uint32(0), uint32(0)
		if v < nodes && label[v] == none {
			first, last = offsets[v], offsets[v+1]
		}
		for long := t.Ballot(last-first > arcs.Split); long != 0; long &= long - 1 {
			lane := uint32(bits.TrailingZeros32(long))
			node, end := gpu.Shuffle(t, v, lane), gpu.Shuffle(t, last, lane)
			for k := gpu.Shuffle(t, first, lane) + t.Lane(); k < end; k += 32 {
				c.arc(node, k)
			}
		}
		if last-first <= arcs.Split {
			for ; first < last; first++ {
				c.arc(v, first)
			}
		}
	}
}

// counting is what counts arcs.
type counting struct {
	masked, filter        uint32
	targets, masks, count []uint32
}

// arc counts the arc at k, of node v. Those that come to nodes which are not open do no harm.
func (c counting) arc(v, k uint32) {
	mask := uint32(1)
	if c.masked != 0 {
		mask = c.masks[k]
	}
	to := c.targets[k]
	if mask&c.filter != 0 {
		gpu.AtomicAdd(&c.count[to], 1)
	}
}

// Sources lists the open nodes to which no arc comes, and gives them their labels.
//
//vyre:kernel workgroup=256
func Sources(t gpu.Thread, label, count, list, lengths []uint32) {
	nodes := uint32(len(count))
	words := (nodes + 31) / 32
	for w := t.Group().X*8 + t.Warp(); w < words; w += t.Groups().X * 8 {
		v := 32*w + t.Lane()
		source := v < nodes && label[v] == none && count[v] == 0
		at := places(t, source, lengths)
		if source {
			list[at] = v
			label[v] = 0
		}
	}
}

// places reserves a place in the list for each lane that wants one.
func places(t gpu.Thread, want bool, lengths []uint32) uint32 {
	lanes, at := t.Ballot(want), uint32(0)
	if t.Lane() == 0 && lanes != 0 {
		at = gpu.AtomicAdd(&lengths[0], uint32(bits.OnesCount32(lanes)))
	}
	return gpu.Shuffle(t, at, 0) + uint32(bits.OnesCount32(lanes&(1<<t.Lane()-1)))
}

// peeling takes arcs away.
type peeling struct {
	label, count  []uint32
	filter, round uint32
}

// Arc takes an allowed arc away, and the node it leads to if it was the last one there.
func (p peeling) Arc(t gpu.Thread, from, to, mask uint32) bool {
	if mask&p.filter == 0 || gpu.AtomicAdd(&p.count[to], none) != 1 {
		return false
	}
	gpu.AtomicStore(&p.label[to], p.round+1)
	return true
}

// peelingAny is peeling in a graph whose arcs all have mask 1.
type peelingAny struct {
	label, count  []uint32
	filter, round uint32
}

// Arc is that of peeling, with that mask.
func (p peelingAny) Arc(t gpu.Thread, from, to, mask uint32) bool {
	return peeling(p).Arc(t, from, to, 1)
}

// Peel takes away the nodes of the list in a graph without masks.
//
//vyre:kernel workgroup=256
func Peel(t gpu.Thread, round, n uint32, offsets, targets, filter, label, count, list, lengths, weight, edges []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets}
	arcs.Round(t, peelingAny{label, count, filter[0], round}, g, arcs.List{Nodes: list, Lengths: lengths, Weight: weight, Edges: edges}, round, n)
}

// PeelOfKinds does the same in a graph with masks.
//
//vyre:kernel workgroup=256
func PeelOfKinds(t gpu.Thread, round, n uint32, offsets, targets, masks, filter, label, count, list, lengths, weight, edges []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets, Masks: masks}
	arcs.Round(t, peeling{label, count, filter[0], round}, g, arcs.List{Nodes: list, Lengths: lengths, Weight: weight, Edges: edges}, round, n)
}
