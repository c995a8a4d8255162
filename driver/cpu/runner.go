package cpu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/internal/memcheck"
	"github.com/govyre/vyre/internal/metric"
)

type executor struct{ dev *Device }

// Prepare makes a plan ready: staging for its transfers, arguments for its launches.
func (x executor) Prepare(p *driver.Plan, timed bool) (driver.Runner, error) {
	return x.dev.newRunner(p, false, timed)
}

// Capture does the same; replaying a graph skips uploads all or none.
func (x executor) Capture(p *driver.Plan, timed bool, _ driver.CaptureOptions) (driver.Runner, error) {
	return x.dev.newRunner(p, true, timed)
}

// runner runs one plan, one run at a time. A run is a goroutine: it waits for the runs it
// depends on, executes the commands, and leaves everything that Wait hands out.
type runner struct {
	dev   *Device
	plan  *driver.Plan
	graph bool

	resident *driver.Residency
	staged   [][]byte // by Plan.Uploads: what a run sends
	fetched  [][]byte // by Plan.Reads: what Wait delivers
	launches []boundLaunch
	times    []driver.CommandTime // of the run, if commands are timed
	timesAt  map[driver.Cmd]int
	internal int64 // bytes of staging

	hosted bool // the host decides on a loop

	body   func() // execute, as a value: starting it allocates nothing
	cancel context.CancelFunc
	ctx    context.Context // ends when Close gives up waiting
	life   life            // of the run in flight

	serial atomic.Uint64 // of the run in flight, or the last one
	ended  atomic.Uint64 // serial of the last run that ended
	done   chan struct{} // one token a run
	deps   []runRef
	left   atomic.Pointer[[]runRef] // what runs that were ended while they waited had still to wait for

	mu       sync.Mutex // with cond: for runs that wait for this one, and for Close
	cond     sync.Cond
	starting bool // a Start has not found out yet what its run comes after
	closed   bool

	// What the run in flight leaves.
	err     error // it could not go on
	device  time.Duration
	in, out time.Duration // before and after that
	timed   bool
	loops   []driver.LoopResult
	ends    []launchEnd // by Plan.Launches
}

// launchEnd is what all rounds of a launch leave besides their bytes. Rows of a batch run at the same time, each of which has
// launches of its own.
type launchEnd struct {
	some    bool  // there is anything
	trap    error // the first
	traces  []driver.Trace
	dropped uint64
	reports []driver.Report
	checks  memcheck.Tally
}

// boundLaunch is a launch as the engines take it.
type boundLaunch struct {
	cmd     *driver.LaunchCmd
	changed uint64
	in      launch.Launch
}

func (d *Device) newRunner(p *driver.Plan, graph, timed bool) (*runner, error) {
	r := &runner{dev: d, plan: p, graph: graph, done: make(chan struct{}, 1),
		launches: make([]boundLaunch, len(p.Launches)), ends: make([]launchEnd, len(p.Launches)), loops: make([]driver.LoopResult, len(p.Whiles))}
	for _, u := range p.Uploads {
		r.staged = append(r.staged, make([]byte, u.Dst.Len))
		r.internal += u.Dst.Len
	}
	if timed {
		r.times, r.timesAt = p.CommandTimes()
	}
	r.resident = driver.NewResidency(p, r.staged, graph)
	for _, rd := range p.Reads {
		r.fetched = append(r.fetched, make([]byte, rd.Src.Len))
		r.internal += rd.Src.Len
	}
	for i, l := range p.Launches {
		b := &r.launches[i]
		b.cmd, b.changed = l, l.Changed
		b.in.Args = make([]launch.Arg, len(l.Args))
		b.bind()
	}
	r.hosted = slices.ContainsFunc(p.Whiles, func(c *driver.LoopCmd) bool { return c.Lowering == driver.LoopHost })
	r.cond.L = &r.mu
	r.body = r.execute
	r.ctx, r.cancel = context.WithCancel(context.Background())
	r.life.closed = r.ctx
	d.Gauge(metric.InternalBytes, r.internal)
	d.take(r.internal)
	return r, nil
}

// bind takes over what setters changed.
func (b *boundLaunch) bind() {
	b.changed = b.cmd.Changed
	b.in.Grid, b.in.Rest = b.cmd.Grid, b.cmd.Rest
	params := b.cmd.Kernel.Signature()
	for i, a := range b.cmd.Args {
		if params[i].IsBuffer() {
			b.in.Args[i].Mem = bytes(a.Range)
		} else {
			b.in.Args[i].Bits = widen(params[i].Type, a.Bits)
		}
	}
}

