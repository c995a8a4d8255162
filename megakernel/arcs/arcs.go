package arcs

import "github.com/govyre/vyre/gpu"

// Wave says what happens along one arc, and reports whether that made the node it leads to worth
// looking at. mask is that of the arc, 0 in a graph without masks. In a drain, from is 0.
type Wave interface {
	Arc(t gpu.Thread, from, to, mask uint32) (changed bool)
}

// Graph is a graph in CSR form: the arcs of node v are Offsets[v] up to, but not including,
// Offsets[v+1].
type Graph struct {
	Offsets []uint32
	Targets []uint32
	Masks   []uint32 // of arcs; nil where there are none
}

// List is the list of a round. Nodes has two halves, for the round that runs and the next one; what
// Lengths, Weight and Edges are stands at List, Vote and Edges of package megakernel.
type List struct {
	Nodes   []uint32
	Lengths []uint32
	Weight  []uint32
	Edges   []uint32
}

// Round walks the arcs of one node of the list. It runs once for every node: the domain is the list.
// Order does not matter within a round.
func Round[W Wave](t gpu.Thread, w W, g Graph, l List, round uint32) {
	half := uint32(len(l.Nodes)) / 2
	v := l.Nodes[(round&1)*half+t.Global().X]
	first, last := g.Offsets[v], g.Offsets[v+1]
	gpu.AtomicAdd(&l.Edges[0], last-first)
	for k := first; k < last; k++ {
		to := g.Targets[k]
		if w.Arc(t, v, to, gpu.At(g.Masks, k)) {
			at := gpu.AtomicAdd(&l.Lengths[(round+1)%3], 1)
			l.Nodes[((round+1)&1)*half+at] = to
			gpu.AtomicAdd(&l.Weight[0], 1)
		}
	}
}
