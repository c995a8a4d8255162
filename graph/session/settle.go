package session

import (
	"fmt"
	"slices"
)

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
