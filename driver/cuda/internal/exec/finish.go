package exec

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/pause"
	"github.com/govyre/vyre/driver/cuda/internal/primary"
	"github.com/govyre/vyre/driver/internal/outside"
	"github.com/govyre/vyre/internal/metric"
)

// Done reports whether the run in flight has ended. It looks at the completion word of the stream, and asks the
// driver now and then, so that a run that faulted ends, too. The word goes with the device, so Done
// keeps Close from being done meanwhile.
func (r *runner) Done() bool {
	if r.Starting.Load() {
		return false
	}
	if !r.life.TryRLock() {
		return true // whoever wants it alone has seen the end of the run
	}
	defer r.life.RUnlock()
	if r.closed {
		return true
	}
	if x := r.x; r.GaveUp.Load() {
		if !x.GPU.Keep(false) {
			return true // the device is closed, and the run with it
		}
		defer x.GPU.Unkeep()
	}
	value, s := r.Last.Load(), r.Stream
	if s.Over(value) {
		return true
	}
	if s.Word() != 0 && !s.Due() {
		return false
	}
	t := primary.Thread{Context: r.x.GPU}
	r.ask(value, &t, s.Ask)
	t.Release()
	return s.Over(value)
}

// faulted makes an error of one that the device reports after the fact: any launch of the run
// may have caused it.
func (r *lowered) faulted(err error) *driver.Error {
	e := r.x.GPU.Complete("run", r.plan.Label, err)
	r.blame(e)
	_ = r.diagnosed(e) // which is in it then
	return e
}

// blame names the kernels of a run in an error.
func (r *lowered) blame(e *driver.Error) {
	if len(r.plan.Launches) > 0 {
		e.Msg += ", after launches of"
		seen := map[string]bool{}
		for _, l := range r.plan.Launches {
			if name := l.Kernel.Label(); !seen[name] {
				seen[name] = true
				e.Msg += fmt.Sprintf(" %q", name)
			}
		}
	}
}

// Wait waits for the run and delivers what it left.
func (r *runner) Wait(ctx context.Context, res *driver.Result) error {
	r.life.RLock()
	defer r.life.RUnlock()
	if r.closed {
		r.thread.Release()
		return &driver.Error{Op: "wait", Label: r.plan.Label, Device: r.x.GPU.Name(), Kind: driver.Closed, Msg: "sequence was closed"}
	}
	if failed, fed := r.awaitFeed(ctx); failed != nil {
		return failed
	} else if !fed {
		return r.goesOn(ctx)
	}
	defer r.thread.Release()
	value := r.Last.Load()
	if !r.await(ctx, true, value, &r.thread) {
		return r.goesOn(ctx)
	}
	if fault := r.ending(value); fault != nil {
		r.transfers.resident.End(false)
		return fault
	}
	err := r.deliver(res)
	if r.x.Memory.Checks() && err == nil {
		err = r.look()
	}
	r.transfers.resident.End(err == nil)
	return err
}

// look finds what the run wrote that it should not have.
func (r *flight) look() error {
	if err := r.thread.Bind("wait", r.plan.Label); err != nil {
		return err
	}
	err := r.x.Memory.Check(r.plan.Uses, func(what string) error {
		e := &driver.Error{Op: "run", Label: r.plan.Label, Device: r.x.GPU.Name(), Kind: driver.DeviceFault, Msg: what}
		r.blame(e)
		return e
	})
	if err != nil {
		return r.x.GPU.Complete("wait", r.plan.Label, err)
	}
	return nil
}

// goesOn is the error of a Wait that ended before the run.
func (r *flight) goesOn(ctx context.Context) *driver.Error {
	if r.GaveUp.Load() {
		return r.gaveUp()
	}
	return &driver.Error{Op: "wait", Label: r.plan.Label, Device: r.x.GPU.Name(), Kind: driver.Canceled,
		Msg: "the run goes on: " + ctx.Err().Error(), Fix: "wait again before using its outputs", Err: ctx.Err()}
}

// ending returns how a run failed that is over, nil if it did not.
func (r *flight) ending(value uint64) *driver.Error {
	if fault := r.fault.Load(); fault != nil {
		return fault
	}
	if r.Stream.Finished(value) {
		return nil
	}
	return r.x.GPU.LostError("run", r.plan.Label)
}

