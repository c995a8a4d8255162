package cuda

import (
	"context"
	"encoding/binary"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/cu"
	"github.com/govyre/vyre/driver/cuda/internal/memory"
	"github.com/govyre/vyre/driver/cuda/internal/timeline"
)

// enqueue puts the commands of a run into the stream, with events around the part that is
// device work. The context is current.
func (r *runner) enqueue(ctx context.Context) error {
	d, s := r.dev, r.Stream.Handle
	no := func(err error) error { return d.gpu.ErrorOf("start", r.plan.Label, err) }
	if err := r.records.clear(r.memset); err != nil {
		return no(err)
	}
	if len(r.image) > 0 {
		if err := d.gpu.Driver.MemcpyHtoDAsync(r.records.controlAt(0), unsafe.Pointer(&r.image[0]), int64(len(r.image)), s); err != nil {
			return no(err)
		}
	}
	if err := r.record(r.timer.begin); err != nil {
		return no(err)
	}
	cmds, stretches := r.plan.Cmds, r.stretches
	r.stamped = false
	for i := 0; i < len(cmds); {
		var st *stretch // that begins here
		var whole bool  // its graph is launched
		if len(stretches) > 0 && stretches[0].from == i {
			st, stretches = stretches[0], stretches[1:]
			var err error
			if whole, err = st.ready(); err != nil {
				return no(err)
			}
		}
		r.stamped = r.stamped || whole && st.timed // no events are around it
		if i == r.plan.TimedFrom && !r.stamped {
			if err := r.record(r.timer.from); err != nil {
				return no(err)
			}
		}
		if whole {
			var err error
			if whole, err = st.launch(); err != nil {
				return no(err)
			}
			if !whole && r.stamped && i == r.plan.TimedFrom {
				r.stamped = false
				if err := r.record(r.timer.from); err != nil {
					return no(err)
				}
			}
		}
		next := r.nextStop(i, stretches)
		if st != nil {
			next = st.to
		}
		if !whole {
			if err := r.commands(ctx, cmds[i:next], st != nil); err != nil {
				return err
			}
		}
		if st != nil {
			r.count(st.counts(), 1)
		}
		if i = next; i == r.plan.TimedTo && !r.stamped {
			if err := r.record(r.timer.to); err != nil {
				return no(err)
			}
		}
	}
	if err := r.record(r.timer.end); err != nil {
		return no(err)
	}
	if len(r.reports) > 0 {
		if err := d.gpu.Driver.MemcpyDtoHAsync(unsafe.Pointer(&r.reports[0]), r.records.fetchAt(), int64(len(r.reports)), s); err != nil {
			return no(err)
		}
	}
	return nil
}

// record puts an event of the timer into the stream, if there is one.
func (r *runner) record(e cu.Event) error {
	if e == 0 {
		return nil
	}
	return r.dev.gpu.Driver.EventRecord(e, r.Stream.Handle)
}

// nextStop is the first command behind i in front of which something else is to do: an event, or a stretch.
func (r *runner) nextStop(i int, stretches []*stretch) int {
	stop := len(r.plan.Cmds)
	if len(stretches) > 0 {
		stop = stretches[0].from
	}
	for _, event := range []int{r.plan.TimedFrom, r.plan.TimedTo} {
		if event > i {
			stop = min(stop, event)
		}
	}
	return stop
}

// commands enqueues commands; counted says that somebody else counts them.
func (r *runner) commands(ctx context.Context, cmds []driver.Cmd, counted bool) error {
	for len(cmds) > 0 {
		var err error
		n := r.together(cmds)
		if n > 1 {
			err = r.launchAll(cmds[:n])
		} else {
			n, err = 1, r.command(ctx, cmds[0])
		}
		if err != nil {
			return err
		}
		if !counted {
			for _, c := range cmds[:n] {
				r.tally(c)
			}
		}
		cmds = cmds[n:]
	}
	return nil
}

// together is how many commands in front are launches that one call can make.
func (r *runner) together(cmds []driver.Cmd) (n int) {
	if r.dev.watching {
		return 0 // each is waited for
	}
	for n < len(cmds) {
		l, ok := cmds[n].(*driver.LaunchCmd)
		if !ok || r.launches[l.Index].barrier >= 0 {
			break
		}
		n++
	}
	return n
}

// launchesAtOnce is how many launches are handed over together at most.
const launchesAtOnce = 64

// launchAll starts kernels without grid barriers.
func (r *runner) launchAll(cmds []driver.Cmd) error {
	calls := r.calls[:0]
	for i, c := range cmds {
		if c := c.(*driver.LaunchCmd); !c.Grid.Empty() {
			calls = append(calls, &r.launches[c.Index].call)
		}
		if len(calls) < launchesAtOnce && i+1 < len(cmds) {
			continue
		}
		if started, err := r.dev.gpu.Driver.LaunchKernels(calls); err != nil {
			for i := range r.launches {
				if l := &r.launches[i]; &l.call == calls[started] {
					c = l.cmd
				}
			}
			return r.refused("launch", c.(*driver.LaunchCmd).Path, c, err)
		}
		calls = calls[:0]
	}
	return nil
}

// tally counts a command that the device has no other count of.
func (r *runner) tally(c driver.Cmd) {
	switch c := c.(type) {
	case *driver.FillCmd:
		r.plan.Tally.Count(driver.Fills, 1)
		r.plan.Tally.Count(driver.FillBytes, uint64(c.Dst.Len))
	case *driver.CopyCmd:
		r.plan.Tally.Count(driver.Copies, 1)
		r.plan.Tally.Count(driver.CopyBytes, uint64(c.Dst.Len))
	case *driver.LaunchCmd:
		r.plan.Tally.CountLaunch(c, r.captured, 1)
	}
}

