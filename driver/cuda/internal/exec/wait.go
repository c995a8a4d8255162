package exec

import (
	"context"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/pause"
	"github.com/govyre/vyre/driver/cuda/internal/primary"
	"github.com/govyre/vyre/internal/metric"
)

const (
	waitFirst  = 50 * time.Microsecond // taken for the average before there is one
	waitWeight = 8                     // a wait moves the average by 1/8 of the difference
)

// await waits for a run; false if Close gave up before or, where it may leave, if ctx ended. A
// context that never ends lets it sleep until the run is over, whatever Close does. t is released
// before the goroutine yields or sleeps. A fault of the device ends the wait; ending tells it.
func (r *flight) await(ctx context.Context, leave bool, value uint64, t *primary.Thread) bool {
	s := r.Stream
	if s.Over(value) {
		r.plan.Tally.Count(metric.WaitsReady, 1)
		return true
	}
	begin := time.Now()
	how := driver.Metric(metric.WaitsSpin)
	switch {
	case s.Spin(value, pause.SpinFor(r.average), t):
	case ctx.Done() == nil:
		how = metric.WaitsBlock
		r.ask(value, t, s.Block)
		t.Release()
	default:
		how = metric.WaitsPoll
		if !r.poll(value, t, func() bool { return !(leave && ctx.Err() != nil) && !r.GaveUp.Load() }) {
			return false
		}
	}
	r.plan.Tally.Count(how, 1)
	// One goroutine at a time waits for a runner's runs.
	r.average += (time.Since(begin) - r.average) / waitWeight
	return true
}

// poll looks and sleeps in turns until a run has ended, or until more says no.
func (r *flight) poll(value uint64, t *primary.Thread, more func() bool) bool {
	defer t.Release()
	begin := time.Now()
	for !r.Stream.Over(value) {
		r.ask(value, t, r.Stream.Ask)
		t.Release()
		if r.Stream.Over(value) {
			break
		}
		if !more() {
			return false
		}
		pause.Sleep(time.Since(begin))
	}
	return true
}

// ask asks the driver about the stream, or sleeps until it has an answer. A run that faulted, or whose
// device is lost, has ended too; Wait says how.
func (r *flight) ask(value uint64, t *primary.Thread, call func() error) {
	err := t.Bind("wait", r.plan.Label)
	if err == nil {
		if err = call(); err != nil {
			err = r.faulted(err)
		}
	}
	r.failed(err, value)
}

// failed notes how the run ended that was asked for, if asking failed. Its work is waited for, so that what is told to have
// ended has.
func (r *flight) failed(err error, value uint64) {
	if err == nil {
		return
	}
	r.fault.CompareAndSwap(nil, r.x.GPU.Complete("run", r.plan.Label, err))
	r.Stream.Empty("wait")
	r.Stream.End(value)
}
