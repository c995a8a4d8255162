package queries

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/megakernel/arcs"
)

// lanes is what happens along an arc: the node that it leads to is reached by all queries that have
// reached the one it comes from. Bit q of a word is query q of the group.
//
// What a node gets while its arcs are looked at may be seen there or not. If it is not, the node is in
// the next list, since it got something; so nothing is lost, and a query has all its nodes in the end
// whatever the order.
type lanes struct {
	seen   []uint32 // by node
	queued []uint32 // by node: 1 + the last round whose list it is in, 0 if there is none
	filter uint32   // arcs are followed that have a bit of it; 0 is all arcs
	round  uint32
}

// Arc hands on what is new.
func (l lanes) Arc(t gpu.Thread, from, to, mask uint32) bool {
	if l.filter != 0 && l.filter&mask == 0 {
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

// begin makes all nodes new.
//
//vyre:kernel workgroup=256
func begin(t gpu.Thread, seen, queued, lengths []uint32) {
	i := t.Global().X
	if i < uint32(len(seen)) {
		seen[i] = 0
		queued[i] = 0
	}
	if i < 3 {
		lengths[i] = 0
	}
}

// seed makes the list of the first round, of nodes with the lanes that begin there.
//
//vyre:kernel workgroup=256
func seed(t gpu.Thread, nodes, starts, seen, queued, list, lengths []uint32) {
	v := nodes[t.Global().X]
	gpu.AtomicOr(&seen[v], starts[t.Global().X])
	if gpu.AtomicMax(&queued[v], 1) == 0 {
		list[gpu.AtomicAdd(&lengths[0], 1)] = v
	}
}

// round is one round of all queries of a group.
//
//vyre:kernel workgroup=256
func round(t gpu.Thread, round, n, filter uint32, offsets, targets, masks, seen, queued, list, lengths, weight, edges []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets, Masks: masks}
	arcs.Round(t, lanes{seen, queued, filter, round}, g, arcs.List{Nodes: list, Lengths: lengths, Weight: weight, Edges: edges}, round, n)
}

// answer makes a bitset of nodes for each lane, each of so many words.
//
//vyre:kernel workgroup=256
func answer(t gpu.Thread, words uint32, seen, out []uint32) {
	i := t.Global().X
	lane, first := i/words, i%words*32
	bits := uint32(0)
	for k := range uint32(32) {
		if first+k < uint32(len(seen)) {
			bits |= seen[first+k] >> lane & 1 << k
		}
	}
	out[i] = bits
}
