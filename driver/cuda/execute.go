package cuda

import (
	"context"
	"encoding/binary"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/cu"
)

// enqueue puts the commands of a run into the stream, with events around the part that is
// device work. The context is current.
func (r *runner) enqueue(ctx context.Context) error {
	d, s := r.dev, r.stream.handle
	no := func(err error) error { return d.errorOf("start", r.plan.Label, err) }
	if err := r.records.clear(r.memset); err != nil {
		return no(err)
	}
	if len(r.image) > 0 {
		if err := d.drv.MemcpyHtoDAsync(r.records.controlAt(0), unsafe.Pointer(&r.image[0]), int64(len(r.image)), s); err != nil {
			return no(err)
		}
	}
	if err := r.record(r.timer.begin); err != nil {
		return no(err)
	}
	stretches := r.stretches
	r.stamped = false
	for i := 0; i < len(r.plan.Cmds); {
		var st *stretch // whose graph is launched
		if len(stretches) > 0 && stretches[0].from == i {
			if whole, err := stretches[0].ready(); err != nil {
				return no(err)
			} else if whole {
				st = stretches[0]
			}
			stretches = stretches[1:]
		}
		if st != nil && st.timed {
			r.stamped = true // no events are around it
		}
		if i == r.plan.TimedFrom && !r.stamped {
			if err := r.record(r.timer.from); err != nil {
				return no(err)
			}
		}
		next := i + 1
		if st != nil {
			if launched, err := st.launch(); err != nil {
				return no(err)
			} else if launched {
				next = st.to
			} else if st = nil; r.stamped && i == r.plan.TimedFrom {
				r.stamped = false
				if err := r.record(r.timer.from); err != nil {
					return no(err)
				}
			}
		}
		if st == nil {
			if err := r.command(ctx, r.plan.Cmds[i]); err != nil {
				return err
			}
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
		if err := d.drv.MemcpyDtoHAsync(unsafe.Pointer(&r.reports[0]), r.records.fetchAt(), int64(len(r.reports)), s); err != nil {
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
	return r.dev.drv.EventRecord(e, r.stream.handle)
}

func (r *runner) command(ctx context.Context, c driver.Cmd) error {
	d, s := r.dev, r.stream.handle
	var err error
	var path, what string
	switch c := c.(type) {
	case *driver.FillCmd:
		path, what, err = c.Path, "fill", r.fill(c)
		r.plan.Tally.Count(driver.Fills, 1)
		r.plan.Tally.Count(driver.FillBytes, uint64(c.Dst.Len))
	case *driver.UploadCmd:
		if !r.resident.Send[c.Index] {
			return nil
		}
		path, what = c.Path, "upload"
		err = r.upload(c)
	case *driver.CopyCmd:
		path, what = c.Path, "copy"
		err = d.drv.MemcpyDtoDAsync(addressOf(c.Dst), addressOf(c.Src), c.Dst.Len, s)
		r.plan.Tally.Count(driver.Copies, 1)
		r.plan.Tally.Count(driver.CopyBytes, uint64(c.Dst.Len))
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
	case errGaveUp:
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
		e = r.dev.errorOf(what, label, err)
	}
	e.Path = path
	return e
}

// fill stores a value over a range again and again.
func (r *runner) fill(c *driver.FillCmd) error {
	if byKernel(c) {
		return r.dev.drv.LaunchKernel(r.pairs.fill(c))
	}
	return r.memset(fillOf(c))
}

// memset enqueues a fill.
func (r *runner) memset(f cu.Fill) error {
	drv, s := r.dev.drv, r.stream.handle
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
	r.plan.Tally.CountLaunch(c, r.captured, 1)
	if c.Grid.Empty() {
		return nil
	}
	if l.barrier < 0 {
		return d.drv.LaunchKernel(&l.call)
	}
	at, err := r.records.barrier(d.drv, r.stream.handle)
	if err != nil {
		return err
	}
	l.values[l.barrier] = uint64(at)
	return d.drv.LaunchCooperativeKernel(&l.call)
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
	if r.gaveUpOn.Load() {
		return errGaveUp
	}
	for _, b := range c.Body {
		if err := r.command(ctx, b); err != nil {
			return err
		}
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
	drv, s := r.dev.drv, r.stream.handle
	ticket := r.open
	err := drv.MemcpyDtoHAsync(unsafe.Pointer(&r.flag[0]), addressOf(c.Flag), 4, s)
	if err == nil {
		err = r.endPart(false)
	}
	if err != nil {
		e := r.faulted(err)
		e.Path = c.Path
		return false, e
	}
	if !r.await(ctx, false, ticket, &r.thread) {
		return false, errGaveUp
	}
	if fault := r.ending(ticket); fault != nil {
		fault.Path = c.Path
		return false, fault
	}
	if err := r.thread.bind("start", r.plan.Label); err != nil {
		return false, err
	}
	if err := r.beginPart(context.Background()); err != nil {
		return false, err // given up
	}
	return binary.LittleEndian.Uint32(r.flag) != 0, nil
}
