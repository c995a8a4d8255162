package waves

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/megakernel/arcs"
)

// Weak components are made as by Sutton, Ben-Nun and Barak, "Optimizing Parallel Graph Connectivity Computation via
// Subgraph Sampling" (2018): few arcs join most nodes, and whoever is in the greatest component by then need not look at
// the rest of its row, if the arcs that come to it are rows of others. Every node has a parent that is not greater,
// so that the root of a tree is its smallest node and the answer does not depend on the order.

// allows reports whether the arc at k has one of the kinds; where masked is 0 all masks are 1.
func allows(filter, masked uint32, masks []uint32, k uint32) bool {
	mask := uint32(1)
	if masked != 0 {
		mask = masks[k]
	}
	return mask&filter != 0
}

// Hook begins with every node under the first node of its row, if that is smaller: rows ascend, so it is the smallest.
//
//vyre:kernel workgroup=256 long=targets,masks
func Hook(t gpu.Thread, masked uint32, offsets, targets, masks, filter, parent, lengths []uint32) {
	v := t.Global().X
	if v < 3 {
		lengths[v] = 0
	}
	if v >= uint32(len(parent)) {
		return
	}
	up := v
	if k := offsets[v]; k < offsets[v+1] && allows(filter[0], masked, masks, k) {
		up = min(v, targets[k])
	}
	parent[v] = up
}

// LinkLast joins every node with the last one of its row.
//
//vyre:kernel workgroup=256 long=targets,masks
func LinkLast(t gpu.Thread, masked uint32, offsets, targets, masks, filter, parent []uint32) {
	v := t.Global().X
	if v >= uint32(len(parent)) {
		return
	}
	if end := offsets[v+1]; offsets[v] < end && allows(filter[0], masked, masks, end-1) {
		join(parent, v, targets[end-1])
	}
}

// join makes one tree of those of two nodes: the greater root goes under the smaller one. A node that is no root never
// becomes one, so what was read once is an ancestor for ever.
func join(parent []uint32, u, v uint32) {
	for {
		a, b := root(parent, u), root(parent, v)
		u, v = max(a, b), min(a, b)
		if u == v || gpu.AtomicCompareExchange(&parent[u], u, v) == u {
			return
		}
	}
}

// root is the root of a node. It puts each second node on the way under the one behind the next, so that ways stay short while
// trees grow: a road hooked by numbers has ways of hundreds.
func root(parent []uint32, v uint32) uint32 {
	up := gpu.AtomicLoad(&parent[v])
	for {
		next := gpu.AtomicLoad(&parent[up])
		if next == up {
			return up
		}
		gpu.AtomicStore(&parent[v], next)
		v, up = up, next
	}
}

// Compress puts every node right under its root. What it stores on the way makes the way shorter for others.
//
//vyre:kernel workgroup=256
func Compress(t gpu.Thread, parent []uint32) {
	v := t.Global().X
	if v >= uint32(len(parent)) {
		return
	}
	p := gpu.AtomicLoad(&parent[v])
	for {
		up := gpu.AtomicLoad(&parent[p])
		if up == p {
			return
		}
		gpu.AtomicStore(&parent[v], up)
		p = up
	}
}

// Sample guesses the greatest component: of the labels of 32 nodes, the one that most of 128 have. If it is another
// one, there is more to do, and that is all.
//
//vyre:kernel workgroup=256
func Sample(t gpu.Thread, parent, largest []uint32) {
	if t.Warp() != 0 {
		return
	}
	a, b := sampled(parent, t.Lane()), sampled(parent, t.Lane()+32)
	c, d := sampled(parent, t.Lane()+64), sampled(parent, t.Lane()+96)
	best, most := uint32(0), uint32(0)
	for k := range uint32(32) {
		label := gpu.Shuffle(t, a, k)
		n := ones(t.Ballot(a == label)) + ones(t.Ballot(b == label)) + ones(t.Ballot(c == label)) + ones(t.Ballot(d == label))
		if n > most {
			best, most = label, n
		}
	}
	if t.Lane() == 0 {
		largest[0] = best
	}
}

