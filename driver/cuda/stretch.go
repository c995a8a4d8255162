package cuda

import (
	"slices"

	"github.com/govyre/vyre/driver"
)

// stretch is commands of a plain run that follow each other and that the host has no part in: launches,
// and copies and fills between them. A graph of them takes one call, and the GPU goes from one to the next in a
// fraction of the time; but making it is work. So the first runs enqueue the
// commands, as does a run whose launches changed since the one before: who sets arguments for every run would
// pay for changing nodes instead. Any other launches the graph.
type stretch struct {
	r        *runner
	from, to int    // in Plan.Cmds
	launches [2]int // in Plan.Launches
	timed    bool   // it is all that device time is measured around, so its graph does that
	runs     int
	clock    uint64 // of the plan at the last run
	seen     uint64 // and when the graph was last right
	added    uint64 // and the sum
	g        *graph
	sum      scope // what a run counts, if summed
	summed   bool
	declined bool // the driver does not make the graph
}

const (
	// stretchRuns is how many runs there are before a graph is made.
	stretchRuns = 2
	// stretchMost bounds the nodes of one graph.
	stretchMost = 1 << 14
	// stretchesMost bounds the graphs of a plan: each has memory of the device that is in no ledger.
	stretchesMost = 256
)

// stretchesOf finds the stretches of a plan.
func (r *runner) stretchesOf() (list []*stretch) {
	p := r.plan
	if r.replays() || r.dev.watching || !r.dev.gpu.Caps.Graphs {
		return nil
	}
	var at *stretch
	end := func() {
		if at != nil && at.launches[1] > at.launches[0] {
			list = append(list, at)
		}
		at = nil
	}
	for i, c := range p.Cmds {
		// Events are recorded here.
		if i == p.TimedFrom || i == p.TimedTo || at != nil && i-at.from == stretchMost {
			end()
		}
		l, launches := c.(*driver.LaunchCmd)
		switch c.(type) {
		case *driver.LaunchCmd:
			// One with a grid barrier takes a block for it from a ring in every run.
			if l.Kernel.Flags()&driver.GridBarrier != 0 {
				end()
				continue
			}
		case *driver.CopyCmd, *driver.FillCmd:
		default:
			end()
			continue
		}
		if at == nil {
			at = &stretch{r: r, from: i}
		}
		if launches {
			if at.launches[1] == 0 {
				at.launches[0] = l.Index
			}
			at.launches[1] = l.Index + 1
		}
		at.to = i + 1
	}
	end()
	if len(list) > stretchesMost {
		list = slices.DeleteFunc(list, func(st *stretch) bool { return st.launches[1]-st.launches[0] == 1 })
		list = list[:min(len(list), stretchesMost)]
	}
	for _, st := range list {
		st.timed = !p.NoDeviceTime && !p.TimeTransfers && st.from == p.TimedFrom && st.to == p.TimedTo
	}
	return list
}

// changed reports whether a launch changed since the plan's clock was as given.
func (st *stretch) changed(since uint64) bool {
	for c := range st.r.plan.ChangedSince(since) {
		if c.Index >= st.launches[0] && c.Index < st.launches[1] {
			return true
		}
	}
	return false
}

// ready reports whether the run being started launches the graph, which then is as setters want it.
func (st *stretch) ready() (bool, error) {
	if st.declined {
		return false, nil
	}
	r := st.r
	p := r.plan
	recent := st.changed(st.clock)
	st.clock = p.Clock()
	if st.runs < stretchRuns {
		st.runs++
		return false, nil
	}
	if recent {
		return false, nil
	}
	return st.taken(st.bringUp())
}

// current reports whether ready would say yes, without anything to do.
func (st *stretch) current() bool {
	clock := st.r.plan.Clock()
	return st.g != nil && !st.declined && st.clock == clock && st.seen == clock
}

// taken reports whether the driver has taken what err is of. If not, the commands stay as they are, unless the
// device is lost.
func (st *stretch) taken(err error) (bool, error) {
	if err == nil {
		return true, nil
	}
	d, label := st.r.dev, st.r.plan.Label
	if e := d.gpu.ErrorOf("start", label, err); e.Sticky {
		return false, e
	}
	st.declined = true
	d.gpu.Say("commands %d to %d of %q stay as they are: %v", st.from, st.to-1, label, err)
	return false, nil
}

// bringUp makes the graph, or brings it up to date.
func (st *stretch) bringUp() error {
	r := st.r
	clock := r.plan.Clock()
	switch {
	case st.g == nil:
		g := &graph{r: r, cmds: r.plan.Cmds[st.from:st.to], stamped: st.timed, seen: clock, counted: r.plan.Recounted}
		var err error
		if g.full, err = g.make(false); err != nil {
			return err
		}
		st.g = g
	case st.seen == clock || !st.changed(st.seen):
		st.seen = clock
		return nil
	default:
		if err := st.g.ready(); err != nil {
			return err
		}
	}
	st.seen = clock
	return nil
}

// counts is what a run of the commands counts.
func (st *stretch) counts() *scope {
	p := st.r.plan
	if !st.summed {
		new(scopes).list(&st.sum, p.Cmds[st.from:st.to], 1)
		st.summed = true
	} else if st.added != p.Clock() {
		for c := range p.ChangedSince(st.added) {
			if c.Index >= st.launches[0] && c.Index < st.launches[1] {
				st.sum.launches.Set(c.Index-st.launches[0], c, 1)
			}
		}
	}
	st.added = p.Clock()
	return &st.sum
}

// launch enqueues the graph. It reports false if the driver refuses that: then nothing is enqueued.
func (st *stretch) launch() (bool, error) {
	if st.timed {
		*st.r.stamps = stamps{}
	}
	return st.taken(st.g.launch(false))
}
