package driver

import (
	"context"
	"errors"
	"time"

	"github.com/govyre/vyre/internal/metric"
)

// Executor is what a device implements to run plans.
type Executor interface {
	// Prepare makes a plan ready to run. The plan changes by setters between runs. Results of a timed runner have
	// Commands, by the clock that Device is measured by.
	Prepare(p *Plan, timed bool) (Runner, error)
	// Capture makes it ready to be replayed.
	Capture(p *Plan, timed bool, o CaptureOptions) (Runner, error)
}

// Runner is a plan on a device. A sequence keeps its calls in order: Start, then Wait until
// that returns anything but Canceled, or Ended, with at most one run in flight. Done and Close may come at
// any time, from any goroutine.
type Runner interface {
	// Start starts a run, after the runs in flight of the given runners, and ends it when ctx ends, if the device can.
	// Inputs have been taken when it returns. If it fails, nothing runs, unless the error is Underway. stay promises that the goroutine calls
	// Wait next, so that what Start has set up for its thread may stay for that. A runner that was
	// closed before answers Closed.
	Start(ctx context.Context, after []Runner, stay bool) error
	// Done reports whether the run in flight has ended, from any goroutine. Without one it
	// is true.
	Done() bool
	// Wait waits for the run, counts how, delivers outputs, and fills everything in res but
	// wall, enqueue and wait time. A run that trapped delivers outputs too. Of a run that ended with
	// the context of its Start the error is Canceled and has Ended in its chain.
	Wait(ctx context.Context, res *Result) error
	// Close waits for the run in flight, and for a Start under way, and frees what the runner has.
	// From a time on it gives the run up: a Start under way ends with an
	// error of kind Closed at its next chunk or its next round of a loop.
	Close(until time.Time) error
}

// Underway is in the chain of a Canceled error of Runner.Start if the context ended while the
// run was being enqueued. The run goes on, and Wait fetches it.
type Underway struct{ Err error }

func (u *Underway) Error() string { return u.Err.Error() }

// Unwrap returns the context's error.
func (u *Underway) Unwrap() error { return u.Err }

func goesOn(err error) bool {
	var u *Underway
	return errors.As(err, &u)
}

// Ended is in the chain of a Canceled error if the run is over: the context that it was started with ended, and the device
// ended the run. Its outputs are not delivered, and buffers that it writes may hold a part of what it was to write.
type Ended struct{ Err error }

func (e *Ended) Error() string { return e.Err.Error() }

// Unwrap returns the context's error.
func (e *Ended) Unwrap() error { return e.Err }

func isEnded(err error) bool {
	var e *Ended
	return errors.As(err, &e)
}

// Prepared is something that can run again and again: a *Sequence or a *Graph.
type Prepared interface {
	// Run starts a run and waits for it. The run is given up when ctx ends.
	Run(ctx context.Context) (Result, error)
	// Start starts a run, ordered after other runs if any are given. The run is given up when ctx ends.
	Start(ctx context.Context, after ...Pending) (Pending, error)
	// Wait waits for the run in flight, for example after a canceled Run.
	Wait(ctx context.Context) (Result, error)
}

// Pending is a run in flight. It is good until its Wait has returned anything but Canceled,
// or the next Start. Done may be called from any goroutine, Wait from one at a time.
type Pending interface {
	Done() bool
	Wait(ctx context.Context) (Result, error)

	flying() *pending
}

// pending is one way to run a sequence: plainly, or as a graph.
type pending struct {
	seq     *Sequence
	what    string // "sequence" or "graph"
	runner  *vehicle
	begin   time.Time
	enqueue time.Duration
	closed  bool // of a graph
	gone    bool // the runner was closed
	res     Result
	flight  flight
	memo    *memo // of a graph that remembers results
}

func (p *pending) flying() *pending { return p }

// Done reports whether the run has ended.
func (p *pending) Done() bool { return p.runner.Done() }

// Wait waits for the run.
func (p *pending) Wait(ctx context.Context) (Result, error) { return runsOf(p.seq).wait(ctx, p) }

// runs is the life of a sequence's runs: from Start to Wait, one at a time, or to Close.
type runs struct{ *Sequence }

func runsOf(s *Sequence) runs { return runs{s} }

