package cpu

import "math"

// None is the level of a node that is not reached.
const None = math.MaxUint32

// Graph is a graph in compressed rows: the arcs of node u lead to Targets[Offsets[u]:Offsets[u+1]], and Masks stand beside
// them, or are nil if every mask is 1. Where 32 bits do not count the arcs, the offsets are Wide, and Offsets is nil.
type Graph struct {
	Offsets        []uint32
	Wide           []uint64
	Targets, Masks []uint32
}

func (g *Graph) nodes() int { return max(len(g.Offsets), len(g.Wide), 1) - 1 }

// row returns which arcs a node has.
func (g *Graph) row(u uint32) (first, last uint64) {
	if g.Wide != nil {
		return g.Wide[u], g.Wide[u+1]
	}
	return uint64(g.Offsets[u]), uint64(g.Offsets[u+1])
}

// degree returns how many they are.
func (g *Graph) degree(u uint32) uint64 {
	first, last := g.row(u)
	return last - first
}

// allowed reports whether arc k is.
func (g *Graph) allowed(k uint64, filter uint32) bool {
	return g.Masks == nil && filter&1 != 0 || g.Masks != nil && g.Masks[k]&filter != 0
}
