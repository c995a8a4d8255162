package session

import (
	"context"

	"github.com/govyre/vyre/graph"
)

// Tree is a shortest path to every node that is reached: the parent of each is the smallest node that comes before it on one.
type Tree struct {
	Run     Run
	g       *graph.CSR
	kinds   uint32
	levels  []uint32
	parents []uint32
}

// Levels returns for each node how many arcs from the nearest seed it is; None if it is not reached. It must not be written.
func (t *Tree) Levels() []uint32 { return t.levels }

// Parents returns the parent of each node; None of seeds, and of nodes that are not reached. It must not be written.
func (t *Tree) Parents() []uint32 { return t.parents }

// Path returns the path from a seed to a node, that of Session.Path; none if it is not reached. No device is asked, but the
// graph is, which has to be open.
//
// Errors: those of CSR.Read.
func (t *Tree) Path(to uint32) (path []Step, err error) {
	if int64(to) >= int64(len(t.levels)) || t.levels[to] == graph.None {
		return nil, nil
	}
	err = t.g.Read(func() error {
		path = t.path(to)
		return nil
	})
	return path, err
}

func (t *Tree) path(to uint32) []Step {
	path := make([]Step, t.levels[to]+1)
	for at := t.levels[to]; at > 0; at-- {
		from := t.parents[to]
		path[at] = Step{to, firstAllowed(t.g, from, to, t.kinds)}
		to = from
	}
	path[0] = Step{Node: to}
	return path
}

// Tree returns the levels and the parents of all nodes: the search of Levels, and a step in which each node looks for its
// parent. The first call prepares that step, which takes 4 bytes a node.
//
// Errors: those of Levels.
func (s *Session) Tree(ctx context.Context, q Query) (_ *Tree, err error) {
	if err := made(s); err != nil {
		return nil, err
	}
	q.Count = false
	if q, err = s.resident.forLevels(q); err != nil {
		return nil, err
	}
	set := s.sets.first()
	by, err := set.searching(ctx, 2) // parents take another pass over the arcs
	if err != nil {
		return nil, err
	}
	defer set.exit(&err)
	t, before := &Tree{g: set.g, kinds: set.kinds(q)}, set.moved
	if t.levels, t.Run, err = by.levels(ctx, q); err != nil {
		return nil, err
	}
	var looked Run
	if t.parents, looked, err = by.parents(ctx, t.levels, t.kinds); err != nil {
		return nil, err
	}
	t.Run.alsoTook(looked)
	set.moved.since(before, &t.Run)
	t.Run.Record.Rounds = max(t.Run.Record.Rounds, deepest(t.levels))
	return t, nil
}
