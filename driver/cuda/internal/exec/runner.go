package exec

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/primary"
	"github.com/govyre/vyre/driver/cuda/internal/timeline"
	"github.com/govyre/vyre/internal/cu"
)

// lowered is a plan as a GPU runs it.
type lowered struct {
	x        *Executor
	plan     *driver.Plan
	captured bool
	overlap  bool

	launches  []launch
	telling   []*launch // of launches: those that trap, trace or check
	filler    *filler   // nil if nothing needs it
	loops     []*loop   // that the device may decide on, by control record
	segments  []*segment
	graphs    []*segment // those of them, and in them, that have a graph, or may get one
	whiles    []sum      // of loops that the device decides on, by Plan.Whiles
	records   records
	transfers transfers
	clock     clock
	laps      *laps  // nil if commands are not timed
	gen       uint64 // the Plan.Clock that launches, transfers and sums are for
	long      bool   // a stream has no room for a run at once
}

// flight is the run of a plan that is in flight, or the last one.
type flight struct {
	*lowered
	timeline.Submitter
	outcome []driver.LoopResult // of While loops

	open    uint64 // timeline value of the part of a run that is being enqueued; 0 without one
	written bool   // the store of the completion word is enqueued already
	fault   atomic.Pointer[driver.Error]
	hosted  bool            // the host decides on a loop
	host    context.Context // of the caller then; else one that never ends
	thread  primary.Thread  // between Start and Wait of one goroutine
	average time.Duration   // of waits

	// life is held for reading by who waits; Close has it before what they use goes.
	life   sync.RWMutex
	closed bool
}

// runner runs one plan, one run at a time, on a stream of its own.
type runner struct {
	flight
	queue   queue
	calling cu.GraphRun

	fed   chan error // how carry went
	feed  func()     // carry, as a value: starting it allocates nothing
	aside bool       // Start has left it alone
}

func (x *Executor) newRunner(p *driver.Plan, captured, timed bool, o driver.CaptureOptions) (*runner, error) {
	if err := x.GPU.Enter("prepare", p.Label); err != nil {
		return nil, err
	}
	defer x.GPU.Leave()
	r := &runner{fed: make(chan error, 1)}
	r.lowered, r.outcome = &lowered{x: x, plan: p, captured: captured, overlap: o.Overlap}, make([]driver.LoopResult, len(p.Whiles))
	r.thread, r.average, r.Quit = primary.Thread{Context: x.GPU}, waitFirst, make(chan struct{})
	r.transfers.r, r.feed = r, r.carry
	if timed {
		r.laps = newLaps(p)
	}
	if err := r.make(); err != nil {
		e := x.GPU.Complete("prepare", p.Label, err)
		if back := r.giveBack(); back != nil {
			_ = x.GPU.Fail(x.GPU.Complete("prepare", p.Label, back)) // the first error is the one to report
		}
		return nil, r.diagnosed(e)
	}
	r.hosted = slices.ContainsFunc(p.Whiles, func(c *driver.LoopCmd) bool { return c.Lowering == driver.LoopHost })
	graphs := 0
	for _, s := range r.graphs {
		if s.full != nil {
			graphs++
		}
	}
	x.GPU.Say("%s %q: %d launches, %d uploads, %d reads, %d graphs", map[bool]string{false: "prepared", true: "captured"}[captured], p.Label,
		len(p.Launches), len(p.Uploads), len(p.Reads), graphs)
	return r, nil
}