// Run starts a run and waits for it. The run is given up when ctx ends.
func (s *Sequence) Run(ctx context.Context) (Result, error) {
	p, err := runsOf(s).ready("run")
	if err != nil {
		return Result{}, err
	}
	return runsOf(s).run(ctx, p)
}

// Start starts a run, ordered after other runs if any are given. Runs that share a buffer
// that one of them writes are ordered without being told. The run is given up when ctx ends: pass
// context.WithoutCancel(ctx) for a run that others wait for.
func (s *Sequence) Start(ctx context.Context, after ...Pending) (Pending, error) {
	p, err := runsOf(s).ready("start")
	if err != nil {
		return nil, err
	}
	if err := runsOf(s).startable(); err != nil {
		return nil, err
	}
	if _, err := runsOf(s).start(ctx, p, after, false); err != nil {
		return nil, err
	}
	return p, nil
}

// startable refuses a sequence that needs the host until its last loop has ended.
func (s runs) startable() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.plan == nil {
		return nil
	}
	if c := s.plan.hostLoop(); c != nil {
		return s.core.Fail(s.refuse("start", s.label, c.Path, Unsupported, "use Run", "the host decides on every round of the loop"))
	}
	return nil
}

// Wait waits for the run in flight.
func (s *Sequence) Wait(ctx context.Context) (Result, error) {
	if err := s.absent("wait"); err != nil {
		return Result{}, err
	}
	s.mu.Lock()
	p := s.flying
	s.mu.Unlock()
	return runsOf(s).wait(ctx, p)
}

func (s runs) ready(op string) (*pending, error) {
	if err := s.absent(op); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, s.closedError(op)
	}
	if s.flying != nil {
		return nil, s.busy(op)
	}
	if err := holdsOf(s.Sequence).prepare(); err != nil {
		return nil, err
	}
	return s.plain, nil
}

func (s runs) run(ctx context.Context, p *pending) (Result, error) {
	task, err := s.start(ctx, p, nil, true)
	if err != nil {
		return Result{}, err
	}
	return s.await(ctx, task, p, time.Now())
}

// start starts a run. With stay the caller goes on with await, in the context of the run's task,
// and nobody else may wait.
//
// The runner starts it without the lock: that may take as long as the work in front of a chunk,
// or all rounds of a loop that the host decides on. Meanwhile the run is in flight for everybody
// else, and Close waits for it no longer than for any other.
func (s runs) start(ctx context.Context, p *pending, after []Pending, stay bool) (task context.Context, err error) {
	begin := time.Now()
	if err := s.claim(ctx, p, after); err != nil {
		return nil, err
	}
	task = p.flight.takeOff(ctx, s.core, "vyre.run", s.label)
	if p.memo.begin(s.Sequence) {
		return task, s.started(p, begin, stay, nil)
	}
	region := s.core.region(task, "vyre.enqueue", s.label)
	err = p.runner.Start(ctx, s.after, stay)
	region.end()
	p.memo.started(err)
	return task, s.started(p, begin, stay, err)
}

// claim takes the sequence for a run, or refuses it.
func (s runs) claim(ctx context.Context, p *pending, after []Pending) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || p.closed {
		return s.closedStart(p)
	}
	if s.flying != nil {
		return s.busy("start")
	}
	if err := MayStart(ctx, "start", s.label, s.core.name); err != nil {
		return s.core.Fail(err)
	}
	s.after = s.after[:0]
	for _, a := range after {
		o := pendingOf(a)
		switch {
		case o == nil:
			return s.core.Fail(&Error{Op: "start", Label: s.label, Device: s.core.name, Kind: InvalidArgument, Msg: "a run to start after is nil", Fix: "pass what Start returned"})
		case o.seq.core != s.core:
			return s.core.Fail(&Error{Op: "start", Label: s.label, Device: s.core.name, Kind: InvalidArgument, Msg: "a run to start after is of another device", Fix: "wait for it on the host"})
		}
		s.after = append(s.after, o.runner.inner())
	}
	if e := s.takenBack(func(i int) []byte { return s.inputs[i].src }, func(i int) []byte { return s.outputs[i].dst }); e != nil {
		return s.core.Fail(e)
	}
	s.plan.refresh()
	p.memo.claim(s.Sequence, len(after) == 0)
	s.flying, s.starting, s.cut = p, true, nil
	return nil
}

