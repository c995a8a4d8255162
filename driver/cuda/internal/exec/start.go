package exec

import (
	"cmp"
	"context"
	"errors"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/timeline"
)

// Start enqueues a run: waits for the runs it has to come after, then its segments, then the store of the
// completion word.
func (r *runner) Start(ctx context.Context, after []driver.Runner, stay bool) error {
	r.Starting.Store(true)
	err := r.prepare(ctx, after)
	if err == nil && (r.transfers.slow || r.long) && !r.hosted && ctx.Done() != nil {
		r.thread.Release()
		return r.startAside(ctx)
	}
	if err == nil {
		err = r.startHere(ctx, stay)
	}
	r.Starting.Store(false)
	return err
}

// prepare is the part of Start that finds out what the run comes after, enters the hazards of its buffers, and
// takes over what setters changed.
func (r *runner) prepare(ctx context.Context, after []driver.Runner) error {
	if r.Closing.Load() {
		return &driver.Error{Op: "start", Label: r.plan.Label, Device: r.x.GPU.Name(), Kind: driver.Closed, Msg: "sequence was closed"}
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
	if err := r.update(); err != nil {
		r.transfers.resident.End(false)
		r.Unlock(timeline.Run{})
		r.thread.Release()
		return r.diagnosed(err)
	}
	return nil
}

// startHere is the part of Start that holds the hazards.
func (r *runner) startHere(ctx context.Context, stay bool) error {
	before := r.Last.Load()
	err := r.begin(ctx)
	failed := err != nil
	if errors.Is(err, timeline.ErrGaveUp) {
		failed, err = false, r.gaveUp() // what was enqueued is not waited for
	}
	if r.open != 0 {
		if end := r.endPart(failed); err == nil && end != nil {
			err = r.x.GPU.Complete("start", r.plan.Label, end)
		}
	}
	ran := timeline.Run{}
	if last := r.Last.Load(); last != before {
		ran = timeline.Run{Stream: r.Stream, Value: last}
	}
	if err != nil {
		r.transfers.resident.End(false)
	}
	r.Unlock(ran)
	if err != nil || !stay {
		r.thread.Release()
	}
	return r.diagnosed(err)
}

// notStarted is the error of a run that has waited for others in vain: until the context ended, or
// until Close gave it up.
func (r *flight) notStarted(err error) *driver.Error {
	if err == timeline.ErrGaveUp {
		return r.gaveUp()
	}
	return &driver.Error{Op: "start", Label: r.plan.Label, Device: r.x.GPU.Name(), Kind: driver.Canceled, Msg: "nothing was started", Err: err}
}

// begin enqueues everything but the store of the completion word, unless one crossing makes that, too.
func (r *runner) begin(ctx context.Context) error {
	x, label := r.x, r.plan.Label
	crossing := r.crosses()
	if !crossing {
		if err := r.thread.Bind("start", label); err != nil {
			return err
		}
	}
	if err := r.beginPart(ctx); err != nil {
		return r.notStarted(err)
	}
	for _, dep := range r.After {
		if err := r.Stream.Follow(dep.Stream, dep.Value); err != nil {
			return x.GPU.ErrorOf("start", label, err)
		}
	}
	if err := r.Await(); err != nil {
		return x.GPU.Complete("start", label, err)
	}
	if err := r.records.first(x.GPU.Driver, r.Stream.Handle); err != nil {
		return x.GPU.ErrorOf("start", label, err)
	}
	if r.host = context.Background(); r.hosted {
		r.host = ctx
	}
	clear(r.outcome)
	r.fault.Store(nil)
	r.clock.stamped = false
	r.transfers.resident.Begin()
	if crossing {
		launched, failed := r.segments[0].run()
		if launched && failed == nil {
			return nil
		}
		err := r.thread.Bind("start", label) // also to end what failed
		if failed != nil {
			return failed
		} else if err != nil {
			return err
		}
	}
	for _, s := range r.segments {
		if err := s.launch(); err != nil {
			return err
		}
	}
	return nil
}

// crosses reports whether to launch one fresh segment is all that the run takes, so that one crossing into the
// driver makes its calls.
func (r *runner) crosses() bool {
	return len(r.segments) == 1 && r.segments[0].complete() && !r.thread.Bound() && len(r.After) == 0 && !r.Shared() &&
		r.records.ready() && r.Stream.Word() != 0 && !r.x.GPU.Restore && !r.x.GPU.Lost()
}

// beginPart takes a timeline value for what is enqueued next: all of a run, or a round of a loop that the
// host decides on.
func (r *flight) beginPart(ctx context.Context) (err error) {
	r.open, err = r.Stream.Begin(ctx, r.Quit)
	return err
}

// endPart ends what beginPart began.
func (r *flight) endPart(failed bool) error {
	value, written := r.open, r.written
	r.open, r.written = 0, false
	var passed error
	if !failed {
		passed = r.Pass(value)
	}
	err := r.Stream.Finish(value, failed || passed != nil, written)
	r.Last.Store(value) // from here on, Done asks for what was just enqueued
	return cmp.Or(passed, err)
}