// Start starts a run, which ends with ctx.
func (r *runner) Start(ctx context.Context, after []driver.Runner, _ bool) error {
	if err := r.enter(ctx, after); err != nil {
		return err
	}
	if len(r.deps) > 0 {
		r.plan.Tally.Count(metric.OrderWaits, uint64(len(r.deps)))
	}
	r.err, r.device, r.timed = nil, 0, false
	clear(r.loops)
	for i := range r.ends {
		if e := &r.ends[i]; e.some {
			*e = launchEnd{traces: e.traces[:0], reports: e.reports[:0]}
		}
	}
	r.life.Context = ctx
	if r.hosted {
		return r.startHosted()
	}
	go r.body()
	return nil
}

// enter gives a run its number and its place after the runs that it depends on. A plan whose
// loops the host decides on runs within Start, so it has no place before it can begin: its caller
// may leave until then.
func (r *runner) enter(ctx context.Context, after []driver.Runner) (err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return &driver.Error{Op: "start", Label: r.plan.Label, Device: Name, Kind: driver.Closed, Msg: "sequence was closed"}
	}
	for i := range r.launches {
		if b := &r.launches[i]; b.changed != b.cmd.Changed {
			b.bind()
		}
	}
	r.starting = true
	for !r.tryEnter(after) && err == nil {
		r.mu.Unlock()
		if r.awaitDeps(ctx); r.ctx.Err() != nil {
			err = r.gaveUp()
		} else if ctx.Err() != nil {
			err = &driver.Error{Op: "start", Label: r.plan.Label, Device: Name, Kind: driver.Canceled, Msg: "nothing was started", Err: ctx.Err()}
		}
		r.mu.Lock()
	}
	r.starting = false
	if err != nil {
		r.cond.Broadcast() // Close may wait for a run that there will not be
	}
	return err
}

// tryEnter finds out what a run comes after, and gives it its place, unless it has to wait before.
// The lock is held.
func (r *runner) tryEnter(after []driver.Runner) bool {
	r.deps = r.deps[:0]
	for _, a := range after {
		o := a.(*runner)
		// Only the run that is in flight now matters; one that ended has taken effect.
		if ref := (runRef{o, o.serial.Load()}); o != r && !ref.ended() {
			r.deps = append(r.deps, ref)
		}
	}
	uses := r.plan.Uses
	lock(uses)
	defer unlock(uses)
	for _, u := range uses {
		r.deps = u.Buffer.(*buffer).history.before(r, u.Writes, r.deps)
	}
	r.deps = r.remaining(r.deps)
	if r.hosted && len(r.deps) > 0 {
		return false
	}
	run := runRef{r, r.dev.starts.Add(1)}
	r.serial.Store(run.serial)
	for _, u := range uses {
		u.Buffer.(*buffer).history.enter(run, u.Writes)
	}
	r.resident.Begin()
	return true
}

// startHosted runs a plan with a loop that the host decides on: within Start.
func (r *runner) startHosted() error {
	r.execute()
	if r.err != nil && errors.Is(r.err, driver.Canceled) {
		<-r.done
		r.resident.End(false)
		return r.err
	}
	return nil
}

// execute is the goroutine of a run.
func (r *runner) execute() {
	r.awaitDeps(r.life.Context)
	if r.err = r.over(""); r.err == nil {
		r.err = r.commands()
	} else { // who comes after this run comes after what it had to wait for
		left := r.remaining(slices.Clone(r.deps))
		r.left.Store(&left)
	}
	r.mu.Lock()
	r.ended.Store(r.serial.Load())
	r.cond.Broadcast()
	r.mu.Unlock()
	r.done <- struct{}{}
}

// remaining appends to deps what earlier runs of this runner left to be waited for.
func (r *runner) remaining(deps []runRef) []runRef {
	left := r.left.Load()
	if left == nil {
		return deps
	}
	n := len(deps)
	for _, dep := range *left {
		deps = dep.before(r, deps)
	}
	if len(deps) == n { // all have ended, for good
		r.left.Store(nil)
	}
	return deps
}

// awaitDeps waits for the runs that this one depends on, unless ctx ends or Close gives up on it.
func (r *runner) awaitDeps(ctx context.Context) {
	if len(r.deps) > 0 && ctx.Done() != nil {
		defer context.AfterFunc(ctx, r.wake)()
	}
	for _, dep := range r.deps {
		dep.r.mu.Lock()
		for !dep.ended() && r.ctx.Err() == nil && ctx.Err() == nil {
			dep.r.cond.Wait()
		}
		dep.r.mu.Unlock()
	}
}