// takenBack refuses an upload from host memory that a read before it fetches: the upload takes what was there before the run.
func (s *Sequence) takenBack(src, dst func(int) []byte) *Error {
	for i, in := range s.inputs {
		for j, out := range s.outputs[:in.reads] {
			if shareBytes(src(i), dst(j)) {
				return s.refuse("upload", in.dst.Buffer.Label(), in.path, InvalidArgument, "copy on the device, or upload in a later run",
					"command %s reads into the same host memory, and an upload takes what was there before the run", out.path)
			}
		}
	}
	return nil
}

// started notes what the runner made of a Start. Who closed the runner meanwhile has left the end
// of the flight to this.
func (s runs) started(p *pending, begin time.Time, stay bool, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.starting = false
	if err != nil && !goesOn(err) {
		s.flying = nil
		p.flight.touchDown()
		return s.core.Fail(err)
	}
	s.waiting, p.begin, p.enqueue = stay && err == nil, begin, time.Since(begin)
	s.tally.Gauge(metric.RunsInFlight, 1)
	if f := s.core.observer.RunStart; f != nil {
		f(s.label)
	}
	if p.gone {
		s.unwaited(p, nil)
		if !stay {
			return s.closedStart(p)
		} // else the runner's Wait is owed, and says so
	}
	if err != nil {
		return s.core.Fail(err)
	}
	return nil
}

func (s runs) wait(ctx context.Context, p *pending) (Result, error) {
	begin := time.Now()
	if ctx == nil {
		return Result{}, s.core.Fail(noContext("wait", s.label, s.core.name))
	}
	s.mu.Lock()
	switch {
	case s.closed:
		s.mu.Unlock()
		return Result{}, s.closedError("wait")
	case s.starting:
		s.mu.Unlock()
		return Result{}, s.core.Fail(&Error{Op: "wait", Label: s.label, Device: s.core.name, Kind: Busy, Msg: "another goroutine is starting a run", Fix: "wait when its Start has returned"})
	case s.flying == nil && s.cut != nil:
		err := s.cut
		s.mu.Unlock()
		return Result{}, s.core.Fail(err)
	case p == nil || s.flying != p:
		s.mu.Unlock()
		return Result{}, s.core.Fail(&Error{Op: "wait", Label: s.label, Device: s.core.name, Kind: InvalidArgument, Msg: "no run is in flight", Fix: "start one; a run can be waited for once"})
	case s.waiting:
		s.mu.Unlock()
		return Result{}, s.core.Fail(&Error{Op: "wait", Label: s.label, Device: s.core.name, Kind: Busy, Msg: "another goroutine waits for the run", Fix: "use Done to watch it"})
	}
	s.waiting = true
	task := p.flight.within(ctx)
	s.mu.Unlock()
	return s.await(ctx, task, p, begin)
}

// await is wait for who alone may, within the task of the run. The flight itself may be ended
// meanwhile, by a Close.
func (s runs) await(ctx, task context.Context, p *pending, begin time.Time) (Result, error) {
	res := &p.res
	*res = Result{Loops: res.Loops[:0], Traces: res.Traces[:0], Reports: res.Reports[:0], Commands: res.Commands[:0]}
	region := s.core.region(task, "vyre.wait", s.label)
	err := p.finish(ctx, res)
	region.end()

	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = false
	if e, ok := err.(*Error); ok && e.Kind == Canceled {
		if !isEnded(e) {
			return Result{}, s.core.Fail(err)
		}
		s.cut = e
	}
	now := time.Now()
	res.Wall, res.Enqueue, res.Wait = now.Sub(p.begin), p.enqueue, now.Sub(begin)
	for i, l := range s.whiles {
		if i < len(res.Loops) {
			l.last = res.Loops[i]
		}
	}
	s.count(p, res)
	s.land(p, res, err)
	if err != nil {
		return *res, s.core.Fail(err)
	}
	return *res, nil
}

// finish waits for the run of p, or delivers what is remembered of it.
func (p *pending) finish(ctx context.Context, res *Result) error {
	if p.memo.remembers() {
		p.memo.deliver(p.seq, res)
		return nil
	}
	err := p.runner.Wait(ctx, res)
	if e, ok := err.(*Error); !ok || e.Kind != Canceled || isEnded(e) {
		p.memo.ended(p.seq, res, err)
	}
	return err
}

