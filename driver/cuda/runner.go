package cuda

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/cu"
	"github.com/govyre/vyre/driver/cuda/internal/pinned"
	"github.com/govyre/vyre/driver/cuda/internal/primary"
	"github.com/govyre/vyre/driver/cuda/internal/timeline"
)

type executor struct{ dev *Device }

// Prepare makes a plan ready: a stream, staging for its transfers, arguments for its launches, and
// executables of the loops that the device decides on.
func (x executor) Prepare(p *driver.Plan) (driver.Runner, error) {
	return x.dev.newRunner(p, false, driver.CaptureOptions{})
}

// Capture makes an executable of all of a plan, and one without what a run may leave out.
func (x executor) Capture(p *driver.Plan, o driver.CaptureOptions) (driver.Runner, error) {
	return x.dev.newRunner(p, true, o)
}

// runner runs one plan, one run at a time, on a stream of its own.
type runner struct {
	dev      *Device
	plan     *driver.Plan
	captured bool

	timeline.Submitter
	timer     timer   // nothing if the run is not timed, or a graph's
	stamps    *stamps // of a graph that tells its time; nil without one
	resident  *driver.Residency
	staging   pinned.Memory
	stagingAt cu.Ptr          // where the GPU finds it, for a graph
	more      []pinned.Memory // got after Prepare, for a setter
	looped    []bool          // by Plan.Uploads: it is in a loop
	up, down  []route         // of Plan.Uploads and Plan.Reads
	chosen    uint64          // the Plan.Rehosted that the routes are for
	slow      bool            // one of them is in chunks
	staged    [][]byte        // by Plan.Uploads: what a run sends, where that has a place in staging
	fetched   [][]byte        // by Plan.Reads: what Wait delivers, likewise
	reports   []byte          // the records, as a run has left them
	flag      []byte          // of the loop under way
	arrived   []byte          // at the barrier of a launch that is watched
	launches  []launch
	calls     []*cu.Launch // those that one call makes
	calling   cu.GraphRun
	telling   []*launch // of launches: those that trap or trace
	pairs     *pairs    // nil if nothing needs it
	records   records
	scopes    scopes // of what graphs run
	bound     uint64 // the Plan.Clock that launches and scopes are for
	counted   uint64 // the Plan.Recounted that image and scopes are for

	graphs []*graph                   // whole, or those of loops
	whole  *graph                     // of a captured plan
	loops  map[*driver.LoopCmd]*graph // of a plain one
	// What a plain run launches at once when it has run for some times.
	stretches []*stretch
	stamped   bool // the run's time is in stamps, though it is no replay
	// Loops that the device may decide on are numbered, for their control records; image is what
	// those start from.
	numbered []*driver.LoopCmd
	controls map[*driver.LoopCmd]int
	image    []byte

	outcome []driver.LoopResult // of While loops

	open    uint64 // ticket of the part of a run that is being enqueued; 0 without one
	written bool   // the stream writes it already
	fault   atomic.Pointer[driver.Error]
	hosted  bool           // the host decides on a loop
	fed     chan error     // how carry went
	feed    func()         // carry, as a value: starting it allocates nothing
	aside   bool           // Start has left it alone
	thread  primary.Thread // between Start and Wait of one goroutine
	average time.Duration  // of waits

	// life is held for reading by who waits; Close has it before what they use goes.
	life   sync.RWMutex
	closed bool
}

func (d *Device) newRunner(p *driver.Plan, captured bool, o driver.CaptureOptions) (*runner, error) {
	if err := d.gpu.Enter("prepare", p.Label); err != nil {
		return nil, err
	}
	defer d.gpu.Leave()
	r := &runner{dev: d, plan: p, captured: captured, outcome: make([]driver.LoopResult, len(p.Whiles)),
		loops: map[*driver.LoopCmd]*graph{}, controls: map[*driver.LoopCmd]int{}, thread: primary.Thread{Context: d.gpu}, average: waitFirst}
	r.Quit = make(chan struct{})
	err := r.make()
	if err == nil {
		r.resident = driver.NewResidency(p, r.staged, captured)
		r.chosen, r.fed, r.feed = p.Rehosted-1, make(chan error, 1), r.carry
		if err = r.choose(); err == nil {
			err = r.capture(o)
		}
		r.hosted = slices.ContainsFunc(p.Whiles, func(c *driver.LoopCmd) bool { return c.Lowering == driver.LoopHost })
	}
	if err != nil {
		e := d.gpu.Complete("prepare", p.Label, err)
		if back := r.giveBack(); back != nil {
			_ = d.Fail(d.gpu.Complete("prepare", p.Label, back)) // the first error is the one to report
		}
		return nil, e
	}
	d.gpu.Say("%s %q: %d launches, %d uploads, %d reads, %d graphs", map[bool]string{false: "prepared", true: "captured"}[captured], p.Label,
		len(p.Launches), len(p.Uploads), len(p.Reads), len(r.graphs))
	return r, nil
}

