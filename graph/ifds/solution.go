package ifds

import (
	"iter"
	"math/bits"

	"github.com/govyre/vyre/graph/session"
)

// Solution is what follows from the seeds.
type Solution struct {
	Run session.Run // how it was found: by which engine, in how many rounds; items and arcs are those that rounds took
	Why string      // that engine answered

	x         *index
	held      []uint32 // which words of rows have bits
	edges     uint64
	rows      []uint64  // nil if they were left on the device
	summaries []summary // in the order in which they were known; nil if not asked for
}

// Holds reports whether a node follows from a seed along a realisable path; none that the graph does not have.
func (s *Solution) Holds(node uint32) bool {
	if s.x == nil || int64(node) >= int64(len(s.x.procedures)) {
		return false
	}
	for w, to := s.x.of(node); w < to; w++ {
		if s.held[w/32]>>(w%32)&1 != 0 {
			return true
		}
	}
	return false
}

// Nodes are the nodes that hold, ascending.
func (s *Solution) Nodes() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		if s.x == nil {
			return
		}
		for v := range uint32(len(s.x.procedures)) {
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
func (s *Solution) PathEdges() uint64 { return s.edges }

// Entries are the entries of a node's procedure from which the node follows, ascending by the first arc that calls them, and
// whether it follows from a seed that is none. There are none without Options.Entries.
func (s *Solution) Entries(node uint32) (entries []uint32, seed bool) {
	if s.rows == nil || int64(node) >= int64(len(s.x.procedures)) {
		return nil, false
	}
	from, to := s.x.of(node)
	for w, row := range s.rows[from:to] {
		for ; row != 0; row &= row - 1 {
			if bit := 64*w + bits.TrailingZeros64(row); bit > 0 {
				entries = append(entries, s.x.entry[s.x.procedures[node]][bit-1])
			} else {
				seed = true
			}
		}
	}
	return entries, seed
}
