//vyre:library

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
// Lengths, Weight and Edges are stands at Spread, Vote and Edges of package megakernel.
type List struct {
	Nodes   []uint32
	Lengths []uint32
	Weight  []uint32
	Edges   []uint32
}
