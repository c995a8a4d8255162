package session

import (
	"context"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/waves"
	"github.com/govyre/vyre/megakernel"
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
	if q, err = s.forLevels(q); err != nil {
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

func (k *kernels) parents(ctx context.Context, _ []uint32, kinds uint32) ([]uint32, Run, error) {
	p, err := k.tree.get(k.runner, func() (*parents, error) { return newParents(ctx, k.runner, k.level) })
	if err != nil {
		return nil, Run{}, err
	}
	run, err := p.run(ctx, kinds)
	if err != nil {
		return nil, run, err
	}
	list, err := k.readWords(ctx, driver.All(p.memory))
	return list, run, err
}

// parents finds those of all nodes, from levels that are on the device.
type parents struct {
	*analysis
	memory driver.Buffer
}

func newParents(ctx context.Context, s *runner, levels driver.Buffer) (*parents, error) {
	p := &parents{analysis: s.analysis("parents")}
	p.want(&p.memory, 4*int64(s.g.Nodes()), "parents")
	program, err := waves.ParentsProgram()
	if err == nil {
		err = p.open()
	}
	if err != nil {
		return nil, err
	}
	args := append(maskedArrays(s.back), driver.All(s.filter), driver.All(levels), driver.All(p.memory))
	return p, p.plan(ctx, []megakernel.Wave{{Program: program, Domain: megakernel.Fixed(uint32(s.g.Nodes())), Args: args}}, nil, megakernel.Options{})
}
