package ifds

import (
	"iter"
	"math/bits"
)

// Solution is what follows from the seeds.
type Solution struct {
	nodes int
	first []uint64
	rows  []uint64
}

// Holds reports whether a node follows from a seed along a realisable path; none that the graph does not have.
func (s *Solution) Holds(node uint32) bool {
	if int64(node) >= int64(s.nodes) {
		return false
	}
	for _, w := range s.rows[s.first[node]:s.first[node+1]] {
		if w != 0 {
			return true
		}
	}
	return false
}

// Nodes are the nodes that hold, ascending.
func (s *Solution) Nodes() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for v := range uint32(s.nodes) {
			if s.Holds(v) && !yield(v) {
				return
			}
		}
	}
}

// Count returns how many nodes hold.
func (s *Solution) Count() (n int) {
	for range s.Nodes() {
		n++
	}
	return n
}

// PathEdges returns how many pairs there are of a node that holds and an entry of its procedure, or the seeds, from which it
// follows.
func (s *Solution) PathEdges() (n uint64) {
	for _, w := range s.rows {
		n += uint64(bits.OnesCount64(w))
	}
	return n
}
