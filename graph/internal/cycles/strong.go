package cycles

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/megakernel/arcs"
)

// Strong components are made by colours (Orzan, "On Distributed Verification and Verified Distribution", 2004): the colour of an
// open node is the smallest open one that leads to it. A node that has its own colour is the smallest of its component,
// and the component is what leads back to it among nodes of that colour.

// Open lists the open nodes, each in its own colour.
//
//vyre:kernel workgroup=256
func Open(t gpu.Thread, label, colour, list, lengths []uint32) {
	nodes := uint32(len(label))
	words := (nodes + 31) / 32
	for w := t.Group().X*8 + t.Warp(); w < words; w += t.Groups().X * 8 {
		v := 32*w + t.Lane()
		open := v < nodes && label[v] == none
		at := places(t, open, lengths)
		if open {
			list[at] = v
			colour[v] = v
		}
	}
}

// colouring hands colours on. What a node gets while its arcs are looked at may be seen there or not; if it is not, the node
// is in the next list.
type colouring struct {
	label, colour []uint32
	queued        []uint32 // by node: 1 + the last round whose list it is in
	filter, round uint32
}

// Arc hands on a smaller colour, to an open node.
func (c colouring) Arc(t gpu.Thread, from, to, mask uint32) bool {
	if mask&c.filter == 0 || c.label[to] != none {
		return false
	}
	colour := gpu.AtomicLoad(&c.colour[from])
	if gpu.AtomicLoad(&c.colour[to]) <= colour || gpu.AtomicMin(&c.colour[to], colour) <= colour {
		return false
	}
	return gpu.AtomicMax(&c.queued[to], c.round+2) != c.round+2
}

// colouringAny is colouring in a graph whose arcs all have mask 1.
type colouringAny struct {
	label, colour, queued []uint32
	filter, round         uint32
}

// Arc is that of colouring, with that mask.
func (c colouringAny) Arc(t gpu.Thread, from, to, mask uint32) bool {
	return colouring(c).Arc(t, from, to, 1)
}

// Colour is a round of colours in a graph without masks.
//
//vyre:kernel workgroup=256
func Colour(t gpu.Thread, round, n uint32, offsets, targets, filter, label, colour, queued, list, lengths, weight, edges []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets}
	arcs.Round(t, colouringAny{label, colour, queued, filter[0], round}, g, arcs.List{Nodes: list, Lengths: lengths, Weight: weight, Edges: edges}, round, n)
}

// ColourOfKinds is a round of colours in a graph with masks.
//
//vyre:kernel workgroup=256
func ColourOfKinds(t gpu.Thread, round, n uint32, offsets, targets, masks, filter, label, colour, queued, list, lengths, weight, edges []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets, Masks: masks}
	arcs.Round(t, colouring{label, colour, queued, filter[0], round}, g, arcs.List{Nodes: list, Lengths: lengths, Weight: weight, Edges: edges}, round, n)
}

// Roots lists the open nodes that have their own colour, and labels them.
//
//vyre:kernel workgroup=256
func Roots(t gpu.Thread, label, colour, list, lengths []uint32) {
	nodes := uint32(len(label))
	words := (nodes + 31) / 32
	for w := t.Group().X*8 + t.Warp(); w < words; w += t.Groups().X * 8 {
		v := 32*w + t.Lane()
		root := v < nodes && label[v] == none && colour[v] == v
		at := places(t, root, lengths)
		if root {
			list[at] = v
			label[v] = v
		}
	}
}

// gathering labels open nodes of one colour, along arcs the other way round.
type gathering struct {
	label, colour []uint32
	filter        uint32
}

// Arc labels a node that leads to one of its own colour.
func (c gathering) Arc(t gpu.Thread, from, to, mask uint32) bool {
	colour := c.colour[from]
	if mask&c.filter == 0 || c.colour[to] != colour || gpu.AtomicLoad(&c.label[to]) != none {
		return false
	}
	return gpu.AtomicCompareExchange(&c.label[to], none, colour) == none
}

// gatheringAny is gathering in a graph whose arcs all have mask 1.
type gatheringAny struct {
	label, colour []uint32
	filter        uint32
}

// Arc is that of gathering, with that mask.
func (c gatheringAny) Arc(t gpu.Thread, from, to, mask uint32) bool {
	return gathering(c).Arc(t, from, to, 1)
}

// Gather is a round of labels in a graph without masks, whose arcs are given the other way round.
//
//vyre:kernel workgroup=256
func Gather(t gpu.Thread, round, n uint32, offsets, targets, filter, label, colour, list, lengths, weight, edges []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets}
	arcs.Round(t, gatheringAny{label, colour, filter[0]}, g, arcs.List{Nodes: list, Lengths: lengths, Weight: weight, Edges: edges}, round, n)
}

// GatherOfKinds is a round of labels in a graph with masks.
//
//vyre:kernel workgroup=256
func GatherOfKinds(t gpu.Thread, round, n uint32, offsets, targets, masks, filter, label, colour, list, lengths, weight, edges []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets, Masks: masks}
	arcs.Round(t, gathering{label, colour, filter[0]}, g, arcs.List{Nodes: list, Lengths: lengths, Weight: weight, Edges: edges}, round, n)
}
