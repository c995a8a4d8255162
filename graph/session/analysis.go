package session

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/megakernel"
)

// analysis is a plan beside those of the searches, with memory of its own. It is made when it is first asked for, and
// kept until the session is closed. It shares the session's list, lengths and filter with the searches: one of all runs
// at a time.
type analysis struct {
	s       *runner
	label   string
	p       *megakernel.Plan
	wanted  []wanted
	bytes   uint64 // of what is wanted
	beside  uint64 // of another analysis that this one opens after it
	closers []closer
}

// planRoom is what a plan may take beside what is counted: control words.
const planRoom = 4 << 10

func (s *runner) analysis(label string) *analysis {
	return &analysis{s: s, label: label, bytes: planRoom}
}

// want counts a buffer, which open allocates.
func (a *analysis) want(to *driver.Buffer, bytes int64, label string) {
	a.wanted = append(a.wanted, wanted{to, bytes, label})
	a.bytes += uint64(bytes)
}

// open compares what is wanted with what is left of the budget, and allocates it.
func (a *analysis) open() error {
	if left, ok := a.s.analysed.take(a.bytes, a.beside, a.s.limit()); !ok {
		e := plan.OverBudget("session", a.label, a.label, -1, a.bytes+a.beside, left, "raise session.Options.Budget, or close the session and open one for this analysis alone")
		e.Label, e.Device = a.s.o.Label, a.s.dev.Name()
		return e
	}
	for _, w := range a.wanted {
		b, err := a.s.buffer(w)
		if err != nil {
			return errors.Join(err, a.Close())
		}
		*w.to = b
		a.closers = append(a.closers, b)
	}
	return nil
}

// plan makes the plan, of waves that are known once there is memory. After an error nothing is left of the analysis.
func (a *analysis) plan(ctx context.Context, waves []megakernel.Wave, deps []megakernel.Dependency, o megakernel.Options) (err error) {
	o.Label, o.Topology = a.s.o.Label+" "+a.label, a.s.inRounds()
	if a.p, err = megakernel.New(ctx, a.s.dev, waves, deps, o); err != nil {
		return errors.Join(err, a.Close())
	}
	a.closers = append(a.closers, a.p)
	return nil
}

// Close gives back what the analysis has.
func (a *analysis) Close() (err error) {
	for k := len(a.closers) - 1; k >= 0; k-- {
		err = errors.Join(err, a.closers[k].Close())
	}
	a.closers = nil
	a.s.analysed.give(a.bytes)
	a.bytes = 0
	return err
}

// run runs the plan for arcs of the kinds that the filter allows.
func (a *analysis) run(ctx context.Context, filter uint32) (Run, error) {
	if err := a.s.write(ctx, driver.All(a.s.filter), binary.LittleEndian.AppendUint32(nil, filter)); err != nil {
		return Run{}, err
	}
	r, err := a.s.finish(ctx, a.p)
	if err == nil {
		a.s.totals.add(r)
	}
	return r, err
}
