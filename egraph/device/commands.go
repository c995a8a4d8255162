package device

import (
	"context"
	"errors"

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

// finish adds the work of a plan and a read of what that leaves, and prepares all.
func (c *commands) finish(dev vyre.Device, p *megakernel.Plan, name string, from driver.Range, to []byte) error {
	last := c.first
	if p.Commands().Round == nil {
		p.Commands().Begin(c.first)
	} else {
		c.plan, c.read = p, dev.NewSequence(name)
		last = c.read
	}
	last.Read(from, to)
	if err := c.first.Prepare(); err != nil {
		return err
	}
	return last.Prepare()
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

// settle waits for what a call left under way.
func (c *commands) settle(ctx context.Context) error {
	if err := c.first.Settle(ctx); err != nil || c.plan == nil {
		return err
	}
	if err := c.plan.Settle(ctx); err != nil {
		return err
	}
	return c.read.Settle(ctx)
}

func (c *commands) close() (err error) {
	for _, seq := range []*driver.Sequence{c.first, c.read} {
		if seq != nil {
			err = errors.Join(err, seq.Close())
		}
	}
	return err
}