// wake lets awaitDeps look again.
func (r *runner) wake() {
	r.mu.Lock()
	deps := slices.Clone(r.deps) // theirs are locked without this one's lock, so that nobody waits in a circle
	r.mu.Unlock()
	for _, dep := range deps {
		dep.r.mu.Lock()
		dep.r.cond.Broadcast()
		dep.r.mu.Unlock()
	}
}

// life is the context of all that a run does. It ends with that of its Start, or when Close gives up on the run. Engines
// look at it again and again, so it needs no Done of its own, and a run makes no garbage for it.
type life struct {
	context.Context // of the Start
	closed          context.Context
}

func (l *life) Err() error {
	if err := l.closed.Err(); err != nil {
		return err
	}
	return l.Context.Err()
}

// over returns nil while the run may go on, else the error that it ends with, at the command with a path.
func (r *runner) over(path string) error {
	if r.ctx.Err() != nil {
		return r.gaveUp()
	}
	if err := r.life.Context.Err(); err != nil {
		return &driver.Error{Op: "run", Label: r.plan.Label, Device: Name, Path: path, Kind: driver.Canceled,
			Msg: "the run was ended: " + err.Error() + "; its outputs are dropped, and buffers that it writes may hold a part of that",
			Fix: "run it again, with a context that lasts longer", Err: &driver.Ended{Err: err}}
	}
	return nil
}

func (r *runner) gaveUp() error {
	return &driver.Error{Op: "run", Label: r.plan.Label, Device: Name, Kind: driver.Closed,
		Msg: fmt.Sprintf("the sequence was closed, and the run had not ended %v later", r.dev.CloseTimeout())}
}

// Done reports whether the run in flight has ended.
func (r *runner) Done() bool { return r.ended.Load() >= r.serial.Load() }

// Wait waits for the run and delivers what it left. Where the context of its Start has ended, the run ends by itself, and
// soon.
func (r *runner) Wait(ctx context.Context, res *driver.Result) error {
	select {
	case <-r.done:
		r.plan.Tally.Count(metric.WaitsReady, 1)
	default:
		select {
		case <-r.done:
		case <-ctx.Done():
			if r.life.Err() == nil {
				return &driver.Error{Op: "wait", Label: r.plan.Label, Device: Name, Kind: driver.Canceled,
					Msg: "the run goes on: " + ctx.Err().Error(), Fix: "wait again before using its outputs", Err: ctx.Err()}
			}
			<-r.done
		}
		r.plan.Tally.Count(metric.WaitsBlock, 1)
	}
	r.life.Context = context.Background() // the run is over, and keeps nobody's context
	trap := r.tell(res)
	r.resident.End(r.err == nil && trap == nil)
	res.Device, res.HasDevice = r.device, r.timed
	if r.timed && r.plan.TimeTransfers {
		res.TransferIn, res.TransferOut, res.HasTransfers = r.in, r.out, true
	}
	res.Loops = append(res.Loops, r.loops...)
	res.Commands = append(res.Commands, r.times...)
	if r.err != nil {
		return r.err
	}
	for i, rd := range r.plan.Reads {
		for _, v := range rd.Views {
			copy(v.Output.Bytes(), r.fetched[i][v.Off:])
		}
	}
	return trap
}

// Close waits for the run in flight, until a time at most; then it ends it.
func (r *runner) Close(until time.Time) error {
	err := r.finish(until)
	r.cancel()
	r.dev.Gauge(metric.InternalBytes, -r.internal)
	r.dev.take(-r.internal)
	return err
}

func (r *runner) finish(until time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if !r.busy() {
		return nil
	}
	late := time.AfterFunc(time.Until(until), func() {
		r.cancel()
		r.wake()
	})
	defer late.Stop()
	for r.busy() {
		r.cond.Wait()
	}
	if r.ctx.Err() != nil {
		return r.dev.Fail(r.gaveUp())
	}
	return nil
}

// busy reports whether a run is in flight or being started. The lock is held.
func (r *runner) busy() bool { return r.starting || !r.Done() }

// runError turns an error of an engine into one of the device.
func runError(l *driver.LaunchCmd, err error) error {
	e := &driver.Error{Op: "launch", Label: l.Kernel.Label(), Device: Name, Path: l.Path, Kind: driver.Internal, Err: err}
	var state *launch.StateError
	var budget *interp.BudgetError
	var barrier *interp.BarrierError
	switch {
	case errors.As(err, &state):
		e.Kind, e.Requested, e.Available = driver.OutOfMemory, state.Need, state.Limit
	case errors.As(err, &budget):
		e.Kind, e.Pos = driver.DeviceFault, budget.Pos.Where()
	case errors.As(err, &barrier):
		e.Kind = driver.DeviceFault
	}
	return e
}
