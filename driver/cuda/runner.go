package cuda

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/govyre/vyre/driver"
)

type executor struct{ dev *Device }

// Prepare makes a plan ready: a lane, staging for its transfers, arguments for its launches.
func (x executor) Prepare(p *driver.Plan) (driver.Runner, error) { return x.dev.newRunner(p, false) }

// Capture does the same; replaying a graph skips uploads all or none.
func (x executor) Capture(p *driver.Plan, _ driver.CaptureOptions) (driver.Runner, error) {
	return x.dev.newRunner(p, true)
}

// runner runs one plan, one run at a time, on a stream of its own.
type runner struct {
	dev   *Device
	plan  *driver.Plan
	graph bool

	lane     *lane
	resident *driver.Residency
	staging  pinned
	staged   [][]byte // by Plan.Uploads: what a run sends
	fetched  [][]byte // by Plan.Reads: what Wait delivers
	reports  []byte   // the records, as a run has left them
	flag     []byte   // of the loop under way
	launches []launch
	records  records
	loops    []driver.LoopResult
	deps     []runRef

	timed  bool          // the run in flight is measured
	serial atomic.Uint64 // of the run in flight, or the last one
	ended  atomic.Uint64 // serial of the last run that ended
	fault  atomic.Pointer[driver.Error]

	// life is held for reading by whoever uses the lane or the staging; Close has it before
	// these go.
	life     sync.RWMutex
	closed   bool
	gaveUpOn atomic.Bool // Close has stopped waiting
}

func (d *Device) newRunner(p *driver.Plan, graph bool) (*runner, error) {
	if err := d.enter("prepare", p.Label); err != nil {
		return nil, err
	}
	defer d.leave()
	r := &runner{dev: d, plan: p, graph: graph, loops: make([]driver.LoopResult, len(p.Whiles))}
	if err := r.make(); err != nil {
		e := d.memoryError("prepare", p.Label, err)
		if back := r.giveBack(); back != nil {
			_ = d.Fail(d.memoryError("prepare", p.Label, back)) // the first error is the one to report
		}
		return nil, e
	}
	r.resident = driver.NewResidency(p, r.staged, graph)
	return r, nil
}

// make obtains what the runner needs. If it fails, giveBack returns what it got.
func (r *runner) make() error {
	d, p := r.dev, r.plan
	var err error
	if r.lane, err = d.lanes.get(); err != nil {
		return err
	}
	r.launches = make([]launch, len(p.Launches))
	for i, c := range p.Launches {
		r.launches[i] = newLaunch(c, r.lane.stream)
	}
	if err := r.rebind(true); err != nil {
		return err
	}
	if n := r.records.plan(r.launches); n > 0 {
		if r.records.mem, err = d.memory.get(n, driver.InternalBytes); err != nil {
			return err
		}
		r.records.bind(r.launches)
	}
	return r.stage()
}

// stage obtains one block of pinned memory and divides it. Items start at multiples of 64
// bytes, so that none shares a cache line with another.
func (r *runner) stage() error {
	var total int64
	place := func(n int64) (at int64) {
		at = total
		total += (n + 63) &^ 63
		return at
	}
	var up, down []int64
	for _, u := range r.plan.Uploads {
		up = append(up, place(u.Dst.Len))
	}
	for _, rd := range r.plan.Reads {
		down = append(down, place(rd.Src.Len))
	}
	reports, flag := place(r.records.reported()), int64(0)
	if len(r.plan.Whiles) > 0 {
		flag = place(4)
	}
	var err error
	if r.staging, err = r.dev.staging.get(total); err != nil {
		return r.dev.hostError("prepare", total, err)
	}
	all := r.staging.bytes(total)
	part := func(at, n int64) []byte { return all[at : at+n : at+n] }
	for i, u := range r.plan.Uploads {
		r.staged = append(r.staged, part(up[i], u.Dst.Len))
	}
	for i, rd := range r.plan.Reads {
		r.fetched = append(r.fetched, part(down[i], rd.Src.Len))
	}
	r.reports = part(reports, r.records.reported())
	if len(r.plan.Whiles) > 0 {
		r.flag = part(flag, 4)
	}
	return nil
}

// rebind takes over what setters changed since the last run.
func (r *runner) rebind(all bool) error {
	for i := range r.launches {
		l := &r.launches[i]
		if !all && l.changed == l.cmd.Changed {
			continue
		}
		none, err := r.dev.memory.none()
		if err != nil {
			return err
		}
		l.bind(none)
	}
	return nil
}

