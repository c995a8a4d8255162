package session

import (
	"fmt"
	"iter"
	"math/bits"
	"slices"
)

// Query asks which nodes can be reached.
type Query struct {
	Seeds []uint32 // nodes to begin with; they are reached. A node may be listed twice.
	Kinds uint32   // of arcs that are allowed, as a mask; 0 is all
	Count bool     // how many nodes are reached, and not which: a query alone then leaves the set on the device, and the answer has none; of Path, levels are not kept
}

// Reached is the answer to a query.
type Reached struct {
	Run Run // with the queries that it was answered with

	words     []uint32
	count     int
	algorithm Algorithm
	why       string
}

// Count returns how many nodes are reached.
func (r *Reached) Count() int { return r.count }

// Contains reports whether a node is reached; none that the graph does not have.
func (r *Reached) Contains(node uint32) bool {
	return int(node/32) < len(r.words) && r.words[node/32]>>(node%32)&1 != 0
}

// Words are the nodes that are reached as bits: node v is bit v%32 of word v/32. They must not be written. There are none if
// the query had Count.
func (r *Reached) Words() []uint32 { return r.words }

// Nodes are the nodes that are reached, ascending.
func (r *Reached) Nodes() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for k, w := range r.words {
			for ; w != 0; w &= w - 1 {
				if !yield(uint32(32*k + bits.TrailingZeros32(w))) {
					return
				}
			}
		}
	}
}

// renew makes an answer one without a run, with room for the set that the query asks for. The caller writes all of the set.
func (r *Reached) renew(q Query, words int, why string) {
	if q.Count {
		words = 0
	}
	*r = Reached{words: slices.Grow(r.words[:0], words)[:words], why: why}
}

// Algorithm is how a set was found.
type Algorithm uint8

// The algorithms.
const (
	Search Algorithm = iota // along the arcs, from the seeds on
	Labels                  // the components of the seeds, in a graph where those are what can be reached
)

func (a Algorithm) String() string {
	switch a {
	case Search:
		return "search"
	case Labels:
		return "labels"
	}
	return fmt.Sprintf("algorithm %d", uint8(a))
}

// Algorithm returns how the set was found, and why that way.
func (r *Reached) Algorithm() (Algorithm, string) { return r.algorithm, r.why }
