package driver

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// vehicle is what runs a plan: a Runner, and while the device is profiled another one of the same plan, which is timed. Of the two at most
// one has a run in flight.
type vehicle struct {
	core  *Core
	label string
	plan  *Plan
	plain Runner
	timed bool // the plain one is timed, because the sequence was told TimeCommands
	make  func(timed bool) (Runner, error)
	twin  atomic.Pointer[twin]
	told  *profile // of the run in flight; nil without one

	away atomic.Bool // the twin has a run in flight; changes with the lock

	mu     sync.Mutex
	closed bool
	ledger *ledger // of the plan, for profiles; nil before the first
}

// twin is the timed runner, made for one profile.
type twin struct{ Runner }

// vehicle makes a plan ready by the given function, which is called again for each profile.
func (s holds) vehicle(p *Plan, make func(timed bool) (Runner, error)) (*vehicle, error) {
	r, err := make(s.timeCommands)
	if err != nil {
		return nil, err
	}
	return &vehicle{core: s.core, label: s.label, plan: p, plain: r, timed: s.timeCommands, make: make}, nil
}

// inner returns the runner that has the run in flight, or had the last one.
func (v *vehicle) inner() Runner {
	if v.away.Load() {
		if t := v.twin.Load(); t != nil {
			return t.Runner
		}
	}
	return v.plain
}

// Start starts a run: of the timed runner if the device is profiled.
func (v *vehicle) Start(ctx context.Context, after []Runner, stay bool) error {
	p := v.core.profile.Load()
	if p == nil {
		return v.plain.Start(ctx, after, stay)
	}
	r, err := v.board(p)
	if err == nil {
		err = r.Start(ctx, after, stay)
	}
	if err != nil && !goesOn(err) {
		v.alight(nil)
	}
	return err
}

// board returns the runner for a run under a profile. It makes the timed one for the first.
func (v *vehicle) board(p *profile) (Runner, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		return nil, &Error{Op: "start", Label: v.label, Device: v.core.name, Kind: Closed, Msg: "sequence was closed"}
	}
	if v.ledger == nil {
		v.ledger = newLedger(v.label, v.plan)
	}
	if v.timed {
		if p.enter(nil) {
			v.told = p
		}
		return v.plain, nil
	}
	if !p.enter(v) {
		return v.plain, nil // it has just ended
	}
	if v.twin.Load() == nil {
		r, err := v.make(true)
		if err != nil {
			p.leave(nil, nil)
			return nil, err
		}
		v.twin.Store(&twin{r})
	}
	v.told = p
	v.away.Store(true)
	return v.inner(), nil
}

// alight ends a run: the profile is told of it, with its result if it has one. A timed runner goes with its profile.
func (v *vehicle) alight(res *Result) {
	p := v.told
	if p == nil {
		return
	}
	v.told = nil
	p.leave(v.ledger, res)
	v.mu.Lock()
	v.away.Store(false)
	v.mu.Unlock()
	if !p.active() {
		v.part()
	}
}

// part gives the timed runner back, unless a run of it is in flight, or Close does that.
func (v *vehicle) part() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.away.Load() || v.closed {
		return
	}
	if t := v.twin.Swap(nil); t != nil {
		if err := t.Close(v.core.patience()); err != nil {
			v.core.keep(err)
		}
	}
}

// Done reports whether the run in flight has ended.
func (v *vehicle) Done() bool { return v.inner().Done() }

// Wait waits for the run.
func (v *vehicle) Wait(ctx context.Context, res *Result) error {
	err := v.inner().Wait(ctx, res)
	if e, ok := err.(*Error); ok && e.Kind == Canceled && !isEnded(e) {
		return err
	}
	if t := v.core.timeline.Load(); t != nil {
		t.take(t, v.plan, res)
	}
	if v.told == nil {
		return err
	}
	v.alight(res)
	if !v.timed {
		res.Commands = res.Commands[:0]
	}
	return err
}

// Close closes both runners.
func (v *vehicle) Close(until time.Time) error {
	v.mu.Lock()
	v.closed = true
	v.mu.Unlock()
	if p := v.core.profile.Load(); p != nil {
		p.forget(v)
	}
	err := v.plain.Close(until)
	if t := v.twin.Load(); t != nil {
		if e := t.Close(until); err == nil {
			err = e
		}
	}
	return err
}
