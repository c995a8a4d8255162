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
	Count bool     // how many nodes are reached, and not which: a query alone then leaves the set on the device, and the answer has none
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

// settle checks a query, and makes its seeds ones that there is room for.
func (s *resident) settle(i int, q Query) (Query, error) {
	seeds, err := s.distinct(func() string { return fmt.Sprintf("query %d", i) }, q.Seeds)
	q.Seeds = seeds
	return q, err
}

// settleAll is settle for a batch, whose slice is the caller's.
func (s *resident) settleAll(queries []Query) ([]Query, error) {
	settled := queries
	for i, q := range queries {
		q, err := s.settle(i, q)
		if err != nil {
			return nil, err
		}
		if len(q.Seeds) == len(queries[i].Seeds) {
			continue
		}
		if &settled[0] == &queries[0] {
			settled = slices.Clone(queries)
		}
		settled[i] = q
	}
	return settled, nil
}

// distinct refuses seeds that cannot be; the error names their owner. A seed that is listed twice changes no answer, so it takes a
// place only while there are enough: a list within Options.Seeds is returned as it is, without an allocation.
func (s *resident) distinct(what func() string, seeds []uint32) ([]uint32, error) {
	for k, v := range seeds {
		if int64(v) >= int64(s.g.Nodes()) {
			return nil, s.refuse(fmt.Sprintf("%s: seed %d is node %d, the graph has %d", what(), k, v, s.g.Nodes()), "nodes count from 0")
		}
	}
	if len(seeds) <= s.o.Seeds {
		return seeds, nil
	}
	sorted := slices.Clone(seeds)
	slices.Sort(sorted)
	once := slices.Compact(sorted)
	if len(once) > s.o.Seeds {
		return nil, s.refuse(fmt.Sprintf("%s has %d different seeds, the session was opened for %d", what(), len(once), s.o.Seeds), "raise session.Options.Seeds")
	}
	return once, nil
}