// sampled is the label of sample k.
func sampled(parent []uint32, k uint32) uint32 {
	k *= 0x9E3779B9 // spreads them over all numbers: 2³² by the golden ratio
	return parent[uint32(uint64(k)*uint64(len(parent))>>32)]
}

func ones(lanes uint32) uint32 { return uint32(bits.OnesCount32(lanes)) }

// ListRest lists the nodes whose rows are still to be looked at: all, or those beyond the greatest component if every
// arc stands in the rows of both its ends.
//
//vyre:kernel workgroup=256
func ListRest(t gpu.Thread, symmetric uint32, parent, largest, list, lengths []uint32) {
	nodes := uint32(len(parent))
	words := (nodes + 31) / 32
	skipped := ^uint32(0) // no label
	if symmetric != 0 {
		skipped = largest[0]
	}
	for w := 4 * (t.Group().X*8 + t.Warp()); w < words; w += t.Groups().X * 32 {
		// Four words of 32 nodes, whose loads are in flight together, and which make room with one addition.
		v, last := 32*w+t.Lane(), nodes-1
		pa, pb, pc, pd := parent[min(v, last)], parent[min(v+32, last)], parent[min(v+64, last)], parent[min(v+96, last)]
		a, b := pa != skipped && v < nodes, pb != skipped && v+32 < nodes
		c, d := pc != skipped && v+64 < nodes, pd != skipped && v+96 < nodes
		la, lb, lc, ld := t.Ballot(a), t.Ballot(b), t.Ballot(c), t.Ballot(d)
		n, at := ones(la)+ones(lb)+ones(lc)+ones(ld), uint32(0)
		if t.Lane() == 0 && n != 0 {
			at = gpu.AtomicAdd(&lengths[0], n)
		}
		at = gpu.Shuffle(t, at, 0)
		at = put(t, list, at, a, la, v)
		at = put(t, list, at, b, lb, v+32)
		at = put(t, list, at, c, lc, v+64)
		put(t, list, at, d, ld, v+96)
	}
}

// put stores a node of the lanes that have one, and returns where the next ones go.
func put(t gpu.Thread, list []uint32, at uint32, has bool, lanes, v uint32) uint32 {
	if has {
		list[at+ones(lanes&(1<<t.Lane()-1))] = v
	}
	return at + ones(lanes)
}

// linking joins the ends of arcs that have a kind in common with the filter.
type linking struct {
	parent []uint32
	filter uint32
}

// Arc joins its ends, if it is allowed. Nothing comes of it for another round.
func (l linking) Arc(t gpu.Thread, from, to, mask uint32) bool {
	if mask&l.filter != 0 {
		join(l.parent, from, to)
	}
	return false
}

// linkingAny is linking in a graph whose arcs all have mask 1.
type linkingAny struct {
	parent []uint32
	filter uint32
}

// Arc is that of linking, with that mask.
func (l linkingAny) Arc(t gpu.Thread, from, to, mask uint32) bool {
	return linking(l).Arc(t, from, to, 1)
}

// LinkRest joins all arcs of the nodes of the list in a graph without masks.
//
//vyre:kernel workgroup=256 long=targets
func LinkRest(t gpu.Thread, round, n uint32, offsets, targets, filter, parent, list, lengths, weight, edges []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets}
	arcs.Round(t, linkingAny{parent, filter[0]}, g, arcs.List{Nodes: list, Lengths: lengths, Weight: weight, Edges: edges}, round, n)
}

// LinkRestOfKinds does the same in a graph with masks.
//
//vyre:kernel workgroup=256 long=targets,masks
func LinkRestOfKinds(t gpu.Thread, round, n uint32, offsets, targets, masks, filter, parent, list, lengths, weight, edges []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets, Masks: masks}
	arcs.Round(t, linking{parent, filter[0]}, g, arcs.List{Nodes: list, Lengths: lengths, Weight: weight, Edges: edges}, round, n)
}
