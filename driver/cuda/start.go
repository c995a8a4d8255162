package cuda

import (
	"context"
	"errors"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/timeline"
)

// Start enqueues a run: behind the runs it has to come after, then its commands, then the flag
// that ends it.
func (r *runner) Start(ctx context.Context, after []driver.Runner, stay bool) error {
	r.Starting.Store(true)
	err := r.prepare(ctx, after)
	if err == nil && r.slow && !r.hosted && ctx.Done() != nil {
		r.thread.Release()
		return r.startAside(ctx)
	}
	if err == nil {
		err = r.startHere(ctx, stay)
	}
	r.Starting.Store(false)
	return err
}

// prepare is the part of Start that finds out what the run comes after, and enters the histories
// of its buffers.
func (r *runner) prepare(ctx context.Context, after []driver.Runner) error {
	if r.Closing.Load() {
		return &driver.Error{Op: "start", Label: r.plan.Label, Device: r.dev.Name(), Kind: driver.Closed, Msg: "sequence was closed"}
	}
	r.After = r.After[:0]
	for _, a := range after {
		o := a.(*runner)
		// Only the run that is in flight now matters; one that ended has taken effect.
		if ref := o.Run(); o.Stream != r.Stream && !ref.Ended() {
			r.After = append(r.After, ref)
		}
	}
	if err := r.Lock(ctx, r.plan.Uses); err != nil {
		return r.notStarted(err)
	}
	if r.GaveUp.Load() {
		r.Unlock(timeline.Run{})
		return r.gaveUp()
	}
	if r.chosen != r.plan.Rehosted {
		if err := r.rechoose(); err != nil {
			r.Unlock(timeline.Run{})
			return err
		}
	}
	return nil
}

// startHere is the part of Start that holds the histories.
func (r *runner) startHere(ctx context.Context, stay bool) error {
	before := r.Last.Load()
	err := r.begin(ctx)
	failed := err != nil
	if errors.Is(err, timeline.ErrGaveUp) {
		failed, err = false, r.gaveUp() // what was enqueued is not waited for
	}
	if r.open != 0 {
		if end := r.endPart(failed); err == nil && end != nil {
			err = r.dev.gpu.ErrorOf("start", r.plan.Label, end)
		}
	}
	ran := timeline.Run{}
	if last := r.Last.Load(); last != before {
		ran = timeline.Run{Stream: r.Stream, Value: last}
	}
	if err != nil {
		r.resident.End(false)
	}
	r.Unlock(ran)
	if err != nil || !stay {
		r.thread.Release()
	}
	return err
}

// notStarted is the error of a run that has waited for others in vain: until the context ended, or
// until Close gave it up.
func (r *runner) notStarted(err error) *driver.Error {
	if err == timeline.ErrGaveUp {
		return r.gaveUp()
	}
	return &driver.Error{Op: "start", Label: r.plan.Label, Device: r.dev.Name(), Kind: driver.Canceled, Msg: "nothing was started", Err: err}
}

// begin enqueues everything but the flag.
func (r *runner) begin(ctx context.Context) error {
	d := r.dev
	brief := r.brief()
	if brief == nil {
		if err := r.thread.Bind("start", r.plan.Label); err != nil {
			return err
		}
		if err := r.rebind(); err != nil {
			return d.gpu.Complete("start", r.plan.Label, err)
		}
		for _, g := range r.graphs {
			if err := g.ready(); err != nil {
				return err
			}
		}
	}
	if err := r.beginPart(ctx); err != nil {
		return r.notStarted(err)
	}
	for _, dep := range r.After {
		if err := r.Stream.Follow(dep.Stream, dep.Value); err != nil {
			return d.gpu.ErrorOf("start", r.plan.Label, err)
		}
	}
	if brief == nil {
		if err := r.records.first(d.gpu.Driver, r.Stream.Handle); err != nil {
			return d.gpu.ErrorOf("start", r.plan.Label, err)
		}
	}
	clear(r.outcome)
	r.fault.Store(nil)
	resident := r.resident.Begin()
	if brief != nil {
		launched, failed := r.launchBriefly(brief, resident)
		if launched && failed == nil {
			return nil
		}
		err := r.thread.Bind("start", r.plan.Label) // also to end what failed
		if failed != nil {
			return failed
		} else if err != nil {
			return err
		}
	}
	if r.whole == nil {
		return r.enqueue(ctx)
	}
	r.count(&r.scopes.outer, 1)
	if r.stamps != nil {
		*r.stamps = stamps{}
	}
	if err := r.whole.launch(resident); err != nil {
		return d.gpu.Complete("start", r.plan.Label, err)
	}
	return nil
}

// beginPart takes a ticket for what is enqueued next: all of a run, or a round of a loop that the
// host decides on.
func (r *runner) beginPart(ctx context.Context) (err error) {
	r.open, err = r.Stream.Begin(ctx, r.Quit)
	return err
}

// endPart ends what beginPart began.
func (r *runner) endPart(failed bool) error {
	ticket, written := r.open, r.written
	r.open, r.written = 0, false
	err := r.Stream.Finish(ticket, failed, written)
	r.Last.Store(ticket) // from here on, Done asks for what was just enqueued
	return err
}
