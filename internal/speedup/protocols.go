package speedup

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/megakernel"
)

// strong is the loop of the host over prepared launches, with one word to read and one wait a round.
type strong struct {
	*session
	first, onward, round, end *driver.Sequence // onward ends one repetition and begins the next
	going                     *driver.HostMemory
	rounds                    uint64 // of the last repetition
}

func newStrong(s *session) (*strong, error) {
	p, err := s.plan(megakernel.Options{Label: "strong", Topology: megakernel.HostLoop})
	if err != nil {
		return nil, err
	}
	n := &strong{session: s}
	if n.going, err = s.dev.AllocHost(4); err != nil {
		return nil, err
	}
	s.closers = append(s.closers, n.going)
	c := p.Commands()
	record := func(label string, parts ...func(*driver.Sequence)) *driver.Sequence {
		q := s.sequence("strong, " + label)
		for _, part := range parts {
			part(q)
		}
		err = errors.Join(err, q.Prepare())
		return q
	}
	look := func(q *driver.Sequence) { q.Read(c.Going, n.going.Bytes()) }
	n.first = record("first round", c.Begin, c.Round, look)
	n.onward = record("first round after another", c.End, c.Begin, c.Round, look)
	n.round = record("round", c.Round, look)
	n.end = record("end", c.End)
	return n, err
}

func (n *strong) do() error {
	q := n.first
	for range n.reps {
		n.rounds = 0
		for going := true; going; going = binary.LittleEndian.Uint32(n.going.Bytes()) != 0 {
			if err := n.run(q); err != nil {
				return err
			}
			n.rounds++
			q = n.round
		}
		q = n.onward
	}
	return n.run(n.end)
}

// other runs a plan, whatever drives it.
type other struct {
	*session
	name string
	plan *megakernel.Plan
}

func (o *other) do() error {
	for range o.reps {
		if err := o.once(); err != nil {
			return err
		}
	}
	return nil
}

func (o *other) once() error {
	rec, err := o.plan.Run(o.ctx)
	if err == nil && rec.Status != megakernel.Converged {
		err = fmt.Errorf("graph %s, %s: %v after %d rounds", o.w.Name, o.name, rec.Status, rec.Rounds)
	}
	return err
}

// trials is how often each candidate runs in a trial, after a run that is not timed.
const trials = 3

// newOther returns what is fastest of all that is neither the host's loop nor resident, by the least of some runs.
func newOther(s *session, say func(format string, args ...any)) (*other, error) {
	type candidate struct {
		topology megakernel.Topology
		polls    []uint32
	}
	candidates := []candidate{{megakernel.BackToBack, []uint32{4, 16, 64}}}
	caps := s.dev.Caps()
	if caps.Graphs {
		candidates = append(candidates, candidate{megakernel.Captured, []uint32{1, 4, 16, 64}})
	}
	if caps.LoopNodes {
		candidates = append(candidates, candidate{megakernel.DeviceLoop, []uint32{0}})
	}
	var best *other
	var least time.Duration
	for _, c := range candidates {
		for _, k := range c.polls {
			p, err := s.plan(megakernel.Options{Label: "other", Topology: c.topology, PollRounds: k})
			if err != nil {
				return nil, err
			}
			o := &other{s, c.topology.String(), p}
			if k > 0 {
				o.name = fmt.Sprintf("%v k=%d", c.topology, k)
			}
			took, err := o.trial()
			if err != nil {
				return nil, err
			}
			say("  %-20s %v", o.name, took)
			if best == nil || took < least {
				best, least = o, took
			}
		}
	}
	return best, nil
}

// trial is the time of the fastest of some runs.
func (o *other) trial() (least time.Duration, err error) {
	for k := range trials + 1 {
		if err := o.run(o.anew); err != nil {
			return 0, err
		}
		begin := time.Now()
		if err := o.once(); err != nil {
			return 0, err
		}
		if took := time.Since(begin); k == 1 || k > 1 && took < least {
			least = took
		}
	}
	return least, nil
}

// resident is one launch a repetition, and one submission for all of them.
type resident struct {
	*session
	all     *driver.Sequence
	started driver.Pending
}

func newResident(s *session, say func(format string, args ...any)) (*resident, error) {
	p, err := s.plan(megakernel.Options{Label: "resident"})
	if err != nil {
		return nil, err
	}
	switch p.Topology() {
	case megakernel.Cooperative, megakernel.Drained:
		say("%s: resident is %v", s.w.Name, p.Topology())
	default:
		return nil, fmt.Errorf("graph %s: the plan took the topology %v, which is no single launch", s.w.Name, p.Topology())
	}
	r := &resident{session: s, all: s.sequence("resident")}
	for range s.reps {
		p.Commands().Begin(r.all)
	}
	return r, r.all.Prepare()
}

func (r *resident) do() (err error) {
	r.started, err = r.all.Start(r.ctx)
	return err
}

func (r *resident) wait() error {
	_, err := r.started.Wait(r.ctx)
	return err
}
