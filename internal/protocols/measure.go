package protocols

import (
	"context"
	"errors"
	"fmt"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/evidence"
)

// Options say how much is measured.
type Options struct {
	Run         string // names all that one process measures
	Repetitions int    // of each protocol in a sample, half of them in each of its two regions
	Samples     int
	Rehearsal   bool                             // see evidence.Subject
	Say         func(format string, args ...any) // is told what happens, between regions; nil is nobody
}

// attempts is how often a sample is measured until its halves agree.
const attempts = 5

// Subject is what the rows of the work are about.
func (w *Work) Subject(o Options) evidence.Subject {
	return evidence.Subject{Run: o.Run, Graph: w.Name, GraphDigest: w.Digest, Nodes: uint64(w.Graph.Nodes()), Edges: uint64(w.Graph.Arcs()),
		Seeds: uint64(len(w.Seeds)), Digest: w.Want, Rehearsal: o.Rehearsal}
}

// Check returns why nothing can be measured that way on a device.
func (o Options) Check(dev driver.Device) error {
	switch {
	case !dev.Caps().GridBarrier:
		return fmt.Errorf("%s has no launches whose groups wait for each other, which the resident protocol is made of; take a device that has them", dev.Name())
	case o.Repetitions < 2 || o.Repetitions%2 != 0:
		return fmt.Errorf("%d repetitions, want an even number: half of them are measured in each of two regions", o.Repetitions)
	case o.Samples < 1:
		return fmt.Errorf("%d samples, want at least 1", o.Samples)
	}
	return nil
}

// Measure returns the samples of a work on a device. A result that is wrong is an error of type *WrongResult.
func Measure(ctx context.Context, dev driver.Device, w *Work, o Options) (rows []evidence.Row, err error) {
	if o.Say == nil {
		o.Say = func(string, ...any) {}
	}
	if err := o.Check(dev); err != nil {
		return nil, err
	}
	err = w.drive(ctx, dev, o.Repetitions/2, func(b *bench) error {
		ps, err := b.protocols(o)
		if err != nil {
			return err
		}
		for n := 1; n <= o.Samples; n++ {
			row, err := b.sample(ps, n, o)
			if err != nil {
				return err
			}
			rows = append(rows, row)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return rows, nil
}

// protocols are the four, each with what its regions are.
type protocols [evidence.Resident + 1]protocol

type protocol struct {
	name   string // of best other, what it is
	do     func() error
	wait   func() error // for what do started; nil if it waits itself
	rounds *uint64      // of the last repetition; nil if it does not count them
	closes bool
	// answers returns what the repetitions of the last region found, by their numbers.
	answers func() (func(repetition int) []byte, error)
}

// protocols prepares everything that is not part of a repetition, and runs each region once.
func (b *bench) protocols(o Options) (ps protocols, err error) {
	if err := b.setUp(); err != nil {
		return ps, err
	}
	n, err1 := newNaive(b)
	st, err2 := newStrong(b)
	r, err3 := newResident(b, o.Say)
	if err := errors.Join(err1, err2, err3); err != nil {
		return ps, err
	}
	o.Say("%s: %d nodes, %d arcs, %d seeds, %d rounds; the fastest of %d runs:", b.w.Name, b.w.Graph.Nodes(), b.w.Graph.Arcs(), len(b.w.Seeds), b.w.Rounds, trials)
	other, err := newOther(b, o.Say)
	if err != nil {
		return ps, err
	}
	ps = protocols{
		evidence.Naive:     {do: n.do, rounds: &n.rounds, answers: n.answers},
		evidence.Strong:    {do: st.do, rounds: &st.rounds, closes: true, answers: b.onDevice},
		evidence.BestOther: {do: other.do, name: other.name, answers: b.onDevice},
		evidence.Resident:  {do: r.do, wait: r.wait, answers: b.onDevice},
	}
	for p := range ps {
		if err := b.warm(evidence.Protocol(p), &ps[p]); err != nil {
			return ps, err
		}
	}
	return ps, nil
}

// warmings is how often a region runs before the first one is measured: some devices make a graph of what runs again.
const warmings = 3

// warm runs a region that is not measured.
func (b *bench) warm(p evidence.Protocol, of *protocol) error {
	n := warmings
	if p == evidence.Naive { // prepares everything each time
		n = 1
	}
	for range n {
		if err := b.anew(); err != nil {
			return err
		}
		if err := of.do(); err != nil {
			return err
		}
		if of.wait != nil {
			if err := of.wait(); err != nil {
				return err
			}
		}
		if _, err := b.check(p, of, b.reps); err != nil {
			return err
		}
	}
	return nil
}

// sample measures until the halves of a sample agree.
func (b *bench) sample(ps protocols, n int, o Options) (row evidence.Row, err error) {
	subject := b.w.Subject(o)
	subject.Sample = n
	for range attempts {
		e := evidence.NewSample(b.dev, subject)
		if err := e.Setup(b.setUp); err != nil {
			return row, err
		}
		for p, more := e.Next(); more; p, more = e.Next() {
			if err := b.anew(); err != nil {
				return row, err
			}
			if err := e.Measure(b.region(p, &ps[p])); err != nil {
				return row, err
			}
		}
		if row, err = e.Row(); !errors.Is(err, evidence.ErrVoid) {
			if err == nil {
				o.Say("%s: sample %d: naive %s ns, strong %s, %s %s, resident %s", b.w.Name, n, row.Field("naive_ns"), row.Field("strong_ns"), row.Field("best_other"),
					row.Field("best_other_ns"), row.Field("resident_ns"))
			}
			return row, err
		}
		o.Say("%v", err)
	}
	return row, fmt.Errorf("gave up after %d attempts: %w", attempts, err)
}

// region is a region of a sample.
func (b *bench) region(p evidence.Protocol, of *protocol) evidence.Region {
	return evidence.Region{Protocol: p, Name: of.name, Repetitions: b.reps, Do: of.do, Wait: of.wait, Closes: of.closes, Results: func() (rounds uint64, digests [][2]uint64, err error) {
		if of.rounds != nil {
			rounds = *of.rounds
		}
		digests, err = b.check(p, of, b.reps)
		return rounds, digests, err
	}}
}
