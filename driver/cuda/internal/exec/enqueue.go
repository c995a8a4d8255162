package exec

import (
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/timeline"
	"github.com/govyre/vyre/internal/cu"
)

// launchesAtOnce is how many launches are handed over by one call at most.
const launchesAtOnce = 64

// queue is the sink that enqueues operations in the runner's stream. The context is current.
type queue struct {
	r     *runner
	calls []*cu.Launch // those that were taken and not handed over yet
}

// all enqueues operations. Its error says which of them the driver did not take.
func (q *queue) all(ops []op) error {
	watching := q.r.x.watching
	for i := range ops {
		o := &ops[i]
		if call := o.call(); call != nil && !watching {
			if o.launch != nil && o.launch.empty() {
				continue
			}
			if q.calls = append(q.calls, call); len(q.calls) == launchesAtOnce {
				if err := q.flush(); err != nil {
					return err
				}
			}
			continue
		}
		if err := q.flush(); err != nil {
			return err
		}
		err := q.r.emit(o, q)
		if err == nil && watching {
			err = q.r.watched(o)
		}
		if err != nil {
			return q.r.refused(o, err)
		}
	}
	return q.flush()
}

// call is the launch that an operation is; nil if it is another one, or more than that.
func (o *op) call() *cu.Launch {
	switch {
	case o.lap != nil && o.lap.up == nil:
		return &o.lap.call
	case o.launch != nil && !o.launch.resident:
		return &o.launch.call
	}
	return nil
}

// flush hands over the launches that were taken.
func (q *queue) flush() (err error) {
	calls, drv := q.calls, q.r.x.GPU.Driver
	q.calls = calls[:0]
	started := 0
	switch len(calls) {
	case 0:
	case 1:
		err = drv.LaunchKernel(calls[0])
	default:
		started, err = drv.LaunchKernels(calls)
	}
	if err != nil {
		for i := range q.r.launches {
			if l := &q.r.launches[i]; &l.call == calls[started] {
				return q.r.refused(&op{kind: kindLaunch, launch: l, path: l.cmd.Path}, err)
			}
		}
		err = q.r.refused(&op{kind: kindLap}, err)
	}
	return err
}

// launch starts a kernel. One that is resident is launched cooperatively, so that the driver guarantees what its barriers
// and waits rely on: all groups run at once.
func (q *queue) launch(o *op) error {
	r, l := q.r, o.launch
	if l.empty() {
		return nil
	}
	if !l.resident {
		return r.x.GPU.Driver.LaunchKernel(&l.call)
	}
	if l.barrier >= 0 {
		at, err := r.records.barrier(r.x.GPU.Driver, r.Stream.Handle)
		if err != nil {
			return err
		}
		l.values[l.barrier] = uint64(at)
	}
	return r.x.GPU.Driver.LaunchCooperativeKernel(&l.call)
}

func (q *queue) fill(o *op) error {
	drv, s := q.r.x.GPU.Driver, q.r.Stream.Handle
	if o.fill.byKernel() {
		return drv.LaunchKernel(q.r.filler.launch(o.fill))
	}
	switch f := o.fill.memset(); f.Width {
	case 1:
		return drv.MemsetD8Async(f.Dst, uint8(f.Value), f.N, s)
	case 2:
		return drv.MemsetD16Async(f.Dst, uint16(f.Value), f.N, s)
	default:
		return drv.MemsetD32Async(f.Dst, f.Value, f.N, s)
	}
}

func (q *queue) copy(c cu.Copy, _ *op) error {
	drv, s := q.r.x.GPU.Driver, q.r.Stream.Handle
	switch {
	case c.SrcHost != nil:
		return drv.MemcpyHtoDAsync(c.Dst, c.SrcHost, c.Bytes, s)
	case c.DstHost != nil:
		return drv.MemcpyDtoHAsync(c.DstHost, c.Src, c.Bytes, s)
	}
	return drv.MemcpyDtoDAsync(c.Dst, c.Src, c.Bytes, s)
}

func (q *queue) hosted(c cu.Copy, o *op, _ int) error { return q.copy(c, o) }

func (q *queue) sends(u *driver.UploadCmd) bool { return q.r.transfers.resident.Send[u.Index] }

func (q *queue) mark(m mark) error {
	return q.r.x.GPU.Driver.EventRecord(q.r.clock.events[m], q.r.Stream.Handle)
}

func (q *queue) lap(l *lap) error { return q.r.x.GPU.Driver.LaunchKernel(&l.call) }

// loop enqueues the body of a Repeat again and again. Whiles are segments of their own.
func (q *queue) loop(o *op) error {
	if !o.does() {
		return nil
	}
	for range o.loop.Count {
		if err := q.r.goOn(o.loop); err != nil {
			return err
		}
		if err := q.all(o.loop.body); err != nil {
			return err
		}
	}
	return nil
}

// does reports whether anything is enqueued for an operation, by the counts of the loops in it as they are now: rounds
// of nothing take no time.
func (o *op) does() bool {
	if o.kind != kindRepeat {
		return o.kind != kindLap
	}
	for i := range o.loop.body {
		if o.loop.Count > 0 && o.loop.body[i].does() {
			return true
		}
	}
	return false
}

// refused says which operation the driver did not take.
func (r *lowered) refused(o *op, err error) error {
	if err == timeline.ErrGaveUp {
		return err
	}
	label := r.plan.Label
	if o.launch != nil {
		label = o.launch.kernel.Label()
	}
	e, ok := err.(*driver.Error)
	if !ok {
		e = r.x.GPU.ErrorOf(verbs[o.kind], label, err)
	}
	if e.Path == "" {
		e.Path = o.path
	}
	return e
}
