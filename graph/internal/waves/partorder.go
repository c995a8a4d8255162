package waves

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/megakernel/arcs"
)

// Of a graph in parts there are no arcs backward, so that parents are found, and arcs that come to a node are counted, from the other
// end. These waves find nothing to go on from in their own round: the half of the list that they would append to has their
// words, one a node.

// parentsOf gives nodes the smallest of those one level above from which an allowed arc leads to them.
type parentsOf struct {
	level, list   []uint32
	filter, nodes uint32
}

// Arc takes from for the parent of to, if it may be.
func (p parentsOf) Arc(t gpu.Thread, from, to, mask uint32) bool {
	if mask&p.filter != 0 && p.level[from]+1 == p.level[to] {
		gpu.AtomicMin(&p.list[p.nodes+to], from)
	}
	return false
}

// parentsOfAny is parentsOf of a graph whose arcs all have mask 1.
type parentsOfAny struct {
	level, list   []uint32
	filter, nodes uint32
}

// Arc is that of parentsOf, with that mask.
func (p parentsOfAny) Arc(t gpu.Thread, from, to, mask uint32) bool {
	return parentsOf(p).Arc(t, from, to, 1)
}

// ParentsPart finds parents along the arcs of the nodes listed, in a graph without masks.
//
//vyre:kernel workgroup=256
func ParentsPart(t gpu.Thread, round, n uint32, offsets, targets, filter, level, list, lengths, weight, edges []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets}
	arcs.Round(t, parentsOfAny{level, list, filter[0], uint32(len(level))}, g, arcs.List{Nodes: list, Lengths: lengths, Weight: weight, Edges: edges}, round, n)
}

// ParentsPartOfKinds is ParentsPart in a graph with masks.
//
//vyre:kernel workgroup=256
func ParentsPartOfKinds(t gpu.Thread, round, n uint32, offsets, targets, masks, filter, level, list, lengths, weight, edges []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets, Masks: masks}
	arcs.Round(t, parentsOf{level, list, filter[0], uint32(len(level))}, g, arcs.List{Nodes: list, Lengths: lengths, Weight: weight, Edges: edges}, round, n)
}

// incoming counts the arcs that come to nodes.
type incoming struct {
	list          []uint32
	filter, nodes uint32
}

// Arc counts the arc, if it is allowed.
func (c incoming) Arc(t gpu.Thread, from, to, mask uint32) bool {
	if mask&c.filter != 0 {
		gpu.AtomicAdd(&c.list[c.nodes+to], 1)
	}
	return false
}

// incomingAny is incoming of a graph whose arcs all have mask 1.
type incomingAny struct {
	list          []uint32
	filter, nodes uint32
}

// Arc is that of incoming, with that mask.
func (c incomingAny) Arc(t gpu.Thread, from, to, mask uint32) bool {
	return incoming(c).Arc(t, from, to, 1)
}

// IncomingPart counts along the arcs of the nodes listed, in a graph without masks.
//
//vyre:kernel workgroup=256
func IncomingPart(t gpu.Thread, round, n uint32, offsets, targets, filter, list, lengths, weight, edges []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets}
	arcs.Round(t, incomingAny{list, filter[0], uint32(len(list)) / 2}, g, arcs.List{Nodes: list, Lengths: lengths, Weight: weight, Edges: edges}, round, n)
}

// IncomingPartOfKinds is IncomingPart in a graph with masks.
//
//vyre:kernel workgroup=256
func IncomingPartOfKinds(t gpu.Thread, round, n uint32, offsets, targets, masks, filter, list, lengths, weight, edges []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets, Masks: masks}
	arcs.Round(t, incoming{list, filter[0], uint32(len(list)) / 2}, g, arcs.List{Nodes: list, Lengths: lengths, Weight: weight, Edges: edges}, round, n)
}

// peeled takes nodes away, and reaches those to which no arc comes any more.
type peeled struct {
	incoming
	reached []uint32
}

// Arc takes the arc away, if it is allowed.
func (p peeled) Arc(t gpu.Thread, from, to, mask uint32) bool {
	if mask&p.filter != 0 && gpu.AtomicAdd(&p.list[p.nodes+to], ^uint32(0)) == 1 {
		gpu.AtomicOr(&p.reached[to/32], 1<<(to%32))
	}
	return false
}

// peeledAny is peeled of a graph whose arcs all have mask 1.
type peeledAny struct {
	incoming
	reached []uint32
}

// Arc is that of peeled, with that mask.
func (p peeledAny) Arc(t gpu.Thread, from, to, mask uint32) bool {
	return peeled(p).Arc(t, from, to, 1)
}

// PeelPart takes the nodes listed away, in a graph without masks.
//
//vyre:kernel workgroup=256
func PeelPart(t gpu.Thread, round, n uint32, offsets, targets, filter, reached, list, lengths, weight, edges []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets}
	w := peeledAny{incoming{list, filter[0], uint32(len(list)) / 2}, reached}
	arcs.Round(t, w, g, arcs.List{Nodes: list, Lengths: lengths, Weight: weight, Edges: edges}, round, n)
}

// PeelPartOfKinds is PeelPart in a graph with masks.
//
//vyre:kernel workgroup=256
func PeelPartOfKinds(t gpu.Thread, round, n uint32, offsets, targets, masks, filter, reached, list, lengths, weight, edges []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets, Masks: masks}
	w := peeled{incoming{list, filter[0], uint32(len(list)) / 2}, reached}
	arcs.Round(t, w, g, arcs.List{Nodes: list, Lengths: lengths, Weight: weight, Edges: edges}, round, n)
}

// SourcesPart reaches the nodes to which no arc comes, of all parts. A warp takes 32 at a time.
//
//vyre:kernel workgroup=256
func SourcesPart(t gpu.Thread, list, reached []uint32) {
	nodes := uint32(len(list)) / 2
	for w := t.Group().X*8 + t.Warp(); w < uint32(len(reached)); w += t.Groups().X * 8 {
		source := false
		if v := 32*w + t.Lane(); v < nodes {
			source = list[nodes+v] == 0
		}
		set := t.Ballot(source)
		if t.Lane() == 0 {
			reached[w] = set
		}
	}
}