// giveBack returns what the runner has. Nothing of it is in use.
func (r *runner) giveBack() error {
	d := r.dev
	first := d.staging.put(r.staging)
	if err := d.memory.put(r.records.mem, driver.InternalBytes); first == nil {
		first = err
	}
	if r.lane != nil {
		if err := d.lanes.put(r.lane); first == nil {
			first = err
		}
	}
	return first
}

// Start enqueues a run: behind the runs it has to come after, then its commands, then the
// event that ends it.
func (r *runner) Start(ctx context.Context, after []driver.Runner) error {
	d := r.dev
	if err := d.enter("start", r.plan.Label); err != nil {
		return err
	}
	defer d.leave()
	if err := r.rebind(false); err != nil {
		return d.memoryError("start", r.plan.Label, err)
	}
	uses := r.plan.Uses
	lock(uses)
	defer unlock(uses)
	r.deps = r.deps[:0]
	for _, a := range after {
		o := a.(*runner)
		// Only the run that is in flight now matters; one that ended has taken effect.
		if ref := (runRef{o, o.serial.Load()}); o != r && !ref.ended() {
			r.deps = append(r.deps, ref)
		}
	}
	for _, u := range uses {
		r.deps = u.Buffer.(*buffer).history.conflicts(r, u.Writes, r.deps)
	}
	for _, dep := range r.deps {
		if err := r.follow(dep); err != nil {
			return d.errorOf("start", r.plan.Label, err)
		}
	}
	clear(r.loops)
	r.timed = false
	r.fault.Store(nil)
	r.count(r.resident.Begin())
	err := r.enqueue(ctx)
	if err == nil {
		if recorded := d.drv.EventRecord(r.lane.end, r.lane.stream); recorded != nil {
			err = d.errorOf("start", r.plan.Label, recorded)
		}
	}
	if err != nil {
		// What was enqueued before the failure ends before anyone may touch its memory. If
		// that cannot be waited for, the device is lost, and says so from now on.
		if d.lost.Load() == nil {
			if sync := d.drv.StreamSynchronize(r.lane.stream); sync != nil {
				_ = d.Fail(d.errorOf("start", r.plan.Label, sync)) // the first error is the one to report
			}
		}
		r.resident.End(false)
		return err
	}
	run := runRef{r, r.serial.Load() + 1}
	for _, u := range uses {
		u.Buffer.(*buffer).history.enter(run, u.Writes)
	}
	r.serial.Store(run.serial) // last: from here on, Done asks for the event just recorded
	return nil
}

// follow makes the stream wait for a run of another runner.
func (r *runner) follow(dep runRef) error {
	dep.r.life.RLock()
	defer dep.r.life.RUnlock()
	if dep.r.closed || dep.ended() {
		return nil
	}
	r.dev.Count(driver.OrderWaits, 1)
	return r.dev.drv.StreamWaitEvent(r.lane.stream, dep.r.lane.end)
}

func (r *runner) count(resident bool) {
	for i, u := range r.plan.Uploads {
		if !r.resident.Send[i] {
			r.dev.Count(driver.UploadsSkipped, 1)
			r.dev.Count(driver.UploadBytesSkipped, uint64(u.Dst.Len))
		}
	}
	switch {
	case !r.graph:
	case resident:
		r.dev.Count(driver.ReplaysResident, 1)
	default:
		r.dev.Count(driver.ReplaysFull, 1)
	}
}

// Done reports whether the run in flight has ended.
func (r *runner) Done() bool {
	r.life.RLock()
	defer r.life.RUnlock()
	return r.done(r.serial.Load())
}

// done asks for the event behind a run. A run that faulted, or whose device is lost, has
// ended too; Wait says how. The caller holds life.
func (r *runner) done(run uint64) bool {
	if r.closed || r.ended.Load() >= run {
		return true
	}
	d := r.dev
	if err := d.enter("wait", r.plan.Label); err != nil {
		e, _ := err.(*driver.Error)
		r.end(run, e)
		return true
	}
	defer d.leave()
	over, err := d.drv.EventQuery(r.lane.end)
	if err != nil {
		r.end(run, r.faulted(err))
		return true
	}
	if over {
		r.end(run, nil)
	}
	return over
}

// end notes that a run has ended, and how, if it failed.
func (r *runner) end(run uint64, fault *driver.Error) {
	if fault != nil {
		r.fault.CompareAndSwap(nil, fault)
	}
	for {
		was := r.ended.Load()
		if was >= run || r.ended.CompareAndSwap(was, run) {
			return
		}
	}
}

