package exec

import (
	"errors"
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/cu"
)

// segment is operations that follow each other and reach the device as one thing: a graph of them, a row of
// calls, or rounds of a loop that the host goes through.
type segment struct {
	r    *runner
	ops  []op
	when when
	sum  sum // what a run of the operations counts

	launches [2]int // the span of them in Plan.Launches

	loop *op        // of rounds
	body []*segment // of each round

	timed  bool                // its graph has the marks of the clock
	spares []*driver.UploadCmd // that a run may leave out
	runs   int                 // that enqueued the operations, before the graph is made
	gen    uint64              // the Plan.Clock that the graph is for
	// full sends every upload, resident those that are Always. The latter is made when a run first
	// leaves something out.
	full, resident *image
}

// when says when a segment has a graph.
type when uint8

const (
	never  when = iota
	warm        // after some runs, where the driver takes it, and not in a run before which a setter changed it
	always      // from Prepare on
)

const (
	// warmRuns is how many runs there are before a graph is made, which is more work than it saves one run.
	warmRuns = 2
	// segmentNodes bounds the nodes of one graph of a plain run.
	segmentNodes = 1 << 14
	// segmentGraphs bounds the graphs of a plain plan: each has memory of the device that is in no ledger.
	segmentGraphs = 256
)

// divide makes segments of operations; outer says that they are not of a loop.
func (r *runner) divide(ops []op, outer bool) (list []*segment) {
	if r.replays() {
		s := r.segment(ops, always)
		s.timed = !r.plan.NoDeviceTime && r.laps == nil
		return []*segment{s}
	}
	begin := 0 // of the operations that are in no segment yet
	cut := func(from, to int, w when) *segment {
		if from > begin {
			list = append(list, r.segment(ops[begin:from], never))
		}
		if begin = to; to == from {
			return nil
		}
		s := r.segment(ops[from:to], w)
		list = append(list, s)
		return s
	}
	for i := 0; i < len(ops); {
		o := &ops[i]
		n, launches := r.graphable(ops[i:])
		switch {
		case o.kind == kindWhile && o.loop.Lowering == driver.LoopGraph:
			cut(i, i+1, always)
		case o.loop != nil && some(ops[i:i+1], func(o *op) bool { return o.kind == kindWhile }):
			cut(i, i+1, never).rounds()
		case launches && outer:
			from, to := i, i+n
			// Where it is all that device time is measured around, its graph does that, and what is done to the records.
			timed := !r.plan.TimeTransfers && from > 0 && ops[from-1].kind == kindMark && to < len(ops) && ops[to].kind == kindMark
			if timed {
				from, to = from-1, to+1
				for from > begin && ops[from-1].kind == kindFill {
					from--
				}
				if to < len(ops) && !r.needsHost(&ops[to]) {
					to++
				}
			}
			cut(from, to, warm).timed = timed
		}
		i += max(n, 1)
	}
	cut(len(ops), len(ops), never)
	return list
}

// graphable returns how many operations, from the first on, the host has no part in, and whether kernels of
// the user are among them.
func (r *lowered) graphable(ops []op) (n int, launches bool) {
	if r.x.watching || !r.x.GPU.Caps.Graphs {
		return 0, false
	}
	nodes := uint64(0)
	for ; n < len(ops); n++ {
		one := ops[n : n+1]
		more := nodesOf(one)
		if nodes += more; nodes > segmentNodes || one[0].loop != nil && more > unrolledNodes || some(one, r.needsHost) {
			break
		}
		launches = launches || some(one, func(o *op) bool { return o.kind == kindLaunch })
	}
	return n, launches
}

func (r *lowered) needsHost(o *op) bool {
	switch o.kind {
	case kindLaunch, kindFill, kindCopy, kindRepeat, kindLap:
		return false
	case kindReports: // few are moved by a kernel, which is in a graph what it is in the stream
		return r.records.reported() > moveMost
	}
	return true
}

// bounded lets no more segments have a graph than may: those with a single launch gain the least by one.
func bounded(list []*segment) {
	var graphs []*segment
	for _, s := range list {
		if s.when == warm {
			graphs = append(graphs, s)
		}
	}
	if len(graphs) <= segmentGraphs {
		return
	}
	left := segmentGraphs
	for _, s := range graphs {
		launches := 0
		some(s.ops, func(o *op) bool {
			if o.launch != nil {
				launches++
			}
			return false
		})
		if launches == 1 || left == 0 {
			s.when = never
			continue
		}
		left--
	}
}

