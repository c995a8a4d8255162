package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/waves"
	"github.com/govyre/vyre/megakernel"
)

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

// mostLabels is for how many kinds of arcs labels are kept. The oldest make room for others.
const mostLabels = 2

// labels are those of the components of a symmetric graph, by the kinds of arcs that are allowed.
type labels struct {
	*analysis
	memory driver.Buffer // of the slots, one after another
	slots  []slot
	clock  uint64
	lacks  error // why there is no memory
}

// slot is where labels stand.
type slot struct {
	kinds uint32
	run   Run    // that made them
	used  uint64 // by the clock; 0 if there are none
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

// labelClock is now, by the clock.
func (s *Session) labelClock() uint64 {
	if s.labels == nil {
		return 0
	}
	return s.labels.clock
}

// labelled returns the slot with the labels for these kinds, made if they are not there, or -1 with the reason.
// Slots that were used after the clock said since are left alone.
func (s *Session) labelled(ctx context.Context, kinds uint32, since uint64) (int, string, error) {
	switch {
	case !s.symmetric:
		return -1, "the graph is not symmetric", nil
	case !s.free:
		return -1, "a topology was asked for", nil
	}
	if s.labels == nil {
		s.labels = &labels{}
		if err := s.openLabels(ctx); err != nil {
			return -1, "", err
		}
	}
	l := s.labels
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
	r, err := s.runWeak(ctx, kinds)
	if err != nil {
		return -1, "", err
	}
	n := 4 * int64(s.g.Nodes())
	copied := s.dev.NewSequence(s.o.Label + " labels")
	copied.Copy(driver.Part(l.memory, int64(oldest)*n, n), driver.All(s.weak.parent))
	if _, err = copied.Once(ctx); err != nil {
		return -1, "", err
	}
	l.clock++
	*to = slot{kinds: kinds, run: r, used: l.clock}
	return oldest, why, nil
}

// openLabels allocates slots, and prepares what answers by them. That there is no memory for it is no error: searches go on.
func (s *Session) openLabels(ctx context.Context) error {
	err := s.openWeak(ctx)
	if err == nil {
		l := &labels{analysis: s.analysis("labels"), slots: make([]slot, mostLabels)}
		l.want(&l.memory, 4*int64(s.g.Nodes())*mostLabels, "labels")
		if err = l.open(); err == nil {
			err = l.prepare(ctx)
		}
		if err == nil {
			s.labels, s.closers = l, append(s.closers, l)
		}
	}
	if e := (*driver.Error)(nil); errors.As(err, &e) && e.Kind == driver.OutOfMemory {
		s.labels.lacks, err = err, nil
	}
	if err != nil {
		s.labels = nil // so that the next query tries again
	}
	return err
}

// prepare makes the plan that answers a query by labels.
func (l *labels) prepare(ctx context.Context) error {
	p, err := waves.UnpackLabels()
	if err != nil {
		return errors.Join(err, l.Close())
	}
	s := l.s
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
