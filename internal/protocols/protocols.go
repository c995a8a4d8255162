package protocols

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/evidence"
	"github.com/govyre/vyre/megakernel"
)

// strong is the loop of the host over prepared launches, with one word to read and one wait a round.
type strong struct {
	*bench
	first, onward, round, end *driver.Sequence // onward ends one repetition and begins the next
	going                     *driver.HostMemory
	rounds                    uint64 // of the last repetition
}

func newStrong(b *bench) (*strong, error) {
	p, err := b.plan(megakernel.Options{Label: "strong", Topology: megakernel.HostLoop})
	if err != nil {
		return nil, err
	}
	n := &strong{bench: b}
	if n.going, err = b.host(4); err != nil {
		return nil, err
	}
	c := p.Commands()
	record := func(label string, parts ...func(*driver.Sequence)) *driver.Sequence {
		q := b.sequence("strong, " + label)
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
	*bench
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
func newOther(b *bench, say func(format string, args ...any)) (*other, error) {
	type candidate struct {
		topology megakernel.Topology
		polls    []uint32
	}
	candidates := []candidate{{megakernel.BackToBack, []uint32{4, 16, 64}}}
	caps := b.dev.Caps()
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
			p, err := b.plan(megakernel.Options{Label: "other", Topology: c.topology, PollRounds: k})
			if err != nil {
				return nil, err
			}
			o := &other{b, c.topology.String(), p}
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
		if err := o.anew(); err != nil {
			return 0, err
		}
		begin := time.Now()
		if err := o.once(); err != nil {
			return 0, err
		}
		took := time.Since(begin)
		if _, err := o.check(evidence.BestOther, &protocol{name: o.name, answers: o.onDevice}, 1); err != nil {
			return 0, err
		}
		if k == 1 || k > 1 && took < least {
			least = took
		}
	}
	return least, nil
}

// resident is the session's plan: one launch a repetition, and one submission for all of them.
type resident struct {
	*bench
	all     *driver.Sequence
	started driver.Pending
}

func newResident(b *bench, say func(format string, args ...any)) (*resident, error) {
	p := b.search.Plan
	switch p.Topology() {
	case megakernel.Cooperative, megakernel.Drained:
		say("%s: resident is %v", b.w.Name, p.Topology())
	default:
		return nil, fmt.Errorf("graph %s: the session's plan has the topology %v, which is more than one launch; take a device with cooperative launches", b.w.Name, p.Topology())
	}
	r := &resident{bench: b, all: b.sequence("resident")}
	for range b.reps {
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