// segment makes a segment.
func (r *runner) segment(ops []op, w when) *segment {
	s := &segment{r: r, ops: ops, when: w, gen: ^uint64(0)}
	some(ops, func(o *op) bool {
		if o.up != nil && o.up.Mode != driver.Always {
			s.spares = append(s.spares, o.up)
		}
		if l := o.launch; l != nil {
			if s.launches[1] == 0 {
				s.launches[0] = l.cmd.Index
			}
			s.launches[1] = l.cmd.Index + 1
		}
		return false
	})
	return s
}

// rounds makes a segment of one loop one that the host goes through.
func (s *segment) rounds() {
	s.when, s.loop, s.ops, s.spares = never, &s.ops[0], nil, nil
	s.body = s.r.divide(s.loop.loop.body, false)
}

// capture makes the graphs that segments have from Prepare on, and notes all that have, or may get, one.
func (r *runner) capture(list []*segment) error {
	for _, s := range list {
		if s.when != never {
			r.graphs = append(r.graphs, s)
		}
		if s.when == always {
			if err := s.capture(); err != nil {
				return err
			}
		}
		if err := r.capture(s.body); err != nil {
			return err
		}
	}
	return nil
}

// capture makes the graphs of a segment. A loop that the driver does not take, for what is in it or at all,
// becomes the host's.
func (s *segment) capture() error {
	r := s.r
	var err error
	if s.full, err = s.make(false); err != nil && !r.replays() {
		if c := s.ops[0].loop; !c.Forced && r.declined(err) {
			c.Lowering = driver.LoopHost
			r.x.GPU.Say("the host decides on the loop at %s of %q: %v", c.Path, r.plan.Label, err)
			s.rounds()
			return nil
		}
	}
	if err == nil && len(s.spares) > 0 && r.replays() && r.plan.ReplaySafe() {
		s.resident, err = s.make(true)
	}
	s.gen = r.plan.Clock()
	return err
}

// declined reports whether the driver does not take a graph, as opposed to having failed.
func (r *lowered) declined(err error) bool {
	var e *driver.Error
	if !errors.As(err, &e) {
		e = r.x.GPU.ErrorOf("prepare", r.plan.Label, err)
	}
	return !e.Sticky && e.Kind != driver.OutOfMemory
}

// affected reports whether setters changed what is in the graph, or nothing is known of it yet.
func (s *segment) affected() bool {
	r := s.r
	return s.full == nil || r.transfers.rerouted > s.gen || r.plan.Rehosted > s.gen && len(s.full.copies) > 0 || s.changed(s.gen)
}

// update brings the graph up to date with the setters, if this run launches it; prev is the Plan.Clock of the
// run before.
func (s *segment) update(prev uint64) error {
	clock := s.r.plan.Clock()
	switch {
	case s.when == never:
		s.gen = clock
		return nil
	case s.when == always:
		if err := s.change(); err != nil {
			return err
		}
	case s.runs < warmRuns:
		s.runs++
		return nil
	case s.changed(prev):
		return nil // who sets arguments for every run would pay for changing nodes in each
	case s.full == nil:
		full, err := s.make(false)
		if taken, err := s.taken(err); !taken {
			return err
		}
		s.full = full
	case s.changed(s.gen):
		if taken, err := s.taken(s.change()); !taken {
			return err
		}
	}
	s.gen = clock
	return nil
}

// changed reports whether a launch, or the count of a loop, changed since.
func (s *segment) changed(since uint64) bool {
	for c := range s.r.plan.ChangedSince(since) {
		if c.Changed > since && c.Index >= s.launches[0] && c.Index < s.launches[1] {
			return true
		}
	}
	return s.r.plan.Recounted > since && some(s.ops, func(o *op) bool { return o.loop != nil })
}

