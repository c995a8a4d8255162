package session

import (
	"context"
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/cycles"
	"github.com/govyre/vyre/megakernel"
)

// Topological is an order of the nodes of a graph without cycles, or says why there is none.
type Topological struct {
	Run    Run
	levels []uint32
	stuck  int
	cycle  []uint32
}

// Levels returns for each node how many arcs the longest path to it has; None for nodes on cycles and behind them. It must not
// be written.
func (o *Topological) Levels() []uint32 { return o.levels }

// Stuck returns how many nodes are on a cycle or behind one.
func (o *Topological) Stuck() int { return o.stuck }

// Cycle returns the nodes of one cycle in the order of its arcs, the smallest first; none if there is no cycle.
func (o *Topological) Cycle() []uint32 { return o.cycle }

// TopologicalLevels returns for each node the length of the longest path to it along arcs of the kinds allowed. 0 is all
// kinds. The first call prepares the analysis, which takes 8 bytes a node.
//
// Errors: those of Components.
func (s *Session) TopologicalLevels(ctx context.Context, kinds uint32) (_ *Topological, err error) {
	if err := s.made(); err != nil {
		return nil, err
	}
	set := s.sets.first()
	by, err := set.answering(ctx)
	if err != nil {
		return nil, err
	}
	defer set.exit(&err)
	filter := set.kinds(Query{Kinds: kinds})
	o, before := &Topological{}, set.moved
	if o.levels, o.Run, err = by.topological(ctx, filter); err != nil {
		return nil, err
	}
	set.moved.since(before, &o.Run)
	for _, level := range o.levels {
		if level == graph.None {
			o.stuck++
		}
	}
	if o.stuck > 0 {
		o.cycle = cycle(set.g, o.levels, filter)
	}
	return o, nil
}

func (k *kernels) topological(ctx context.Context, filter uint32) ([]uint32, Run, error) {
	o, err := k.order.get(k.runner, func() (*peels, error) {
		return newPeels(ctx, k.runner, "topological levels", cycles.ByRound, k.forward)
	})
	if err != nil {
		return nil, Run{}, err
	}
	r, err := o.run(ctx, filter)
	if err == nil {
		err = k.ended("topological levels", r)
	}
	if err != nil {
		return nil, r, err
	}
	levels, err := k.readWords(ctx, driver.All(o.label))
	return levels, r, err
}

// cycle finds one among the nodes without a level, each of which has another one before it: whoever goes back from one to
// the other comes to a node twice.
func cycle(g *graph.CSR, levels []uint32, filter uint32) []uint32 {
	all, before := rowsOf(g), make([]uint32, g.Nodes())
	for v := range before {
		before[v] = graph.None
	}
	at := uint32(graph.None)
	for u := range uint32(g.Nodes()) {
		if levels[u] != graph.None {
			continue
		}
		at = min(at, u)
		targets, masks := all.of(u)
		for k, v := range targets {
			if mask := maskAt(masks, k); mask&filter != 0 && before[v] == graph.None {
				before[v] = u
			}
		}
	}
	seen := make([]bool, g.Nodes())
	for ; !seen[at]; at = before[at] {
		seen[at] = true
	}
	list := []uint32{at}
	for v := before[at]; v != at; v = before[v] {
		list = append(list, v)
	}
	slices.Reverse(list)
	first := slices.Index(list, slices.Min(list))
	return slices.Concat(list[first:], list[:first])
}

// peels takes nodes away to which no arc comes.
type peels struct {
	*analysis
	label, count driver.Buffer
}

// newPeels prepares it, with labels of its own.
func newPeels(ctx context.Context, s *runner, label string, by uint32, of *image) (*peels, error) {
	o := &peels{analysis: s.analysis(label)}
	n := 4 * int64(s.g.Nodes())
	o.want(&o.label, n, label)
	o.want(&o.count, n, label+" arcs")
	p, err := cycles.Unpack(s.g.Masks() != nil)
	if err == nil {
		err = o.open()
	}
	if err != nil {
		return nil, err
	}
	return o, o.plan(ctx, peelWaves(s, p, by, 1, of, o.label, o.count), peelDependencies, megakernel.Options{MaxRounds: peelRounds(s.g)})
}

// peelRounds are more than there can be: each takes a node away.
func peelRounds(g *graph.CSR) uint32 { return uint32(min(g.Nodes()+1, 1<<31)) }

var peelDependencies = []megakernel.Dependency{{Before: 0, After: 1}, {Before: 1, After: 2}}

// peelWaves take nodes away along the arcs of an image; all is 1 if none has a label at first.
func peelWaves(s *runner, p cycles.Programs, by, all uint32, of *image, labels, counts driver.Buffer) []megakernel.Wave {
	label, count, list, lengths, filter := driver.All(labels), driver.All(counts), driver.All(s.list), driver.All(s.lengths), driver.All(s.filter)
	counting := append([]driver.Arg{}, maskedArrays(of)...)
	counting = slices.Insert(counting, 1, driver.Arg(driver.U32(by)))
	round := append([]driver.Arg{megakernel.Round{}, megakernel.Size{}, driver.U32(by)}, of.arrays()...)
	return []megakernel.Wave{
		{Program: p.Clear, Phase: megakernel.Before, Domain: megakernel.Fixed(uint32(max(s.g.Nodes(), 3))), Args: []driver.Arg{driver.U32(all), label, count, lengths}},
		{Program: p.Count, Phase: megakernel.Before, Domain: s.answerDomain(), Args: append(counting, filter, label, count)},
		{Program: p.Sources, Phase: megakernel.Before, Domain: s.answerDomain(), Args: []driver.Arg{driver.U32(by), label, count, list, lengths}},
		{Program: p.Peel, Domain: megakernel.Spread(lengths, uint32(s.g.Nodes())), Args: append(round, filter, label, count, list, lengths, megakernel.Vote{}, megakernel.Edges{})},
	}
}
