package megakernel

import (
	"context"
	"errors"
	"fmt"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
)

// TrialRuns is how often each way runs in a trial, after some runs that are not timed: as often as evidence needs.
const TrialRuns = 10

// Trial runs waves in every way in which a plan of them could run, ten times each, and takes that into h. Plans with the
// same options that expect h choose by it from then on (see Options.Expected). Topology and tail are what is tried, so
// options may not ask for them. Before each run reset brings the waves' memory back; nil if waves do that themselves.
//
// Errors: those of New and Run; a run that did not converge; those of reset. What was measured before stays in h.
func Trial(ctx context.Context, dev driver.Device, waves []Wave, deps []Dependency, o Options, h *History, reset func(context.Context) error) error {
	if h == nil {
		return &driver.Error{Op: "trial", Label: o.Label, Kind: driver.InvalidArgument, Msg: "there is no history to take times into", Fix: "pass a pointer to an empty one"}
	}
	if o.Topology != Auto || o.Tail != TailAuto {
		return problem(dev, driver.InvalidArgument, "trial", -1, "options", fmt.Sprintf("a trial of %v", o.Topology), "leave Topology and Tail out: all of them are tried")
	}
	t := trial{ctx, dev, waves, deps, o, h, reset}
	o.Topology = HostLoop
	offered, err := t.way(o)
	for _, pass := range offered {
		if err == nil {
			_, err = t.way(t.options(pass))
		}
	}
	return err
}

// trial is one under way.
type trial struct {
	ctx   context.Context
	dev   driver.Device
	waves []Wave
	deps  []Dependency
	o     Options
	h     *History
	reset func(context.Context) error
}

// options are those that make a plan have a pass, and what it needs, and no other one.
func (t *trial) options(pass plan.Offered) Options {
	o := t.o
	if pass.Name == tailPass {
		o.Topology = Cooperative
		return o
	}
	settled := &Plan{o: o.settled()}
	for k := BackToBack; k <= Drained; k++ {
		if settled.topologyPass(k) == pass.Name {
			o.Topology = k
		}
	}
	if o.Topology == Cooperative {
		o.Tail = TailNever
	}
	return o
}

// way runs a plan, and returns what passes plans of these waves can have.
func (t *trial) way(o Options) (offered []plan.Offered, err error) {
	o.Expected = nil
	p, err := New(t.ctx, t.dev, t.waves, t.deps, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	p.tailFree = true // the trial decided about it, not the caller
	for k := range warmRuns + TrialRuns {
		if t.reset != nil {
			if err := t.reset(t.ctx); err != nil {
				return nil, err
			}
		}
		rec, err := p.Run(t.ctx)
		if err == nil && rec.Status != Converged {
			err = &driver.Error{Op: "trial", Label: p.o.Label, Device: t.dev.Name(), Kind: driver.InvalidArgument, Msg: fmt.Sprintf("%v after %d rounds", rec.Status, rec.Rounds),
				Fix: "allow more rounds: only runs that come to the end can be compared"}
		}
		if err != nil {
			return nil, err
		}
		if k >= warmRuns {
			p.observe(t.h, rec, true)
		}
	}
	return p.offered, nil
}