// faulted makes an error of one that the device reports after the fact: any launch of the run
// may have caused it.
func (r *runner) faulted(err error) *driver.Error {
	e := r.dev.errorOf("run", r.plan.Label, err)
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
	return e
}

// How Wait waits: looking all the time at first, for a short run ends before a thread could
// be put to sleep and woken; then less and less often.
const (
	waitSpin     = 200 * time.Microsecond
	waitLeast    = 20 * time.Microsecond
	waitMost     = 500 * time.Microsecond
	waitFraction = 32
)

// await waits until a run has ended; false if ctx, the deadline or Close ended the wait
// before. The caller holds life.
func (r *runner) await(ctx context.Context, run uint64, deadline time.Duration) bool {
	begin := time.Now()
	for !r.done(run) {
		passed := time.Since(begin)
		if ctx.Err() != nil || r.gaveUpOn.Load() || deadline > 0 && passed > deadline {
			return false
		}
		if passed < waitSpin {
			runtime.Gosched()
			continue
		}
		time.Sleep(min(max(passed/waitFraction, waitLeast), waitMost))
	}
	return true
}

// Wait waits for the run and delivers what it left.
func (r *runner) Wait(ctx context.Context, res *driver.Result) error {
	r.life.RLock()
	defer r.life.RUnlock()
	if r.closed {
		return r.gaveUp()
	}
	if !r.await(ctx, r.serial.Load(), 0) {
		if r.gaveUpOn.Load() {
			return r.gaveUp()
		}
		return &driver.Error{Op: "wait", Label: r.plan.Label, Device: r.dev.Name(), Kind: driver.Canceled,
			Msg: "the run goes on: " + ctx.Err().Error(), Fix: "wait again before using its outputs", Err: ctx.Err()}
	}
	if fault := r.fault.Load(); fault != nil {
		r.resident.End(false)
		return fault
	}
	trap := r.deliver(res)
	r.resident.End(trap == nil)
	return trap
}

// deliver hands out what a run that has ended left, and returns its first trap.
func (r *runner) deliver(res *driver.Result) error {
	res.Device, res.HasDevice = r.deviceTime()
	res.Loops = append(res.Loops, r.loops...)
	var trap error
	for i := range r.launches {
		l := &r.launches[i]
		var dropped uint64
		res.Traces, dropped = r.records.traces(l, r.reports, res.Traces)
		res.TracesDropped += dropped
		if trap == nil {
			trap = r.records.trapped(l, r.reports, r.dev.Name())
		}
	}
	for i, rd := range r.plan.Reads {
		for _, v := range rd.Views {
			copy(v.Output.Bytes(), r.fetched[i][v.Off:])
		}
	}
	return trap
}

// deviceTime returns the time between the events around the work.
func (r *runner) deviceTime() (time.Duration, bool) {
	d := r.dev
	if !r.timed || d.enter("wait", r.plan.Label) != nil {
		return 0, false
	}
	defer d.leave()
	ms, err := d.drv.EventElapsedTime(r.lane.from, r.lane.to)
	if err != nil || !(ms >= 0 && ms < 1e12) { // neither negative nor NaN nor infinite
		return 0, false
	}
	return time.Duration(float64(ms) * 1e6), true
}

func (r *runner) gaveUp() *driver.Error {
	return &driver.Error{Op: "run", Label: r.plan.Label, Device: r.dev.Name(), Kind: driver.Closed,
		Msg: fmt.Sprintf("the sequence was closed, and the run had not ended %v later", r.dev.CloseTimeout())}
}

// Close waits for the run in flight, at most the device's time for that, and gives back what
// the runner has. What a run that does not end may touch is written off.
func (r *runner) Close() error {
	d := r.dev
	r.life.RLock()
	over := r.await(context.Background(), r.serial.Load(), d.CloseTimeout())
	r.life.RUnlock()
	if !over {
		r.gaveUpOn.Store(true)
		r.writeOff()
		return d.Fail(r.gaveUp())
	}
	r.life.Lock()
	defer r.life.Unlock()
	r.closed = true
	if d.lost.Load() != nil {
		r.writeOff() // it went with the context
		return nil
	}
	err := d.enter("close", r.plan.Label)
	if err == nil {
		defer d.leave()
	}
	if back := r.giveBack(); err == nil && back != nil {
		err = d.memoryError("close", r.plan.Label, back)
	}
	if err != nil {
		return d.Fail(err)
	}
	return nil
}

func (r *runner) writeOff() {
	r.dev.staging.abandon(r.staging)
	r.dev.memory.abandon(r.records.mem, driver.InternalBytes)
}
