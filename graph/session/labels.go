package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/waves"
	"github.com/govyre/vyre/megakernel"
)

// mostLabels is for how many kinds of arcs labels are kept. The oldest make room for others.
const mostLabels = 2

// labels are those of the components of a symmetric graph, by the kinds of arcs that are allowed.
type labels struct {
	*analysis
	components *weak
	memory     driver.Buffer // of the slots, one after another
	slots      []slot
	clock      uint64
	lacks      error // why there is no memory; then there is nothing else
}

// slot is where labels stand.
type slot struct {
	kinds uint32
	run   Run // that made them
	tally
	used uint64 // by the clock; 0 if there are none
}

// find returns the slot with the labels for these kinds, or -1.
func (l *labels) find(kinds uint32) int {
	for i := range l.slots {
		if l.slots[i].used != 0 && l.slots[i].kinds == kinds {
			l.clock++
			l.slots[i].used = l.clock
			return i
		}
	}
	return -1
}

// now is the time by the clock of labels that may not be there.
func (l *labels) now() uint64 {
	if l == nil {
		return 0
	}
	return l.clock
}

// slot returns the one with the labels for these kinds, as labelled does.
func (l *labels) slot(ctx context.Context, kinds uint32, since uint64) (int, string, error) {
	if l.lacks != nil {
		return -1, "there are no labels: " + l.lacks.Error(), nil
	}
	const why = "the graph is symmetric, and what can be reached is the components of the seeds"
	if at := l.find(kinds); at >= 0 {
		return at, why, nil
	}
	oldest := 0
	for i := range l.slots {
		if l.slots[i].used < l.slots[oldest].used {
			oldest = i
		}
	}
	to := &l.slots[oldest]
	if to.used > since {
		return -1, fmt.Sprintf("labels are kept for %d kinds of arcs, and the batch asks for more", len(l.slots)), nil
	}
	to.used = 0 // if the run fails
	r, err := l.components.find(ctx, kinds)
	if err != nil {
		return -1, "", err
	}
	t, err := l.components.readTally(ctx, l.s)
	if err != nil {
		return -1, "", err
	}
	copied := l.s.dev.NewSequence(l.s.o.Label + " labels")
	copied.Copy(l.of(oldest), driver.All(l.components.parent))
	if _, err = copied.Once(ctx); err != nil {
		return -1, "", err
	}
	l.clock++
	*to = slot{kinds: kinds, run: r, tally: t, used: l.clock}
	return oldest, why, nil
}

// of is the memory of a slot.
func (l *labels) of(slot int) driver.Range {
	n := 4 * int64(l.s.g.Nodes())
	return driver.Part(l.memory, int64(slot)*n, n)
}

// Close gives back what they have, if there is memory for them.
func (l *labels) Close() error {
	if l.lacks != nil {
		return nil
	}
	return l.analysis.Close()
}

// newLabels allocates slots, and prepares what answers by them.
func newLabels(ctx context.Context, s *searches, components *kept[*weak]) (*labels, error) {
	w, err := openWeak(ctx, s.runner, components)
	if err != nil {
		return nil, err
	}
	l := &labels{analysis: s.analysis("labels"), components: w, slots: make([]slot, mostLabels)}
	l.want(&l.memory, 4*int64(s.g.Nodes())*mostLabels, "labels")
	if err := l.open(); err != nil {
		return nil, err
	}
	return l, l.prepare(ctx, s)
}

// prepare makes the plan that answers a query by labels.
func (l *labels) prepare(ctx context.Context, s *searches) error {
	p, err := waves.UnpackLabels()
	if err != nil {
		return errors.Join(err, l.Close())
	}
	turn, staged, seen, answers, memory := s.turn, s.staged, driver.All(s.seen), driver.All(s.answers), driver.All(l.memory)
	stride, slot, nodes := driver.U32(uint32(s.stride)), driver.U32(uint32(s.slot)), driver.U32(uint32(s.g.Nodes()))
	list := []megakernel.Wave{
		clearWave:  {Program: p.Clear, Phase: megakernel.Before, Domain: megakernel.Fixed(uint32(max(s.words(), 3))), Args: []driver.Arg{stride, slot, turn, staged, seen, driver.All(s.lengths), answers}},
		seedWave:   {Program: p.Mark, Phase: megakernel.Before, Domain: s.seedDomain(), Args: []driver.Arg{stride, nodes, turn, staged, memory, seen}},
		roundWave:  {Program: p.Answer, Domain: s.nodeDomain(), Args: []driver.Arg{stride, slot, nodes, turn, staged, memory, seen, answers}},
		answerWave: {Program: p.Next, Phase: megakernel.After, Domain: megakernel.Fixed(1), Args: []driver.Arg{turn}},
	}
	return l.plan(ctx, list, dependencies[:1], megakernel.Options{Blocks: megakernel.AllBlocks})
}
