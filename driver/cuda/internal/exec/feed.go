package exec

import (
	"context"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/primary"
)

// A run with a chunked transfer is enqueued while its chunks get through, and the last of them waits
// for all work before it. One that a stream has no room for is enqueued while the GPU is at it. If the caller may
// leave meanwhile, a goroutine of the run enqueues it, with all that Start holds; else the caller does.

// startAside starts a run by a goroutine. If ctx ends before all is enqueued, the run goes on.
func (r *runner) startAside(ctx context.Context) error {
	go r.feed()
	select {
	case err := <-r.fed:
		return err
	case <-ctx.Done():
		r.aside = true
		return &driver.Error{Op: "start", Label: r.plan.Label, Device: r.x.GPU.Name(), Kind: driver.Canceled,
			Msg: "the run goes on: " + ctx.Err().Error(), Fix: "wait before using its inputs and outputs", Err: &driver.Underway{Err: ctx.Err()}}
	}
}

// carry is the goroutine.
func (r *runner) carry() {
	var err error
	defer func() {
		if v := recover(); v != nil {
			err = r.broken(primary.Caught("start", r.plan.Label, v))
		}
		r.Starting.Store(false)
		r.fed <- err
	}()
	err = r.startHere(context.Background(), false)
}

// broken ends the part of a run that was being enqueued when something panicked, so that nobody waits for it.
func (r *runner) broken(e *driver.Error) error {
	if r.open != 0 {
		_ = r.endPart(true) // the first error is the one to report
	}
	r.transfers.resident.End(false)
	r.Unlock(r.Run())
	r.thread.Release()
	return r.x.GPU.Fail(e)
}

// awaitFeed waits for the goroutine if Start left it alone, and returns how the start failed.
// It reports false if ctx ended before.
func (r *runner) awaitFeed(ctx context.Context) (error, bool) {
	if !r.aside {
		return nil, true
	}
	select {
	case err := <-r.fed:
		r.aside = false
		return err, true
	case <-ctx.Done():
		return nil, false
	}
}