// land ends the flight of p, unless a Close has done so while p was waited for.
func (s runs) land(p *pending, res *Result, err error) {
	if s.flying != p {
		return
	}
	s.flying = nil
	s.tally.Gauge(metric.RunsInFlight, -1)
	p.flight.touchDown()
	if f := s.core.observer.RunEnd; f != nil {
		f(s.label, res, err)
	}
}

// ended notes that the runner of p was closed, with how that went. A flight that is still being
// started ends there.
func (s runs) ended(p *pending, err error) {
	p.gone = true
	if !s.starting || s.flying != p {
		s.unwaited(p, err)
	}
}

// unwaited ends the flight of p, which a Close has waited for and whose outcome nobody asked for.
func (s runs) unwaited(p *pending, err error) {
	if err == nil {
		err = &Error{Op: "wait", Label: s.label, Device: s.core.name, Kind: Closed, Msg: p.what + " was closed before anyone waited for its run"}
	}
	s.land(p, &Result{}, err)
}

func (s runs) count(p *pending, res *Result) {
	c := s.tally
	if res.Memoized {
		c.Count(metric.RunsMemo, 1)
	} else if p.what == "graph" {
		c.Count(metric.RunsGraph, 1)
	} else {
		c.Count(metric.RunsPlain, 1)
	}
	c.Count(metric.WallNS, uint64(res.Wall))
	c.Count(metric.EnqueueNS, uint64(res.Enqueue))
	c.Count(metric.WaitNS, uint64(res.Wait))
	switch {
	case s.untimed, res.Memoized:
		return
	case !res.HasDevice:
		c.Count(metric.DeviceTimeMissing, 1)
		return
	}
	c.Count(metric.DeviceTimedRuns, 1)
	c.Count(metric.DeviceNS, uint64(res.Device))
	s.core.High(metric.DeviceNSMax, int64(res.Device))
}

func (s runs) busy(op string) error {
	return s.core.Fail(&Error{Op: op, Label: s.label, Device: s.core.name, Kind: Busy, Msg: "a run is in flight", Fix: "wait for it, or use another sequence for parallel work"})
}

func (s runs) closedError(op string) error {
	msg := "sequence was closed"
	if s.core.Alive(op, s.label) != nil {
		msg = "device was closed"
	}
	return s.core.Fail(&Error{Op: op, Label: s.label, Device: s.core.name, Kind: Closed, Msg: msg})
}

// closedStart is what a Start of p answers once p was closed, with its sequence or alone.
func (s runs) closedStart(p *pending) error {
	if s.closed {
		return s.closedError("start")
	}
	return s.core.Fail(&Error{Op: "start", Label: s.label, Device: s.core.name, Kind: Closed, Msg: p.what + " was closed"})
}

// Close waits for the run in flight, then gives up everything the sequence has: its graphs,
// its scratch memory, and its hold on buffers and kernels. Closing again does nothing.
func (s *Sequence) Close() error {
	if err := s.absent("close"); err != nil {
		return err
	}
	return s.closeBy(s.core.patience())
}

// closeBy is Close that waits until a time at most.
func (s *Sequence) closeBy(until time.Time) error {
	s.closing.Do(func() { s.closeErr = runsOf(s).close(until) })
	return s.closeErr
}

// Once runs the sequence and closes it. Its error is of the run alone, see Drop.
func (s *Sequence) Once(ctx context.Context) (Result, error) {
	defer s.Drop()
	return s.Run(ctx)
}

// Drop closes a sequence whose work is done, or of no interest. Where something cannot be given back, that does not undo what was
// done: Close of the device returns the error.
func (s *Sequence) Drop() {
	if err := s.Close(); err != nil && s.absent("close") == nil {
		s.core.keep(err)
	}
}

func (s runs) close(until time.Time) error {
	s.mu.Lock()
	s.closed = true
	plain, graphs := s.plain, s.graphs
	s.mu.Unlock()

	var err error
	if plain != nil {
		err = plain.runner.Close(until)
	}
	for _, g := range graphs {
		if e := g.closeRunner(until); err == nil {
			err = e
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flying != nil {
		s.ended(s.flying, err)
	}
	holdsOf(s.Sequence).unsettle()
	s.core.leaveRoot(s.Sequence)
	s.core.dropTally(s.tally)
	return err
}
