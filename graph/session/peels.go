package session

import (
	"context"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/cycles"
	"github.com/govyre/vyre/megakernel"
)

// peels takes nodes away to which no arc comes.
type peels struct {
	*analysis
	label, count driver.Buffer
}

// newPeels prepares it, with labels of its own.
func newPeels(ctx context.Context, s *runner, label string, of *image) (*peels, error) {
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
	return o, o.plan(ctx, peelWaves(s, p, of, o.label, o.count), []megakernel.Dependency{{Before: 0, After: 1}, {Before: 1, After: 2}},
		megakernel.Options{MaxRounds: uint32(min(s.g.Nodes()+1, 1<<31))}) // each round takes a node away
}

// peelWaves take nodes away along the arcs of an image.
func peelWaves(s *runner, p cycles.Programs, of *image, labels, counts driver.Buffer) []megakernel.Wave {
	label, count, list, lengths, filter := driver.All(labels), driver.All(counts), driver.All(s.list), driver.All(s.lengths), driver.All(s.filter)
	round := append([]driver.Arg{megakernel.Round{}, megakernel.Size{}}, of.arrays()...)
	return []megakernel.Wave{
		{Program: p.Clear, Phase: megakernel.Before, Domain: megakernel.Fixed(uint32(max(s.g.Nodes(), 3))), Args: []driver.Arg{label, count, lengths}},
		{Program: p.Count, Phase: megakernel.Before, Domain: s.answerDomain(), Args: append(maskedArrays(of), filter, label, count)},
		{Program: p.Sources, Phase: megakernel.Before, Domain: s.answerDomain(), Args: []driver.Arg{label, count, list, lengths}},
		{Program: p.Peel, Domain: megakernel.Spread(lengths, uint32(s.g.Nodes())), Args: append(round, filter, label, count, list, lengths, megakernel.Vote{}, megakernel.Edges{})},
	}
}