// make obtains what the runner needs, and lowers the plan. If it fails, giveBack returns what it got.
func (r *runner) make() error {
	x, p := r.x, r.plan
	var err error
	if r.Stream, err = x.Streams.Get(); err != nil {
		return err
	}
	if !p.NoDeviceTime && !r.replays() && len(p.Cmds) > 0 && r.laps == nil {
		if r.clock.events, err = x.timers.get(p.TimeTransfers); err != nil {
			return err
		}
	}
	r.launches = newLaunches(p.Launches, r.Stream.Handle)
	for i := range r.launches {
		if err := r.bind(&r.launches[i]); err != nil {
			return err
		}
	}
	r.gen = p.Clock()
	ops := r.lower(p.Cmds, r.captured)
	if some(ops, func(o *op) bool { return o.fill != nil && o.fill.byKernel() }) {
		if r.filler, err = newFiller(x, r.Stream.Handle); err != nil {
			return err
		}
	}
	if n := r.records.plan(r.launches, len(r.loops), r.laps.bytes()); n > 0 {
		if r.records.mem, err = x.Memory.Get(n, r.Stream); err != nil {
			return err
		}
		r.records.bind(r.launches)
	}
	for i := range r.launches {
		if l := &r.launches[i]; l.trap >= 0 || l.trace >= 0 || l.checks >= 0 {
			r.telling = append(r.telling, l)
		}
	}
	framed := r.frame(ops)
	if r.laps != nil {
		if err := r.laps.bind(x, r.records.fetchAt()+cu.Ptr(r.records.laps), r.Stream.Handle); err != nil {
			return err
		}
	}
	r.segments = r.divide(framed, true)
	bounded(r.segments)
	if err := r.transfers.init(slices.ContainsFunc(r.segments, func(s *segment) bool { return s.timed })); err != nil {
		return err
	}
	r.queue = queue{r, make([]*cu.Launch, 0, min(len(p.Launches), launchesAtOnce))}
	r.whiles = make([]sum, len(p.Whiles))
	r.recount()
	if err := r.capture(r.segments); err != nil {
		return err
	}
	r.addUp()
	return nil
}

// replays reports whether a run launches one graph and nothing else.
// Commands of a graph cannot be told apart from outside, so who watches them gets them one by one.
func (r *lowered) replays() bool { return r.captured && !r.x.watching }

// update takes over what setters changed since the last run. It looks at nothing else.
func (r *runner) update() error {
	p := r.plan
	prev, clock := r.gen, r.plan.Clock()
	if prev != clock {
		if err := r.rebind(); err != nil {
			return r.x.GPU.Complete("start", p.Label, err)
		}
	}
	for _, s := range r.graphs {
		if s.gen == clock {
			continue
		}
		if !s.affected() {
			s.gen = clock
			continue
		}
		if err := r.thread.Bind("start", p.Label); err != nil {
			return err
		}
		if err := s.update(prev); err != nil {
			return err
		}
	}
	return nil
}

// rebind is update for launches, transfers and sums.
func (r *runner) rebind() error {
	p := r.plan
	rehosted, recounted := p.Rehosted > r.gen, p.Recounted > r.gen
	if rehosted {
		if err := r.transfers.choose(); err != nil {
			return err
		}
	}
	if recounted {
		r.recount()
	}
	for c := range p.ChangedSince(r.gen) {
		l := &r.launches[c.Index]
		if c.Changed > r.gen {
			if l.needsNone() {
				if err := r.thread.Bind("start", p.Label); err != nil {
					return err
				}
			}
			if err := r.bind(l); err != nil {
				return err
			}
		}
		l.in.changed(c)
	}
	if recounted || rehosted && r.transfers.rerouted > r.gen {
		r.addUp()
	}
	r.gen = p.Clock()
	return nil
}

// bind takes over what setters changed of a launch.
func (r *lowered) bind(l *launch) error {
	var none cu.Ptr
	if l.needsNone() {
		var err error
		if none, err = r.x.Memory.None(); err != nil {
			return err
		}
	}
	l.bind(none)
	return nil
}

// atOnce is how much a driver takes of a stream before who enqueues more waits for the GPU.
const atOnce = 1024

// recount takes over how often loops run.
func (r *lowered) recount() {
	r.long = calls(r.segments) > atOnce
	for i, c := range r.loops {
		r.records.control(r.transfers.controls, i, c.Count)
	}
}

// giveBack returns what the runner has. Nothing of it is in use.
func (r *runner) giveBack() error {
	if r.Stream != nil {
		r.x.Streams.Put(r.Stream)
	}
	return r.drop()
}

// drop returns what runs of the plan used.
func (r *lowered) drop() error {
	x := r.x
	var first error
	note := func(err error) {
		if first == nil {
			first = err
		}
	}
	for _, s := range r.graphs {
		note(s.drop())
	}
	r.graphs = nil
	note(r.transfers.drop())
	note(x.Memory.Put(r.records.mem))
	note(x.timers.put(r.clock.events[:]))
	return first
}
