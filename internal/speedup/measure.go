package speedup

import (
	"context"
	"errors"
	"fmt"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/evidence"
)

// Options say how much is measured.
type Options struct {
	Run         string // names all that one process measures
	Repetitions int    // of each protocol in a sample, half of them in each of its two regions
	Samples     int
	Rehearsal   bool                             // see evidence.Subject
	blocks      uint32                           // see session
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
	s, err := open(ctx, dev, w, o.Repetitions/2)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	s.blocks = o.blocks
	ps, err := s.protocols(o)
	if err != nil {
		return nil, err
	}
	for n := 1; n <= o.Samples; n++ {
		row, err := s.sample(ps, n, o)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// protocols are the four, each with what its regions are.
type protocols [evidence.Resident + 1]protocol

type protocol struct {
	name   string // of best other, what it is
	do     func() error
	wait   func() error // for what do started; nil if it waits itself
	rounds *uint64      // of the last repetition; nil if nobody counts them
	closes bool
}

// protocols prepares everything that is not part of a repetition, and runs each region once.
func (s *session) protocols(o Options) (ps protocols, err error) {
	if err := s.setUp(); err != nil {
		return ps, err
	}
	n, err1 := newNaive(s)
	st, err2 := newStrong(s)
	r, err3 := newResident(s, o.Say)
	if err := errors.Join(err1, err2, err3); err != nil {
		return ps, err
	}
	o.Say("%s: %d nodes, %d arcs, %d seeds, %d rounds; the fastest of %d runs:", s.w.Name, s.w.Graph.Nodes(), s.w.Graph.Arcs(), len(s.w.Seeds), s.w.Rounds, trials)
	other, err := newOther(s, o.Say)
	if err != nil {
		return ps, err
	}
	ps = protocols{
		evidence.Naive:     {do: n.do, rounds: &n.rounds},
		evidence.Strong:    {do: st.do, rounds: &st.rounds, closes: true},
		evidence.BestOther: {do: other.do, name: other.name},
		evidence.Resident:  {do: r.do, wait: r.wait},
	}
	for p := range ps {
		if err := s.warm(evidence.Protocol(p), &ps[p]); err != nil {
			return ps, err
		}
	}
	return ps, nil
}

// warmings is how often a region runs before the first one is measured: some devices make a graph of what runs again.
const warmings = 3

// warm runs a region that is not measured.
func (s *session) warm(p evidence.Protocol, of *protocol) error {
	n := warmings
	if p == evidence.Naive { // prepares everything each time
		n = 1
	}
	for range n {
		if err := s.run(s.anew); err != nil {
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
		if _, err := s.digestsOf(p, of.name); err != nil {
			return err
		}
	}
	return nil
}

// sample measures until the halves of a sample agree.
func (s *session) sample(ps protocols, n int, o Options) (row evidence.Row, err error) {
	subject := s.w.Subject(o)
	subject.Sample = n
	for range attempts {
		e := evidence.NewSample(s.dev, subject)
		if err := e.Setup(s.setUp); err != nil {
			return row, err
		}
		for p, more := e.Next(); more; p, more = e.Next() {
			if err := s.run(s.anew); err != nil {
				return row, err
			}
			if err := e.Measure(s.region(p, &ps[p])); err != nil {
				return row, err
			}
		}
		if row, err = e.Row(); !errors.Is(err, evidence.ErrVoid) {
			if err == nil {
				o.Say("%s: sample %d: naive %s ns, strong %s, %s %s, resident %s", s.w.Name, n, row.Field("naive_ns"), row.Field("strong_ns"), row.Field("best_other"),
					row.Field("best_other_ns"), row.Field("resident_ns"))
			}
			return row, err
		}
		o.Say("%v", err)
	}
	return row, fmt.Errorf("gave up after %d attempts: %w", attempts, err)
}

// region is a region of a sample.
func (s *session) region(p evidence.Protocol, of *protocol) evidence.Region {
	return evidence.Region{Protocol: p, Name: of.name, Repetitions: s.reps, Do: of.do, Wait: of.wait, Closes: of.closes, Results: func() (rounds uint64, digests [][2]uint64, err error) {
		if of.rounds != nil {
			rounds = *of.rounds
		}
		digests, err = s.digestsOf(p, of.name)
		return rounds, digests, err
	}}
}