// taken reports whether the driver has made or changed the graph that err is of. If not, a segment that need not have a
// graph has none from now on, unless the device is lost.
func (s *segment) taken(err error) (bool, error) {
	if err == nil {
		return true, nil
	}
	r := s.r
	switch {
	case r.replays():
		return false, r.x.GPU.Complete("start", r.plan.Label, err)
	case s.when == always:
		return false, r.refused(&s.ops[0], err)
	}
	e := r.x.GPU.Complete("start", r.plan.Label, err)
	if e.Sticky {
		return false, e
	}
	s.when = never
	r.x.GPU.Say("%d commands of %q from %s on stay as they are: %v", len(s.ops), r.plan.Label, s.ops[0].path, err)
	return false, nil
}

// launched returns the error of a launch of the graph. Nobody knows whether the graph runs, so what is in it is not enqueued in
// its place: it might run twice. The run has failed; the next one goes without the graph, if the segment need not have one.
func (s *segment) launched(err error) error {
	if err == nil {
		return nil
	}
	if taken, e := s.taken(err); taken || e != nil {
		return e
	}
	return s.r.refused(&s.ops[0], err)
}

// fresh reports whether the graph is there and as setters want it.
func (s *segment) fresh() bool { return s.full != nil && s.when != never && s.gen == s.r.plan.Clock() }

// calls returns how many calls of the driver segments take in a run, about, saturated. One that may have a graph
// counts as one.
func calls(list []*segment) (total uint64) {
	for _, s := range list {
		n := uint64(1)
		switch {
		case s.loop != nil && s.loop.kind == kindRepeat:
			n = driver.Mul(s.loop.loop.Count, calls(s.body))
		case s.when == never:
			if n = nodesOf(s.ops); s.r.laps != nil {
				n = driver.Mul(n, 3)
			}
		}
		total += min(n, 1<<62-total)
	}
	return total
}

// complete reports whether the graph is fresh, and no image of it has still to be made.
func (s *segment) complete() bool { return s.fresh() && (len(s.spares) == 0 || s.resident != nil) }

// launch enqueues the segment: its graph if it is fresh, else what is in it. The context is current.
func (s *segment) launch() error {
	r := s.r
	if s.loop != nil {
		return r.rounds(s)
	}
	var im *image
	if s.fresh() {
		made, err := s.image()
		if taken, err := s.taken(err); err != nil {
			return err
		} else if taken {
			im = made
		}
	}
	if im != nil {
		if err := s.launched(r.x.GPU.Driver.GraphLaunch(im.exec, r.Stream.Handle)); err != nil {
			return err
		}
		if r.x.watching {
			if err := r.watched(&s.ops[0]); err != nil {
				return r.refused(&s.ops[0], err)
			}
		}
	} else {
		r.clock.stamped = r.clock.stamped && !s.timed
		if err := r.queue.all(s.ops); err != nil {
			return err
		}
	}
	r.count(&s.sum, 1)
	return nil
}

// run is launch for a run of one fresh segment, which takes three calls: the context is made current, the graph
// is launched, and the completion word is stored. They are made by one crossing, so the goroutine keeps no
// thread. It reports false without an error where the driver does not make the graph; nothing is enqueued then.
func (s *segment) run() (launched bool, err error) {
	r := s.r
	im, err := s.image()
	if err != nil {
		return s.taken(err)
	}
	r.calling = cu.GraphRun{Context: r.x.GPU.Handle, Exec: im.exec, Stream: r.Stream.Handle, Word: r.Stream.Word(), Value: uint32(r.open)}
	switch made, err := r.x.GPU.Driver.GraphRun(&r.calling); {
	case made == 1:
		return false, s.launched(err)
	case err != nil:
		return made > 1, r.x.GPU.ErrorOf("start", r.plan.Label, err)
	}
	r.written = true
	r.count(&s.sum, 1)
	return true, nil
}

// image is what the run being started launches: the one without the uploads that it may leave out, if it leaves
// out all of them. The clock is ready for it.
func (s *segment) image() (*image, error) {
	if s.timed {
		s.r.clock.reset()
	}
	if len(s.spares) == 0 || slices.ContainsFunc(s.spares, s.r.queue.sends) {
		return s.full, nil
	}
	if s.resident == nil {
		var err error
		if s.resident, err = s.make(true); err != nil {
			return nil, err
		}
	}
	return s.resident, nil
}
