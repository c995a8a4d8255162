package device

import (
	"context"
	"errors"
	"math"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/megakernel"
)

// request is what the commands of a call depend on.
type request struct {
	topology megakernel.Topology
	rows     bool
	upload   int // words
}

// commands are those of a call.
type commands struct {
	plan  *megakernel.Plan // nil if the first sequence has everything
	first *driver.Sequence
	read  *driver.Sequence
}

func (s *Session) request(upload int, o Options) request {
	if o.Topology == megakernel.Auto && s.dev.Caps().GridBarrier {
		o.Topology = megakernel.Cooperative
	}
	return request{o.Topology, o.Rows, upload}
}

// plan returns the plan of a topology.
func (s *Session) plan(ctx context.Context, how megakernel.Topology) (*megakernel.Plan, error) {
	if p := s.plans[how]; p != nil {
		return p, nil
	}
	l := s.im.l
	w := &waves{tuning: s.tuned, l: l, b: s.image, pairs: s.staging()}
	w.make()
	if w.err != nil {
		return nil, w.err
	}
	o := megakernel.Options{Label: label, Topology: how, MaxRounds: math.MaxInt32, Tail: megakernel.TailNever, Cache: s.cache}
	if l.n > many {
		o.Blocks = megakernel.AllBlocks
	}
	p, err := megakernel.New(ctx, s.dev, w.list, w.dependencies(), o)
	if err != nil {
		return nil, err
	}
	s.plans[how] = p
	return p, nil
}

// prepared returns the commands of a request, and prepares them the first time.
func (s *Session) prepared(ctx context.Context, r request) (*commands, error) {
	if c := s.made[r]; c != nil {
		return c, nil
	}
	p, err := s.plan(ctx, r.topology)
	if err != nil {
		return nil, err
	}
	c := &commands{first: s.dev.NewSequence(label)}
	if r.upload > 0 {
		c.first.Upload(driver.Part(s.staging().Buffer, s.staging().Off, 4*int64(r.upload)), vyre.Bytes(s.stage[:r.upload]), driver.Always)
	}
	last := c.first
	if p.Commands().Round == nil {
		p.Commands().Begin(c.first)
	} else {
		c.plan, c.read = p, s.dev.NewSequence(label+", result")
		last = c.read
	}
	from, to := groupClass, s.read[len(s.read)-s.readWords(false):]
	if r.rows {
		from, to = class, s.read
	}
	last.Read(s.im.l.from(s.image, from, parent), vyre.Bytes(to))
	if err = c.first.Prepare(); err == nil {
		err = last.Prepare()
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	s.made[r] = c
	return c, nil
}

// run runs the commands of a call.
func (c *commands) run(ctx context.Context) (driver.Timing, []driver.Report, error) {
	res, err := c.first.Run(ctx)
	all, found := res.Timing, res.Reports
	if err != nil || c.plan == nil {
		return all, found, err
	}
	_, err = c.plan.Run(ctx)
	all, found = all.Add(c.plan.Result().Timing), c.plan.Result().Reports
	if err != nil {
		return all, found, err
	}
	res, err = c.read.Run(ctx)
	return all.Add(res.Timing), found, err
}

func (c *commands) close() (err error) {
	for _, seq := range []*driver.Sequence{c.first, c.read} {
		if seq != nil {
			err = errors.Join(err, seq.Close())
		}
	}
	return err
}
