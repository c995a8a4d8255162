package cuda

import "github.com/govyre/vyre/driver/cuda/cu"

// A run that launches one graph, and nothing else, takes three calls: the context is made current, the graph is
// launched, and the word behind it is written. They are made by one crossing, so the goroutine keeps no thread.

// brief returns the graph if the run being started is of that kind, and nobody has changed anything.
func (r *runner) brief() *graph {
	d, p := r.dev, r.plan
	if r.thread.Bound() || d.gpu.Restore || r.Stream.Word() == 0 || d.gpu.Lost() || len(r.After) > 0 ||
		r.bound != p.Clock() || r.counted != p.Recounted || r.records.reported() > 0 {
		return nil
	}
	if g := r.whole; g != nil {
		if !g.current() {
			return nil
		}
		return g
	}
	if len(r.stretches) != 1 || len(r.image) > 0 || len(r.records.rings) > 0 || r.timer.begin != 0 || r.timer.end != 0 {
		return nil
	}
	st := r.stretches[0]
	if st.from > 0 || st.to < len(p.Cmds) || !st.current() || r.timer.from != 0 && !st.timed {
		return nil
	}
	return st.g
}

// launchBriefly makes the three calls. It reports false without an error where the driver does not take the graph of a
// stretch, whose commands are enqueued then.
func (r *runner) launchBriefly(g *graph, resident bool) (launched bool, err error) {
	d, label := r.dev, r.plan.Label
	im, err := g.image(resident)
	if err != nil {
		return false, d.gpu.Complete("start", label, err)
	}
	if r.stamps != nil {
		*r.stamps = stamps{}
	}
	r.calling = cu.GraphRun{Context: d.gpu.Handle, Exec: im.exec, Stream: r.Stream.Handle, Word: r.Stream.Word(), Value: uint32(r.open)}
	made, err := d.gpu.Driver.GraphRun(&r.calling)
	switch {
	case made == 1 && r.whole != nil:
		return false, d.gpu.Complete("start", label, err)
	case made == 1:
		return r.stretches[0].taken(err)
	case err != nil:
		return made > 1, d.gpu.ErrorOf("start", label, err)
	}
	r.written = true
	if r.whole != nil {
		r.count(&r.scopes.outer, 1)
	} else {
		r.stamped = r.stretches[0].timed
		r.count(r.stretches[0].counts(), 1)
	}
	return true, nil
}