func (r *runner) command(ctx context.Context, c driver.Cmd) error {
	d, s := r.dev, r.Stream.Handle
	var err error
	var path, what string
	switch c := c.(type) {
	case *driver.FillCmd:
		path, what, err = c.Path, "fill", r.fill(c)
	case *driver.UploadCmd:
		if !r.resident.Send[c.Index] {
			return nil
		}
		path, what = c.Path, "upload"
		err = r.upload(c)
	case *driver.CopyCmd:
		path, what = c.Path, "copy"
		err = d.gpu.Driver.MemcpyDtoDAsync(memory.AddressOf(c.Dst), memory.AddressOf(c.Src), c.Dst.Len, s)
	case *driver.ReadCmd:
		path, what = c.Path, "read"
		err = r.read(c)
	case *driver.LaunchCmd:
		path, what, err = c.Path, "launch", r.launch(c)
	case *driver.LoopCmd:
		switch {
		case !c.While:
			return r.repeat(ctx, c)
		case c.Lowering == driver.LoopHost:
			return r.while(ctx, c)
		}
		path, what, err = c.Path, "loop", r.loops[c].launch(!r.sends(c.Body))
	}
	if err == nil && d.watching {
		err = r.watched(c)
	}
	switch err {
	case nil:
		return nil
	case timeline.ErrGaveUp:
		return err
	}
	return r.refused(what, path, c, err)
}

// refused says which command the driver did not take.
func (r *runner) refused(what, path string, c driver.Cmd, err error) *driver.Error {
	label := r.plan.Label
	if l, ok := c.(*driver.LaunchCmd); ok {
		label = l.Kernel.Label()
	}
	e, ok := err.(*driver.Error)
	if !ok {
		e = r.dev.gpu.ErrorOf(what, label, err)
	}
	e.Path = path
	return e
}

// fill stores a value over a range again and again.
func (r *runner) fill(c *driver.FillCmd) error {
	if byKernel(c) {
		return r.dev.gpu.Driver.LaunchKernel(r.pairs.fill(c))
	}
	return r.memset(fillOf(c))
}

// memset enqueues a fill.
func (r *runner) memset(f cu.Fill) error {
	drv, s := r.dev.gpu.Driver, r.Stream.Handle
	switch f.Width {
	case 1:
		return drv.MemsetD8Async(f.Dst, uint8(f.Value), f.N, s)
	case 2:
		return drv.MemsetD16Async(f.Dst, uint16(f.Value), f.N, s)
	}
	return drv.MemsetD32Async(f.Dst, f.Value, f.N, s)
}

// launch starts a kernel. One with a grid barrier is launched cooperatively, so that the
// driver guarantees what the barrier relies on: all groups are resident.
func (r *runner) launch(c *driver.LaunchCmd) error {
	d, l := r.dev, &r.launches[c.Index]
	if c.Grid.Empty() {
		return nil
	}
	if l.barrier < 0 {
		return d.gpu.Driver.LaunchKernel(&l.call)
	}
	at, err := r.records.barrier(d.gpu.Driver, r.Stream.Handle)
	if err != nil {
		return err
	}
	l.values[l.barrier] = uint64(at)
	return d.gpu.Driver.LaunchCooperativeKernel(&l.call)
}

func (r *runner) repeat(ctx context.Context, c *driver.LoopCmd) error {
	for range c.Count {
		if err := r.body(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// body enqueues a round of a loop, unless Close has given the run up.
func (r *runner) body(ctx context.Context, c *driver.LoopCmd) error {
	if r.GaveUp.Load() {
		return timeline.ErrGaveUp
	}
	if err := r.commands(ctx, c.Body, false); err != nil {
		return err
	}
	r.plan.Tally.Count(driver.LoopIterations, 1)
	return nil
}

// while fetches the flag before every round and waits for it. If the context ends, the loop
// stops after a whole number of rounds, and so does the run.
func (r *runner) while(ctx context.Context, c *driver.LoopCmd) error {
	var out driver.LoopResult
	for {
		set, err := r.flagSet(ctx, c)
		if err != nil {
			return err
		}
		if out.Converged = !set; !set || out.Iterations == c.Count {
			break
		}
		if err := ctx.Err(); err != nil {
			return &driver.Error{Op: "run", Label: r.plan.Label, Device: r.dev.Name(), Path: c.Path, Kind: driver.Canceled,
				Msg: "the loop was stopped between two rounds, and the run with it", Err: err}
		}
		if err := r.body(ctx, c); err != nil {
			return err
		}
		out.Iterations++
	}
	r.outcome[c.Index] = out
	return nil
}

// flagSet fetches the flag of a loop. What was enqueued so far becomes a part of the run that
// ends here, with a ticket of its own. The round under way is waited for when ctx has ended, too.
func (r *runner) flagSet(ctx context.Context, c *driver.LoopCmd) (bool, error) {
	drv, s := r.dev.gpu.Driver, r.Stream.Handle
	ticket := r.open
	err := drv.MemcpyDtoHAsync(unsafe.Pointer(&r.flag[0]), memory.AddressOf(c.Flag), 4, s)
	if err == nil {
		err = r.endPart(false)
	}
	if err != nil {
		e := r.faulted(err)
		e.Path = c.Path
		return false, e
	}
	if !r.await(ctx, false, ticket, &r.thread) {
		return false, timeline.ErrGaveUp
	}
	if fault := r.ending(ticket); fault != nil {
		fault.Path = c.Path
		return false, fault
	}
	if err := r.thread.Bind("start", r.plan.Label); err != nil {
		return false, err
	}
	if err := r.beginPart(context.Background()); err != nil {
		return false, err // given up
	}
	return binary.LittleEndian.Uint32(r.flag) != 0, nil
}