// make obtains what the runner needs. If it fails, giveBack returns what it got.
func (r *runner) make() error {
	d, p := r.dev, r.plan
	var err error
	if r.Stream, err = d.streams.Get(); err != nil {
		return err
	}
	if !p.NoDeviceTime && !r.replays() && len(p.Cmds) > 0 {
		if r.timer, err = d.timers.get(p.TimeTransfers); err != nil {
			return err
		}
	}
	if hasPairs(p.Cmds) {
		if r.pairs, err = newPairs(d, r.Stream.Handle); err != nil {
			return err
		}
	}
	r.launches = newLaunches(p.Launches, r.Stream.Handle)
	r.calls = make([]*cu.Launch, 0, min(len(p.Launches), launchesAtOnce))
	for i := range r.launches {
		if err := r.bind(&r.launches[i]); err != nil {
			return err
		}
	}
	r.bound = p.Clock()
	r.number(p.Cmds, r.captured)
	if n := r.records.plan(r.launches, len(r.numbered)); n > 0 {
		if r.records.mem, err = d.memory.Get(n, r.Stream); err != nil {
			return err
		}
		r.records.bind(r.launches)
	}
	for i := range r.launches {
		if l := &r.launches[i]; l.trap >= 0 || l.trace >= 0 {
			r.telling = append(r.telling, l)
		}
	}
	r.stretches = r.stretchesOf()
	if err := r.stage(); err != nil {
		return err
	}
	r.recount()
	return nil
}

// replays reports whether a run launches one graph and nothing else.
func (r *runner) replays() bool { return r.captured && !r.dev.watching }

// rebind takes over what setters changed since the last run. It looks at no other launch.
func (r *runner) rebind() error {
	for c := range r.plan.ChangedSince(r.bound) {
		if l := &r.launches[c.Index]; l.changed != c.Changed {
			if err := r.bind(l); err != nil {
				return err
			}
		}
	}
	if r.counted != r.plan.Recounted {
		r.recount()
	} else if r.counts() {
		for c := range r.plan.ChangedSince(r.bound) {
			r.scopes.changed(c)
		}
	}
	r.bound = r.plan.Clock()
	return nil
}

// bind takes over what setters changed of a launch.
func (r *runner) bind(l *launch) error {
	var none cu.Ptr
	if l.needsNone() {
		var err error
		if none, err = r.dev.memory.None(); err != nil {
			return err
		}
	}
	l.bind(none)
	return nil
}

// recount takes over how often loops run.
func (r *runner) recount() {
	r.counted = r.plan.Recounted
	for i, c := range r.numbered {
		r.records.control(r.image, i, c.Count)
	}
	if r.counts() {
		r.scopes.sum(r.plan)
	}
}

// counts reports whether the runner has graphs, whose commands are not counted one by one.
func (r *runner) counts() bool { return r.captured || len(r.numbered) > 0 }

// giveBack returns what the runner has. Nothing of it is in use.
func (r *runner) giveBack() error {
	d := r.dev
	var first error
	for _, g := range r.graphs {
		if err := g.drop(); first == nil {
			first = err
		}
	}
	r.graphs = nil
	for _, st := range r.stretches {
		if st.g == nil {
			continue
		}
		if err := st.g.drop(); first == nil {
			first = err
		}
	}
	r.stretches = nil
	for _, m := range append(r.more, r.staging) {
		if err := d.pinned.Put(m); first == nil {
			first = err
		}
	}
	r.more = nil
	if err := d.memory.Put(r.records.mem); first == nil {
		first = err
	}
	if err := d.timers.put(r.timer); first == nil {
		first = err
	}
	if r.Stream != nil {
		d.streams.Put(r.Stream)
	}
	return first
}
