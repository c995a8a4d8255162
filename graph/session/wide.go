package session

import (
	"cmp"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/megakernel"
)

// When a graph is wide: a search from its node with the most arcs has so many nodes, or that part of all, after so few levels.
const (
	wideNodes  = 1 << 16
	widePart   = 16
	wideLevels = 32
)

// wideOptions says with how many blocks rounds of searches run. One a multiprocessor has the cheapest barrier, which is what long
// searches of short lists are made of. A wide graph has few rounds of long lists, for which more threads are better.
func (s *resident) wideOptions(o megakernel.Options) megakernel.Options {
	o.Blocks, o.MaxRegisters = s.o.size.blocks, s.o.size.registers
	if s.shallow {
		o.Blocks = cmp.Or(o.Blocks, megakernel.AllBlocks)
		o.MaxRegisters = cmp.Or(o.MaxRegisters, wideRegisters)
	}
	return o
}

// wideRegisters bounds the registers of a thread in rounds of a wide graph, so that a multiprocessor holds more of them.
const wideRegisters = 64

// wideShape searches a part of the graph, to see how fast it grows.
func wideShape(g *graph.CSR) bool {
	enough := min(wideNodes, g.Nodes()/widePart)
	if enough < wideNodes/widePart {
		return false // all of it is a short list
	}
	all, most := rowsOf(g), uint32(0)
	for u := range uint32(g.Nodes()) {
		if all.at(u+1)-all.at(u) > all.at(most+1)-all.at(most) {
			most = u
		}
	}
	found, list := map[uint32]struct{}{most: {}}, []uint32{most}
	for level := 0; level < wideLevels && len(list) > 0; level++ {
		var next []uint32
		for _, u := range list {
			targets, _ := all.of(u)
			for _, v := range targets {
				if _, there := found[v]; there {
					continue
				}
				if found[v] = struct{}{}; len(found) >= enough {
					return true
				}
				next = append(next, v)
			}
		}
		list = next
	}
	return false
}

// levelSets is how many sets of nodes a search for levels of a shallow graph has: those that no arc comes to, those found, and
// three for lists.
const levelSets = 5

// closedSet is the nodes that no arc comes to, of whose arcs these are the reverse, and bits that are no node's.
func closedSet(reverse *graph.CSR) []byte {
	n := uint32(reverse.Nodes())
	all, set := rowsOf(reverse), make([]uint32, (n+31)/32)
	for v := range 32 * uint32(len(set)) {
		if v >= n || all.at(v) == all.at(v+1) {
			set[v/32] |= 1 << (v % 32)
		}
	}
	b := make([]byte, 4*len(set))
	putWords(b, set)
	return b
}

// closed is how many nodes no arc comes to, of whose arcs these are the reverse.
func closed(reverse *graph.CSR) (n uint32) {
	all := rowsOf(reverse)
	for v := range uint32(reverse.Nodes()) {
		if all.at(v) == all.at(v+1) {
			n++
		}
	}
	return n
}
