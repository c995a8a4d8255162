package session

import (
	"cmp"
	"context"
	"slices"

	"github.com/govyre/vyre/graph/internal/cpu"
)

// Nearby is a node that is near others: how many arcs away, and by arcs of which kinds it is reached.
type Nearby = cpu.Nearby

// Near are the nodes near some others.
type Near struct {
	Run   Run
	Nodes []Nearby // the nearest first; of those as near, the smaller one
}

// Near returns the nodes that are at most so many allowed arcs away from a seed of the query, the seeds among them. It costs what
// their arcs cost, however large the graph is: nothing else is walked, cleared or read back. Levels and Reach pay for all nodes. The
// first call prepares it, which takes 20 bytes a node on the device, or 4 in the host's memory. Options.Parallel questions run side by
// side, and each of those takes that.
//
// One core of the host answers in a native session, and for a graph in parts, of which it reads a few rows. A search along some
// thousand arcs is over there before a GPU has begun. Kernels are faster where nodes with very many arcs are near.
//
// Errors: those of Batch; OutOfMemory if the budget has no room for it.
func (s *Session) Near(ctx context.Context, q Query, arcs uint32) (_ *Near, err error) {
	if err := made(s); err != nil {
		return nil, err
	}
	if q, err = s.resident.settle(0, q); err != nil {
		return nil, err
	}
	set, by, err := s.sets.take(ctx, 1)
	if err != nil {
		return nil, err
	}
	defer s.sets.leave(set, &err)
	r, before := &Near{}, set.moved
	if r.Nodes, r.Run, err = by.near(ctx, q, arcs); err != nil {
		return nil, err
	}
	set.moved.since(before, &r.Run)
	slices.SortFunc(r.Nodes, func(a, b Nearby) int { return cmp.Or(cmp.Compare(a.Arcs, b.Arcs), cmp.Compare(a.Node, b.Node)) })
	r.Run.Record.Rounds = 0
	if n := len(r.Nodes); n > 0 { // engines count a round that finds nothing, or do not
		r.Run.Record.Rounds = r.Nodes[n-1].Arcs + 1
	}
	return r, nil
}