// deliver hands out what a run that has ended left, and returns the error of its first launch that trapped or was out of
// bounds.
func (r *flight) deliver(res *driver.Result) error {
	if r.laps != nil {
		r.laps.read(r.transfers.reports[r.records.laps:], res)
	} else if !r.clock.asks() || r.thread.Bind("wait", r.plan.Label) == nil {
		r.clock.read(r.x.GPU.Driver, res)
	}
	r.decided()
	res.Loops = append(res.Loops, r.outcome...)
	var trap error
	for _, l := range r.telling {
		to, dropped := r.plan.Told(l.cmd, res), uint64(0)
		to.Traces, dropped = r.records.traces(l, r.transfers.reports, to.Traces)
		to.TracesDropped += dropped
		var outside *driver.Error
		to.Reports, outside = r.outside(l, to.Reports)
		var failed error
		if outside != nil {
			failed = outside
		} else {
			failed = r.records.trapped(l, r.transfers.reports, r.x.GPU.Name())
		}
		if failed != nil {
			r.plan.Trapped(l.cmd, failed)
			trap = cmp.Or(trap, failed)
		}
	}
	r.transfers.deliver()
	return trap
}

// outside appends what the checks of a launch found, and returns the error of it.
func (r *flight) outside(l *launch, to []driver.Report) ([]driver.Report, *driver.Error) {
	found := outside.Launch{Device: r.x.GPU.Name(), Cmd: l.cmd, Sites: l.code.Sites}
	return found.Findings(r.records.outside(l, r.transfers.reports), to)
}

// decided takes over what loops say that the device decided on: how they ended, and how often
// what is in them ran.
func (r *flight) decided() {
	for i, c := range r.loops {
		if !c.While || c.Lowering == driver.LoopHost {
			continue
		}
		last, all, converged := r.records.rounds(r.transfers.reports, i)
		r.outcome[c.Index] = driver.LoopResult{Iterations: last, Converged: converged}
		r.x.GPU.Count(metric.LoopIterationsGraph, all)
		r.count(&r.whiles[c.Index], all)
	}
}

func (r *lowered) gaveUp() *driver.Error {
	return &driver.Error{Op: "run", Label: r.plan.Label, Device: r.x.GPU.Name(), Kind: driver.Closed,
		Msg: fmt.Sprintf("the sequence was closed, and the run had not ended %v later", r.x.GPU.CloseTimeout())}
}

// Close waits for the run in flight, until a time at most, and gives back what
// the runner has. What a run that does not end may touch is given back later, or written off. A
// Start that is under way by then ends as soon as it looks.
func (r *runner) Close(until time.Time) error {
	x := r.x
	r.Closing.Store(true)
	r.life.RLock()
	over := r.settled(until)
	r.life.RUnlock()
	if !over {
		r.GaveUp.Store(true)
		close(r.Quit)
		x.Deferred.Add(r)
		return x.GPU.Fail(r.gaveUp())
	}
	r.life.Lock()
	defer r.life.Unlock()
	r.closed = true
	if x.GPU.Lost() {
		r.Abandon() // it went with the context
		return nil
	}
	err := x.GPU.Enter("close", r.plan.Label)
	if err == nil {
		defer x.GPU.Leave()
	}
	if back := r.giveBack(); err == nil && back != nil {
		err = x.GPU.Complete("close", r.plan.Label, back)
	}
	if err != nil {
		return x.GPU.Fail(err)
	}
	return nil
}

// settled waits for the run in flight, until a time at most.
func (r *flight) settled(until time.Time) bool {
	for begin := time.Now(); r.Starting.Load(); pause.Sleep(time.Since(begin)) {
		if !time.Now().Before(until) {
			return false
		}
	}
	t := primary.Thread{Context: r.x.GPU}
	return r.poll(r.Last.Load(), &t, func() bool { return time.Now().Before(until) })
}

// Leave gives back what the runner has once its run is over. The context is current.
func (r *runner) Leave() error {
	r.life.Lock()
	defer r.life.Unlock()
	r.closed = true
	return r.giveBack()
}

// Abandon writes off what the runner has: it goes with the context.
func (r *runner) Abandon() {
	for _, m := range append(r.transfers.more, r.transfers.mem) {
		r.x.Pinned.Abandon(m)
	}
	r.x.Memory.Abandon(r.records.mem)
}
