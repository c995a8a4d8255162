package session

import (
	"context"
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/cycles"
	"github.com/govyre/vyre/megakernel"
)

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
